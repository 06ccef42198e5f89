// Runs mdam-vk as a user would and keeps what it says.
#ifndef TESTS_SUPPORT_PROGRAM_H
#define TESTS_SUPPORT_PROGRAM_H

struct output {
    int status; // exit code
    char *out, *err;
};

// Arguments end with NULL, e.g. program_run(&output, "devices", "--json", NULL). A program that a signal ends fails the
// test.
void program_run(struct output *output, ...) __attribute__((sentinel));
void output_finish(struct output *output);

#endif
