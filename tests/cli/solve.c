#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "suite.h"
#include "tests/cli/solving.h"
#include "util/alloc.h"
#include "util/file.h"
#include "util/text.h"

static void expect_type(json_t *solution, const char *key, bool (*is)(const json_t *))
{
    if (!is(json_object_get(solution, key)))
        munit_errorf("%s is missing or of another type: %s", key, json_dumps(solution, 0));
}

static bool is_text(const json_t *value)
{
    return json_is_string(value);
}

static bool is_number(const json_t *value)
{
    return json_is_real(value);
}

static bool is_whole(const json_t *value)
{
    return json_is_integer(value);
}

static bool is_list(const json_t *value)
{
    return json_is_array(value);
}

static bool is_flag(const json_t *value)
{
    return json_is_boolean(value);
}

// Every customer is on a route or among the unvisited, once; split deliveries aside.
static void expect_everyone(json_t *solution, size_t n, bool splits)
{
    json_t *routes = json_object_get(solution, "routes"), *route, *stop;
    size_t r, k, seen = json_array_size(json_object_get(solution, "unvisited"));
    json_array_foreach(routes, r, route)
    {
        munit_assert_size(json_array_size(route), >, 0);
        seen += json_array_size(route);
        json_array_foreach(route, k, stop) munit_assert_int64(json_integer_value(stop), <=, (int64_t)n);
    }
    munit_assert_true(splits ? seen >= n : seen == n);
}

static void expect_shape(json_t *solution, const char *problem, size_t n)
{
    char model[32];
    snprintf(model, sizeof model, "%s.safetensors", problem);
    bool chooses = strstr("op, pctsp, spctsp", problem) && strcmp(problem, "tsp"), splits = !strcmp(problem, "sdvrp");
    munit_assert_string_equal(solving_text(solution, "problem"), problem);
    munit_assert_string_equal(solving_text(solution, "model"), model);
    munit_assert_string_equal(solving_text(solution, "decode"), "beam");
    expect_type(solution, "objective", is_number);
    expect_type(solution, "routes", is_list);
    expect_type(solution, "decoder", is_whole);
    expect_type(solution, "device", is_text);
    expect_type(solution, "seconds", is_number);
    munit_assert_true(json_is_true(json_object_get(solution, "feasible")));
    munit_assert_double(solving_number(solution, "augment"), ==, 1);
    munit_assert_double(solving_number(solution, "decoder"), <, SOLVING_DECODERS);
    json_t *warnings = json_object_get(solution, "warnings");
    size_t last = json_array_size(warnings) - 1; // after those about the instance
    munit_assert_not_null(strstr(json_string_value(json_array_get(warnings, last)), "untrained"));
    munit_assert_true(chooses == json_is_array(json_object_get(solution, "unvisited")));
    munit_assert_true(splits == json_is_array(json_object_get(solution, "deliveries")));
    expect_everyone(solution, n, splits);
    if (chooses) {
        double length = solving_number(solution, "length"), penalty = solving_number(solution, "penalty"),
               prize = solving_number(solution, "prize");
        double objective = strcmp(problem, "op") ? length + penalty : prize;
        munit_assert_double(fabs(solving_number(solution, "objective") - objective), <=, 1e-12 * fabs(objective));
    }
    if (!strcmp(problem, "spctsp"))
        expect_type(solution, "hindsight", is_flag);
    else
        munit_assert_null(json_object_get(solution, "hindsight"));
}

// Every key with its type, and the judge of another command accepts every solution with the same objective.
static MunitResult test_shape(const MunitParameter params[], void *folder)
{
    (void)params;
    char *data = solving_generate_all(folder, "set.jsonl", "9", "4"), *out = solving_path(folder, "out.jsonl"), *text;
    struct output output;
    program_run(&output, "solve", data, "--improve", "off", "-o", out, NULL);
    munit_assert_int(output.status, ==, 0);
    munit_assert_string_equal(output.out, "");
    munit_assert_not_null(strstr(output.err, "warning: "));
    munit_assert_not_null(strstr(output.err, "instance 1: the model is untrained"));
    munit_assert_not_null(strstr(output.err, "(and 23 more like it)"));
    output_finish(&output);
    json_t *verdicts = solving_lines("validate", data, out, NULL);
    size_t size;
    munit_assert_true(file_read(out, 1 << 20, &text, &size));
    json_t *solutions = solving_parse(text);
    munit_assert_size(json_array_size(solutions), ==, 24);
    for (size_t i = 0; i < 24; i++) {
        json_t *solution = json_array_get(solutions, i), *verdict = json_array_get(verdicts, i);
        expect_shape(solution, solving_problems[i / 4], 9);
        munit_assert_double(solving_number(solution, "objective"), ==, solving_number(verdict, "objective"));
    }
    json_decref(solutions), json_decref(verdicts);
    free(text);
    return MUNIT_OK;
}

