#include "archive/pickle.h"

#include <stdlib.h>
#include <string.h>

#include <stb/stb_ds.h>

#include "expect.h"
#include "suite.h"
#include "util/alloc.h"
#include "util/error.h"

#define STORAGE                                                                                                        \
    "(X\7\0\0\0storagectorch\nFloatStorage\nX\1\0\0\0"                                                                 \
    "0X\3\0\0\0cpuK\6tQ" // six numbers under the key "0"
#define REBUILD      "ctorch._utils\n_rebuild_tensor_v2\n("
#define PICKLE(text) text, sizeof text - 1

static MunitResult test_values(const MunitParameter params[], void *data)
{
    (void)params, (void)data;
    static const char text[] = "\x80\x02("
                               "K\xff"                         // 0: 255
                               "M\1\2"                         // 1: 513
                               "J\xfe\xff\xff\xff"             // 2: -2
                               "\x8a\0"                        // 3: 0
                               "\x8a\1\xff"                    // 4: -1
                               "\x8a\x08\0\0\0\0\0\0\0\x80"    // 5: least
                               "G\x3f\xf8\0\0\0\0\0\0"         // 6: 1.5
                               "N\x88\x89"                     // 7: None, 8: True, 9: False
                               "X\3\0\0\0abc"                  // 10
                               "](K\1K\2e"                     // 11: [1, 2]
                               "}X\1\0\0\0kK\1sX\1\0\0\0kK\2s" // 12: {"k": 1} and then 2
                               "K\1K\2\x86q\5h\5"              // 13, 14: a tuple, twice
                               "]q\6h\6a"                      // 15: a list that holds itself
                               "t.";
    struct pickle p;
    pickle_init(&p, text, sizeof text - 1);
    const struct pickle_value *root;
    if (!pickle_read(&p, &root))
        munit_error(error_text());
    munit_assert_int(root->kind, ==, PICKLE_TUPLE);
    munit_assert_uint32(root->count, ==, 16);
    struct pickle_value **v = root->items;
    const int64_t integers[] = { 255, 513, -2, 0, -1, INT64_MIN };
    for (int i = 0; i < 6; i++)
        munit_assert_int64(v[i]->integer, ==, integers[i]);
    munit_assert_double(v[6]->real, ==, 1.5);
    munit_assert_int(v[7]->kind, ==, PICKLE_NONE);
    munit_assert_int64(v[8]->integer, ==, 1);
    munit_assert_int64(v[9]->integer, ==, 0);
    munit_assert_true(pickle_text_is(v[10], "abc"));
    munit_assert_false(pickle_text_is(v[10], "ab"));
    munit_assert_size(arrlenu(v[11]->items), ==, 2);
    munit_assert_int64(pickle_get(v[12], "k")->integer, ==, 2);
    munit_assert_null(pickle_get(v[12], "l"));
    munit_assert_true(v[13] == v[14]);
    munit_assert_true(v[15]->items[0] == v[15]);
    pickle_finish(&p);
    return MUNIT_OK;
}

// Classes and functions of other kinds are passed by, whatever is done with them.
static MunitResult test_foreign(const MunitParameter params[], void *data)
{
    (void)params, (void)data;
    static const struct {
        const char *pickle;
        size_t size;
        const char *name;
    } table[] = {
        { PICKLE("cos\nsystem\n."), "os.system" },
        { PICKLE("cos\nsystem\nX\2\0\0\0ls\x85R."), "os.system" },
        { PICKLE("X\2\0\0\0osX\6\0\0\0system\x93)R."), "os.system" },
        { PICKLE("cnets.model\nModel\n)\x81}X\1\0\0\0xK\1sb."), "nets.model.Model" },
        { PICKLE("cnets.model\nModel\n)}\x92(K\1K\2u(K\1e."), "nets.model.Model" },
        { PICKLE("(X\6\0\0\0modulecnets.model\nModel\nX\4\0\0\0m.pyX\4\0\0\0textt\x51."), "nets.model.Model" },
        { PICKLE("\x8a\x09\1\1\1\1\1\1\1\1\1."), "a long integer" },
        { PICKLE("ccollections\nOrderedDict\n]\x85R."), "a dict made of a list" },
        { PICKLE("ctorch._utils\n_rebuild_parameter\ncos\nsystem\n)R\x85R."), "os.system" },
    };
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        struct pickle p;
        pickle_init(&p, table[i].pickle, table[i].size);
        const struct pickle_value *value;
        if (!pickle_read(&p, &value))
            munit_error(error_text());
        munit_assert_int(value->kind, ==, PICKLE_FOREIGN);
        munit_assert_string_equal(pickle_describe(value), table[i].name);
        pickle_finish(&p);
    }
    return MUNIT_OK;
}

