// Checks when a search ends, with a clock that the test moves.
#include "search/deadline.h"

#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "suite.h"
#include "tests/search/support.h"
#include "util/clock.h"
#include "util/error.h"

enum { COUNT = 4, NODES = 10 };

// A clock that advances by `step` at every reading.
struct clock {
    double now, step;
};

static double look(void *user)
{
    struct clock *clock = user;
    return clock->now += clock->step;
}

struct setup {
    struct gpu *gpu;
    struct model *model;
    struct instance instances[COUNT];
    struct search_result results[COUNT];
    struct clock clock;
};

static bool open_setup(struct setup *s, const MunitParameter params[])
{
    *s = (struct setup){ 0 };
    if (!test_gpu_open(&s->gpu, params))
        return false;
    const struct problem *problem = problem_by_name("cvrp");
    s->model = search_model(s->gpu, problem, 1, 4, DIALECT_NATIVE);
    for (uint32_t i = 0; i < COUNT; i++)
        problem->generate(&s->instances[i], &(struct distribution){ NODES + i, NODES + i, 12, 12 }, 7, i);
    return true;
}

static void close_setup(struct setup *s)
{
    for (int i = 0; i < COUNT; i++)
        instance_finish(&s->instances[i]);
    model_destroy(&s->model);
    gpu_close(&s->gpu);
}

// Searches for LIMIT seconds of a clock that goes on by STEP; 0: without a limit. Returns how many are solved.
static uint32_t search(struct setup *s, struct search_options options, double limit, double step)
{
    s->clock = (struct clock){ 100, step };
    struct deadline deadline = limit > 0 ? deadline_after(100, limit) : deadline_never();
    deadline.clock = look;
    deadline.user = &s->clock;
    options.limited = limit > 0;
    options.improve = MDAM_IMPROVE_OFF;
    options.decoding = (struct decoding){ MDAM_DECODE_BEAM, .merge = true, .augment = 1 };
    uint32_t solved = 0;
    search_all(s->model, s->instances, COUNT, &options, &deadline, s->results);
    for (int i = 0; i < COUNT; i++) {
        solved += s->results[i].solved;
        search_result_finish(&s->results[i]);
    }
    return solved;
}

// The time is used, and the end comes in time.
static MunitResult test_used(const MunitParameter params[], void *data)
{
    (void)data;
    struct setup s;
    if (!open_setup(&s, params))
        return MUNIT_SKIP;
    static const double limits[] = { 0.5, 1, 3 };
    for (size_t i = 0; i < sizeof limits / sizeof *limits; i++) {
        const struct search_options options = { .memory = 4 << 20 }; // a few hundred hypotheses
        munit_assert_uint32(search(&s, options, limits[i], limits[i] / 500), ==, COUNT);
        munit_assert_double(s.clock.now, <, 100 + 1.01 * limits[i]);
        munit_assert_double(s.clock.now, >, 100 + 0.85 * limits[i]);
    }
    close_setup(&s);
    return MUNIT_OK;
}

static void count_decisions(void *user, uint32_t decisions, uint32_t max_decisions)
{
    (void)max_decisions;
    *(uint32_t *)user += decisions;
}

// First answers that take much too long are abandoned, before any decision if the time is over by then; the finished
// ones stay.
static MunitResult test_first(const MunitParameter params[], void *data)
{
    (void)data;
    struct setup s;
    if (!open_setup(&s, params))
        return MUNIT_SKIP;
    uint32_t decisions = 0;
    const struct search_options together = { 0 }, alone = { .memory = 1 };
    const struct search_options counted = { .working = count_decisions, .user = &decisions };
    munit_assert_uint32(search(&s, counted, 1, 10), ==, 0);
    munit_assert_uint32(decisions, ==, 0);
    uint32_t some = search(&s, alone, 1, 0.05);
    munit_assert_uint32(some, >, 0);
    munit_assert_uint32(some, <, COUNT);
    munit_assert_double(s.clock.now, <, 102);
    // A first answer may be a little late.
    munit_assert_uint32(search(&s, together, 0.01, 0.001), ==, COUNT);
    close_setup(&s);
    return MUNIT_OK;
}

static bool yes(void *user)
{
    (void)user;
    return true;
}

// A stop before there is an answer: it comes within two seconds, or not at all.
static MunitResult test_stop(const MunitParameter params[], void *data)
{
    (void)data;
    struct setup s;
    if (!open_setup(&s, params))
        return MUNIT_SKIP;
    const struct search_options together = { .stop = yes }, alone = { .stop = yes, .memory = 1 };
    munit_assert_uint32(search(&s, together, 0, 1), ==, 0);
    munit_assert_double(s.clock.now, <, 110);
    munit_assert_uint32(search(&s, together, 0, 0.001), ==, 3); // of similar size: one batch
    munit_assert_uint32(search(&s, alone, 0, 0.001), ==, 1);
    close_setup(&s);
    return MUNIT_OK;
}

// With a time limit and improvement, constructions of a single instance are improved while the network decodes:
// stopped at once, the search still has an answer, which no decoder found.
static MunitResult test_ahead(const MunitParameter params[], void *data)
{
    (void)data;
    struct setup s;
    if (!open_setup(&s, params))
        return MUNIT_SKIP;
    const struct search_options options = { .stop = yes,
        .limited = true,
        .improve = MDAM_IMPROVE_FULL,
        .decoding = { MDAM_DECODE_BEAM, .merge = true, .augment = 1 } };
    const double start = clock_seconds();
    struct deadline deadline = deadline_after(start, 60);
    search_all(s.model, s.instances, 1, &options, &deadline, s.results);
    munit_assert_true(s.results[0].solved);
    munit_assert_true(s.results[0].verdict.feasible);
    munit_assert_int(s.results[0].origin, !=, ORIGIN_DECODER);
    munit_assert_int(s.results[0].improve, ==, MDAM_IMPROVE_FULL);
    munit_assert_double(clock_seconds() - start, <, 30);
    search_result_finish(&s.results[0]);
    close_setup(&s);
    return MUNIT_OK;
}

