#include "search/parts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <stb/stb_ds.h>

#include "improve/improve.h"
#include "problem/metric.h"
#include "search/pass.h"
#include "util/alloc.h"
#include "util/error.h"

// Offset of the next round's seeds or windows, as a share of the full circle: positions never repeat.
static const double golden = 0.381966;

bool parts_exist(const struct config *config, const struct instance *instance)
{
    const struct problem *problem = instance->problem;
    if (!config->trained.n_max || instance->n <= config->trained.n_max || problem->objective != QUANTITY_LENGTH ||
        problem->maximise || problem_may_leave_out(problem) || problem->has_depot != problem->many_routes)
        return false;
    if (!problem->has_depot && (instance_is_open(instance) || instance->start > 0)) // windows are those of a circle
        return false;
    for (const struct constraint *c = problem->constraints; c->limit; c++) {
        if (!c->per_route)
            return false;
    }
    return true;
}

// Copies a solution; with amounts if loads split.
static struct solution copy_delivered(const struct instance *instance, const struct solution *plan)
{
    struct solution copy;
    bool given = true;
    improve_copy(&copy, plan);
    for (size_t r = 0; r < arrlenu(copy.routes); r++)
        given = given && arrlenu(copy.routes[r].amounts) == arrlenu(copy.routes[r].stops);
    if (instance->problem->splits && !given)
        solution_deliver(instance, &copy);
    return copy;
}

// Returns the customers' loads, for a problem that has some.
static int64_t *loads_of(const struct instance *instance)
{
    FOR_COLUMNS(column, instance->problem)
    {
        if (column->unit == UNIT_LOAD && column->per_node)
            return *(int64_t *const *)((const char *)instance + column->at);
    }
    bug("%s has no loads", instance->problem->name);
}

// --- proposing ----------------------------------------------------------------------------------------------------

// The legs of some of the nodes, by their indices in the whole.
static void copy_legs(struct instance *part, const struct instance *whole, const uint32_t *numbers)
{
    const uint32_t N = instance_nodes(part), all = instance_nodes(whole), first = whole->problem->has_depot;
    if (whole->distances)
        part->distances = xcalloc((size_t)N * N, sizeof *part->distances);
    if (whole->plane)
        part->plane = xcalloc(N, sizeof *part->plane);
    for (uint32_t i = 0; i < N; i++) {
        uint32_t v = i < first ? i : instance_node(whole, numbers[i - first] - 1);
        if (whole->plane)
            part->plane[i] = whole->plane[v];
        for (uint32_t j = 0; whole->distances && j < N; j++) {
            uint32_t w = j < first ? j : instance_node(whole, numbers[j - first] - 1);
            part->distances[(size_t)i * N + j] = whole->distances[(size_t)v * all + w];
        }
    }
}

// Makes an instance of some of the customers, with the columns and limits of the whole.
static struct plan_part part_of(const struct instance *whole, const uint32_t *numbers, uint32_t n)
{
    struct plan_part part = { .numbers = xcalloc(n, sizeof *numbers) };
    struct instance *instance = &part.instance;
    instance_init(instance, whole->problem, n);
    instance->depot = whole->depot;
    instance->metric = whole->metric;
    instance->coordinates = whole->coordinates;
    instance->open = whole->open;
    instance->demand_scale = whole->demand_scale;
    for (uint32_t i = 0; i < n; i++) {
        part.numbers[i] = numbers[i];
        instance->nodes[i] = whole->nodes[numbers[i] - 1];
    }
    FOR_COLUMNS(column, whole->problem)
    {
        const char *from = (const char *)whole + column->at;
        char *to = (char *)instance + column->at;
        if (!column->per_node) { // a double or an int64_t, like the values of customers
            memcpy(to, from, sizeof(double));
            continue;
        }
        from = *(const char *const *)from;
        to = *(char **)to;
        for (uint32_t i = 0; i < n; i++)
            memcpy(to + i * sizeof(double), from + (numbers[i] - 1) * sizeof(double), sizeof(double));
    }
    copy_legs(instance, whole, numbers);
    return part;
}

// A route that may become part of a selection.
struct spot {
    size_t route;
    uint32_t stops;
    struct point centre;
    double angle; // direction from the depot
    bool used;
};

static int by_angle(const void *left, const void *right)
{
    const struct spot *a = left, *b = right;
    return a->angle != b->angle ? (a->angle < b->angle ? -1 : 1) : a->route < b->route ? -1 : a->route > b->route;
}

