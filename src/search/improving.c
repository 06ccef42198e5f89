#include "search/improving.h"

#include <errno.h>
#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <stb/stb_ds.h>

#include "gpu/gpu.h"
#include "improve/improve.h"
#include "problem/metric.h"
#include "search/parts.h"
#include "util/alloc.h"
#include "util/hash.h"
#include "util/threads.h"

// Solutions of an instance that ruin and recreate starts from; candidates per decoder in a list of instances, and for a
// single instance; seconds between two calls of `stop`.
enum { STARTS_MAX = 8, WIDTH_IN_LIST = 8, WIDTH_ALONE = 4096 };
static const double look_seconds = 0.02;

// Parts of a solution that are solved at a time: without a deadline, at first with one, and at most; and their share of
// the time for ruin and recreate. Parts that improve nothing are followed by longer and longer pauses.
enum { PARTS = 16, PARTS_FIRST = 4, PARTS_MAX = 256 };
static const double parts_share = 0.04;

// A device that is the CPU takes the time of ruin and recreate, which gains more from it: the first part there is a
// trial, which needs this many seconds of parts_share, and is the last one unless it gains more than the search did
// meanwhile.
enum { PARTS_TRIAL = 1 };
static const double trial_seconds = 0.2;

// Passes parts between ruin and recreate in the background, which asks for better solutions, and this thread, which
// owns the device. Only one side uses it at a time: the background, unless a solution is `posted`.
struct exchange {
    bool open;                 // parts are being solved
    bool timed;                // the background does not wait for them
    bool trial;                // each round must gain more than ruin and recreate did meanwhile
    bool posted;               // a solution whose parts are to be solved is here
    double seconds;            // timed: time for the parts of one solution
    uint32_t pause, left;      // requests without parts after the last ones, and until the next ones
    uint32_t round, max_parts; // solutions whose parts were solved; max parts of the next one
    struct solution plan;
    struct plan_part *parts;
};

// The candidates of one instance in a batch.
struct candidates {
    size_t instance;
    struct solution *solutions; // parallel stb_ds arrays
    struct finalist *finalists; // their solutions are in the list above
};

struct improving {
    struct search *search;
    uint32_t threads;
    struct candidates *adding, *running; // stb_ds arrays: of the batch being collected, of the previous one
    struct finalist **starts;            // per instance an stb_ds array, sorted by cost
    // The background work.
    pthread_t thread;
    bool busy;
    atomic_bool cancel;
    pthread_mutex_t mutex;
    pthread_cond_t ended, answered;
    bool done;
    struct exchange exchange;
    void (*work)(struct improving *improving);
    size_t instance; // for work on a single instance
    struct deadline share;
    struct improve_options options, local; // of the work in the background; of local search
    struct improve_result *results;        // one per instance
    bool ahead; // the background improves constructions of the only instance while the device decodes
};

void improving_create(struct improving **out, struct search *search)
{
    struct improving *i = *out = xcalloc(1, sizeof *i);
    i->search = search;
    i->threads = threads_available();
    i->starts = xcalloc(search->count, sizeof *i->starts);
    i->results = xcalloc(search->count, sizeof *i->results);
    atomic_init(&i->cancel, false);
    pthread_mutex_init(&i->mutex, NULL);
    pthread_cond_init(&i->ended, NULL);
    pthread_cond_init(&i->answered, NULL);
}

// --- background work -----------------------------------------------------------------------------------------------

static void *background(void *argument)
{
    struct improving *i = argument;
    i->work(i);
    pthread_mutex_lock(&i->mutex);
    i->done = true;
    pthread_cond_signal(&i->ended);
    pthread_mutex_unlock(&i->mutex);
    return NULL;
}

// Starts the work on a thread, or runs it at once if there is no thread.
static void start(struct improving *i, void (*work)(struct improving *improving))
{
    i->work = work;
    i->done = false;
    i->busy = pthread_create(&i->thread, NULL, background, i) == 0;
    if (!i->busy) {
        i->exchange.open = false;
        work(i);
    }
}

// Waits for a moment, or until there is something to do: *POSTED.
static bool is_done(struct improving *i, bool *posted)
{
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_nsec += (long)(look_seconds * 1e9);
    until.tv_sec += until.tv_nsec / 1000000000;
    until.tv_nsec %= 1000000000;
    pthread_mutex_lock(&i->mutex);
    while (!i->done && !i->exchange.posted && pthread_cond_timedwait(&i->ended, &i->mutex, &until) != ETIMEDOUT)
        ;
    bool done = i->done;
    *posted = i->exchange.posted;
    pthread_mutex_unlock(&i->mutex);
    return done;
}

