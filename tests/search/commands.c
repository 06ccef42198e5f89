// Commands of a decision: on a GPU each costs some microseconds, whatever it does.
#include "model/rollout_internal.h"
#include "suite.h"
#include "tests/search/support.h"
#include "util/error.h"

enum { NODES = 9, WIDTH = 6 };

// The commands of the segment after a glimpse.
static uint32_t commands_of(struct rollout *r)
{
    return cmd_commands(r->segments[1].cmds[0]);
}

static uint32_t of_greedy(const struct view *view)
{
    struct rollout *r = NULL;
    test_ok(rollout_create(&r, view, &(struct rollout_shape){ .B = 2, .N = NODES, .S = 1, .J = 20, .temperature = 1 }));
    uint32_t count = commands_of(r);
    rollout_destroy(&r);
    return count;
}

static uint32_t of_beam(const struct view *view)
{
    struct beam *beam = NULL;
    test_ok(beam_create(
        &beam, view, &(struct beam_shape){ .B = 2, .N = NODES, .W = WIDTH, .K = 3, .J = 20, .merge = true }));
    uint32_t count = commands_of(beam->rollout);
    beam_destroy(&beam);
    return count;
}

// A segment of three decisions has the commands of one of two and of one decision more.
static uint32_t of_decision(struct gpu *gpu, const struct problem *problem, uint32_t (*count)(const struct view *view))
{
    uint32_t counts[2];
    for (uint32_t i = 0; i < 2; i++) {
        struct model *model = search_model(gpu, problem, 2, 2 + i, DIALECT_NATIVE);
        const struct view view = model_view(model);
        counts[i] = count(&view);
        model_destroy(&model);
    }
    munit_assert_uint32(counts[1], >, counts[0]);
    return counts[1] - counts[0];
}

static MunitResult test_decision(const MunitParameter params[], void *data)
{
    (void)data;
    TEST_GPU(gpu, params);
    for (const struct problem *const *problem = problems; *problem; problem++) {
        uint32_t greedy = of_decision(gpu, *problem, of_greedy), beam = of_decision(gpu, *problem, of_beam);
        munit_logf(
            MUNIT_LOG_INFO, "%s: %u commands in a greedy decision, %u in a beam's", (*problem)->name, greedy, beam);
        if (gpu_info(gpu)->target == GPU_TARGET_GPU) {
            munit_assert_uint32(greedy, <=, 2);
            munit_assert_uint32(beam, <=, 6);
        }
    }
    gpu_close(&gpu);
    return MUNIT_OK;
}

static MunitTest tests[] = {
    { "/decision", test_decision, NULL, NULL, MUNIT_TEST_OPTION_NONE, test_targets },
    { NULL, NULL, NULL, NULL, MUNIT_TEST_OPTION_NONE, NULL },
};
SUITE("/search/commands", tests)
