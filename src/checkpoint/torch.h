// PyTorch checkpoints, legacy (pickles, then the numbers) and zip, without Python: the tensors of a state dict.
#ifndef CHECKPOINT_TORCH_H
#define CHECKPOINT_TORCH_H

#include "nn/tensor.h"

struct torch_tensor {
    char *name;
    struct tensor shape; // without a place
    float *values;       // contiguous, whatever their type and strides in the file
};

// The tensors of the dict under "model", or of the whole when there is no such key (stb_ds array). What else the file
// holds (optimiser, generators, pickled modules) is passed by.
struct torch_file {
    struct torch_tensor *tensors;
};

bool torch_parse(struct torch_file *file, const char *data, size_t size);
void torch_finish(struct torch_file *file);

const struct torch_tensor *torch_find(const struct torch_file *file, const char *name); // NULL: not there

#endif
