// The part of munit's interface that the tests use, and nothing that munit does not have: this folder is seen only
// where munit is not installed, or with -Dmunit=bundled.
#ifndef MUNIT_H
#define MUNIT_H

#include <inttypes.h>
#include <stddef.h>
#include <string.h>

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
#define munit_errorf(format, ...) munit_errorf_ex(__FILE__, __LINE__, format, __VA_ARGS__)
#define munit_error(message)      munit_errorf("%s", message)

typedef enum { MUNIT_LOG_DEBUG, MUNIT_LOG_INFO, MUNIT_LOG_WARNING, MUNIT_LOG_ERROR } MunitLogLevel;
void munit_logf_ex(MunitLogLevel level, const char *filename, int line, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
#define munit_logf(level, format, ...) munit_logf_ex(level, __FILE__, __LINE__, format, __VA_ARGS__)

#define munit_assert(expression)                                                                                       \
    do {                                                                                                               \
        if (!(expression))                                                                                             \
            munit_errorf("assertion failed: %s", #expression);                                                         \
    } while (0)
#define munit_assert_true(expression)  munit_assert(expression)
#define munit_assert_false(expression) munit_assert(!(expression))
#define munit_assert_null(pointer)     munit_assert((pointer) == NULL)
#define munit_assert_not_null(pointer) munit_assert((pointer) != NULL)

#define munit_assert_type(type, format, a, op, b)                                                                      \
    do {                                                                                                               \
        type munit_tmp_a_ = (type)(a), munit_tmp_b_ = (type)(b);                                                       \
        if (!(munit_tmp_a_ op munit_tmp_b_))                                                                           \
            munit_errorf("assertion failed: %s %s %s (%" format " %s %" format ")", #a, #op, #b, munit_tmp_a_, #op,    \
                munit_tmp_b_);                                                                                         \
    } while (0)
#define munit_assert_int(a, op, b)    munit_assert_type(int, "d", a, op, b)
#define munit_assert_uint(a, op, b)   munit_assert_type(unsigned, "u", a, op, b)
#define munit_assert_uint32(a, op, b) munit_assert_type(uint32_t, PRIu32, a, op, b)
#define munit_assert_uint64(a, op, b) munit_assert_type(uint64_t, PRIu64, a, op, b)
#define munit_assert_int64(a, op, b)  munit_assert_type(int64_t, PRIi64, a, op, b)
#define munit_assert_size(a, op, b)   munit_assert_type(size_t, "zu", a, op, b)
#define munit_assert_float(a, op, b)  munit_assert_type(float, ".9g", a, op, b)
#define munit_assert_double(a, op, b) munit_assert_type(double, ".17g", a, op, b)
#define munit_assert_double_equal(a, b, precision)                                                                     \
    do {                                                                                                               \
        const double munit_tmp_a_ = (a), munit_tmp_b_ = (b);                                                           \
        if (!(munit_tmp_a_ - munit_tmp_b_ <= 1e-##precision && munit_tmp_b_ - munit_tmp_a_ <= 1e-##precision))         \
            munit_errorf("assertion failed: %s == %s (%.17g == %.17g)", #a, #b, munit_tmp_a_, munit_tmp_b_);           \
    } while (0)

#define munit_assert_string_equal(a, b)                                                                                \
    do {                                                                                                               \
        const char *munit_tmp_a_ = (a), *munit_tmp_b_ = (b);                                                           \
        if (strcmp(munit_tmp_a_, munit_tmp_b_))                                                                        \
            munit_errorf("assertion failed: strings should be equal:\n  %s\n  %s", munit_tmp_a_, munit_tmp_b_);        \
    } while (0)
#define munit_assert_string_not_equal(a, b)                                                                            \
    do {                                                                                                               \
        const char *munit_tmp_a_ = (a), *munit_tmp_b_ = (b);                                                           \
        if (!strcmp(munit_tmp_a_, munit_tmp_b_))                                                                       \
            munit_errorf("assertion failed: strings should differ:\n  %s", munit_tmp_a_);                              \
    } while (0)
#define munit_assert_memory_equal(size, a, b)                                                                          \
    do {                                                                                                               \
        const unsigned char *munit_tmp_a_ = (const unsigned char *)(a);                                                \
        const unsigned char *munit_tmp_b_ = (const unsigned char *)(b);                                                \
        const size_t munit_tmp_size_ = (size);                                                                         \
        for (size_t munit_tmp_at_ = 0; munit_tmp_at_ < munit_tmp_size_; munit_tmp_at_++) {                             \
            if (munit_tmp_a_[munit_tmp_at_] != munit_tmp_b_[munit_tmp_at_])                                            \
                munit_errorf("assertion failed: memory %s == %s, at byte %zu of %zu: %02x, %02x", #a, #b,              \
                    munit_tmp_at_, munit_tmp_size_, munit_tmp_a_[munit_tmp_at_], munit_tmp_b_[munit_tmp_at_]);         \
        }                                                                                                              \
    } while (0)

uint32_t munit_rand_uint32(void);
double munit_rand_double(void);
int munit_rand_int_range(int min, int max);

#endif
