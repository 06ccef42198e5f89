// A model on a device: its weights, ready to run.
#ifndef MODEL_MODEL_H
#define MODEL_MODEL_H

#include "model/weights.h"

struct cmd;

struct model {
    struct gpu *gpu;
    struct config config;
    struct arena *arena;
    struct params params;
    struct stats stats;
    // The decoders' output projection, folded into its second factor: (out g) . l = g . (out' l).
    struct tensor kvl;     // (M, D, 3D)
    struct tensor dynamic; // (M, 3D), problems with split deliveries
};

// A use of a model: its weights with a glimpse period and statistics that may differ from the configuration.
struct view {
    const struct model *model;
    uint32_t p; // decisions between glimpses; 0: none
    bool live;  // MODEL_BATCH: use batch statistics, as in training, instead of tracked ones
};
struct view model_view(const struct model *model); // for solving

bool model_create(struct model **model, struct gpu *gpu, const struct config *config);
void model_destroy(struct model **model);

// Uploads weights of the same configuration.
bool model_load(struct model *model, const struct weights *weights);

// Recomputes the folded weights. Run it after the weights have changed.
void model_fold(struct cmd *c, const struct model *model);

// Gradients of the weights, and of the folded ones.
struct model_grad {
    struct params params;
    struct tensor kvl, dynamic; // as in struct model
};
// Adds the gradients of the folded weights to those of the weights.
void model_fold_backward(struct cmd *c, const struct model *model, const struct model_grad *d);

#endif
