#include "errand.h"

#include <math.h>

#include <stb/stb_ds.h>

#include "env/env.h"
#include "errand.spv.h"
#include "errand_beam.spv.h"
#include "errand_draw.spv.h"
#include "errand_merge.spv.h"
#include "errand_words.h"
#include "gpu/gpu.h"
#include "problem/generate.h"
#include "problem/judge.h"
#include "problem/metric.h"
#include "problem/scale.h"
#include "util/rng.h"

static const struct column columns[] = {
    { .key = "due",
        .unit = UNIT_LENGTH,
        .per_node = true,
        .feature = true,
        .at = offsetof(struct instance, extra[0]),
        .scaled_at = offsetof(struct scaled, extra[0]),
        .word = NODE_DUE },
    { .key = "fine",
        .unit = UNIT_LENGTH,
        .per_node = true,
        .feature = true,
        .at = offsetof(struct instance, extra[1]),
        .scaled_at = offsetof(struct scaled, extra[1]),
        .word = NODE_FINE },
    { .key = "max_stops",
        .unit = UNIT_NONE,
        .optional = true,
        .fallback = 1000,
        .at = offsetof(struct instance, extra_scalar[0]),
        .scaled_at = offsetof(struct scaled, extra_scalar[0]) },
    { 0 },
};

static void generate(struct instance *instance, const struct distribution *distribution, uint64_t seed, uint32_t index)
{
    generate_nodes(instance, &problem_errand, distribution, seed, index);
    for (uint32_t i = 0; i < instance->n; i++) {
        uint32_t number[4];
        rng_draw(&(struct rng){ seed, DRAW_NODE, index, 0 }, i, number);
        instance->extra[0][i] = 0.5f + rng_unit(number[2]);
        instance->extra[1][i] = 0.5f * rng_unit(number[3]);
    }
    instance->extra_scalar[0] = 1 + 2 * instance->n / 3;
}

static void judge(const struct instance *instance, const struct solution *solution, struct verdict *verdict)
{
    struct judge j;
    judge_begin(&j, instance, solution, verdict);
    judge_single_tour(&j);
    double length = 0, fines = 0;
    size_t stops = 0;
    struct point at = instance->depot;
    for (size_t r = 0; j.all_exist && r < arrlenu(solution->routes); r++) {
        for (size_t s = 0; s < arrlenu(solution->routes[r].stops); s++, stops++) {
            uint32_t i = solution->routes[r].stops[s] - 1;
            length += metric_distance(METRIC_EUCLID, at, instance->nodes[i]);
            at = instance->nodes[i];
            if (length > instance->extra[0][i] * (1 + JUDGE_TOLERANCE))
                judge_violation_at(&j, r, s, "reached at %.9g, due at %.9g", length, instance->extra[0][i]);
        }
    }
    if ((double)stops > instance->extra_scalar[0])
        judge_violation(&j, "%zu stops, at most %g are allowed", stops, instance->extra_scalar[0]);
    for (uint32_t i = 0; i < instance->n; i++)
        fines += j.visits[i] ? 0 : instance->extra[1][i];
    bool known = j.all_exist;
    judge_end(&j);
    verdict->length = known ? length : NAN;
    verdict->penalty = known ? fines : NAN;
    verdict->objective = verdict->length + verdict->penalty;
}

const struct problem problem_errand = {
    .name = "errand",
    .has_depot = true,
    .objective = QUANTITY_LENGTH | QUANTITY_PENALTY,
    .columns = columns,
    .state = STATE_WORDS(ERRAND_STATE),
    .context = "share of the stops that is left",
    .generate = generate,
    .judge = judge,
};

static const struct kernel rules = KERNEL_WITH(errand, rules), merge = KERNEL_ALONE_WITH(errand_merge, beam_merge),
                           draw = KERNEL_WITH(errand_draw, draw), beam = KERNEL_WITH(errand_beam, beam_step);
static const struct env env = { &problem_errand, &rules, &merge, &draw, NULL, &beam };

__attribute__((constructor)) static void register_errand(void)
{
    env_register(&env);
}