// The warning about an untrained model is shown once, for any number of batches of views.
static MunitResult test_warned_once(const MunitParameter params[], void *folder)
{
    (void)params;
    struct output output;
    char *data = solving_generate(folder, "one.json", "tsp", "60", "1");
    program_run(&output, "solve", data, "--augment", "8", NULL);
    munit_assert_int(output.status, ==, 0);
    const char *first = strstr(output.err, "untrained");
    munit_assert_not_null(first);
    munit_assert_null(strstr(first + 1, "untrained"));
    output_finish(&output);
    return MUNIT_OK;
}

static MunitResult test_formats(const MunitParameter params[], void *folder)
{
    (void)params;
    static const char *const cases[][2] = { { "sdvrp", "sol" }, { "op", "tour" } };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char name[16];
        snprintf(name, sizeof name, "out.%s", cases[i][1]);
        char *data = solving_generate(folder, "one.json", cases[i][0], "8", "1"), *out = solving_path(folder, name);
        struct output output;
        program_run(&output, "solve", data, "-o", out, "--quiet", NULL); // the ending tells the format
        munit_assert_int(output.status, ==, 0);
        munit_assert_string_equal(output.err, "");
        output_finish(&output);
        json_t *solutions = solving_lines("solve", data, NULL), *verdicts = solving_lines("validate", data, out, NULL);
        munit_assert_double(solving_number(json_array_get(solutions, 0), "objective"), ==,
            solving_number(json_array_get(verdicts, 0), "objective"));
        json_decref(solutions), json_decref(verdicts);
    }
    struct output output;
    char *data = solving_generate(folder, "two.jsonl", "cvrp", "8", "2");
    program_run(&output, "solve", data, "--format", "text", NULL);
    munit_assert_int(output.status, ==, 0);
    munit_assert_not_null(strstr(output.out, "CVRP"));
    munit_assert_not_null(strstr(output.out, "\n\n"));
    output_finish(&output);
    solving_refused("solve: --format: ", "solve", data, "--format", "sol", NULL);
    solving_refused("solve: -o: ", "solve", data, "-o", solving_path(folder, "out.svg"), NULL);
    char *out = solving_path(folder, "json.sol"), *written;
    size_t size;
    program_run(&output, "solve", data, "-o", out, "--format", "json", "--quiet", NULL); // what is asked for wins
    munit_assert_int(output.status, ==, 0);
    output_finish(&output);
    munit_assert_true(file_read(out, 1 << 20, &written, &size));
    munit_assert_true(written[0] == '{');
    free(written);
    return MUNIT_OK;
}

static MunitResult test_plot(const MunitParameter params[], void *folder)
{
    (void)params;
    char *one = solving_generate(folder, "one.json", "tsp", "8", "1");
    char *two = solving_generate(folder, "two.jsonl", "pctsp", "8", "2");
    json_decref(solving_lines("solve", one, "--plot", solving_path(folder, "one.svg"), NULL));
    json_decref(solving_lines("solve", two, "--plot", solving_path(folder, "two.svg"), NULL));
    munit_assert_int(access(solving_path(folder, "one.svg"), R_OK), ==, 0);
    munit_assert_int(access(solving_path(folder, "two1.svg"), R_OK), ==, 0);
    munit_assert_int(access(solving_path(folder, "two2.svg"), R_OK), ==, 0);
    munit_assert_int(access(solving_path(folder, "two.svg"), R_OK), !=, 0);
    return MUNIT_OK;
}