static struct spot *list_spots(const struct instance *instance, const struct solution *plan)
{
    struct spot *spots = NULL;
    for (size_t r = 0; r < arrlenu(plan->routes); r++) {
        const uint32_t *stops = plan->routes[r].stops;
        struct spot spot = { .route = r, .stops = (uint32_t)arrlen(stops) };
        for (uint32_t s = 0; s < spot.stops; s++) {
            struct point at = instance_position(instance, stops[s]);
            spot.centre.x += at.x / spot.stops;
            spot.centre.y += at.y / spot.stops;
        }
        struct point depot = instance_position(instance, 0);
        spot.angle = atan2(spot.centre.y - depot.y, spot.centre.x - depot.x);
        if (spot.stops)
            arrput(spots, spot);
    }
    if (spots)
        qsort(spots, arrlenu(spots), sizeof *spots, by_angle);
    return spots;
}

static struct spot *nearest(struct spot *spots, const struct spot *seed)
{
    struct spot *best = NULL;
    double shortest = INFINITY;
    for (size_t k = 0; k < arrlenu(spots); k++) {
        double distance = metric_distance(METRIC_EUCLID, spots[k].centre, seed->centre);
        if (!spots[k].used && distance < shortest)
            shortest = distance, best = &spots[k];
    }
    return best;
}

// Makes an instance of the customers of some routes. If loads split, demands are what these routes deliver.
static struct plan_part part_of_routes(
    const struct instance *instance, const struct solution *plan, const size_t *routes)
{
    uint32_t *numbers = NULL;
    int64_t *brought = xcalloc(instance->n, sizeof *brought);
    bool *seen = xcalloc(instance->n, sizeof *seen);
    for (size_t k = 0; k < arrlenu(routes); k++) {
        const struct route *route = &plan->routes[routes[k]];
        for (size_t s = 0; s < arrlenu(route->stops); s++) {
            const uint32_t i = route->stops[s] - 1;
            if (!seen[i])
                arrput(numbers, i + 1);
            seen[i] = true;
            brought[i] += route->amounts ? route->amounts[s] : 0;
        }
    }
    struct plan_part part = part_of(instance, numbers, (uint32_t)arrlen(numbers));
    if (instance->vehicles > 0)
        part.instance.vehicles = (double)arrlenu(routes);
    for (uint32_t i = 0; instance->problem->splits && i < part.instance.n; i++)
        loads_of(&part.instance)[i] = brought[numbers[i] - 1];
    arrfree(numbers);
    free(brought), free(seen);
    return part;
}

// For each route in order of angle, adds the nearest routes that are in no part yet, as long as they fit.
static void propose_routes(struct plan_part **parts, const struct config *config, const struct instance *instance,
    const struct solution *plan, uint32_t round, uint32_t max_parts)
{
    struct spot *spots = list_spots(instance, plan);
    const size_t count = arrlenu(spots), first = (size_t)(fmod(golden * round, 1) * (double)count);
    const uint32_t size = config->trained.n_max;
    for (size_t k = 0; k < count && arrlenu(*parts) < max_parts; k++) {
        const struct spot *seed = &spots[(first + k) % count];
        struct spot *next = seed->used ? NULL : &spots[(first + k) % count];
        size_t *routes = NULL;
        uint32_t stops = 0;
        while (next && stops + next->stops <= size) {
            next->used = true;
            stops += next->stops;
            arrput(routes, next->route);
            next = nearest(spots, seed);
        }
        if (arrlenu(routes) > 1 && stops >= size / 2)
            arrput(*parts, part_of_routes(instance, plan, routes));
        arrfree(routes);
    }
    arrfree(spots);
}

// Adds windows one after the other; the end of one is the start of the next.
static void propose_windows(struct plan_part **parts, const struct config *config, const struct instance *instance,
    const struct solution *plan, uint32_t round, uint32_t max_parts)
{
    const uint32_t n = instance->n, size = config->trained.n_max, *stops = plan->routes[0].stops;
    const uint32_t first = (uint32_t)(fmod(golden * round, 1) * n), count = size > 3 ? n / (size - 1) : 0;
    uint32_t *numbers = xcalloc(size, sizeof *numbers);
    for (uint32_t k = 0; k < count && k < max_parts; k++) {
        for (uint32_t i = 0; i < size; i++)
            numbers[i] = stops[(first + (uint64_t)k * (size - 1) + i) % n];
        arrput(*parts, part_of(instance, numbers, size));
    }
    free(numbers);
}

