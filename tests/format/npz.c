#include "format/npz.h"

#include <stdlib.h>
#include <string.h>

#include <stb/stb_ds.h>

#include "archive/zip_write.h"
#include "expect.h"
#include "format/dataset.h"
#include "format/json.h"
#include "format/npy.h"
#include "suite.h"
#include "tests/problem/support.h"
#include "util/alloc.h"
#include "util/error.h"

enum { COUNT = 5, SIZE = 7 };

static void drop(struct instance **list)
{
    for (ptrdiff_t i = 0; i < arrlen(*list); i++)
        instance_finish(&(*list)[i]);
    arrfree(*list);
}

static struct instance *drawn(const struct problem *problem, uint32_t count, uint32_t n)
{
    struct instance *list = NULL;
    for (uint32_t i = 0; i < count; i++) {
        struct instance instance;
        problem->generate(&instance, &(struct distribution){ .n_min = n, .n_max = n, .prize = PRIZE_DIST }, 1, i);
        arrput(list, instance);
    }
    return list;
}

static void expect_same(const struct instance *a, const struct instance *b)
{
    struct text first = { 0 }, second = { 0 };
    instance_to_json(&first, a);
    instance_to_json(&second, b);
    munit_assert_string_equal(first.data, second.data);
    text_finish(&first), text_finish(&second);
}

// GIVEN: the caller names the problem.
static void expect_round_trip(const struct problem *problem,
    bool (*write)(struct text *, const struct instance *, size_t),
    bool (*read)(const char *, size_t, const struct problem *, size_t, struct instance **), bool given)
{
    struct instance *list = drawn(problem, COUNT, SIZE), *back = NULL;
    struct text file = { 0 };
    if (!write(&file, list, COUNT) || !read(file.data, file.size, given ? problem : NULL, SIZE_MAX, &back))
        munit_errorf("%s: %s", problem->name, error_text());
    munit_assert_size(arrlenu(back), ==, COUNT);
    for (size_t i = 0; i < COUNT; i++)
        expect_same(&list[i], &back[i]);
    drop(&back);
    munit_assert_true(read(file.data, file.size, problem, 2, &back));
    munit_assert_size(arrlenu(back), ==, 2);
    drop(&back), drop(&list);
    text_finish(&file);
}

static MunitResult test_round_trip(const MunitParameter params[], void *data)
{
    (void)params, (void)data;
    for (const struct problem *const *problem = problems; *problem; problem++) {
        expect_round_trip(*problem, instances_to_npz, instances_from_npz, false);
        expect_round_trip(*problem, instances_to_dataset, instances_from_dataset, true);
    }
    return MUNIT_OK;
}

// The problem that is assumed for files without one.
static MunitResult test_guessed(const MunitParameter params[], void *data)
{
    (void)params, (void)data;
    static const char *const expected[][2] = { { "tsp", "tsp" }, { "cvrp", "cvrp" }, { "sdvrp", "cvrp" },
        { "op", "op" }, { "pctsp", "pctsp" }, { "spctsp", "pctsp" } };
    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++) {
        struct instance *list = drawn(problem_by_name(expected[i][0]), 1, SIZE), *back = NULL;
        struct text file = { 0 };
        munit_assert_true(instances_to_dataset(&file, list, 1));
        munit_assert_true(instances_from_dataset(file.data, file.size, NULL, 1, &back));
        munit_assert_string_equal(back[0].problem->name, expected[i][1]);
        drop(&list), drop(&back);
        text_finish(&file);
    }
    return MUNIT_OK;
}

// An archive of arrays whose numbers are 0.1, 0.2, ..
struct shaped {
    const char *name;
    int rank;
    uint64_t size[NPY_RANK];
};

static struct text archive_of(const struct shaped *arrays)
{
    struct zip_writer zip = { 0 };
    for (; arrays->name; arrays++) {
        double numbers[64];
        for (int i = 0; i < 64; i++)
            numbers[i] = 0.1 * (i + 1);
        struct text file = { 0 };
        npy_write(&file, arrays->rank, arrays->size, numbers);
        char *name = xformat("%s.npy", arrays->name);
        zip_write_add(&zip, name, file.data, file.size, false);
        free(name);
        text_finish(&file);
    }
    munit_assert_true(zip_write_end(&zip));
    text_finish(&zip.directory);
    return zip.file;
}

