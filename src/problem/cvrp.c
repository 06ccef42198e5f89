// Capacitated vehicle routing: every customer is served in one visit, on one of several routes from the depot.
#include <stb/stb_ds.h>

#include "problem/generate.h"
#include "problem/judge.h"
#include "problem/scale.h"
#include "shaders/args.h"

static void generate(struct instance *instance, const struct distribution *distribution, uint64_t seed, uint32_t index)
{
    generate_nodes(instance, &problem_cvrp, distribution, seed, index);
    generate_demands(instance, distribution, seed, index);
}

static bool check(struct instance *instance)
{
    uint32_t full = 0, first = 0;
    for (uint32_t i = 0; i < instance->n; i++) {
        if (instance->demand[i] > instance->capacity)
            return instance_fail(instance, "demand", i, "%.15g exceeds the capacity %.15g",
                instance_demand(instance, i), instance_capacity(instance));
        if (instance->demand[i] == instance->capacity && full++ == 0)
            first = i;
    }
    char label[LABEL_SIZE];
    if (full)
        instance_warn(instance, "the demand equals the capacity for %u customer%s, first %s", full,
            full == 1 ? "" : "s", instance_label(instance, first, label));
    return instance_check_vehicles(instance);
}

static void judge(const struct instance *instance, const struct solution *solution, struct verdict *verdict)
{
    struct judge j;
    judge_begin(&j, instance, solution, verdict);
    double scale = instance->demand_scale;
    char label[LABEL_SIZE];
    for (size_t r = 0; r < arrlenu(solution->routes); r++) {
        int64_t space = instance->capacity;
        for (size_t s = 0; s < arrlenu(solution->routes[r].stops); s++) {
            uint32_t i = judge_first_visit(&j, r, s);
            if (i == JUDGE_NONE)
                continue;
            if (instance->demand[i] > space)
                judge_violation_at(&j, r, s, "customer %s needs %.15g, but only %.15g of the capacity %.15g remains",
                    instance_label(instance, i, label), (double)instance->demand[i] / scale, (double)space / scale,
                    (double)instance->capacity / scale);
            else
                space -= instance->demand[i];
        }
    }
    for (uint32_t i = 0; i < instance->n; i++) {
        if (!j.visits[i])
            judge_violation(&j, "customer %s is not visited", instance_label(instance, i, label));
    }
    judge_vehicles(&j);
    judge_end(&j);
}

const struct problem problem_cvrp = {
    .name = "cvrp",
    .released = "cvrp",
    .has_depot = true,
    .many_routes = true,
    .objective = QUANTITY_LENGTH,
    .columns = load_columns,
    .constraints = { { QUANTITY_LOAD, "capacity", .per_route = true } },
    .min_capacity = DRAW_DEMAND_MAX,
    .state = STATE_WORDS(CVRP_STATE),
    .context = "share of the capacity that is left",
    .generate = generate,
    .check = check,
    .judge = judge,
};
