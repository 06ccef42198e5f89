// The double-precision reference: its rules against the judge and by hand, its search against brute force, and its
// gradient against differences.
#include "selftest/reference.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <stb/stb_ds.h>

#include "expect.h"
#include "format/json.h"
#include "judged.h"
#include "suite.h"
#include "util/alloc.h"
#include "util/rng.h"

static const struct problem *parameter(const MunitParameter params[])
{
    return problem_by_name(munit_parameters_get(params, "problem"));
}

static struct scaled draw(const struct problem *problem, uint32_t n, uint32_t index)
{
    struct instance instance;
    struct scaled scaled;
    struct distribution distribution = { .n_min = n, .n_max = n, .prize = PRIZE_DIST };
    problem->generate(&instance, &distribution, 7, index);
    scaled_init(&scaled, &instance);
    instance_finish(&instance);
    return scaled;
}

// --- rules ----------------------------------------------------------------------------------------------------------

static uint32_t *walk_anywhere(struct walk *walk, uint32_t index)
{
    uint32_t *actions = NULL, number[4];
    while (!walk->done) {
        uint32_t left = 0, v = 0;
        for (uint32_t i = 0; i < walk->instance->N; i++)
            left += walk->allowed[i];
        munit_assert_uint32(left, >, 0);
        rng_draw(&(struct rng){ 1, 97, index, 0 }, walk->steps, number);
        left = number[0] % left;
        while (!walk->allowed[v] || left-- > 0)
            v++;
        arrput(actions, v);
        walk_visit(walk, v);
        munit_assert_size((size_t)arrlen(actions), <, 1000);
    }
    return actions;
}

static MunitResult test_walks(const MunitParameter params[], void *data)
{
    (void)data;
    const struct problem *problem = parameter(params);
    for (uint32_t i = 0; i < 200; i++) {
        struct instance instance;
        struct scaled scaled;
        struct walk walk;
        problem->generate(&instance, &(struct distribution){ .n_min = 1, .n_max = 30, .prize = PRIZE_DIST }, 3, i);
        scaled_init(&scaled, &instance);
        walk_begin(&walk, &scaled);
        uint32_t *actions = walk_anywhere(&walk, i);
        expect_judged(&instance, &scaled, actions, walk_cost(&walk), 1e-6); // coordinates are rounded to 6e-8
        arrfree(actions);
        walk_finish(&walk);
        scaled_finish(&scaled);
        instance_finish(&instance);
    }
    return MUNIT_OK;
}

// The relevant nodes after the first COUNT of some visits, by hand.
struct relevant {
    const char *instance;
    uint32_t visits[5], count;
    const char *native, *reference; // a digit for each relevant node
};

static const char tsp[] = "{\"problem\": \"tsp\", \"nodes\": [[0,0], [1,0], [1,1], [0,1], [0.5,0.5]]}";
static const char cvrp[] = "{\"problem\": \"cvrp\", \"depot\": [0,0], \"nodes\": [[1,0], [1,1], [0,1]], "
                           "\"demand\": [6, 5, 3], \"capacity\": 10}";
static const char sdvrp[] = "{\"problem\": \"sdvrp\", \"depot\": [0,0], \"nodes\": [[1,0], [1,1], [0,1]], "
                            "\"demand\": [6, 5, 0], \"capacity\": 10}";
static const char op[] = "{\"problem\": \"op\", \"depot\": [0,0], \"nodes\": [[0.3,0], [0.6,0], [1,0]], "
                         "\"prize\": [1, 1, 1], \"max_length\": 1.3}";
static const char pctsp[] = "{\"problem\": \"pctsp\", \"depot\": [0,0], \"nodes\": [[1,0], [1,1], [0,1]], "
                            "\"prize\": [0.6, 0.6, 0.6], \"penalty\": [1, 1, 1]}";