static MunitResult test_shapes(const MunitParameter params[], void *data)
{
    (void)params, (void)data;
    static const struct {
        struct shaped arrays[7];
        const char *problem, *sentence;
    } table[] = {
        { { { "locs", 2, { 4, 2 } } }, "tsp", NULL },
        { { { "locs", 3, { 1, 4, 2 } }, { "depot", 1, { 2 } }, { "demand", 1, { 4 } }, { "capacity", 0, { 0 } } },
            "cvrp", "/demand/1: *" },
        { { { "locs", 3, { 2, 4, 2 } }, { "depot", 1, { 2 } }, { "prize", 1, { 4 } }, { "max_length", 1, { 2 } } },
            "op", NULL },
        { { { "locs", 3, { 2, 4, 2 } }, { "depot", 3, { 2, 1, 2 } }, { "penalty", 2, { 2, 4 } },
              { "deterministic_prize", 2, { 2, 4 } }, { "stochastic_prize", 2, { 2, 4 } } },
            "pctsp", NULL },
        { { { "locs", 3, { 2, 4, 2 } }, { "depot", 2, { 2, 2 } }, { "prize", 2, { 2, 3 } },
              { "max_length", 0, { 0 } } },
            "op", "prize: *" },
        { { { "locs", 3, { 2, 4, 3 } } }, "tsp", "locs: *" },
        { { { "depot", 1, { 2 } } }, NULL, "its arrays are those of no problem" },
        { { { "demand", 1, { 2 } } }, NULL, "its arrays are those of no problem" },
        { { { "locs", 3, { 0, 4, 2 } } }, "tsp", "there is no instance in it" },
        { { { "locs", 2, { 4, 2 } }, { "locs", 2, { 4, 2 } } }, "tsp", "locs: *" },
        { { { "locs", 2, { 4, 2 } }, { "weather", 1, { 4 } } }, "tsp", "its arrays are those of no problem" },
    };
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        struct text file = archive_of(table[i].arrays);
        struct instance *list = NULL;
        bool ok = instances_from_npz(file.data, file.size, NULL, SIZE_MAX, &list);
        if (table[i].sentence)
            expect_refused(ok, table[i].sentence);
        else if (!ok)
            munit_errorf("case %zu: %s", i, error_text());
        else
            munit_assert_string_equal(list[0].problem->name, table[i].problem);
        drop(&list);
        text_finish(&file);
    }
    return MUNIT_OK;
}

// The description of an array, and what is refused of it; `bytes` bytes follow.
static MunitResult test_types(const MunitParameter params[], void *data)
{
    (void)params, (void)data;
    static const struct {
        const char *description;
        size_t bytes;
        const char *sentence;
        double last;
    } table[] = {
        { "{'descr': '<i2', 'fortran_order': False, 'shape': (3,), }", 6, NULL, -2 },
        { "{'descr': '|u1', 'fortran_order': False, 'shape': (3,), }", 3, NULL, 254 },
        { "{\"shape\": (1, 3), \"fortran_order\": True, \"descr\": '|b1'}", 3, NULL, 254 },
        { "{'descr': '<f2', 'fortran_order': False, 'shape': (3,), }", 6, "elements of type <f2 are not read", 0 },
        { "{'descr': '>f8', 'fortran_order': False, 'shape': (3,), }", 24, "elements of type >f8 are not read", 0 },
        { "{'descr': '|O', 'fortran_order': False, 'shape': (3,), }", 24, "not an array of numbers", 0 },
        { "{'descr': [('a', '<f8')], 'fortran_order': False, 'shape': (3,), }", 24, "not an array of numbers", 0 },
        { "{'descr': '<f8', 'fortran_order': False, 'shape': (3,), }", 23, "23 bytes of numbers do not fit its shape",
            0 },
        { "{'descr': '<f8', 'fortran_order': False, 'shape': (4294967295,4294967295,4), }", 0,
            "its shape is not a tuple of whole numbers", 0 },
        { "{'descr': '<f8', 'fortran_order': False, 'shape': (1,1,1,1,1), }", 8, "more than 4 dimensions", 0 },
        { "{'descr': '<f8', 'fortran_order': 7, 'shape': (1,), }", 8, "its description is damaged", 0 },
        { "{'descr': '<f8', 'shape': 3}", 8, "its shape is not a tuple", 0 },
        { "{'descr': '<f8'}", 8, "its description is damaged", 0 },
        { "", 8, "its description is damaged", 0 },
    };
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        struct text file = { 0 };
        size_t length = strlen(table[i].description);
        text_add_bytes(&file, "\x93NUMPY\1\0", 8);
        text_add_bytes(&file, (char[]){ (char)length, 0 }, 2);
        text_add_bytes(&file, table[i].description, length);
        for (size_t k = 0; k < table[i].bytes; k++) // -2 in two bytes, 254 in one
            text_add_bytes(&file, &(char){ (char)(k % 2 && table[i].bytes % 2 == 0 ? 255 : 254) }, 1);
        struct npy array;
        bool ok = npy_parse(&array, file.data, file.size);
        if (table[i].sentence)
            expect_refused(ok, table[i].sentence);
        else
            munit_assert_double(npy_number(&array, 2), ==, table[i].last);
        text_finish(&file);
    }
    return MUNIT_OK;
}

