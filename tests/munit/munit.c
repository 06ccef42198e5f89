// A small runner for munit's interface: tests run one after the other in a child process each, so that a crash is one
// failed test. The command line takes test-name prefixes, --list, --no-fork, --seed N and --param KEY VALUE.
#include "munit.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static struct {
    char *const *prefixes; // name prefixes; none means all
    bool *found;           // prefixes that name a test
    int prefix_count;
    bool list, no_fork;
    MunitParameter given[16]; // --param
    int given_count;
    unsigned seed;
    void *user_data;
    int run, passed, skipped;
} run;

static jmp_buf leave;
static uint64_t state;

void munit_errorf_ex(const char *filename, int line, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    fprintf(stderr, "%s:%d: ", filename, line);
    vfprintf(stderr, format, args);
    fputc('\n', stderr);
    va_end(args);
    longjmp(leave, 1);
}

void munit_logf_ex(MunitLogLevel level, const char *filename, int line, const char *format, ...)
{
    (void)level;
    va_list args;
    va_start(args, format);
    fprintf(stderr, "%s:%d: ", filename, line);
    vfprintf(stderr, format, args);
    fputc('\n', stderr);
    va_end(args);
}

uint32_t munit_rand_uint32(void)
{
    state += 0x9E3779B97F4A7C15u; // SplitMix64
    uint64_t z = state;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    return (uint32_t)((z ^ (z >> 31)) >> 32);
}

double munit_rand_double(void)
{
    return munit_rand_uint32() * 0x1p-32;
}

int munit_rand_int_range(int min, int max)
{
    if (min >= max)
        munit_errorf("a range from %d to %d, where munit divides by zero", min, max);
    return min + (int)(munit_rand_double() * ((double)max - min + 1));
}

const char *munit_parameters_get(const MunitParameter params[], const char *key)
{
    for (; params && params->name; params++) {
        if (!strcmp(params->name, key))
            return params->value;
    }
    return NULL;
}

static MunitResult call(const MunitTest *test, const MunitParameter *params)
{
    state = run.seed;
    if (setjmp(leave))
        return MUNIT_FAIL;
    void *fixture = test->setup ? test->setup(params, run.user_data) : run.user_data;
    MunitResult result = test->test(params, fixture);
    if (test->tear_down)
        test->tear_down(fixture);
    return result;
}

