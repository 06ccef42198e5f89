// Whole jobs for `mdam-vk bench`, per instance or per step, with untrained weights.
#include <stdlib.h>

#include "model/initial.h"
#include "search/beam.h"
#include "selftest/bench.h"
#include "train/reinforce.h"
#include "util/alloc.h"
#include "util/clock.h"
#include "util/ranks.h"

// Timed runs by effort; those of training come after one that finds caches cold, and which a quick benchmark times.
static const int job_runs[] = { [BENCH_FULL] = 3, [BENCH_BRIEF] = 1, [BENCH_QUICK] = 1 };
static const int train_runs[] = { [BENCH_FULL] = 2, [BENCH_BRIEF] = 1, [BENCH_QUICK] = 0 };
static const int reduce_runs[] = { [BENCH_FULL] = 20, [BENCH_BRIEF] = 5, [BENCH_QUICK] = 1 };

static struct config config_of(const struct problem *problem, uint32_t n)
{
    return (struct config){ .problem = problem,
        .D = CONFIG_D,
        .H = CONFIG_H,
        .F = CONFIG_F,
        .L = CONFIG_L,
        .M = CONFIG_M,
        .p = config_period(problem, n),
        .trained = { .n_min = n, .n_max = n, .prize = PRIZE_DIST } };
}

static bool open_model(struct model **model, struct gpu *gpu, const struct config *config)
{
    struct weights weights;
    weights_draw(&weights, config, 1234);
    bool ok = model_create(model, gpu, config) && model_load(*model, &weights);
    weights_finish(&weights);
    return ok;
}

static struct scaled *draw(const struct config *config, uint32_t count)
{
    const struct problem *problem = config->problem;
    struct scaled *list = xcalloc(count, sizeof *list);
    for (uint32_t i = 0; i < count; i++) {
        struct instance instance;
        problem->generate(&instance, &config->trained, 1234, i);
        scaled_init(&list[i], &instance);
        instance_finish(&instance);
    }
    return list;
}

bool bench_whole_open(struct bench_whole *w, struct gpu *gpu, const char *problem, uint32_t n, uint32_t B)
{
    struct config config = config_of(problem_by_name(problem), n);
    *w = (struct bench_whole){ .B = B, .list = draw(&config, B) };
    return open_model(&w->model, gpu, &config);
}

void bench_whole_close(struct bench_whole *w)
{
    model_destroy(&w->model);
    for (uint32_t i = 0; i < w->B; i++)
        scaled_finish(&w->list[i]);
    free(w->list);
}

// Returns the best of a few runs after one with cold caches, divided by the instances.
static bool time_rollout(struct rollout *rollout, enum bench_effort effort, double *seconds)
{
    bool ok = effort == BENCH_QUICK || rollout_run(rollout);
    for (int run = 0; ok && run < job_runs[effort]; run++) {
        double start = clock_seconds();
        ok = rollout_run(rollout);
        double took = (clock_seconds() - start) / rollout_shape(rollout)->B;
        if (run == 0 || took < *seconds)
            *seconds = took;
    }
    return ok;
}

// Greedy decoding of a batch by five decoders.
bool bench_greedy(struct gpu *gpu, const struct benchmark *benchmark, enum bench_effort effort, double *seconds)
{
    struct bench_whole w;
    struct rollout *rollout = NULL;
    bool ok = bench_whole_open(&w, gpu, benchmark->problem, benchmark->size[0], benchmark->size[1]);
    const struct view view = model_view(w.model);
    struct rollout_shape shape = {
        .B = w.B, .N = w.list[0].N, .S = 1, .J = rollout_longest(w.list, w.B), .mode = GREEDY, .temperature = 1
    };
    ok = ok && rollout_create(&rollout, &view, &shape) && rollout_load(rollout, w.list, NULL, w.B) &&
         time_rollout(rollout, effort, seconds);
    rollout_destroy(&rollout);
    bench_whole_close(&w);
    return ok;
}

