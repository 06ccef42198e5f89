// A recording, for the files that record and submit.
#ifndef GPU_CMD_H
#define GPU_CMD_H

#include "gpu/internal.h"

enum { CMD_QUERIES = 4096 }; // in a pool

// The time of a command, in a profile.
struct interval {
    uint32_t piece;
    size_t row; // of the profile
    double flops, bytes;
};

// A command buffer, the smallest unit of submission. `start` and `stop` are others, which write a timestamp where a
// submission starts or stops with this piece but the recording does not; NULL until one does.
struct piece {
    VkCommandBuffer buffer, start, stop;
    char *label, *last; // of its first and its last command
    uint32_t commands;
    double estimate;     // seconds on a slow device
    double seconds;      // of the last run that was read: its part of a submission's; < 0: unknown
    uint32_t submission; // index in the last run
};

// Kinds of commands, which barriers tell apart.
enum kind { KIND_COMPUTE = 1, KIND_TRANSFER = 2, KIND_ANY = 3 };

enum { CMD_FAR = 32 }; // argument structs in one allocation

// Argument structs that are too long for push constants.
struct far {
    struct arena *arena;
    uint64_t address;
    char *bytes; // copied to the device at the end of the recording
    uint32_t used;
};

struct cmd {
    struct gpu *gpu;
    struct piece *pieces; // stb_ds array
    bool recording, together, failed;
    bool barrier_due;   // before the next command
    unsigned kinds;     // sum of enum kind: of the commands since the last barrier
    char sentence[512]; // of the first failure
    char *label;
    VkQueryPool *pools;         // stb_ds array; piece or interval i has queries 2i and 2i+1, counted over all pools
    struct interval *intervals; // stb_ds array
    struct far *far;            // stb_ds array
    struct {
        uint64_t from; // 0: none
        struct host_buffer to;
    } report;
    uint64_t value; // timeline value when the last run is complete
    uint32_t submissions, commands;
    double seconds;
    bool fresh; // the times of the last run were not read yet
};

// Whether submissions, or in a profile commands, write timestamps.
bool cmd_timed(const struct cmd *cmd);
// Records a submission's timestamp before or after PIECE. Returns NULL, with an error message, on failure.
VkCommandBuffer cmd_stamp(struct cmd *cmd, ptrdiff_t piece, bool after);
void cmd_end(struct cmd *cmd); // ends the recording and makes its writes visible to the host

#endif
