#include "improve/improve.h"

#include <math.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <time.h>

#include <stb/stb_ds.h>

#include "improve/local.h"
#include "suite.h"
#include "tests/improve/support.h"

enum { TINY = 6, TINY_SPLIT = 4, TINY_COUNT = 12, PLANS = 100, PLANS_LONG = 10000 };

static MunitResult test_optimum(const MunitParameter params[], void *data)
{
    (void)params, (void)data;
    for (int p = 0; problems[p]; p++) {
        bool splits = problems[p]->splits;
        for (uint32_t i = 0; i < TINY_COUNT; i++) {
            struct instance instance = instance_drawn(problems[p], splits ? TINY_SPLIT : TINY + i % 2, i);
            for (uint32_t c = 0; splits && c < instance.n; c++)
                instance.demand[c] %= 7;
            if (splits)
                instance.capacity = 4 + i % 5;
            struct improve_options options = { .seed = i, .iterations = 2000 };
            struct improve_result result;
            improve_full(&instance, NULL, 0, &options, &result);
            struct verdict verdict = judged(&instance, &result.solution);
            double best = optimum(&instance);
            if (!verdict.feasible || fabs(verdict.objective - best) > 1e-9 * fabs(best))
                munit_errorf("%s %u: %.12g is not the best, %.12g", problems[p]->name, i, verdict.objective, best);
            solution_finish(&result.solution);
            instance_finish(&instance);
        }
    }
    return MUNIT_OK;
}

static uint32_t size_of(uint32_t i)
{
    return i < 8 ? i + 1 : 5 + i * 7 % 56;
}

// Random plans: judged feasible and never worse afterwards, and every kind of move checked against recomputation.
static void improve_plans(uint32_t count)
{
    struct audit audit = { 0 };
    for (int p = 0; problems[p]; p++) {
        double gained = 0;
        for (uint32_t i = 0; i < count; i++) {
            struct instance instance = instance_drawn(problems[p], size_of(i), i);
            struct solution plans[2] = { solution_drawn(&instance, i), solution_drawn(&instance, i + count) };
            struct verdict before[2] = { judged(&instance, &plans[0]), judged(&instance, &plans[1]) };
            munit_assert_true(before[0].feasible && before[1].feasible);
            struct improve_options options = { .audit = &audit };
            improve_local(&instance, plans, 1, &options);
            struct verdict after = judged(&instance, &plans[0]);
            expect_not_worse(&instance, &before[0], &after);
            gained += fabs(after.objective - before[0].objective) / (1e-9 + fabs(before[0].objective));
            if (i % 10 == 0) {
                options = (struct improve_options){ .iterations = 50, .seed = i };
                struct improve_result result;
                improve_full(&instance, plans, 2, &options, &result);
                struct verdict full = judged(&instance, &result.solution);
                expect_not_worse(&instance, &after, &full);
                expect_not_worse(&instance, &before[1], &full);
                solution_finish(&result.solution);
            }
            solution_finish(&plans[0]);
            solution_finish(&plans[1]);
            instance_finish(&instance);
        }
        munit_assert_double(gained / count, >, 0.1);
    }
    for (int kind = 0; kind < MOVE_KINDS; kind++)
        munit_logf(MUNIT_LOG_INFO, "move %d: %llu times", kind, (unsigned long long)audit.moves[kind]);
    for (int kind = 0; kind < MOVE_KINDS; kind++)
        munit_assert_uint64(audit.moves[kind], >, 0);
}

static MunitResult test_plans(const MunitParameter params[], void *data)
{
    (void)params, (void)data;
    improve_plans(PLANS);
    return MUNIT_OK;
}

static MunitResult test_plans_long(const MunitParameter params[], void *data)
{
    (void)params, (void)data;
    improve_plans(PLANS_LONG);
    return MUNIT_OK;
}

