// mdam-vk train interrupted, killed, with damaged files, a full disk and a lost device. Whatever happens, the training
// that is resumed ends like one that was left alone.
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "suite.h"
#include "tests/cli/training.h"
#include "util/clock.h"

// The newest checkpoint is that of the last epoch; without it the one before serves.
static MunitResult test_damaged(const MunitParameter params[], void *data)
{
    (void)params, (void)data;
    const char *whole = "whole", *other = "other";
    struct output output;
    training_run(whole);
    program_run(&output, SETTINGS, "--epochs", "2", "-o", other, NULL);
    expect_status(&output, 0, "");
    struct stat status[2];
    munit_assert_true(!stat("other/checkpoint/0", &status[0]) && !stat("other/checkpoint/1", &status[1]));
    bool first =
        status[0].st_mtim.tv_sec > status[1].st_mtim.tv_sec ||
        (status[0].st_mtim.tv_sec == status[1].st_mtim.tv_sec && status[0].st_mtim.tv_nsec > status[1].st_mtim.tv_nsec);
    const char *newest = first ? "other/checkpoint/0" : "other/checkpoint/1";
    munit_assert_int(truncate(newest, status[0].st_size / 2), ==, 0);
    training_resume(other, "cut short or damaged");
    expect_equal_trainings(other, whole);
    // Both: a sentence.
    munit_assert_int(truncate("other/checkpoint/0", 100), ==, 0);
    munit_assert_int(truncate("other/checkpoint/1", 100), ==, 0);
    program_run(&output, "train", "--resume", other, NULL);
    expect_status(&output, 2, "cut short");
    return MUNIT_OK;
}

// After its model was removed a training no longer knows the best; a removed log begins again, with a note.
static MunitResult test_no_model(const MunitParameter params[], void *data)
{
    (void)params, (void)data;
    struct output output;
    training_run("whole");
    munit_assert_int(unlink("whole/model.safetensors"), ==, 0);
    munit_assert_int(unlink("whole/log.jsonl"), ==, 0);
    program_run(&output, "train", "--resume", "whole", "--epochs", "4", NULL);
    munit_assert_not_null(strstr(output.err, "whole/log.jsonl is absent or empty"));
    expect_status(&output, 0, "whole/model.safetensors is absent");
    munit_assert_true(training_has("whole", "model.safetensors"));
    return MUNIT_OK;
}

static void expect_interrupted(const char *folder, const char *log, int signal_number)
{
    struct program program;
    struct output output;
    program_start(&program, SETTINGS, "--epochs", "3", "-o", folder, NULL);
    struct stat status = { 0 };
    while (stat(log, &status) || status.st_size < 600)
        usleep(500);
    kill(program.child, signal_number);
    program_wait(&program, &output);
    munit_assert_int(output.status, ==, 130);
    output_finish(&output);
    training_resume(folder, "");
}

static MunitResult test_interrupted(const MunitParameter params[], void *data)
{
    (void)params, (void)data;
    training_run("whole");
    expect_interrupted("other", "other/log.jsonl", SIGINT);
    expect_equal_trainings("other", "whole");
    expect_interrupted("third", "third/log.jsonl", SIGTERM);
    expect_equal_trainings("third", "whole");
    return MUNIT_OK;
}

// Within a batch of a validation that would take minutes.
static MunitResult test_interrupted_validation(const MunitParameter params[], void *data)
{
    (void)params, (void)data;
    struct program program;
    struct output output;
    program_start(&program, "train", "--problem", "tsp", "-n", "50", "--batch", "8192", "--val-size", "8192", "-o",
        "own", "--progress", "plain", NULL);
    while (!training_has_checkpoint("own"))
        usleep(500);
    double begun = clock_seconds();
    kill(program.child, SIGINT);
    program_wait(&program, &output);
    munit_assert_double(clock_seconds() - begun, <, 60);
    munit_assert_not_null(strstr(output.out, "\"model\": null"));
    expect_status(&output, 130, "no step was made before the end, and no model was written");
    return MUNIT_OK;
}

static void start_or_resume(struct program *program, const char *folder)
{
    if (training_has_checkpoint(folder))
        program_start(program, "train", "--resume", folder, RESUMED, NULL);
    else
        program_start(program, SETTINGS, "--epochs", "3", "-o", folder, NULL);
}

// Kills at moments all over the length of a training, each resumed; as soon as one is complete another begins.
static void kill_often(int kills)
{
    const char *whole = "whole";
    double begun = clock_seconds();
    training_run(whole);
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
        expect_equal_trainings(other, whole);
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

// A disk that is full from any write on.
static MunitResult test_full_disk(const MunitParameter params[], void *data)
{
    (void)params, (void)data;
    struct output output;
    training_run("whole");
    program_run(&output, SETTINGS, "--epochs", "1", "-o", "other", NULL);
    expect_status(&output, 0, "");
    static const char *const faults[] = { "disk:1", "disk:4", "disk:11", "disk:25" };
    for (size_t i = 0; i < sizeof faults / sizeof *faults; i++) {
        setenv("MDAM_VK_INJECT", faults[i], 1);
        program_run(&output, "train", "--resume", "other", "--epochs", "3", RESUMED, NULL);
        unsetenv("MDAM_VK_INJECT");
        expect_status(&output, 2, "cannot be written: No space left on device");
    }
    training_resume("other", "");
    expect_equal_trainings("other", "whole");
    return MUNIT_OK;
}

static MunitResult test_lost_device(const MunitParameter params[], void *data)
{
    (void)params, (void)data;
    const char *whole = "whole", *other = "other";
    struct output output;
    training_run(whole);
    setenv("MDAM_VK_INJECT", "submit:300", 1);
    program_run(&output, SETTINGS, "--epochs", "3", "-o", other, NULL);
    unsetenv("MDAM_VK_INJECT");
    expect_status(&output, 3, "");
    training_resume(other, "");
    expect_equal_trainings(other, whole);
    return MUNIT_OK;
}

static MunitTest tests[] = {
    TRAINING_TEST("/damaged", test_damaged, NULL),
    TRAINING_TEST("/no-model", test_no_model, NULL),
    TRAINING_TEST("/interrupted", test_interrupted, NULL),
    TRAINING_TEST("/interrupted-validation", test_interrupted_validation, NULL),
    TRAINING_TEST("/full-disk", test_full_disk, NULL),
    TRAINING_TEST("/lost-device", test_lost_device, NULL),
    TRAINING_TEST("/killed", test_killed, NULL),
    TEST_END,
};
SUITE("/train/broken", tests)

static MunitTest long_tests[] = {
    TRAINING_TEST("/killed", test_killed_long, NULL),
    TEST_END,
};
SUITE_LONG("/train/broken", long_tests)
