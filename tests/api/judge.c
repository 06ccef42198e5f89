// Without a device: instances drawn, solutions read and judged, models described.
#include <stdlib.h>
#include <string.h>

#include "expect.h"
#include "mdam/mdam.h"
#include "suite.h"
#include "util/alloc.h"
#include "util/file.h"

static MunitResult test_judge(const MunitParameter params[], void *folder)
{
    (void)params;
    static const char square[] = "{\"problem\":\"tsp\",\"nodes\":[[0,0],[1,0],[1,1],[0,1]]}\n";
    static const char answers[] = "{\"instance\":1,\"routes\":[[1,2,3,4]]}\n{\"instance\":3,\"routes\":[[1,2,3,3]]}\n";
    char *path = xformat("%s/answers.jsonl", (const char *)folder), *text;
    munit_assert_true(file_write(path, answers, strlen(answers)));
    struct mdam_instances *instances = NULL;
    for (int i = 0; i < 3; i++)
        munit_assert_true(mdam_instances_parse(&instances, square, strlen(square)));
    struct mdam_solutions *solutions;
    munit_assert_true(mdam_solutions_read(&solutions, instances, path));
    munit_assert_size(mdam_solutions_count(solutions), ==, 3);
    const struct mdam_solution *first = mdam_solution(solutions, 0), *last = mdam_solution(solutions, 2);
    munit_assert_true(first->solved && first->feasible && !first->violation);
    munit_assert_double(first->objective, ==, 4);
    munit_assert_size(first->route_count, ==, 1);
    munit_assert_uint32(first->routes[0].stops[3], ==, 4);
    munit_assert_false(mdam_solution(solutions, 1)->solved);
    munit_assert_true(last->solved && !last->feasible && last->violation);
    for (size_t i = 0; i < 3; i++) {
        text = mdam_solution_text(solutions, i, MDAM_FORMAT_VERDICT);
        munit_assert_true(strstr(text, i ? "{\"feasible\":false," : "{\"feasible\":true,") == text);
        mdam_text_free(&text);
    }
    text = mdam_solution_text(solutions, 0, MDAM_FORMAT_JSON);
    munit_assert_not_null(strstr(text, "\"routes\":[[1,2,3,4]]"));
    munit_assert_null(strstr(text, "\"decode\"")); // its origin is unknown
    mdam_text_free(&text);
    text = mdam_instance_text(instances, 0, MDAM_FORMAT_SVG);
    munit_assert_true(!strncmp(text, "<svg", 4) || strstr(text, "<svg"));
    mdam_text_free(&text);
    mdam_solutions_free(&solutions);
    expect_refused(mdam_solutions_read(&solutions, instances, "none.sol"), "none.sol: *");
    munit_assert_null(solutions);
    mdam_instances_free(&instances);
    free(path);
    return MUNIT_OK;
}

// A list and a file have the same instances; of a published set the count is part of the numbers, the limit is not.
static MunitResult test_generate(const MunitParameter params[], void *folder)
{
    (void)params;
    char *path = xformat("%s/set.jsonl", (const char *)folder);
    struct mdam_generate_options options = { sizeof options, .problem = "cvrp", .n_min = 4, .n_max = 9, .count = 5 };
    for (int like = 0; like < 2; like++) {
        struct mdam_instances *drawn = NULL, *read = NULL;
        options.like = (enum mdam_like)like;
        options.n_max = like ? 4 : 9;
        options.limit = like ? 2 : 0;
        munit_assert_true(mdam_instances_generate(&drawn, &options));
        munit_assert_true(mdam_generate(path, &options));
        munit_assert_true(mdam_instances_read(&read, path, SIZE_MAX));
        munit_assert_size(mdam_instances_count(drawn), ==, like ? 2 : 5);
        munit_assert_size(mdam_instances_count(read), ==, mdam_instances_count(drawn));
        for (size_t i = 0; i < mdam_instances_count(drawn); i++) {
            char *a = mdam_instance_text(drawn, i, MDAM_FORMAT_JSON),
                 *b = mdam_instance_text(read, i, MDAM_FORMAT_JSON);
            munit_assert_string_equal(a, b);
            mdam_text_free(&a);
            mdam_text_free(&b);
        }
        mdam_instances_free(&drawn);
        mdam_instances_free(&read);
    }
    options.seed = 1ull << 32;
    munit_assert_false(mdam_generate(path, &options));
    munit_assert_string_equal(mdam_error_field(), "seed");
    options.count = 0;
    munit_assert_false(mdam_generate(path, &options));
    munit_assert_string_equal(mdam_error_field(), "count");
    free(path);
    return MUNIT_OK;
}

static MunitResult test_describe(const MunitParameter params[], void *folder)
{
    (void)params;
    static const uint32_t chosen[] = { 2, 0 };
    char *path = xformat("%s/m.safetensors", (const char *)folder);
    struct mdam_init_options options = { sizeof options, .problem = "sdvrp", .n = 50, .decoders = 3, .embedding = 16,
        .heads = 4, .hidden = 8, .layers = 1, .norm = "layer" };
    munit_assert_true(mdam_init(path, &options));
    struct mdam_model_options load = { sizeof load, .decoders = chosen, .decoder_count = 2 };
    struct mdam_model_info *info;
    munit_assert_true(mdam_model_read(&info, path, &load));
    munit_assert_string_equal(info->problem, "sdvrp");
    munit_assert_string_equal(info->name, "m.safetensors");
    munit_assert_string_equal(info->norm, "layer");
    munit_assert_string_equal(info->dialect, "native");
    munit_assert_uint32(info->decoder_count, ==, 2);
    munit_assert_uint32(info->decoders[0], ==, 2);
    munit_assert_uint32(info->embedding, ==, 16);
    munit_assert_int(info->glimpse, ==, 6);
    mdam_model_info_free(&info);
    munit_assert_null(info);
    load.decoder_count = 1;
    load.decoders = (const uint32_t[]){ 3 };
    munit_assert_false(mdam_model_read(&info, path, &load));
    munit_assert_null(info);
    munit_assert_string_equal(mdam_problem_name(0), "tsp");
    size_t count = 0;
    while (mdam_problem_name(count))
        count++;
    munit_assert_size(count, ==, 6);
    free(path);
    return MUNIT_OK;
}

static MunitTest tests[] = {
    FOLDER_TEST("/judge", test_judge, NULL),
    FOLDER_TEST("/generate", test_generate, NULL),
    FOLDER_TEST("/describe", test_describe, NULL),
    TEST_END,
};
SUITE("/api/without-device", tests)