// Only this thread calls `stop`.
static bool is_cancelled(struct improving *i)
{
    const struct search_options *options = &i->search->options;
    if (options->stop && options->stop(options->user))
        atomic_store(&i->cancel, true);
    return atomic_load(&i->cancel);
}

static bool stop_parts(void *user)
{
    struct improving *i = user;
    pthread_mutex_lock(&i->mutex);
    bool done = i->done;
    pthread_mutex_unlock(&i->mutex);
    return is_cancelled(i) || done;
}

// Solves parts of the posted solution. After a failure of the device no more are solved.
static void solve_parts(struct improving *i)
{
    struct exchange *x = &i->exchange;
    const struct search *s = i->search;
    const struct parts_options options = {
        .seed = s->options.seed, .memory = s->options.memory, .deadline = i->share, .stop = stop_parts, .user = i
    };
    const double start = deadline_now(&i->share);
    x->parts = parts_propose(&s->model->config, &s->instances[i->instance], &x->plan, x->round++, x->max_parts);
    x->open = parts_solve(x->parts, s->model, &options);
    const double seconds = deadline_now(&i->share) - start, count = (double)arrlen(x->parts);
    if (x->timed && count > 0 && seconds > 0)
        x->max_parts = (uint32_t)fmin(fmax(1, fmin(count * x->seconds / seconds, 2 * count)), PARTS_MAX);
    pthread_mutex_lock(&i->mutex);
    x->posted = false;
    pthread_cond_signal(&i->answered);
    pthread_mutex_unlock(&i->mutex);
}

static void wait(struct improving *i)
{
    if (!i->busy)
        return;
    bool posted;
    while (!is_done(i, &posted)) {
        is_cancelled(i);
        if (posted)
            solve_parts(i);
    }
    pthread_join(i->thread, NULL);
    i->busy = false;
}

static struct improve_options options_of(struct improving *i, uint32_t threads, const struct deadline *deadline)
{
    const struct search_options *options = &i->search->options;
    return (struct improve_options){ .seed = options->seed,
        .threads = threads,
        .iterations = options->iterations,
        .from = options->from,
        .deadline = deadline_exists(deadline) ? deadline->at : 0,
        .clock = deadline->clock,
        .clock_user = deadline->user,
        .cancel = &i->cancel };
}

// --- candidates ---------------------------------------------------------------------------------------------------

uint32_t improving_width(const struct improving *i)
{
    return i->search->count > 1 ? WIDTH_IN_LIST : WIDTH_ALONE;
}

static uint64_t mix(uint64_t a, uint64_t b, bool directed)
{
    const bool swap = b < a && !directed;
    const uint64_t edge[2] = { swap ? b : a, swap ? a : b };
    return hash_bytes(edge, sizeof edge);
}

// A sum over the edges, independent of order, and of direction unless that changes lengths.
static uint64_t signature_of(const struct solution *solution, const struct instance *instance)
{
    const bool has_depot = instance->problem->has_depot, directed = instance->distances || instance_is_open(instance);
    uint64_t sum = 0;
    for (ptrdiff_t r = 0; r < arrlen(solution->routes); r++) {
        const uint32_t *stops = solution->routes[r].stops;
        const ptrdiff_t count = arrlen(stops);
        for (ptrdiff_t k = 0; k + 1 < count; k++)
            sum += mix(stops[k], stops[k + 1], directed);
        if (count && has_depot)
            sum += mix(0, stops[0], directed) + mix(stops[count - 1], 0, directed);
        else if (count)
            sum += mix(stops[count - 1], stops[0], directed);
    }
    return sum;
}

static bool is_among(const struct finalist *list, uint64_t signature)
{
    for (ptrdiff_t k = 0; k < arrlen(list); k++) {
        if (list[k].signature == signature)
            return true;
    }
    return false;
}

void improving_add(struct improving *i, size_t instance, const struct finalist *from)
{
    struct finalist finalist = *from;
    struct candidates *group = arrlen(i->adding) ? &arrlast(i->adding) : NULL;
    if (!group || group->instance != instance) {
        arrput(i->adding, ((struct candidates){ .instance = instance }));
        group = &arrlast(i->adding);
    }
    finalist.signature = signature_of(&from->solution, &i->search->instances[instance]);
    if (is_among(group->finalists, finalist.signature)) {
        solution_finish(&finalist.solution);
        return;
    }
    arrput(group->solutions, finalist.solution);
    arrput(group->finalists, finalist);
}

