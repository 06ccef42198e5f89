#include "checkpoint/torch.h"

#include <stdlib.h>
#include <string.h>

#include <stb/stb_ds.h>

#include "expect.h"
#include "suite.h"
#include "tests/checkpoint/released.h"
#include "util/error.h"

static float floats[] = { 0.5f, -1, 2, 3, 4, 5 };
static double doubles[] = { 0.25, -8 };
static int64_t longs[] = { -3 };
static int16_t shorts[] = { -300, 300 };
static uint8_t bytes[] = { 200, 1 };

// One tensor of each type that is read.
static struct torch_out sample[] = {
    { "f", NULL, 2, { 2, 3 }, floats, sizeof floats },
    { "d", "DoubleStorage", 1, { 2 }, doubles, sizeof doubles },
    { "l", "LongStorage", 0, { 0 }, longs, sizeof longs },
    { "s", "ShortStorage", 1, { 2 }, shorts, sizeof shorts },
    { "b", "ByteStorage", 1, { 2 }, bytes, sizeof bytes },
    { "c", "CharStorage", 1, { 2 }, bytes, sizeof bytes },
};
enum { SAMPLE = sizeof sample / sizeof *sample };

static struct text file_of(
    const struct torch_out *tensors, size_t count, size_t in_model, bool zip, const struct torch_options *options)
{
    struct text pickle = torch_pickle(tensors, in_model, !zip, options);
    struct text file = zip ? torch_zip(&pickle, tensors, count, "any name") : torch_legacy(&pickle, tensors, count);
    text_finish(&pickle);
    return file;
}

static void expect_numbers(const struct torch_file *file, const char *name, size_t count, const float *numbers)
{
    const struct torch_tensor *tensor = torch_find(file, name);
    munit_assert_not_null(tensor);
    munit_assert_uint64(tensor_count(&tensor->shape), ==, count);
    munit_assert_memory_equal(count * sizeof *numbers, tensor->values, numbers);
}

static void parse(struct torch_file *file, const struct text *text)
{
    if (!torch_parse(file, text->data, text->size))
        munit_error(error_text());
}

static MunitResult test_types(const MunitParameter params[], void *data)
{
    (void)params, (void)data;
    for (int i = 0; i < 4; i++) {
        struct text text = file_of(sample, SAMPLE, SAMPLE, i & 1, &(struct torch_options){ .old = i & 2 });
        struct torch_file file;
        parse(&file, &text);
        munit_assert_size(arrlenu(file.tensors), ==, SAMPLE);
        expect_numbers(&file, "f", 6, floats);
        expect_numbers(&file, "d", 2, (float[]){ 0.25f, -8 });
        expect_numbers(&file, "l", 1, (float[]){ -3 });
        expect_numbers(&file, "s", 2, (float[]){ -300, 300 });
        expect_numbers(&file, "b", 2, (float[]){ 200, 1 });
        expect_numbers(&file, "c", 2, (float[]){ -56, 1 });
        munit_assert_int(torch_find(&file, "f")->shape.rank, ==, 2);
        munit_assert_int(torch_find(&file, "l")->shape.rank, ==, 0);
        munit_assert_null(torch_find(&file, "g"));
        torch_finish(&file);
        text_finish(&text);
    }
    return MUNIT_OK;
}

#define STORAGE                                                                                                        \
    "(X\7\0\0\0storagectorch\nFloatStorage\nX\1\0\0\0"                                                                 \
    "0X\3\0\0\0cpuK\6NtQ"

// A transposed view that begins behind the first number, in a dict that is not under "model".
static MunitResult test_strides(const MunitParameter params[], void *data)
{
    (void)params, (void)data;
    static const char pickled[] =
        "\x80\2}X\1\0\0\0vctorch._utils\n_rebuild_tensor\n(" STORAGE "K\1K\3K\2\x86K\1K\2\x86tRs.";
    struct text pickle = { (char *)pickled, sizeof pickled - 1, 0 };
    struct text text = torch_legacy(&pickle, sample, 1);
    struct torch_file file;
    parse(&file, &text);
    expect_numbers(&file, "v", 6, (float[]){ -1, 3, 2, 4, 3, 5 });
    torch_finish(&file);
    text_finish(&text);
    return MUNIT_OK;
}

// A training checkpoint: the optimiser, a generator's state and a pickled module with its source stand beside the
// model.
static MunitResult test_training(const MunitParameter params[], void *data)
{
    (void)params, (void)data;
    static const char extra[] =
        "X\11\0\0\0optimizer}(X\5\0\0\0state}K\0}X\4\0\0\0stepK\5ssX\2\0\0\0lrG\x3f\x1a\x36\xe2\xeb\x1c\x43\x2d"
        "u"
        "X\11\0\0\0rng_statectorch._utils\n_rebuild_tensor_v2\n("
        "(X\7\0\0\0storagectorch\nHalfStorage\nX\1\0\0\0"
        "1X\6\0\0\0cuda:0K\4NtQ"
        "K\0K\4\x85K\1\x85\x89"
        "ccollections\nOrderedDict\n)RtR"
        "X\10\0\0\0baseline(X\6\0\0\0modulecnets.attention_model\nAttentionModel\nX\4\0\0\0m.pyX\4\0\0\0textt"
        "Q)\x81}(X\10\0\0\0trainingcbuiltins\nset\n](K\1K\2e\x85RX\4\0\0\0sizeK\x80ub";
    static uint16_t halves[4];
    struct torch_out tensors[] = { sample[0], { "", "HalfStorage", 1, { 4 }, halves, sizeof halves } };
    for (int zip = 0; zip < 2; zip++) {
        struct text text = file_of(tensors, 2, 1, zip, &(struct torch_options){ false, extra, sizeof extra - 1 });
        struct torch_file file;
        parse(&file, &text);
        munit_assert_size(arrlenu(file.tensors), ==, 1);
        expect_numbers(&file, "f", 6, floats);
        torch_finish(&file);
        text_finish(&text);
    }
    return MUNIT_OK;
}

