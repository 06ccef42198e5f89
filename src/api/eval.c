// Measures a model on a set of instances.
#include <math.h>
#include <stdlib.h>

#include "api/internal.h"
#include "util/alloc.h"
#include "util/clock.h"
#include "util/error.h"

// Counts the decoders whose best cost is the instance's best, up to rounding in single precision.
static void count_wins(const double *costs, size_t decoders, uint64_t *wins, uint64_t *sole_wins)
{
    double best = INFINITY;
    size_t winners = 0, winner = 0;
    for (size_t m = 0; m < decoders; m++)
        best = fmin(best, costs[m]);
    for (size_t m = 0; m < decoders; m++) {
        if (costs[m] <= best + 1e-6 * fabs(best)) {
            wins[m]++;
            winners++;
            winner = m;
        }
    }
    if (winners == 1)
        sole_wins[winner]++;
}

// FIRST is the first decoder that counts.
static void sum_up(struct mdam_evaluation *e, const struct mdam_solutions *solutions, uint32_t first)
{
    const struct mdam_instances *instances = solutions->instances;
    double *objectives = xcalloc(e->instances, sizeof *objectives), sum = 0, squares = 0;
    uint64_t *wins = xcalloc(e->decoder_count, sizeof *wins), *sole_wins = xcalloc(e->decoder_count, sizeof *wins);
    for (size_t i = 0; i < e->instances; i++) {
        const struct mdam_solution *solution = mdam_solution(solutions, i);
        uint32_t n = mdam_instance_size(instances, i);
        objectives[i] = solution->solved ? solution->objective : NAN;
        if (!solution->solved)
            continue;
        e->n_min = e->count == 0 || n < e->n_min ? n : e->n_min;
        e->n_max = n > e->n_max ? n : e->n_max;
        count_wins(solution->decoder_costs + first, e->decoder_count, wins, sole_wins);
        e->hindsight = e->hindsight || solution->hindsight;
        sum += objectives[i];
        e->count++;
    }
    e->objective = sum / (double)e->count;
    for (size_t i = 0; i < e->instances; i++)
        squares += isnan(objectives[i]) ? 0 : pow(objectives[i] - e->objective, 2);
    e->standard_error = e->count > 1 ? sqrt(squares / ((double)e->count - 1) / (double)e->count) : NAN;
    e->objectives = objectives;
    e->wins = wins;
    e->sole_wins = sole_wins;
}

bool mdam_evaluate(struct mdam_evaluation **out, struct mdam_model *model, const struct mdam_instances *instances,
    const struct mdam_solve_options *options)
{
    *out = NULL;
    struct mdam_solutions *solutions;
    double start = clock_seconds();
    if (mdam_instances_count(instances) == 0)
        return fail(FAULT_INPUT, "the list has no instances");
    struct mdam_solve_options own = { 0 };
    if (!mdam_options_copy(&own, options))
        return false;
    own.size = sizeof own;
    if (own.improve == MDAM_IMPROVE_AUTO) // measures the network alone
        own.improve = MDAM_IMPROVE_OFF;
    if (!mdam_solve(&solutions, instances, &model, 1, &own)) {
        mdam_solutions_free(&solutions);
        return false;
    }
    struct mdam_evaluation *e = *out = xcalloc(1, sizeof *e);
    e->seconds = clock_seconds() - start;
    e->problem = model->info.problem;
    // Online, only the decoder that commits counts.
    bool online = solutions->options.online;
    uint32_t first = online ? model->model->config.best_decoder : 0;
    e->decoder_count = online ? 1 : model->info.decoder_count;
    e->decoders = model->decoders + first;
    e->instances = mdam_instances_count(instances);
    e->maximise = model->model->config.problem->maximise;
    e->has_hindsight = model->model->config.problem->reveals;
    sum_up(e, solutions, first);
    mdam_solutions_free(&solutions);
    return true;
}

void mdam_evaluation_free(struct mdam_evaluation **slot)
{
    struct mdam_evaluation *e = *slot;
    if (!e)
        return;
    free((double *)e->objectives);
    free((uint64_t *)e->wins);
    free((uint64_t *)e->sole_wins);
    free(e);
    *slot = NULL;
}
