#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "suite.h"
#include "tests/cli/solving.h"
#include "util/file.h"

enum { COUNT = 12 };

// Eval's figures for a problem against those of its solutions, the first COUNT of 20 in ALL from FIRST.
static void expect_figures(const char *folder, const char *problem, json_t *all, size_t first)
{
    char name[32], *text, *next;
    snprintf(name, sizeof name, "%s.safetensors", problem);
    char *data = solving_generate(folder, "one.jsonl", problem, "10", "20"), *model = solving_path(folder, name);
    char *objectives = solving_path(folder, "objectives.txt");
    json_t *lines =
        solving_lines("eval", "-m", model, "--data", data, "--limit", "12", "--per-instance", objectives, NULL);
    json_t *result = json_array_get(lines, 0);
    munit_assert_string_equal(solving_text(result, "problem"), problem);
    munit_assert_string_equal(solving_text(result, "decode"), "beam");
    munit_assert_string_equal(solving_text(result, "model"), name);
    munit_assert_double(solving_number(result, "beam"), ==, 30);
    munit_assert_double(solving_number(result, "augment"), ==, 1);
    munit_assert_double(solving_number(result, "seed"), ==, 1234);
    munit_assert_double(solving_number(result, "n"), ==, 10);
    munit_assert_double(solving_number(result, "count"), ==, COUNT);
    munit_assert_double(solving_number(result, "seconds"), >, 0);
    double sum = 0, squares = 0;
    size_t size;
    munit_assert_true(file_read(objectives, 1 << 20, &text, &size));
    next = text;
    for (size_t i = 0; i < COUNT; i++) {
        double objective = solving_number(json_array_get(all, first + i), "objective");
        // JSON has fifteen digits, the file all of them.
        munit_assert_double(fabs(strtod(next, &next) - objective), <=, 1e-14 * objective);
        sum += objective;
        squares += objective * objective;
    }
    munit_assert_string_equal(next, "\n");
    double mean = sum / COUNT, error = sqrt((squares - sum * mean) / (COUNT - 1) / COUNT);
    // Reports have nine digits.
    munit_assert_double(fabs(solving_number(result, "objective") - mean), <=, 1e-8 * mean);
    munit_assert_double(fabs(solving_number(result, "stderr") - error), <=, 1e-8 * mean);
    munit_assert_double(mean, >, 0);
    free(text);
    json_decref(lines);
}

// Eval's figures follow from solve's answers.
static MunitResult test_figures(const MunitParameter params[], void *folder)
{
    (void)params;
    json_t *all =
        solving_lines("solve", solving_generate_all(folder, "set.jsonl", "10", "20"), "--improve", "off", NULL);
    for (size_t i = 0; i < SOLVING_PROBLEMS; i++)
        expect_figures(folder, solving_problems[i], all, 20 * i);
    json_decref(all);
    return MUNIT_OK;
}

// Wins of all decoders are found again from each alone.
static MunitResult test_wins(const MunitParameter params[], void *folder)
{
    (void)params;
    char *data = solving_generate(folder, "set.jsonl", "cvrp", "10", "30");
    char *model = solving_path(folder, "cvrp.safetensors");
    json_t *lines = solving_lines("eval", "-m", model, "--data", data, NULL), *result = json_array_get(lines, 0);
    json_t *by_decoder[SOLVING_DECODERS];
    for (int m = 0; m < SOLVING_DECODERS; m++) {
        char number[12];
        snprintf(number, sizeof number, "%d", m);
        by_decoder[m] = solving_lines("solve", data, "--decoders", number, "--improve", "off", NULL);
    }
    int wins[SOLVING_DECODERS] = { 0 }, sole[SOLVING_DECODERS] = { 0 };
    for (size_t i = 0; i < 30; i++) {
        double best = INFINITY;
        for (int m = 0; m < SOLVING_DECODERS; m++)
            best = fmin(best, solving_number(json_array_get(by_decoder[m], i), "objective"));
        int winners = 0, winner = 0;
        for (int m = 0; m < SOLVING_DECODERS; m++) {
            if (solving_number(json_array_get(by_decoder[m], i), "objective") <= best * (1 + 1e-6))
                wins[m]++, winners++, winner = m;
        }
        sole[winner] += winners == 1;
    }
    for (int m = 0; m < SOLVING_DECODERS; m++) {
        munit_assert_int64(json_integer_value(json_array_get(json_object_get(result, "wins"), (size_t)m)), ==, wins[m]);
        munit_assert_int64(
            json_integer_value(json_array_get(json_object_get(result, "solely_wins"), (size_t)m)), ==, sole[m]);
        json_decref(by_decoder[m]);
    }
    json_decref(lines);
    return MUNIT_OK;
}

