// Everything that a training needs to continue bit-exactly, in a file. Two files are written alternately: while one is
// written or damaged, the other is complete. A file has the same bytes whatever the number of ranks and the speed of
// the device; durations are in a file of their own, which may be lost.
#ifndef TRAIN_CHECKPOINT_H
#define TRAIN_CHECKPOINT_H

#include "train/settings.h"
#include "train/state.h"

struct checkpoint {
    struct train_settings settings;
    struct train_state state;
    struct train_clock clock;
    uint32_t slot;         // of the two files
    uint32_t (*splits)[2]; // stb_ds array, for each size range (train/ranges.h)
    uint64_t count;
    float *values; // weights with statistics, both moments, the baseline's weights with statistics
};
void checkpoint_finish(struct checkpoint *checkpoint); // accepts a zeroed one

// Replaces the file of its slot. FOLDER is the training's.
bool checkpoint_write(const char *folder, const struct checkpoint *checkpoint);

// Reads the valid checkpoint with the highest number. `note` gets the message about a newer, damaged one.
bool checkpoint_read(
    const char *folder, struct checkpoint *checkpoint, void (*note)(void *user, const char *sentence), void *user);

// Sends the checkpoint of rank 0 to all ranks, which call it together.
bool checkpoint_share(struct checkpoint *checkpoint);

// Parses the bytes of a file, which are not trusted. Finish a refused checkpoint too.
bool checkpoint_parse(struct checkpoint *checkpoint, const char *data, size_t size);

// Removes unfinished files of a killed run.
void checkpoint_sweep(const char *folder);

// Returns whether there is any checkpoint, valid or not.
bool checkpoint_exists(const char *folder);

#endif
