// mdam-vk train as a user meets it: repeated, interrupted, killed, with damaged files and a full disk. Whatever
// happens, the training that is resumed ends like one that was left alone.
#include <math.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <jansson.h>
#include <stb/stb_ds.h>

#include "expect.h"
#include "program.h"
#include "util/alloc.h"
#include "util/clock.h"
#include "util/error.h"
#include "util/file.h"

// A training of a second or two that has everything: sizes in two parts, a baseline that is replaced, glimpses that
// start late, checkpoints all the time.
#define FREQUENT "--checkpoint-minutes", "0.0005"
#define TRAINING "train", "--problem", "cvrp", "-n", "4..6", "--decoders", "2", "--embedding", "16", "--heads", "2"
#define MORE     "--hidden", "16", "--layers", "1", "--batch", "4", "--epoch-size", "40", "--val-size", "8", "--quiet"
#define SETTINGS TRAINING, MORE, "--lr", "1e-2", "--eg-from", "1", "--log-every", "3", FREQUENT
#define RESUMED  "--quiet", FREQUENT

// A test's fixture: the folder that it works in.
static void *folder_enter(const MunitParameter params[], void *data)
{
    char *folder = folder_make(params, data);
    munit_assert_int(chdir(folder), ==, 0);
    return folder;
}

static bool exists(const char *folder, const char *name)
{
    char *path = xformat("%s/%s", folder, name);
    bool there = !access(path, F_OK);
    free(path);
    return there;
}

static char *bytes_of(const char *folder, const char *name, size_t *size)
{
    char *path = xformat("%s/%s", folder, name), *data;
    if (!file_read(path, 1 << 24, &data, size))
        munit_errorf("%s", error_text());
    free(path);
    return data;
}

// The log without what a clock says.
static char *log_of(const char *folder)
{
    size_t size;
    char *data = bytes_of(folder, "log.jsonl", &size), *at;
    while ((at = strstr(data, "\"seconds\""))) {
        char *end = strchr(at, ',');
        memmove(at, end + 1, strlen(end));
    }
    return data;
}

static void expect_equal_models(const char *folder, const char *unbroken)
{
    size_t size[2];
    char *models[2] = { bytes_of(unbroken, "model.safetensors", &size[0]),
        bytes_of(folder, "model.safetensors", &size[1]) };
    munit_assert_size(size[0], ==, size[1]);
    munit_assert_memory_equal(size[0], models[0], models[1]);
    free(models[0]), free(models[1]);
}

static void expect_equal(const char *folder, const char *unbroken)
{
    char *logs[2] = { log_of(unbroken), log_of(folder) };
    munit_assert_string_equal(logs[0], logs[1]);
    expect_equal_models(folder, unbroken);
    free(logs[0]), free(logs[1]);
}

static void expect_status(struct output *output, int status, const char *sentence)
{
    if (output->status != status || !strstr(output->err, sentence))
        munit_errorf("exit code %d: %s", output->status, output->err);
    output_finish(output);
}

// Runs one to its end.
static void train(const char *folder)
{
    struct output output;
    program_run(&output, SETTINGS, "--epochs", "3", "-o", folder, NULL);
    expect_status(&output, 0, "");
}

static void resume(const char *folder, const char *sentence)
{
    struct output output;
    program_run(&output, "train", "--resume", folder, "--epochs", "3", FREQUENT, NULL);
    expect_status(&output, 0, sentence);
}

static int validations_in(const char *log)
{
    int count = 0;
    for (const char *at = log; (at = strstr(at, "val_cost")); at++)
        count++;
    return count;
}

static MunitResult test_repeated(const MunitParameter params[], void *data)
{
    (void)params, (void)data;
    const char *first = "first", *second = "second";
    train(first);
    train(second);
    expect_equal(second, first);
    // Nothing is left to do, and nothing changes.
    resume(second, "");
    expect_equal(second, first);
    // A line for each log step and each validation.
    char *log = log_of(first);
    size_t lines = 0;
    for (char *at = log; (at = strchr(at, '\n')); at++)
        lines++;
    munit_assert_int(validations_in(log), ==, 4);
    munit_assert_size(lines, ==, 4 + 30 / 3);
    munit_assert_true(!strncmp(log, "{\"step\":0,\"epoch\":0,\"instances\":0,\"val_cost\":", 45));
    free(log);
    munit_assert_true(exists(first, "curve.svg"));
    return MUNIT_OK;
}

