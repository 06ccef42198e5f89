#include "search/search.h"

#include <math.h>
#include <stdlib.h>

#include "search/pass.h"
#include "util/alloc.h"
#include "util/error.h"

static void prepare(struct search *s)
{
    const uint64_t most = (uint64_t)2 << 30, half = gpu_memory_left(s->model->gpu) / 2;
    s->room = s->options->memory ? s->options->memory : half < most ? half : most;
    s->scaled = xcalloc(s->count, sizeof *s->scaled);
    s->best = xcalloc(s->count, sizeof *s->best);
    for (size_t i = 0; i < s->count; i++) {
        scaled_init(&s->scaled[i], &s->instances[i]);
        s->best[i] = INFINITY;
        s->results[i].decoder_best = xcalloc(s->model->config.M, sizeof(double));
        for (uint32_t m = 0; m < s->model->config.M; m++)
            s->results[i].decoder_best[m] = INFINITY;
    }
}

bool search_solve(struct model *model, const struct instance *instances, size_t count,
    const struct search_options *options, struct search_result *results)
{
    struct search s = {
        .model = model, .instances = instances, .count = count, .options = options, .results = results
    };
    prepare(&s);
    bool ok = options->deadline > 0 ? search_until_deadline(&s) : search_pass(&s, &options->way, true);
    for (size_t i = 0; i < count; i++)
        scaled_finish(&s.scaled[i]);
    free(s.scaled), free(s.best);
    return ok;
}

static bool has_room(const struct model *model, const struct way *way, const struct search_size *size)
{
    struct run_shape shape = { .way = *way, .B = 1, .N = size->N, .S = 1, .J = size->J };
    return run_bytes(model, &shape) <= gpu_info(model->gpu)->memory;
}

bool search_takes(
    const struct model *model, const struct way *way, const struct instance *instance, struct search_size *taken)
{
    struct scaled scaled;
    scaled_init(&scaled, instance);
    struct search_size size = { scaled.N, rollout_longest(&scaled, 1) };
    scaled_finish(&scaled);
    if (size.N <= taken->N && size.J <= taken->J)
        return true;
    if (has_room(model, way, &size)) {
        *taken = size;
        return true;
    }
    const struct way greedy = { .decode = DECODE_GREEDY, .width = 1 };
    const char *name = gpu_info(model->gpu)->name;
    if (!has_room(model, &greedy, &size))
        return fail(FAULT_INPUT, "%u nodes and up to %u decisions take more memory than %s can give", instance->n,
            size.J, name);
    return fail(FAULT_INPUT,
        "%u nodes with a beam of %u take more memory than %s can give; a narrower beam, or greedy decoding, takes less",
        instance->n, way->width, name);
}

void search_result_finish(struct search_result *result)
{
    solution_finish(&result->solution);
    free(result->decoder_best);
    *result = (struct search_result){ 0 };
}
