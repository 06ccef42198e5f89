// A model in host memory: its configuration and all its weights.
#ifndef MODEL_WEIGHTS_H
#define MODEL_WEIGHTS_H

#include "model/params.h"

struct weights {
    struct config config;
    char *name; // name in messages and solutions: that of its file; NULL: none
    // Shapes; an address is the index of the tensor's first float in `values`.
    struct params params;
    struct stats stats;
    uint64_t count; // floats
    float *values;
};

// All zero. CONFIG has passed config_check.
void weights_init(struct weights *weights, const struct config *config);
void weights_finish(struct weights *weights); // accepts a zeroed struct

// Returns the floats of a tensor of weights->params or weights->stats.
float *weights_at(const struct weights *weights, struct tensor tensor);

// Retains only these decoders, in this order: COUNT of them, from 0, each once. If the best one in validation is not
// among them, the first replaces it.
bool weights_select(struct weights *weights, const uint32_t *decoders, size_t count);

// Lists every tensor with its name, weights before statistics; the caller frees the list (stb_ds array).
struct named *weights_list(const struct weights *weights);

// Refuses numbers that are not finite and negative variances; names the tensor.
bool weights_check(const struct weights *weights);

// Copies to and from device memory with the layout of the same configuration.
bool weights_upload(
    struct gpu *gpu, const struct params *params, const struct stats *stats, const struct weights *weights);
bool weights_download(struct gpu *gpu, struct weights *weights, const struct params *params, const struct stats *stats);

#endif
