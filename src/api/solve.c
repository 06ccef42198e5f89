// Solves each instance with the model of its problem, one problem after the other.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <stb/stb_ds.h>

#include "api/shared.h"
#include "model/fit.h"
#include "search/augment.h"
#include "util/alloc.h"
#include "util/clock.h"
#include "util/error.h"
#include "util/locale.h"
#include "util/option.h"
#include "util/ranks.h"
#include "util/text.h"

// A committed trajectory is neither a beam nor the best of several.
static bool commit(struct mdam_solve_options *o)
{
    if (o->beam > 1 || o->time_limit > 0)
        return fail_field(FAULT_INPUT, "online", "one committed trajectory excludes a beam and a time limit");
    if (o->decode == MDAM_DECODE_BEAM) {
        o->decode = MDAM_DECODE_GREEDY;
        o->beam = o->expand = 0;
        o->no_merge = false;
    }
    if (o->improve > MDAM_IMPROVE_OFF)
        return fail_field(FAULT_INPUT, "online", "one committed trajectory excludes improvement");
    if (o->augment > 1 || (o->decode == MDAM_DECODE_SAMPLE && o->samples != 1))
        return fail_field(FAULT_INPUT, "online", "one committed trajectory excludes several samples and views");
    return true;
}

bool mdam_solve_check(const struct mdam_solve_options *from, struct mdam_solve_options *resolved)
{
    IN_PLAIN_LOCALE;
    struct mdam_solve_options o = { 0 };
    const struct mdam_option *table = mdam_options(MDAM_OPTIONS_SOLVE);
    if (!mdam_options_copy(&o, from) || !options_check(table, &o))
        return false;
    if (o.augment > 1 && o.augment != SYMMETRIES)
        return fail_field(FAULT_INPUT, "augment", "must be 1 or %d, not %u", (int)SYMMETRIES, o.augment);
    if (o.online && !commit(&o))
        return false;
    if (o.improve_iterations && o.improve != MDAM_IMPROVE_FULL && !(o.improve == MDAM_IMPROVE_AUTO && o.time_limit > 0))
        return fail_field(FAULT_INPUT, "improve_iterations", "applies to full improvement only");
    if (o.improve_from && o.improve != MDAM_IMPROVE_FULL && !(o.improve == MDAM_IMPROVE_AUTO && o.time_limit > 0))
        return fail_field(FAULT_INPUT, "improve_from", "applies to full improvement only");
    options_fill(table, &o);
    if (o.improve == MDAM_IMPROVE_AUTO && o.decode != MDAM_DECODE_BEAM)
        o.improve = MDAM_IMPROVE_OFF;
    if (resolved)
        *resolved = o;
    return true;
}

static bool check_models(struct mdam_model *const *models, size_t count)
{
    for (size_t k = 0; k < count; k++) {
        if (!models || !models[k])
            return fail(FAULT_INTERNAL, "model %zu of %zu is NULL", k + 1, count);
    }
    return true;
}

static const struct mdam_model *model_for(const struct problem *problem, struct mdam_model *const *models, size_t count)
{
    for (size_t k = 0; k < count; k++) {
        if (models[k]->device != models[0]->device)
            bug("the models of one call are on different devices");
        if (models[k]->model->config.problem == problem)
            return models[k];
    }
    return NULL;
}

static bool assign_models(struct mdam_solutions *s, struct mdam_model *const *models, size_t count)
{
    for (size_t i = 0; i < s->count; i++) {
        const struct problem *problem = s->instances->list[i].problem;
        s->models[i] = model_for(problem, models, count);
        if (!s->models[i])
            return fail(FAULT_INPUT, "instance %zu: no model for %s given", i + 1, problem->name);
    }
    return true;
}

// Copies the sentence.
static void add_warning(struct mdam_solutions *s, size_t i, const char *sentence)
{
    struct mdam_solution *solution = &s->list[i];
    char **list = (char **)solution->warnings;
    arrput(list, xstrdup(sentence));
    solution->warning_count = arrlenu(list);
    solution->warnings = (const char *const *)list;
    IN_CALLERS_LOCALE;
    if (s->options.warn)
        s->options.warn(s->options.user, i, sentence);
}

// The decoder that commits is the best in validation, unless it was not selected.
static void warn_of_second_best(struct mdam_solutions *s, size_t i)
{
    const struct mdam_model *model = s->models[i];
    const struct config *config = &model->model->config;
    uint32_t number = model->decoders[config->best_decoder];
    if (!s->options.online || !config->has_validation || number == model->best_decoder)
        return;
    char *sentence =
        xformat("decoder %u commits; decoder %u, the best in validation, is not selected", number, model->best_decoder);
    add_warning(s, i, sentence);
    free(sentence);
}

