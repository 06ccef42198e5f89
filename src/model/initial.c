#include "model/initial.h"

#include <math.h>

#include "shaders/args.h"
#include "util/rng.h"

// Draws one tensor after the other.
struct drawing {
    const struct weights *weights;
    struct rng rng; // `instance` counts the tensors
};

// Draws COUNT numbers uniformly within 1 / sqrt(INPUTS).
static void fill(const struct rng *rng, float *to, uint64_t count, uint32_t inputs)
{
    float bound = (float)(1 / sqrt(inputs));
    uint32_t number[4];
    for (uint64_t i = 0; i < count; i++) {
        if (i % 4 == 0)
            rng_draw(rng, (uint32_t)(i / 4), number);
        to[i] = (2 * rng_unit(number[i % 4]) - 1) * bound;
    }
}

static void draw(struct drawing *d, struct tensor tensor, uint32_t inputs)
{
    fill(&d->rng, weights_at(d->weights, tensor), tensor_count(&tensor), inputs);
    d->rng.instance++;
}

// Fills (M, rows, columns) with a separate stream per decoder; only the first ROWS rows, the rest is padding.
static void draw_decoders(struct drawing *d, struct tensor tensor, uint32_t rows)
{
    uint64_t size = (uint64_t)tensor.dim[1] * tensor.dim[2];
    for (d->rng.decoder = 0; d->rng.decoder < tensor.dim[0]; d->rng.decoder++)
        fill(&d->rng, weights_at(d->weights, tensor) + d->rng.decoder * size, (uint64_t)rows * tensor.dim[2], rows);
    d->rng.decoder = 0;
    d->rng.instance++;
}

static void ones(const struct weights *weights, struct tensor tensor)
{
    for (uint64_t i = 0; i < tensor_count(&tensor); i++)
        weights_at(weights, tensor)[i] = 1;
}

// The rows of shaders/env/features.comp: two layers in one, and zero where the problem has no such feature.
static void draw_embedding(struct drawing *d)
{
    const struct problem *problem = d->weights->config.problem;
    uint32_t D = d->weights->config.D, inputs = customer_inputs(problem);
    float *embed = weights_at(d->weights, d->weights->params.embed);
    if (problem->has_depot)
        fill(&d->rng, embed, FEATURES_CUSTOMER * (uint64_t)D, 2);
    d->rng.instance++;
    fill(&d->rng, embed + FEATURES_CUSTOMER * (size_t)D, (uint64_t)inputs * D, inputs);
    d->rng.instance++;
    fill(&d->rng, embed + FEATURES_BIAS * (size_t)D, D, inputs);
    d->rng.instance++;
}

static void draw_layer(struct drawing *d, const struct layer_params *layer)
{
    const struct config *c = &d->weights->config;
    draw(d, layer->qkv, c->D / c->H); // like the released program, which uses the size of a head instead of its inputs
    draw(d, layer->out, c->D);
    draw(d, layer->ff1, c->D);
    draw(d, layer->ff1_bias, c->D);
    draw(d, layer->ff2, c->F);
    draw(d, layer->ff2_bias, c->F);
    ones(d->weights, layer->norm1.gain);
    ones(d->weights, layer->norm2.gain);
}

// Means are 0 already.
static void unit_variances(const struct weights *weights, struct tensor tensor)
{
    uint32_t D = weights->config.D;
    for (uint64_t i = 0; tensor.rank && i < tensor_count(&tensor); i++)
        weights_at(weights, tensor)[i] = (float)(i / D % 2);
}

void weights_draw(struct weights *weights, const struct config *config, uint64_t seed)
{
    weights_init(weights, config);
    const struct params *p = &weights->params;
    struct drawing d = { weights, { seed, RNG_WEIGHTS, 0, 0 } };
    draw_embedding(&d);
    if (p->placeholder.rank)
        draw(&d, p->placeholder, 1);
    if (p->dynamic.rank)
        draw(&d, p->dynamic, 1);
    for (uint32_t i = 0; i < config->L; i++)
        draw_layer(&d, &p->layers[i]);
    draw_decoders(&d, p->kvl, config->D);
    draw_decoders(&d, p->fixed, config->D);
    draw_decoders(&d, p->step, context_inputs(config));
    draw_decoders(&d, p->out, config->D);
    unit_variances(weights, weights->stats.plain);
    unit_variances(weights, weights->stats.glimpse);
}