static void expect_same(const struct solution *a, const struct solution *b)
{
    munit_assert_size(arrlenu(a->routes), ==, arrlenu(b->routes));
    for (ptrdiff_t r = 0; r < arrlen(a->routes); r++) {
        const struct route *x = &a->routes[r], *y = &b->routes[r];
        munit_assert_size(arrlenu(x->stops), ==, arrlenu(y->stops));
        munit_assert_memory_equal(arrlenu(x->stops) * sizeof *x->stops, x->stops, y->stops);
        munit_assert_size(arrlenu(x->amounts), ==, arrlenu(y->amounts));
        if (x->amounts)
            munit_assert_memory_equal(arrlenu(x->amounts) * sizeof *x->amounts, x->amounts, y->amounts);
    }
}

static MunitResult test_threads(const MunitParameter params[], void *data)
{
    (void)params, (void)data;
    for (int p = 0; problems[p]; p++) {
        struct instance instance = instance_drawn(problems[p], 80, 3);
        struct solution plan = solution_drawn(&instance, 5);
        struct improve_result results[3];
        for (int i = 0; i < 3; i++) {
            struct improve_options options = { .seed = 11, .iterations = 900, .threads = 1u << i };
            improve_full(&instance, &plan, 1, &options, &results[i]);
            expect_same(&results[0].solution, &results[i].solution);
            munit_assert_uint64(results[i].iterations, ==, 4 * 900);
        }
        struct improve_options options = { .seed = 12, .iterations = 900 };
        struct improve_result other;
        improve_full(&instance, &plan, 1, &options, &other);
        for (int i = 0; i < 3; i++)
            solution_finish(&results[i].solution);
        solution_finish(&other.solution);
        solution_finish(&plan);
        instance_finish(&instance);
    }
    return MUNIT_OK;
}

struct adviser {
    const struct instance *instance;
    const struct solution *knows;
    uint32_t asked;
};

static bool advise(void *user, const struct solution *best, struct solution *better)
{
    struct adviser *adviser = user;
    munit_assert_true(judged(adviser->instance, best).feasible);
    if (adviser->asked++)
        return false;
    improve_copy(better, adviser->knows);
    return true;
}

// A search continues from a better plan that another one has.
static MunitResult test_consult(const MunitParameter params[], void *data)
{
    (void)params, (void)data;
    uint32_t better = 0;
    for (int p = 0; problems[p]; p++) {
        struct instance instance = instance_drawn(problems[p], 150, 3);
        struct improve_options options = { .seed = 1, .iterations = 8000 };
        struct improve_result known, alone, advised;
        improve_full(&instance, NULL, 0, &options, &known);
        struct adviser adviser = { &instance, &known.solution, 0 };
        options = (struct improve_options){ .seed = 2, .iterations = 2400 }; // rounds of a tour have 2000
        improve_full(&instance, NULL, 0, &options, &alone);
        options.consult = advise;
        options.consult_user = &adviser;
        improve_full(&instance, NULL, 0, &options, &advised);
        const struct verdict offered = judged(&instance, &known.solution), plain = judged(&instance, &alone.solution),
                             result = judged(&instance, &advised.solution);
        munit_assert_uint32(adviser.asked, >, 0);
        expect_not_worse(&instance, &offered, &result);
        better += improve_is_better(&instance, &offered, &plain);
        solution_finish(&known.solution);
        solution_finish(&alone.solution);
        solution_finish(&advised.solution);
        instance_finish(&instance);
    }
    munit_assert_uint32(better, >, 0); // than what it finds alone
    return MUNIT_OK;
}

// Seconds after its end that improvement may return. ThreadSanitizer makes code many times slower.
#ifdef __SANITIZE_THREAD__
static const double grace = 1;
#else
static const double grace = 0.1;
#endif

