// Solving that is interrupted or that fails.
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "suite.h"
#include "tests/cli/solving.h"
#include "util/file.h"

// Waits until the program has printed TEXT on stderr, and sends it the signal.
static void interrupt(const struct program *program, const char *text, int signal_number)
{
    char printed[4096] = "";
    while (!strstr(printed, text)) {
        ssize_t size = pread(program->err, printed, sizeof printed - 1, 0);
        printed[size > 0 ? size : 0] = 0;
        usleep(1000);
    }
    kill(program->child, signal_number);
}

// Ctrl-C: first answers that come soon are waited for, and what is solved is printed.
static MunitResult test_interrupted(const MunitParameter params[], void *folder)
{
    (void)params;
    static const char *const sizes[] = { "20", "30", "45", "60", "80", "110", "150", "200", "260", "340", NULL };
    char *all = solving_path(folder, "all.jsonl"), command[3 * 4096];
    munit_assert_true(file_write(all, "", 0));
    for (const char *const *size = sizes; *size; size++) {
        char *part = solving_generate(folder, "part.jsonl", "tsp", *size, "20");
        snprintf(command, sizeof command, "cat '%s' >>'%s'", part, all);
        munit_assert_int(system(command), ==, 0);
    }
    struct program program;
    program_start(&program, "solve", all, "--beam", "5", "--progress", "plain", NULL);
    interrupt(&program, "solved 0 of 200", SIGINT);
    struct output output;
    program_wait(&program, &output);
    munit_assert_int(output.status, ==, 130);
    munit_assert_not_null(strstr(output.err, "mdam-vk: interrupted; "));
    json_t *solutions = solving_parse(output.out);
    munit_assert_size(json_array_size(solutions), >, 0);
    munit_assert_size(json_array_size(solutions), <, 200);
    munit_assert_not_null(strstr(output.err, "of 200"));
    char *some = solving_path(folder, "some.jsonl");
    munit_assert_true(file_write(some, output.out, strlen(output.out)));
    output_finish(&output);
    program_run(&output, "validate", all, some, NULL);
    munit_assert_int(output.status, ==, 4);
    json_t *verdicts = solving_parse(output.out);
    munit_assert_size(json_array_size(verdicts), ==, 200);
    for (size_t i = 0; i < json_array_size(solutions); i++) { // each is of the instance whose number it gives
        json_t *solution = json_array_get(solutions, i);
        json_t *verdict = json_array_get(verdicts, (size_t)solving_number(solution, "instance") - 1);
        munit_assert_true(json_is_true(json_object_get(verdict, "feasible")));
        munit_assert_double(solving_number(solution, "objective"), ==, solving_number(verdict, "objective"));
    }
    json_decref(solutions);
    json_decref(verdicts);
    output_finish(&output);
    return MUNIT_OK;
}

// With a time limit that is far away: the best so far, soon. SIGTERM, which may come twice at once, is as good as
// Ctrl-C.
static MunitResult test_interrupted_search(const MunitParameter params[], void *folder)
{
    (void)params;
    const char *tsp = solving_generate(folder, "tsp.json", "tsp", "40", "1");
    static const int signals[] = { SIGINT, SIGTERM };
    for (int i = 0; i < 2; i++) {
        struct program program;
        struct output output;
        program_start(&program, "solve", tsp, "--time-limit", "100000", "--progress", "plain", NULL);
        interrupt(&program, " s: ", signals[i]);
        if (signals[i] == SIGTERM)
            interrupt(&program, "interrupted; ", SIGTERM);
        program_wait(&program, &output);
        munit_assert_int(output.status, ==, 130);
        json_t *solutions = solving_parse(output.out);
        munit_assert_size(json_array_size(solutions), ==, 1);
        json_decref(solutions);
        output_finish(&output);
    }
    return MUNIT_OK;
}

// A second SIGTERM, later than an echo of the first, ends the program at once. While a training's long validation goes
// on, say, or a first answer.
static MunitResult test_terminated_twice(const MunitParameter params[], void *folder)
{
    (void)params;
    const char *tsp = solving_generate(folder, "many.jsonl", "tsp", "300", "40");
    static const int signals[] = { SIGINT, SIGTERM };
    for (int i = 0; i < 2; i++) {
        struct program program;
        struct output output;
        program_start(&program, "solve", tsp, "--beam", "200", "--progress", "plain", NULL);
        interrupt(&program, "solved 0 of 40", signals[i]);
        usleep(400000);
        interrupt(&program, "interrupted; ", signals[i]);
        program_wait(&program, &output);
        munit_assert_int(output.status, ==, 130);
        munit_assert_string_equal(output.out, "");
        munit_assert_null(strstr(output.err, "interrupted:"));
        output_finish(&output);
    }
    return MUNIT_OK;
}