// Another epoch later on, with the other normalisations.
static MunitResult test_longer(const MunitParameter params[], void *data)
{
    (void)data;
    const char *norm = munit_parameters_get(params, "norm");
    const char *whole = "whole", *two = "two";
    struct output output;
    program_run(&output, SETTINGS, "--norm", norm, "--epochs", "2", "-o", whole, NULL);
    expect_status(&output, 0, "");
    program_run(&output, SETTINGS, "--norm", norm, "--epochs", "1", "-o", two, NULL);
    expect_status(&output, 0, "");
    program_run(&output, "train", "--resume", two, "--epochs", "2", RESUMED, NULL);
    expect_status(&output, 0, "");
    expect_equal(two, whole);
    return MUNIT_OK;
}

// The newest checkpoint is that of the last epoch; without it the one before serves.
static MunitResult test_damaged(const MunitParameter params[], void *data)
{
    (void)params, (void)data;
    const char *whole = "whole", *other = "other";
    struct output output;
    train(whole);
    program_run(&output, SETTINGS, "--epochs", "2", "-o", other, NULL);
    expect_status(&output, 0, "");
    struct stat status[2];
    munit_assert_true(!stat("other/checkpoint/0", &status[0]) && !stat("other/checkpoint/1", &status[1]));
    bool first =
        status[0].st_mtim.tv_sec > status[1].st_mtim.tv_sec ||
        (status[0].st_mtim.tv_sec == status[1].st_mtim.tv_sec && status[0].st_mtim.tv_nsec > status[1].st_mtim.tv_nsec);
    const char *newest = first ? "other/checkpoint/0" : "other/checkpoint/1";
    munit_assert_int(truncate(newest, status[0].st_size / 2), ==, 0);
    resume(other, "cut short or damaged");
    expect_equal(other, whole);
    // Both: a sentence.
    munit_assert_int(truncate("other/checkpoint/0", 100), ==, 0);
    munit_assert_int(truncate("other/checkpoint/1", 100), ==, 0);
    program_run(&output, "train", "--resume", other, NULL);
    expect_status(&output, 2, "cut short");
    return MUNIT_OK;
}

// Of a model that was removed the best is no longer known.
static MunitResult test_no_model(const MunitParameter params[], void *data)
{
    (void)params, (void)data;
    struct output output;
    train("whole");
    munit_assert_int(unlink("whole/model.safetensors"), ==, 0);
    program_run(&output, "train", "--resume", "whole", "--epochs", "4", NULL);
    expect_status(&output, 0, "whole/model.safetensors is missing; the next validation writes it anew");
    munit_assert_true(exists("whole", "model.safetensors"));
    return MUNIT_OK;
}

static MunitResult test_interrupted(const MunitParameter params[], void *data)
{
    (void)params, (void)data;
    const char *whole = "whole", *other = "other";
    struct program program;
    struct output output;
    train(whole);
    program_start(&program, SETTINGS, "--epochs", "3", "-o", other, NULL);
    struct stat status = { 0 };
    while (stat("other/log.jsonl", &status) || status.st_size < 600)
        usleep(500);
    kill(program.child, SIGINT);
    program_wait(&program, &output);
    munit_assert_int(output.status, ==, 130);
    output_finish(&output);
    resume(other, "");
    expect_equal(other, whole);
    return MUNIT_OK;
}

static bool has_checkpoint(const char *folder)
{
    return exists(folder, "checkpoint/0") || exists(folder, "checkpoint/1");
}

// Validations of minutes do not outlive a time limit of a moment.
static MunitResult test_late(const MunitParameter params[], void *data)
{
    (void)params, (void)data;
    struct output output;
    program_run(&output, "train", "--problem", "tsp", "-n", "9", "--val-size", "1000000", "--time-limit", "0.01", NULL);
    munit_assert_not_null(strstr(output.out, "\"model\": null"));
    munit_assert_not_null(strstr(output.err, "the time limit was over before the validation"));
    expect_status(&output, 0, "before epoch 1 of 100: evaluated 512 of 1000000");
    munit_assert_true(has_checkpoint("tsp-9") && !exists("tsp-9", "model.safetensors"));
    return MUNIT_OK;
}

