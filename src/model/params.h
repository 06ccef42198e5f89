// Every weight of a model, declared once. The same layout sizes a counting arena and binds a backed one; weights,
// gradients and the optimiser's moments are four arenas with this layout.
#ifndef MODEL_PARAMS_H
#define MODEL_PARAMS_H

#include "model/config.h"
#include "nn/tensor.h"

struct norm_params {
    struct tensor gain, bias; // (D)
};

struct layer_params {
    struct tensor qkv; // (D, 3D): queries, keys, values, each head by head
    struct tensor out; // (D, D)
    struct norm_params norm1;
    struct tensor ff1, ff1_bias; // (D, F), (F)
    struct tensor ff2, ff2_bias; // (F, D), (D)
    struct norm_params norm2;
};

#define MAX_LAYERS 32

struct params {
    struct tensor embed;       // (FEATURES, D): shaders/env/features.comp
    struct tensor placeholder; // (2D): the context of the first decision; problems without a depot
    struct tensor dynamic;     // (3D): effect of undelivered demand on a node; problems with split deliveries
    struct layer_params layers[MAX_LAYERS];
    // The decoders' weights, one after the other.
    struct tensor kvl;   // (M, D, 3D): glimpse keys, glimpse values, logit keys
    struct tensor fixed; // (M, D, D): of the graph's mean
    struct tensor step;  // (M, context_size, D): of the context
    struct tensor out;   // (M, D, D)
};

// Rows of `step`: first and current node; or the current node, the state's scalar and padding.
uint32_t context_size(const struct config *config);
uint32_t context_inputs(const struct config *config); // without padding

// Inputs of a customer's embedding, without the bias: coordinates and the problem's columns.
uint32_t customer_inputs(const struct problem *problem);

// Tracked statistics of normalisations: mean and variance, (2, D) each. They have no gradients, so they are not
// weights.
struct stats {
    struct tensor plain;   // (L, 2, 2, D): of each layer's two normalisations
    struct tensor glimpse; // (O, 2, 2, D): of each glimpse occasion's two
};

// A tensor with its name in files, e.g. "layer0.qkv". Names of tensors with a part per decoder, (M, ..), have a prefix.
#define DECODER_PREFIX "decoder."
struct named {
    char name[48];
    struct tensor tensor;
};

void params_layout(struct params *params, struct arena *arena, const struct config *config);
void stats_layout(struct stats *stats, struct arena *arena, const struct config *config);

// The same for host memory: addresses are offsets in floats, without gaps. Returns the number of floats.
uint64_t params_layout_host(struct params *params, struct stats *stats, const struct config *config);

// Returns all weights as one flat list, for operations on all of them: every tensor in the order of the layout, with
// the gaps between them. False if the arena's memory has several pieces.
bool params_flat(struct tensor *flat, const struct params *params, const struct config *config);

// Lists all tensors with their names, in the order of the layout; the caller frees the list (stb_ds array).
struct named *params_list(const struct params *params, const struct config *config);
struct named *stats_list(const struct stats *stats, const struct config *config); // empty without tracked statistics

#endif
