#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "expect.h"
#include "suite.h"
#include "tests/gpu/chain.h"
#include "util/alloc.h"
#include "util/error.h"
#include "util/file.h"

static void expect_no_device(const struct gpu_options *options, enum fault fault, const char *part)
{
    struct gpu *gpu;
    error_clear();
    munit_assert_false(gpu_open(&gpu, options));
    munit_assert_null(gpu);
    munit_assert_int(error_fault(), ==, fault);
    if (!strstr(error_text(), part))
        munit_errorf("\"%s\" should contain \"%s\"", error_text(), part);
}

static MunitResult test_list(const MunitParameter params[], void *data)
{
    (void)params, (void)data;
    struct gpu_info *list;
    size_t count;
    test_ok(gpu_list(&list, &count));
    munit_assert_size(count, >, 0);
    for (size_t i = 0; i < count; i++) {
        munit_assert_int(list[i].index, ==, (int)i);
        munit_assert_true(list[i].name[0]);
        munit_assert_true(list[i].usable == !list[i].why_not[0]);
        munit_assert_uint32(list[i].lanes, >=, list[i].lanes_min);
        munit_assert_uint32(list[i].lanes, <=, list[i].lanes_max);
        munit_assert_uint32(list[i].push_bytes, >=, 128);
        munit_assert_uint64(list[i].memory, >, 0);
    }
    free(list);
    return MUNIT_OK;
}

static MunitResult test_choice(const MunitParameter params[], void *data)
{
    (void)params, (void)data;
    struct gpu *gpu;
    test_ok(gpu_open(&gpu, NULL));
    char *name = xstrdup(gpu_info(gpu)->name), *number = xformat("%d", gpu_info(gpu)->index);
    munit_assert_true(gpu_info(gpu)->usable);
    munit_assert_true(!strlen(gpu_notice(gpu)) == !gpu_info(gpu)->is_cpu); // a CPU is chosen with a remark
    gpu_close(&gpu);
    const char *const wishes[] = { "auto", "", number, name, name + strlen(name) / 2 };
    for (size_t i = 0; i < sizeof wishes / sizeof *wishes; i++) {
        test_ok(gpu_open(&gpu, &(struct gpu_options){ .device = wishes[i] }));
        munit_assert_string_equal(gpu_info(gpu)->name, name);
        if (i > 1)
            munit_assert_string_equal(gpu_notice(gpu), "");
        gpu_close(&gpu);
    }
    expect_no_device(&(struct gpu_options){ .device = "999" }, FAULT_DEVICE, "no Vulkan device matches \"999\"");
    expect_no_device(&(struct gpu_options){ .device = "-1" }, FAULT_DEVICE, "no Vulkan device matches \"-1\"");
    expect_no_device(
        &(struct gpu_options){ .device = "Voodoo 2" }, FAULT_DEVICE, "no Vulkan device matches \"Voodoo 2\"");
    free(name), free(number);
    return MUNIT_OK;
}

static MunitResult test_visible(const MunitParameter params[], void *data)
{
    (void)params, (void)data;
    struct gpu_info *list;
    size_t all, count;
    test_ok(gpu_list(&list, &all));
    char *names = xformat("no such thing,%s", list[all - 1].name);
    free(list);
    setenv("MDAM_VK_VISIBLE_DEVICES", names, 1);
    test_ok(gpu_list(&list, &count));
    munit_assert_size(count, ==, 1);
    munit_assert_int(list[0].index, ==, 0);
    free(list), free(names);

    static const char *const none[] = { "", "no such thing", "99", "," };
    for (size_t i = 0; i < sizeof none / sizeof *none; i++) {
        setenv("MDAM_VK_VISIBLE_DEVICES", none[i], 1);
        munit_assert_false(gpu_list(&list, &count));
        expect_no_device(NULL, FAULT_DEVICE, "MDAM_VK_VISIBLE_DEVICES");
    }
    unsetenv("MDAM_VK_VISIBLE_DEVICES");
    return MUNIT_OK;
}

// A loader without a driver, and what only RenderDoc can do.
static MunitResult test_missing(const MunitParameter params[], void *data)
{
    (void)params, (void)data;
    expect_no_device(&(struct gpu_options){ .capture = "encoder" }, FAULT_INPUT, "RenderDoc");
    setenv("VK_ICD_FILENAMES", "/nonexistent/icd.json", 1);
    setenv("VK_DRIVER_FILES", "/nonexistent/icd.json", 1);
    expect_no_device(NULL, FAULT_DEVICE, "mesa-vulkan-drivers");
    struct gpu_info *list;
    size_t count;
    munit_assert_false(gpu_list(&list, &count));
    return MUNIT_OK;
}

