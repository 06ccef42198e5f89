// A recording, for the files that record and submit.
#ifndef GPU_CMD_H
#define GPU_CMD_H

#include "gpu/internal.h"

enum { CMD_QUERIES = 4096 }; // in a pool

// One timed interval: a piece, or in a profile every dispatch.
struct interval {
    uint32_t piece;
    size_t row; // of the profile
    double flops, bytes;
};

struct piece {
    VkCommandBuffer buffer;
    char *label;
    uint32_t dispatches;
    double flops, bytes; // of its dispatches
    double seconds;      // of the last run; < 0: unknown
    uint32_t submission; // index in the last run
};

enum { CMD_FAR = 64 }; // argument structs in one allocation

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
    char sentence[512]; // of the first failure
    char *label;
    VkQueryPool *pools;         // stb_ds array; interval i has queries 2i and 2i+1, counted over all pools
    struct interval *intervals; // stb_ds array
    struct far *far;            // stb_ds array
    uint64_t value;             // timeline value when the last run is complete
    uint32_t submissions, commands;
    double seconds;
    bool fresh; // a run is complete and its times were not read yet
};

bool cmd_timed(const struct cmd *cmd);
void cmd_end(struct cmd *cmd); // ends the recording and makes its writes visible to the host

#endif