static const struct relevant relevant[] = {
    { tsp, { 3, 1, 4 }, 2, "01234", "0124" },
    { tsp, { 3, 1, 4 }, 3, "0234", "024" },
    { cvrp, { 1, 3, 0, 2, 0 }, 2, "023", "03" },  // 2 does not fit behind 1, but a later route has room
    { cvrp, { 1, 3, 0, 2, 0 }, 3, "02", "0" },    // nothing fitted behind 3
    { cvrp, { 1, 3, 0, 2, 0 }, 5, "", "0" },      // done
    { sdvrp, { 1, 2, 0, 2, 0 }, 1, "012", "12" }, // 3 needs nothing
    { sdvrp, { 1, 2, 0, 2, 0 }, 2, "02", "02" },  // 2 is still short of 1
    { sdvrp, { 1, 2, 0, 2, 0 }, 3, "02", "0" },   // the vehicle was full
    { op, { 2, 1, 0 }, 2, "01", "013" },          // 3 was out of reach from the start
    { op, { 2, 1, 0 }, 3, "", "03" },             // 1 was not allowed at the last decision
    { pctsp, { 1, 2, 3, 0 }, 2, "023", "023" },
    { pctsp, { 1, 2, 3, 0 }, 3, "03", "3" }, // the depot was open
    { pctsp, { 1, 2, 3, 0 }, 4, "", "" },
};

static void expect_keys(const struct walk *walk, enum dialect dialect, const char *expected, size_t row)
{
    bool keys[8];
    char found[9] = "";
    walk_keys(walk, dialect, keys);
    for (uint32_t v = 0, length = 0; v < walk->instance->N; v++) {
        if (keys[v])
            found[length++] = (char)('0' + v);
    }
    if (strcmp(found, expected))
        munit_errorf("row %zu: %s keys \"%s\" instead of \"%s\"", row, dialect_name(dialect), found, expected);
}

static MunitResult test_keys(const MunitParameter params[], void *data)
{
    (void)params, (void)data;
    for (size_t i = 0; i < sizeof relevant / sizeof *relevant; i++) {
        struct instance *instances = NULL;
        struct scaled scaled;
        struct walk walk;
        munit_assert_true(instances_from_json(relevant[i].instance, strlen(relevant[i].instance), 1, &instances));
        scaled_init(&scaled, &instances[0]);
        walk_begin(&walk, &scaled);
        for (uint32_t j = 0; j < relevant[i].count; j++)
            walk_visit(&walk, relevant[i].visits[j]);
        expect_keys(&walk, DIALECT_NATIVE, relevant[i].native, i);
        expect_keys(&walk, DIALECT_REFERENCE, relevant[i].reference, i);
        walk_finish(&walk);
        scaled_finish(&scaled);
        instance_finish(&instances[0]);
        arrfree(instances);
    }
    return MUNIT_OK;
}

// --- models ---------------------------------------------------------------------------------------------------------

static const struct normalisation {
    enum dialect dialect;
    enum model_norm norm;
    enum batch_statistics batch;
} variants[] = {
    { DIALECT_NATIVE, MODEL_INSTANCE, BATCH_TRACKED },
    { DIALECT_NATIVE, MODEL_LAYER, BATCH_TRACKED },
    { DIALECT_NATIVE, MODEL_BATCH, BATCH_TRACKED },
    { DIALECT_REFERENCE, MODEL_INSTANCE, BATCH_TRACKED },
    { DIALECT_REFERENCE, MODEL_RUNNING, BATCH_TRACKED },
    // The rest depend on the batch.
    { DIALECT_NATIVE, MODEL_BATCH, BATCH_ALL },
    { DIALECT_NATIVE, MODEL_BATCH, BATCH_DECODERS },
    { DIALECT_REFERENCE, MODEL_BATCH_LIVE, BATCH_TRACKED },
};
enum { VARIANTS = sizeof variants / sizeof *variants, ALONE = 5 };

static void small_model(struct reference *model, const struct problem *problem, const struct normalisation *how)
{
    struct config config = { .problem = problem, .dialect = how->dialect, .norm = how->norm };
    config.D = config.F = 16;
    config.H = config.L = config.M = config.p = config.O = 2;
    reference_init(model, &config);
    model->batch_statistics = how->batch;
    reference_randomise(model, 5, 1.5);
}

