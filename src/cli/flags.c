#include "cli/flags.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <stb/stb_ds.h>

#include "cli/command.h"
#include "util/alloc.h"
#include "util/error.h"
#include "util/spelling.h"

// Parses decimal digits only; strtoull alone would accept signs, blanks and overflows.
static bool whole_number(const char *text, const char **end, uint64_t *number)
{
    if (*text < '0' || *text > '9')
        return false;
    char *stop;
    errno = 0;
    *number = strtoull(text, &stop, 10);
    *end = stop;
    return errno == 0;
}

static bool is_whole(const struct flag *flag)
{
    return flag->kind != FLAG_REAL && flag->kind != FLAG_REALS;
}

static double upper_bound(const struct flag *flag)
{
    return flag->max > 0 ? flag->max : !is_whole(flag) ? HUGE_VAL : flag->kind == FLAG_WHOLE ? INT64_MAX : UINT32_MAX;
}

static bool in_bounds(const struct flag *flag, double number)
{
    return number >= flag->min && number <= upper_bound(flag);
}

static bool refuse(const struct flag *flag, const char *text, const char *expected)
{
    if (flag->kind == FLAG_WHOLE && !(flag->max > 0))
        return fail(
            FAULT_INPUT, "%s: must be %s from %.15g to 2^63 - 1, not \"%s\"", flag->name, expected, flag->min, text);
    if (upper_bound(flag) < HUGE_VAL)
        return fail(FAULT_INPUT, "%s: must be %s from %.15g to %.15g, not \"%s\"", flag->name, expected, flag->min,
            upper_bound(flag), text);
    return fail(FAULT_INPUT, "%s: must be %s of at least %.15g, not \"%s\"", flag->name, expected, flag->min, text);
}

// Returns the field's units per unit of the flag.
static double unit_of(const struct flag *flag)
{
    return flag->option && flag->option->unit > 0 ? flag->option->unit : 1;
}

static bool set_whole(const struct flag *flag, const char *text)
{
    const char *end;
    uint64_t number;
    if (!whole_number(text, &end, &number) || *end || !in_bounds(flag, (double)number))
        return refuse(flag, text, flag->kind == FLAG_OR_OFF ? "off or a whole number" : "a whole number");
    if (flag->kind == FLAG_WHOLE)
        *(uint64_t *)flag->target = number * (uint64_t)unit_of(flag);
    else if (flag->kind == FLAG_OR_OFF)
        *(int32_t *)flag->target = (int32_t)number;
    else
        *(uint32_t *)flag->target = (uint32_t)number;
    return true;
}

static bool set_seed(const struct flag *flag, const char *text)
{
    const char *end;
    uint64_t number;
    if (!whole_number(text, &end, &number) || *end)
        return fail(FAULT_INPUT, "%s: must be a whole number below 2^64, not \"%s\"", flag->name, text);
    *(uint64_t *)flag->target = number;
    return true;
}

// For the library 0 means the default, and negative values mean none.
static bool set_real(const struct flag *flag, const char *text)
{
    char *end;
    double number = strtod(text, &end);
    if (end == text || *end || !isfinite(number) || !in_bounds(flag, number))
        return refuse(flag, text, "a number");
    bool none = number == 0 && flag->option && flag->option->none;
    *(double *)flag->target = none ? -1 : number * unit_of(flag);
    return true;
}

static bool set_range(const struct flag *flag, const char *text)
{
    const char *end;
    uint64_t from, to;
    bool ok = whole_number(text, &end, &from);
    to = from;
    if (ok && !strncmp(end, "..", 2))
        ok = whole_number(end + 2, &end, &to);
    if (!ok || *end || !in_bounds(flag, (double)from) || !in_bounds(flag, (double)to))
        return refuse(flag, text, "a whole number or a range A..B");
    if (from > to)
        return fail(FAULT_INPUT, "%s: range \"%s\" ends below its start", flag->name, text);
    uint32_t *bounds = flag->target;
    bounds[0] = (uint32_t)from;
    bounds[1] = (uint32_t)to;
    return true;
}

// A number that "..", or nothing, follows.
static bool real_number(const char *text, const char **end, double *number)
{
    const char *dots = strstr(text, "..");
    size_t length = dots ? (size_t)(dots - text) : strlen(text);
    char *copy = xformat("%.*s", (int)length, text), *behind;
    *number = strtod(copy, &behind);
    bool ok = length && !*behind && isfinite(*number);
    free(copy);
    *end = text + length;
    return ok;
}

