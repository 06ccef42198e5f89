// Local search below the interface: distances that differ by direction, and neighbours.
#include "improve/local.h"

#include <math.h>
#include <stdlib.h>

#include <stb/stb_ds.h>

#include "improve/chain.h"
#include "suite.h"
#include "tests/improve/support.h"
#include "util/alloc.h"

// Distances there are up to twice those back, in a way that no symmetric search could mistake.
static double *directed(const struct task *task)
{
    size_t sites = task->customers + 1;
    double *matrix = xcalloc(sites * sites, sizeof *matrix);
    for (uint32_t a = 0; a < sites; a++) {
        for (uint32_t b = 0; b < sites; b++)
            matrix[a * sites + b] = task_measure(task, a, b) * (1 + (a * 7 + b * 13) % 11 / 10.0);
    }
    return matrix;
}

static double length_of(const struct task *task, const struct record *record)
{
    double length = 0;
    uint32_t from = 0;
    for (ptrdiff_t i = 0; i < arrlen(record->sites); i++) {
        length += task_distance(task, from, record->sites[i]);
        from = record->sites[i];
    }
    return length;
}

static MunitResult test_directed(const MunitParameter params[], void *data)
{
    (void)params, (void)data;
    struct audit audit = { 0 };
    for (int p = 0; problems[p]; p++) {
        for (uint32_t i = 0; i < 40; i++) {
            struct instance instance = instance_drawn(problems[p], 5 + i, i);
            struct solution plan = solution_drawn(&instance, i);
            struct task task;
            task_init(&task, &instance, true, 20);
            double *matrix = directed(&task);
            task_set_matrix(&task, matrix);
            free(matrix);
            task.limit *= 2; // what was within it on the way there is within twice that on the way back
            struct watch watch = { .deadline = INFINITY };
            struct chain chain;
            chain_init(&chain, &task, &watch, i, 0);
            munit_assert_false(chain.is_tour);
            chain.local.audit = &audit;
            struct record record = { 0 };
            record_from_solution(&record, &task, &plan);
            state_load(&chain.state, &record);
            record.cost = state_cost(&chain.state);
            double before = record.cost;
            chain_polish(&chain, &record);
            munit_assert_double(record.cost, <=, before + 1e-9);
            double length = length_of(&task, &record);
            munit_assert_double(fabs(length - chain.state.total), <=, 1e-9 * length);
            chain_begin(&chain, &record, 0);
            chain_run(&chain, 300, 0.1);
            munit_assert_double(chain.best.cost, <=, record.cost);
            state_load(&chain.state, &chain.best);
            munit_assert_double(fabs(state_cost(&chain.state) - chain.best.cost), <=, 1e-9 * fabs(before));
            for (uint32_t r = 0; r < chain.state.routes; r++)
                munit_assert_true(state_room(&chain.state, r) >= 0 && chain.state.length[r] <= task.limit);
            munit_assert_true(state_complete(&chain.state));
            record_finish(&record);
            chain_finish(&chain);
            task_finish(&task);
            solution_finish(&plan);
            instance_finish(&instance);
        }
    }
    for (int kind = 0; kind < MOVE_KINDS; kind++)
        munit_assert_uint64(audit.moves[kind], >, 0);
    return MUNIT_OK;
}

// The cells of the grid against comparing all, where nodes coincide, lie on a line, or in one heap far away.
static MunitResult test_near(const MunitParameter params[], void *data)
{
    (void)params, (void)data;
    for (uint32_t shape = 0; shape < 5; shape++) {
        struct instance instance = instance_drawn(&problem_tsp, 300, shape);
        for (uint32_t i = 0; i < instance.n; i++) {
            struct point *at = &instance.nodes[i];
            if (shape == 1)
                at->y = 0.5;
            else if (shape == 2)
                *at = i % 3 ? (struct point){ 0.25, 0.75 } : *at;
            else if (shape == 3)
                *at = i ? (struct point){ 1e6 + at->x, at->y } : *at;
            else if (shape == 4)
                *at = (struct point){ 3, 3 };
        }
        struct task task;
        task_init(&task, &instance, true, 12);
        for (uint32_t i = 0; i <= task.customers; i++) {
            const uint32_t *near = task_near(&task, i);
            double last = task_distance(&task, i, near[11]);
            uint32_t closer = 0;
            for (uint32_t j = 0; j <= task.customers; j++)
                closer += j != i && task_distance(&task, i, j) < last;
            munit_assert_uint(closer, <, 12);
            for (uint32_t k = 0; k + 1 < 12; k++)
                munit_assert_double(task_distance(&task, i, near[k]), <=, task_distance(&task, i, near[k + 1]));
        }
        task_finish(&task);
        instance_finish(&instance);
    }
    return MUNIT_OK;
}

// Kicks, exchanges and going back keep the tour whole and its length right.
static MunitResult test_tour(const MunitParameter params[], void *data)
{
    (void)params, (void)data;
    for (uint32_t n = 8; n < 200; n += n < 20 ? 1 : 37) {
        struct instance instance = instance_drawn(&problem_tsp, n, n);
        struct task task;
        task_init(&task, &instance, true, 20);
        struct tour tour;
        tour_init(&tour, &task);
        uint32_t order[200];
        for (uint32_t i = 0; i < n; i++)
            order[i] = i;
        tour_set(&tour, order);
        tour_search(&tour, NULL);
        struct dice dice = dice_make(n, 0);
        double before = tour.length;
        for (int i = 0; i < 2000; i++)
            tour_kick(&tour, &dice, i % 3 ? 0 : 0.01);
        double length = 0;
        for (uint32_t i = 0; i < n; i++) {
            munit_assert_uint(tour.rank[tour.order[i]], ==, i);
            length += task_distance(&task, tour.order[i], tour.order[(i + 1) % n]);
        }
        munit_assert_double(fabs(length - tour.length), <=, 1e-9 * length);
        munit_assert_double(length, <=, before * 1.1);
        tour_finish(&tour);
        task_finish(&task);
        instance_finish(&instance);
    }
    return MUNIT_OK;
}

static MunitTest tests[] = {
    TEST("/directed", test_directed),
    TEST("/near", test_near),
    TEST("/tour", test_tour),
    TEST_END,
};
SUITE("/improve/local", tests)
