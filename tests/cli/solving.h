// Shared by the tests of solve and eval: a folder with an untrained model for each problem, and the program's answers.
#ifndef TESTS_CLI_SOLVING_H
#define TESTS_CLI_SOLVING_H

#include <jansson.h>

#include "program.h"
#include <munit.h>

enum { SOLVING_DECODERS = 3 };
extern const char *const solving_problems[]; // NULL-ended

// A test's fixture: the folder, also named by MDAM_VK_MODELS, so that its models are those used without -m.
#define SOLVING(name, test)                                                                                            \
    {                                                                                                                  \
        name, test, solving_make, solving_remove, MUNIT_TEST_OPTION_NONE, NULL                                         \
    }
void *solving_make(const MunitParameter params[], void *data);
void solving_remove(void *folder);

// FOLDER/NAME, valid until some calls later.
char *solving_path(const char *folder, const char *name);

// Writes FOLDER/NAME with COUNT instances of a problem; N as `generate -n` takes it.
char *solving_generate(const char *folder, const char *name, const char *problem, const char *n, const char *count);

// The same with COUNT instances of each of the six problems, one problem after the other; one start of the program
// serves them all.
enum { SOLVING_PROBLEMS = 6 };
char *solving_generate_all(const char *folder, const char *name, const char *n, const char *count);

// Runs the program and fails the test unless it ends well; its lines of JSON, an array.
json_t *solving_lines(const char *first, ...) __attribute__((sentinel));
json_t *solving_parse(const char *text);

// ... unless it ends with exit code 2, this sentence and nothing on standard output.
void solving_refused(const char *sentence, const char *first, ...) __attribute__((sentinel));

double solving_number(json_t *object, const char *key);
const char *solving_text(json_t *object, const char *key);

#endif