static void improve_handfuls(struct improving *i)
{
    for (ptrdiff_t k = 0; k < arrlen(i->running); k++) {
        const struct candidates *group = &i->running[k];
        improve_local(&i->search->instances[group->instance], group->solutions, arrlenu(group->solutions), &i->local);
    }
}

// Stores the solution as a start if it is among the best; frees it otherwise.
static void save_start(struct improving *i, size_t instance, struct finalist *finalist)
{
    struct finalist **list = &i->starts[instance];
    const struct instance *of = &i->search->instances[instance];
    finalist->signature = signature_of(&finalist->solution, of);
    struct verdict mine, other;
    ptrdiff_t at = arrlen(*list);
    of->problem->judge(of, &finalist->solution, &mine);
    while (at > 0) {
        of->problem->judge(of, &(*list)[at - 1].solution, &other);
        if (!improve_is_better(of, &mine, &other))
            break;
        at--;
    }
    if (at >= STARTS_MAX || is_among(*list, finalist->signature)) {
        solution_finish(&finalist->solution);
        return;
    }
    arrins(*list, at, *finalist);
    if (arrlen(*list) > STARTS_MAX) {
        struct finalist last = arrpop(*list);
        solution_finish(&last.solution);
    }
}

// Copies the solution to the result if it is better.
static void answer(struct improving *i, size_t instance, const struct finalist *finalist, enum mdam_improve improve)
{
    struct search_result *result = &i->search->results[instance];
    const struct instance *of = &i->search->instances[instance];
    struct verdict verdict;
    of->problem->judge(of, &finalist->solution, &verdict);
    if (result->solved) {
        if (result->improve <= MDAM_IMPROVE_OFF)
            result->constructed = result->verdict.objective;
        result->improve = improve;
    }
    if (!verdict.feasible || (result->solved && !improve_is_better(of, &verdict, &result->verdict)))
        return;
    solution_finish(&result->solution);
    improve_copy(&result->solution, &finalist->solution);
    result->solved = true;
    result->verdict = verdict;
    result->decoding = finalist->decoding;
    result->decoder = finalist->decoder;
    result->origin = finalist->origin;
    result->improve = improve;
    result->constructed = finalist->constructed;
    if (i->search->options.improved && i->search->options.limited)
        i->search->options.improved(i->search->options.user, instance, &verdict);
}

// Judges the improved solutions in the order in which they were added.
static void judge_running(struct improving *i)
{
    for (ptrdiff_t k = 0; k < arrlen(i->running); k++) {
        struct candidates *group = &i->running[k];
        for (ptrdiff_t c = 0; c < arrlen(group->finalists); c++) {
            struct finalist *finalist = &group->finalists[c];
            finalist->solution = group->solutions[c];
            answer(i, group->instance, finalist, MDAM_IMPROVE_LOCAL);
            save_start(i, group->instance, finalist);
        }
        arrfree(group->solutions);
        arrfree(group->finalists);
    }
    arrfree(i->running);
}

static void collect(struct improving *i)
{
    wait(i);
    judge_running(i);
}

void improving_begin(struct improving *i)
{
    if (!i->ahead)
        collect(i);
    i->running = i->adding;
    i->adding = NULL;
    i->local = options_of(i, i->threads, &i->search->deadline); // the deadline may change meanwhile
    if (i->ahead) {                                             // the background has work
        improve_handfuls(i);
        judge_running(i);
    } else if (i->running) {
        start(i, improve_handfuls);
    }
}

// --- ruin and recreate --------------------------------------------------------------------------------------------

static void improve_instance(struct improving *i, size_t instance, const struct improve_options *options)
{
    const struct finalist *starts = i->starts[instance];
    struct solution *given = NULL;
    for (ptrdiff_t k = 0; k < arrlen(starts); k++)
        arrput(given, starts[k].solution); // borrowed
    improve_full(&i->search->instances[instance], given, arrlenu(given), options, &i->results[instance]);
    arrfree(given);
}

static double length_of(const struct instance *instance, const struct solution *solution)
{
    struct verdict verdict;
    instance->problem->judge(instance, solution, &verdict);
    return verdict.has_rounded ? verdict.rounded : verdict.objective;
}