// Beam search with five decoders, size[2] wide with 3 candidates per hypothesis, and merging.
bool bench_beam(struct gpu *gpu, const struct benchmark *benchmark, enum bench_effort effort, double *seconds)
{
    struct bench_whole w;
    struct beam *beam = NULL;
    bool ok = bench_whole_open(&w, gpu, benchmark->problem, benchmark->size[0], benchmark->size[1]);
    const struct view view = model_view(w.model);
    struct beam_shape shape = {
        .B = w.B, .N = w.list[0].N, .W = benchmark->size[2], .K = 3, .J = rollout_longest(w.list, w.B), .merge = true
    };
    ok = ok && beam_create(&beam, &view, &shape) && beam_load(beam, w.list, w.B) &&
         time_rollout(beam->rollout, effort, seconds);
    beam_destroy(&beam);
    bench_whole_close(&w);
    return ok;
}

// The gradients of the parts of a batch, added up over all ranks of the job, once they are computed.
bool bench_reduce(struct gpu *gpu, const struct benchmark *benchmark, enum bench_effort effort, double *seconds)
{
    const struct config config = config_of(problem_by_name(benchmark->problem), benchmark->size[0]);
    const uint32_t ranks = ranks_count(), parts = 8 % ranks ? ranks : 8;
    struct model *model = NULL;
    struct sum *sum = NULL;
    bool ok = open_model(&model, gpu, &config) && sum_create(&sum, model) && sum_divide(sum, parts);
    for (int run = 0; ok && run < reduce_runs[effort]; run++) {
        double start = clock_seconds();
        ok = sum_begin(sum);
        for (uint32_t k = 0; ok && k < parts / ranks; k++)
            ok = sum_part(sum, k);
        ok = ok && sum_total(sum);
        double took = clock_seconds() - start;
        if (run == 0 || took < *seconds)
            *seconds = took;
    }
    sum_destroy(&sum);
    model_destroy(&model);
    return ok;
}

// A step of training after the first epoch: samples, the baseline's greedy rollout, gradient and update. With a third
// size, that many samples of each instance and decoder, whose mean is the baseline, and no glimpses.
bool bench_train(struct gpu *gpu, const struct benchmark *benchmark, enum bench_effort effort, double *seconds)
{
    struct train_settings settings = { .config = config_of(problem_by_name(benchmark->problem), benchmark->size[0]),
        .epochs = 100,
        .steps = 1,
        .B = benchmark->size[1],
        .S = 1,
        .lr = 1e-4,
        .lr_decay = 1,
        .kl = 0.01,
        .val_size = 1,
        .seed = 1234,
        .log_every = 1,
        .parts = settings_parts(benchmark->size[1]) };
    settings.drawn = settings.config.trained;
    if (benchmark->size[2]) {
        settings.S = benchmark->size[2];
        settings.baseline = BASELINE_SHARED;
        settings.config.p = 0;
    }
    struct replica *replica = NULL;
    struct ranges *ranges = NULL;
    struct weights weights;
    struct train_state state = { .step = 1 };
    weights_draw(&weights, &settings.config, 1234);
    bool ok = replica_create(&replica, gpu, &settings.config, true, 0) && model_load(replica->model, &weights) &&
              replica_freeze(replica) && ranges_create(&ranges, &settings, replica, NULL) && ranges_plan(ranges);
    weights_finish(&weights);
    for (int run = 0; ok && run <= train_runs[effort]; run++, state.step++) {
        struct reinforce batch;
        struct optimiser_step step;
        double start = clock_seconds();
        ok = reinforce_run(ranges, &state, &batch) && replica_update(replica, settings.lr, &step);
        double took = clock_seconds() - start;
        if (run <= 1 || took < *seconds)
            *seconds = took;
    }
    ranges_destroy(&ranges);
    replica_destroy(&replica);
    return ok;
}
