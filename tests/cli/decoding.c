// Decoding options of solve: how each may change the answer, and which must not.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "suite.h"
#include "tests/cli/solving.h"
#include "util/file.h"

// The same answer to the last bit.
static void expect_same(json_t *a, json_t *b)
{
    static const char *const keys[] = { "objective", "routes", "deliveries", "decoder" };
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        json_t *x = json_object_get(a, keys[i]), *y = json_object_get(b, keys[i]);
        if (x != y && !json_equal(x, y))
            munit_errorf("%s differs:\n%s\n%s", keys[i], json_dumps(a, JSON_COMPACT), json_dumps(b, JSON_COMPACT));
    }
}

static void expect_all_same(json_t *a, json_t *b)
{
    munit_assert_size(json_array_size(a), ==, json_array_size(b));
    for (size_t i = 0; i < json_array_size(a); i++)
        expect_same(json_array_get(a, i), json_array_get(b, i));
}

// Returns by how much B is better than A at instance I, minimised or maximised.
static double gain(json_t *a, json_t *b, size_t i)
{
    double difference =
        solving_number(json_array_get(a, i), "objective") - solving_number(json_array_get(b, i), "objective");
    return strcmp(solving_text(json_array_get(a, i), "problem"), "op") ? difference : -difference;
}

// B is nowhere worse than A, up to the single precision in which candidates are compared, and somewhere better.
static void expect_better(json_t *a, json_t *b)
{
    double total = 0;
    for (size_t i = 0; i < json_array_size(a); i++) {
        munit_assert_double(gain(a, b, i), >=, -1e-5 * solving_number(json_array_get(a, i), "objective"));
        total += gain(a, b, i);
    }
    munit_assert_double(total, >, 0);
}

// The lines of a file in the opposite order.
static void reverse(const char *from, const char *to)
{
    char command[3 * 4096];
    snprintf(command, sizeof command, "tac '%s' >'%s'", from, to);
    munit_assert_int(system(command), ==, 0);
}

// Writes line NUMBER of each problem's 64 in FROM, counted from 0, to a file of six.
static void pick(const char *from, const char *to, size_t number)
{
    char command[3 * 4096];
    snprintf(command, sizeof command, "awk '(NR - 1) %% 64 == %zu' '%s' >'%s'", number, from, to);
    munit_assert_int(system(command), ==, 0);
}

static json_t *decoded(const char *data, int mode)
{
    return mode == 0   ? solving_lines("solve", data, "--decode", "greedy", NULL)
           : mode == 1 ? solving_lines("solve", data, "--decode", "sample", "--samples", "3", NULL)
                       : solving_lines("solve", data, "--beam", "4", "--improve", "off", NULL);
}

// An answer is the same alone, in a batch of 64 and in another order.
static MunitResult test_alone(const MunitParameter params[], void *folder)
{
    (void)params;
    char *data = solving_generate_all(folder, "set.jsonl", "28..36", "64"); // within one batch, and past 32 rows
    char *other = solving_path(folder, "other.jsonl"), *six = solving_path(folder, "six.jsonl");
    reverse(data, other);
    for (int mode = 0; mode < 3; mode++) {
        const size_t count = 64 * SOLVING_PROBLEMS;
        json_t *batch = decoded(data, mode), *reversed = decoded(other, mode);
        munit_assert_size(json_array_size(batch), ==, count);
        for (size_t i = 0; i < count; i++)
            expect_same(json_array_get(batch, i), json_array_get(reversed, count - 1 - i));
        for (size_t number = 5; number < 64; number += 29) {
            pick(data, six, number);
            json_t *alone = decoded(six, mode);
            munit_assert_size(json_array_size(alone), ==, SOLVING_PROBLEMS);
            for (size_t i = 0; i < SOLVING_PROBLEMS; i++)
                expect_same(json_array_get(alone, i), json_array_get(batch, i * 64 + number));
            json_decref(alone);
        }
        json_decref(batch), json_decref(reversed);
    }
    return MUNIT_OK;
}

