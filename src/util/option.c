#include "util/option.h"

#include <stdio.h>
#include <string.h>

#include "util/error.h"

// Functions on a list of words "a|b|c".
static int count_words(const char *words)
{
    int count = 1;
    for (; *words; words++)
        count += *words == '|';
    return count;
}

static const char *word_at(const char *words, int number)
{
    for (; number > 0; number--)
        words = strchr(words, '|') + 1;
    return words;
}

static bool is_word(const char *words, int number, const char *text)
{
    words = word_at(words, number);
    size_t length = strcspn(words, "|");
    return strlen(text) == length && !strncmp(words, text, length);
}

static int find_word(const char *words, const char *text)
{
    for (int i = 0; i < count_words(words); i++) {
        if (is_word(words, i, text))
            return i;
    }
    return -1;
}

// Returns whether the option applies to the selected value of the table's first choice.
static bool applies(const struct mdam_option *table, const struct mdam_option *option, const void *options)
{
    const struct mdam_option *choice = table;
    while (option->only && choice->kind != MDAM_OPTION_CHOICE)
        choice++;
    return !option->only ||
           is_word(choice->value, *(const int *)((const char *)options + choice->offset), option->only);
}

static double number_of(const struct mdam_option *option, const void *field)
{
    switch (option->kind) {
    case MDAM_OPTION_SWITCH:
        return *(const bool *)field;
    case MDAM_OPTION_TEXT:
    case MDAM_OPTION_PROBLEM:
    case MDAM_OPTION_WORD:
        return *(const char *const *)field != NULL;
    case MDAM_OPTION_CHOICE:
        return *(const int *)field;
    case MDAM_OPTION_COUNT:
    case MDAM_OPTION_RANGE:
        return *(const uint32_t *)field;
    case MDAM_OPTION_WHOLE:
    case MDAM_OPTION_SEED:
        return (double)*(const uint64_t *)field;
    case MDAM_OPTION_REAL:
    case MDAM_OPTION_REALS:
        return *(const double *)field;
    case MDAM_OPTION_PERIOD:
        return *(const int32_t *)field;
    }
    bug("option %s of kind %d", option->name, (int)option->kind);
}

void options_fill(const struct mdam_option *table, void *options)
{
    for (const struct mdam_option *option = table; option->name; option++) {
        void *field = (char *)options + option->offset;
        if (!applies(table, option, options))
            continue;
        double number = number_of(option, field);
        if (option->kind == MDAM_OPTION_COUNT && number == 0)
            *(uint32_t *)field = (uint32_t)option->usual;
        if (option->kind == MDAM_OPTION_WHOLE && number == 0)
            *(uint64_t *)field = (uint64_t)option->usual;
        if (option->kind == MDAM_OPTION_REAL && number == 0)
            *(double *)field = option->usual;
        if (option->kind == MDAM_OPTION_REAL && option->none && number < 0)
            *(double *)field = 0;
        if (option->kind == MDAM_OPTION_RANGE && !((uint32_t *)field)[1])
            ((uint32_t *)field)[1] = (uint32_t)number;
        if (option->kind == MDAM_OPTION_REALS && !(((double *)field)[1] > 0))
            ((double *)field)[1] = number;
    }
}

static bool in_bounds(const struct mdam_option *option, double number)
{
    if (number >= option->min && (option->max <= 0 || number <= option->max))
        return true;
    if (option->max <= 0)
        return fail_field(FAULT_INPUT, option->name, "must be at least %.15g, not %.15g", option->min, number);
    return fail_field(
        FAULT_INPUT, option->name, "must be between %.15g and %.15g, not %.15g", option->min, option->max, number);
}

static bool check(const struct mdam_option *option, const void *field)
{
    double number = number_of(option, field);
    switch (option->kind) {
    case MDAM_OPTION_SWITCH:
    case MDAM_OPTION_TEXT:
    case MDAM_OPTION_PROBLEM:
    case MDAM_OPTION_SEED:
        return true;
    case MDAM_OPTION_WORD:
        return find_word(option->value, *(const char *const *)field) >= 0 ||
               fail_field(FAULT_INPUT, option->name, "must be one of %s, not \"%.40s\"", option->value,
                   *(const char *const *)field);
    case MDAM_OPTION_CHOICE:
        return (number >= 0 && number < count_words(option->value)) ||
               fail_field(FAULT_INPUT, option->name, "must be one of %s, not number %.0f", option->value, number);
    case MDAM_OPTION_RANGE: {
        const uint32_t *bounds = field;
        if (bounds[1] && bounds[1] < bounds[0])
            return fail_field(FAULT_INPUT, option->name, "range %u..%u ends below its start", bounds[0], bounds[1]);
        return in_bounds(option, number) && (!bounds[1] || in_bounds(option, bounds[1]));
    }
    case MDAM_OPTION_REALS: {
        const double *bounds = field;
        if (bounds[1] > 0 && bounds[1] < bounds[0])
            return fail_field(
                FAULT_INPUT, option->name, "range %.15g..%.15g ends below its start", bounds[0], bounds[1]);
        return in_bounds(option, number) && (!(bounds[1] > 0) || in_bounds(option, bounds[1]));
    }
    case MDAM_OPTION_PERIOD:
        return number == -1 || in_bounds(option, number);
    case MDAM_OPTION_REAL:
        return (option->none && number < 0) || in_bounds(option, number);
    case MDAM_OPTION_COUNT:
    case MDAM_OPTION_WHOLE:
        return in_bounds(option, number);
    }
    bug("option %s of kind %d", option->name, (int)option->kind);
}

static const struct mdam_option *option_of(const struct mdam_option *table, const char *field)
{
    while (strcmp(table->name, field))
        table++;
    return table;
}

bool option_allows(const struct mdam_option *table, const char *field, double number)
{
    return in_bounds(option_of(table, field), number);
}

const char *option_choice(const struct mdam_option *table, const char *field, int number, char word[OPTION_WORD])
{
    const char *start = word_at(option_of(table, field)->value, number);
    snprintf(word, OPTION_WORD, "%.*s", (int)strcspn(start, "|"), start);
    return word;
}

bool options_check(const struct mdam_option *table, const void *options)
{
    for (const struct mdam_option *option = table; option->name; option++) {
        const void *field = (const char *)options + option->offset;
        bool set = number_of(option, field) != 0;
        if (!set && option->required)
            return fail_field(FAULT_INPUT, option->name, "is required");
        if (!set)
            continue;
        if (!check(option, field))
            return false;
        if (!applies(table, option, options))
            return fail_field(FAULT_INPUT, option->name, "applies to %s only", option->only);
    }
    return true;
}