static bool set_reals(const struct flag *flag, const char *text)
{
    const char *end;
    double from, to;
    bool ok = real_number(text, &end, &from);
    to = from;
    if (ok && *end)
        ok = real_number(end + 2, &end, &to);
    if (!ok || *end || !in_bounds(flag, from) || !in_bounds(flag, to))
        return refuse(flag, text, "a number or a range A..B");
    if (from > to)
        return fail(FAULT_INPUT, "%s: range \"%s\" ends below its start", flag->name, text);
    double *bounds = flag->target;
    bounds[0] = from;
    bounds[1] = to;
    return true;
}

// Returns the index of a word in the list `value`, or -1.
static int find_word(const struct flag *flag, const char *text)
{
    int number = 0;
    for (const char *word = flag->value; word; number++) {
        size_t length = strcspn(word, "|");
        if (length == strlen(text) && !strncmp(word, text, length))
            return number;
        word = word[length] ? word + length + 1 : NULL;
    }
    return -1;
}

static bool set_word(const struct flag *flag, const char *text)
{
    int number = find_word(flag, text);
    if (number < 0)
        return fail(FAULT_INPUT, "%s: must be one of %s, not \"%s\"", flag->name, flag->value, text);
    if (flag->kind == FLAG_WORD)
        *(const char **)flag->target = text;
    else
        *(int *)flag->target = number;
    return true;
}

static bool set(const struct flag *flag, const char *text)
{
    switch (flag->kind) {
    case FLAG_SWITCH:
        *(bool *)flag->target = true;
        return true;
    case FLAG_TEXT:
    case FLAG_PROBLEM:
        if (!*text)
            return fail(FAULT_INPUT, "%s requires a value, %s", flag->name, flag->value);
        *(const char **)flag->target = text;
        return true;
    case FLAG_OPTIONAL:
        *(const char **)flag->target = text;
        return true;
    case FLAG_OR_OFF:
        if (strcmp(text, "off"))
            return set_whole(flag, text);
        *(int32_t *)flag->target = -1;
        return true;
    case FLAG_COUNT:
    case FLAG_WHOLE:
        return set_whole(flag, text);
    case FLAG_SEED:
        return set_seed(flag, text);
    case FLAG_REAL:
        return set_real(flag, text);
    case FLAG_RANGE:
        return set_range(flag, text);
    case FLAG_REALS:
        return set_reals(flag, text);
    case FLAG_WORD:
    case FLAG_CHOICE:
        return set_word(flag, text);
    case FLAG_TABLE:
        break;
    }
    bug("flag %s of kind %d", flag->name, (int)flag->kind);
}

static struct flag flag_of_option(const struct mdam_option *option, void *options)
{
    static const enum flag_kind kinds[] = {
        [MDAM_OPTION_SWITCH] = FLAG_SWITCH,
        [MDAM_OPTION_TEXT] = FLAG_TEXT,
        [MDAM_OPTION_PROBLEM] = FLAG_PROBLEM,
        [MDAM_OPTION_WORD] = FLAG_WORD,
        [MDAM_OPTION_CHOICE] = FLAG_CHOICE,
        [MDAM_OPTION_COUNT] = FLAG_COUNT,
        [MDAM_OPTION_WHOLE] = FLAG_WHOLE,
        [MDAM_OPTION_SEED] = FLAG_SEED,
        [MDAM_OPTION_REAL] = FLAG_REAL,
        [MDAM_OPTION_PERIOD] = FLAG_OR_OFF,
        [MDAM_OPTION_RANGE] = FLAG_RANGE,
        [MDAM_OPTION_REALS] = FLAG_REALS,
    };
    double unit = option->unit > 0 ? option->unit : 1;
    return (struct flag){ .name = option->flag,
        .kind = kinds[option->kind],
        .target = (char *)options + option->offset,
        .value = option->value,
        .help = option->help,
        .min = option->min / unit,
        .max = option->max / unit,
        .required = option->required,
        .option = option };
}

struct flag_cursor flags_of(const struct flag *const *tables)
{
    return (struct flag_cursor){ .tables = tables };
}

