// Our weights under the names and in the layouts of the released PyTorch programs: the inverse of the importer,
// written element by element.
#ifndef TESTS_CHECKPOINT_RELEASED_H
#define TESTS_CHECKPOINT_RELEASED_H

#include "model/weights.h"
#include "torch_writer.h"

// The state dict (stb_ds array). SINGLE: names of the attention model, which has one decoder; TRACKED: with running
// statistics, those of the weights or made up.
struct torch_out *released_state(const struct weights *weights, bool single, bool tracked);
void released_finish(struct torch_out **state);

// A checkpoint with it.
struct text released_file(const struct torch_out *state, bool zip, const struct torch_options *options);

#endif
