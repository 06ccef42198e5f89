// Small trainings by the program, and the files in their folders.
#ifndef TESTS_CLI_TRAINING_H
#define TESTS_CLI_TRAINING_H

#include "expect.h"
#include "program.h"

// A training of a second or two that has everything: sizes in two parts, a baseline that is replaced, glimpses that
// start late, checkpoints all the time.
#define FREQUENT "--checkpoint-minutes", "0.0005"
#define TRAINING "train", "--problem", "cvrp", "-n", "4..6", "--decoders", "2", "--embedding", "16", "--heads", "2"
#define MORE     "--hidden", "16", "--layers", "1", "--batch", "4", "--epoch-size", "40", "--val-size", "8", "--quiet"
#define SETTINGS TRAINING, MORE, "--lr", "1e-2", "--eg-from", "1", "--log-every", "3", FREQUENT
#define RESUMED  "--quiet", FREQUENT

// A test's fixture: the folder that it works in.
void *training_folder(const MunitParameter params[], void *data);
#define TRAINING_TEST(name, test, parameters)                                                                          \
    {                                                                                                                  \
        name, test, training_folder, folder_remove, MUNIT_TEST_OPTION_NONE, parameters                                 \
    }

// Runs that training to its end; goes on with one, and the program says SENTENCE.
void training_run(const char *folder);
void training_resume(const char *folder, const char *sentence);

bool training_has(const char *folder, const char *name);
bool training_has_checkpoint(const char *folder);
char *training_bytes(const char *folder, const char *name, size_t *size);
char *training_log(const char *folder); // without times

void expect_status(struct output *output, int status, const char *sentence); // and finishes the output
void expect_equal_models(const char *folder, const char *unbroken);
void expect_equal_trainings(const char *folder, const char *unbroken); // logs and models

#endif