static MunitResult test_samples(const MunitParameter params[], void *folder)
{
    (void)params;
    char *data = solving_generate_all(folder, "set.jsonl", "12", "4");
#define SAMPLED(count, seed)                                                                                           \
    solving_lines("solve", data, "--decode", "sample", "--samples", count, "--seed", seed, NULL)
    json_t *few = SAMPLED("2", "1"), *again = SAMPLED("2", "1"), *other = SAMPLED("2", "2"), *more = SAMPLED("9", "1");
    expect_all_same(few, again);
    expect_better(few, more); // the first two of nine are these two
    size_t different = 0;
    for (size_t i = 0; i < json_array_size(few); i++)
        different += gain(few, other, i) != 0;
    munit_assert_size(different, >, json_array_size(few) / 2);
    json_t *solution = json_array_get(few, 0);
    munit_assert_string_equal(solving_text(solution, "decode"), "sample");
    munit_assert_double(solving_number(solution, "samples"), ==, 2);
    json_decref(few), json_decref(again), json_decref(other), json_decref(more);
    return MUNIT_OK;
}

// Instances where a temperature's samples are the best guess.
static size_t guesses(const char *data, json_t *greedy, const char *temperature)
{
    size_t same = 0;
    json_t *drawn =
        solving_lines("solve", data, "--decode", "sample", "--samples", "1", "--temperature", temperature, NULL);
    for (size_t i = 0; i < json_array_size(drawn); i++)
        same += json_equal(
            json_object_get(json_array_get(drawn, i), "routes"), json_object_get(json_array_get(greedy, i), "routes"));
    json_decref(drawn);
    return same;
}

// Hardly any temperature: samples are the best guess but for near ties, which untrained weights have many of.
static MunitResult test_temperature(const MunitParameter params[], void *folder)
{
    (void)params;
    char *data = solving_generate(folder, "set.jsonl", "cvrp", "8", "16");
    json_t *greedy = solving_lines("solve", data, "--decode", "greedy", NULL);
    munit_assert_size(guesses(data, greedy, "0.001"), >, 8);
    munit_assert_size(guesses(data, greedy, "1000"), <, 2); // blind among thousands of solutions
    json_decref(greedy);
    return MUNIT_OK;
}

// The eight views have the instance itself among them.
static MunitResult test_augment(const MunitParameter params[], void *folder)
{
    (void)params;
    char *data = solving_generate_all(folder, "set.jsonl", "12", "4");
    json_t *plain = solving_lines("solve", data, "--improve", "off", NULL),
           *views = solving_lines("solve", data, "--augment", "8", "--improve", "off", NULL);
    expect_better(plain, views);
    munit_assert_double(solving_number(json_array_get(views, 0), "augment"), ==, 8);
    json_decref(plain), json_decref(views);
    return MUNIT_OK;
}

static MunitResult test_decoders(const MunitParameter params[], void *folder)
{
    (void)params;
    char *data = solving_generate(folder, "set.jsonl", "tsp", "15", "20");
    json_t *all = solving_lines("solve", data, "--improve", "off", NULL);
    json_t *by_decoder[SOLVING_DECODERS];
    for (int m = 0; m < SOLVING_DECODERS; m++) {
        char number[12];
        snprintf(number, sizeof number, "%d", m);
        by_decoder[m] = solving_lines("solve", data, "--decoders", number, "--improve", "off", NULL);
    }
    json_t *two = solving_lines("solve", data, "--decoders", "2,0", "--improve", "off", NULL);
    for (size_t i = 0; i < 20; i++) {
        json_t *best = json_array_get(all, i);
        expect_same(best, json_array_get(by_decoder[(int)solving_number(best, "decoder")], i));
        for (int m = 0; m < SOLVING_DECODERS; m++)
            munit_assert_double(solving_number(json_array_get(by_decoder[m], i), "decoder"), ==, m);
        json_t *of_two = json_array_get(two, i);
        munit_assert_double(solving_number(of_two, "decoder"), !=, 1);
        expect_same(of_two, json_array_get(by_decoder[(int)solving_number(of_two, "decoder")], i));
    }
    for (int m = 0; m < SOLVING_DECODERS; m++)
        json_decref(by_decoder[m]);
    json_decref(all), json_decref(two);
    return MUNIT_OK;
}

static void expect_hindsight(json_t *lines, bool hindsight)
{
    for (size_t i = 0; i < json_array_size(lines); i++) {
        json_t *value = json_object_get(json_array_get(lines, i), "hindsight");
        munit_assert_true(hindsight ? json_is_true(value) : json_is_false(value));
    }
}

