// As many instances are solved together as memory allows.
#include "search/pass.h"

#include <stdlib.h>
#include <string.h>

#include <stb/stb_ds.h>

#include "suite.h"
#include "tests/search/support.h"
#include "util/alloc.h"
#include "util/error.h"

// Two customers who need LOADS vehicles each: few nodes, many decisions. For few decisions, the memory would be enough
// for all of them, and for the wider beam.
enum { COUNT = 12, LOADS = 60, MEMORY = 1 << 15, NARROW = 4, WIDE = 40 };

static void make(struct instance *list)
{
    const struct problem *problem = problem_by_name("sdvrp");
    for (uint32_t i = 0; i < COUNT; i++) {
        problem->generate(&list[i], &(struct distribution){ 2, 2, 10, 10, PRIZE_UNIF }, 3, i);
        list[i].capacity = 1;
        list[i].demand[0] = list[i].demand[1] = LOADS;
    }
}

static MunitResult test_decisions(const MunitParameter params[], void *data)
{
    (void)data;
    struct gpu *gpu;
    if (!test_gpu_open_with(&gpu, params, (struct gpu_options){ .block_bytes = MEMORY }))
        return MUNIT_SKIP;
    struct model *model = search_model(gpu, problem_by_name("sdvrp"), 1, 3, DIALECT_NATIVE);
    struct instance instances[COUNT];
    struct search_result results[COUNT] = { 0 };
    struct search_options options = { .decoding = { MDAM_DECODE_BEAM, .width = NARROW, .expand = 2, .augment = 1 },
        .improve = MDAM_IMPROVE_OFF };
    make(instances);
    search_all(model, instances, COUNT, &options, NULL, results);
    for (int i = 0; i < COUNT; i++) {
        munit_assert_true(results[i].solved);
        munit_assert_size(arrlenu(results[i].solution.routes), ==, 2 * LOADS);
        search_result_finish(&results[i]);
    }
    // The wide one does not fit and is refused by name; the caller gets its index.
    struct search *search = NULL;
    size_t refused = COUNT;
    options.decoding.width = WIDE;
    munit_assert_false(search_create(&search, model, instances, COUNT, &options, &refused));
    munit_assert_null(search);
    munit_assert_size(refused, ==, 0);
    munit_assert_int(error_fault(), ==, FAULT_INPUT);
    munit_assert_not_null(strstr(error_text(), "a narrower beam"));
    for (int i = 0; i < COUNT; i++)
        instance_finish(&instances[i]);
    model_destroy(&model);
    gpu_close(&gpu);
    return MUNIT_OK;
}

static MunitTest tests[] = {
    { "/decisions", test_decisions, NULL, NULL, MUNIT_TEST_OPTION_NONE, test_targets },
    { NULL, NULL, NULL, NULL, MUNIT_TEST_OPTION_NONE, NULL },
};
SUITE("/search/pass", tests)
