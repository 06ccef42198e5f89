#include "train/data.h"

#include <stdlib.h>

#include <stb/stb_ds.h>

#include "expect.h"
#include "suite.h"
#include "util/alloc.h"

enum { COUNT = 53 };

static struct instance *drawn(uint32_t count)
{
    struct instance *list = xcalloc(count, sizeof *list);
    for (uint32_t i = 0; i < count; i++)
        problem_cvrp.generate(&list[i], &(struct distribution){ .n_min = 5, .n_max = 30 }, 1, i);
    return list;
}

static void drop(struct instance *list, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        instance_finish(&list[i]);
    free(list);
}

// Every pass has each instance of a range once, in an order of its own; none of them is among those held out.
static MunitResult test_passes(const MunitParameter params[], void *data_)
{
    (void)params, (void)data_;
    struct instance *list = drawn(COUNT);
    struct train_settings settings = { .config.problem = &problem_cvrp, .drawn = { .n_min = 1, .n_max = 40 } };
    struct size_range *ranges = sizes_ranges(&settings);
    size_t before = arrlenu(ranges);
    struct train_data *data = data_create(list, COUNT, 7);
    data_divide(data, &ranges);
    munit_assert_size(arrlenu(ranges), <, before); // no instance has fewer than 5 customers, or more than 30
    const struct scaled **seen = NULL;
    uint32_t held = 0;
    bool differs = false;
    for (uint32_t r = 0; r < arrlenu(ranges); r++) {
        uint32_t own = data_before(data, r + 1) - data_before(data, r), n = 0;
        for (uint32_t i = 0; i < COUNT; i++)
            n += list[i].n >= ranges[r].distribution.n_min && list[i].n <= ranges[r].distribution.n_max;
        for (uint32_t i = 0; i < own; i++)
            arrput(seen, data_instance(data, r, DRAWS_VALIDATION, data_before(data, r) + i));
        for (uint32_t k = 0; n > own && k < 3 * (n - own); k++) {
            const struct scaled *one = data_instance(data, r, DRAWS_TRAINING, k);
            munit_assert_uint32(one->N, <=, ranges[r].N);
            if (k < n - own)
                arrput(seen, one);
            else
                differs = differs || one != data_instance(data, r, DRAWS_TRAINING, k - (n - own));
        }
        held += own;
    }
    munit_assert_true(differs);
    munit_assert_uint32(held, ==, data_held_out(COUNT));
    munit_assert_size(arrlenu(seen), ==, COUNT);
    for (size_t i = 0; i < COUNT; i++) {
        for (size_t k = 0; k < i; k++)
            munit_assert_true(seen[i] != seen[k]);
    }
    for (uint64_t step = 0; step < 100; step++)
        munit_assert_uint32(data_range_of_step(data, step), <, (uint32_t)arrlenu(ranges));
    arrfree(seen);
    arrfree(ranges);
    data_destroy(&data);
    drop(list, COUNT);
    return MUNIT_OK;
}

// A changed value changes the hash; the order of a pass depends on the seed alone.
static MunitResult test_same(const MunitParameter params[], void *data_)
{
    (void)params, (void)data_;
    struct instance *list = drawn(3);
    struct train_data *a = data_create(list, 3, 1), *b = data_create(list, 3, 1);
    munit_assert_uint64(data_hash(a), ==, data_hash(b));
    data_destroy(&b);
    list[2].demand[0] ^= 1;
    b = data_create(list, 3, 1);
    munit_assert_uint64(data_hash(a), !=, data_hash(b));
    data_destroy(&b);
    list[2].demand[0] ^= 1;
    list[2].open = true;
    b = data_create(list, 3, 1);
    munit_assert_uint64(data_hash(a), !=, data_hash(b));
    data_destroy(&a), data_destroy(&b);
    drop(list, 3);
    return MUNIT_OK;
}

static MunitTest tests[] = {
    TEST("/passes", test_passes),
    TEST("/same", test_same),
    TEST_END,
};
SUITE("/train/data", tests)
