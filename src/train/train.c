#include "train/train.h"

#include <math.h>
#include <stdlib.h>

#include <jansson.h>
#include <stb/stb_ds.h>

#include "gpu/gpu.h"
#include "util/alloc.h"
#include "util/clock.h"
#include "util/error.h"
#include "util/ranks.h"

enum { SKIPS_IN_ROW_MAX = 20 };

static uint32_t epoch_of(const struct train *t)
{
    return (uint32_t)(t->state.step / t->settings.steps);
}

bool train_tell(struct train *t, enum train_event event)
{
    double now = clock_seconds(), seconds = now - t->measured;
    struct train_progress *p = &t->progress;
    p->event = event;
    p->epoch = epoch_of(t);
    p->epochs = t->settings.epochs;
    p->step = t->state.step;
    p->steps = settings_steps(&t->settings);
    p->instances = train_instances(t);
    p->seconds = train_seconds(t);
    double steps = t->measured > 0 ? (double)(t->state.step - t->first_step) : 0;
    p->per_second = steps > 0 ? steps * t->settings.B / seconds : 0;
    p->reduction = steps > 0 ? (ranks_seconds() - t->waited) / seconds : 0;
    p->seconds_left = steps > 0 ? seconds / steps * (double)(p->steps - p->step) : NAN;
    if (t->options.time_limit > 0)
        p->seconds_left = fmin(p->seconds_left, fmax(t->options.time_limit - (now - t->started), 0));
    if (t->options.progress && !t->options.progress(t->options.user, p))
        t->stopped = true;
    return !t->stopped;
}

void train_note(const struct train *t, const char *sentence)
{
    if (t->options.note)
        t->options.note(t->options.user, sentence);
}

// Clocks differ: what depends on one is rank 0's decision.
static bool decided(bool yes)
{
    ranks_broadcast(&yes, sizeof yes);
    return yes;
}

static bool is_over(const struct train *t)
{
    return t->options.time_limit > 0 && decided(clock_seconds() - t->started >= t->options.time_limit);
}

// An evaluation that takes much longer than the remaining time is abandoned; a resumed training repeats it.
static double late(const struct train *t)
{
    double limit = t->options.time_limit;
    return limit > 0 ? t->started + fmax(1.1 * limit, limit + 0.5) : INFINITY;
}

bool train_tell_done(void *train, uint32_t done)
{
    struct train *t = train;
    t->progress.done = done;
    t->progress.count = t->settings.val_size;
    return train_tell(t, TRAIN_EVALUATES) && clock_seconds() <= t->deadline;
}

static json_t *mean_or_null(double sum, uint32_t count)
{
    return count ? json_real(sum / count) : json_null();
}

static bool log_step(struct train *t, double rate)
{
    struct train_sums *sums = &t->state.sums;
    struct train_clock *clock = &t->clock;
    if (t->state.step % t->settings.log_every)
        return true;
    json_t *line = json_pack("{s:I, s:i, s:I, s:f, s:o, s:o, s:o, s:o, s:o, s:f, s:i}", "step",
        (json_int_t)t->state.step, "epoch", (int)((t->state.step - 1) / t->settings.steps), "instances",
        (json_int_t)train_instances(t), "seconds", train_seconds(t), "cost", mean_or_null(sums->cost, sums->steps),
        "baseline", mean_or_null(sums->baseline, sums->steps), "loss", mean_or_null(sums->loss, sums->taken), "kl",
        mean_or_null(sums->kl, sums->taken), "grad_norm", mean_or_null(sums->norm, sums->taken), "lr", rate, "skipped",
        (int)t->progress.skipped);
    if (t->settings.imitate > 0) {
        json_object_set_new(line, "improved", mean_or_null(sums->improved, sums->steps));
        json_object_set_new(line, "improve_share",
            clock->step_seconds > 0 ? json_real(clock->improve_seconds / clock->step_seconds) : json_null());
    }
    *sums = (struct train_sums){ 0 };
    clock->improve_seconds = clock->step_seconds = 0;
    return log_add(&t->log, line);
}

