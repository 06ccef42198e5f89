// Mutated inputs against readers: none may crash, hang, leak or grow, and instances that are read must be consistent.
//
//   <program> FOLDER COUNT [READER [FROM]]
//
// mutates COUNT inputs for each reader (or the one named) from its corpus. Input number k depends on k alone, so a
// failure, which prints its number, is repeated by `<program> FOLDER 1 READER k`.
#ifndef TESTS_SUPPORT_FUZZ_H
#define TESTS_SUPPORT_FUZZ_H

#include "util/scan.h"

#define FUZZ_INPUT_MAX (1 << 16) // bytes
#define FUZZ_CORPUS    8
#define FUZZ_TOKEN(text)                                                                                               \
    {                                                                                                                  \
        text, sizeof text - 1                                                                                          \
    }

struct fuzz_reader {
    const char *name; // a table ends where it is NULL
    void (*read)(const char *data, size_t size);
    const char *corpus[FUZZ_CORPUS]; // files in the folder; or
    // makes inputs, which the driver frees, and returns their number
    size_t (*make)(struct span inputs[FUZZ_CORPUS]);
    const struct span *tokens; // replacements for words, NULL-ended
};

int fuzz_main(int argc, char **argv, const struct fuzz_reader *readers);

// For readers: ends the program; notes a value that was read; and a refusal, which is one sentence about the input.
_Noreturn void fuzz_broken(const char *what);
void fuzz_accept(void);
void fuzz_expect_sentence(void);

extern const char *fuzz_folder;

#endif
