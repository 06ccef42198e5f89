#include <string.h>

#include "device.h"
#include "suite.h"
#include "util/error.h"

static MunitResult test_addresses(const MunitParameter params[], void *data)
{
    (void)data;
    TEST_GPU(gpu, params);
    static const uint64_t bytes[] = { 1, 256, 257, 0, 100000 };
    enum { TAKES = sizeof bytes / sizeof *bytes };
    struct arena *arena = arena_create(gpu, "addresses");
    for (int i = 0; i < TAKES; i++)
        munit_assert_uint64(arena_allocate(arena, bytes[i]), !=, 0);
    munit_assert_uint64(arena_bytes(arena), ==, 256 + 256 + 512 + 256 + 100096);
    test_ok(arena_back(arena));
    uint64_t end = 0;
    for (int i = 0; i < TAKES; i++) {
        uint64_t at = arena_allocate(arena, bytes[i]);
        munit_assert_uint64(at, !=, 0);
        munit_assert_uint64(at % 256, ==, 0);
        munit_assert_uint64(at, >=, end);
        end = at + bytes[i];
    }
    arena_destroy(&arena);
    arena_destroy(&arena); // nothing, twice
    arena = arena_create(gpu, "empty");
    test_ok(arena_back(arena));
    arena_destroy(&arena);
    gpu_close(&gpu);
    return MUNIT_OK;
}

// Four blocks, none larger than the limit; each holds what was written to it.
static MunitResult test_blocks(const MunitParameter params[], void *data)
{
    (void)data;
    static const uint64_t bytes[] = { 3000, 3000, 4096, 1, 2000 };
    enum { TAKES = sizeof bytes / sizeof *bytes };
    struct gpu *gpu;
    if (!test_gpu_open_with(&gpu, params, (struct gpu_options){ .block_bytes = 4200 })) // rounds down to 4096
        return MUNIT_SKIP;
    struct arena *arena = arena_create(gpu, "blocks");
    uint64_t at[TAKES];
    for (int pass = 0; pass < 2; pass++) {
        for (int i = 0; i < TAKES; i++)
            at[i] = arena_allocate(arena, bytes[i]);
        if (!pass)
            test_ok(arena_back(arena));
    }
    munit_assert_uint64(arena_bytes(arena), ==, 3072 + 3072 + 4096 + 256 + 2048);
    char sent[4096], found[4096];
    for (int i = 0; i < TAKES; i++) {
        memset(sent, 'a' + i, sizeof sent);
        test_ok(gpu_upload(gpu, at[i], sent, bytes[i]));
    }
    for (int i = 0; i < TAKES; i++) {
        memset(sent, 'a' + i, sizeof sent);
        test_ok(gpu_download(gpu, found, at[i], bytes[i]));
        munit_assert_memory_equal(bytes[i], found, sent);
    }
    arena_destroy(&arena);
    arena = arena_create(gpu, "blocks");
    arena_allocate(arena, 4097);
    munit_assert_false(arena_back(arena));
    munit_assert_int(error_fault(), ==, FAULT_DEVICE);
    munit_assert_not_null(strstr(error_text(), "blocks needs 4352 bytes in one piece, the device allows 4096"));
    arena_destroy(&arena);
    gpu_close(&gpu);
    return MUNIT_OK;
}

// A heap of 1 MiB and an arena of two pieces that do not both fit.
static MunitResult test_running_out(const MunitParameter params[], void *data)
{
    (void)params, (void)data;
    struct gpu *gpu;
    test_ok(gpu_open(&gpu, &(struct gpu_options){ .target = GPU_TARGET_SAFE, .heap_bytes = 1 << 20 }));
    uint64_t before = gpu_memory_left(gpu);
    munit_assert_uint64(before, ==, (1 << 20) - 256);
    struct arena *arena = arena_create(gpu, "weights");
    arena_allocate(arena, 600 << 10);
    arena_allocate(arena, 600 << 10);
    munit_assert_false(arena_back(arena));
    munit_assert_int(error_fault(), ==, FAULT_DEVICE);
    munit_assert_not_null(strstr(error_text(), "weights needs 1228800 bytes of device memory, 1048320 are available"));
    munit_assert_uint64(gpu_memory_left(gpu), ==, before);
    arena_destroy(&arena);
    arena = arena_create(gpu, "more weights");
    arena_allocate(arena, before);
    test_ok(arena_back(arena));
    munit_assert_uint64(gpu_memory_left(gpu), ==, 0);
    arena_destroy(&arena);
    munit_assert_uint64(gpu_memory_left(gpu), ==, before);
    gpu_close(&gpu);
    return MUNIT_OK;
}

// The second of two blocks is refused: the first is given back, and the arena can be backed once there is room.
static MunitResult test_refused(const MunitParameter params[], void *data)
{
    (void)data;
    struct gpu *gpu;
    if (!test_gpu_open_with(&gpu, params, (struct gpu_options){ .block_bytes = 4096 }))
        return MUNIT_SKIP;
    struct arena *arena = arena_create(gpu, "weights");
    arena_allocate(arena, 4096);
    arena_allocate(arena, 4096);
    gpu_inject(gpu, GPU_FAULT_ALLOCATE, 2);
    munit_assert_false(arena_back(arena));
    munit_assert_int(error_fault(), ==, FAULT_DEVICE);
    munit_assert_not_null(strstr(error_text(), "weights needs 8192 bytes of device memory, "));
    munit_assert_not_null(strstr(error_text(), " are available"));
    test_ok(arena_back(arena));
    munit_assert_uint64(arena_allocate(arena, 4096), !=, arena_allocate(arena, 4096));
    arena_destroy(&arena);
    gpu_close(&gpu);
    return MUNIT_OK;
}

static MunitTest tests[] = {
    { "/addresses", test_addresses, NULL, NULL, MUNIT_TEST_OPTION_NONE, test_targets },
    { "/blocks", test_blocks, NULL, NULL, MUNIT_TEST_OPTION_NONE, test_targets },
    { "/running-out", test_running_out, NULL, NULL, MUNIT_TEST_OPTION_NONE, NULL },
    { "/refused", test_refused, NULL, NULL, MUNIT_TEST_OPTION_NONE, test_targets },
    { NULL, NULL, NULL, NULL, MUNIT_TEST_OPTION_NONE, NULL },
};
SUITE("/gpu/arena", tests)
