#include "improve/task.h"

#include <stdlib.h>
#include <string.h>

#include "problem/metric.h"
#include "util/alloc.h"

// Max sites with a matrix of distances: it should fit into the cache. Metrics that are slow to compute justify a larger
// one.
enum { MATRIX_SITES = 512, MATRIX_SITES_SLOW = 2048 };

// Between what solutions call A and B, 0: the depot.
static double leg(const struct instance *instance, uint32_t a, uint32_t b)
{
    const uint32_t shift = instance->problem->has_depot ? 0 : 1;
    return instance_distance(instance, a - shift, b - shift);
}

double task_measure(const struct task *task, uint32_t a, uint32_t b)
{
    if (a == b)
        return 0; // although GEO defines 1 as the distance of a node to itself
    if (task->measured) {
        const struct instance *instance = task->instance;
        const bool depot = instance->problem->has_depot;
        if (a == 0 && !depot && !task->number[0])
            return 0; // begins anywhere
        if (b == 0 && instance_is_open(instance))
            return task->last ? leg(instance, task->number[a], task->last) : 0;
        return leg(instance, task->number[a], task->number[b]);
    }
    double length = metric_distance(task->metric, task->at[a], task->at[b]);
    return task->cautious ? fmax(length, metric_distance(METRIC_EUCLID, task->at[a], task->at[b])) : length;
}

// The K nearest of the offered sites, in order. Equal distances are ordered by index, so the order of offers does not
// matter.
struct nearest {
    uint32_t k, count;
    double *distance;
    uint32_t *site;
};

static void offer(struct nearest *nearest, uint32_t site, double distance)
{
    uint32_t i = nearest->count;
    if (i == nearest->k) {
        double last = nearest->distance[i - 1];
        if (distance > last || (distance == last && site > nearest->site[i - 1]))
            return;
        i--;
    } else {
        nearest->count++;
    }
    for (; i && (nearest->distance[i - 1] > distance ||
                    (nearest->distance[i - 1] == distance && nearest->site[i - 1] > site));
         i--) {
        nearest->distance[i] = nearest->distance[i - 1];
        nearest->site[i] = nearest->site[i - 1];
    }
    nearest->distance[i] = distance;
    nearest->site[i] = site;
}

// Sites in square cells, a few in each.
struct grid {
    struct point origin;
    double side;
    uint32_t columns, rows;
    uint32_t *start; // by cell: index of its first site in `site`
    uint32_t *site;
};

static uint32_t cell_of(const struct grid *grid, struct point at)
{
    uint32_t x = (uint32_t)((at.x - grid->origin.x) / grid->side);
    uint32_t y = (uint32_t)((at.y - grid->origin.y) / grid->side);
    x = x < grid->columns ? x : grid->columns - 1;
    y = y < grid->rows ? y : grid->rows - 1;
    return y * grid->columns + x;
}

static void grid_init(struct grid *grid, const struct task *task)
{
    uint32_t sites = task->customers + 1;
    struct point low = task->at[0], high = low;
    for (uint32_t i = 1; i < sites; i++) {
        low.x = fmin(low.x, task->at[i].x), low.y = fmin(low.y, task->at[i].y);
        high.x = fmax(high.x, task->at[i].x), high.y = fmax(high.y, task->at[i].y);
    }
    double width = high.x - low.x, height = high.y - low.y, extent = fmax(width, height);
    *grid = (struct grid){ .origin = low };
    grid->side = extent > 0 ? fmax(sqrt(width * height / sites * 2), extent / sites) : 1;
    grid->columns = (uint32_t)(width / grid->side) + 1;
    grid->rows = (uint32_t)(height / grid->side) + 1;
    size_t cells = (size_t)grid->columns * grid->rows;
    grid->start = xcalloc(cells + 1, sizeof *grid->start);
    grid->site = xcalloc(sites, sizeof *grid->site);
    for (uint32_t i = 0; i < sites; i++)
        grid->start[cell_of(grid, task->at[i]) + 1]++;
    for (size_t c = 0; c < cells; c++)
        grid->start[c + 1] += grid->start[c];
    uint32_t *fill = xcalloc(cells, sizeof *fill);
    for (uint32_t i = 0; i < sites; i++) {
        uint32_t c = cell_of(grid, task->at[i]);
        grid->site[grid->start[c] + fill[c]++] = i;
    }
    free(fill);
}

