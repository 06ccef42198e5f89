// Tables of command-line flags: parsing, help, manual and completion all use the same rows.
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
    FLAG_OPTIONAL, // const char *: "" without a value. --flag=VALUE, or --flag VALUE once all operands are given
    FLAG_WORD,     // const char *: one of the words in `value`, a list "a|b|c"
    FLAG_CHOICE,   // enum: the index of the word in `value`
    FLAG_COUNT,    // uint32_t from min to max
    FLAG_WHOLE,    // uint64_t from min to max
    FLAG_OR_OFF,   // int32_t from min to max, or "off", which is -1
    FLAG_SEED,     // uint64_t
    FLAG_REAL,     // double from min to max
    FLAG_RANGE,    // uint32_t[2]: N or A..B, each from min to max
    FLAG_REALS,    // double[2]: likewise
    FLAG_TABLE,    // not a flag: includes a table of the library's options; the target is their struct
};

// The default is the target's value before parsing; for the library's options it is `usual`. Help shows it.
struct flag {
    const char *name;  // "--count", or a letter: "-o"; NULL ends a table
    const char *alias; // another name ("--output"), or NULL
    enum flag_kind kind;
    void *target;
    const char *value; // the value as shown in help
    const char *help;
    double min, max; // max 0: limited by the type alone
    bool required;
    enum mdam_option_table table;     // FLAG_TABLE
    const struct mdam_option *option; // of the library; NULL: a flag of the program alone
};
// Makes the library's options flags that fill STRUCT, which has static lifetime.
#define FLAGS_OF_OPTIONS(options, struct_)                                                                             \
    {                                                                                                                  \
        "", .kind = FLAG_TABLE, .target = struct_, .table = options                                                    \
    }

// Iterates over a table or over all tables of a command, including tables of options.
struct flag_cursor {
    const struct flag *const *tables; // NULL-ended
    const struct flag *row;
    const struct mdam_option *option;
    struct flag flag; // the current flag
};
struct flag_cursor flags_of(const struct flag *const *tables);
bool flags_next(struct flag_cursor *cursor);

// A parsed command line.
struct arguments {
    const struct command *command;
    const char **operands; // stb_ds array
    struct flag *given;    // stb_ds array
};

// Sets the targets of the command's flags. ARGV starts after the command's name and must outlive the arguments.
bool flags_parse(const struct command *command, int argc, char **argv, struct arguments *arguments);
void arguments_finish(struct arguments *arguments);

bool flags_given(const struct arguments *arguments, const char *name);

// Returns the command's flag for a field of the library's options, or NULL.
const char *flags_name_of_field(const struct command *command, const char *field);

// Texts for help, manual and completion.
void flags_signature(const struct flag *flag, struct text *text);   // "-o, --output FILE"
void flags_meaning(const struct flag *flag, struct text *text);     // "how many [30]"
void flags_usage(const struct command *command, struct text *text); // "mdam-vk plot [flags] INSTANCE [SOLUTION]"
void flags_help(const struct command *command, struct text *text);

#endif
