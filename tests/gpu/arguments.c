// The words that the host pushes for absent pointers. tests/nn shows that kernels understand them: most operations
// there leave some tensor out.
#include "gpu/arguments.h"

#include <string.h>

#include "expect.h"
#include "suite.h"

#define A           0x00007f1234560100 // a buffer's address
#define B           0xffffffffffffff00
#define O           0x100       // offsets into the heap: the first,
#define P           0x100000004 // and one above 32 bits, within an allocation
#define NONE(given) ((given) | PTR_NONE)

enum { POINTERS_MAX = 4 };

static const struct {
    const char *name;
    size_t pointers;
    uint64_t from[POINTERS_MAX], to[POINTERS_MAX];
} cases[] = {
    { "all given", 3, { A, B, A }, { A, B, A } },
    { "null first", 3, { 0, A, B }, { NONE(A), A, B } },
    { "null last", 3, { A, B, 0 }, { A, B, NONE(A) } },
    { "several", 4, { 0, B, 0, A }, { NONE(B), B, NONE(B), A } },
    { "one given, last", 3, { 0, 0, A }, { NONE(A), NONE(A), A } },
    { "all null", 3, { 0, 0, 0 }, { NONE(0), NONE(0), NONE(0) } }, // still none of them looks like an address
    { "heap", 4, { 0, O, P, 0 }, { NONE(O), O, P, NONE(O) } },
    { "heap, above 32 bits", 2, { 0, P }, { NONE(P), P } },
    { "no pointers", 0, { 0 }, { 0 } },
};

// The pointers, a seed of 64 bits, and an odd number of sizes, which must all stay as they are, also when they are 0.
static MunitResult test_marks(const MunitParameter params[], void *data)
{
    (void)params, (void)data;
    static const uint32_t tails[][3] = { { 0, 0, 0 }, { 7, 0, 9 } };
    for (size_t i = 0; i < 2 * sizeof cases / sizeof *cases; i++) {
        const size_t n = cases[i / 2].pointers, bytes = n * sizeof(uint64_t);
        const uint32_t *tail = tails[i % 2];
        char args[ARGS_BYTES], expected[ARGS_BYTES];
        memcpy(args, cases[i / 2].from, bytes);
        memcpy(expected, cases[i / 2].to, bytes);
        memcpy(args + bytes, tail, sizeof *tails);
        memcpy(expected + bytes, tail, sizeof *tails);
        struct kernel kernel = { .args_bytes = bytes + sizeof *tails, .pointers = n };
        uint64_t words[ARGUMENT_WORDS];
        memset(words, 0x5a, sizeof words);
        gpu_arguments(words, &kernel, args);
        if (memcmp(words, expected, kernel.args_bytes))
            munit_errorf("%s: not as expected", cases[i / 2].name);
        for (size_t j = kernel.args_bytes; j < sizeof words; j++)
            munit_assert_int(((const char *)words)[j], ==, 0x5a);
    }
    return MUNIT_OK;
}

// As many words as there can be, of pointers alone; and of numbers alone.
static MunitResult test_max(const MunitParameter params[], void *data)
{
    (void)params, (void)data;
    uint64_t args[ARGUMENT_WORDS] = { 0 }, words[ARGUMENT_WORDS];
    args[ARGUMENT_WORDS - 1] = A;
    gpu_arguments(words, &(struct kernel){ .args_bytes = ARGS_FAR_BYTES, .pointers = ARGUMENT_WORDS }, args);
    for (size_t i = 0; i < ARGUMENT_WORDS; i++)
        munit_assert_uint64(words[i], ==, i + 1 < ARGUMENT_WORDS ? NONE(A) : A);
    gpu_arguments(words, &(struct kernel){ .args_bytes = ARGS_FAR_BYTES }, args);
    munit_assert_memory_equal(sizeof args, words, args);
    return MUNIT_OK;
}

static MunitTest tests[] = {
    TEST("/marks", test_marks),
    TEST("/max", test_max),
    TEST_END,
};
SUITE("/gpu/arguments", tests)