// Mixed problems and sizes, from several files and standard input: one line each, in the order of the input.
static MunitResult test_mixed(const MunitParameter params[], void *folder)
{
    (void)params;
    char *all = solving_path(folder, "all.jsonl"), command[3 * 4096];
    snprintf(command, sizeof command, "cat '%s' '%s' >'%s'", solving_generate_all(folder, "large.jsonl", "5..40", "2"),
        solving_generate_all(folder, "small.jsonl", "1..4", "2"), all);
    munit_assert_int(system(command), ==, 0);
    char *one = solving_generate(folder, "one.jsonl", "op", "12", "1");
    struct output output;
    program_run_input(&output, all, "solve", one, "-", one, NULL);
    munit_assert_int(output.status, ==, 0);
    json_t *solutions = solving_parse(output.out);
    munit_assert_size(json_array_size(solutions), ==, 26);
    for (size_t i = 0; i < 26; i++)
        munit_assert_string_equal(solving_text(json_array_get(solutions, i), "problem"),
            i == 0 || i == 25 ? "op" : solving_problems[(i - 1) / 2 % 6]);
    output_finish(&output);
    // The same from one file: the middle of it.
    json_t *middle = solving_lines("solve", all, NULL);
    for (size_t i = 0; i < 24; i++)
        munit_assert_true(json_equal(json_object_get(json_array_get(solutions, i + 1), "routes"),
            json_object_get(json_array_get(middle, i), "routes")));
    json_decref(solutions), json_decref(middle);
    return MUNIT_OK;
}

// Legal, and far from anything a model was trained on: numbers that would overflow in the network.
static MunitResult test_extreme(const MunitParameter params[], void *folder)
{
    (void)params;
    static const char text[] =
        "{\"problem\":\"pctsp\",\"depot\":[0,0],\"nodes\":[[0,1],[1,1],[1,0]],\"prize\":[1e99,1e50,1],"
        "\"penalty\":[1e99,1e50,1],\"min_prize\":1e-99}\n"
        "{\"problem\":\"spctsp\",\"depot\":[0,0],\"nodes\":[[0,1e-99],[1e-99,0]],\"prize\":[0.2,0.9],\"penalty\":[1,2]}"
        "\n"
        "{\"problem\":\"sdvrp\",\"depot\":[0,0],\"nodes\":[[0,1],[1,0]],\"demand\":[40,1e-3],\"capacity\":1}\n";
    char *path = solving_path(folder, "extreme.jsonl");
    munit_assert_true(file_write(path, text, strlen(text)));
    json_t *solutions = solving_lines("solve", path, NULL);
    munit_assert_size(json_array_size(solutions), ==, 3);
    json_decref(solutions);
    return MUNIT_OK;
}

// Three thirds fill a load up to rounding: no stop delivers the rest of a billionth.
static MunitResult test_thirds(const MunitParameter params[], void *folder)
{
    (void)params;
    enum { COUNT = 20 };
    struct text text = { 0 };
    text_add(&text, "{\"problem\":\"sdvrp\",\"depot\":[0.5,0.5],\"capacity\":1,\"nodes\":[");
    for (int i = 0; i < COUNT; i++)
        text_add(&text, "%s[0.%02d,0.%02d]", i ? "," : "", i * 37 % 100, i * 61 % 100);
    for (int i = 0; i < COUNT; i++)
        text_add(&text, "%s0.3333333333333333", i ? "," : "],\"demand\":[");
    text_add(&text, "]}");
    char *path = solving_path(folder, "thirds.json");
    munit_assert_true(file_write(path, text.data, text.size));
    text_finish(&text);
    static const char *const ways[][2] = { { "greedy", "off" }, { "beam", "off" }, { "beam", "local" } };
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
        json_t *lines = solving_lines("solve", path, "--decode", ways[i][0], "--improve", ways[i][1], NULL), *route;
        size_t r;
        json_array_foreach(json_object_get(json_array_get(lines, 0), "deliveries"), r, route)
        {
            for (size_t s = 0; s < json_array_size(route); s++)
                munit_assert_double(json_number_value(json_array_get(route, s)), >, 1e-6);
        }
        munit_assert_size(r, >=, COUNT / 3);
        json_decref(lines);
    }
    return MUNIT_OK;
}