// Returns the better of the current solution and the one whose parts were solved, each with the answers that fit it.
static bool put_parts(struct improving *i, const struct solution *best, struct solution *better)
{
    const struct instance *instance = &i->search->instances[i->instance];
    struct exchange *x = &i->exchange;
    struct verdict now, then;
    bool some = false;
    const double posted = length_of(instance, &x->plan), found = length_of(instance, best);
    improve_copy(better, best);
    for (ptrdiff_t k = 0; k < arrlen(x->parts); k++) {
        some = part_put(&x->parts[k], instance, better) || some;
        part_put(&x->parts[k], instance, &x->plan);
    }
    instance->problem->judge(instance, better, &now);
    instance->problem->judge(instance, &x->plan, &then);
    if (x->parts && improve_is_better(instance, &then, &now)) {
        solution_finish(better);
        improve_copy(better, &x->plan);
        some = true;
    }
    x->open = !x->trial || !x->parts || found - length_of(instance, better) > posted - found;
    if (!some)
        solution_finish(better);
    return some;
}

// Called in the background: uses the answers of the previous parts, and posts the next solution.
static bool consult(void *user, const struct solution *best, struct solution *better)
{
    struct improving *i = user;
    struct exchange *x = &i->exchange;
    pthread_mutex_lock(&i->mutex);
    while (x->posted && !x->timed)
        pthread_cond_wait(&i->answered, &i->mutex);
    const bool busy = x->posted;
    pthread_mutex_unlock(&i->mutex);
    if (busy || !x->open)
        return false;
    const bool some = put_parts(i, best, better);
    if (x->parts)
        x->left = x->pause = some ? 0 : 2 * x->pause + 1;
    parts_finish(&x->parts);
    solution_finish(&x->plan);
    if (x->left || !x->open) {
        x->left -= x->left > 0;
        return some;
    }
    improve_copy(&x->plan, some ? better : best);
    pthread_mutex_lock(&i->mutex);
    x->posted = true;
    pthread_cond_signal(&i->ended);
    pthread_mutex_unlock(&i->mutex);
    return some;
}

static void open_exchange(struct improving *i)
{
    const struct search *s = i->search;
    const bool timed = deadline_exists(&i->share), trial = s->model && gpu_info(s->model->gpu)->is_cpu;
    const double seconds = timed ? parts_share * deadline_left(&i->share) : 0;
    i->exchange = (struct exchange){ .timed = timed,
        .trial = trial,
        .seconds = seconds,
        .max_parts = trial   ? PARTS_TRIAL
                     : timed ? PARTS_FIRST
                             : PARTS };
    i->exchange.open = s->model && s->options.from == IMPROVE_FROM_ALL &&
                       parts_exist(&s->model->config, &s->instances[i->instance]) &&
                       !(trial && timed && seconds < trial_seconds);
    if (!i->exchange.open)
        return;
    i->options.consult = consult;
    i->options.consult_user = i;
}

static void close_exchange(struct improving *i)
{
    parts_finish(&i->exchange.parts);
    solution_finish(&i->exchange.plan);
    i->exchange = (struct exchange){ 0 };
}

static void improve_current(struct improving *i)
{
    improve_instance(i, i->instance, &i->options);
}

static void improve_shortly(void *user, uint32_t instance)
{
    struct improving *i = user;
    struct improve_options options = i->options;
    options.iterations = 1; // constructions and local search
    improve_instance(i, instance, &options);
}

static void improve_all_shortly(struct improving *i)
{
    i->options = options_of(i, 1, &i->search->deadline);
    threads_run(i->threads, (uint32_t)i->search->count, improve_shortly, i);
}

// The plan that ruin and recreate found, for the caller, with where it began.
static struct finalist result_of(struct improving *i, size_t instance)
{
    static const enum search_origin origins[] = {
        [IMPROVE_SAVINGS] = ORIGIN_SAVINGS, [IMPROVE_INSERTION] = ORIGIN_INSERTION, [IMPROVE_RANDOM] = ORIGIN_RANDOM
    };
    struct improve_result *from = &i->results[instance];
    struct finalist finalist = { .solution = from->solution, .constructed = from->constructed };
    if (from->origin == IMPROVE_GIVEN) {
        const struct finalist *begun = &i->starts[instance][from->given];
        finalist.origin = begun->origin;
        finalist.decoding = begun->decoding;
        finalist.decoder = begun->decoder;
        finalist.constructed = begun->constructed;
    } else {
        finalist.origin = origins[from->origin];
    }
    from->solution = (struct solution){ 0 };
    return finalist;
}