static size_t count_pipelines(const struct setup *s)
{
    double seconds;
    return gpu_pipeline_count(s->gpu, &seconds);
}

// The end is looked at before every kernel is built; the device works on.
static MunitResult test_kernels(const MunitParameter params[], void *data)
{
    (void)data;
    struct setup s;
    if (!open_setup(&s, params))
        return MUNIT_SKIP;
    const struct search_options options = { 0 };
    const size_t before = count_pipelines(&s);
    munit_assert_uint32(search(&s, options, 1, 0.4), ==, 0);
    const size_t few = count_pipelines(&s) - before;
    munit_assert_double(s.clock.now, <, 104);
    munit_assert_string_equal(error_text(), "");
    munit_assert_uint32(search(&s, options, 0.01, 0.001), ==, COUNT);
    munit_assert_size(few, >, 0);
    munit_assert_size(few, <, 5);
    munit_assert_size(count_pipelines(&s) - before, >, 2 * few);
    close_setup(&s);
    return MUNIT_OK;
}

// A clock that advances when the searching thread reads it, not when those of ruin and recreate do.
struct own_clock {
    pthread_t thread;
    _Atomic double now;
    double step;
};

static double look_alone(void *user)
{
    struct own_clock *clock = user;
    if (pthread_equal(pthread_self(), clock->thread))
        atomic_store(&clock->now, atomic_load(&clock->now) + clock->step);
    return atomic_load(&clock->now);
}

struct told {
    uint32_t decisions, late, solved;
};

static void tell_decisions(void *user, uint32_t decisions, uint32_t max_decisions)
{
    (void)max_decisions;
    struct told *told = user;
    told->decisions = decisions > told->decisions ? decisions : told->decisions;
}

static void tell_late(void *user, size_t instance, bool late)
{
    munit_assert_size(instance, ==, 0);
    munit_assert_true(late);
    ((struct told *)user)->late++;
}

static void tell_solved(void *user, size_t instance, const struct verdict *verdict)
{
    (void)instance, (void)verdict;
    ((struct told *)user)->solved++;
}

static bool is_told(void *user) // ends the test
{
    const struct told *told = user;
    return told->late || told->solved;
}

// A network that is too slow for the time limit stops once that shows, and the caller hears of it; a faster one does
// not.
static MunitResult test_late(const MunitParameter params[], void *data)
{
    (void)data;
    enum { CUSTOMERS = 200 };
    struct gpu *gpu;
    if (!test_gpu_open(&gpu, params))
        return MUNIT_SKIP;
    const struct problem *problem = problem_by_name("cvrp");
    struct model *model = search_model(gpu, problem, 1, 4, DIALECT_NATIVE);
    struct instance instance;
    problem->generate(&instance, &(struct distribution){ CUSTOMERS, CUSTOMERS, 40, 40 }, 7, 0);
    for (int slow = 0; slow < 2; slow++) {
        struct told told = { 0 };
        struct own_clock clock = { pthread_self(), 100, slow ? 0.1 : 0.001 };
        const struct search_options options = { .limited = true,
            .improve = MDAM_IMPROVE_FULL,
            .decoding = { MDAM_DECODE_BEAM, .merge = true, .augment = 1 },
            .working = tell_decisions,
            .left_out = tell_late,
            .improved = tell_solved,
            .stop = is_told,
            .user = &told };
        struct deadline deadline = deadline_after(100, 10);
        deadline.clock = look_alone;
        deadline.user = &clock;
        struct search_result result = { 0 };
        search_all(model, &instance, 1, &options, &deadline, &result);
        munit_assert_true(result.solved && result.verdict.feasible);
        munit_assert_uint32(told.late, ==, (uint32_t)slow);
        if (slow) // two thirds of the time for first solutions would have passed by half of the decisions
            munit_assert_uint32(told.decisions, <, CUSTOMERS / 4);
        else
            munit_assert_uint32(told.decisions, >=, CUSTOMERS - 1);
        search_result_finish(&result);
    }
    instance_finish(&instance);
    model_destroy(&model);
    gpu_close(&gpu);
    return MUNIT_OK;
}

static MunitTest tests[] = {
    { "/late", test_late, NULL, NULL, MUNIT_TEST_OPTION_NONE, NULL },
    { "/used", test_used, NULL, NULL, MUNIT_TEST_OPTION_NONE, NULL },
    { "/first", test_first, NULL, NULL, MUNIT_TEST_OPTION_NONE, NULL },
    { "/kernels", test_kernels, NULL, NULL, MUNIT_TEST_OPTION_NONE, NULL },
    { "/ahead", test_ahead, NULL, NULL, MUNIT_TEST_OPTION_NONE, NULL },
    { "/stop", test_stop, NULL, NULL, MUNIT_TEST_OPTION_NONE, NULL },
    { NULL, NULL, NULL, NULL, MUNIT_TEST_OPTION_NONE, NULL },
};
SUITE("/search/deadline", tests)