// A glimpse that never comes equals none, for any period.
static MunitResult test_late_glimpse(const MunitParameter params[], void *folder)
{
    (void)params;
    char *data = solving_generate(folder, "tsp.json", "tsp", "7", "1");
    json_t *solutions[2];
    for (int i = 0; i < 2; i++) {
        char *model = solving_path(folder, i ? "off.safetensors" : "late.safetensors");
        struct output output;
        program_run(&output, "init", "--problem", "tsp", "--eg-period", i ? "off" : "1000000", "--embedding", "16",
            "--heads", "2", "--hidden", "16", "--layers", "1", "-o", model, NULL);
        munit_assert_int(output.status, ==, 0);
        output_finish(&output);
        solutions[i] = solving_lines("solve", data, "-m", model, NULL);
    }
    json_t *late = json_object_get(json_array_get(solutions[0], 0), "routes");
    munit_assert_true(json_equal(late, json_object_get(json_array_get(solutions[1], 0), "routes")));
    json_decref(solutions[0]), json_decref(solutions[1]);
    return MUNIT_OK;
}

// One of several warnings that differ in numbers and names only is shown.
static MunitResult test_warnings(const MunitParameter params[], void *folder)
{
    (void)params;
    static const char text[] =
        "{\"problem\":\"cvrp\",\"depot\":[0,0],\"nodes\":[[0,1],[1,0]],\"demand\":[4,1],\"capacity\":4}\n"
        "{\"problem\":\"cvrp\",\"depot\":[0,0],\"nodes\":[[0,1],[1,0]],\"demand\":[1,5],\"capacity\":5,"
        "\"ids\":[\"here\",\"there\"]}\n";
    char *path = solving_path(folder, "full.jsonl");
    munit_assert_true(file_write(path, text, strlen(text)));
    struct output output;
    program_run(&output, "solve", path, NULL);
    munit_assert_int(output.status, ==, 0);
    munit_assert_not_null(strstr(output.err,
        "full.jsonl: instance 1: the demand equals the capacity for 1 customer, first 1 (and 1 more like it)"));
    munit_assert_null(strstr(output.err, "there"));
    output_finish(&output);
    return MUNIT_OK;
}

// Demands that were rounded, and a route whose load is the capacity only after that.
static MunitResult test_rounded(const MunitParameter params[], void *folder)
{
    (void)params;
    static const char text[] =
        "{\"problem\":\"cvrp\",\"depot\":[0,0],\"nodes\":[[0,1],[1,0],[1,1]],"
        "\"demand\":[0.30000000000000004,0.30000000000000004,0.30000000000000004],\"capacity\":0.9}";
    char *path = solving_path(folder, "thirds.json");
    munit_assert_true(file_write(path, text, strlen(text)));
    struct output output;
    program_run(&output, "solve", path, NULL);
    munit_assert_int(output.status, ==, 0);
    munit_assert_not_null(strstr(output.err, "thirds.json: route 1: its load equals the capacity up to rounding"));
    munit_assert_not_null(strstr(output.out, "route 1: its load equals the capacity up to rounding"));
    output_finish(&output);
    return MUNIT_OK;
}

// A device that cannot measure: a sentence in place of a table, and a warning beside an empty trace.
static MunitResult test_timeless(const MunitParameter params[], void *folder)
{
    (void)params;
    char *data = solving_generate(folder, "tsp.json", "tsp", "5", "1"), *trace = solving_path(folder, "trace.json");
    struct output table, file;
    setenv("MDAM_VK_INJECT", "timeless", 1);
    program_run(&table, "solve", data, "--profile", NULL);
    program_run(&file, "solve", data, "--profile", trace, NULL);
    unsetenv("MDAM_VK_INJECT");
    munit_assert_int(table.status, ==, 0);
    munit_assert_not_null(strstr(table.err, " has no timestamps: nothing can be measured\n"));
    munit_assert_null(strstr(table.err, "GFLOP/s"));
    munit_assert_int(file.status, ==, 0);
    munit_assert_not_null(strstr(file.err, "--profile: the device has no timestamps: the trace is empty"));
    munit_assert_int(access(trace, R_OK), ==, 0);
    output_finish(&table), output_finish(&file);
    return MUNIT_OK;
}