static MunitResult test_tensors(const MunitParameter params[], void *data)
{
    (void)params, (void)data;
    static const struct {
        const char *pickle;
        size_t size;
        const char *sentence; // NULL: a tensor
    } table[] = {
        { PICKLE(REBUILD STORAGE "K\0K\2K\3\x86K\3K\1\x86tR."), NULL },
        { PICKLE(REBUILD STORAGE "K\5))tR."), NULL },
        { PICKLE(REBUILD STORAGE "K\3K\3\x85K\1\x85tR."), NULL },
        { PICKLE(REBUILD STORAGE "K\3K\0\x85K\1\x85tR."), NULL },
        { PICKLE("ctorch._utils\n_rebuild_tensor\n(" STORAGE "K\0K\2K\3\x86K\1K\2\x86tR."), NULL },
        { PICKLE("ctorch._utils\n_rebuild_parameter\n(" REBUILD STORAGE "K\5))tR\x88t"
                 "R."),
            NULL },
        { PICKLE(REBUILD STORAGE "K\1K\2K\3\x86K\3K\1\x86tR."), "byte 99: *" },
        { PICKLE(REBUILD STORAGE "K\6))tR."), "byte 91: *" },
        { PICKLE(REBUILD STORAGE "K\0K\7\x85K\0\x85tR."), "byte 95: *" },
        { PICKLE(REBUILD STORAGE "K\0\x8a\x08\xff\xff\xff\xff\xff\xff\xff\x7f\x85K\2\x85tR."), "byte 103: *" },
        { PICKLE(REBUILD STORAGE "K\0J\xff\xff\xff\xff\x85K\1\x85tR."), "byte 98: *" },
        { PICKLE(REBUILD STORAGE "K\0K\1\x85K\1K\1\x86tR."), "byte 97: *" },
        { PICKLE(REBUILD STORAGE "K\0)tR."), "byte 90: *" },
        { PICKLE(REBUILD "NK\0))tR."), "byte 41: *" },
        { PICKLE("ctorch._utils\n_rebuild_parameter\nN\x85R."), "byte 36: *" },
        { PICKLE("ctorch\nFloatStorage\nK\4\x85R."), "byte 24: *" },
        { PICKLE("NNR."), "byte 3: *" },
        { PICKLE("NQ."), "byte 2: *" },
        { PICKLE("(X\7\0\0\0storagecos\nsystem\nX\1\0\0\0"
                 "0X\3\0\0\0cpuK\6tQ."),
            "byte 42: *" },
        { PICKLE("(X\7\0\0\0storagectorch\nFloatStorage\nX\1\0\0\0"
                 "0X\3\0\0\0cpuJ\xff\xff\xff\xfftQ."),
            "byte 54: *" },
        { PICKLE(STORAGE "(X\7\0\0\0storagectorch\nLongStorage\nX\1\0\0\0"
                         "0X\3\0\0\0cpuK\6tQ\x86."),
            "byte 101: *" },
    };
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        struct pickle p;
        pickle_init(&p, table[i].pickle, table[i].size);
        const struct pickle_value *value;
        bool ok = pickle_read(&p, &value);
        if (table[i].sentence)
            expect_refused(ok, table[i].sentence);
        else if (!ok)
            munit_error(error_text());
        else
            munit_assert_int(value->kind, ==, PICKLE_TENSOR);
        pickle_finish(&p);
    }
    return MUNIT_OK;
}

