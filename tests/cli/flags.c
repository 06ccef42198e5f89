#include "cli/flags.h"

#include <stdio.h>
#include <string.h>

#include <stb/stb_ds.h>

#include "cli/command.h"
#include "expect.h"
#include "suite.h"
#include "util/error.h"

static struct {
    bool fast;
    const char *out, *profile;
    uint32_t count, n[2];
    int32_t period;
    uint64_t seed;
    double rate;
    int mode;
} got;

static const struct flag flags[] = {
    { "--fast", NULL, FLAG_SWITCH, &got.fast, NULL, "hurry" },
    { "-o", "--output", FLAG_TEXT, &got.out, "FILE", "where to", .required = true },
    { "--count", NULL, FLAG_COUNT, &got.count, "C", "how many", 1, 100 },
    { "--seed", NULL, FLAG_SEED, &got.seed, "S", "which" },
    { NULL },
};

static const struct flag more_flags[] = {
    { "--profile", NULL, FLAG_OPTIONAL, &got.profile, "FILE", "times" },
    { "--rate", NULL, FLAG_REAL, &got.rate, "X", "how fast" },
    { "-n", NULL, FLAG_RANGE, got.n, "N|A..B", "sizes", 1, 1000 },
    { "--period", NULL, FLAG_OR_OFF, &got.period, "p|off", "how often", 1, 9 },
    { "--mode", NULL, FLAG_CHOICE, &got.mode, "slow|middle|quick", "which way" },
    { NULL },
};

static const struct command command = { "work", "does nothing", .operands = "FILE [FILE]", .min_operands = 1,
    .max_operands = 2, .flags = { flags, more_flags } };

static bool parse(const char *line, struct arguments *arguments)
{
    static char words[256], *argv[32];
    int argc = 0;
    snprintf(words, sizeof words, "%s", line);
    for (char *rest = words, *word; (word = strsep(&rest, " "));)
        argv[argc++] = word;
    memset(&got, 0, sizeof got);
    return flags_parse(&command, argc, argv, arguments);
}

static MunitResult test_parsed(const MunitParameter params[], void *data)
{
    (void)params, (void)data;
    struct arguments arguments;
    munit_assert_true(parse("a.json --fast -o x --count=7 --seed 18446744073709551615 --rate -0 -n 20..100 "
                            "--mode quick - --profile p",
        &arguments));
    munit_assert_true(got.fast);
    munit_assert_string_equal(got.out, "x");
    munit_assert_uint32(got.count, ==, 7);
    munit_assert_uint64(got.seed, ==, UINT64_MAX);
    munit_assert_uint32(got.n[0], ==, 20);
    munit_assert_uint32(got.n[1], ==, 100);
    munit_assert_int(got.mode, ==, 2);
    munit_assert_string_equal(got.profile, "p");
    munit_assert_size(arrlenu(arguments.operands), ==, 2);
    munit_assert_string_equal(arguments.operands[1], "-");
    munit_assert_true(flags_given(&arguments, "--output"));
    munit_assert_true(flags_given(&arguments, "-o"));
    arguments_finish(&arguments);

    munit_assert_true(parse("a -o x --period 9", &arguments));
    munit_assert_int(got.period, ==, 9);
    arguments_finish(&arguments);
    munit_assert_true(parse("a -o x --period off", &arguments));
    munit_assert_int(got.period, ==, -1);
    arguments_finish(&arguments);

    // A value that may be left out does not swallow the operand that is needed.
    munit_assert_true(parse("--profile a.json --output=x -n 5 -- --fast", &arguments));
    munit_assert_string_equal(got.profile, "");
    munit_assert_string_equal(arguments.operands[0], "a.json");
    munit_assert_string_equal(arguments.operands[1], "--fast");
    munit_assert_false(got.fast);
    munit_assert_uint32(got.n[1], ==, 5);
    munit_assert_false(flags_given(&arguments, "--fast"));
    arguments_finish(&arguments);
    return MUNIT_OK;
}

