// Validation: greedy, the best over the decoders, always on the same instances.
#include <math.h>
#include <stdlib.h>

#include <jansson.h>

#include "checkpoint/weights_file.h"
#include "train/train.h"
#include "util/alloc.h"
#include "util/clock.h"
#include "util/error.h"
#include "util/hash.h"
#include "util/ranks.h"
#include "util/statistics.h"

static uint32_t lowest(const double *sums, uint32_t M)
{
    uint32_t best = 0;
    for (uint32_t m = 1; m < M; m++)
        best = sums[m] < sums[best] ? m : best;
    return best;
}

static bool save_model(struct train *t, const struct config *config)
{
    if (ranks_rank() > 0)
        return true;
    struct weights weights;
    weights_init(&weights, config);
    char *path = xformat("%s/" TRAIN_MODEL, t->options.folder);
    bool ok = weights_download(t->gpu, &weights, &t->replica->model->params, &t->replica->model->stats) &&
              weights_save(path, &weights);
    free(path);
    weights_finish(&weights);
    return ok;
}

// Returns the configuration of the current model.
static struct config config_now(const struct train *t)
{
    struct config config = t->settings.config;
    config.p = t->replica->glimpse ? config.p : 0;
    config.instances += train_instances(t);
    return config;
}

static bool save_best(struct train *t, double cost, uint32_t decoder)
{
    struct config config = config_now(t);
    config.has_validation = true;
    config.validation = config.problem->maximise ? -cost : cost;
    config.best_decoder = decoder;
    return save_model(t, &config);
}

bool train_save_unvalidated(struct train *t)
{
    struct config config = config_now(t);
    return save_model(t, &config);
}

static bool settle(struct train *t, const double *costs, uint32_t decoder)
{
    double cost = mean_of(costs, t->settings.val_size), error = standard_error(costs, t->settings.val_size);
    bool best = !t->state.has_best || cost < t->state.best;
    t->state.validations = (uint32_t)(t->state.step / t->settings.steps) + 1;
    t->unsaved = true;
    t->validated = t->state.step + 1;
    t->progress.has_validation = true;
    t->progress.validation = cost;
    if (best) {
        t->state.has_best = 1;
        t->state.best = t->progress.best = cost;
    }
    json_t *line = json_pack("{s:I, s:i, s:I, s:f, s:f, s:f, s:i}", "step", (json_int_t)t->state.step, "epoch",
        (int)(t->state.step / t->settings.steps), "instances", (json_int_t)train_instances(t), "seconds",
        train_seconds(t), "val_cost", cost, "val_stderr", error, "best_decoder", (int)decoder);
    return log_add(&t->log, line) && (!best || save_best(t, cost, decoder));
}

// Every rank has computed the same weights. If not, e.g. because gradients were lost, nothing of them is of use.
static bool compare_weights(const struct train *t)
{
    const uint32_t ranks = ranks_count();
    if (ranks == 1)
        return true;
    struct weights weights;
    weights_init(&weights, &t->settings.config);
    bool ok = weights_download(t->gpu, &weights, &t->replica->model->params, &t->replica->model->stats);
    uint64_t own = hash_bytes(weights.values, weights.count * sizeof *weights.values),
             *all = xcalloc(ranks, sizeof *all);
    if (ok)
        ranks_gather(all, &own, sizeof own);
    for (uint32_t i = 1; ok && i < ranks; i++) {
        if (all[i] != all[0])
            ok = fail(FAULT_INTERNAL, "after step %llu the weights of rank %u are not those of rank 0",
                (unsigned long long)t->state.step, i);
    }
    ok = ranks_all(ok);
    free(all);
    weights_finish(&weights);
    return ok;
}

bool train_validate(struct train *t, bool *ended)
{
    const uint32_t count = t->settings.val_size, M = t->settings.config.M;
    double begun = clock_seconds(), *costs = xcalloc(count, sizeof *costs), *sums = xcalloc(M, sizeof *sums);
    struct ranges_set set = {
        .draws = DRAWS_VALIDATION, .model = REPLICA_CURRENT, .count = count, .go_on = train_tell_done, .user = t
    };
    t->progress.done = 0;
    bool ok = compare_weights(t) && ranges_evaluate(t->ranges, &set, costs, sums, ended) &&
              (*ended || settle(t, costs, lowest(sums, M)));
    double seconds = clock_seconds() - begun;
    if (ok && !*ended) {
        t->clock.validation_seconds = seconds;
        train_tell(t, TRAIN_VALIDATED);
    } else if (ok && !t->stopped) {
        // A batch that ended early counts as one.
        uint32_t done = t->progress.done ? t->progress.done : t->settings.B;
        t->clock.validation_seconds = seconds * fmax((double)count / done, 1);
    }
    free(costs);
    free(sums);
    return ok;
}