static double clock_of(clockid_t clock)
{
    struct timespec now;
    clock_gettime(clock, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static double seconds_of(struct timeval time)
{
    return (double)time.tv_sec + 1e-6 * (double)time.tv_usec;
}

// Sets *CPU to the seconds of CPU time that the test used.
static MunitResult call_in_child(const MunitTest *test, const MunitParameter *params, double *cpu)
{
    if (run.no_fork) {
        double start = clock_of(CLOCK_PROCESS_CPUTIME_ID);
        MunitResult result = call(test, params);
        *cpu = clock_of(CLOCK_PROCESS_CPUTIME_ID) - start;
        return result;
    }
    fflush(NULL);
    pid_t child = fork();
    if (child == 0) {
        MunitResult result = call(test, params);
        fflush(NULL);
        exit((int)result); // runs the sanitizers' checks, too
    }
    int status;
    struct rusage usage;
    if (child < 0 || wait4(child, &status, 0, &usage) < 0)
        return MUNIT_ERROR;
    *cpu = seconds_of(usage.ru_utime) + seconds_of(usage.ru_stime);
    if (WIFSIGNALED(status)) {
        fprintf(stderr, "killed by signal %d (%s)\n", WTERMSIG(status), strsignal(WTERMSIG(status)));
        return MUNIT_ERROR;
    }
    int code = WEXITSTATUS(status);
    return code <= MUNIT_SKIP ? (MunitResult)code : MUNIT_ERROR;
}

static void run_one(const char *name, const MunitTest *test, const MunitParameter *params)
{
    if (run.list) {
        printf("%s\n", name);
        return;
    }
    fprintf(stderr, "%s", name);
    for (const MunitParameter *p = params; p->name; p++)
        fprintf(stderr, " %s=%s", p->name, p->value);
    fprintf(stderr, "\n");
    double start = clock_of(CLOCK_MONOTONIC), cpu = 0;
    MunitResult result = call_in_child(test, params, &cpu);
    static const char *const words[] = { "OK", "FAIL", "SKIP", "ERROR" };
    fprintf(stderr, "%s [ %-5s ] [ %.5f / %.5f CPU ]\n", name, words[result], clock_of(CLOCK_MONOTONIC) - start, cpu);
    run.run++;
    run.passed += result == MUNIT_OK;
    run.skipped += result == MUNIT_SKIP;
}

// Every combination of the parameters' values, unless --param fixes one.
static void run_parameters(
    const char *name, const MunitTest *test, const MunitParameterEnum *next, MunitParameter *params, int count)
{
    if (!next || !next->name) {
        params[count] = (MunitParameter){ 0 };
        run_one(name, test, params);
        return;
    }
    for (char **value = next->values; *value; value++) {
        const char *fixed = NULL;
        for (int i = 0; i < run.given_count; i++) {
            if (!strcmp(run.given[i].name, next->name))
                fixed = run.given[i].value;
        }
        if (fixed && strcmp(fixed, *value))
            continue;
        params[count] = (MunitParameter){ next->name, *value };
        run_parameters(name, test, next + 1, params, count + 1);
    }
}

static bool is_selected(const char *name)
{
    bool selected = run.prefix_count == 0;
    for (int i = 0; i < run.prefix_count; i++) {
        if (!strncmp(name, run.prefixes[i], strlen(run.prefixes[i])))
            selected = run.found[i] = true;
    }
    return selected;
}

static void run_suite(const MunitSuite *suite, const char *prefix)
{
    char name[512];
    for (const MunitTest *test = suite->tests; test && test->test; test++) {
        snprintf(name, sizeof name, "%s%s%s", prefix, suite->prefix ? suite->prefix : "", test->name);
        MunitParameter params[17];
        if (is_selected(name))
            run_parameters(name, test, test->parameters, params, 0);
    }
    snprintf(name, sizeof name, "%s%s", prefix, suite->prefix ? suite->prefix : "");
    for (const MunitSuite *inner = suite->suites; inner && inner->prefix; inner++)
        run_suite(inner, name);
}

int munit_suite_main(const MunitSuite *suite, void *user_data, int argc, char *const *argv)
{
    run.user_data = user_data;
    run.seed = 1234;
    char **prefixes = calloc((size_t)argc + 1, sizeof *prefixes);
    for (int i = 1; i < argc; i++) {
        if (!strcmp(argv[i], "--list"))
            run.list = true;
        else if (!strcmp(argv[i], "--no-fork"))
            run.no_fork = true;
        else if (!strcmp(argv[i], "--seed") && i + 1 < argc)
            run.seed = (unsigned)strtoul(argv[++i], NULL, 0);
        else if (!strcmp(argv[i], "--param") && i + 2 < argc && run.given_count < 16) {
            run.given[run.given_count++] = (MunitParameter){ argv[i + 1], argv[i + 2] };
            i += 2;
        } else
            prefixes[run.prefix_count++] = argv[i];
    }
    run.prefixes = prefixes;
    run.found = calloc((size_t)argc + 1, sizeof *run.found);
    run_suite(suite, "");
    bool all_found = true;
    for (int i = 0; i < run.prefix_count; i++) {
        if (!run.found[i])
            fprintf(stderr, "%s: there is no such test\n", prefixes[i]);
        all_found = all_found && run.found[i];
    }
    free(prefixes), free(run.found);
    if (run.list)
        return !all_found;
    int counted = run.run - run.skipped;
    fprintf(stderr, "%d of %d (%.0f%%) tests successful, %d (%.0f%%) test skipped.\n", run.passed, counted,
        counted ? 100.0 * run.passed / counted : 0.0, run.skipped, run.run ? 100.0 * run.skipped / run.run : 0.0);
    return run.passed == counted && all_found ? 0 : 1;
}
