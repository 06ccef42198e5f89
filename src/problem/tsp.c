// Travelling salesman: the shortest closed tour over all nodes, or the shortest path, from and to given nodes or any.
#include <stb/stb_ds.h>

#include "problem/generate.h"
#include "problem/judge.h"
#include "problem/metric.h"
#include "problem/scale.h"
#include "shaders/args.h"

static void generate(struct instance *instance, const struct distribution *distribution, uint64_t seed, uint32_t index)
{
    generate_nodes(instance, &problem_tsp, distribution, seed, index);
}

static bool check(struct instance *instance)
{
    if (instance->open && instance->n > 1 && instance->start > 0 && instance->start == instance->end)
        return instance_fail(instance, "end", INSTANCE_WIDE, "an open path does not end where it starts");
    return true;
}

// A closed tour is the same from whichever node it begins.
static void judge_ends(struct judge *j)
{
    const struct instance *instance = j->instance;
    const struct route *routes = j->solution->routes;
    const double ends[2] = { instance->start, instance->end };
    const uint32_t *stops = arrlenu(routes) ? routes[0].stops : NULL;
    char label[LABEL_SIZE];
    for (int k = 0; k < 2 && stops && arrlenu(stops) && instance_is_open(instance); k++) {
        uint32_t stop = k ? arrlast(stops) : stops[0];
        if (ends[k] > 0 && stop != ends[k])
            judge_violation(j, "the path does not %s at node %s", k ? "end" : "start",
                instance_label(instance, (uint32_t)ends[k] - 1, label));
    }
}

static void judge(const struct instance *instance, const struct solution *solution, struct verdict *verdict)
{
    struct judge j;
    judge_begin(&j, instance, solution, verdict);
    judge_single_tour(&j);
    char label[LABEL_SIZE];
    for (uint32_t i = 0; i < instance->n; i++) {
        if (!j.visits[i])
            judge_violation(&j, "node %s is not visited", instance_label(instance, i, label));
    }
    judge_ends(&j);
    judge_end(&j);
}

static const struct column columns[] = {
    { .key = "start",
        .unit = UNIT_NODE,
        .optional = true,
        .at = offsetof(struct instance, start),
        .scaled_at = offsetof(struct scaled, start) },
    { .key = "end",
        .unit = UNIT_NODE,
        .optional = true,
        .at = offsetof(struct instance, end),
        .scaled_at = offsetof(struct scaled, end) },
    { 0 },
};

const struct problem problem_tsp = {
    .name = "tsp",
    .released = "tsp",
    .objective = QUANTITY_LENGTH,
    .columns = columns,
    .state = STATE_WORDS(TSP_STATE),
    .generate = generate,
    .check = check,
    .judge = judge,
};
