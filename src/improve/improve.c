#include "improve/improve.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <stb/stb_ds.h>

#include "improve/chain.h"
#include "improve/start.h"
#include "util/alloc.h"
#include "util/clock.h"
#include "util/threads.h"

// Number of chains, for any number of threads; neighbours of a site for each kind of search; iterations between two
// comparisons of chains; how often a chain that fell behind restarts from the best one.
enum { CHAINS = 4, NEAR_LOCAL = 20, NEAR_FULL = 64, ROUND = 200, ROUND_TOUR = 2000, RALLIES = 20 };
enum { ITERATIONS_EACH = 1000 }; // per customer, if nothing else ends the search
enum { POLISHED = 2000 };        // max customers for which local search of a whole solution takes negligible time

// Progress before which no chain restarts: together they soon know only one region.
static const double apart = 0.6;

// Temperatures in units of the objective per customer, at the start and at the end.
static const double hot = 0.1, cold = 0.003, hot_tour = 0.1, cold_tour = 0.01;

bool improve_is_better(const struct instance *instance, const struct verdict *a, const struct verdict *b)
{
    if (a->feasible != b->feasible)
        return a->feasible;
    double first = a->has_rounded ? a->rounded : a->objective, second = b->has_rounded ? b->rounded : b->objective;
    if (first != second)
        return instance->problem->maximise ? first > second : first < second;
    return a->length < b->length * (1 - 1e-12);
}

void improve_copy(struct solution *to, const struct solution *from)
{
    *to = (struct solution){ 0 };
    for (ptrdiff_t r = 0; r < arrlen(from->routes); r++) {
        struct route route = { 0 };
        for (ptrdiff_t s = 0; s < arrlen(from->routes[r].stops); s++)
            arrput(route.stops, from->routes[r].stops[s]);
        for (ptrdiff_t s = 0; s < arrlen(from->routes[r].amounts); s++)
            arrput(route.amounts, from->routes[r].amounts[s]);
        arrput(to->routes, route);
    }
}

static double system_clock(void *user)
{
    (void)user;
    return clock_seconds();
}

static struct watch watch_of(const struct improve_options *options)
{
    return (struct watch){ options->clock ? options->clock : system_clock, options->clock_user,
        options->deadline ? options->deadline : INFINITY, options->cancel };
}

// Converts a feasible solution to a record. Split loads without amounts get those that the judge assumes.
static bool record_given(struct record *record, const struct task *task, const struct solution *solution)
{
    struct verdict verdict;
    task->instance->problem->judge(task->instance, solution, &verdict);
    if (!verdict.feasible)
        return false;
    struct solution copy;
    improve_copy(&copy, solution);
    if (task->split)
        solution_deliver(task->instance, &copy);
    record_from_solution(record, task, &copy);
    solution_finish(&copy);
    return true;
}

// Replaces the solution if the judge finds the record better.
static bool put_better(const struct task *task, const struct record *record, struct solution *solution)
{
    const struct problem *problem = task->instance->problem;
    struct solution next;
    struct verdict before, after;
    record_to_solution(record, task, &next);
    problem->judge(task->instance, &next, &after);
    problem->judge(task->instance, solution, &before);
    bool better = after.feasible && improve_is_better(task->instance, &after, &before);
    if (better) {
        struct solution old = *solution;
        *solution = next;
        next = old;
    }
    solution_finish(&next);
    return better;
}

// Makes a state feasible and complete: a given solution may be neither within the judge's tolerance.
static void mend(struct state *state)
{
    const struct task *task = state->task;
    for (uint32_t r = 0; r < state->routes; r++) {
        while (state->length[r] > task->limit && state->count[r]) {
            uint32_t worst = NONE, depot = state->depots + r;
            double largest = -INFINITY;
            for (uint32_t i = state->next[depot]; i != depot; i = state->next[i]) {
                uint32_t p = state->prev[i], q = state->next[i];
                double less = state_between(state, p, i) + state_between(state, i, q) - state_between(state, p, q);
                double gain = task->pace * less - task->penalty[i];
                if (gain > largest)
                    largest = gain, worst = i;
            }
            state_remove(state, worst);
        }
    }
    if (state_complete(state))
        return;
    struct placer placer;
    placer_init(&placer, state, NULL, task->near_count, 0);
    for (uint32_t i = 1; !task->penalty && i <= task->customers; i++) {
        if (task->split ? state->missing[i] > 0 : state->route[i] == NONE)
            place_site(&placer, i, true);
    }
    if (task->penalty)
        place_prize(&placer, NULL, 0);
    placer_finish(&placer);
}

struct locals {
    const struct task *task;
    const struct watch *watch;
    struct audit *audit;
    struct solution *solutions;
};

