// mdam-vk train as a user meets it: repeated, in parts, with a time limit, with flags that contradict each other.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "suite.h"
#include "tests/cli/training.h"
#include "util/file.h"

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
    training_run(first);
    training_run(second);
    expect_equal_trainings(second, first);
    // Nothing is left to do, and nothing changes.
    training_resume(second, "");
    expect_equal_trainings(second, first);
    // A line for each log step and each validation.
    char *log = training_log(first);
    size_t lines = 0;
    for (char *at = log; (at = strchr(at, '\n')); at++)
        lines++;
    munit_assert_int(validations_in(log), ==, 4);
    munit_assert_size(lines, ==, 4 + 30 / 3);
    munit_assert_true(!strncmp(log, "{\"step\":0,\"epoch\":0,\"instances\":0,\"val_cost\":", 45));
    free(log);
    munit_assert_true(training_has(first, "curve.svg"));
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
    expect_equal_trainings(two, whole);
    return MUNIT_OK;
}

// More epochs than a checkpoint may have are refused, and nothing changes.
static MunitResult test_too_long(const MunitParameter params[], void *data)
{
    (void)params, (void)data;
    struct output output;
    program_run(&output, SETTINGS, "--epochs", "1", "-o", "one", NULL);
    expect_status(&output, 0, "");
    munit_assert_int(system("cp -a one before"), ==, 0);
    program_run(&output, "train", "--resume", "one", "--epochs", "2000000", "--time-limit", "1", RESUMED, NULL);
    expect_status(&output, 2, "--epochs: ");
    munit_assert_int(system("diff -r one before"), ==, 0);
    return MUNIT_OK;
}

// Validations of minutes do not outlive a time limit of a moment.
static MunitResult test_late(const MunitParameter params[], void *data)
{
    (void)params, (void)data;
    struct output output;
    program_run(&output, "train", "--problem", "tsp", "-n", "9", "--val-size", "1000000", "--time-limit", "0.01",
        "--progress", "plain", NULL);
    munit_assert_not_null(strstr(output.out, "\"model\": null"));
    munit_assert_not_null(strstr(output.err, "no step was made within the time limit, and no model was written"));
    expect_status(&output, 0, "before epoch 1 of 100: evaluated 0 of 1000000");
    munit_assert_true(training_has_checkpoint("tsp-9") && !training_has("tsp-9", "model.safetensors"));
    return MUNIT_OK;
}

// ... nor do they take the time of the training, which has a model then, if one without a validation. A machine that is
// too busy for a step gets more time.
static MunitResult test_left_out(const MunitParameter params[], void *data)
{
    (void)params, (void)data;
    struct output output;
    program_run(&output, TRAINING, "--hidden", "16", "--layers", "1", "--batch", "4", "--val-size", "1000000",
        "--time-limit", "4", "-o", "own", NULL);
    munit_assert_not_null(strstr(output.err, "validating 1000000 instances before the training would take too much"));
    for (int more = 0; strstr(output.err, "no step was made") && more < 5; more++) {
        expect_status(&output, 0, "");
        program_run(&output, "train", "--resume", "own", "--time-limit", "12", NULL);
    }
    munit_assert_not_null(strstr(output.out, "\"model\": \"own/model.safetensors\""));
    expect_status(&output, 0, "model.safetensors has the last weights, which were not validated");
    size_t size;
    char *model = training_bytes("own", "model.safetensors", &size), *log = training_log("own");
    munit_assert_null(strstr(model + 8, "\"validation\""));
    munit_assert_int(validations_in(log), ==, 0);
    munit_assert_not_null(strstr(log, "\"note\":\"no time for a validation\""));
    free(model);
    free(log);
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
    char *model = training_bytes(folder, "model.safetensors", &size), *header = model + 8; // behind the header's length
    char *at = strstr(header, key);
    munit_assert_not_null(at);
    double value = strtod(at + strlen(key), NULL);
    free(model);
    return value;
}

// Whether a training's model was validated, and no validation was left out.
static bool is_validated(const char *folder)
{
    if (!training_has(folder, "model.safetensors"))
        return false;
    size_t size;
    char *log = training_log(folder), *model = training_bytes(folder, "model.safetensors", &size);
    bool all = strstr(model + 8, "\"validation\"") && !strstr(log, "\"note\"");
    free(log), free(model);
    return all;
}