// Collects the instance's own warnings, then those about the model.
static void gather_warnings(struct mdam_solutions *s, size_t i)
{
    const struct instance *instance = &s->instances->list[i];
    char **list = NULL;
    for (ptrdiff_t k = 0; k < arrlen(instance->warnings); k++)
        add_warning(s, i, instance->warnings[k]);
    fit_warn(&s->models[i]->model->config, instance, &list);
    for (ptrdiff_t k = 0; k < arrlen(list); k++) {
        add_warning(s, i, list[k]);
        free(list[k]);
    }
    arrfree(list);
    warn_of_second_best(s, i);
}

// Returns whether the solution is the best of several trajectories.
static bool is_chosen(const struct mdam_solutions *s, const struct mdam_model *model, const struct decoding *decoding)
{
    uint64_t views = s->options.time_limit > 0 ? SYMMETRIES : decoding->augment;
    return (uint64_t)model->model->config.M * decoding->samples * decoding->width * views > 1;
}

// Fills the public solution from a search's result.
void mdam_solution_publish(struct mdam_solutions *s, size_t i, double seconds)
{
    const struct search_result *result = &s->results[i];
    const struct instance *instance = &s->instances->list[i];
    const struct mdam_model *model = s->models[i];
    struct mdam_solution *to = &s->list[i];
    mdam_solution_show(s, i);
    if (!result->solved)
        return;
    to->decoder = model->decoders[result->decoder];
    to->decoder_costs = result->decoder_best;
    to->decode = result->origin == ORIGIN_DECODER ? result->decoding.decode : s->options.decode;
    to->beam = to->decode == MDAM_DECODE_BEAM ? result->decoding.width : 0;
    to->augment = result->origin == ORIGIN_DECODER ? result->decoding.augment : s->options.augment;
    to->hindsight = instance->problem->reveals && !s->options.online &&
                    (result->improve > MDAM_IMPROVE_OFF || is_chosen(s, model, &result->decoding));
    to->seconds = seconds;
}

struct watch {
    struct mdam_solutions *solutions;
    const struct mdam_solve_options *options; // of the caller
    size_t before, count;                     // instances of finished problems; all instances
    const size_t *indices;                    // stb_ds array: indices of the problem's instances in the list
    struct deadline deadline;
    bool stopped;
    struct shared *shared; // several ranks solve: `before` and `count` are of a block
};

// Rank 0 serves the others now and then while it solves.
static void serve(struct watch *watch)
{
    if (watch->shared && ranks_rank() == 0)
        shared_serve(watch->shared, watch->stopped, false);
}

static bool report(void *user, size_t done, size_t count)
{
    IN_CALLERS_LOCALE;
    struct watch *watch = user;
    (void)count;
    const struct mdam_solve_options *options = watch->options;
    size_t finished = watch->before + done + (watch->shared ? watch->shared->finished : 0);
    serve(watch);
    watch->stopped = options->progress && !options->progress(options->user, finished, watch->solutions->count);
    return !watch->stopped;
}

static bool stop(void *user)
{
    IN_CALLERS_LOCALE;
    struct watch *watch = user;
    const struct mdam_solve_options *options = watch->options;
    serve(watch);
    watch->stopped = watch->stopped || (options->stop && options->stop(options->user));
    return watch->stopped;
}

static void improved(void *user, size_t instance, const struct verdict *verdict)
{
    IN_CALLERS_LOCALE;
    struct watch *watch = user;
    if (watch->options->improved)
        watch->options->improved(watch->options->user, watch->indices[instance], verdict->objective);
}

static void working(void *user, uint32_t decisions, uint32_t max_decisions)
{
    IN_CALLERS_LOCALE;
    const struct mdam_solve_options *options = ((struct watch *)user)->options;
    serve(user);
    if (options->working)
        options->working(options->user, decisions, max_decisions);
}

static void ended(void *user, const char *why)
{
    const struct watch *watch = user;
    char *sentence = xformat("the search ended before its time limit: %s", why);
    for (size_t k = 0; k < arrlenu(watch->indices); k++)
        add_warning(watch->solutions, watch->indices[k], sentence);
    free(sentence);
}

static void left_out(void *user, size_t instance, bool late)
{
    const struct watch *watch = user;
    char *sentence = xformat("%s for the network on this device; the solution was constructed and improved without it",
        late ? "the time limit is too short" : "the instance is too large");
    add_warning(watch->solutions, watch->indices[instance], sentence);
    free(sentence);
}

