// A pack that is read as it was written passes; one with anything changed does not.
#include "selftest/parity.h"

#include <math.h>

#include <stb/stb_ds.h>

#include "expect.h"
#include "suite.h"
#include "util/alloc.h"
#include "util/error.h"

static const struct pack_recipe recipe = { .config = { .problem = &problem_cvrp,
                                               .norm = MODEL_BATCH,
                                               .D = 16,
                                               .H = 2,
                                               .F = 16,
                                               .L = 2,
                                               .M = 2,
                                               .p = 2,
                                               .O = 2 },
    .B = 3,
    .n_min = 4,
    .n_max = 6 };

static void spoil_sequence(struct pack *pack)
{
    uint32_t *actions = pack->greedy[1].actions, first = actions[0];
    actions[0] = actions[1];
    actions[1] = first;
}

static void spoil_cost(struct pack *pack)
{
    pack->greedy[4].cost += 2e-4;
}

static void spoil_finite(struct pack *pack)
{
    pack->train[0].cost = NAN;
}

static void spoil_first_step(struct pack *pack)
{
    pack->greedy[5].log_p[1] += 1e-3;
}

static void spoil_mask(struct pack *pack)
{
    pack->greedy[0].log_p[0] = -3;
}

static void spoil_step(struct pack *pack)
{
    pack->train[2].log_p[pack->scaled[2].N + 1] -= 1e-3;
}

static void spoil_likelihood(struct pack *pack)
{
    pack->train[3].log_likelihood += 2e-3;
}

static void spoil_kl(struct pack *pack)
{
    pack->kl += 2e-4;
}

static void spoil_loss(struct pack *pack)
{
    pack->loss *= 1.002;
}

static void spoil_gradient(struct pack *pack)
{
    float *values = weights_at(&pack->gradient, pack->gradient.params.layers[1].norm2.gain);
    for (uint32_t k = 0; k < pack->weights.config.D; k++)
        values[k] *= 1.01f;
}

static void spoil_statistics(struct pack *pack)
{
    weights_at(&pack->weights, pack->weights.stats.glimpse)[0] += 0.1f;
}

static void spoil_beams(struct pack *pack)
{
    pack->beams[1].best[0] += 1e-3;
    pack->beams[1].best[1] += 1e-3;
}

static void spoil_decoder(struct pack *pack)
{
    pack->beams[1].decoder[0] += 1e-3;
}

static void (*const spoilers[])(struct pack *) = { NULL, spoil_sequence, spoil_cost, spoil_finite, spoil_first_step,
    spoil_mask, spoil_step, spoil_likelihood, spoil_kl, spoil_loss, spoil_gradient, spoil_statistics, spoil_beams,
    spoil_decoder };

static MunitResult test_spoiled(const MunitParameter params[], void *folder)
{
    (void)params;
    struct pack made;
    pack_make(&made, &recipe);
    munit_assert_true(pack_write(&made, folder));
    pack_finish(&made);
    for (size_t i = 0; i < sizeof spoilers / sizeof *spoilers; i++) {
        struct pack pack;
        if (!pack_read(&pack, folder))
            munit_errorf("%s", error_text());
        if (spoilers[i])
            spoilers[i](&pack);
        if (parity_check(&pack, &parity_reference, NULL) != !spoilers[i])
            munit_errorf("spoiler %zu", i);
        pack_finish(&pack);
    }
    return MUNIT_OK;
}

// A folder without a pack is refused with a sentence.
static MunitResult test_missing(const MunitParameter params[], void *folder)
{
    (void)params;
    struct pack pack;
    munit_assert_false(pack_read(&pack, folder));
    munit_assert_int(error_fault(), ==, FAULT_INPUT);
    pack_finish(&pack);
    error_clear();
    return MUNIT_OK;
}

static MunitTest tests[] = {
    FOLDER_TEST("/spoiled", test_spoiled, NULL),
    FOLDER_TEST("/missing", test_missing, NULL),
    TEST_END,
};
SUITE("/model/parity", tests)