// The lowest cost of a log's validations.
static double best_in(const char *log)
{
    static const char key[] = "\"val_cost\":";
    double best = INFINITY;
    for (const char *at = log; (at = strstr(at, key)); at++)
        best = fmin(best, strtod(at + strlen(key), NULL));
    return best;
}

// Takes the lines of validations out that are not those between epochs of ten steps, and says how many.
static int drop_extra(char *log)
{
    int dropped = 0;
    for (char *line = log, *next; (next = strchr(line, '\n'));) {
        long step = strtol(line + strlen("{\"step\":"), NULL, 10);
        char *word = strstr(line, "val_cost");
        if (step % 10 && word && word < next) {
            memmove(line, next + 1, strlen(next));
            dropped++;
        } else {
            line = next + 1;
        }
    }
    return dropped;
}

static double validation_of(const char *folder)
{
    static const char key[] = "\"validation\":\"";
    size_t size;
    char *model = bytes_of(folder, "model.safetensors", &size), *header = model + 8; // behind the header's length
    char *at = strstr(header, key);
    munit_assert_not_null(at);
    double value = strtod(at + strlen(key), NULL);
    free(model);
    return value;
}

// A time limit within an epoch adds a validation, and if that was the best its model stays, also when the training is
// resumed; nothing else changes.
static MunitResult test_time_limit(const MunitParameter params[], void *data)
{
    (void)params, (void)data;
    const char *whole = "whole", *other = "other";
    struct output output;
    train(whole);
    program_run(&output, SETTINGS, "--epochs", "3", "-o", other, "--time-limit", "0.3", NULL);
    expect_status(&output, 0, "");
    double first = validation_of(other);
    resume(other, "");
    char *logs[] = { log_of(whole), log_of(other) };
    double best = best_in(logs[1]);
    munit_assert_double(first, >=, best);
    munit_assert_double_equal(validation_of(other), best, 9);
    munit_assert_int(drop_extra(logs[1]), <=, 1);
    munit_assert_string_equal(logs[0], logs[1]);
    if (validation_of(other) == validation_of(whole)) // the extra one was not the best
        expect_equal_models(other, whole);
    free(logs[0]), free(logs[1]);
    return MUNIT_OK;
}

// Of an epoch without end, some seconds at a time: every validation stays in the log, and the best one's model in the
// folder. What a busy machine does not get to in so many seconds it gets one more for.
static MunitResult test_limited_again(const MunitParameter params[], void *data)
{
    (void)params, (void)data;
    enum { WANTED = 4, LONGEST = 12 }; // the first before training
    struct output output;
    program_run(&output, TRAINING, "--hidden", "16", "--layers", "1", "--batch", "4", "--epoch-size", "4000000",
        "--val-size", "8", "--lr", "1e-2", "--time-limit", "1", "-o", "long", NULL);
    expect_status(&output, 0, "");
    int seen = 0;
    for (int seconds = 1; seen < WANTED && seconds <= LONGEST;) {
        char limit[16];
        snprintf(limit, sizeof limit, "%d", seconds);
        program_run(&output, "train", "--resume", "long", "--time-limit", limit, NULL);
        expect_status(&output, 0, "");
        char *log = log_of("long");
        int count = validations_in(log);
        munit_assert_int(count, >=, seen);
        munit_assert_double_equal(validation_of("long"), best_in(log), 9);
        free(log);
        seconds += count == seen;
        seen = count;
    }
    munit_assert_int(seen, >=, WANTED);
    return MUNIT_OK;
}

static void start_or_resume(struct program *program, const char *folder)
{
    if (has_checkpoint(folder))
        program_start(program, "train", "--resume", folder, RESUMED, NULL);
    else
        program_start(program, SETTINGS, "--epochs", "3", "-o", folder, NULL);
}

// Kills at moments all over the length of a training, each resumed; as soon as one is complete another begins.
static void kill_often(int kills)
{
    const char *whole = "whole";
    double begun = clock_seconds();
    train(whole);
    double length = clock_seconds() - begun;
    int killed = 0;
    for (int number = 0; killed < kills; number++) {
        char other[32];
        snprintf(other, sizeof other, "%d", number);
        bool running = true;
        while (running && killed < kills) {
            struct program program;
            start_or_resume(&program, other);
            usleep((useconds_t)(1e6 * length * munit_rand_double()));
            running = program_kill(&program);
            killed += running;
        }
        if (running) {
            struct program program;
            struct output output;
            start_or_resume(&program, other);
            program_wait(&program, &output);
            expect_status(&output, 0, "");
        }
        expect_equal(other, whole);
    }
    munit_assert_int(system("test -z \"$(find . -name '*.tmp')\""), ==, 0);
}