static void sum_up(struct train *t, const struct reinforce *batch, const struct optimiser_step *step)
{
    struct train_sums *sums = &t->state.sums;
    sums->steps++;
    sums->cost += batch->cost;
    sums->baseline += batch->baseline;
    sums->improved += batch->improved;
    t->clock.improve_seconds += batch->improve_seconds;
    t->clock.step_seconds += t->step_seconds;
    if (!step->skipped && isfinite(batch->loss + batch->kl)) { // a log has no other numbers
        sums->taken++;
        sums->loss += batch->loss;
        sums->kl += batch->kl;
        sums->norm += step->norm;
    }
}

static bool run_step(struct train *t)
{
    struct reinforce batch;
    struct optimiser_step step;
    double begun = clock_seconds();
    double rate = settings_rate(&t->settings, t->state.step);
    replica_set_glimpse(t->replica, settings_glimpse(&t->settings, epoch_of(t)));
    if (!reinforce_run(t->ranges, &t->state, &batch) || !replica_update(t->replica, rate, &step))
        return false;
    t->step_seconds = clock_seconds() - begun;
    t->state.step++;
    t->unsaved = true;
    t->state.skipped_in_row = step.skipped ? t->state.skipped_in_row + 1 : 0;
    t->progress.cost = batch.cost;
    t->progress.baseline = batch.baseline;
    t->progress.kl = batch.kl;
    t->progress.lr = rate;
    t->progress.skipped = step.skips;
    sum_up(t, &batch, &step);
    if (!log_step(t, rate))
        return false;
    if (t->state.skipped_in_row >= SKIPS_IN_ROW_MAX)
        return ranks_all(fail(FAULT_INPUT,
            "step %llu: the gradients of %d steps in a row were not finite; a lower learning rate may help",
            (unsigned long long)t->state.step, SKIPS_IN_ROW_MAX));
    train_tell(t, TRAIN_STEP);
    if (t->measured <= 0) { // the first step includes the compilation of kernels
        t->measured = clock_seconds();
        t->first_step = t->state.step;
        t->waited = ranks_seconds();
    }
    return true;
}

// After an epoch: replaces the baseline if the weights are better.
static bool challenge(struct train *t, bool *ended)
{
    struct baseline_challenge outcome = { 0 };
    if (t->replica->frozen && !baseline_challenge(t->ranges, &t->state, train_tell_done, t, &outcome))
        return false;
    *ended = outcome.ended;
    if (outcome.better) {
        if (!replica_freeze(t->replica))
            return false;
        t->state.replaced++;
    }
    t->state.challenges += !outcome.ended;
    t->unsaved = true;
    return true;
}

// Returns the seconds reserved for a validation at the end; 0 if it would take more than half of the time.
static double kept_seconds(const struct train *t)
{
    double seconds = t->clock.validation_seconds;
    return seconds <= t->options.time_limit / 2 ? seconds : 0;
}

// Returns whether there is time to validate, as far as known.
static bool can_validate(const struct train *t)
{
    double seconds = t->clock.validation_seconds;
    bool worth = kept_seconds(t) >= seconds || t->state.step >= settings_steps(&t->settings);
    return !(t->options.time_limit > 0) || decided(worth && clock_seconds() + seconds <= late(t));
}

// Logs the omitted validation; the one before training is also reported to the user (tell_end() reports the last).
static bool leave_out(struct train *t)
{
    json_t *line = json_pack("{s:I, s:i, s:I, s:f, s:s}", "step", (json_int_t)t->state.step, "epoch", (int)epoch_of(t),
        "instances", (json_int_t)train_instances(t), "seconds", train_seconds(t), "note", "no time for a validation");
    if (!t->left_out && !t->state.step) {
        char *sentence = xformat("validating %u instances before the training would take too much of the time limit, "
                                 "about %.0f s, and is skipped; a smaller validation set takes less",
            t->settings.val_size, t->clock.validation_seconds);
        train_note(t, sentence);
        free(sentence);
    }
    t->left_out = t->state.step + 1;
    return log_add(&t->log, line);
}

// A tenth of the time is for the validation before training; later ones are known to fit.
static bool validate_due(struct train *t, bool *ended)
{
    bool ok = true;
    *ended = !can_validate(t);
    if (!*ended) {
        if (!t->state.step && t->options.time_limit > 0)
            t->deadline = fmin(t->deadline, clock_seconds() + fmax(0.1 * t->options.time_limit, 1));
        ok = train_validate(t, ended);
        t->stopped = ok && ranks_any(t->stopped);
        t->deadline = late(t);
    }
    if (ok && *ended && !t->stopped) {
        *ended = false; // the training continues
        ok = leave_out(t);
    }
    return ok;
}

