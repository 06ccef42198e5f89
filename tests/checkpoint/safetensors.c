#include "checkpoint/safetensors.h"

#include <stdlib.h>
#include <string.h>

#include <stb/stb_ds.h>

#include "expect.h"
#include "model/params.h"
#include "suite.h"
#include "util/alloc.h"
#include "util/error.h"

// A file of two tensors, "a" (2,3) and "b" (4), with the numbers 0 to 9.
static struct text sample(void)
{
    struct named tensors[] = { { "a", { .rank = 2, .dim = { 2, 3 } } }, { "b", { .rank = 1, .dim = { 4 } } } };
    struct pair pairs[] = { { "kind", "sample" }, { "empty", "" } };
    float values[10];
    for (int i = 0; i < 10; i++)
        values[i] = (float)i;
    struct text text = { 0 };
    safetensors_header(&text, pairs, 2, tensors, 2, values);
    text.data = xrealloc(text.data, text.size + sizeof values, 1);
    memcpy(text.data + text.size, values, sizeof values);
    text.size += sizeof values;
    return text;
}

// The bytes are those of the format, so any other reader of it can read them.
static MunitResult test_bytes(const MunitParameter params[], void *data)
{
    (void)params, (void)data;
    struct text text = sample();
    static const char header[] =
        "{\"__metadata__\":{\"kind\":\"sample\",\"empty\":\"\",\"checksum\":\"27645bc7267ae4be\"},"
        "\"a\":{\"dtype\":\"F32\",\"shape\":[2,3],\"data_offsets\":[0,24]},"
        "\"b\":{\"dtype\":\"F32\",\"shape\":[4],\"data_offsets\":[24,40]}}";
    size_t length = (sizeof header - 1 + 7) / 8 * 8;
    munit_assert_int(text.data[0], ==, (char)length);
    munit_assert_memory_equal(7, text.data + 1, "\0\0\0\0\0\0");
    munit_assert_size(text.size, ==, 8 + length + 40);
    munit_assert_memory_equal(sizeof header - 1, text.data + 8, header);
    static const unsigned char nine[] = { 0, 0, 0x10, 0x41 };
    munit_assert_memory_equal(4, text.data + text.size - 4, nine);
    struct safetensors file;
    munit_assert_true(safetensors_parse(&file, text.data, text.size));
    munit_assert_string_equal(safetensors_text(&file, "kind"), "sample");
    munit_assert_null(safetensors_text(&file, "other"));
    const struct stored *b = safetensors_find(&file, "b");
    munit_assert_uint64(b->begin, ==, 24);
    munit_assert_int(b->shape.rank, ==, 1);
    munit_assert_null(safetensors_find(&file, "c"));
    safetensors_finish(&file);
    text_finish(&text);
    return MUNIT_OK;
}

#define META  "\"__metadata__\":{}"
#define A     "\"a\":{\"dtype\":\"F32\",\"shape\":[1],\"data_offsets\":[0,4]}"
#define B(at) "\"b\":{\"dtype\":\"F32\",\"shape\":[1],\"data_offsets\":" at "}"