static void take_result(struct improving *i, size_t instance, enum mdam_improve improve)
{
    struct finalist finalist = result_of(i, instance);
    answer(i, instance, &finalist, improve);
    solution_finish(&finalist.solution);
}

// All remaining instances get the same share of the time.
static void improve_fully(struct improving *i)
{
    struct search *s = i->search;
    size_t left = 0;
    for (size_t k = 0; k < s->count; k++)
        left += !s->settled[k] || !s->results[k].solved;
    for (size_t k = 0; k < s->count; k++) {
        if (atomic_load(&i->cancel))
            break;
        if (s->settled[k] && s->results[k].solved)
            continue;
        i->share = deadline_share(&s->deadline, 1.0 / (double)left--);
        i->options = options_of(i, i->threads, &i->share);
        i->instance = k;
        open_exchange(i);
        start(i, improve_current);
        wait(i);
        close_exchange(i);
        take_result(i, k, MDAM_IMPROVE_FULL);
    }
}

// Begins with constructions alone: the device's solutions change the starts meanwhile.
static void improve_ahead(struct improving *i)
{
    improve_full(&i->search->instances[0], NULL, 0, &i->options, &i->results[0]);
}

bool improving_ahead(struct improving *i, const struct deadline *deadline)
{
    const struct search *s = i->search;
    i->ahead = s->count == 1 && s->options.improve == MDAM_IMPROVE_FULL && s->options.from == IMPROVE_FROM_ALL &&
               deadline_exists(deadline);
    if (i->ahead) {
        i->options = options_of(i, i->threads, deadline);
        start(i, improve_ahead);
    }
    return i->ahead;
}

// Ends what runs ahead; its plan is the answer, unless a better one was decoded, and one more start.
static void end_ahead(struct improving *i)
{
    atomic_store(&i->cancel, true);
    collect(i);
    i->ahead = false;
    struct finalist finalist = result_of(i, 0);
    if (i->search->settled[0] && i->search->results[0].solved) { // by a beam that finds the best there is
        solution_finish(&finalist.solution);
        return;
    }
    answer(i, 0, &finalist, MDAM_IMPROVE_FULL);
    save_start(i, 0, &finalist);
}

void improving_end(struct improving *i)
{
    struct search *s = i->search;
    if (i->ahead)
        end_ahead(i);
    atomic_store(&i->cancel, s->cancelled || s->asked > 0);
    collect(i);
    if (atomic_load(&i->cancel)) // unsolved instances stay unsolved
        return;
    const bool initial_used = s->options.initial && s->options.from <= IMPROVE_FROM_GIVEN;
    for (size_t k = 0; initial_used && k < s->count; k++) {
        const struct solution *initial = s->options.initial[k];
        struct finalist finalist = { .origin = ORIGIN_GIVEN };
        struct verdict verdict;
        if (!initial || initial->missing)
            continue;
        s->instances[k].problem->judge(&s->instances[k], initial, &verdict);
        if (!verdict.feasible)
            continue;
        improve_copy(&finalist.solution, initial);
        finalist.constructed = verdict.objective;
        answer(i, k, &finalist, MDAM_IMPROVE_LOCAL);
        save_start(i, k, &finalist);
    }
    if (s->options.improve == MDAM_IMPROVE_FULL) {
        improve_fully(i);
        return;
    }
    start(i, improve_all_shortly);
    wait(i);
    for (size_t k = 0; k < s->count; k++)
        take_result(i, k, MDAM_IMPROVE_LOCAL);
}

void improving_destroy(struct improving **slot)
{
    struct improving *i = *slot;
    if (!i)
        return;
    atomic_store(&i->cancel, true);
    collect(i);
    for (ptrdiff_t k = 0; k < arrlen(i->adding); k++) {
        for (ptrdiff_t c = 0; c < arrlen(i->adding[k].solutions); c++)
            solution_finish(&i->adding[k].solutions[c]);
        arrfree(i->adding[k].solutions);
        arrfree(i->adding[k].finalists);
    }
    arrfree(i->adding);
    for (size_t k = 0; k < i->search->count; k++) {
        for (ptrdiff_t c = 0; c < arrlen(i->starts[k]); c++)
            solution_finish(&i->starts[k][c].solution);
        arrfree(i->starts[k]);
        solution_finish(&i->results[k].solution);
    }
    free(i->starts);
    free(i->results);
    pthread_cond_destroy(&i->ended);
    pthread_cond_destroy(&i->answered);
    pthread_mutex_destroy(&i->mutex);
    free(i);
    *slot = NULL;
}