// Runs the work between epochs, with glimpses if the last epoch had them.
static bool between_epochs(struct train *t, bool *worked)
{
    uint32_t epoch = epoch_of(t);
    bool ended = false;
    *worked = false;
    if (t->state.step % t->settings.steps)
        return true;
    bool validates = t->state.validations <= epoch && t->left_out != t->state.step + 1;
    if (t->state.challenges >= epoch && !validates)
        return true;
    replica_set_glimpse(t->replica, settings_glimpse(&t->settings, epoch ? epoch - 1 : 0));
    if (validates && !validate_due(t, &ended)) // first, because a time limit reserves time for it
        return false;
    if (!ended && t->state.challenges < epoch && !is_over(t) && !challenge(t, &ended))
        return false;
    *worked = !ended;
    return true;
}

static bool save_if_due(struct train *t, bool due)
{
    due = due || (t->options.checkpoint_seconds > 0 && clock_seconds() - t->saved >= t->options.checkpoint_seconds);
    return !due || (train_save(t) && train_curve(t));
}

// Returns whether the remaining time is needed for the last validation, or is too short for another step. The first
// step of a run, which compiles kernels, says little about the next.
static bool time_is_over(const struct train *t)
{
    double step = t->state.step > t->first_step ? t->step_seconds : 0.5 * t->step_seconds;
    double used = clock_seconds() - t->started + kept_seconds(t) + step;
    return t->options.time_limit > 0 && decided(used >= t->options.time_limit);
}

// A time limit may end within an epoch. The weights are validated, in case they are the best; the validations between
// epochs stay due, and the training continues as if there had been none.
static bool validate_last(struct train *t)
{
    bool ended;
    if (t->state.step % t->settings.steps == 0 || !can_validate(t))
        return true;
    uint32_t validations = t->state.validations;
    replica_set_glimpse(t->replica, settings_glimpse(&t->settings, epoch_of(t)));
    bool ok = train_validate(t, &ended);
    t->state.validations = validations;
    return ok;
}

// Writes the trained weights as a model even if no validation has found them the best.
static bool keep_weights(struct train *t)
{
    if (t->state.has_best || !t->state.step)
        return true;
    replica_set_glimpse(
        t->replica, settings_glimpse(&t->settings, (uint32_t)((t->state.step - 1) / t->settings.steps)));
    return train_save_unvalidated(t);
}

// Reports surprising results of a run that ended early.
static void tell_end(const struct train *t)
{
    const char *model = t->state.has_best || t->state.step ? "" : ", and no model was written";
    const char *when = t->stopped ? "before the end" : "within the time limit";
    char *sentence = NULL;
    if (t->state.step == t->begun && t->begun < settings_steps(&t->settings))
        sentence = xformat("no step was made %s%s; it can be resumed", when, model);
    else if (!t->state.has_best)
        sentence = xformat(
            TRAIN_MODEL " has the last weights, which were not validated%s", t->stopped ? "" : ": no time left");
    else if (!t->stopped && t->options.time_limit > 0 && t->validated != t->state.step + 1 && t->state.step > t->begun)
        sentence = xformat("no time to validate the last weights: " TRAIN_MODEL
                           " has earlier ones, the checkpoint has them; a smaller validation set takes less");
    if (sentence)
        train_note(t, sentence);
    free(sentence);
}

bool train_run(struct train *t)
{
    const uint64_t steps = settings_steps(&t->settings);
    t->started = t->saved = clock_seconds();
    t->deadline = late(t);
    t->begun = t->state.step;
    train_tell(t, TRAIN_BEGINS);
    while (true) {
        bool worked;
        if (!between_epochs(t, &worked) || !save_if_due(t, worked))
            return false;
        t->stopped = ranks_any(t->stopped); // a rank that must stop stops all
        if (t->stopped || t->state.step >= steps || time_is_over(t))
            break;
        if (!run_step(t))
            return false;
    }
    bool ok = !t->unsaved || train_save(t); // before a validation that the user may interrupt
    ok = ok && (t->stopped || validate_last(t)) && keep_weights(t);
    ok = ok && (!t->unsaved || train_save(t)) && train_curve(t);
    if (ok)
        tell_end(t);
    return ok;
}