static void grid_finish(struct grid *grid)
{
    free(grid->start);
    free(grid->site);
}

static void offer_cell(
    const struct grid *grid, const struct task *task, uint32_t site, int64_t x, int64_t y, struct nearest *nearest)
{
    if (x < 0 || y < 0 || x >= grid->columns || y >= grid->rows)
        return;
    uint32_t cell = (uint32_t)y * grid->columns + (uint32_t)x;
    for (uint32_t i = grid->start[cell]; i < grid->start[cell + 1]; i++) {
        uint32_t other = grid->site[i];
        double dx = task->at[site].x - task->at[other].x, dy = task->at[site].y - task->at[other].y;
        if (other != site)
            offer(nearest, other, dx * dx + dy * dy);
    }
}

// Searches rings of cells around the site's own, until no closer site can be further out.
static void search_grid(const struct grid *grid, const struct task *task, uint32_t site, struct nearest *nearest)
{
    uint32_t cell = cell_of(grid, task->at[site]);
    int64_t x = cell % grid->columns, y = cell / grid->columns;
    int64_t rings = grid->columns > grid->rows ? grid->columns : grid->rows;
    for (int64_t ring = 0; ring < rings; ring++) {
        double reach = (double)(ring - 1) * grid->side;
        if (ring > 1 && nearest->count == nearest->k && nearest->distance[nearest->k - 1] < reach * reach)
            return;
        for (int64_t i = -ring; i <= ring; i++) {
            offer_cell(grid, task, site, x + i, y - ring, nearest);
            if (ring)
                offer_cell(grid, task, site, x + i, y + ring, nearest);
        }
        for (int64_t i = -ring + 1; i < ring; i++) {
            offer_cell(grid, task, site, x - ring, y + i, nearest);
            offer_cell(grid, task, site, x + ring, y + i, nearest);
        }
    }
}

static void find_near(struct task *task)
{
    uint32_t sites = task->customers + 1;
    bool plane = !(task->matrix && (!task->symmetric || task->measured)) && task->metric != METRIC_GEO;
    struct grid grid = { 0 };
    if (plane)
        grid_init(&grid, task);
    double *distance = xcalloc(task->near_count + 1, sizeof *distance), sum = 0;
    for (uint32_t i = 0; i < sites; i++) {
        struct nearest nearest = { task->near_count, 0, distance, task->near + (size_t)i * task->near_count };
        if (plane) {
            search_grid(&grid, task, i, &nearest);
        } else {
            for (uint32_t j = 0; j < sites && nearest.k; j++) {
                if (j != i && (i || task->symmetric)) // where all routes end is near to everybody
                    offer(&nearest, j, fmin(task_distance(task, i, j), task_distance(task, j, i)));
                else if (j != i)
                    offer(&nearest, j, task_distance(task, i, j));
            }
        }
        if (nearest.k)
            sum += task_distance(task, i, nearest.site[0]) + task_distance(task, i, nearest.site[(nearest.k - 1) / 4]);
    }
    task->scale = sum / (2.0 * sites);
    free(distance);
    if (plane)
        grid_finish(&grid);
}

static void set_objective(struct task *task, bool revealed)
{
    const struct instance *instance = task->instance;
    const double *prize = revealed && instance->real_prize ? instance->real_prize : instance->prize;
    const double *penalty = instance->problem->maximise ? instance->prize : instance->penalty;
    double total = 0;
    task->weight = task->pace = 1;
    task->limit = INFINITY;
    if (!penalty)
        return;
    task->penalty = xcalloc(task->customers + 1, sizeof *task->penalty);
    for (uint32_t i = 1; i <= task->customers; i++)
        total += task->penalty[i] = penalty[task->number[i] - 1];
    if (instance->problem->maximise) { // an unvisited customer costs its prize; the length decides between equal prizes
        task->limit = instance->max_length * (1 + 1e-9);
        task->weight = total > 0 && task->limit > 0 ? 1e-4 * total / task->customers / task->limit : 1;
        task->pace = total > 0 && task->limit > 0 ? 0.1 * total / task->limit : 1;
        task->cautious = task->metric != METRIC_EUCLID;
        return;
    }
    task->prize = xcalloc(task->customers + 1, sizeof *task->prize);
    for (uint32_t i = 1; i <= task->customers; i++)
        task->prize[i] = prize[task->number[i] - 1];
    task->min_prize = instance->min_prize * (1 - 1e-9);
}