static MunitResult test_broken(const MunitParameter params[], void *data)
{
    (void)params, (void)data;
    static const struct {
        const char *pickle;
        size_t size;
        const char *sentence;
    } table[] = {
        { PICKLE(""), "byte 0: *" },
        { PICKLE("N"), "byte 1: *" },
        { PICKLE("."), "byte 1: *" },
        { PICKLE("NN."), "byte 3: *" },
        { PICKLE("(N."), "byte 3: *" },
        { PICKLE("I7\n."), "byte 1: *" },
        { PICKLE("t."), "byte 1: *" },
        { PICKLE("N\x86."), "byte 2: *" },
        { PICKLE("N(\x85."), "byte 3: *" },
        { PICKLE("NNs."), "byte 3: *" },
        { PICKLE("]NNs."), "byte 4: *" },
        { PICKLE("}Na."), "byte 3: *" },
        { PICKLE("}(Nu."), "byte 4: *" },
        { PICKLE("(e."), "byte 2: *" },
        { PICKLE("h\0."), "byte 2: *" },
        { PICKLE("q\0."), "byte 2: *" },
        { PICKLE("Nr\xff\xff\xff\xff."), "byte 6: *" },
        { PICKLE("Nq\5h\4."), "byte 5: *" },
        { PICKLE("X\xff\xff\xff\xff."), "byte 5: *" },
        { PICKLE("\x8d\xff\xff\xff\xff\xff\xff\xff\xff."), "byte 9: *" },
        { PICKLE("\x8b\xff\xff\xff\x7f."), "byte 5: *" },
        { PICKLE("cos\nsystem"), "byte 4: *" },
        { PICKLE("NN\x93."), "byte 3: *" },
        { PICKLE("Nb."), "byte 2: *" },
    };
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        struct pickle p;
        char *exact = xcalloc(table[i].size, 1); // so that a byte too many is seen
        memcpy(exact, table[i].pickle, table[i].size);
        pickle_init(&p, exact, table[i].size);
        const struct pickle_value *value;
        expect_refused(pickle_read(&p, &value), table[i].sentence);
        pickle_finish(&p);
        free(exact);
    }
    return MUNIT_OK;
}

// Few bytes must not stand for much memory.
static MunitResult test_bounded(const MunitParameter params[], void *data)
{
    (void)params, (void)data;
    size_t size = 64 << 20;
    char *bytes = xcalloc(size, 1);
    const struct {
        char fill;
        const char *sentence;
    } table[] = { { 'N', "stack has more than 1048576 values" }, { '(', "stack has more than 1048576 marks" } };
    struct pickle p;
    const struct pickle_value *value;
    for (size_t i = 0; i < 2; i++) {
        memset(bytes, table[i].fill, size);
        pickle_init(&p, bytes, size);
        munit_assert_false(pickle_read(&p, &value));
        munit_assert_not_null(strstr(error_text(), table[i].sentence));
        pickle_finish(&p);
    }
    for (size_t i = 0; i < size; i++) // ((()))... a tuple in a tuple, for ever
        bytes[i] = i ? '\x85' : ')';
    pickle_init(&p, bytes, size);
    munit_assert_false(pickle_read(&p, &value));
    munit_assert_not_null(strstr(error_text(), "more than 512 MiB"));
    pickle_finish(&p);
    free(bytes);
    return MUNIT_OK;
}

static MunitTest tests[] = {
    TEST("/values", test_values),
    TEST("/foreign", test_foreign),
    TEST("/tensors", test_tensors),
    TEST("/broken", test_broken),
    TEST("/bounded", test_bounded),
    TEST_END,
};
SUITE("/archive/pickle", tests)
