// A model in host memory: what it is and all its weights, and the files that hold both.
#ifndef MODEL_WEIGHTS_H
#define MODEL_WEIGHTS_H

#include "model/params.h"

struct weights {
    struct config config;
    char *name; // what messages and solutions call it: its file's name; NULL: none
    // Shapes; a place is the number of a tensor's first float in `values`.
    struct params params;
    struct stats stats;
    uint64_t count; // floats
    float *values;
};

// All zero. CONFIG has passed config_check.
void weights_init(struct weights *weights, const struct config *config);
void weights_finish(struct weights *weights); // also of a zeroed struct

// The floats of a tensor of weights->params or weights->stats.
float *weights_at(const struct weights *weights, struct tensor tensor);

// Keeps only these decoders, in this order: COUNT of them, from 0, each once. Where the one that did best in validation
// is not among them, the first stands for it.
bool weights_select(struct weights *weights, const uint32_t *decoders, size_t count);

// Every tensor with its name, weights before statistics; the caller frees the list (stb_ds array).
struct named *weights_list(const struct weights *weights);

// Refuses numbers that are not finite and negative variances, naming the tensor.
bool weights_check(const struct weights *weights);

// To and from device memory that was laid out for the same configuration.
bool weights_upload(
    struct gpu *gpu, const struct params *params, const struct stats *stats, const struct weights *weights);
bool weights_download(struct gpu *gpu, struct weights *weights, const struct params *params, const struct stats *stats);

#endif
