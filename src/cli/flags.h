// Command-line flags as tables: parsing, help and whatever else describes a command come from the same rows.
#ifndef CLI_FLAGS_H
#define CLI_FLAGS_H

#include <stdbool.h>
#include <stdint.h>

#include "util/text.h"

struct command;

enum flag_kind {
    FLAG_SWITCH,   // bool: no value
    FLAG_TEXT,     // const char *
    FLAG_OPTIONAL, // const char *: "" without a value. --flag=VALUE, or --flag VALUE once the command has the operands
                   // it needs
    FLAG_COUNT,    // uint32_t from min to max
    FLAG_OR_OFF,   // uint32_t likewise, or "off", which is 0
    FLAG_SEED,     // uint64_t
    FLAG_REAL,     // double from min to max
    FLAG_RANGE,    // struct flag_range: N or A..B, each from min to max
    FLAG_CHOICE,   // int: the number of the word in `value`, which lists them as "a|b|c"
};

struct flag_range {
    uint32_t min, max;
};

// What the target holds before parsing is the default, and help shows it.
struct flag {
    const char *name;  // "--count", or a letter: "-o"; a table ends where it is NULL
    const char *alias; // another name ("--output"), or NULL
    enum flag_kind kind;
    void *target;
    const char *value; // how help shows the value
    const char *help;
    double min, max; // max 0: no upper bound but the type's
    bool required;
};

// A parsed command line.
struct arguments {
    const struct command *command;
    const char **operands;     // stb_ds array
    const struct flag **given; // stb_ds array
};

// Fills the targets of the command's flags. ARGV starts behind the command's name and must outlive the arguments.
bool flags_parse(const struct command *command, int argc, char **argv, struct arguments *arguments);
void arguments_finish(struct arguments *arguments);

bool flags_given(const struct arguments *arguments, const char *name);

// What help, the manual and whoever else describes commands are made of.
void flags_signature(const struct flag *flag, struct text *text);   // "-o, --output FILE"
void flags_meaning(const struct flag *flag, struct text *text);     // "how many [30]"
void flags_usage(const struct command *command, struct text *text); // "mdam-vk plot [flags] INSTANCE [SOLUTION]"
void flags_help(const struct command *command, struct text *text);

#endif
