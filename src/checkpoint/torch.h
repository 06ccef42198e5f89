// Reads the tensors of a state dict from PyTorch checkpoints, legacy (pickles, then values) and zip, without Python.
#ifndef CHECKPOINT_TORCH_H
#define CHECKPOINT_TORCH_H

#include "nn/tensor.h"

struct torch_tensor {
    char *name;
    struct tensor shape; // without an address
    float *values;       // contiguous, converted from the type and strides in the file
};

// The tensors of the dict under "model", or of the whole file if it has no such key (stb_ds array). Other contents
// (optimiser, generators, pickled modules) are ignored.
struct torch_file {
    struct torch_tensor *tensors;
};

bool torch_parse(struct torch_file *file, const char *data, size_t size);
void torch_finish(struct torch_file *file);

const struct torch_tensor *torch_find(const struct torch_file *file, const char *name); // NULL: not there

#endif
