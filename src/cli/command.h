// A command of the program: src/cli/<name>.c defines `const struct command command_<name>`.
#ifndef CLI_COMMAND_H
#define CLI_COMMAND_H

#include <stdbool.h>

#include "cli/flags.h"

struct command {
    const char *name;
    const char *summary;  // one line for the list of commands
    const char *operands; // "INSTANCE SOLUTION"; NULL: none
    unsigned min_operands, max_operands;
    const struct flag *const flags[4]; // tables, NULL-ended
    // On failure the recorded error gives message and exit code; a success may also set *status.
    bool (*run)(const struct arguments *arguments, int *status);
};

// Every command in the order of help: one line X(<name>) each.
#define COMMANDS(X)                                                                                                    \
    X(solve)                                                                                                           \
    X(improve)                                                                                                         \
    X(train)                                                                                                           \
    X(eval)                                                                                                            \
    X(init)                                                                                                            \
    X(generate)                                                                                                        \
    X(validate)                                                                                                        \
    X(plot)                                                                                                            \
    X(export)                                                                                                          \
    X(import)                                                                                                          \
    X(devices)                                                                                                         \
    X(bench)                                                                                                           \
    X(selftest)                                                                                                        \
    X(help)

#define COMMAND_DECLARE(name) extern const struct command command_##name;
COMMANDS(COMMAND_DECLARE)

extern const struct command *const commands[];        // NULL-ended
const struct command *command_find(const char *name); // NULL with a message

#endif