bool flags_next(struct flag_cursor *c)
{
    for (;;) {
        if (c->option) { // inside a table of options
            c->option++;
            if (c->option->name) {
                if (!c->option->flag)
                    continue;
                c->flag = flag_of_option(c->option, c->row->target);
                return true;
            }
            c->option = NULL;
        }
        if (!c->row && !*c->tables)
            return false;
        c->row = c->row ? c->row + 1 : *c->tables;
        if (!c->row->name) {
            c->row = NULL;
            c->tables++;
        } else if (c->row->kind == FLAG_TABLE) {
            c->option = mdam_options(c->row->table) - 1;
        } else {
            c->flag = *c->row;
            return true;
        }
    }
}

static bool is_called(const struct flag *flag, const char *name, size_t length)
{
    return (strlen(flag->name) == length && !strncmp(flag->name, name, length)) ||
           (flag->alias && strlen(flag->alias) == length && !strncmp(flag->alias, name, length));
}

static bool find(const struct command *command, const char *name, size_t length, struct flag *flag)
{
    for (struct flag_cursor c = flags_of(command->flags); flags_next(&c);) {
        *flag = c.flag;
        if (is_called(flag, name, length))
            return true;
    }
    return false;
}

static bool fail_unknown(const struct command *command, const char *name, size_t length)
{
    struct spelling spelling = { .word = name, .length = length };
    for (struct flag_cursor c = flags_of(command->flags); flags_next(&c);) {
        spelling_consider(&spelling, c.flag.name);
        if (c.flag.alias)
            spelling_consider(&spelling, c.flag.alias);
    }
    if (spelling.nearest)
        return fail(FAULT_INPUT, "unknown flag %.*s; did you mean %s?", (int)length, name, spelling.nearest);
    return fail(FAULT_INPUT, "unknown flag %.*s; `mdam-vk help %s` lists the flags", (int)length, name, command->name);
}

bool flags_given(const struct arguments *arguments, const char *name)
{
    for (ptrdiff_t i = 0; i < arrlen(arguments->given); i++) {
        if (is_called(&arguments->given[i], name, strlen(name)))
            return true;
    }
    return false;
}

const char *flags_name_of_field(const struct command *command, const char *field)
{
    for (struct flag_cursor c = flags_of(command->flags); flags_next(&c);) {
        if (c.flag.option && !strcmp(c.flag.option->name, field))
            return c.flag.name;
    }
    return NULL;
}

// Parses the flag at argv[*next] and its value, which may be the next word.
static bool parse_flag(struct arguments *arguments, int argc, char **argv, int *next)
{
    const char *word = argv[(*next)++];
    const char *equals = strchr(word, '=');
    size_t length = equals ? (size_t)(equals - word) : strlen(word);
    struct flag flag;
    if (!find(arguments->command, word, length, &flag))
        return fail_unknown(arguments->command, word, length);
    if (flags_given(arguments, flag.name))
        return fail(FAULT_INPUT, "%s is given twice", flag.name);
    arrput(arguments->given, flag);
    if (flag.kind == FLAG_SWITCH && equals)
        return fail(FAULT_INPUT, "%s accepts no value", flag.name);

    const char *value = equals ? equals + 1 : NULL;
    if (!value && flag.kind == FLAG_OPTIONAL) {
        bool complete = arrlenu(arguments->operands) >= arguments->command->min_operands;
        value = complete && *next < argc && argv[*next][0] != '-' ? argv[(*next)++] : "";
    } else if (!value && flag.kind != FLAG_SWITCH) {
        if (*next == argc)
            return fail(FAULT_INPUT, "%s requires a value, %s", flag.name, flag.value);
        value = argv[(*next)++];
    }
    return set(&flag, value);
}

static bool check_complete(const struct arguments *arguments)
{
    const struct command *command = arguments->command;
    size_t count = arrlenu(arguments->operands);
    if (count < command->min_operands)
        return fail(FAULT_INPUT, "%s required, %zu given", command->operands, count);
    if (count > command->max_operands)
        return fail(FAULT_INPUT, "unexpected \"%s\"", arguments->operands[command->max_operands]);
    for (size_t i = 0; i < count; i++) {
        if (!*arguments->operands[i])
            return fail(FAULT_INPUT, "%s: must not be empty", command->operands);
    }
    for (struct flag_cursor c = flags_of(command->flags); flags_next(&c);) {
        if (c.flag.required && !flags_given(arguments, c.flag.name))
            return fail(FAULT_INPUT, "%s %s is required", c.flag.name, c.flag.value);
    }
    return true;
}

