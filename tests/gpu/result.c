#include <ctype.h>
#include <string.h>

#include "expect.h"
#include "gpu/internal.h"
#include "suite.h"

// No number and no name of Vulkan's reaches a user, whatever a driver returns.
static MunitResult test_words(const MunitParameter params[], void *data)
{
    (void)params, (void)data;
    for (int result = -20; result < 20; result++) {
        const char *words = gpu_result_name((VkResult)result);
        munit_assert_size(strlen(words), >, 5);
        munit_assert_null(strstr(words, "Vk"));
        for (const char *c = words; *c; c++)
            munit_assert_false(isdigit((unsigned char)*c));
    }
    munit_assert_string_equal(gpu_result_name(VK_ERROR_DEVICE_LOST), "device lost");
    return MUNIT_OK;
}

static MunitTest tests[] = { TEST("/words", test_words), TEST_END };
SUITE("/gpu/result", tests)