// Every device lacks something.
static MunitResult test_unusable(const MunitParameter params[], void *data)
{
    (void)params, (void)data;
    setenv("MDAM_VK_INJECT", "unusable", 1);
    struct gpu_info *list;
    size_t count;
    test_ok(gpu_list(&list, &count));
    munit_assert_size(count, >, 0);
    for (size_t i = 0; i < count; i++) {
        munit_assert_false(list[i].usable);
        munit_assert_string_equal(list[i].why_not, "a test says so");
    }
    free(list);
    expect_no_device(NULL, FAULT_DEVICE, "no usable Vulkan device: ");
    expect_no_device(NULL, FAULT_DEVICE, ": a test says so");
    expect_no_device(&(struct gpu_options){ .device = "0" }, FAULT_DEVICE, " cannot be used: a test says so");
    unsetenv("MDAM_VK_INJECT");
    return MUNIT_OK;
}

// One device through two drivers: here the same one, installed twice.
static MunitResult test_duplicates(const MunitParameter params[], void *folder)
{
    (void)params;
    const char *driver = getenv("VK_DRIVER_FILES");
    if (!driver || strchr(driver, ':'))
        return MUNIT_SKIP;
    char *text, *copy = xformat("%s/copy.json", (char *)folder), *both = xformat("%s:%s", driver, copy);
    size_t size;
    test_ok(file_read(driver, 1 << 20, &text, &size) && file_write(copy, text, size));
    setenv("VK_DRIVER_FILES", both, 1);
    setenv("VK_ICD_FILENAMES", both, 1);
    struct gpu_info *list;
    test_ok(gpu_list(&list, &size));
    munit_assert_size(size, ==, 1);
    free(list), free(text), free(copy), free(both);
    return MUNIT_OK;
}

enum { THREADS = 4 };

struct opened {
    struct gpu *gpu;
    size_t listed;
};

static void *open_one(void *arg)
{
    struct opened *opened = arg;
    struct gpu_info *list = NULL;
    bool ok = gpu_list(&list, &opened->listed) && gpu_open(&opened->gpu, NULL);
    free(list);
    return ok ? arg : NULL;
}

// Several threads open devices at once, with the vector width left to the program: all get the same, and all compute.
static MunitResult test_threads(const MunitParameter params[], void *data)
{
    (void)params, (void)data;
    unsetenv("LP_NATIVE_VECTOR_WIDTH");
    pthread_t threads[THREADS];
    struct opened all[THREADS] = { 0 };
    for (int i = 0; i < THREADS; i++)
        munit_assert_int(pthread_create(&threads[i], NULL, open_one, &all[i]), ==, 0);
    for (int i = 0; i < THREADS; i++) {
        void *ok;
        munit_assert_int(pthread_join(threads[i], &ok), ==, 0);
        munit_assert_not_null(ok);
    }
    for (int i = 0; i < THREADS; i++) {
        munit_assert_size(all[i].listed, ==, all[0].listed);
        munit_assert_uint32(gpu_info(all[i].gpu)->lanes, ==, gpu_info(all[0].gpu)->lanes);
    }
    for (int i = 0; i < THREADS; i++) {
        struct chain chain;
        uint32_t number[CHAIN_COUNT];
        chain_make(&chain, all[i].gpu);
        test_ok(chain_fill(&chain, number) && cmd_run(chain.cmd));
        chain_expect(&chain, number);
        chain_finish(&chain);
    }
    return MUNIT_OK;
}

static MunitResult test_target(const MunitParameter params[], void *data)
{
    (void)data;
    TEST_GPU(gpu, params); // compares the target itself
    const struct gpu_info *info = gpu_info(gpu);
    munit_assert_true(info->target == GPU_TARGET_SAFE || info->addresses);
    munit_assert_true(!info->wide || (info->int64 && info->target == GPU_TARGET_CPU));
    gpu_close(&gpu);
    gpu_close(&gpu); // nothing, twice
    return MUNIT_OK;
}

static MunitTest tests[] = {
    { "/list", test_list, NULL, NULL, MUNIT_TEST_OPTION_NONE, NULL },
    { "/choice", test_choice, NULL, NULL, MUNIT_TEST_OPTION_NONE, NULL },
    { "/visible", test_visible, NULL, NULL, MUNIT_TEST_OPTION_NONE, NULL },
    { "/missing", test_missing, NULL, NULL, MUNIT_TEST_OPTION_NONE, NULL },
    { "/unusable", test_unusable, NULL, NULL, MUNIT_TEST_OPTION_NONE, NULL },
    FOLDER_TEST("/duplicates", test_duplicates, NULL),
    { "/threads", test_threads, NULL, NULL, MUNIT_TEST_OPTION_NONE, NULL },
    { "/target", test_target, NULL, NULL, MUNIT_TEST_OPTION_NONE, test_targets },
    { NULL, NULL, NULL, NULL, MUNIT_TEST_OPTION_NONE, NULL },
};
SUITE("/gpu/device", tests)
