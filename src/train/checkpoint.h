// Everything that a training needs to go on bit-exactly, in a file. There are two of them, written in turn: while one
// is written, and should it be damaged, the other is whole.
#ifndef TRAIN_CHECKPOINT_H
#define TRAIN_CHECKPOINT_H

#include "train/settings.h"
#include "train/state.h"

struct checkpoint {
    struct train_settings settings;
    struct train_state state;
    uint32_t (*splits)[2]; // stb_ds array, of each part of the sizes (train/parts.h)
    uint64_t count;
    float *values; // weights with statistics, both moments, the baseline's weights with statistics
};
void checkpoint_finish(struct checkpoint *checkpoint); // also of a zeroed one

// state.checkpoint is its number, which decides in whose place it goes. FOLDER is the training's.
bool checkpoint_write(const char *folder, const struct checkpoint *checkpoint);

// The newest that is whole. What is wrong with a newer one is said to `note`.
bool checkpoint_read(
    const char *folder, struct checkpoint *checkpoint, void (*note)(void *user, const char *sentence), void *user);

// The bytes of a file, which may be anybody's. What was read of a refused one is to be finished, too.
bool checkpoint_parse(struct checkpoint *checkpoint, const char *data, size_t size);

// Removes what a run that was killed left half-written.
void checkpoint_sweep(const char *folder);

// Whether there is any, whole or not.
bool checkpoint_exists(const char *folder);

#endif
