#include "cli/flags.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <stb/stb_ds.h>

#include "cli/command.h"
#include "util/error.h"
#include "util/spelling.h"

// A whole number in plain digits; strtoull alone would take signs, blanks and what overflows.
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

static double upper_bound(const struct flag *flag)
{
    return flag->max > 0 ? flag->max : flag->kind == FLAG_REAL ? HUGE_VAL : UINT32_MAX;
}

static bool in_bounds(const struct flag *flag, double number)
{
    return number >= flag->min && number <= upper_bound(flag);
}

static bool refuse(const struct flag *flag, const char *text, const char *wanted)
{
    if (upper_bound(flag) < HUGE_VAL)
        return fail(FAULT_INPUT, "%s: \"%s\" is not %s from %.15g to %.15g", flag->name, text, wanted, flag->min,
            upper_bound(flag));
    return fail(FAULT_INPUT, "%s: \"%s\" is not %s of at least %.15g", flag->name, text, wanted, flag->min);
}

static bool set_count(const struct flag *flag, const char *text)
{
    const char *end;
    uint64_t number;
    if (!whole_number(text, &end, &number) || *end || !in_bounds(flag, (double)number))
        return refuse(flag, text, flag->kind == FLAG_OR_OFF ? "off or a whole number" : "a whole number");
    *(uint32_t *)flag->target = (uint32_t)number;
    return true;
}

static bool set_seed(const struct flag *flag, const char *text)
{
    const char *end;
    uint64_t number;
    if (!whole_number(text, &end, &number) || *end)
        return fail(FAULT_INPUT, "%s: \"%s\" is not a whole number below 2^64", flag->name, text);
    *(uint64_t *)flag->target = number;
    return true;
}

static bool set_real(const struct flag *flag, const char *text)
{
    char *end;
    double number = strtod(text, &end);
    if (end == text || *end || !isfinite(number) || !in_bounds(flag, number))
        return refuse(flag, text, "a number");
    *(double *)flag->target = number;
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
        return fail(FAULT_INPUT, "%s: the range \"%s\" ends before it begins", flag->name, text);
    *(struct flag_range *)flag->target = (struct flag_range){ (uint32_t)from, (uint32_t)to };
    return true;
}

static bool set_choice(const struct flag *flag, const char *text)
{
    int number = 0;
    for (const char *word = flag->value; word; number++) {
        size_t length = strcspn(word, "|");
        if (length == strlen(text) && !strncmp(word, text, length)) {
            *(int *)flag->target = number;
            return true;
        }
        word = word[length] ? word + length + 1 : NULL;
    }
    return fail(FAULT_INPUT, "%s: \"%s\" is not one of %s", flag->name, text, flag->value);
}

static bool set(const struct flag *flag, const char *text)
{
    switch (flag->kind) {
    case FLAG_SWITCH:
        *(bool *)flag->target = true;
        return true;
    case FLAG_TEXT:
        if (!*text)
            return fail(FAULT_INPUT, "%s needs a value, %s", flag->name, flag->value);
        *(const char **)flag->target = text;
        return true;
    case FLAG_OPTIONAL:
        *(const char **)flag->target = text;
        return true;
    case FLAG_COUNT:
        return set_count(flag, text);
    case FLAG_OR_OFF:
        if (strcmp(text, "off"))
            return set_count(flag, text);
        *(uint32_t *)flag->target = 0;
        return true;
    case FLAG_SEED:
        return set_seed(flag, text);
    case FLAG_REAL:
        return set_real(flag, text);
    case FLAG_RANGE:
        return set_range(flag, text);
    case FLAG_CHOICE:
        return set_choice(flag, text);
    }
    bug("flag %s of kind %d", flag->name, (int)flag->kind);
}

static bool is_called(const struct flag *flag, const char *name, size_t length)
{
    return (strlen(flag->name) == length && !strncmp(flag->name, name, length)) ||
           (flag->alias && strlen(flag->alias) == length && !strncmp(flag->alias, name, length));
}

static const struct flag *find(const struct command *command, const char *name, size_t length)
{
    for (const struct flag *const *table = command->flags; *table; table++) {
        for (const struct flag *flag = *table; flag->name; flag++) {
            if (is_called(flag, name, length))
                return flag;
        }
    }
    return NULL;
}