static MunitResult test_hostile(const MunitParameter params[], void *data)
{
    (void)params, (void)data;
    // A header followed by `zeros` zero bytes.
    static const struct {
        size_t zeros;
        const char *header, *sentence;
    } files[] = {
        { 8, "{" META "," A "," B("[4,8]") "}", NULL },
        { 8, "{" META "," B("[4,8]") "," A "}   \n", NULL },
        { 0, "{" META "}", NULL },
        { 0, "{" META ",\"e\":{\"dtype\":\"F32\",\"shape\":[0,7],\"data_offsets\":[0,0]}}", NULL },
        { 0, "", "header: must be one JSON object" },
        { 0, "  {" META "}", "header: must be one JSON object" },
        { 0, "[]", "header: must be one JSON object" },
        { 0, "{} {}", "header: line 1: *" },
        { 0, "{}\n{}", "header: must be one JSON object" },
        { 0, "{", "header: line 1 column 1: *" },
        { 0, "{\"a\":1,\"a\":2}", "header: line 1 column 10: *" },
        { 0, "{}", "metadata is required" },
        { 0, "{\"__metadata__\":[]}", "metadata is required" },
        { 0, "{\"__metadata__\":{\"x\":1}}", "metadata \"x\": *" },
        { 8, "{" META "," A "," B("[0,4]") "}", "b: *" },
        { 8, "{" META "," A "," B("[2,6]") "}", "b: *" },
        { 8, "{" META "," A "}", "the last 4 bytes of the data belong to no tensor" },
        { 5, "{" META "," A "}", "the last byte of the data belongs to no tensor" },
        { 8, "{" META "," B("[4,8]") "}", "b: *" },
        { 12, "{" META "," A "," B("[8,12]") "}", "b: *" },
        { 8, "{" META "," A "," B("[8,12]") "}", "b: *" },
        { 8, "{" META "," A "," B("[8,4]") "}", "b: *" },
        { 8, "{" META "," A "," B("[-4,0]") "}", "b: *" },
        { 8, "{" META "," A "," B("[4,9223372036854775807]") "}", "b: *" },
        { 8, "{" META "," A "," B("[4,5]") "}", "b: *" },
        { 8, "{" META "," A "," B("[4]") "}", "b: *" },
        { 8, "{" META "," A "," B("[4.0,8.0]") "}", "b: *" },
        { 8, "{" META "," A "," B("null") "}", "b: *" },
        { 0, "{" META ",\"x\":7}", "x: *" },
        { 0, "{" META ",\"x\":{}}", "x: *" },
        { 0, "{" META ",\"x\":{\"dtype\":\"BF16\"}}", "x: *" },
        { 0, "{" META ",\"x\":{\"dtype\":\"F32\"}}", "x: shape: *" },
        { 0, "{" META ",\"x\":{\"dtype\":\"F32\",\"shape\":[1,1,1,1,1]}}", "x: shape: *" },
        { 0, "{" META ",\"x\":{\"dtype\":\"F32\",\"shape\":[-1]}}", "x: shape: *" },
        { 0, "{" META ",\"x\":{\"dtype\":\"F32\",\"shape\":[4294967295,4294967295,4294967295]}}", "x: shape: *" },
        { 0, "{" META ",\"x\":{\"dtype\":\"F32\",\"shape\":[2147483648,2147483648]}}", "x: shape: *" },
        { 0, "{" META ",\"x\":{\"dtype\":\"F32\",\"shape\":[],\"data_offsets\":[0,0],\"more\":1}}", "x: *" },
    };
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        uint64_t length = strlen(files[i].header);
        size_t size = 8 + length + files[i].zeros;
        char *bytes = xcalloc(size, 1);
        memcpy(bytes, &length, 8);
        memcpy(bytes + 8, files[i].header, length);
        struct safetensors file;
        bool ok = safetensors_parse(&file, bytes, size);
        if (files[i].sentence)
            expect_refused(ok, files[i].sentence);
        else if (!ok)
            munit_errorf("%s: %s", files[i].header, error_text());
        else
            safetensors_finish(&file);
        free(bytes);
    }
    return MUNIT_OK;
}

static bool read_sample(const char *data, size_t size)
{
    struct safetensors file;
    bool ok = safetensors_parse(&file, data, size);
    safetensors_finish(&file);
    return ok;
}

static MunitResult test_cut(const MunitParameter params[], void *data)
{
    (void)params, (void)data;
    struct text text = sample();
    munit_assert_true(read_sample(text.data, text.size));
    expect_cuts_refused(text.data, text.size, read_sample);
    text_finish(&text);
    return MUNIT_OK;
}

static MunitResult test_lengths(const MunitParameter params[], void *data)
{
    (void)params, (void)data;
    size_t size = (2 << 20) + 8;
    char *bytes = xcalloc(size, 1);
    memset(bytes + 8, ' ', size - 8);
    struct safetensors file;
    uint64_t length = size - 8;
    memcpy(bytes, &length, 8);
    expect_refused(safetensors_parse(&file, bytes, size), "header of 2097152 bytes exceeds the limit of 1048576");
    length = UINT64_MAX;
    memcpy(bytes, &length, 8);
    expect_refused(safetensors_parse(&file, bytes, size),
        "not a safetensors file, or truncated: header of 18446744073709551615 bytes in a file of 2097160");
    expect_refused(safetensors_parse(&file, bytes, 7), "7 bytes are too few for a safetensors file");
    free(bytes);
    return MUNIT_OK;
}

static MunitTest tests[] = {
    TEST("/bytes", test_bytes),
    TEST("/hostile", test_hostile),
    TEST("/cut", test_cut),
    TEST("/lengths", test_lengths),
    TEST_END,
};
SUITE("/checkpoint/safetensors", tests)