// An instance's answer is the same with others around it, whatever their sizes.
static MunitResult test_alone(const MunitParameter params[], void *data)
{
    (void)data;
    enum { B = 3 };
    struct scaled instances[B];
    for (uint32_t b = 0; b < B; b++)
        instances[b] = draw(parameter(params), 5 + 2 * b, b);
    for (uint32_t i = 0; i < ALONE; i++) {
        struct reference model;
        struct reference_run all, one;
        small_model(&model, parameter(params), &variants[i]);
        reference_decode(&all, &model, instances, B, NULL);
        for (uint32_t b = 0; b < B; b++) {
            reference_decode(&one, &model, &instances[b], 1, NULL);
            for (uint32_t m = 0; m < model.config.M; m++) {
                const struct reference_path *p = &all.paths[m * B + b], *q = &one.paths[m];
                munit_assert_double_equal(p->log_likelihood, q->log_likelihood, 12);
                munit_assert_double_equal(p->cost, q->cost, 12);
            }
            reference_run_finish(&one);
        }
        reference_run_finish(&all);
        reference_finish(&model);
    }
    for (uint32_t b = 0; b < B; b++)
        scaled_finish(&instances[b]);
    return MUNIT_OK;
}

static MunitResult test_temperature(const MunitParameter params[], void *data)
{
    (void)params, (void)data;
    struct scaled instance = draw(&problem_cvrp, 6, 0);
    struct reference model;
    struct reference_run cold, warm;
    small_model(&model, &problem_cvrp, &variants[0]);
    reference_decode(&cold, &model, &instance, 1, NULL);
    reference_decode(&warm, &model, &instance, 1, &(struct reference_choice){ .temperature = 2.5 });
    const double *a = cold.paths[0].log_p[0]->value, *b = warm.paths[0].log_p[0]->value;
    double sum = 0;
    for (uint32_t v = 1; v <= 6; v++) {
        munit_assert_double_equal(a[v] - a[1], 2.5 * (b[v] - b[1]), 9);
        sum += exp(b[v]);
    }
    munit_assert_double_equal(sum, 1, 12);
    munit_assert_double(b[0], ==, TAPE_MASKED);
    reference_run_finish(&cold);
    reference_run_finish(&warm);
    reference_finish(&model);
    scaled_finish(&instance);
    return MUNIT_OK;
}

// --- search ---------------------------------------------------------------------------------------------------------

static double min_cost(const struct walk *at)
{
    if (at->done)
        return walk_cost(at);
    double min = INFINITY;
    for (uint32_t v = 0; v < at->instance->N; v++) {
        struct walk next;
        if (!at->allowed[v])
            continue;
        walk_copy(&next, at);
        walk_visit(&next, v);
        min = fmin(min, min_cost(&next));
        walk_finish(&next);
    }
    return min;
}

// A beam of width one is greedy, and one that holds everything finds the best there is, merging or not.
static MunitResult test_beam(const MunitParameter params[], void *data)
{
    (void)data;
    for (uint32_t i = 0; i < ALONE; i++) {
        struct scaled instance = draw(parameter(params), 4, i);
        struct reference model;
        struct reference_run greedy;
        struct walk start;
        double cost[2];
        small_model(&model, parameter(params), &variants[i]);
        reference_decode(&greedy, &model, &instance, 1, NULL);
        reference_beam(&model, &instance, 1, 3, true, cost, NULL);
        for (uint32_t m = 0; m < 2; m++)
            munit_assert_double_equal(cost[m], greedy.paths[m].cost, 12);
        walk_begin(&start, &instance);
        double min = min_cost(&start);
        for (int merge = 0; merge < 2; merge++) {
            reference_beam(&model, &instance, 1000, 5, merge, cost, NULL);
            for (uint32_t m = 0; m < 2; m++)
                munit_assert_double_equal(cost[m], min, 9);
        }
        walk_finish(&start);
        reference_run_finish(&greedy);
        reference_finish(&model);
        scaled_finish(&instance);
    }
    return MUNIT_OK;
}

