// A trajectory's result does not depend on the others of its batch.
#include "device.h"
#include "nn/nn.h"
#include "shaders/args.h"
#include "suite.h"
#include "util/error.h"

// A trajectory's result has the same bytes alone as in a batch; the only node that is allowed has probability 1.
static MunitResult test_alone(const MunitParameter params[], void *data)
{
    (void)data;
    TEST_GPU(gpu, params);
    enum { S = 3, T = 9, N = 20, D = 128, H = 8 };
    struct arena *arena = arena_create(gpu, "alone");
    struct tensor q, kvl, slot, allowed, saved, logp, again;
    for (int pass = 0; pass < 2; pass++) {
        if (pass)
            test_ok(arena_back(arena));
        q = tensor_allocate(arena, 2, T, D), kvl = tensor_allocate(arena, 2, S * N, 3 * D);
        slot = tensor_allocate(arena, 1, T), allowed = tensor_allocate(arena, 2, T, 1);
        saved = tensor_allocate(arena, 2, T, nn_pointer_saved(D, H, N));
        logp = tensor_allocate(arena, 2, T, N), again = tensor_allocate(arena, 2, T, N);
    }
    static float numbers[S * N * 3 * D], found[2][T * N];
    uint32_t of[T], bits[T];
    for (uint32_t i = 0; i < S * N * 3 * D; i++)
        numbers[i] = (float)munit_rand_double() - 0.5f;
    for (uint32_t t = 0; t < T; t++)
        of[t] = t * 2 % S, bits[t] = t ? munit_rand_uint32() | 1 : 1u << 13;
    test_ok(tensor_upload(gpu, q, numbers) && tensor_upload(gpu, kvl, numbers) && tensor_upload(gpu, slot, of) &&
            tensor_upload(gpu, allowed, bits));
    struct pointer p = { .slots = { .S = S, .N = N },
        .kvl = kvl,
        .slot = slot,
        .allowed = allowed,
        .H = H,
        .repeat = 1,
        .clip = 10,
        .temperature = 1 };
    struct cmd *c = cmd_create(gpu);
    nn_pointer(c, logp, saved, q, &p);
    struct tensor *rows[] = { &q, &p.slot, &p.allowed, &again };
    for (int i = 0; i < 4; i++)
        rows[i]->dim[0] = 1;
    saved.dim[0] = 1;
    for (uint32_t t = 0; t < T; t++) {
        nn_pointer(c, again, saved, q, &p);
        for (int i = 0; i < 4; i++)
            rows[i]->address += 4 * tensor_count(rows[i]);
    }
    again = (struct tensor){ again.address - sizeof found[1], 2, { T, N } };
    test_ok(cmd_run(c) && tensor_download(gpu, found[0], logp) && tensor_download(gpu, found[1], again));
    munit_assert_memory_equal(sizeof found[0], found[0], found[1]);
    for (uint32_t n = 0; n < N; n++)
        munit_assert_float(found[0][n], ==, n == 13 ? 0 : MASKED);
    cmd_destroy(&c);
    arena_destroy(&arena);
    gpu_close(&gpu);
    return MUNIT_OK;
}

static MunitTest tests[] = {
    { "/alone", test_alone, NULL, NULL, MUNIT_TEST_OPTION_NONE, test_targets },
    { NULL, NULL, NULL, NULL, MUNIT_TEST_OPTION_NONE, NULL },
};
SUITE("/nn/pointer_alone", tests)
