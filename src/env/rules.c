#include "env/rules.h"

#include <stdlib.h>
#include <string.h>

#include "env/env.h"
#include "shaders/args.h"
#include "util/alloc.h"
#include "util/error.h"

enum batch_kind batch_kind_of(const struct scaled *scaled)
{
    return scaled->legs ? BATCH_LEGS : scaled->options ? BATCH_OPTIONS : BATCH_PLAIN;
}

void batch_layout(struct batch *batch, struct arena *arena, const struct problem *problem, uint32_t B, uint32_t N,
    enum batch_kind kind)
{
    *batch = (struct batch){ .problem = problem, .B = B, .N = N, .kind = kind };
    batch->nodes = tensor_allocate(arena, 3, B, N, NODE_WORDS + (kind == BATCH_LEGS ? N : 0));
    batch->nodes.dim[2] = NODE_WORDS;
    if (kind == BATCH_LEGS)
        batch->legs = (struct tensor){ batch->nodes.address + 4ull * B * N * NODE_WORDS, 3, { B, N, N } };
    batch->limits = tensor_allocate(arena, 2, LIMITS_ROWS, B);
}

static uint32_t bits_of(float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

static void write_columns(const struct scaled *scaled, uint32_t *words)
{
    for (uint32_t i = 0; i < scaled->N; i++) {
        words[i * NODE_WORDS] = bits_of(scaled->coords[2 * i]);
        words[i * NODE_WORDS + 1] = bits_of(scaled->coords[2 * i + 1]);
        words[i * NODE_WORDS + NODE_HOME] = scaled->home ? bits_of(scaled->home[i]) : 0;
    }
    FOR_COLUMNS(column, scaled->problem)
    {
        for (uint32_t i = 0; column->per_node && i < scaled->N; i++) {
            uint32_t *node = words + i * NODE_WORDS, word = scaled_word(scaled, column, i);
            node[column->word] = word;
            if (column->copy)
                node[column->copy] = column->unit == UNIT_LOAD ? bits_of(scaled->share[i]) : word;
        }
    }
}

// Writes scalars with a stride of `stride` words.
static void write_limits(const struct scaled *scaled, uint32_t *words, uint32_t stride)
{
    uint32_t row = 0;
    words[row] = scaled->N;
    FOR_COLUMNS(column, scaled->problem)
    {
        if (!column->per_node)
            words[++row * stride] = scaled_word(scaled, column, 0);
    }
    words[LIMITS_SPARE * stride] = scaled->spare;
    words[LIMITS_MARKS * stride] = scaled->options;
}

static bool upload_legs(struct gpu *gpu, const struct batch *batch, uint32_t b, const struct scaled *scaled)
{
    const size_t N = batch->N, own = scaled->N;
    if (!scaled->legs)
        return true;
    float *legs = xcalloc(N * N, sizeof *legs);
    for (size_t i = 0; i < own; i++)
        memcpy(legs + i * N, scaled->legs + i * own, own * sizeof *legs);
    bool ok = gpu_upload(gpu, batch->legs.address + 4 * b * N * N, legs, 4 * N * N);
    free(legs);
    return ok;
}

bool batch_upload(struct gpu *gpu, const struct batch *batch, uint32_t first, const struct scaled *list, uint32_t count)
{
    size_t stride = (size_t)batch->N * NODE_WORDS;
    uint32_t *words = xcalloc(count * stride, sizeof *words), *limits = xcalloc(count, LIMITS_ROWS * sizeof *limits);
    for (uint32_t i = 0; i < count; i++) {
        if (list[i].problem != batch->problem || list[i].N > batch->N || first + count > batch->B ||
            batch_kind_of(&list[i]) > batch->kind)
            bug("an instance of %s with %u nodes in a batch of %u instances of %s with %u nodes", list[i].problem->name,
                list[i].N, batch->B, batch->problem->name, batch->N);
        write_columns(&list[i], words + i * stride);
        write_limits(&list[i], limits + i, count);
    }
    bool ok = gpu_upload(gpu, batch->nodes.address + 4 * first * stride, words, 4 * count * stride);
    for (uint32_t k = 0; k < LIMITS_ROWS && ok; k++)
        ok = gpu_upload(gpu, batch->limits.address + 4 * ((uint64_t)k * batch->B + first), limits + (size_t)k * count,
            4 * (size_t)count);
    for (uint32_t i = 0; i < count && ok; i++)
        ok = upload_legs(gpu, batch, first + i, &list[i]);
    free(words), free(limits);
    return ok;
}

void rules_layout(
    struct rules *rules, struct arena *arena, const struct batch *batch, uint32_t T, uint32_t J, bool reference)
{
    uint32_t N = batch->N, W = (N + 31) / 32;
    *rules = (struct rules){ .batch = batch, .reference = reference, .T = T };
    rules->instance = tensor_allocate(arena, 1, T);
    rules->action = tensor_allocate(arena, 1, T);
    rules->words = tensor_allocate(arena, 2, T, RULES_STATE + problem_state_words(batch->problem));
    rules->state = (struct tensor){ rules->words.address, 2, { T, RULES_STATE } };
    rules->sets = tensor_allocate(arena, 3, RULES_SETS, T, W);
    rules->allowed = (struct tensor){ rules->sets.address + 4ull * SET_ALLOWED * T * W, 2, { T, W } };
    rules->keys = (struct tensor){ rules->sets.address + 4ull * SET_KEYS * T * W, 2, { T, W } };
    rules->history = tensor_allocate(arena, 2, J, T);
    if (batch->problem->splits) {
        rules->remaining = tensor_allocate(arena, 2, T, N);
        rules->share = tensor_allocate(arena, 2, T, N);
    }
    if (batch->problem->context)
        rules->scalar = tensor_allocate(arena, 1, T);
    rules->cost = tensor_allocate(arena, 1, T);
    rules->unfinished = tensor_allocate(arena, 1, 1);
}

static void dispatch(struct cmd *c, const struct rules *rules, uint32_t mode)
{
    struct rules_args args = {
        .state = rules->state.address,
        .sets = rules->sets.address,
        .remaining = rules->remaining.address,
        .share = rules->share.address,
        .scalar = rules->scalar.address,
        .cost = rules->cost.address,
        .unfinished = rules->unfinished.address,
        .history = rules->history.address,
        .action = rules->action.address,
        .instance = rules->instance.address,
        .nodes = rules->batch->nodes.address,
        .limits = rules->batch->limits.address,
        .T = rules->T,
        .N = rules->batch->N,
        .B = rules->batch->B,
        .J = rules->history.dim[0],
    };
    cmd_dispatch(c, &(struct dispatch){ .kernel = env_of(rules->batch->problem)->rules,
                        .args = &args,
                        .workers = rules->T,
                        .constants = { [RULES_MODE] = mode,
                            [RULES_REFERENCE] = rules->reference,
                            [RULES_OPTIONS] = rules->batch->kind != BATCH_PLAIN } });
}

void rules_begin(struct cmd *c, const struct rules *rules)
{
    cmd_fill(c, rules->unfinished.address, 4, 0);
    dispatch(c, rules, RULES_BEGIN);
}

void rules_step(struct cmd *c, const struct rules *rules)
{
    dispatch(c, rules, RULES_STEP);
}

uint32_t rules_relevant(const struct problem *problem, uint32_t N, uint32_t j)
{
    if (problem->splits) // a visit may leave some demand
        return N;
    // Every decision is a customer's last visit; with loads, at least every other one. The last visited node stays
    // relevant, and the first one if the tour ends there.
    uint32_t served = problem->many_routes ? (j + 1) / 2 : j, stay = problem->has_depot ? 1 : 2;
    return served <= stay ? N : served - stay < N ? N - (served - stay) : 1;
}

bool rules_all_relevant(const struct problem *problem, uint32_t j)
{
    return !problem->has_depot && j <= 2;
}