static double cpu_seconds(void *user)
{
    (void)user;
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

// On the processor's own clock, so that other programs do not matter.
static MunitResult test_deadline(const MunitParameter params[], void *data)
{
    (void)params, (void)data;
    for (int p = 0; problems[p]; p++) {
        struct instance instance = instance_drawn(problems[p], 1000, 1);
        struct solution plan = solution_drawn(&instance, 5);
        double start = cpu_seconds(NULL);
        struct improve_options options = { .clock = cpu_seconds, .deadline = start + 0.3 };
        struct improve_result result;
        improve_full(&instance, &plan, 1, &options, &result);
        double seconds = cpu_seconds(NULL) - start;
        munit_assert_double(seconds, <, 0.3 + grace);
        struct verdict before = judged(&instance, &plan), after = judged(&instance, &result.solution);
        expect_not_worse(&instance, &before, &after);
        solution_finish(&result.solution);
        solution_finish(&plan);
        instance_finish(&instance);
    }
    return MUNIT_OK;
}

// Without any time a feasible plan stays at least as good, and a construction replaces an infeasible one.
static MunitResult test_late(const MunitParameter params[], void *data)
{
    (void)params, (void)data;
    for (int p = 0; problems[p]; p++) {
        struct instance instance = instance_drawn(problems[p], 50, 1);
        struct solution plans[2] = { { 0 }, solution_drawn(&instance, 5) };
        struct route twice = { 0 };
        arrput(twice.stops, 7);
        arrput(twice.stops, 7);
        arrput(plans[0].routes, twice);
        munit_assert_false(judged(&instance, &plans[0]).feasible);
        for (int count = 1; count <= 2; count++) {
            struct improve_options options = { .clock = cpu_seconds, .deadline = cpu_seconds(NULL) };
            struct improve_result result;
            improve_full(&instance, plans, (size_t)count, &options, &result);
            munit_assert_uint64(result.iterations, ==, 0);
            struct verdict before = judged(&instance, &plans[1]), after = judged(&instance, &result.solution);
            munit_assert_true(after.feasible);
            if (count == 2)
                expect_not_worse(&instance, &before, &after);
            solution_finish(&result.solution);
        }
        solution_finish(&plans[0]);
        solution_finish(&plans[1]);
        instance_finish(&instance);
    }
    return MUNIT_OK;
}

struct alarm {
    double start, when, rung;
    atomic_bool cancel;
};

static double ring(void *user) // a clock that cancels
{
    struct alarm *alarm = user;
    double now = cpu_seconds(NULL);
    if (now >= alarm->when && !atomic_load(&alarm->cancel)) {
        alarm->rung = now;
        atomic_store(&alarm->cancel, true);
    }
    return now;
}

static MunitResult test_cancel(const MunitParameter params[], void *data)
{
    (void)params, (void)data;
    for (int p = 0; problems[p]; p++) {
        struct instance instance = instance_drawn(problems[p], 500, 1);
        struct alarm alarm = { .start = cpu_seconds(NULL) };
        alarm.when = alarm.start + 0.2;
        atomic_init(&alarm.cancel, false);
        struct improve_options options = {
            .clock = ring, .clock_user = &alarm, .deadline = alarm.start + 1000, .cancel = &alarm.cancel
        };
        struct improve_result result;
        improve_full(&instance, NULL, 0, &options, &result);
        munit_assert_double(cpu_seconds(NULL) - alarm.rung, <, grace);
        munit_assert_true(atomic_load(&alarm.cancel));
        munit_assert_true(judged(&instance, &result.solution).feasible);
        solution_finish(&result.solution);
        instance_finish(&instance);
    }
    return MUNIT_OK;
}

// A file's metric: moves count in it, and a limit holds in it and in the plain one.
static MunitResult test_metric(const MunitParameter params[], void *data)
{
    (void)params, (void)data;
    static const enum metric metrics[] = { METRIC_EUC_2D, METRIC_CEIL_2D, METRIC_ATT, METRIC_GEO };
    for (int p = 0; problems[p]; p++) {
        for (int m = 0; m < 4; m++) {
            struct instance instance = instance_drawn(problems[p], 60, 4);
            instance.metric = metrics[m];
            double scale = metrics[m] == METRIC_GEO ? 20 : 300;
            for (uint32_t i = 0; i < instance.n; i++)
                instance.nodes[i].x *= scale, instance.nodes[i].y *= scale;
            instance.depot.x *= scale, instance.depot.y *= scale;
            instance.max_length *= scale;
            struct solution plan = solution_drawn(&instance, 1);
            struct improve_options options = { .iterations = 300 };
            struct improve_result result;
            improve_full(&instance, &plan, 1, &options, &result);
            struct verdict before = judged(&instance, &plan), after = judged(&instance, &result.solution);
            expect_not_worse(&instance, &before, &after);
            if (metrics[m] != METRIC_GEO)
                munit_assert_false(after.rounded_too_long);
            if (!instance.problem->maximise && !instance.penalty)
                munit_assert_double(after.rounded, <, 0.9 * before.rounded);
            solution_finish(&result.solution);
            solution_finish(&plan);
            instance_finish(&instance);
        }
    }
    return MUNIT_OK;
}

// Textbook constructions are among the starts; the answer says which one it came from.
static MunitResult test_origin(const MunitParameter params[], void *data)
{
    (void)params, (void)data;
    for (int p = 0; problems[p]; p++) {
        struct instance instance = instance_drawn(problems[p], 100, 7);
        struct solution plan = solution_drawn(&instance, 1);
        struct improve_options options = { .iterations = 1 };
        struct improve_result result;
        improve_full(&instance, &plan, 1, &options, &result);
        struct verdict random = judged(&instance, &plan), after = judged(&instance, &result.solution);
        double sign = problems[p]->maximise ? -1 : 1;
        munit_assert_double(sign * after.objective, <=, sign * result.constructed);
        if (result.origin == IMPROVE_GIVEN)
            munit_assert_double(result.constructed, ==, random.objective);
        else
            munit_assert_double(sign * result.constructed, <, sign * random.objective);
        solution_finish(&result.solution);
        solution_finish(&plan);
        instance_finish(&instance);
    }
    return MUNIT_OK;
}

// Expected prizes: if the real ones are too low for the plan, the given plan stays, or all customers are visited.
static MunitResult test_expected(const MunitParameter params[], void *data)
{
    (void)params, (void)data;
    uint32_t differ = 0;
    for (uint32_t i = 0; i < 20; i++) {
        struct instance instance = instance_drawn(&problem_spctsp, 20, i);
        struct improve_options options = { .iterations = 200 };
        struct improve_result revealed, expected;
        improve_full(&instance, NULL, 0, &options, &revealed);
        options.expected = true;
        improve_full(&instance, NULL, 0, &options, &expected);
        struct verdict a = judged(&instance, &revealed.solution), b = judged(&instance, &expected.solution);
        munit_assert_true(a.feasible && b.feasible);
        differ += a.objective < b.objective * (1 - 1e-9);
        solution_finish(&revealed.solution);
        solution_finish(&expected.solution);
        instance_finish(&instance);
    }
    munit_assert_uint(differ, >, 0);
    return MUNIT_OK;
}

// Two heaps of customers, only one of which a tour can reach: constructions go to the closer one, the prizes of the
// other are larger. The way there costs more than the prize of the first customer.
static MunitResult test_region(const MunitParameter params[], void *data)
{
    (void)params, (void)data;
    enum { HEAP = 24 };
    struct instance instance = instance_drawn(&problem_op, 2 * HEAP, 1);
    instance.depot = (struct point){ 0.5, 0.5 };
    instance.max_length = 1.1;
    for (uint32_t i = 0; i < 2 * HEAP; i++) {
        double turn = 2 * 3.14159265358979 * i / HEAP;
        instance.nodes[i] = (struct point){ 0.5 + 0.05 * cos(turn), (i < HEAP ? 0.75 : 0.13) + 0.05 * sin(turn) };
        instance.prize[i] = i < HEAP ? 1 : 1.1;
    }
    for (uint64_t seed = 1; seed <= 3; seed++) {
        struct improve_options options = { .seed = seed, .iterations = 1000 };
        struct improve_result result;
        improve_full(&instance, NULL, 0, &options, &result);
        munit_assert_double(result.constructed, <=, HEAP + 1e-9);
        munit_assert_double(judged(&instance, &result.solution).objective, >=, 1.1 * HEAP - 1e-9);
        solution_finish(&result.solution);
    }
    instance_finish(&instance);
    return MUNIT_OK;
}

// Each kind of start alone: the result says so and is feasible, and random plans are worse than constructions. Without
// a feasible plan among the given ones there are constructions.
static MunitResult test_from(const MunitParameter params[], void *data)
{
    (void)params, (void)data;
    for (int p = 0; problems[p]; p++) {
        double random = 0, constructed = 0;
        for (uint32_t i = 0; i < 8; i++) {
            struct instance instance = instance_drawn(problems[p], 30, i);
            struct solution plans[] = { solution_drawn(&instance, i), { 0 } };
            for (int from = IMPROVE_FROM_GIVEN; from <= IMPROVE_FROM_RANDOM; from++) {
                struct improve_options options = { .seed = i, .from = from, .iterations = 20 };
                struct improve_result result;
                improve_full(&instance, plans, 1, &options, &result);
                munit_assert_true(judged(&instance, &result.solution).feasible);
                if (from == IMPROVE_FROM_GIVEN)
                    munit_assert_int(result.origin, ==, IMPROVE_GIVEN);
                else if (from == IMPROVE_FROM_RANDOM)
                    munit_assert_int(result.origin, ==, IMPROVE_RANDOM);
                else
                    munit_assert_true(result.origin == IMPROVE_SAVINGS || result.origin == IMPROVE_INSERTION);
                random += from == IMPROVE_FROM_RANDOM ? result.constructed : 0;
                constructed += from == IMPROVE_FROM_CONSTRUCTION ? result.constructed : 0;
                solution_finish(&result.solution);
            }
            struct improve_options options = { .from = IMPROVE_FROM_GIVEN, .iterations = 1 };
            struct improve_result result;
            const bool empty_is_feasible = judged(&instance, &plans[1]).feasible;
            improve_full(&instance, &plans[1], 1, &options, &result);
            munit_assert_true(judged(&instance, &result.solution).feasible);
            munit_assert_true((result.origin == IMPROVE_GIVEN) == empty_is_feasible);
            solution_finish(&result.solution);
            solution_finish(&plans[0]);
            instance_finish(&instance);
        }
        munit_assert_true(problems[p]->maximise ? random < constructed : random > constructed);
    }
    return MUNIT_OK;
}

static void improve_large(const struct problem *problem)
{
    struct instance instance = instance_drawn(problem, 10000, 1);
    double start = cpu_seconds(NULL);
    struct improve_options options = { .clock = cpu_seconds, .deadline = start + 2 };
    struct improve_result result;
    improve_full(&instance, NULL, 0, &options, &result);
    double seconds = cpu_seconds(NULL) - start;
    if (seconds >= 2 + grace)
        munit_errorf("%s: %.3f s", problem->name, seconds);
    munit_assert_true(judged(&instance, &result.solution).feasible);
    solution_finish(&result.solution);
    instance_finish(&instance);
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    munit_assert_int64(usage.ru_maxrss, <, 2 << 20); // KiB
}

static MunitResult test_large(const MunitParameter params[], void *data)
{
    (void)params, (void)data;
    improve_large(&problem_tsp);
    improve_large(&problem_cvrp);
    return MUNIT_OK;
}

static MunitResult test_large_all(const MunitParameter params[], void *data)
{
    (void)params, (void)data;
    for (int p = 0; problems[p]; p++)
        improve_large(problems[p]);
    return MUNIT_OK;
}

static MunitTest tests[] = {
    TEST("/optimum", test_optimum),
    TEST("/plans", test_plans),
    TEST("/from", test_from),
    TEST("/threads", test_threads),
    TEST("/consult", test_consult),
    TEST("/deadline", test_deadline),
    TEST("/late", test_late),
    TEST("/cancel", test_cancel),
    TEST("/metric", test_metric),
    TEST("/origin", test_origin),
    TEST("/expected", test_expected),
    TEST("/region", test_region),
    TEST("/large", test_large),
    TEST_END,
};
SUITE("/improve/improve", tests)

static MunitTest long_tests[] = {
    TEST("/plans", test_plans_long),
    TEST("/large", test_large_all),
    TEST_END,
};
SUITE_LONG("/improve/improve", long_tests)