static MunitResult test_refused(const MunitParameter params[], void *folder)
{
    (void)params;
    char *tsp = solving_generate(folder, "tsp.json", "tsp", "8", "1"), *model = solving_path(folder, "tsp.safetensors");
    char *cvrp = solving_generate(folder, "cvrp.jsonl", "cvrp", "8", "2"), *out = solving_path(folder, "none.json");
    char *wrong = solving_path(folder, "wrong.json");
    munit_assert_true(file_write(wrong, "{\"problem\":\"tsp\"}", 17));
    solving_refused("wrong.json: /nodes: ", "solve", tsp, wrong, "-o", out, NULL);
    solving_refused("cvrp.jsonl: instance 1: tsp.safetensors is a model for tsp, not cvrp", "solve", tsp, cvrp, "-m",
        model, "-o", out, NULL);
    solving_refused("wrong.json: ", "solve", tsp, "-m", wrong, "-o", out, NULL);
    solving_refused("solve: --beam: ", "solve", tsp, "--decode", "greedy", "--beam", "4", NULL);
    solving_refused("solve: --time-limit: ", "solve", tsp, "--decode", "sample", "--time-limit", "4", NULL);
    solving_refused("solve: --beam: ", "solve", tsp, "--beam", "0", NULL);
    solving_refused("solve: --online: ", "solve", tsp, "--online", "--beam", "4", NULL);
    solving_refused("solve: --online: ", "solve", tsp, "--online", "--decode", "beam", NULL);
    solving_refused("solve: --samples: ", "solve", tsp, "--samples", "4", NULL);
    solving_refused("solve: --augment: ", "solve", tsp, "--augment", "4", NULL);
    solving_refused("solve: --decoders: ", "solve", tsp, "--decoders", "0,x", NULL);
    solving_refused("decoder 3: there are 3, counted from 0", "solve", tsp, "--decoders", "3", "-o", out, NULL);
    solving_refused("solve: --online: ", "solve", tsp, "--online", "--augment", "8", NULL);
    solving_refused("solve: standard input is named twice", "solve", "-", "-", NULL);
    solving_refused("standard input: ", "solve", tsp, "-", NULL);
    solving_refused("cvrp.jsonl has instances and would be overwritten", "solve", tsp, cvrp, "-o", cvrp, NULL);
    solving_refused("tsp.json: plots are SVG", "solve", tsp, "--plot", tsp, NULL);
    solving_refused("--plot: x.PNG: ", "solve", tsp, "--plot", "x.PNG", NULL);
    munit_assert_int(unlink(model), ==, 0);
    solving_refused("solve: without -m: MDAM_VK_MODELS: ", "solve", tsp, "-o", out, NULL);
    munit_assert_int(access(out, F_OK), !=, 0);
    return MUNIT_OK;
}

// One instance that is too large is named before any other is solved.
static MunitResult test_too_large(const MunitParameter params[], void *folder)
{
    (void)params;
    char *few = solving_generate(folder, "few.jsonl", "tsp", "200", "3");
    char *many = solving_generate(folder, "many.jsonl", "tsp", "100000", "1"), command[3 * 4096];
    snprintf(command, sizeof command, "cat '%s' >>'%s'", many, few);
    munit_assert_int(system(command), ==, 0);
    for (int i = 0; i < 2; i++) {
        struct output output;
        program_run(
            &output, "solve", few, "--decode", i ? "greedy" : "beam", "--improve", "off", "--progress", "plain", NULL);
        munit_assert_int(output.status, ==, 2);
        munit_assert_string_equal(output.out, "");
        munit_assert_not_null(strstr(
            output.err, "few.jsonl: instance 4: 100000 nodes and up to 100000 decisions need more memory than "));
        munit_assert_null(strstr(output.err, "solved "));
        output_finish(&output);
    }
    solving_refused("few.jsonl: instance 1: 200 nodes with a beam of 65536 need more memory than ", "solve", few,
        "--improve", "off", "--beam", "65536", NULL);
    return MUNIT_OK;
}