// Without a depot: the node that a tour starts at, or none, and the one that it ends at.
static void set_ends(struct task *task)
{
    const struct instance *instance = task->instance;
    const bool open = instance_is_open(instance);
    task->last = open ? (uint32_t)instance->end : 0;
    task->number[0] = instance->start > 0 ? (uint32_t)instance->start : open ? 0 : 1;
}

static bool is_symmetric(const struct instance *instance)
{
    const uint32_t N = instance_nodes(instance);
    for (uint32_t i = 0; instance->distances && i < N; i++) {
        for (uint32_t j = 0; j < i; j++) {
            if (instance_distance(instance, i, j) != instance_distance(instance, j, i))
                return false;
        }
    }
    return !instance_is_open(instance);
}

static struct point position(const struct instance *instance, uint32_t number)
{
    const bool depot = instance->problem->has_depot;
    return instance_position(instance, depot || !number ? number : number - 1);
}

void task_init(struct task *task, const struct instance *instance, bool revealed, uint32_t near)
{
    bool depot = instance->problem->has_depot;
    *task = (struct task){
        .instance = instance, .metric = instance->metric, .symmetric = is_symmetric(instance), .capacity = INT64_MAX
    };
    task->measured = instance->distances || instance->coordinates != COORDINATES_PLANE || instance_is_open(instance);
    task->number = xcalloc((size_t)instance->n + 1, sizeof *task->number);
    task->split = instance->problem->splits;
    if (!depot)
        set_ends(task);
    for (uint32_t i = 0; i < instance->n; i++) {
        if (!depot && (i + 1 == task->number[0] || i + 1 == task->last))
            continue;
        if (!task->split || instance->demand[i] > 0) // split customers without demand are not visited
            task->number[++task->customers] = i + 1;
    }
    uint32_t sites = task->customers + 1;
    task->at = xcalloc(sites, sizeof *task->at);
    for (uint32_t i = 0; i < sites; i++)
        task->at[i] = position(instance, task->number[i]);
    task->routes = 1;
    if (instance->demand) {
        task->routes = instance->vehicles > 0 ? (uint32_t)instance->vehicles : UINT32_MAX;
        task->capacity = instance->capacity;
        task->load = xcalloc(sites, sizeof *task->load);
        for (uint32_t i = 1; i < sites; i++)
            task->load[i] = instance->demand[task->number[i] - 1];
    }
    set_objective(task, revealed);
    bool slow = task->cautious || task->measured || task->metric > METRIC_EUC_2D;
    if (sites <= (slow ? MATRIX_SITES_SLOW : MATRIX_SITES)) {
        double *matrix = xcalloc((size_t)sites * sites, sizeof *matrix);
        for (uint32_t a = 0; a < sites; a++) {
            for (uint32_t b = 0; b < a; b++) {
                matrix[(size_t)a * sites + b] = task_distance(task, a, b);
                matrix[(size_t)b * sites + a] =
                    task->symmetric ? matrix[(size_t)a * sites + b] : task_distance(task, b, a);
            }
        }
        task->matrix = matrix;
    }
    task->near_count = near < task->customers ? near : task->customers;
    task->near = xcalloc((size_t)sites * task->near_count + 1, sizeof *task->near);
    find_near(task);
}

void task_set_matrix(struct task *task, const double *matrix)
{
    size_t sites = task->customers + 1;
    free(task->matrix);
    task->matrix = xcalloc(sites * sites, sizeof *task->matrix);
    memcpy(task->matrix, matrix, sites * sites * sizeof *task->matrix);
    task->symmetric = false;
    find_near(task);
}

void task_finish(struct task *task)
{
    free(task->number);
    free(task->at);
    free(task->matrix);
    free(task->load);
    free(task->penalty);
    free(task->prize);
    free(task->near);
    *task = (struct task){ 0 };
}
