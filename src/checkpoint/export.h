// Models under the names of the released PyTorch programs: the inverse of import.
#ifndef CHECKPOINT_EXPORT_H
#define CHECKPOINT_EXPORT_H

#include "model/weights.h"

// Writes a PyTorch checkpoint, or with the ending .safetensors that. ATTENTION: names of the attention model, which has
// one decoder and no glimpse. What the released program computes otherwise is said in NOTES (stb_ds array of strings,
// the caller frees both). ARGS_PATH, which may be NULL, gets the arguments that importing needs.
bool export_checkpoint(
    const char *path, const char *args_path, const struct weights *weights, bool attention, char ***notes);

#endif
