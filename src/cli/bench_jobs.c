// Whole jobs for `mdam-vk bench`: what a user waits for, per instance, with untrained weights.
#include <stdlib.h>

#include "cli/bench.h"
#include "model/initial.h"
#include "model/rollout.h"
#include "util/alloc.h"
#include "util/clock.h"

enum { JOB_RUNS = 3 };

static bool open_model(struct model **model, struct gpu *gpu, const struct problem *problem, uint32_t n)
{
    struct config config = { .problem = problem,
        .D = CONFIG_D,
        .H = CONFIG_H,
        .F = CONFIG_F,
        .L = CONFIG_L,
        .M = CONFIG_M,
        .p = config_period(problem, n) };
    struct weights weights;
    weights_draw(&weights, &config, 1234);
    bool ok = model_create(model, gpu, &config) && model_load(*model, &weights);
    weights_finish(&weights);
    return ok;
}

static struct scaled *draw(const struct problem *problem, uint32_t n, uint32_t count)
{
    struct scaled *list = xcalloc(count, sizeof *list);
    for (uint32_t i = 0; i < count; i++) {
        struct instance instance;
        problem->generate(&instance, &(struct distribution){ .n_min = n, .n_max = n, .prize = PRIZE_DIST }, 1234, i);
        scaled_init(&list[i], &instance);
        instance_finish(&instance);
    }
    return list;
}

// Greedy decoding of a batch by five decoders: the best of a few runs, divided by the instances.
bool bench_greedy(struct gpu *gpu, const struct benchmark *benchmark, double *seconds)
{
    const struct problem *problem = problem_by_name(benchmark->problem);
    const uint32_t n = benchmark->size[0], B = benchmark->size[1];
    struct scaled *list = draw(problem, n, B);
    struct rollout_shape shape = {
        .B = B, .N = list[0].N, .S = 1, .J = rollout_longest(list, B), .mode = GREEDY, .temperature = 1
    };
    struct model *model = NULL;
    struct rollout *rollout = NULL;
    bool ok = open_model(&model, gpu, problem, n) && rollout_create(&rollout, model, &shape) &&
              rollout_load(rollout, list, NULL, B) && rollout_run(rollout); // the first run finds caches cold
    for (int run = 0; ok && run < JOB_RUNS; run++) {
        double start = clock_seconds();
        ok = rollout_run(rollout);
        double took = (clock_seconds() - start) / B;
        if (run == 0 || took < *seconds)
            *seconds = took;
    }
    rollout_destroy(&rollout);
    model_destroy(&model);
    for (uint32_t i = 0; i < B; i++)
        scaled_finish(&list[i]);
    free(list);
    return ok;
}