// A disk that is full when solutions are written, one by one or at the end: standard output gets them.
static MunitResult test_full(const MunitParameter params[], void *folder)
{
    (void)params;
    char *data = solving_generate(folder, "set.jsonl", "tsp", "5", "3"), *answers = solving_path(folder, "all.jsonl");
    struct output output;
    program_run(&output, "solve", data, "-o", "/dev/full", NULL);
    munit_assert_int(output.status, ==, 2);
    munit_assert_not_null(strstr(output.err, "/dev/full: cannot be written: No space left on device; the solutions are "
                                             "on standard output"));
    json_t *lines = solving_parse(output.out);
    munit_assert_size(json_array_size(lines), ==, 3);
    munit_assert_true(file_write(answers, output.out, strlen(output.out)));
    json_decref(lines);
    output_finish(&output);
    program_run(&output, "improve", data, answers, "-o", "/dev/full", NULL);
    munit_assert_int(output.status, ==, 2);
    munit_assert_not_null(strstr(output.err, "on standard output"));
    lines = solving_parse(output.out);
    munit_assert_size(json_array_size(lines), ==, 3);
    json_decref(lines);
    output_finish(&output);
    setenv("MDAM_VK_INJECT", "disk:1", 1); // standard output is full, too
    program_run(&output, "improve", data, answers, "-o", solving_path(folder, "file.jsonl"), NULL);
    unsetenv("MDAM_VK_INJECT");
    munit_assert_int(output.status, ==, 2);
    munit_assert_null(strstr(output.err, "on standard output"));
    output_finish(&output);
    return MUNIT_OK;
}

// No answer within the time limit: a sentence, and exit status 2.
static MunitResult test_no_answer(const MunitParameter params[], void *folder)
{
    (void)params;
    char *tsp = solving_generate(folder, "large.json", "tsp", "1000", "1");
    solving_refused("solve: --time-limit: ", "solve", tsp, "--time-limit", "0.01", "--improve", "off", NULL);
    return MUNIT_OK;
}

// A device is lost while it solves: earlier solutions are printed in order, each with its number.
static MunitResult test_lost_device(const MunitParameter params[], void *folder)
{
    (void)params;
    enum { SIZES = 6 };
    static const char *const sizes[SIZES] = { "40", "26", "17", "11", "7", "4" }; // a batch each, the last one first
    char *all = solving_path(folder, "all.jsonl"), command[3 * 4096];
    munit_assert_true(file_write(all, "", 0));
    for (int i = 0; i < SIZES; i++) {
        char *part = solving_generate(folder, "part.jsonl", "tsp", sizes[i], "1");
        snprintf(command, sizeof command, "cat '%s' >>'%s'", part, all);
        munit_assert_int(system(command), ==, 0);
    }
    size_t solved = 0;
    for (int after = 20; solved == 0; after += after / 2) { // how much one submission does depends on the device
        char fault[32];
        snprintf(fault, sizeof fault, "submit:%d", after);
        struct output output;
        setenv("MDAM_VK_INJECT", fault, 1);
        program_run(&output, "solve", all, NULL);
        unsetenv("MDAM_VK_INJECT");
        munit_assert_int(output.status, ==, 3);
        munit_assert_not_null(strstr(output.err, "device lost while starting"));
        json_t *solutions = solving_parse(output.out);
        solved = json_array_size(solutions);
        munit_assert_size(solved, <, SIZES);
        for (size_t i = 0; i < solved; i++)
            munit_assert_double(
                solving_number(json_array_get(solutions, i), "instance"), ==, (double)(SIZES - solved + i + 1));
        json_decref(solutions);
        output_finish(&output);
    }
    return MUNIT_OK;
}

// Memory that is not enough for a wider beam ends the search, and the answer says so.
static MunitResult test_no_memory(const MunitParameter params[], void *folder)
{
    (void)params;
    char *data = solving_generate(folder, "tsp.json", "tsp", "9", "1");
    struct output output = { 0 };
    for (int after = 2; !output.out || !*output.out; after++) { // the model's weights and the first answer come before
        char fault[32];
        snprintf(fault, sizeof fault, "allocate:%d", after);
        output_finish(&output);
        setenv("MDAM_VK_INJECT", fault, 1);
        program_run(&output, "solve", data, "--time-limit", "1000", "--improve", "off", NULL);
        unsetenv("MDAM_VK_INJECT");
        munit_assert_int(output.status, ==, *output.out ? 0 : 3);
    }
    const char *sentence = "the search ended before its time limit: a beam of 4 hypotheses for 9 nodes: ";
    munit_assert_not_null(strstr(output.err, sentence));
    json_t *solutions = solving_parse(output.out),
           *warnings = json_object_get(json_array_get(solutions, 0), "warnings");
    munit_assert_size(json_array_size(solutions), ==, 1);
    json_t *last = json_array_get(warnings, json_array_size(warnings) - 1);
    munit_assert_not_null(strstr(json_string_value(last), sentence));
    json_decref(solutions);
    output_finish(&output);
    return MUNIT_OK;
}

static MunitTest tests[] = {
    SOLVING("/interrupted", test_interrupted),
    SOLVING("/interrupted-search", test_interrupted_search),
    SOLVING("/terminated-twice", test_terminated_twice),
    SOLVING("/full", test_full),
    SOLVING("/no-answer", test_no_answer),
    SOLVING("/lost-device", test_lost_device),
    SOLVING("/no-memory", test_no_memory),
    { NULL, NULL, NULL, NULL, MUNIT_TEST_OPTION_NONE, NULL },
};
SUITE("/cli/solve_broken", tests)