struct plan_part *parts_propose(const struct config *config, const struct instance *instance,
    const struct solution *plan, uint32_t round, uint32_t max_parts)
{
    struct plan_part *parts = NULL;
    if (!parts_exist(config, instance))
        return NULL;
    if (!instance->problem->has_depot) {
        propose_windows(&parts, config, instance, plan, round, max_parts);
        return parts;
    }
    struct solution copy = copy_delivered(instance, plan);
    propose_routes(&parts, config, instance, &copy, round, max_parts);
    solution_finish(&copy);
    return parts;
}

void parts_finish(struct plan_part **slot)
{
    struct plan_part *parts = *slot;
    for (size_t k = 0; k < arrlenu(parts); k++) {
        instance_finish(&parts[k].instance);
        solution_finish(&parts[k].answer);
        free(parts[k].numbers);
    }
    arrfree(parts);
    *slot = NULL;
}

// --- solving ------------------------------------------------------------------------------------------------------

static void append(uint32_t *path, uint32_t *count, const uint32_t *stops, uint32_t length, bool backward)
{
    for (uint32_t i = 0; i < length; i++)
        path[(*count)++] = stops[backward ? length - 1 - i : i];
}

// Cuts a closed tour to a path from customer 1 to customer n. If the two are not adjacent, the chains between them are
// joined in the best order and directions.
static void cut_at_ends(const struct instance *instance, struct solution *tour)
{
    const uint32_t n = instance->n;
    uint32_t *stops = tour->routes[0].stops, at = 0, *round = xcalloc(n, sizeof *round);
    uint32_t *path = xcalloc(n, sizeof *path), *best = xcalloc(n, sizeof *best), end = 0;
    double shortest = INFINITY;
    while (stops[at] != 1)
        at++;
    for (uint32_t i = 0; i < n; i++) {
        round[i] = stops[(at + i) % n];
        end = round[i] == n ? i : end;
    }
    for (int join = 0; join < 8; join++) {
        const uint32_t *chains[2] = { round + 1, round + end + 1 }, lengths[2] = { end - 1, n - end - 1 };
        uint32_t count = 0;
        path[count++] = 1;
        append(path, &count, chains[join & 1], lengths[join & 1], join & 2);
        append(path, &count, chains[!(join & 1)], lengths[!(join & 1)], join & 4);
        path[count++] = n;
        double length = 0;
        for (uint32_t i = 0; i + 1 < n; i++)
            length +=
                instance->metric != METRIC_EUCLID
                    ? metric_distance(instance->metric, instance->nodes[path[i] - 1], instance->nodes[path[i + 1] - 1])
                    : instance_distance(instance, path[i] - 1, path[i + 1] - 1);
        if (length < shortest) {
            shortest = length;
            memcpy(best, path, n * sizeof *best);
        }
    }
    memcpy(stops, best, n * sizeof *best);
    free(round), free(path), free(best);
}

static void take_answer(struct plan_part *part, struct search_result *result)
{
    const struct improve_options options = { .threads = 1 };
    part->solved = result->solved;
    if (!part->solved)
        return;
    part->answer = result->solution;
    result->solution = (struct solution){ 0 };
    improve_local(&part->instance, &part->answer, 1, &options);
    if (!part->instance.problem->has_depot)
        cut_at_ends(&part->instance, &part->answer);
}

// The pass is not urgent, so it ends at once when stopped.
bool parts_solve(struct plan_part *parts, const struct model *model, const struct parts_options *options)
{
    const size_t count = arrlenu(parts);
    const struct search_options how = { .decoding = { MDAM_DECODE_BEAM, .merge = true, .augment = 1 },
        .seed = options->seed,
        .memory = options->memory,
        .stop = options->stop,
        .user = options->user };
    if (!count)
        return true;
    struct instance *instances = xcalloc(count, sizeof *instances);
    struct search_result *results = xcalloc(count, sizeof *results);
    struct search *search = NULL;
    size_t refused;
    for (size_t k = 0; k < count; k++)
        instances[k] = parts[k].instance; // borrowed
    bool ok = search_create(&search, model, instances, count, &how, &refused);
    if (ok) {
        search_begin(search, &options->deadline, results);
        ok = search_pass(search, false);
    }
    for (size_t k = 0; k < count; k++) {
        take_answer(&parts[k], &results[k]);
        search_result_finish(&results[k]);
    }
    search_destroy(&search);
    free(instances), free(results);
    return ok;
}