// --- gradient -------------------------------------------------------------------------------------------------------

enum { GRADIENT_B = 2 };
static const double baseline[GRADIENT_B] = { 1.5, 2 };

static double loss_of(const struct reference *model, const struct scaled *instances, uint32_t **actions)
{
    struct reference_run run;
    reference_decode(&run, model, instances, GRADIENT_B, &(struct reference_choice){ .actions = actions });
    double loss = reference_loss(&run, baseline, 0.5);
    reference_run_finish(&run);
    return loss;
}

// The slope along a random direction of each tensor.
static void check_slopes(struct reference *model, const struct scaled *instances, uint32_t **actions)
{
    const double step = 1e-6;
    for (ptrdiff_t i = 0; i < arrlen(model->tensors); i++) {
        struct reference_tensor *tensor = &model->tensors[i];
        double *direction = xcalloc(tensor->count, sizeof *direction), expected = 0, norm = 0, loss[2];
        for (size_t k = 0; k < tensor->count; k++) {
            uint32_t number[4];
            rng_draw(&(struct rng){ 11, 96, (uint32_t)i, 0 }, (uint32_t)k, number);
            direction[k] = 2 * rng_unit(number[0]) - 1;
            expected += direction[k] * tensor->grad[k];
            norm += tensor->grad[k] * tensor->grad[k];
        }
        for (int side = 0; side < 2; side++) {
            for (size_t k = 0; k < tensor->count; k++)
                tensor->value[k] += (side ? -2 : 1) * step * direction[k];
            loss[side] = loss_of(model, instances, actions);
        }
        for (size_t k = 0; k < tensor->count; k++)
            tensor->value[k] += step * direction[k];
        double found = (loss[0] - loss[1]) / (2 * step);
        // Rounding of a loss of order ten, over the step; curvature, in proportion to the gradient.
        if (!(fabs(found - expected) <= 1e-6 * sqrt(norm) + 1e-7))
            munit_errorf("%s, %s, %s: slope %.9g, gradient %.9g", dialect_name(model->config.dialect),
                model_norm_name(model->config.norm), tensor->name, found, expected);
        free(direction);
    }
}

static MunitResult test_gradient(const MunitParameter params[], void *data)
{
    (void)data;
    struct scaled instances[GRADIENT_B] = { draw(parameter(params), 5, 0), draw(parameter(params), 6, 1) };
    for (uint32_t i = 0; i < VARIANTS; i++) {
        struct reference model;
        struct reference_run run;
        small_model(&model, parameter(params), &variants[i]);
        reference_decode(&run, &model, instances, GRADIENT_B, &(struct reference_choice){ .sample = true, .seed = 3 });
        reference_backward(&model, &run, baseline, 0.5);
        uint32_t *actions[2 * GRADIENT_B];
        for (uint32_t k = 0; k < 2 * GRADIENT_B; k++)
            actions[k] = run.paths[k].actions;
        check_slopes(&model, instances, actions);
        reference_run_finish(&run);
        reference_finish(&model);
    }
    scaled_finish(&instances[0]);
    scaled_finish(&instances[1]);
    return MUNIT_OK;
}

static MunitTest tests[] = {
    { "/walks", test_walks, NULL, NULL, MUNIT_TEST_OPTION_NONE, every_problem },
    TEST("/keys", test_keys),
    { "/alone", test_alone, NULL, NULL, MUNIT_TEST_OPTION_NONE, every_problem },
    TEST("/temperature", test_temperature),
    { "/beam", test_beam, NULL, NULL, MUNIT_TEST_OPTION_NONE, every_problem },
    { "/gradient", test_gradient, NULL, NULL, MUNIT_TEST_OPTION_NONE, every_problem },
    TEST_END,
};
SUITE("/model/reference", tests)
