// Runs mdam-vk as a user would, and captures its output.
#ifndef TESTS_SUPPORT_PROGRAM_H
#define TESTS_SUPPORT_PROGRAM_H

#include <stdarg.h>
#include <stdbool.h>
#include <sys/types.h>

struct output {
    int status; // exit code
    char *out, *err;
};

// Arguments end with NULL, e.g. program_run(&output, "devices", "--json", NULL). A program that a signal ends fails the
// test.
void program_run(struct output *output, ...) __attribute__((sentinel));
void program_run_list(struct output *output, const char *first, va_list args); // the arguments behind the first
void program_run_input(struct output *output, const char *input, ...) __attribute__((sentinel)); // a file as stdin
void output_finish(struct output *output);

// One that is still running.
struct program {
    pid_t child;
    int out, err; // files that collect its output
};
void program_start(struct program *program, ...) __attribute__((sentinel));
void program_wait(struct program *program, struct output *output);
bool program_kill(struct program *program); // kill -9; false: it had ended already

#endif