static void improve_one(void *user, uint32_t i)
{
    const struct locals *locals = user;
    struct record record = { 0 };
    if (watch_ended(locals->watch) || !record_given(&record, locals->task, &locals->solutions[i])) {
        record_finish(&record);
        return;
    }
    struct chain chain;
    chain_init(&chain, locals->task, locals->watch, 0, 0);
    chain.local.audit = locals->audit;
    if (!chain.is_tour) {
        state_load(&chain.state, &record);
        mend(&chain.state);
        state_save(&chain.state, &record);
    }
    chain_polish(&chain, &record);
    chain_finish(&chain);
    put_better(locals->task, &record, &locals->solutions[i]);
    record_finish(&record);
}

void improve_local(
    const struct instance *instance, struct solution *solutions, size_t count, const struct improve_options *options)
{
    struct task task;
    struct watch watch = watch_of(options);
    task_init(&task, instance, !options->expected, NEAR_LOCAL);
    struct locals locals = { &task, &watch, options->audit, solutions };
    if (task.customers)
        threads_run(options->threads, (uint32_t)count, improve_one, &locals);
    task_finish(&task);
}

// Arcs that have to stay are shorter by far than any other, one way.
static void keep_arcs(struct task *task, const uint32_t *actions, uint32_t count)
{
    const bool has_depot = task->instance->problem->has_depot;
    const size_t sites = task->customers + 1;
    double *matrix = xcalloc(sites * sites, sizeof *matrix), largest = 1;
    uint32_t *site = xcalloc(task->instance->n + 1, sizeof *site), last = has_depot ? 0 : NONE, kept = 0;
    for (uint32_t a = 0; a < sites; a++) {
        site[task->number[a]] = a;
        for (uint32_t b = 0; b < sites; b++) {
            matrix[a * sites + b] = task_distance(task, a, b);
            largest = fmax(largest, matrix[a * sites + b]);
        }
    }
    const double shorter = 1000 * largest;
    for (uint32_t k = 0; k < count; k++) {
        uint32_t next = site[actions[k] + !has_depot];
        if (last != NONE && last != next) {
            matrix[last * sites + next] -= shorter;
            kept++;
        }
        last = next;
    }
    task_set_matrix(task, matrix);
    task->limit -= kept * shorter;
    free(matrix);
    free(site);
}

void improve_rest(const struct instance *instance, struct solution *solution, const uint32_t *actions, uint32_t count,
    const struct improve_options *options)
{
    struct task task;
    struct watch watch = watch_of(options);
    task_init(&task, instance, !options->expected, NEAR_LOCAL);
    struct locals locals = { &task, &watch, options->audit, solution };
    if (task.customers) {
        keep_arcs(&task, actions, count);
        improve_one(&locals, 0);
    }
    task_finish(&task);
}

struct start {
    enum improve_origin origin;
    size_t given;       // its index; IMPROVE_RANDOM: its number
    double constructed; // its objective
    struct record record;
    bool nearest; // insertion by length alone
    bool usable;
};

struct full {
    const struct task *task;
    struct watch watch;
    const struct improve_options *options;
    const struct solution *given;
    size_t given_count;
    struct start *starts; // stb_ds array, the best first
    double promising;     // max cost of starts that local search may still make the best
    struct chain chains[CHAINS];
    uint32_t round;
    double heat;
};

static double objective_of(const struct full *full, const struct start *start)
{
    const struct instance *instance = full->task->instance;
    struct solution solution;
    struct verdict verdict;
    if (start->origin == IMPROVE_GIVEN) {
        instance->problem->judge(instance, &full->given[start->given], &verdict);
        return verdict.objective;
    }
    record_to_solution(&start->record, full->task, &solution);
    instance->problem->judge(instance, &solution, &verdict);
    solution_finish(&solution);
    return verdict.objective;
}

static bool load_given(struct state *state, const struct solution *solution)
{
    struct record record = { 0 };
    bool usable = record_given(&record, state->task, solution);
    if (usable) {
        state_load(state, &record);
        mend(state);
    }
    record_finish(&record);
    return usable;
}

static void make_start(void *user, uint32_t i)
{
    struct full *full = user;
    struct start *start = &full->starts[i];
    struct state state;
    state_init(&state, full->task);
    if (full->given_count && start->origin != IMPROVE_GIVEN && watch_ended(&full->watch)) {
        start->usable = false;
    } else if (start->origin == IMPROVE_GIVEN) {
        start->usable = load_given(&state, &full->given[start->given]);
    } else if (start->origin == IMPROVE_SAVINGS) {
        start->usable = start_savings(&state);
    } else if (start->origin == IMPROVE_RANDOM) {
        start->usable = start_random(&state, dice_make(full->options->seed, CHAINS + (uint32_t)start->given));
    } else {
        start_insertion(&state, start->nearest);
        start->usable = state_complete(&state) || start_packing(&state);
    }
    if (start->usable) {
        state_recount(&state);
        state_save(&state, &start->record);
        start->constructed = objective_of(full, start);
    }
    state_finish(&state);
}