// One decoder commits, and the others have no part in it.
static MunitResult test_online(const MunitParameter params[], void *folder)
{
    (void)params;
    char *data = solving_generate(folder, "set.jsonl", "spctsp", "10", "5");
    json_t *lines = solving_lines("eval", "-m", solving_path(folder, "spctsp.safetensors"), "--data", data, "--online",
        "--decoders", "2,1", NULL);
    json_t *result = json_array_get(lines, 0), *decoders = json_object_get(result, "decoders");
    json_t *wins = json_object_get(result, "wins"), *sole = json_object_get(result, "solely_wins");
    munit_assert_true(json_is_false(json_object_get(result, "hindsight")));
    munit_assert_true(json_array_size(decoders) == 1 && json_array_size(wins) == 1 && json_array_size(sole) == 1);
    munit_assert_int64(json_integer_value(json_array_get(decoders, 0)), ==, 2); // the first for that of the file
    munit_assert_int64(json_integer_value(json_array_get(wins, 0)), ==, 5);
    munit_assert_int64(json_integer_value(json_array_get(sole, 0)), ==, 5);
    json_decref(lines);
    return MUNIT_OK;
}

static MunitResult test_options(const MunitParameter params[], void *folder)
{
    (void)params;
    char *data = solving_generate(folder, "set.jsonl", "tsp", "5..12", "10");
    char *model = solving_path(folder, "tsp.safetensors"), *op = solving_generate(folder, "op.json", "op", "5", "1");
    json_t *lines = solving_lines("eval", "-m", model, "--data", data, "--decoders", "2,1", "--augment", "8",
        "--decode", "sample", "--samples", "3", NULL);
    json_t *result = json_array_get(lines, 0), *decoders = json_object_get(result, "decoders");
    munit_assert_int64(json_integer_value(json_array_get(decoders, 0)), ==, 2);
    munit_assert_int64(json_integer_value(json_array_get(decoders, 1)), ==, 1);
    munit_assert_size(json_array_size(json_object_get(result, "wins")), ==, 2);
    munit_assert_string_equal(solving_text(result, "decode"), "sample");
    munit_assert_double(solving_number(result, "samples"), ==, 3);
    munit_assert_double(solving_number(result, "augment"), ==, 8);
    munit_assert_null(json_object_get(result, "beam"));
    munit_assert_not_null(strstr(solving_text(result, "n"), "..")); // of several sizes
    json_decref(lines);
    lines = solving_lines("eval", "-m", model, "--data", data, "--limit", "1", NULL);
    munit_assert_true(json_is_null(json_object_get(json_array_get(lines, 0), "stderr"))); // one instance has none
    json_decref(lines);
    solving_refused("op.json: tsp.safetensors is a model for tsp, not op", "eval", "-m", model, "--data", op, NULL);
    solving_refused("eval: -m MODEL is required", "eval", "--data", data, NULL);
    solving_refused("eval: --data FILE is required", "eval", "-m", model, NULL);
    return MUNIT_OK;
}

// A disk that is full at the end costs the file, not the figures.
static MunitResult test_full(const MunitParameter params[], void *folder)
{
    (void)params;
    struct output output;
    char *data = solving_generate(folder, "set.jsonl", "tsp", "5", "3");
    program_run(&output, "eval", "-m", solving_path(folder, "tsp.safetensors"), "--data", data, "--per-instance",
        "/dev/full", NULL);
    json_t *lines = solving_parse(output.out);
    munit_assert_double(solving_number(json_array_get(lines, 0), "count"), ==, 3);
    munit_assert_not_null(strstr(output.err, "/dev/full: cannot be written: No space left on device"));
    munit_assert_int(output.status, ==, 2);
    json_decref(lines);
    output_finish(&output);
    return MUNIT_OK;
}

// A wrong model is refused before a device is opened.
static MunitResult test_early(const MunitParameter params[], void *folder)
{
    (void)params;
    char *data = solving_generate(folder, "set.jsonl", "tsp", "5", "3");
    char *model = solving_path(folder, "tsp.safetensors"), *cvrp = solving_path(folder, "cvrp.safetensors");
    const struct {
        const char *model, *decoders, *sentence;
    } cases[] = {
        { data, "0", "set.jsonl" },
        { model, "7", "tsp.safetensors" },
        { cvrp, "0", "cvrp.safetensors is a model for cvrp, not tsp" },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct output output;
        program_run(&output, "eval", "-m", cases[i].model, "--data", data, "--decoders", cases[i].decoders, NULL);
        munit_assert_int(output.status, ==, 2);
        munit_assert_not_null(strstr(output.err, cases[i].sentence));
        munit_assert_size(strcspn(output.err, "\n") + 1, ==, strlen(output.err)); // the only line
        output_finish(&output);
    }
    return MUNIT_OK;
}