static bool fail_unknown(const struct command *command, const char *name, size_t length)
{
    struct spelling spelling = { .word = name, .length = length };
    for (const struct flag *const *table = command->flags; *table; table++) {
        for (const struct flag *flag = *table; flag->name; flag++) {
            spelling_consider(&spelling, flag->name);
            if (flag->alias)
                spelling_consider(&spelling, flag->alias);
        }
    }
    if (spelling.nearest)
        return fail(FAULT_INPUT, "unknown flag %.*s; did you mean %s?", (int)length, name, spelling.nearest);
    return fail(FAULT_INPUT, "unknown flag %.*s; `mdam-vk help %s` lists the flags", (int)length, name, command->name);
}

bool flags_given(const struct arguments *arguments, const char *name)
{
    for (ptrdiff_t i = 0; i < arrlen(arguments->given); i++) {
        if (is_called(arguments->given[i], name, strlen(name)))
            return true;
    }
    return false;
}

// The flag at argv[*next] and its value, which may be the word behind it.
static bool parse_flag(struct arguments *arguments, int argc, char **argv, int *next)
{
    const char *word = argv[(*next)++];
    const char *equals = strchr(word, '=');
    size_t length = equals ? (size_t)(equals - word) : strlen(word);
    const struct flag *flag = find(arguments->command, word, length);
    if (!flag)
        return fail_unknown(arguments->command, word, length);
    if (flags_given(arguments, flag->name))
        return fail(FAULT_INPUT, "%s is given twice", flag->name);
    arrput(arguments->given, flag);
    if (flag->kind == FLAG_SWITCH && equals)
        return fail(FAULT_INPUT, "%s takes no value", flag->name);

    const char *value = equals ? equals + 1 : NULL;
    if (!value && flag->kind == FLAG_OPTIONAL) {
        bool complete = arrlenu(arguments->operands) >= arguments->command->min_operands;
        value = complete && *next < argc && argv[*next][0] != '-' ? argv[(*next)++] : "";
    } else if (!value && flag->kind != FLAG_SWITCH) {
        if (*next == argc)
            return fail(FAULT_INPUT, "%s needs a value, %s", flag->name, flag->value);
        value = argv[(*next)++];
    }
    return set(flag, value);
}

static bool check_complete(const struct arguments *arguments)
{
    const struct command *command = arguments->command;
    size_t count = arrlenu(arguments->operands);
    if (count < command->min_operands)
        return fail(FAULT_INPUT, "%s needed, %zu given", command->operands, count);
    if (count > command->max_operands)
        return fail(FAULT_INPUT, "unexpected \"%s\"", arguments->operands[command->max_operands]);
    for (size_t i = 0; i < count; i++) {
        if (!*arguments->operands[i])
            return fail(FAULT_INPUT, "%s: an empty name", command->operands);
    }
    for (const struct flag *const *table = command->flags; *table; table++) {
        for (const struct flag *flag = *table; flag->name; flag++) {
            if (flag->required && !flags_given(arguments, flag->name))
                return fail(FAULT_INPUT, "%s %s is missing", flag->name, flag->value);
        }
    }
    return true;
}

bool flags_parse(const struct command *command, int argc, char **argv, struct arguments *arguments)
{
    *arguments = (struct arguments){ .command = command };
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

// Zero and NULL stand for "not set" and are not worth a word.
static void add_default(const struct flag *flag, struct text *text)
{
    if (flag->required)
        return;
    if (flag->kind == FLAG_TEXT && *(const char **)flag->target)
        text_add(text, " [%s]", *(const char **)flag->target);
    if (flag->kind == FLAG_COUNT && *(uint32_t *)flag->target)
        text_add(text, " [%u]", *(uint32_t *)flag->target);
    if (flag->kind == FLAG_SEED && *(uint64_t *)flag->target)
        text_add(text, " [%llu]", (unsigned long long)*(uint64_t *)flag->target);
    if (flag->kind == FLAG_REAL && *(double *)flag->target != 0)
        text_add(text, " [%g]", *(double *)flag->target);
    if (flag->kind == FLAG_CHOICE) {
        const char *word = flag->value;
        for (int i = *(int *)flag->target; i > 0; i--)
            word = strchr(word, '|') + 1;
        text_add(text, " [%.*s]", (int)strcspn(word, "|"), word);
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
        for (const struct flag *flag = *table; flag->name; flag++) {
            struct text left = { 0 };
            flags_signature(flag, &left);
            text_add(text, "  %-30s  ", left.data);
            text_finish(&left);
            flags_meaning(flag, text);
            text_add(text, "\n");
        }
    }
}
