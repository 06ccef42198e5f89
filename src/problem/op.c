// Orienteering: one tour from the depot within a length limit that maximises the collected prize.
#include <math.h>

#include "problem/generate.h"
#include "problem/judge.h"
#include "problem/metric.h"
#include "problem/scale.h"
#include "shaders/args.h"

static void generate(struct instance *instance, const struct distribution *distribution, uint64_t seed, uint32_t index)
{
    generate_nodes(instance, &problem_op, distribution, seed, index);
    generate_prizes(instance, distribution->prize, seed, index);
    generate_limit(instance, distribution, seed, index);
}

static bool check(struct instance *instance)
{
    uint32_t far = 0, first = 0;
    for (uint32_t i = 0; i < instance->n; i++) {
        double back = instance->open ? 0 : instance_distance(instance, i + 1, 0);
        if (instance_distance(instance, 0, i + 1) + back > instance->max_length && far++ == 0)
            first = i;
    }
    char label[LABEL_SIZE];
    if (instance->max_length == 0)
        instance_warn(instance, "the length limit is 0: only customers at the depot's position can be visited");
    else if (far)
        instance_warn(instance, "%u of %u customers cannot be reached within the length limit, first %s", far,
            instance->n, instance_label(instance, first, label));
    return true;
}

static void judge(const struct instance *instance, const struct solution *solution, struct verdict *verdict)
{
    struct judge j;
    judge_begin(&j, instance, solution, verdict);
    judge_single_tour(&j);
    double prize = 0;
    for (uint32_t i = 0; i < instance->n; i++)
        prize += j.visits[i] ? instance->prize[i] : 0;
    bool known = j.all_exist;
    judge_end(&j);
    if (verdict->length > instance->max_length * (1 + JUDGE_TOLERANCE))
        judge_violation(&j, "the tour's length %.9g exceeds the limit %.9g", verdict->length, instance->max_length);
    verdict->prize = verdict->objective = known ? prize : NAN;
    verdict->rounded_too_long =
        verdict->has_rounded && verdict->feasible && verdict->rounded_length > instance->max_length;
    verdict->rounded = verdict->has_rounded ? verdict->objective : 0;
}

static const struct column columns[] = {
    { .key = "prize",
        .unit = UNIT_PRIZE,
        .per_node = true,
        .feature = true,
        .at = offsetof(struct instance, prize),
        .scaled_at = offsetof(struct scaled, prize),
        .word = NODE_PRIZE,
        .draw = DRAW_HAS_PRIZE },
    { .key = "max_length",
        .unit = UNIT_LENGTH,
        .at = offsetof(struct instance, max_length),
        .scaled_at = offsetof(struct scaled, max_length),
        .draw = DRAW_HAS_MAX_LENGTH },
    { 0 },
};

const struct problem problem_op = {
    .name = "op",
    .released = "op",
    .has_depot = true,
    .maximise = true,
    .prize_kinds = true,
    .objective = QUANTITY_PRIZE,
    .columns = columns,
    .constraints = { { QUANTITY_LENGTH, "max_length" } },
    .state = STATE_WORDS(OP_STATE),
    .context = "length that is left",
    .generate = generate,
    .check = check,
    .judge = judge,
};