// The gaps to solve's answers: none, and, for the worse ones of a greedy decoder, those that one finds from both.
static MunitResult test_reference(const MunitParameter params[], void *folder)
{
    (void)params;
    static const char *const problems[] = { "tsp", "op" };
    for (int k = 0; k < 2; k++) {
        char name[32], *data = solving_generate(folder, "set.jsonl", problems[k], "10", "6");
        snprintf(name, sizeof name, "%s.safetensors", problems[k]);
        char *model = solving_path(folder, name), *answers = solving_path(folder, "answers.jsonl");
        struct output output;
        program_run(&output, "solve", data, "--improve", "off", "-o", answers, NULL);
        munit_assert_int(output.status, ==, 0);
        output_finish(&output);
        json_t *same = solving_lines("eval", "-m", model, "--data", data, "--reference", answers, NULL);
        munit_assert_double(fabs(solving_number(json_array_get(same, 0), "gap")), <, 1e-8);
        json_decref(same);
        json_t *solved = solving_lines("solve", data, "--decode", "greedy", NULL);
        json_t *best = solving_lines("solve", data, "--improve", "off", NULL);
        json_t *lines =
            solving_lines("eval", "-m", model, "--data", data, "--reference", answers, "--decode", "greedy", NULL);
        json_t *result = json_array_get(lines, 0), *gaps = json_object_get(result, "gaps");
        double sum = 0;
        munit_assert_size(json_array_size(gaps), ==, 6);
        for (size_t i = 0; i < 6; i++) {
            double a = solving_number(json_array_get(solved, i), "objective");
            double b = solving_number(json_array_get(best, i), "objective"), gap = 100 * (k ? b - a : a - b) / b;
            munit_assert_double(fabs(json_number_value(json_array_get(gaps, i)) - gap), <, 1e-6);
            sum += gap;
        }
        munit_assert_double(fabs(solving_number(result, "gap") - sum / 6), <, 1e-6);
        munit_assert_double(sum, >, 0);
        munit_assert_double(solving_number(result, "gap_stderr"), >, 0);
        json_decref(lines), json_decref(solved), json_decref(best);
        program_run(&output, "eval", "-m", model, "--data", data, "--limit", "7", "--reference", data, NULL);
        munit_assert_int(output.status, ==, 2);
        munit_assert_not_null(strstr(output.err, "/objective: missing"));
        output_finish(&output);
        char *numbers = solving_path(folder, "numbers.txt");
        lines = solving_lines("eval", "-m", model, "--data", data, "--per-instance", numbers, NULL);
        json_decref(lines);
        lines = solving_lines("eval", "-m", model, "--data", data, "--reference", numbers, NULL);
        munit_assert_double(solving_number(json_array_get(lines, 0), "gap"), ==, 0);
        json_decref(lines);
        munit_assert_true(file_write(numbers, "1\n2\nnull\n", 9));
        solving_refused("numbers.txt: line 3: null instead of an objective", "eval", "-m", model, "--data", data,
            "--reference", numbers, NULL);
        munit_assert_true(file_write(answers, "{\"objective\":1}\n{\"objective\":2}\n", 32));
        program_run(&output, "eval", "-m", model, "--data", data, "--reference", answers, NULL);
        munit_assert_int(output.status, ==, 2);
        munit_assert_not_null(strstr(output.err, "2 objectives for 6 instances"));
        output_finish(&output);
        static const char cut[] = "{\"instance\":1,\"objective\":1}\n{\"instance\":3,\"objective\":2}\n";
        munit_assert_true(file_write(answers, cut, strlen(cut)));
        program_run(&output, "eval", "-m", model, "--data", data, "--limit", "2", "--reference", answers, NULL);
        munit_assert_int(output.status, ==, 2);
        munit_assert_not_null(strstr(output.err, "line 2: /instance: 3, but this is the objective of instance 2"));
        output_finish(&output);
    }
    return MUNIT_OK;
}

static MunitTest tests[] = {
    SOLVING("/figures", test_figures),
    SOLVING("/wins", test_wins),
    SOLVING("/reference", test_reference),
    SOLVING("/online", test_online),
    SOLVING("/options", test_options),
    SOLVING("/full", test_full),
    SOLVING("/early", test_early),
    { NULL, NULL, NULL, NULL, MUNIT_TEST_OPTION_NONE, NULL },
};
SUITE("/cli/eval", tests)