static MunitResult test_fortran(const MunitParameter params[], void *data)
{
    (void)params, (void)data;
    static const char head[] = "{'descr': '|u1', 'fortran_order': True, 'shape': (2, 3), }";
    struct text file = { 0 };
    text_add_bytes(&file, "\x93NUMPY\1\0", 8);
    text_add_bytes(&file, (char[]){ sizeof head - 1, 0 }, 2);
    text_add_bytes(&file, head, sizeof head - 1);
    text_add_bytes(&file, "\0\1\2\3\4\5", 6);
    struct npy array;
    munit_assert_true(npy_parse(&array, file.data, file.size));
    static const double rows[] = { 0, 2, 4, 1, 3, 5 };
    for (uint64_t i = 0; i < 6; i++)
        munit_assert_double(npy_number(&array, i), ==, rows[i]);
    text_finish(&file);
    return MUNIT_OK;
}

// Lists that cannot be written as one.
static MunitResult test_unlike(const MunitParameter params[], void *data)
{
    (void)params, (void)data;
    struct instance *list = drawn(&problem_cvrp, 1, 3), *other = drawn(&problem_cvrp, 1, 4);
    arrput(list, other[0]);
    arrfree(other);
    struct text file = { 0 };
    expect_refused(instances_to_npz(&file, list, 2), "instance 2: cvrp with 4 customers; the first is cvrp with 3, and "
                                                     "arrays have one problem and one size");
    munit_assert_true(instances_to_dataset(&file, list, 2));
    text_finish(&file);
    expect_refused(instances_to_npz(&file, list, 0), "there is no instance to write");
    expect_refused(instances_to_dataset(&file, list, 0), "there is no instance to write");
    drop(&list);
    struct instance decimal = instance_of("{\"problem\":\"cvrp\",\"depot\":[0,0],\"nodes\":[[1,1]],\"demand\":[1.5],"
                                          "\"capacity\":2}");
    expect_refused(instances_to_dataset(&file, &decimal, 1),
        "instance 1: /demand/0: 1.5 is not a whole number, as such files have");
    instance_finish(&decimal);
    text_finish(&file);
    return MUNIT_OK;
}

static MunitResult test_hostile_pickle(const MunitParameter params[], void *data)
{
    (void)params, (void)data;
    static const struct {
        const char *bytes;
        size_t size;
        const char *sentence;
    } table[] = {
#define CASE(bytes, sentence) { bytes, sizeof bytes - 1, sentence }
        CASE("\x80\2}.", "a dict instead of a list of instances"),
        CASE("\x80\2].", "there is no instance in it"),
        CASE("\x80\2](K\1e.", "instance 1: an integer instead of a list of nodes"),
        CASE("\x80\2](](](K\1K\2e](K\1eee.", "instance 1: /nodes/1: not [x, y]"),
        CASE("\x80\2](](](K\1K\2e](K\1Neee.", "instance 1: /nodes/1: None instead of a number"),
        CASE("\x80\2](](cnumpy.core.multiarray\n_reconstruct\n)Ree.", "instance 1: /nodes/0: not [x, y]"),
        CASE("\x80\1].", "not a pickle of protocol 2 or newer"),
    };
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        struct instance *list = NULL;
        expect_refused(instances_from_dataset(table[i].bytes, table[i].size, NULL, SIZE_MAX, &list), table[i].sentence);
        drop(&list);
    }
    return MUNIT_OK;
}

static bool read_npz(const char *data, size_t size)
{
    struct instance *list = NULL;
    bool ok = instances_from_npz(data, size, NULL, SIZE_MAX, &list);
    drop(&list);
    return ok;
}

static bool read_dataset(const char *data, size_t size)
{
    struct instance *list = NULL;
    bool ok = instances_from_dataset(data, size, NULL, SIZE_MAX, &list);
    drop(&list);
    return ok;
}

static MunitResult test_cut(const MunitParameter params[], void *data)
{
    (void)params, (void)data;
    struct instance *list = drawn(&problem_cvrp, 2, 3);
    struct text npz = { 0 }, pickle = { 0 };
    munit_assert_true(instances_to_npz(&npz, list, 2) && instances_to_dataset(&pickle, list, 2));
    munit_assert_true(read_npz(npz.data, npz.size) && read_dataset(pickle.data, pickle.size));
    expect_cuts_refused(npz.data, npz.size, read_npz);
    expect_cuts_refused(pickle.data, pickle.size, read_dataset);
    text_finish(&npz), text_finish(&pickle);
    drop(&list);
    return MUNIT_OK;
}

static MunitTest tests[] = {
    TEST("/round-trip", test_round_trip),
    TEST("/guessed", test_guessed),
    TEST("/shapes", test_shapes),
    TEST("/types", test_types),
    TEST("/fortran", test_fortran),
    TEST("/unlike", test_unlike),
    TEST("/hostile-pickle", test_hostile_pickle),
    TEST("/cut", test_cut),
    TEST_END,
};
SUITE("/format/npz", tests)