// Orienteering: of tours with equal prizes the shortest is the answer; without prizes the tour is empty.
static MunitResult test_equal_prizes(const MunitParameter params[], void *folder)
{
    (void)params;
    static const char *const decoders[] = { "0", "1", "2", "0,1,2" };
    char *few = solving_path(folder, "equal.jsonl"), command[3 * 4096];
    // Prizes of generated instances, all made equal.
    snprintf(command, sizeof command, "sed 's/\"prize\":[^]]*/\"prize\":[1,1,1,1,1,1/' '%s' >'%s'",
        solving_generate(folder, "op.jsonl", "op", "6", "20"), few);
    munit_assert_int(system(command), ==, 0);
    json_t *lines[4];
    for (int k = 0; k < 4; k++)
        lines[k] = solving_lines("solve", few, "--decode", "greedy", "--decoders", decoders[k], "--quiet", NULL);
    for (size_t i = 0; i < 20; i++) {
        double prize = -1, length = 0;
        for (int k = 0; k < 3; k++) {
            json_t *solution = json_array_get(lines[k], i);
            double p = solving_number(solution, "prize"), l = solving_number(solution, "length");
            if (p > prize || (p == prize && l < length)) {
                prize = p;
                length = l;
            }
        }
        munit_assert_double(solving_number(json_array_get(lines[3], i), "prize"), ==, prize);
        munit_assert_double_equal(solving_number(json_array_get(lines[3], i), "length"), length, 9);
    }
    for (int k = 0; k < 4; k++)
        json_decref(lines[k]);
    const char nothing[] = "{\"problem\":\"op\",\"depot\":[0,0],\"nodes\":[[0,1],[1,0],[1,1],[0.5,0.2]],"
                           "\"prize\":[0,0,0,0],\"max_length\":3}";
    munit_assert_true(file_write(few, nothing, strlen(nothing)));
    json_t *solution = solving_lines("solve", few, "--quiet", NULL);
    munit_assert_size(json_array_size(json_object_get(json_array_get(solution, 0), "routes")), ==, 0);
    json_decref(solution);
    return MUNIT_OK;
}

static MunitResult test_no_device(const MunitParameter params[], void *folder)
{
    (void)params;
    char *tsp = solving_generate(folder, "tsp.json", "tsp", "8", "1");
    struct output output;
    program_run(&output, "solve", tsp, "--device", "no such device", NULL);
    munit_assert_int(output.status, ==, 3);
    munit_assert_string_equal(output.out, "");
    output_finish(&output);
    return MUNIT_OK;
}

// The shipped model serves customers of a depot 25 times their extent away with as few vehicles as there have to be.
static MunitResult test_far_depot(const MunitParameter params[], void *folder)
{
    (void)params;
    enum { N = 40, CAPACITY = 30, VEHICLES = 7 };
    char *path = solving_path(folder, "far.json");
    FILE *file = fopen(path, "w");
    munit_assert_not_null(file);
    fprintf(file, "{\"problem\":\"cvrp\",\"depot\":[2000,1500],\"capacity\":%d,\"nodes\":[", CAPACITY);
    for (int i = 0; i < N; i++)
        fprintf(file, "%s{\"x\":%d,\"y\":%d,\"demand\":%d}", i ? "," : "", (37 * i * i + 11 * i) % 101,
            (53 * i * i + 29 * i + 7) % 101, 1 + i * 7 % 9);
    fprintf(file, "]}\n");
    fclose(file);
    json_t *lines = solving_lines("solve", path, "-m", MODELS "/cvrp.safetensors", NULL);
    json_t *solution = json_array_get(lines, 0);
    munit_assert_size(json_array_size(json_object_get(solution, "routes")), ==, VEHICLES);
    const double best = 34264.6; // of a beam of 300 and all views
    munit_assert_double(solving_number(solution, "objective"), <, 1.002 * best);
    json_decref(lines);
    return MUNIT_OK;
}

#define EXAMPLES MODELS "/../examples"