// Problems that reveal prizes on visits are improved on request only, because improvement knows all prizes. To name
// what full improvement begins with is such a request.
static enum mdam_improve improve_for(const struct mdam_solve_options *options, const struct problem *problem)
{
    if (options->improve != MDAM_IMPROVE_AUTO)
        return options->improve;
    if (options->improve_from)
        return MDAM_IMPROVE_FULL;
    if (problem->reveals)
        return MDAM_IMPROVE_OFF;
    return options->time_limit > 0 ? MDAM_IMPROVE_FULL : MDAM_IMPROVE_LOCAL;
}

static struct decoding decoding_of(const struct mdam_solve_options *from)
{
    return (struct decoding){ .decode = from->decode,
        .samples = from->samples,
        .temperature = (float)from->temperature,
        .width = from->beam,
        .expand = from->expand,
        .merge = !from->no_merge,
        .augment = from->augment };
}

// The instances of one model.
struct share {
    const struct mdam_model *model;
    struct instance *instances; // stb_ds arrays; borrowed
    size_t *indices;            // indices in the list
    const struct solution **initial;
    struct search *search;
};

// Instances FIRST .. END of the list.
static bool plan_share(
    struct share *share, struct mdam_solutions *s, size_t first, size_t end, struct watch *watch, size_t *refused)
{
    const struct mdam_solve_options *from = &s->options;
    struct search_options options = { .decoding = decoding_of(from),
        .seed = from->seed,
        .online = from->online,
        .memory = from->memory,
        .limited = from->time_limit > 0,
        .improve = improve_for(from, share->model->model->config.problem),
        .iterations = from->improve_iterations,
        .from = (enum improve_from)from->improve_from,
        .progress = report,
        .stop = stop,
        .improved = improved,
        .working = working,
        .ended = ended,
        .left_out = left_out,
        .user = watch };
    for (size_t i = first; i < end; i++) {
        if (s->models[i] == share->model) {
            arrput(share->instances, s->instances->list[i]);
            arrput(share->indices, i);
            if (from->initial)
                arrput(share->initial, &from->initial->results[i].solution);
        }
    }
    options.initial = share->initial;
    bool ok = search_create(
        &share->search, share->model->model, share->instances, arrlenu(share->instances), &options, refused);
    if (!ok)
        *refused = share->indices[*refused];
    return ok;
}

static void share_finish(struct share *share)
{
    search_destroy(&share->search);
    arrfree(share->instances);
    arrfree(share->indices);
    arrfree(share->initial);
}

static void warn_of_rounded_load(struct mdam_solutions *s, size_t i)
{
    const struct search_result *result = &s->results[i];
    if (!result->solved || !result->verdict.rounded_route)
        return;
    struct text sentence = { 0 };
    verdict_rounded_warning(&sentence, &result->verdict);
    add_warning(s, i, sentence.data);
    text_finish(&sentence);
}

// Each problem gets a share of the remaining time, by the number of its instances.
static bool solve_share(const struct share *share, struct mdam_solutions *s, struct watch *watch)
{
    const size_t count = arrlenu(share->indices);
    if (!count)
        return true;
    watch->indices = share->indices;
    struct search_result *results = xcalloc(count, sizeof *results);
    const struct deadline deadline =
        deadline_share(&watch->deadline, (double)count / (double)(watch->count - watch->before));
    double start = clock_seconds();
    bool ok = search_run(share->search, &deadline, results);
    double seconds = clock_seconds() - start;
    for (size_t k = 0; k < count; k++) {
        s->results[share->indices[k]] = results[k];
        mdam_solution_publish(s, share->indices[k], seconds / (double)count);
        warn_of_rounded_load(s, share->indices[k]);
    }
    watch->before += count;
    free(results);
    return ok;
}

// Plans everything before solving, so that an instance that is too large is refused at once.
static bool plan_all(struct share *shares, size_t count, struct mdam_solutions *s, struct watch *watch)
{
    for (size_t k = 0; k < count; k++) {
        size_t refused;
        if (plan_share(&shares[k], s, 0, s->count, watch, &refused))
            continue;
        IN_CALLERS_LOCALE;
        if (s->options.refused)
            s->options.refused(s->options.user, refused);
        return fail_within("instance %zu", refused + 1);
    }
    return true;
}

