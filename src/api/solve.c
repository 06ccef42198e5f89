// Solving: each instance with the model of its problem, one problem after the other.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <stb/stb_ds.h>

#include "api/internal.h"
#include "model/fit.h"
#include "search/augment.h"
#include "util/alloc.h"
#include "util/clock.h"
#include "util/error.h"
#include "util/locale.h"
#include "util/option.h"
#include "util/text.h"

// One committed trajectory is no beam, and not the best of several.
static bool commit(struct mdam_solve_options *o)
{
    if (o->beam > 1 || o->time_limit > 0)
        return fail_field(FAULT_INPUT, "online", "one committed trajectory goes with no beam and no time limit");
    if (o->decode == MDAM_DECODE_BEAM) {
        o->decode = MDAM_DECODE_GREEDY;
        o->beam = o->expand = 0;
        o->no_merge = false;
    }
    if (o->augment > 1 || (o->decode == MDAM_DECODE_SAMPLE && o->samples != 1))
        return fail_field(FAULT_INPUT, "online", "one committed trajectory is a single sample of a single view");
    return true;
}

bool mdam_solve_check(const struct mdam_solve_options *from, struct mdam_solve_options *resolved)
{
    IN_PLAIN_LOCALE;
    struct mdam_solve_options o = { 0 };
    const struct mdam_option *table = mdam_options(MDAM_OPTIONS_SOLVE);
    if (!mdam_options_take(&o, from) || !options_check(table, &o))
        return false;
    if (o.augment > 1 && o.augment != SYMMETRIES)
        return fail_field(FAULT_INPUT, "augment", "%u is not 1 or %d", o.augment, (int)SYMMETRIES);
    if (o.online && !commit(&o))
        return false;
    options_fill(table, &o);
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
            bug("models of one call live on different devices");
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
            return fail(FAULT_INPUT, "instance %zu: no model for %s is given", i + 1, problem->name);
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

// One decoder commits: the best in validation, unless others were selected.
static void warn_of_second_best(struct mdam_solutions *s, size_t i)
{
    const struct mdam_model *model = s->models[i];
    const struct config *config = &model->model->config;
    uint32_t number = model->decoders[config->best_decoder];
    if (!s->options.online || !config->has_validation || number == model->best_decoder)
        return;
    char *sentence = xformat("decoder %u commits; decoder %u, the best in validation, is not among those selected",
        number, model->best_decoder);
    add_warning(s, i, sentence);
    free(sentence);
}

// The instance's own warnings, then those about the model.
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

static const enum mdam_decode decodes[] = {
    [DECODE_GREEDY] = MDAM_DECODE_GREEDY, [DECODE_SAMPLE] = MDAM_DECODE_SAMPLE, [DECODE_BEAM] = MDAM_DECODE_BEAM
};

static uint32_t at_least_one(uint32_t number)
{
    return number ? number : 1;
}

// Whether the answer is the best of several trajectories.
static bool is_chosen(const struct mdam_solutions *s, const struct mdam_model *model)
{
    const struct mdam_solve_options *o = &s->options;
    uint64_t views = o->time_limit > 0 ? SYMMETRIES : o->augment;
    return (uint64_t)model->model->config.M * at_least_one(o->samples) * at_least_one(o->beam) * views > 1;
}

// What the caller sees of a search's result.
static void publish(struct mdam_solutions *s, size_t i, double seconds)
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
    to->decode = decodes[result->way.decode];
    to->beam = result->way.decode == DECODE_BEAM ? result->way.width : 0;
    to->augment = result->way.augment;
    to->hindsight = instance->real_prize && !s->options.online && is_chosen(s, model);
    to->seconds = seconds;
}

struct watch {
    struct mdam_solutions *solutions;
    const struct mdam_solve_options *options; // theirs
    size_t before, count;                     // instances of problems done with; in all
    const size_t *places;                     // stb_ds array: of the problem's instances in the list
    double deadline;                          // 0: none
    bool stopped;
};

static bool report(void *user, size_t done, size_t count)
{
    IN_CALLERS_LOCALE;
    struct watch *watch = user;
    (void)count;
    const struct mdam_solve_options *options = watch->options;
    watch->stopped = options->progress && !options->progress(options->user, watch->before + done, watch->count);
    return !watch->stopped;
}

static bool stop(void *user)
{
    IN_CALLERS_LOCALE;
    struct watch *watch = user;
    const struct mdam_solve_options *options = watch->options;
    watch->stopped = watch->stopped || (options->stop && options->stop(options->user));
    return watch->stopped;
}

static void improved(void *user, size_t instance, const struct verdict *verdict)
{
    IN_CALLERS_LOCALE;
    struct watch *watch = user;
    if (watch->options->improved)
        watch->options->improved(watch->options->user, watch->places[instance], verdict->objective);
}