// A time limit within an epoch adds a validation, and if that was the best its model stays, also when the training is
// resumed; nothing else changes. A machine that is too busy for a step and two validations gets more time.
static MunitResult test_time_limit(const MunitParameter params[], void *data)
{
    (void)params, (void)data;
    const char *whole = "whole", *other = "other";
    struct output output;
    training_run(whole);
    program_run(&output, SETTINGS, "--epochs", "3", "-o", other, "--time-limit", "0.3", NULL);
    for (int more = 0; !is_validated(other) && more < 4; more++) {
        expect_status(&output, 0, "");
        munit_assert_int(system("rm -r other"), ==, 0);
        const char *limit[] = { "1", "4", "16", "64" };
        program_run(&output, SETTINGS, "--epochs", "3", "-o", other, "--time-limit", limit[more], NULL);
    }
    expect_status(&output, 0, "");
    double first = validation_of(other);
    training_resume(other, "");
    char *logs[] = { training_log(whole), training_log(other) };
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

// An endless epoch, some seconds at a time: every validation stays in the log, and the best one's model in the
// folder. A busy machine that does not reach a validation in that time gets a second more.
static MunitResult test_limited_again(const MunitParameter params[], void *data)
{
    (void)params, (void)data;
    enum { VALIDATIONS = 4, LONGEST = 12 }; // the first before training
    struct output output;
    program_run(&output, TRAINING, "--hidden", "16", "--layers", "1", "--batch", "4", "--epoch-size", "4000000",
        "--val-size", "8", "--lr", "1e-2", "--time-limit", "1", "-o", "long", NULL);
    expect_status(&output, 0, "");
    int seen = 0;
    for (int seconds = 1; seen < VALIDATIONS && seconds <= LONGEST;) {
        char limit[16];
        snprintf(limit, sizeof limit, "%d", seconds);
        program_run(&output, "train", "--resume", "long", "--time-limit", limit, NULL);
        expect_status(&output, 0, "");
        char *log = training_log("long");
        int count = validations_in(log);
        munit_assert_int(count, >=, seen);
        if (count) // a machine may be too busy for the first
            munit_assert_double_equal(validation_of("long"), best_in(log), 9);
        free(log);
        seconds += count == seen;
        seen = count;
    }
    munit_assert_int(seen, >=, VALIDATIONS);
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
    expect_status(&output, 2, "has no checkpoint");
    training_run("other");
    program_run(&output, SETTINGS, "-o", "other", NULL);
    expect_status(&output, 2, "already has a training");
    return MUNIT_OK;
}

// Weights that blow up: every step is skipped from then on, and the training ends with a sentence.
static MunitResult test_not_finite(const MunitParameter params[], void *data)
{
    (void)params, (void)data;
    struct output output;
    program_run(&output, TRAINING, MORE, "--lr", "1e30", "--epochs", "9", "-o", "wild", NULL);
    expect_status(&output, 2, "steps in a row were not finite");
    char *log = training_log("wild");
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
        { { "-n", "5" }, "--problem P with -n N" },
        { { "--problem", "tsp", "-n", "5", "--prize", "unif" }, "--prize: " },
        { { "--problem", "tsp", "-n", "5", "--capacity", "9" }, "--capacity: " },
        { { "--problem", "tsp", "-n", "5", "--heads", "3" }, "--heads: an embedding of 128 with 3 heads" },
        { { "--problem", "tsp", "-n", "5", "--eg-period", "0" }, "--eg-period: " },
        { { "--resume", "x", "--batch", "5" }, "--batch: " },
        { { "--problem", "tsp", "-n", "5", "--recipe", "slow" }, "--recipe: " },
        { { "--problem", "tsp", "-n", "5", "--imitate", "-1" }, "--imitate: " },
        { { "--problem", "tsp", "-n", "5", "--init", "none" }, "none: cannot be opened" },
        { { "--problem", "tsp", "-n", "5", "--eg-period", "3000000000" }, "--eg-period: " },
        { { "--problem", "tsp", "-n", "5", "--time-limit", "0" }, "--time-limit: " },
        { { "--problem", "tsp", "-n", "5", "--eg-period", "off", "--eg-from", "3" }, "--eg-from and --eg-period: " },
        { { "--problem", "tsp", "-n", "5", "--lr-decay", "0.9", "--lr-final", "1e-5" }, "--lr-decay and --lr-final: " },
        { { "--problem", "tsp", "-n", "5", "--imitate-from", "prefix" }, "--imitate-from and --imitate: " },
        { { "--problem", "tsp", "-n", "5", "--data", "none" }, "-n and --data: " },
        { { "--problem", "tsp", "-n", "5", "--target", "gpu", "--safe" }, "--safe and --target: " },
        { { "--problem", "tsp", "-n", "5", "--memory", "1" }, "--memory: one instance of 5 nodes at a time needs" },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const char *const *w = cases[i].words;
        struct output output;
        program_run(
            &output, "train", "--checkpoint-minutes", "1", w[0], w[1], w[2], w[3], w[4], w[5], w[6], w[7], NULL);
        munit_assert_string_equal(output.out, "");
        if (!strstr(cases[i].sentence, "--memory")) // all else is seen before there is a device to speak of
            munit_assert_true(!strncmp(output.err, "mdam-vk: train: ", 16));
        expect_status(&output, 2, cases[i].sentence);
    }
    munit_assert_false(training_has(".", "tsp-5"));
    return MUNIT_OK;
}

