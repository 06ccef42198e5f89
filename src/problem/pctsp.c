// Prize collecting: one tour from the depot that collects a minimum prize and minimises its length plus the penalties
// of unvisited customers. In the stochastic variant the prize is an expectation until the customer is visited.
#include <math.h>

#include "problem/generate.h"
#include "problem/judge.h"
#include "problem/scale.h"
#include "shaders/args.h"

static void generate_deterministic(
    struct instance *instance, const struct distribution *distribution, uint64_t seed, uint32_t index)
{
    generate_nodes(instance, &problem_pctsp, distribution, seed, index);
    generate_penalties(instance, seed, index);
}

static void generate_stochastic(
    struct instance *instance, const struct distribution *distribution, uint64_t seed, uint32_t index)
{
    generate_nodes(instance, &problem_spctsp, distribution, seed, index);
    generate_penalties(instance, seed, index);
    generate_real_prizes(instance, seed, index);
}

// Returns the prizes that visits collect.
static const double *collected(const struct instance *instance)
{
    return instance->real_prize ? instance->real_prize : instance->prize;
}

// Uses the judge's tolerance: tenths that add up to 1 give slightly less in double precision.
static bool is_enough(const struct instance *instance, double prize)
{
    return prize >= instance->min_prize * (1 - JUDGE_TOLERANCE);
}

static bool check(struct instance *instance)
{
    double total = 0;
    for (uint32_t i = 0; i < instance->n; i++)
        total += collected(instance)[i];
    if (!is_enough(instance, total))
        instance_warn(instance, "the sum of all prizes is %.9g, below the minimum %.9g: every customer must be visited",
            total, instance->min_prize);
    if (instance->min_prize == 0)
        instance_warn(instance, "the minimum prize is 0: no customer must be visited");
    return true;
}

static void judge(const struct instance *instance, const struct solution *solution, struct verdict *verdict)
{
    struct judge j;
    judge_begin(&j, instance, solution, verdict);
    judge_single_tour(&j);
    double prize = 0, penalty = 0;
    bool all = true;
    for (uint32_t i = 0; i < instance->n; i++) {
        if (j.visits[i])
            prize += collected(instance)[i];
        else {
            penalty += instance->penalty[i];
            all = false;
        }
    }
    if (!all && !is_enough(instance, prize))
        judge_violation(&j, "the collected prize %.9g is below the minimum %.9g and not all customers are visited",
            prize, instance->min_prize);
    bool known = j.all_exist;
    judge_end(&j);
    verdict->prize = known ? prize : NAN;
    verdict->penalty = known ? penalty : NAN;
    verdict->objective = verdict->length + verdict->penalty;
}

#define PRIZE(...)                                                                                                     \
    {                                                                                                                  \
        .key = "prize", .unit = UNIT_PRIZE, .per_node = true, .feature = true, .at = offsetof(struct instance, prize), \
        .scaled_at = offsetof(struct scaled, prize), .word = NODE_PRIZE, .draw = DRAW_HAS_PRIZE, __VA_ARGS__           \
    }
#define PENALTY                                                                                                        \
    {                                                                                                                  \
        .key = "penalty", .unit = UNIT_LENGTH, .per_node = true, .feature = true,                                      \
        .at = offsetof(struct instance, penalty), .scaled_at = offsetof(struct scaled, penalty), .word = NODE_PENALTY, \
        .draw = DRAW_HAS_PENALTY                                                                                       \
    }
#define MIN_PRIZE                                                                                                      \
    {                                                                                                                  \
        .key = "min_prize", .unit = UNIT_PRIZE, .optional = true, .fallback = 1,                                       \
        .at = offsetof(struct instance, min_prize), .scaled_at = offsetof(struct scaled, min_prize)                    \
    }

static const struct column deterministic[] = {
    PRIZE(.copy = NODE_REAL), // collected by a visit
    PENALTY,
    MIN_PRIZE,
    { 0 },
};

static const struct column stochastic[] = {
    PRIZE(.label = "expected prize"),
    { .key = "real_prize",
        .label = "real prize",
        .unit = UNIT_PRIZE,
        .per_node = true,
        .optional = true,
        .like = "prize",
        .at = offsetof(struct instance, real_prize),
        .scaled_at = offsetof(struct scaled, real_prize),
        .word = NODE_REAL,
        .draw = DRAW_HAS_REAL_PRIZE },
    PENALTY,
    MIN_PRIZE,
    { 0 },
};

const struct problem problem_pctsp = {
    .name = "pctsp",
    .released = "pctsp_det",
    .has_depot = true,
    .objective = QUANTITY_LENGTH | QUANTITY_PENALTY,
    .columns = deterministic,
    .constraints = { { QUANTITY_PRIZE, "min_prize", .at_least = true } },
    .state = STATE_WORDS(PCTSP_STATE),
    .context = "prize that is missing",
    .generate = generate_deterministic,
    .check = check,
    .judge = judge,
};

const struct problem problem_spctsp = {
    .name = "spctsp",
    .released = "pctsp_stoch",
    .has_depot = true,
    .reveals = true,
    .objective = QUANTITY_LENGTH | QUANTITY_PENALTY,
    .columns = stochastic,
    .constraints = { { QUANTITY_PRIZE, "min_prize", .at_least = true } },
    .state = STATE_WORDS(PCTSP_STATE),
    .context = "prize that is missing",
    .generate = generate_stochastic,
    .check = check,
    .judge = judge,
};