// For the library 0 is a seed like any other.
static void start_seeds(const struct command *command)
{
    for (struct flag_cursor c = flags_of(command->flags); flags_next(&c);) {
        if (c.flag.option && c.flag.kind == FLAG_SEED)
            *(uint64_t *)c.flag.target = (uint64_t)c.flag.option->usual;
    }
}

bool flags_parse(const struct command *command, int argc, char **argv, struct arguments *arguments)
{
    *arguments = (struct arguments){ .command = command };
    start_seeds(command);
    bool operands_only = false, ok = true;
    for (int next = 0; ok && next < argc;) {
        const char *word = argv[next];
        if (!operands_only && !strcmp(word, "--")) {
            operands_only = true;
            next++;
        } else if (!operands_only && word[0] == '-' && word[1]) {
            ok = parse_flag(arguments, argc, argv, &next);
        } else {
            arrput(arguments->operands, word);
            next++;
        }
    }
    return (ok && check_complete(arguments)) || fail_within("%s", command->name);
}

void arguments_finish(struct arguments *arguments)
{
    arrfree(arguments->operands);
    arrfree(arguments->given);
}

// Returns the number in the target, or its default.
static double default_number(const struct flag *flag)
{
    if (flag->option)
        return flag->option->usual / unit_of(flag);
    switch (flag->kind) {
    case FLAG_COUNT:
        return *(uint32_t *)flag->target;
    case FLAG_WHOLE:
    case FLAG_SEED:
        return (double)*(uint64_t *)flag->target;
    case FLAG_REAL:
        return *(double *)flag->target;
    case FLAG_CHOICE:
        return *(int *)flag->target;
    default:
        return 0;
    }
}

// Zero and NULL mean "not set" and are not shown.
static void add_default(const struct flag *flag, struct text *text)
{
    if (flag->required || default_number(flag) < 0)
        return;
    if (flag->kind == FLAG_CHOICE || flag->kind == FLAG_WORD) {
        const char *word = flag->value;
        for (int i = (int)default_number(flag); i > 0; i--)
            word = strchr(word, '|') + 1;
        text_add(text, " [%.*s]", (int)strcspn(word, "|"), word);
    } else if (flag->kind == FLAG_TEXT && *(const char **)flag->target) {
        text_add(text, " [%s]", *(const char **)flag->target);
    } else if (default_number(flag) != 0) {
        text_add(text, is_whole(flag) ? " [%.0f]" : " [%g]", default_number(flag));
    }
}

void flags_signature(const struct flag *flag, struct text *text)
{
    text_add(text, "%s%s%s", flag->name, flag->alias ? ", " : "", flag->alias ? flag->alias : "");
    if (flag->kind == FLAG_OPTIONAL)
        text_add(text, " [%s]", flag->value);
    else if (flag->kind != FLAG_SWITCH)
        text_add(text, " %s", flag->value);
}

void flags_meaning(const struct flag *flag, struct text *text)
{
    text_add(text, "%s", flag->help);
    for (size_t i = 0; flag->kind == FLAG_PROBLEM && mdam_problem_name(i); i++)
        text_add(text, "%s%s", !i ? ": " : mdam_problem_name(i + 1) ? ", " : " or ", mdam_problem_name(i));
    add_default(flag, text);
    text_add(text, "%s", flag->required ? " (required)" : "");
}

void flags_usage(const struct command *command, struct text *text)
{
    text_add(text, "mdam-vk %s [flags]%s%s", command->name, command->operands ? " " : "",
        command->operands ? command->operands : "");
}

void flags_help(const struct command *command, struct text *text)
{
    text_add(text, "usage: ");
    flags_usage(command, text);
    text_add(text, "\n%s\n", command->summary);
    for (const struct flag *const *table = command->flags; *table; table++) {
        text_add(text, "\n");
        for (struct flag_cursor c = flags_of((const struct flag *const[]){ *table, NULL }); flags_next(&c);) {
            struct text left = { 0 };
            flags_signature(&c.flag, &left);
            text_add(text, "  %-30s  ", left.data);
            text_finish(&left);
            flags_meaning(&c.flag, text);
            text_add(text, "\n");
        }
    }
}
