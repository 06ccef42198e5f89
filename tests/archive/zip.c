#include "archive/zip.h"

#include <string.h>

#include <stb/stb_ds.h>

#include "expect.h"
#include "suite.h"
#include "torch_writer.h"
#include "util/error.h"

static struct text sample(void)
{
    struct zip_out zip = { 0 };
    zip_add(&zip, "a", "123456789", 9);
    zip_add(&zip, "folder/b", "", 0);
    zip_add(&zip, "c", "xyz", 3);
    return zip_end(&zip);
}

static MunitResult test_read(const MunitParameter params[], void *data)
{
    (void)params, (void)data;
    struct text zip = sample();
    munit_assert_true(zip_begins(zip.data, zip.size));
    munit_assert_false(zip_begins("PK\3\5", 4));
    text_add_bytes(&zip, "a comment", 9); // whose length the last two bytes of the archive give
    zip.data[zip.size - 9 - 2] = 9;
    struct zip_entry *entries;
    if (!zip_parse(zip.data, zip.size, &entries))
        munit_error(error_text());
    munit_assert_size(arrlenu(entries), ==, 3);
    munit_assert_true(span_is(entries[1].name, "folder/b"));
    munit_assert_size(entries[1].content.size, ==, 0);
    munit_assert_true(span_is(entries[0].content, "123456789"));
    munit_assert_uint32(entries[0].crc, ==, 0xCBF43926); // the checksum's published test value
    for (int i = 0; i < 3; i++)
        munit_assert_true(zip_check(&entries[i]));
    ((char *)entries[0].content.at)[3] = 'x';
    expect_refused(zip_check(&entries[0]), "zip: a: *");
    arrfree(entries);
    text_finish(&zip);
    return MUNIT_OK;
}

// Bytes changed in the sample: its three directory entries and the end record, by distance from the end of the file.
static MunitResult test_hostile(const MunitParameter params[], void *data)
{
    (void)params, (void)data;
    enum { END = 22, C = END + 46 + 1, B = C + 46 + 8, A = B + 46 + 1 };
    static const struct {
        size_t back; // from the end
        uint32_t value;
        int bytes;
        const char *sentence;
    } table[] = {
        { END, 0, 1, "zip: *" },
        { END - 4, 1, 2, "zip: *" },
        { END - 8, 4, 2, "zip: *" },
        { END - 12, 1000, 4, "zip: *" },
        { END - 12, 0x7FFFFFFF, 4, "zip: *" },
        { END - 12, 20, 4, "zip: *" },
        { END - 16, 0xFFFFFFFF, 4, "zip: *" },
        { END - 16, 0xFFFFFFF0, 4, "zip: *" },
        { END - 16, 3, 4, "zip: *" },
        { A, 0, 1, "zip: *" },
        { A - 8, 1, 1, "zip: a: *" },
        { A - 10, 7, 2, "zip: a: *" },
        { A - 20, 8, 4, "zip: a: *" },
        { A - 28, 5000, 2, "zip: *" },
        { A - 42, 1, 4, "zip: a: *" },
        { A - 42, 0xFFFFFFFF, 4, "zip: a: *" },
        { C - 42, 0, 4, "zip: c: *" },
    };
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        struct text zip = sample();
        memcpy(zip.data + zip.size - table[i].back, &table[i].value, (size_t)table[i].bytes);
        struct zip_entry *entries;
        expect_refused(zip_parse(zip.data, zip.size, &entries), table[i].sentence);
        text_finish(&zip);
    }
    struct text zip = sample();
    uint32_t large = 100; // both sizes of the last file
    memcpy(zip.data + zip.size - C + 20, &large, 4);
    memcpy(zip.data + zip.size - C + 24, &large, 4);
    struct zip_entry *entries;
    expect_refused(zip_parse(zip.data, zip.size, &entries), "zip: c: *");
    text_finish(&zip);
    return MUNIT_OK;
}

static bool read_sample(const char *data, size_t size)
{
    struct zip_entry *entries;
    bool ok = zip_parse(data, size, &entries);
    arrfree(entries);
    return ok;
}

static MunitResult test_cut(const MunitParameter params[], void *data)
{
    (void)params, (void)data;
    struct text zip = sample();
    munit_assert_true(read_sample(zip.data, zip.size));
    expect_cuts_refused(zip.data, zip.size, read_sample);
    text_finish(&zip);
    return MUNIT_OK;
}

static MunitTest tests[] = {
    TEST("/read", test_read),
    TEST("/hostile", test_hostile),
    TEST("/cut", test_cut),
    TEST_END,
};
SUITE("/archive/zip", tests)
