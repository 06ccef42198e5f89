#include "search/search.h"

#include <math.h>
#include <stdlib.h>

#include <stb/stb_ds.h>

#include "gpu/gpu.h"
#include "search/improving.h"
#include "util/alloc.h"
#include "util/error.h"

// Share of the time for decoding if ruin and recreate follows, and share of that for first solutions.
static const double decoding_share = 0.2, first_share = 0.5;

static const struct decoding greedily = { .decode = MDAM_DECODE_GREEDY, .augment = 1 };

// Returns half of the free memory; of a CPU's, which everybody shares, at most a sensible amount.
static uint64_t room_of(const struct model *model, uint64_t asked)
{
    const struct gpu_info *info = gpu_info(model->gpu);
    const uint64_t max_room = info->is_cpu ? (uint64_t)2 << 30 : UINT64_MAX, half = gpu_memory_left(model->gpu) / 2;
    const uint64_t room = asked ? asked : half < max_room ? half : max_room;
    return room < info->memory ? room : info->memory;
}

// BATCH has one instance.
static bool refuse(const struct search *s, const struct plan_batch *batch)
{
    const struct gpu_info *info = gpu_info(s->model->gpu);
    const uint32_t n = s->instances[s->plan.items[batch->first].instance].n;
    struct run_shape shape = batch->shape;
    shape.decoding = greedily;
    strategy_of(shape.decoding.decode)->options(&shape.decoding, n);
    if (run_bytes(s->model, &shape) > info->memory)
        return fail(
            FAULT_INPUT, "%u nodes and up to %u decisions need more memory than %s has", n, shape.J, info->name);
    return fail(FAULT_INPUT,
        "%u nodes with a beam of %u need more memory than %s has; a narrower beam, or greedy decoding, needs less", n,
        batch->shape.decoding.width, info->name);
}

// Plans the first pass. Instances that are too large for the network are constructed if solutions are improved; else
// the first of them is returned.
static const struct plan_batch *plan_first(struct search *s)
{
    const struct search_options *options = &s->options;
    for (;;) {
        search_plan(s, options->limited ? &greedily : &options->decoding);
        const struct plan_batch *batch = plan_too_large(&s->plan, gpu_info(s->model->gpu)->memory);
        if (!batch || options->improve <= MDAM_IMPROVE_OFF)
            return batch;
        s->left_out[s->plan.items[batch->first].instance] = true;
    }
}

static bool without_network(const struct search_options *options)
{
    return options->improve == MDAM_IMPROVE_FULL &&
           (options->from == IMPROVE_FROM_CONSTRUCTION || options->from == IMPROVE_FROM_RANDOM);
}

bool search_create(struct search **out, const struct model *model, const struct instance *instances, size_t count,
    const struct search_options *options, size_t *refused)
{
    struct search *s = *out = xcalloc(1, sizeof *s);
    s->model = model;
    s->instances = instances;
    s->count = count;
    s->options = *options;
    s->room = room_of(model, options->memory);
    s->scaled = xcalloc(count, sizeof *s->scaled);
    s->settled = xcalloc(count, sizeof *s->settled);
    s->left_out = xcalloc(count, sizeof *s->left_out);
    s->best = xcalloc(count, sizeof *s->best);
    for (size_t i = 0; i < count; i++) {
        scaled_init(&s->scaled[i], &instances[i]);
        s->best[i] = INFINITY;
        s->left_out[i] = without_network(options);
    }
    const struct plan_batch *batch = plan_first(s);
    if (!batch)
        return true;
    *refused = s->plan.items[batch->first].instance;
    refuse(s, batch);
    search_destroy(out);
    return false;
}

void search_destroy(struct search **slot)
{
    struct search *s = *slot;
    if (!s)
        return;
    plan_finish(&s->plan);
    for (size_t i = 0; i < s->count; i++)
        scaled_finish(&s->scaled[i]);
    free(s->scaled);
    free(s->settled);
    free(s->left_out);
    free(s->best);
    free(s);
    *slot = NULL;
}

static bool decode(struct search *s)
{
    return s->options.limited ? search_until_deadline(s) : search_pass(s, true);
}

static void tell_left_out(const struct search *s)
{
    for (size_t i = 0; i < s->count; i++) {
        if (s->left_out[i] && s->options.left_out && !without_network(&s->options))
            s->options.left_out(s->options.user, i, false);
    }
}

// Tells which instances the network did not solve in time.
static void tell_late(const struct search *s)
{
    for (size_t i = 0; i < s->count && s->options.left_out; i++) {
        bool decoded = s->left_out[i] || s->cancelled || s->asked > 0;
        for (uint32_t m = 0; m < s->model->config.M; m++)
            decoded = decoded || isfinite(s->results[i].decoder_best[m]);
        if (!decoded)
            s->options.left_out(s->options.user, i, true);
    }
}

// Ruin and recreate gains more from time than wider beams do. Constructions replace first solutions that would come too
// late.
static struct deadline decoding_deadline(const struct search *s, const struct deadline *all)
{
    struct deadline part = *all;
    if (s->options.improve == MDAM_IMPROVE_FULL && deadline_exists(all)) {
        part = deadline_share(all, decoding_share);
        part.last = deadline_share(all, first_share).at;
    }
    return part;
}

void search_begin(struct search *s, const struct deadline *deadline, struct search_result *results)
{
    const uint32_t M = s->model->config.M;
    s->deadline = *deadline;
    s->results = results;
    for (size_t i = 0; i < s->count; i++) {
        results[i].decoder_best = xcalloc(M, sizeof(double));
        for (uint32_t m = 0; m < M; m++)
            results[i].decoder_best[m] = INFINITY;
    }
}

// Results without stops that deliver only what is lost by rounding. The network, constructions and moves know integers.
static void simplify(const struct search *s)
{
    for (size_t i = 0; i < s->count; i++) {
        const struct instance *instance = &s->instances[i];
        struct search_result *result = &s->results[i];
        if (!result->solved || !instance->problem->splits)
            continue;
        solution_simplify(instance, &result->solution);
        instance->problem->judge(instance, &result->solution, &result->verdict);
    }
}

bool search_run(struct search *s, const struct deadline *deadline, struct search_result *results)
{
    search_begin(s, deadline, results);
    if (s->options.improve <= MDAM_IMPROVE_OFF) {
        const bool decoded = decode(s);
        simplify(s);
        return decoded;
    }
    tell_left_out(s);
    improving_create(&s->improving, s);
    s->answered = improving_ahead(s->improving, deadline);
    s->deadline = decoding_deadline(s, deadline);
    bool ok = decode(s);
    s->deadline = *deadline;
    if (ok) {
        tell_late(s);
        improving_end(s->improving);
    }
    improving_destroy(&s->improving);
    simplify(s);
    return ok;
}

void search_improve(const struct instance *instances, size_t count, const struct search_options *options,
    const struct deadline *deadline, struct search_result *results)
{
    struct search s = { .instances = instances,
        .count = count,
        .options = *options,
        .settled = xcalloc(count, sizeof *s.settled),
        .deadline = *deadline,
        .results = results };
    improving_create(&s.improving, &s);
    improving_end(s.improving);
    improving_destroy(&s.improving);
    simplify(&s);
    free(s.settled);
}

void search_result_finish(struct search_result *result)
{
    solution_finish(&result->solution);
    free(result->decoder_best);
    *result = (struct search_result){ 0 };
}
