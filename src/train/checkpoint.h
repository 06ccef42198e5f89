// Everything that a training needs to continue bit-exactly, in a file. Two files are written alternately: while one is
// written or damaged, the other is complete.
#ifndef TRAIN_CHECKPOINT_H
#define TRAIN_CHECKPOINT_H

#include "train/settings.h"
#include "train/state.h"

struct checkpoint {
    struct train_settings settings;
    struct train_state state;
    uint32_t (*splits)[2]; // stb_ds array, for each size range (train/parts.h)
    uint64_t count;
    float *values; // weights with statistics, both moments, the baseline's weights with statistics
};
void checkpoint_finish(struct checkpoint *checkpoint); // accepts a zeroed one

// The number state.checkpoint decides which file is replaced. FOLDER is the training's.
bool checkpoint_write(const char *folder, const struct checkpoint *checkpoint);

// Reads the newest valid checkpoint. `note` gets the message about a newer, damaged one.
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
