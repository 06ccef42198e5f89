// The part of munit's interface that the tests use. With -Dmunit=system the real one is linked instead of munit.c.
#ifndef MUNIT_H
#define MUNIT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum { MUNIT_OK, MUNIT_FAIL, MUNIT_SKIP, MUNIT_ERROR } MunitResult;
typedef enum { MUNIT_TEST_OPTION_NONE = 0 } MunitTestOptions;
typedef enum { MUNIT_SUITE_OPTION_NONE = 0 } MunitSuiteOptions;

typedef struct {
    char *name;
    char **values;
} MunitParameterEnum;

typedef struct {
    char *name;
    char *value;
} MunitParameter;

typedef MunitResult (*MunitTestFunc)(const MunitParameter params[], void *user_data_or_fixture);
typedef void *(*MunitTestSetup)(const MunitParameter params[], void *user_data);
typedef void (*MunitTestTearDown)(void *fixture);

typedef struct {
    char *name;
    MunitTestFunc test;
    MunitTestSetup setup;
    MunitTestTearDown tear_down;
    MunitTestOptions options;
    MunitParameterEnum *parameters;
} MunitTest;

typedef struct MunitSuite_ {
    char *prefix;
    MunitTest *tests;
    struct MunitSuite_ *suites;
    unsigned int iterations;
    MunitSuiteOptions options;
} MunitSuite;

int munit_suite_main(const MunitSuite *suite, void *user_data, int argc, char *const *argv);
const char *munit_parameters_get(const MunitParameter params[], const char *key);

// Ends the running test as failed.
_Noreturn void munit_errorf_ex(const char *filename, int line, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
#define munit_errorf(...)    munit_errorf_ex(__FILE__, __LINE__, __VA_ARGS__)
#define munit_error(message) munit_errorf("%s", message)

void munit_logf_ex(int level, const char *filename, int line, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
#define MUNIT_LOG_INFO         1
#define munit_logf(level, ...) munit_logf_ex(level, __FILE__, __LINE__, __VA_ARGS__)

#define munit_assert(expression)                                                                                       \
    do {                                                                                                               \
        if (!(expression))                                                                                             \
            munit_errorf("assertion failed: %s", #expression);                                                         \
    } while (0)
#define munit_assert_true(expression)  munit_assert(expression)
#define munit_assert_false(expression) munit_assert(!(expression))
#define munit_assert_null(pointer)     munit_assert((pointer) == NULL)
#define munit_assert_not_null(pointer) munit_assert((pointer) != NULL)

#define MUNIT_COMPARE_(type, format, a, op, b)                                                                         \
    do {                                                                                                               \
        type munit_a_ = (a), munit_b_ = (b);                                                                           \
        if (!(munit_a_ op munit_b_))                                                                                   \
            munit_errorf(                                                                                              \
                "assertion failed: %s %s %s (" format " %s " format ")", #a, #op, #b, munit_a_, #op, munit_b_);        \
    } while (0)
#define munit_assert_int(a, op, b)    MUNIT_COMPARE_(int, "%d", a, op, b)
#define munit_assert_uint(a, op, b)   MUNIT_COMPARE_(unsigned, "%u", a, op, b)
#define munit_assert_uint32(a, op, b) MUNIT_COMPARE_(unsigned, "%u", a, op, b)
#define munit_assert_uint64(a, op, b) MUNIT_COMPARE_(unsigned long long, "%llu", a, op, b)
#define munit_assert_int64(a, op, b)  MUNIT_COMPARE_(long long, "%lld", a, op, b)
#define munit_assert_size(a, op, b)   MUNIT_COMPARE_(size_t, "%zu", a, op, b)
#define munit_assert_float(a, op, b)  MUNIT_COMPARE_(double, "%.9g", a, op, b)
#define munit_assert_double(a, op, b) MUNIT_COMPARE_(double, "%.17g", a, op, b)
#define munit_assert_double_equal(a, b, digits)                                                                        \
    do {                                                                                                               \
        double munit_a_ = (a), munit_b_ = (b);                                                                         \
        if (!(munit_a_ - munit_b_ <= 1e-##digits && munit_b_ - munit_a_ <= 1e-##digits))                               \
            munit_errorf("assertion failed: %s == %s (%.17g == %.17g)", #a, #b, munit_a_, munit_b_);                   \
    } while (0)

void munit_string_(const char *filename, int line, const char *a, const char *b, bool equal);
void munit_memory_(const char *filename, int line, size_t size, const void *a, const void *b);
#define munit_assert_string_equal(a, b)       munit_string_(__FILE__, __LINE__, a, b, true)
#define munit_assert_string_not_equal(a, b)   munit_string_(__FILE__, __LINE__, a, b, false)
#define munit_assert_memory_equal(size, a, b) munit_memory_(__FILE__, __LINE__, size, a, b)

uint32_t munit_rand_uint32(void);
double munit_rand_double(void);
int munit_rand_int_range(int min, int max);

#endif