// Improves a start by local search; a large one only if it may become the best.
static void polish_start(void *user, uint32_t i)
{
    struct full *full = user;
    struct start *start = &full->starts[i];
    if (!start->usable || (full->task->customers > POLISHED && start->record.cost > full->promising))
        return;
    struct chain *chain = xcalloc(1, sizeof *chain);
    chain_init(chain, full->task, &full->watch, 0, 0);
    chain_polish(chain, &start->record);
    chain_finish(chain);
    free(chain);
}

static int by_cost(const void *left, const void *right)
{
    const struct start *a = left, *b = right;
    if (a->usable != b->usable)
        return a->usable ? -1 : 1;
    if (a->record.cost != b->record.cost)
        return a->record.cost < b->record.cost ? -1 : 1;
    if (a->origin != b->origin)
        return (int)a->origin - (int)b->origin;
    return a->given != b->given ? (a->given < b->given ? -1 : 1) : (int)a->nearest - (int)b->nearest;
}

static void run_chain(void *user, uint32_t c)
{
    struct full *full = user;
    chain_run(&full->chains[c], full->round, full->heat);
}

// Finds the chains with the best and the worst solution.
static void compare_chains(const struct full *full, uint32_t *best, uint32_t *worst)
{
    *best = *worst = 0;
    for (uint32_t c = 1; c < CHAINS; c++) {
        if (full->chains[c].best.cost < full->chains[*best].best.cost)
            *best = c;
        if (full->chains[c].best.cost >= full->chains[*worst].best.cost)
            *worst = c;
    }
}

// Restarts the worst chain from the best solution, after local search.
static void rally(struct full *full)
{
    uint32_t best, worst;
    compare_chains(full, &best, &worst);
    if (best == worst)
        return;
    struct record record = { 0 };
    record_copy(&record, &full->chains[best].best);
    if (full->task->customers <= POLISHED)
        chain_polish(&full->chains[worst], &record);
    chain_begin(&full->chains[worst], &record, full->chains[best].start);
    record_finish(&record);
}

// Restarts the worst chain from a better solution if the caller has one.
static void consult(struct full *full)
{
    const struct improve_options *options = full->options;
    struct solution solution, better = { 0 };
    struct record record = { 0 };
    struct state state;
    uint32_t best, worst;
    if (!options->consult)
        return;
    compare_chains(full, &best, &worst);
    record_to_solution(&full->chains[best].best, full->task, &solution);
    state_init(&state, full->task);
    if (options->consult(options->consult_user, &solution, &better) && load_given(&state, &better)) {
        state_recount(&state);
        state_save(&state, &record);
        if (full->task->customers <= POLISHED)
            chain_polish(&full->chains[worst], &record);
        chain_begin(&full->chains[worst], &record, full->chains[best].start);
    }
    state_finish(&state);
    record_finish(&record);
    solution_finish(&better);
    solution_finish(&solution);
}

static void run_chains(struct full *full)
{
    const struct improve_options *options = full->options;
    const struct task *task = full->task;
    bool timed = full->watch.deadline < INFINITY;
    uint64_t total = options->iterations, done = 0;
    if (!total)
        total = timed ? UINT64_MAX : (uint64_t)ITERATIONS_EACH * task->customers;
    double start = full->watch.clock(full->watch.user), progress = 0;
    int rallies = 0;
    bool tour = full->chains[0].is_tour;
    while (done < total && !watch_ended(&full->watch)) {
        uint32_t max_round = tour ? ROUND_TOUR : ROUND;
        full->round = total - done < max_round ? (uint32_t)(total - done) : max_round;
        progress = (double)done / (double)total;
        if (timed)
            progress = fmax(progress, (full->watch.clock(full->watch.user) - start) / (full->watch.deadline - start));
        double from = tour ? hot_tour : hot, to = tour ? cold_tour : cold;
        full->heat = from * pow(to / from, fmin(progress, 1));
        if (progress * RALLIES >= rallies + 1) {
            if (tour || progress >= apart)
                rally(full);
            consult(full);
            rallies = (int)(progress * RALLIES);
        }
        threads_run(options->threads, CHAINS, run_chain, full);
        done += full->round;
    }
}

// Replaces the result if the solution is better; owns the solution from then on.
static void offer(struct full *full, struct improve_result *result, struct verdict *verdict, struct solution *solution,
    const struct start *start)
{
    const struct instance *instance = full->task->instance;
    struct verdict next;
    instance->problem->judge(instance, solution, &next);
    if (!next.feasible || (verdict->feasible && !improve_is_better(instance, &next, verdict))) {
        solution_finish(solution);
        return;
    }
    solution_finish(&result->solution);
    result->solution = *solution;
    result->origin = start->origin;
    result->given = start->given;
    result->constructed = start->constructed;
    *verdict = next;
}