static void working(void *user, uint32_t decisions, uint32_t most)
{
    IN_CALLERS_LOCALE;
    const struct mdam_solve_options *options = ((struct watch *)user)->options;
    if (options->working)
        options->working(options->user, decisions, most);
}

static void ended(void *user, const char *why)
{
    const struct watch *watch = user;
    char *sentence = xformat("the search ended before its time was over: %s", why);
    for (size_t k = 0; k < arrlenu(watch->places); k++)
        add_warning(watch->solutions, watch->places[k], sentence);
    free(sentence);
}

// Each problem gets a share of the time that is left, by its instances.
static double deadline_for(const struct watch *watch, size_t count)
{
    double now = clock_seconds(), left = watch->deadline - now;
    return watch->deadline > 0 ? now + left * (double)count / (double)(watch->count - watch->before) : 0;
}

static struct way way_of(const struct mdam_solve_options *from)
{
    enum decode decode = DECODE_GREEDY;
    while (decodes[decode] != from->decode)
        decode++;
    return (struct way){ .decode = decode,
        .samples = from->samples,
        .temperature = (float)from->temperature,
        .width = from->beam,
        .expand = from->expand,
        .merge = !from->no_merge,
        .augment = from->augment };
}

bool mdam_solve_fits(const struct mdam_instances *instances, struct mdam_model *const *models, size_t count,
    const struct mdam_solve_options *options, size_t *index)
{
    struct mdam_solve_options how;
    if (!mdam_solve_check(options, &how))
        return true;
    // With a time limit the first answers are greedy, and beams are as wide as there is room for.
    struct way greedy = { .decode = DECODE_GREEDY, .width = 1 }, way = how.time_limit > 0 ? greedy : way_of(&how);
    const struct mdam_model *last = NULL;
    struct search_size taken = { 0 }; // by the last model
    for (*index = 0; *index < mdam_instances_count(instances); ++*index) {
        const struct instance *instance = &instances->list[*index];
        const struct mdam_model *model = model_for(instance->problem, models, count);
        if (model != last)
            taken = (struct search_size){ 0 };
        last = model;
        if (model && !search_takes(model->model, &way, instance, &taken))
            return false;
    }
    return true;
}

// Solves the instances that MODEL is for.
static bool solve_problem(struct mdam_solutions *s, const struct mdam_model *model, struct watch *watch)
{
    const struct mdam_solve_options *from = &s->options;
    struct search_options options = { .way = way_of(from),
        .seed = from->seed,
        .online = from->online,
        .memory = from->memory,
        .progress = report,
        .stop = stop,
        .improved = improved,
        .working = working,
        .ended = ended,
        .user = watch };
    struct instance *instances = NULL; // borrowed
    size_t *places = NULL;
    for (size_t i = 0; i < s->count; i++) {
        if (s->models[i] == model) {
            arrput(instances, s->instances->list[i]);
            arrput(places, i);
        }
    }
    size_t count = arrlenu(places);
    watch->places = places;
    options.deadline = count ? deadline_for(watch, count) : 0;
    struct search_result *results = xcalloc(count, sizeof *results);
    double start = clock_seconds();
    bool ok = count == 0 || search_solve(model->model, instances, count, &options, results);
    double seconds = clock_seconds() - start;
    for (size_t k = 0; k < count; k++) {
        s->results[places[k]] = results[k];
        publish(s, places[k], seconds / (double)count);
    }
    watch->before += count;
    free(results);
    arrfree(instances);
    arrfree(places);
    return ok;
}

static bool any_solved(const struct mdam_solutions *s)
{
    for (size_t i = 0; i < s->count; i++) {
        if (s->list[i].solved)
            return true;
    }
    return false;
}

bool mdam_solve(struct mdam_solutions **out, const struct mdam_instances *instances, struct mdam_model *const *models,
    size_t count, const struct mdam_solve_options *options)
{
    IN_PLAIN_LOCALE;
    *out = NULL;
    const double start = clock_seconds();
    struct mdam_solutions *s = mdam_solutions_create(instances);
    size_t large;
    bool ok = mdam_solve_check(options, &s->options) && check_models(models, count) &&
              assign_models(s, models, count) &&
              (mdam_solve_fits(instances, models, count, options, &large) || fail_within("instance %zu", large + 1));
    for (size_t i = 0; ok && i < s->count; i++)
        gather_warnings(s, i);
    struct watch watch = { .solutions = s, .options = &s->options, .count = s->count };
    watch.deadline = ok && s->options.time_limit > 0 ? start + s->options.time_limit : 0;
    if (ok)
        report(&watch, 0, s->count);
    for (size_t k = 0; ok && !watch.stopped && k < count; k++)
        ok = solve_problem(s, models[k], &watch);
    if (!ok && !any_solved(s))
        mdam_solutions_free(&s);
    *out = s;
    return ok;
}
