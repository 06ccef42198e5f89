// Split-delivery vehicle routing: several visits may share a customer's demand, which may exceed the capacity.
#include <stdlib.h>
#include <string.h>

#include <stb/stb_ds.h>

#include "problem/generate.h"
#include "problem/judge.h"
#include "problem/scale.h"
#include "shaders/args.h"
#include "util/alloc.h"

// Max full loads of an instance: a solution has at least one trip for each.
#define TRIPS_MAX 1000000

static void generate(struct instance *instance, const struct distribution *distribution, uint64_t seed, uint32_t index)
{
    generate_nodes(instance, &problem_sdvrp, distribution, seed, index);
    generate_demands(instance, distribution, seed, index);
}

static bool check(struct instance *instance)
{
    const int64_t *demand = instance->demand, capacity = instance->capacity;
    uint32_t above = 0, first = 0, none = 0;
    int64_t trips = 0;
    for (uint32_t i = 0; i < instance->n; i++) {
        trips += demand[i] / capacity;
        if (trips > TRIPS_MAX)
            return instance_fail(
                instance, "demand", i, "the demands up to this one need more than %d vehicles", TRIPS_MAX);
        if (demand[i] > capacity && above++ == 0)
            first = i;
        none += demand[i] == 0;
    }
    char label[LABEL_SIZE];
    if (above)
        instance_warn(instance, "the demand exceeds the capacity for %u customer%s, first %s: several trips are needed",
            above, above == 1 ? "" : "s", instance_label(instance, first, label));
    if (none)
        instance_warn(instance, "%u customer%s without demand will not be visited", none, none == 1 ? "" : "s");
    return instance_check_vehicles(instance);
}

static void judge_route(struct judge *j, size_t r, int64_t *left)
{
    const struct instance *instance = j->instance;
    const struct route *route = &j->solution->routes[r];
    double scale = instance->demand_scale;
    int64_t space = instance->capacity + instance_load_rounding(instance);
    if (arrlen(route->amounts) != arrlen(route->stops)) {
        judge_violation(
            j, "route %zu: %zu amounts for %zu stops", r + 1, arrlenu(route->amounts), arrlenu(route->stops));
        j->all_exist = false; // skips the stops of this route
        return;
    }
    char label[LABEL_SIZE];
    for (size_t s = 0; s < arrlenu(route->stops); s++) {
        uint32_t i = judge_visit(j, r, s);
        if (i == JUDGE_NONE)
            continue;
        int64_t amount = route->amounts[s];
        instance_label(instance, i, label);
        if (amount < 0) {
            judge_violation_at(j, r, s, "amount %.15g is negative", (double)amount / scale);
        } else if (amount > space) {
            judge_violation_at(j, r, s, "customer %s gets %.15g, but only %.15g of the capacity %.15g remains", label,
                (double)amount / scale, (double)space / scale, (double)instance->capacity / scale);
        } else if (amount > left[i]) {
            judge_violation_at(j, r, s, "customer %s gets %.15g, but needs only %.15g", label, (double)amount / scale,
                (double)left[i] / scale);
        } else {
            space -= amount;
            left[i] -= amount;
        }
    }
}

static void judge_amounts(const struct instance *instance, const struct solution *solution, struct verdict *verdict)
{
    struct judge j;
    judge_begin(&j, instance, solution, verdict);
    int64_t *left = xcalloc(instance->n, sizeof *left);
    memcpy(left, instance->demand, instance->n * sizeof *left);
    for (size_t r = 0; r < arrlenu(solution->routes); r++)
        judge_route(&j, r, left);
    char label[LABEL_SIZE];
    for (uint32_t i = 0; i < instance->n; i++) {
        if (left[i])
            judge_violation(&j, "customer %s still needs %.15g", instance_label(instance, i, label),
                (double)left[i] / instance->demand_scale);
    }
    free(left);
    judge_vehicles(&j);
    judge_end(&j);
}

static void judge(const struct instance *instance, const struct solution *solution, struct verdict *verdict)
{
    bool has_amounts = false;
    for (ptrdiff_t r = 0; r < arrlen(solution->routes); r++)
        has_amounts |= arrlen(solution->routes[r].amounts) > 0;
    if (has_amounts) {
        judge_amounts(instance, solution, verdict);
        return;
    }
    struct solution filled = { 0 };
    for (ptrdiff_t r = 0; r < arrlen(solution->routes); r++) {
        struct route route = { 0 };
        for (ptrdiff_t s = 0; s < arrlen(solution->routes[r].stops); s++)
            arrput(route.stops, solution->routes[r].stops[s]);
        arrput(filled.routes, route);
    }
    solution_deliver(instance, &filled);
    judge_amounts(instance, &filled, verdict);
    solution_finish(&filled);
}

const struct problem problem_sdvrp = {
    .name = "sdvrp",
    .released = "sdvrp",
    .has_depot = true,
    .many_routes = true,
    .objective = QUANTITY_LENGTH,
    .columns = load_columns,
    .constraints = { { QUANTITY_LOAD, "capacity", .per_route = true } },
    .min_capacity = 1,
    .state = STATE_WORDS(SDVRP_STATE),
    .context = "share of the capacity that is left",
    .generate = generate,
    .check = check,
    .judge = judge,
    .splits = true,
};