static MunitResult test_refused(const MunitParameter params[], void *data)
{
    (void)params, (void)data;
    static const struct {
        const char *line, *sentence;
    } cases[] = {
        { "a -o x --slow", "work: unknown flag --slow; `mdam-vk help work` lists the flags" },
        { "a -o x --slow=7", "work: unknown flag --slow; `mdam-vk help work` lists the flags" },
        { "a -ox", "work: unknown flag -ox; did you mean -o?" },
        { "a -o x --conut=7", "work: unknown flag --conut; did you mean --count?" },
        { "a --ouptut x", "work: unknown flag --ouptut; did you mean --output?" },
        { "a", "work: -o FILE is required" },
        { "a -o", "work: -o requires a value, FILE" },
        { "-o x", "work: FILE [FILE] required, 0 given" },
        { "a b c -o x", "work: unexpected \"c\"" },
        { "a -o x --output y", "work: -o is given twice" },
        { "a -o x --fast=1", "work: --fast accepts no value" },
        { "a -o x --count 0", "work: --count: must be a whole number from 1 to 100, not \"0\"" },
        { "a -o x --count 101", "work: --count: must be a whole number from 1 to 100, not \"101\"" },
        { "a -o x --count +7", "work: --count: must be a whole number from 1 to 100, not \"+7\"" },
        { "a -o x --count 7x", "work: --count: must be a whole number from 1 to 100, not \"7x\"" },
        { "a -o x --period 0", "work: --period: must be off or a whole number from 1 to 9, not \"0\"" },
        { "a -o x --period Off", "work: --period: must be off or a whole number from 1 to 9, not \"Off\"" },
        { "a -o=", "work: -o requires a value, FILE" },
        { "a  -o x", "work: FILE [FILE]: must not be empty" },
        { "a -o x --count=", "work: --count: must be a whole number from 1 to 100, not \"\"" },
        { "a -o x --seed 18446744073709551616",
            "work: --seed: must be a whole number below 2^64, not \"18446744073709551616\"" },
        { "a -o x --seed -1", "work: --seed: must be a whole number below 2^64, not \"-1\"" },
        { "a -o x --rate nan", "work: --rate: must be a number of at least 0, not \"nan\"" },
        { "a -o x --rate -1", "work: --rate: must be a number of at least 0, not \"-1\"" },
        { "a -o x --rate 1e999", "work: --rate: must be a number of at least 0, not \"1e999\"" },
        { "a -o x -n 5..", "work: -n: must be a whole number or a range A..B from 1 to 1000, not \"5..\"" },
        { "a -o x -n 9..5", "work: -n: range \"9..5\" ends below its start" },
        { "a -o x -n 1..1001", "work: -n: must be a whole number or a range A..B from 1 to 1000, not \"1..1001\"" },
        { "a -o x --mode qui", "work: --mode: must be one of slow|middle|quick, not \"qui\"" },
    };
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
        struct arguments arguments;
        munit_assert_false(parse(cases[k].line, &arguments));
        expect_message(error_text(), cases[k].sentence);
        munit_assert_int(error_fault(), ==, FAULT_INPUT);
        arguments_finish(&arguments);
    }
    return MUNIT_OK;
}

static MunitResult test_help(const MunitParameter params[], void *data)
{
    (void)params, (void)data;
    memset(&got, 0, sizeof got);
    got.count = 30;
    got.mode = 1;
    struct text text = { 0 };
    flags_help(&command, &text);
    munit_assert_string_equal(text.data, "usage: mdam-vk work [flags] FILE [FILE]\n"
                                         "does nothing\n"
                                         "\n"
                                         "  --fast                          hurry\n"
                                         "  -o, --output FILE               where to (required)\n"
                                         "  --count C                       how many [30]\n"
                                         "  --seed S                        which\n"
                                         "\n"
                                         "  --profile [FILE]                times\n"
                                         "  --rate X                        how fast\n"
                                         "  -n N|A..B                       sizes\n"
                                         "  --period p|off                  how often\n"
                                         "  --mode slow|middle|quick        which way [middle]\n");
    text_finish(&text);
    return MUNIT_OK;
}

static MunitTest tests[] = {
    { "/parsed", test_parsed, NULL, NULL, MUNIT_TEST_OPTION_NONE, NULL },
    { "/refused", test_refused, NULL, NULL, MUNIT_TEST_OPTION_NONE, NULL },
    { "/help", test_help, NULL, NULL, MUNIT_TEST_OPTION_NONE, NULL },
    { NULL, NULL, NULL, NULL, MUNIT_TEST_OPTION_NONE, NULL },
};
SUITE("/cli/flags", tests)