// The examples of lengths, vehicles and ends, from input to a map; and vehicles that are too few.
static MunitResult test_variants(const MunitParameter params[], void *folder)
{
    (void)params;
    static const char *const names[] = { "vans.json", "vans.csv", "oneway.json", "stroll.json" };
    char *answers = solving_path(folder, "answers.json"), *picture = solving_path(folder, "routes.svg");
    double vans = 0;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        char *path = xformat("%s/%s", EXAMPLES, names[i]);
        struct output output;
        program_run(&output, "solve", path, "-o", answers, "--plot", picture, NULL);
        munit_assert_int(output.status, ==, 0);
        output_finish(&output);
        json_t *verdict = solving_lines("validate", path, answers, NULL);
        munit_assert_true(json_is_true(json_object_get(json_array_get(verdict, 0), "feasible")));
        double objective = solving_number(json_array_get(verdict, 0), "objective");
        if (i < 2) { // the same orders
            munit_assert_true(vans == 0 || objective == vans);
            vans = objective;
        }
        json_decref(verdict);
        program_run(&output, "improve", path, answers, "--format", i < 2 ? "geojson" : "json", NULL);
        munit_assert_int(output.status, ==, 0);
        munit_assert_true(i >= 2 || strstr(output.out, "FeatureCollection"));
        output_finish(&output);
        free(path);
    }
    solving_refused("mdam-vk: improve: --format: maps need \"coordinates\": \"lonlat\", or lon and lat in a table\n",
        "improve", EXAMPLES "/stroll.json", answers, "-o", "routes.gpx", NULL);
    // The table of the vans without their scalars, which flags give.
    const char *const table[] = { EXAMPLES "/orders.csv", "--capacity", "30", "--vehicles", "3" };
    struct output output;
    program_run(&output, "solve", table[0], table[1], table[2], table[3], table[4], "-o", answers, NULL);
    munit_assert_int(output.status, ==, 0);
    output_finish(&output);
    json_t *verdict = solving_lines("validate", table[0], answers, table[1], table[2], table[3], table[4], NULL);
    munit_assert_true(solving_number(json_array_get(verdict, 0), "objective") == vans);
    json_decref(verdict);
    solving_refused(
        "mdam-vk: solve: --open: applies to tables (.csv) only\n", "solve", EXAMPLES "/vans.json", "--open", NULL);
    solving_refused("mdam-vk: solve: --problem: instance 1 is of problem cvrp, not op\n", "solve",
        EXAMPLES "/vans.json", "--problem", "op", NULL);
    // Three loads of two thirds do not go into two vehicles, though they fill no more.
    char *tight = solving_path(folder, "tight.json");
    FILE *file = fopen(tight, "w");
    munit_assert_not_null(file);
    fprintf(file, "{\"problem\":\"cvrp\",\"depot\":[0,0],\"nodes\":[[1,0],[0,1],[1,1]],\"demand\":[2,2,2],"
                  "\"capacity\":3,\"vehicles\":2}\n");
    fclose(file);
    program_run(&output, "solve", tight, NULL);
    munit_assert_int(output.status, ==, 1);
    munit_assert_string_equal(output.out, "");
    munit_assert_not_null(strstr(output.err, "tight.json: no plan with at most 2 routes was found"));
    output_finish(&output);
    return MUNIT_OK;
}

static MunitTest tests[] = {
    SOLVING("/shape", test_shape),
    SOLVING("/warnings", test_warnings),
    SOLVING("/rounded", test_rounded),
    SOLVING("/thirds", test_thirds),
    SOLVING("/late-glimpse", test_late_glimpse),
    SOLVING("/warned-once", test_warned_once),
    SOLVING("/formats", test_formats),
    SOLVING("/plot", test_plot),
    SOLVING("/mixed", test_mixed),
    SOLVING("/extreme", test_extreme),
    SOLVING("/timeless", test_timeless),
    SOLVING("/refused", test_refused),
    SOLVING("/too-large", test_too_large),
    SOLVING("/far-depot", test_far_depot),
    SOLVING("/variants", test_variants),
    SOLVING("/equal-prizes", test_equal_prizes),
    SOLVING("/no-device", test_no_device),
    { NULL, NULL, NULL, NULL, MUNIT_TEST_OPTION_NONE, NULL },
};
SUITE("/cli/solve", tests)