// Choosing among trajectories when all prizes are revealed is hindsight; one trajectory is not.
static MunitResult test_online(const MunitParameter params[], void *folder)
{
    (void)params;
    char *data = solving_generate(folder, "set.jsonl", "spctsp", "12", "4");
    json_t *best = solving_lines("solve", data, "--decode", "greedy", NULL);
    json_t *online = solving_lines("solve", data, "--online", NULL),
           *beam = solving_lines("solve", data, "--improve", "off", NULL);
    json_t *single = solving_lines("solve", data, "--beam", "1", "--decoders", "0", "--improve", "off", NULL);
    char *model = solving_path(folder, "spctsp.safetensors");
    json_t *mean = solving_lines("eval", "-m", model, "--data", data, NULL);
    json_t *online_mean = solving_lines("eval", "-m", model, "--data", data, "--online", NULL);
    expect_all_same(online, single); // an untrained model's best decoder is its first
    expect_hindsight(best, true), expect_hindsight(beam, true);
    expect_hindsight(online, false), expect_hindsight(single, false);
    expect_hindsight(mean, true), expect_hindsight(online_mean, false);
    for (size_t i = 0; i < 4; i++)
        munit_assert_double(gain(online, best, i), >=, 0);
    json_decref(best), json_decref(online), json_decref(beam), json_decref(single);
    json_decref(mean), json_decref(online_mean);
    return MUNIT_OK;
}

// One hypothesis, or one move of each, is greedy; all moves of all states are optimal, with or without other views.
static MunitResult test_beam(const MunitParameter params[], void *folder)
{
    (void)params;
    char *data = solving_generate_all(folder, "set.jsonl", "5", "4");
#define BEAM(...) solving_lines("solve", data, "--improve", "off", __VA_ARGS__, NULL)
    json_t *greedy = BEAM("--decode", "greedy"), *single = BEAM("--beam", "1"), *first = BEAM("--expand", "1");
    json_t *all = BEAM("--beam", "300", "--expand", "100"),
           *views = BEAM("--decode", "beam", "--beam", "300", "--expand", "6", "--augment", "8", "--decoders", "1");
    json_t *plain = BEAM("--beam", "5", "--no-merge");
    expect_all_same(greedy, single);
    expect_all_same(greedy, first);
    expect_better(greedy, all);
    expect_better(plain, all);
    for (size_t i = 0; i < json_array_size(all); i++) // the same optimum, up to the rounding of rotated coordinates
        munit_assert_double(fabs(gain(all, views, i)), <=, 1e-5);
    json_t *solution = json_array_get(views, 0);
    munit_assert_string_equal(solving_text(solution, "decode"), "beam");
    munit_assert_double(solving_number(solution, "beam"), ==, 300);
    json_decref(greedy), json_decref(single), json_decref(first);
    json_decref(all), json_decref(views), json_decref(plain);
    return MUNIT_OK;
}

// With a time limit: a greedy answer first, then better ones, each with a line.
static MunitResult test_time_limit(const MunitParameter params[], void *folder)
{
    (void)params;
    char *data = solving_generate(folder, "set.json", "cvrp", "12", "1");
    json_t *greedy = solving_lines("solve", data, "--decode", "greedy", NULL);
    struct output output;
    program_run(&output, "solve", data, "--time-limit", "10", "--improve", "off", "--progress", "plain", NULL);
    munit_assert_int(output.status, ==, 0);
    json_t *lines = solving_parse(output.out);
    expect_better(greedy, lines); // untrained, greedy is far from the best that thousands of hypotheses find
    munit_assert_double(solving_number(json_array_get(lines, 0), "beam"), >, 1);
    int notes = 0;
    for (const char *at = output.err; (at = strstr(at, " s: ")); at++)
        notes++;
    munit_assert_int(notes, >, 1);
    json_decref(greedy), json_decref(lines);
    output_finish(&output);
    return MUNIT_OK;
}

// The bounds-checked kernels give the same answer.
static MunitResult test_safe(const MunitParameter params[], void *folder)
{
    (void)params;
    char *data = solving_generate_all(folder, "set.jsonl", "12", "4");
    json_t *plain = solving_lines("solve", data, "--improve", "off", NULL),
           *safe = solving_lines("solve", data, "--safe", "--improve", "off", NULL);
    expect_all_same(plain, safe);
    json_decref(plain), json_decref(safe);
    return MUNIT_OK;
}

static MunitTest tests[] = {
    SOLVING("/alone", test_alone),
    SOLVING("/samples", test_samples),
    SOLVING("/temperature", test_temperature),
    SOLVING("/augment", test_augment),
    SOLVING("/decoders", test_decoders),
    SOLVING("/online", test_online),
    SOLVING("/beam", test_beam),
    SOLVING("/time-limit", test_time_limit),
    SOLVING("/safe", test_safe),
    { NULL, NULL, NULL, NULL, MUNIT_TEST_OPTION_NONE, NULL },
};
SUITE("/cli/decoding", tests)