static void expect_refused_pickle(const char *pickled, size_t size, const char *sentence)
{
    struct text pickle = { (char *)pickled, size, 0 };
    struct text text = torch_legacy(&pickle, sample, 1);
    struct torch_file file;
    expect_refused(torch_parse(&file, text.data, text.size), sentence);
    text_finish(&text);
}

#define TENSOR                    "ctorch._utils\n_rebuild_tensor\n(" STORAGE "K\0K\6\x85K\1\x85tR"
#define REFUSED(pickle, sentence) expect_refused_pickle(pickle, sizeof pickle - 1, sentence)

static MunitResult test_refused(const MunitParameter params[], void *data)
{
    (void)params, (void)data;
    REFUSED("N.", "storage 0 belongs to no tensor");
    REFUSED(TENSOR ".", "must be a dict of tensors, not a tensor");
    REFUSED("}" TENSOR "Ns.", "tensor 0 must have a name of at most 120 bytes");
    REFUSED("}(X\1\0\0\0a" TENSOR "X\1\0\0\0bcos\nsystem\nX\2\0\0\0ls\x85Ru.", "b: *");
    REFUSED("}(X\1\0\0\0a" TENSOR "X\1\0\0\0bcos\nsystem\nu.", "b: *");
    REFUSED("}(X\1\0\0\0a" TENSOR "X\1\0\0\0a" TENSOR "u.", "a: *");
    REFUSED("}(X\1\0\0\0a" TENSOR "X\5\0\0\0modelcos\nsystem\nX\2\0\0\0ls\x85Ru.",
        "must be a dict of tensors, not os.system");
    REFUSED("}(X\1\0\0\0a" TENSOR "X\1\0\0\0b]u.", "b: *");

    struct torch_file file;
    expect_refused(torch_parse(&file, "", 0), "not a PyTorch checkpoint");
    expect_refused(torch_parse(&file, "\x80\2}.", 4), "not a PyTorch checkpoint");
    struct zip_out zip = { 0 };
    zip_add(&zip, "word/document.xml", "", 0);
    struct text text = zip_end(&zip);
    expect_refused(torch_parse(&file, text.data, text.size), "zip: *");
    text_finish(&text);

    text = file_of(sample, 0, 1, true, NULL);
    expect_refused(torch_parse(&file, text.data, text.size), "f: *");
    text_finish(&text);
    text = file_of(sample, 2, 1, true, NULL);
    expect_refused(torch_parse(&file, text.data, text.size), "storage 1 belongs to no tensor");
    text_finish(&text);
    struct torch_out shorter = sample[0];
    shorter.bytes -= 4;
    text = file_of(&shorter, 1, 1, true, NULL);
    expect_refused(torch_parse(&file, text.data, text.size), "storage 0 has 20 bytes instead of 24");
    text_finish(&text);
    text = file_of(&shorter, 1, 1, false, NULL);
    expect_refused(torch_parse(&file, text.data, text.size), "unexpected end of file in storage 0");
    text_finish(&text);
    text = file_of(sample, 1, 1, false, NULL);
    text_add_bytes(&text, "x", 1);
    expect_refused(torch_parse(&file, text.data, text.size), "1 bytes follow the last storage");
    text_finish(&text);
    struct torch_out half = { "h", "HalfStorage", 1, { 2 }, shorts, sizeof shorts };
    text = file_of(&half, 1, 1, false, NULL);
    expect_refused(torch_parse(&file, text.data, text.size), "h: *");
    text_finish(&text);
    return MUNIT_OK;
}

static bool read_file(const char *data, size_t size)
{
    struct torch_file file;
    bool ok = torch_parse(&file, data, size);
    torch_finish(&file);
    return ok;
}

// A file that ends too early at any byte is refused; a changed byte of a zip is noticed unless nothing reads it.
static MunitResult test_damage(const MunitParameter params[], void *data)
{
    (void)params, (void)data;
    for (int zip = 0; zip < 2; zip++) {
        struct text text = file_of(sample, SAMPLE, SAMPLE, zip, NULL);
        struct torch_file file;
        expect_cuts_refused(text.data, text.size, read_file);
        for (size_t at = 0; at < text.size; at++) {
            text.data[at] ^= 4;
            if (torch_parse(&file, text.data, text.size)) {
                if (zip && torch_find(&file, "f"))
                    expect_numbers(&file, "f", 6, floats);
                torch_finish(&file);
            }
            text.data[at] ^= 4;
        }
        text_finish(&text);
    }
    return MUNIT_OK;
}

static MunitTest tests[] = {
    TEST("/types", test_types),
    TEST("/strides", test_strides),
    TEST("/training", test_training),
    TEST("/refused", test_refused),
    TEST("/damage", test_damage),
    TEST_END,
};
SUITE("/checkpoint/torch", tests)