static void set_result(struct full *full, struct improve_result *result)
{
    struct verdict verdict = { .feasible = false };
    struct solution solution;
    *result = (struct improve_result){ 0 };
    for (size_t i = 0; i < arrlenu(full->starts); i++) { // as given
        if (full->starts[i].origin == IMPROVE_GIVEN && full->starts[i].usable) {
            improve_copy(&solution, &full->given[full->starts[i].given]);
            offer(full, result, &verdict, &solution, &full->starts[i]);
        }
    }
    for (uint32_t c = 0; c < CHAINS; c++) {
        record_to_solution(&full->chains[c].best, full->task, &solution);
        offer(full, result, &verdict, &solution, &full->starts[full->chains[c].start]);
        result->iterations += full->chains[c].iterations;
    }
    if (verdict.feasible)
        return;
    // Solutions with expected prizes collect too little: visit every customer.
    struct start *last = &full->starts[arrlen(full->starts) - 1];
    struct state state;
    struct placer placer;
    struct record record = { 0 };
    state_init(&state, full->task);
    placer_init(&placer, &state, NULL, NEAR_FULL, 0);
    for (uint32_t i = 1; i <= full->task->customers; i++)
        place_site(&placer, i, true);
    state_save(&state, &record);
    record_to_solution(&record, full->task, &solution);
    offer(full, result, &verdict, &solution, last);
    placer_finish(&placer);
    state_finish(&state);
    record_finish(&record);
}

static void list_starts(struct full *full, enum improve_from from)
{
    if (from == IMPROVE_FROM_CONSTRUCTION || from == IMPROVE_FROM_RANDOM)
        full->given_count = 0;
    for (size_t i = 0; i < full->given_count; i++)
        arrput(full->starts, ((struct start){ .origin = IMPROVE_GIVEN, .given = i }));
    for (size_t c = 0; from == IMPROVE_FROM_RANDOM && c < CHAINS; c++)
        arrput(full->starts, ((struct start){ .origin = IMPROVE_RANDOM, .given = c }));
    if (arrlen(full->starts) && from != IMPROVE_FROM_ALL)
        return;
    arrput(full->starts, (struct start){ .origin = IMPROVE_SAVINGS });
    arrput(full->starts, ((struct start){ .origin = IMPROVE_INSERTION }));
    if (full->task->penalty) // the first insertion leaves customers out early; chains differ more with another start
        arrput(full->starts, ((struct start){ .origin = IMPROVE_INSERTION, .nearest = true }));
}

void improve_full(const struct instance *instance, const struct solution *given, size_t count,
    const struct improve_options *options, struct improve_result *result)
{
    struct task task;
    struct full *full = xcalloc(1, sizeof *full);
    task_init(&task, instance, !options->expected, NEAR_FULL);
    *full = (struct full){
        .task = &task, .watch = watch_of(options), .options = options, .given = given, .given_count = count
    };
    list_starts(full, options->from);
    uint32_t starts = (uint32_t)arrlen(full->starts);
    threads_run(options->threads, starts, make_start, full);
    qsort(full->starts, starts, sizeof *full->starts, by_cost);
    if (!full->starts[0].usable) { // none is feasible, or the time is over
        arrsetlen(full->starts, 0);
        list_starts(full, IMPROVE_FROM_CONSTRUCTION);
        starts = (uint32_t)arrlen(full->starts);
        for (uint32_t i = 0; i < starts; i++)
            make_start(full, i);
        qsort(full->starts, starts, sizeof *full->starts, by_cost);
    }
    if (!full->starts[0].usable) { // too few vehicles
        *result = (struct improve_result){ .origin = IMPROVE_INSERTION };
        arrfree(full->starts);
        task_finish(&task);
        free(full);
        return;
    }
    full->promising = 1.05 * full->starts[0].record.cost;
    threads_run(options->threads, starts, polish_start, full);
    qsort(full->starts, starts, sizeof *full->starts, by_cost);
    uint32_t usable = 0;
    while (usable < starts && full->starts[usable].usable)
        usable++;
    for (uint32_t c = 0; c < CHAINS; c++) {
        chain_init(&full->chains[c], &task, &full->watch, options->seed, c);
        uint32_t start = c % usable;
        chain_begin(&full->chains[c], &full->starts[start].record, start);
    }
    if (task.customers > 1)
        run_chains(full);
    set_result(full, result);
    for (uint32_t c = 0; c < CHAINS; c++)
        chain_finish(&full->chains[c]);
    for (size_t i = 0; i < arrlenu(full->starts); i++)
        record_finish(&full->starts[i].record);
    arrfree(full->starts);
    task_finish(&task);
    free(full);
}