// --- putting back -------------------------------------------------------------------------------------------------

// Returns the part's index (from 1) of each customer of the solution; 0: not in the part. (n + 1)
static uint32_t *indices_of(const struct plan_part *part, const struct instance *whole)
{
    uint32_t *index = xcalloc(whole->n + 1, sizeof *index);
    for (uint32_t i = 0; i < part->instance.n; i++)
        index[part->numbers[i]] = i + 1;
    return index;
}

static bool is_within(const struct route *route, const uint32_t *index)
{
    for (size_t s = 0; s < arrlenu(route->stops); s++) {
        if (!index[route->stops[s]])
            return false;
    }
    return arrlenu(route->stops) > 0;
}

// Returns whether routes that visit only the part's customers deliver what the answer does.
static bool has_routes(const struct plan_part *part, const struct solution *plan, const uint32_t *index)
{
    const struct instance *instance = &part->instance;
    const bool splits = instance->problem->splits;
    int64_t *open = xcalloc(instance->n, sizeof *open);
    bool equal = true;
    for (uint32_t i = 0; i < instance->n; i++)
        open[i] = splits ? loads_of(instance)[i] : 1;
    for (size_t r = 0; r < arrlenu(plan->routes); r++) {
        const struct route *route = &plan->routes[r];
        for (size_t s = 0; is_within(route, index) && s < arrlenu(route->stops); s++)
            open[index[route->stops[s]] - 1] -= splits ? route->amounts[s] : 1;
    }
    for (uint32_t i = 0; i < instance->n; i++)
        equal = equal && open[i] == 0;
    free(open);
    return equal;
}

static bool put_routes(const struct plan_part *part, struct solution *plan, const uint32_t *index)
{
    if (!has_routes(part, plan, index))
        return false;
    size_t left = 0;
    for (size_t r = 0; r < arrlenu(plan->routes); r++) {
        struct route *route = &plan->routes[r];
        if (is_within(route, index)) {
            arrfree(route->stops);
            arrfree(route->amounts);
        } else {
            plan->routes[left++] = *route;
        }
    }
    arrsetlen(plan->routes, left);
    struct solution answer;
    improve_copy(&answer, &part->answer);
    for (size_t r = 0; r < arrlenu(answer.routes); r++) {
        for (size_t s = 0; s < arrlenu(answer.routes[r].stops); s++)
            answer.routes[r].stops[s] = part->numbers[answer.routes[r].stops[s] - 1];
        arrput(plan->routes, answer.routes[r]);
    }
    arrfree(answer.routes); // the solution owns its routes now
    return true;
}

// Returns whether the window's nodes are consecutive between the same ends, in either direction.
static bool put_window(const struct plan_part *part, struct solution *plan, const uint32_t *index)
{
    uint32_t *stops = plan->routes[0].stops;
    const uint32_t n = (uint32_t)arrlen(stops), size = part->instance.n;
    uint32_t at = 0;
    while (stops[at] != part->numbers[0])
        at++;
    for (uint32_t step = 1; step <= n - 1; step += n - 2) { // n - 1 steps ahead is one step back
        uint32_t same = 0;
        while (same < size && index[stops[(at + (uint64_t)same * step) % n]])
            same++;
        if (same < size || stops[(at + (uint64_t)(size - 1) * step) % n] != part->numbers[size - 1])
            continue;
        for (uint32_t i = 0; i < size; i++)
            stops[(at + (uint64_t)i * step) % n] = part->numbers[part->answer.routes[0].stops[i] - 1];
        return true;
    }
    return false;
}

bool part_put(const struct plan_part *part, const struct instance *instance, struct solution *plan)
{
    const struct problem *problem = instance->problem;
    struct solution next;
    struct verdict before, after;
    if (!part->solved)
        return false;
    next = copy_delivered(instance, plan);
    uint32_t *index = indices_of(part, instance);
    bool better = problem->has_depot ? put_routes(part, &next, index) : put_window(part, &next, index);
    free(index);
    if (better) {
        problem->judge(instance, plan, &before);
        problem->judge(instance, &next, &after);
        better = after.feasible && improve_is_better(instance, &after, &before);
    }
    if (better) {
        struct solution old = *plan;
        *plan = next;
        next = old;
    }
    solution_finish(&next);
    return better;
}