static MunitResult test_killed(const MunitParameter params[], void *data)
{
    (void)params, (void)data;
    kill_often(50);
    return MUNIT_OK;
}

static MunitResult test_killed_long(const MunitParameter params[], void *data)
{
    (void)params, (void)data;
    kill_often(500);
    return MUNIT_OK;
}

// Wherever the disk turns out to be full.
static MunitResult test_full_disk(const MunitParameter params[], void *data)
{
    (void)params, (void)data;
    struct output output;
    train("whole");
    program_run(&output, SETTINGS, "--epochs", "1", "-o", "other", NULL);
    expect_status(&output, 0, "");
    static const char *const faults[] = { "disk:1", "disk:4", "disk:11", "disk:25" };
    for (size_t i = 0; i < sizeof faults / sizeof *faults; i++) {
        setenv("MDAM_VK_INJECT", faults[i], 1);
        program_run(&output, "train", "--resume", "other", "--epochs", "3", RESUMED, NULL);
        unsetenv("MDAM_VK_INJECT");
        expect_status(&output, 2, "cannot be written: No space left on device");
    }
    resume("other", "");
    expect_equal("other", "whole");
    return MUNIT_OK;
}

static MunitResult test_folder(const MunitParameter params[], void *data)
{
    (void)params, (void)data;
    struct output output;
    munit_assert_true(file_write("file", "x", 1));
    program_run(&output, SETTINGS, "-o", "file/training", NULL);
    expect_status(&output, 2, "cannot be created: Not a directory");
    program_run(&output, SETTINGS, "-o", "/proc/training", NULL); // where not even root may write
    expect_status(&output, 2, "cannot be created");
    program_run(&output, "train", "--resume", ".", NULL);
    expect_status(&output, 2, "there is no checkpoint in it");
    train("other");
    program_run(&output, SETTINGS, "-o", "other", NULL);
    expect_status(&output, 2, "there is a training in it already; --resume goes on with it");
    return MUNIT_OK;
}

static MunitResult test_lost_device(const MunitParameter params[], void *data)
{
    (void)params, (void)data;
    const char *whole = "whole", *other = "other";
    struct output output;
    train(whole);
    setenv("MDAM_VK_INJECT", "submit:300", 1);
    program_run(&output, SETTINGS, "--epochs", "3", "-o", other, NULL);
    unsetenv("MDAM_VK_INJECT");
    expect_status(&output, 3, "");
    resume(other, "");
    expect_equal(other, whole);
    return MUNIT_OK;
}

// Weights that blow up: every step is skipped from then on, and the training ends with a sentence.
static MunitResult test_not_finite(const MunitParameter params[], void *data)
{
    (void)params, (void)data;
    struct output output;
    program_run(&output, TRAINING, MORE, "--lr", "1e30", "--epochs", "9", "-o", "wild", NULL);
    expect_status(&output, 2, "steps in a row were not finite");
    char *log = log_of("wild");
    munit_assert_true(strstr(log, "\"skipped\":15") != NULL);
    free(log);
    return MUNIT_OK;
}

static MunitResult test_refused(const MunitParameter params[], void *data)
{
    (void)params, (void)data;
    static const struct {
        const char *words[8];
        const char *sentence;
    } cases[] = {
        { { "-n", "5" }, "--problem P and -n N are needed, or --resume DIR" },
        { { "--problem", "tsp", "-n", "5", "--prize", "unif" }, "--prize: tsp has no choice of prizes" },
        { { "--problem", "tsp", "-n", "5", "--capacity", "9" }, "tsp has no capacity" },
        { { "--problem", "tsp", "-n", "5", "--heads", "3" }, "an embedding of 128 with 3 heads" },
        { { "--problem", "tsp", "-n", "5", "--eg-period", "0" }, "\"0\" is not off or a whole number from 1" },
        { { "--resume", "x", "--batch", "5" }, "--batch: a training that is resumed keeps its settings" },
        { { "--problem", "tsp", "-n", "5", "--init", "none" }, "none: cannot be opened" },
        { { "--problem", "tsp", "-n", "5", "--eg-period", "3000000000" }, "--eg-period: \"3000000000\" is not" },
        { { "--problem", "tsp", "-n", "5", "--time-limit", "0" }, "--time-limit: \"0\" is not" },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const char *const *w = cases[i].words;
        struct output output;
        program_run(
            &output, "train", "--checkpoint-minutes", "1", w[0], w[1], w[2], w[3], w[4], w[5], w[6], w[7], NULL);
        munit_assert_string_equal(output.out, "");
        expect_status(&output, 2, cases[i].sentence);
    }
    munit_assert_false(exists(".", "tsp-5"));
    return MUNIT_OK;
}

