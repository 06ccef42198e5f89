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
    // The decoders' output projection folded into what it is multiplied with: (out g) . l = g . (out' l).
    struct tensor kvl;     // (M, D, 3D)
    struct tensor dynamic; // (M, 3D), problems with split deliveries
};

// How a model is used: its weights with a glimpse period and statistics that may differ from its configuration's.
struct view {
    const struct model *model;
    uint32_t p; // decisions between glimpses; 0: none
    bool live;  // MODEL_BATCH: normalise with the batch's own statistics, as in training, instead of the tracked ones
};
struct view model_view(const struct model *model); // as solving uses it

bool model_create(struct model **model, struct gpu *gpu, const struct config *config);
void model_destroy(struct model **model);

// Puts weights of the same configuration on the device.
bool model_load(struct model *model, const struct weights *weights);

// Recomputes the folded weights. To be run after the weights have changed.
void model_fold(struct cmd *c, const struct model *model);

// Gradients: of the weights, and of those that are folded on their way there.
struct model_grad {
    struct params params;
    struct tensor kvl, dynamic; // as in struct model
};
// Adds to the weights' gradients what those of the folded ones say.
void model_fold_backward(struct cmd *c, const struct model *model, const struct model_grad *d);

#endif
