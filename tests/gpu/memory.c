#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "device.h"
#include "nn/nn.h"
#include "suite.h"
#include "util/alloc.h"
#include "util/error.h"

static char *yes_no[] = { "no", "yes", NULL }, *targets[] = { "gpu", "cpu", "safe", NULL };
static MunitParameterEnum staged_targets[] = { { "staging", yes_no }, { "target", targets }, { NULL, NULL } };

// Larger than two staging buffers, through memory that the host sees and, forced, through staging; and parts of it at
// odd offsets. A kernel in between shows that host and device see each other's writes.
static MunitResult test_copies(const MunitParameter params[], void *data)
{
    (void)data;
    struct gpu *gpu;
    struct gpu_options options = { .staging = !strcmp(munit_parameters_get(params, "staging"), "yes") };
    if (!test_gpu_open_with(&gpu, params, options))
        return MUNIT_SKIP;
    const uint32_t count = (9 << 18) + 3;
    const size_t bytes = 4 * (size_t)count;
    struct arena *arena = arena_create(gpu, "copies");
    struct tensor a, b;
    for (int pass = 0; pass < 2; pass++) {
        a = tensor_allocate(arena, 1, count);
        b = tensor_allocate(arena, 1, count);
        if (!pass)
            test_ok(arena_back(arena));
    }
    unsigned char *sent = xcalloc(bytes, 1), *found = xcalloc(bytes, 1);
    for (size_t i = 0; i < bytes; i++)
        sent[i] = (unsigned char)munit_rand_uint32();
    test_ok(gpu_upload(gpu, a.address, sent, bytes));
    static const size_t parts[][2] = { { 1, 2 }, { 12345, 4194307 }, { 4194303, 3 }, { 0, 0 } };
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        memset(sent + parts[i][0], (int)i, parts[i][1]);
        test_ok(gpu_upload(gpu, a.address + parts[i][0], sent + parts[i][0], parts[i][1]));
    }
    struct cmd *c = cmd_create(gpu);
    nn_copy(c, b, a);
    test_ok(cmd_submit(c)); // the download waits
    test_ok(gpu_download(gpu, found, b.address, bytes));
    munit_assert_memory_equal(bytes, found, sent);
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        memset(found, 0xee, bytes);
        test_ok(gpu_download(gpu, found + parts[i][0], b.address + parts[i][0], parts[i][1]));
        munit_assert_memory_equal(parts[i][1], found + parts[i][0], sent + parts[i][0]);
        munit_assert_uint(found[parts[i][0] + parts[i][1]], ==, 0xee);
    }
    free(sent), free(found);
    cmd_destroy(&c);
    arena_destroy(&arena);
    gpu_close(&gpu);
    return MUNIT_OK;
}

// The heap is one storage buffer and never larger than a binding may be.
static MunitResult test_heap_limit(const MunitParameter params[], void *data)
{
    (void)params, (void)data;
    struct gpu *gpu;
    test_ok(gpu_open(&gpu, &(struct gpu_options){ .target = GPU_TARGET_SAFE, .heap_bytes = UINT64_MAX }));
    uint64_t left = gpu_memory_left(gpu);
    munit_assert_uint64(left, >, 0);
    munit_assert_uint64(left, <, gpu_info(gpu)->range_max);
    struct arena *arena = arena_create(gpu, "huge");
    arena_allocate(arena, gpu_info(gpu)->range_max);
    munit_assert_false(arena_back(arena));
    munit_assert_int(error_fault(), ==, FAULT_DEVICE);
    munit_assert_not_null(strstr(error_text(), "the device allows"));
    arena_destroy(&arena);
    gpu_close(&gpu);

    munit_assert_false(gpu_open(&gpu, &(struct gpu_options){ .target = GPU_TARGET_SAFE, .heap_bytes = 100 }));
    munit_assert_null(gpu);
    munit_assert_not_null(strstr(error_text(), "a heap of 100 bytes is too small"));
    return MUNIT_OK;
}

// Where the process may not grow, more device memory on the CPU is refused.
static MunitResult test_no_room(const MunitParameter params[], void *data)
{
    (void)params, (void)data;
    struct gpu *gpu;
    test_ok(gpu_open(&gpu, NULL));
    unsigned long pages = 0;
    FILE *file = fopen("/proc/self/statm", "r");
    bool known = file && fscanf(file, "%lu", &pages) == 1;
    if (file)
        fclose(file);
    struct rlimit before, limit;
    struct arena *arena = arena_create(gpu, "crowd");
    arena_allocate(arena, 300 << 20);
    if (known && gpu_info(gpu)->is_cpu && !getrlimit(RLIMIT_AS, &before)) {
        limit = before;
        limit.rlim_cur = pages * (rlim_t)sysconf(_SC_PAGESIZE) + (64 << 20);
        munit_assert_int(setrlimit(RLIMIT_AS, &limit), ==, 0);
        bool ok = arena_back(arena);
        munit_assert_int(setrlimit(RLIMIT_AS, &before), ==, 0);
        munit_assert_false(ok);
        munit_assert_int(error_fault(), ==, FAULT_DEVICE);
        munit_assert_not_null(strstr(error_text(), "crowd needs 314572800 bytes of device memory"));
    }
    arena_destroy(&arena);
    gpu_close(&gpu);
    return MUNIT_OK;
}

static MunitTest tests[] = {
    { "/no-room", test_no_room, NULL, NULL, MUNIT_TEST_OPTION_NONE, NULL },
    { "/copies", test_copies, NULL, NULL, MUNIT_TEST_OPTION_NONE, staged_targets },
    { "/heap-limit", test_heap_limit, NULL, NULL, MUNIT_TEST_OPTION_NONE, NULL },
    { NULL, NULL, NULL, NULL, MUNIT_TEST_OPTION_NONE, NULL },
};
SUITE("/gpu/memory", tests)