// What is left of a training without its checkpoints is not written over; a name need not be UTF-8.
static MunitResult test_kept(const MunitParameter params[], void *data)
{
    (void)params, (void)data;
    struct output output;
    train("caf\xe9");
    munit_assert_int(rename("caf\xe9/checkpoint", "elsewhere"), ==, 0);
    size_t size, size_after;
    char *model = bytes_of("caf\xe9", "model.safetensors", &size), *after;
    program_run(&output, SETTINGS, "--epochs", "3", "-o", "caf\xe9", NULL);
    expect_status(&output, 2, "there is a model or a log in it already, which would be lost");
    after = bytes_of("caf\xe9", "model.safetensors", &size_after);
    munit_assert_size(size, ==, size_after);
    munit_assert_memory_equal(size, model, after);
    free(model);
    free(after);
    return MUNIT_OK;
}

// From another problem's model, of its sizes, with weights of its own where that has none.
static MunitResult test_init(const MunitParameter params[], void *data)
{
    (void)params, (void)data;
    struct output output;
    train("first");
    program_run(&output, "train", "--problem", "sdvrp", "-n", "7", "--init", "first/model.safetensors", "--batch", "4",
        "--epoch-size", "4", "--epochs", "1", "--val-size", "8", "-o", "second", NULL);
    expect_status(&output, 0, "model.safetensors has no such weights; they start anew: dynamic");
    size_t size;
    char *model = bytes_of("second", "model.safetensors", &size);
    munit_assert_true(strstr(model + 8, "\"D\":\"16\",\"H\":\"2\",\"F\":\"16\",\"L\":\"1\",\"M\":\"2\"") != NULL);
    munit_assert_true(strstr(model + 8, "\"trained_n\":\"4..7\"") != NULL); // both trainings' sizes
    free(model);
    return MUNIT_OK;
}

#define FOLDER_TEST(name, test, parameters)                                                                            \
    {                                                                                                                  \
        name, test, folder_enter, folder_remove, MUNIT_TEST_OPTION_NONE, parameters                                    \
    }

static char *norms[] = { "batch", "layer", NULL };
static MunitParameterEnum norm_parameter[] = { { "norm", norms }, { NULL, NULL } };

static MunitTest tests[] = {
    FOLDER_TEST("/repeated", test_repeated, NULL),
    FOLDER_TEST("/longer", test_longer, norm_parameter),
    FOLDER_TEST("/damaged", test_damaged, NULL),
    FOLDER_TEST("/no-model", test_no_model, NULL),
    FOLDER_TEST("/interrupted", test_interrupted, NULL),
    FOLDER_TEST("/time-limit", test_time_limit, NULL),
    FOLDER_TEST("/limited-again", test_limited_again, NULL),
    FOLDER_TEST("/late", test_late, NULL),
    FOLDER_TEST("/full-disk", test_full_disk, NULL),
    FOLDER_TEST("/folder", test_folder, NULL),
    FOLDER_TEST("/lost-device", test_lost_device, NULL),
    FOLDER_TEST("/not-finite", test_not_finite, NULL),
    FOLDER_TEST("/refused", test_refused, NULL),
    FOLDER_TEST("/init", test_init, NULL),
    FOLDER_TEST("/kept", test_kept, NULL),
    FOLDER_TEST("/killed", test_killed, NULL),
    TEST_END,
};

static MunitTest long_tests[] = {
    FOLDER_TEST("/killed", test_killed_long, NULL),
    TEST_END,
};

// With "long" as the first word: the tests that take minutes, and only those.
int main(int argc, char **argv)
{
    bool is_long = argc > 1 && !strcmp(argv[1], "long");
    MunitSuite all = { "/train", is_long ? long_tests : tests, NULL, 1, MUNIT_SUITE_OPTION_NONE };
    return munit_suite_main(&all, NULL, argc - is_long, argv + is_long);
}