// A strategy chooses beam width and candidates for each instance if they are not given.
static bool check_options(struct mdam_solutions *s, const struct mdam_solve_options *options)
{
    struct mdam_solve_options given = { 0 };
    if (!mdam_solve_check(options, &s->options) || !mdam_options_copy(&given, options))
        return false;
    if (given.initial && given.initial->count != s->count)
        return fail_field(
            FAULT_INPUT, "initial", "%zu solutions given for %zu instances", given.initial->count, s->count);
    if (s->options.decode == MDAM_DECODE_BEAM) {
        s->options.beam = given.beam;
        s->options.expand = given.expand;
    }
    return true;
}

static bool any_solved(const struct mdam_solutions *s)
{
    for (size_t i = 0; i < s->count; i++) {
        if (s->list[i].solved)
            return true;
    }
    return false;
}

// Limited vehicles may be too few, or too few for what was tried. Says so of the first such instance.
static bool check_found(const struct mdam_solutions *s)
{
    for (size_t i = 0; i < s->count; i++) {
        const struct instance *instance = &s->instances->list[i];
        if (s->list[i].solved || !(instance->vehicles > 0))
            continue;
        IN_CALLERS_LOCALE;
        if (s->options.refused)
            s->options.refused(s->options.user, i);
        return fail(FAULT_INTERNAL, "instance %zu: no plan with at most %.15g route%s was found", i + 1,
            instance->vehicles, instance->vehicles == 1 ? "" : "s");
    }
    return true;
}

static bool solve_block(struct mdam_solutions *s, struct mdam_model *const *models, size_t count, size_t first,
    size_t end, struct watch *watch)
{
    bool ok = true;
    watch->before = 0;
    watch->count = end - first;
    for (size_t k = 0; ok && !watch->stopped && k < count; k++) {
        struct share share = { .model = models[k] };
        size_t refused;
        ok = plan_share(&share, s, first, end, watch, &refused) && solve_share(&share, s, watch);
        share_finish(&share);
    }
    watch->before = 0;
    return ok;
}

// Several blocks for each rank, since ranks may be of different speed; with a time limit one, with all of the time.
static bool solve_shared(struct mdam_solutions *s, struct mdam_model *const *models, size_t count, struct watch *watch)
{
    const size_t ranks = ranks_count(), blocks = s->options.time_limit > 0 ? ranks : 4 * ranks;
    const size_t block = (s->count + blocks - 1) / blocks;
    struct shared shared;
    shared_create(&shared, s, block);
    watch->shared = &shared;
    bool ok = true;
    for (size_t first = ranks_rank() * block; ok && first < s->count;) {
        size_t end = first + block < s->count ? first + block : s->count;
        ok = solve_block(s, models, count, first, end, watch);
        if (ok)
            first = shared_next(&shared, first, watch->stopped);
    }
    if (ok && ranks_rank() == 0) {
        while (shared.busy) {
            shared_serve(&shared, watch->stopped, true);
            report(watch, 0, 0);
        }
        shared_finish(&shared);
        ok = !shared.failed;
    }
    watch->shared = NULL;
    shared_destroy(&shared);
    return ok;
}

bool mdam_solve(struct mdam_solutions **out, const struct mdam_instances *instances, struct mdam_model *const *models,
    size_t count, const struct mdam_solve_options *options)
{
    IN_PLAIN_LOCALE;
    *out = NULL;
    const double start = clock_seconds();
    struct mdam_solutions *s = mdam_solutions_create(instances);
    struct share *shares = xcalloc(count ? count : 1, sizeof *shares);
    struct watch watch = { .solutions = s, .options = &s->options, .count = s->count };
    bool ok = check_options(s, options) && check_models(models, count) && assign_models(s, models, count);
    for (size_t k = 0; ok && k < count; k++)
        shares[k].model = models[k];
    watch.deadline = s->options.time_limit > 0 ? deadline_after(start, s->options.time_limit) : deadline_never();
    ok = ranks_all(ok && plan_all(shares, count, s, &watch));
    for (size_t i = 0; ok && i < s->count; i++)
        gather_warnings(s, i);
    if (ok)
        report(&watch, 0, s->count);
    if (ok && ranks_count() > 1)
        ok = solve_shared(s, models, count, &watch);
    for (size_t k = 0; ok && ranks_count() == 1 && !watch.stopped && k < count; k++)
        ok = solve_share(&shares[k], s, &watch);
    ok = ok && (watch.stopped || ranks_rank() > 0 || check_found(s));
    for (size_t k = 0; k < count; k++)
        share_finish(&shares[k]);
    free(shares);
    if (!ok && !any_solved(s))
        mdam_solutions_free(&s);
    *out = s;
    return ok;
}
