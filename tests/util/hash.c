#include "util/hash.h"

#include "expect.h"
#include "suite.h"

// Values published with the algorithm; files carry them, so they must never change.
static MunitResult test_known(const MunitParameter params[], void *data)
{
    (void)params, (void)data;
    munit_assert_uint64(hash_bytes("", 0), ==, 0xCBF29CE484222325u);
    munit_assert_uint64(hash_bytes("a", 1), ==, 0xAF63DC4C8601EC8Cu);
    munit_assert_uint64(hash_bytes("foobar", 6), ==, 0x85944171F73967E8u);
    return MUNIT_OK;
}

static MunitTest tests[] = {
    TEST("/known", test_known),
    TEST_END,
};
SUITE("/util/hash", tests)