// A recipe's defaults, which flags override, and the report of imitation.
static MunitResult test_recipe(const MunitParameter params[], void *data)
{
    (void)params, (void)data;
    struct output output;
    program_run(&output, TRAINING, MORE, "--recipe", "fast", "--rollouts", "2", "--epochs", "1", "--layout", "cluster",
        "--log-every", "5", "-o", "fast", NULL);
    expect_status(&output, 0, "");
    char *log = training_log("fast");
    munit_assert_true(strstr(log, "\"improved\":") && strstr(log, "\"improve_share\":"));
    free(log);
    program_run(&output, TRAINING, MORE, "--recipe", "fast", "--rollouts", "2", "--epochs", "1", "--imitate", "0",
        "--log-every", "5", "-o", "plain", NULL);
    expect_status(&output, 0, "");
    log = training_log("plain");
    munit_assert_null(strstr(log, "improved"));
    free(log);
    return MUNIT_OK;
}

// A training folder without its checkpoints is not overwritten; a name need not be UTF-8.
static MunitResult test_kept(const MunitParameter params[], void *data)
{
    (void)params, (void)data;
    struct output output;
    training_run("caf\xe9");
    munit_assert_int(rename("caf\xe9/checkpoint", "elsewhere"), ==, 0);
    size_t size, size_after;
    char *model = training_bytes("caf\xe9", "model.safetensors", &size), *after;
    program_run(&output, SETTINGS, "--epochs", "3", "-o", "caf\xe9", NULL);
    expect_status(&output, 2, "already has a model or a log");
    after = training_bytes("caf\xe9", "model.safetensors", &size_after);
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
    training_run("first");
    program_run(&output, "train", "--problem", "sdvrp", "-n", "7", "--init", "first/model.safetensors", "--batch", "4",
        "--epoch-size", "4", "--epochs", "1", "--val-size", "8", "-o", "second", NULL);
    expect_status(&output, 0, "model.safetensors lacks these weights, which start untrained: dynamic");
    size_t size;
    char *model = training_bytes("second", "model.safetensors", &size);
    munit_assert_true(strstr(model + 8, "\"D\":\"16\",\"H\":\"2\",\"F\":\"16\",\"L\":\"1\",\"M\":\"2\"") != NULL);
    munit_assert_true(strstr(model + 8, "\"trained_n\":\"4..7\"") != NULL); // both trainings' sizes
    free(model);
    return MUNIT_OK;
}

// Warnings about settings that do less than they seem to.
static MunitResult test_less(const MunitParameter params[], void *data)
{
    (void)params, (void)data;
    struct output output;
    program_run(&output, TRAINING, "--hidden", "16", "--layers", "2", "--batch", "4", "--epoch-size", "4", "--epochs",
        "1", "--val-size", "8", "--eg-from", "5", "-o", "first", NULL);
    expect_status(&output, 0, "glimpses start with epoch 5");
    program_run(&output, "train", "--problem", "cvrp", "-n", "4", "--init", "first/model.safetensors", "--layers", "1",
        "--batch", "4", "--epoch-size", "4", "--epochs", "1", "--val-size", "8", "-o", "second", NULL);
    expect_status(&output, 0, "model.safetensors has weights that are not used: layer1.qkv,");
    return MUNIT_OK;
}

static char *norms[] = { "batch", "layer", NULL };
static MunitParameterEnum norm_parameter[] = { { "norm", norms }, { NULL, NULL } };

static MunitTest tests[] = {
    TRAINING_TEST("/repeated", test_repeated, NULL),
    TRAINING_TEST("/longer", test_longer, norm_parameter),
    TRAINING_TEST("/too-long", test_too_long, NULL),
    TRAINING_TEST("/time-limit", test_time_limit, NULL),
    TRAINING_TEST("/limited-again", test_limited_again, NULL),
    TRAINING_TEST("/late", test_late, NULL),
    TRAINING_TEST("/left-out", test_left_out, NULL),
    TRAINING_TEST("/folder", test_folder, NULL),
    TRAINING_TEST("/not-finite", test_not_finite, NULL),
    TRAINING_TEST("/refused", test_refused, NULL),
    TRAINING_TEST("/init", test_init, NULL),
    TRAINING_TEST("/less", test_less, NULL),
    TRAINING_TEST("/kept", test_kept, NULL),
    TRAINING_TEST("/recipe", test_recipe, NULL),
    TEST_END,
};
SUITE("/train", tests)
