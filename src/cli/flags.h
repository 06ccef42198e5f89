// Command-line flags as tables: parsing, help and whatever else describes a command come from the same rows.
#ifndef CLI_FLAGS_H
#define CLI_FLAGS_H

#include <stdbool.h>
#include <stdint.h>

#include "mdam/mdam.h"
#include "util/text.h"

struct command;

enum flag_kind {
    FLAG_SWITCH,   // bool: no value
    FLAG_TEXT,     // const char *
    FLAG_PROBLEM,  // const char *: a problem's name
    FLAG_OPTIONAL, // const char *: "" without a value. --flag=VALUE, or --flag VALUE once the command has the operands
                   // it needs
    FLAG_WORD,     // const char *: one of the words in `value`, which lists them as "a|b|c"
    FLAG_CHOICE,   // enum: the number of the word in `value`
    FLAG_COUNT,    // uint32_t from min to max
    FLAG_WHOLE,    // uint64_t likewise
    FLAG_OR_OFF,   // int32_t likewise, or "off", which is -1
    FLAG_SEED,     // uint64_t
    FLAG_REAL,     // double from min to max
    FLAG_RANGE,    // uint32_t[2]: N or A..B, each from min to max
    FLAG_REALS,    // double[2]: likewise
    FLAG_TABLE,    // no flag: stands for a table of the library's options, and the target is the struct they are in
};

// The default is what the target holds before parsing; of the library's options it is `usual`. Help shows it.
struct flag {
    const char *name;  // "--count", or a letter: "-o"; a table ends where it is NULL
    const char *alias; // another name ("--output"), or NULL
    enum flag_kind kind;
    void *target;
    const char *value; // how help shows the value
    const char *help;
    double min, max; // max 0: no upper bound but the type's
    bool required;
    enum mdam_option_table table;     // FLAG_TABLE
    const struct mdam_option *option; // of the library; NULL: a flag of the command line alone
};
// The library's options as flags that fill STRUCT, which lives as long as the program.
#define FLAGS_OF_OPTIONS(options, struct_)                                                                             \
    {                                                                                                                  \
        "", .kind = FLAG_TABLE, .target = struct_, .table = options                                                    \
    }

// Goes through a table, or through all of a command's; tables of options are followed.
struct flag_cursor {
    const struct flag *const *tables; // NULL-ended
    const struct flag *row;
    const struct mdam_option *option;
    struct flag flag; // the one that it is at
};
struct flag_cursor flags_of(const struct flag *const *tables);
bool flags_next(struct flag_cursor *cursor);

// A parsed command line.
struct arguments {
    const struct command *command;
    const char **operands; // stb_ds array
    struct flag *given;    // stb_ds array
};

// Fills the targets of the command's flags. ARGV starts behind the command's name and must outlive the arguments.
bool flags_parse(const struct command *command, int argc, char **argv, struct arguments *arguments);
void arguments_finish(struct arguments *arguments);

bool flags_given(const struct arguments *arguments, const char *name);

// The flag for a field of the library's options that the command has, or NULL.
const char *flags_name_of_field(const struct command *command, const char *field);

// What help, the manual and whoever else describes commands are made of.
void flags_signature(const struct flag *flag, struct text *text);   // "-o, --output FILE"
void flags_meaning(const struct flag *flag, struct text *text);     // "how many [30]"
void flags_usage(const struct command *command, struct text *text); // "mdam-vk plot [flags] INSTANCE [SOLUTION]"
void flags_help(const struct command *command, struct text *text);

#endif
