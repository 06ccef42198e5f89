// An instance as the search sees it: sites with distances, and the declared objective and constraints. Every problem
// becomes a task; nothing above this file knows a problem by name.
#ifndef IMPROVE_TASK_H
#define IMPROVE_TASK_H

#include <math.h>

#include "problem/problem.h"

#define NONE UINT32_MAX

// Site 0 is the depot, or the first node of a tour without a depot; sites 1..customers may be visited. Routes leave
// from site 0 where they begin and enter it where they end, which may differ: the leg to the end of an open route has
// length 0, and so has the leg from a start that is free. The objective, always minimised:
//     weight * (length of all routes) + (penalties of unvisited customers)
struct task {
    const struct instance *instance;
    uint32_t customers;
    uint32_t *number; // by site: its number in solutions, 1..n; 0: the depot, or nowhere
    uint32_t last;    // the last node of every plan, 1..n, which is not a site; 0: none
    bool measured;    // distances are the instance's, not those of coordinates in a metric

    enum metric metric;
    bool cautious;       // lengths are the larger of the metric's and the Euclidean one, so that a limit holds in both
    bool symmetric;      // distances are the same in both directions
    struct point *at;    // by site
    double *matrix;      // (customers + 1)^2, row = from; NULL: computed from coordinates
    double scale;        // a typical distance between neighbours
    double weight;       // of the length in the objective
    double pace;         // of the length while searching; larger than weight if the length only decides ties
    double limit;        // of a route's length; INFINITY: none
    int64_t *load;       // by site; NULL: no loads
    int64_t capacity;    // of a route; INT64_MAX: none
    bool split;          // several visits may serve a customer's load
    double *penalty;     // by site, if unvisited; NULL: all customers are visited
    double *prize;       // by site; NULL: no minimum
    double min_prize;    // required unless all customers are visited
    uint32_t routes;     // max routes
    uint32_t near_count; // nearest sites of every site, in order of distance
    uint32_t *near;
};

// REVEALED: uses the real prizes of an instance if it has them, else the expected ones. NEAR: neighbours per site, if
// there are that many.
void task_init(struct task *task, const struct instance *instance, bool revealed, uint32_t near);
// Sets directed distances of the same sites: (customers + 1)^2, row = from. Copied.
void task_set_matrix(struct task *task, const double *matrix);
void task_finish(struct task *task);

double task_measure(const struct task *task, uint32_t a, uint32_t b);

static inline double task_distance(const struct task *task, uint32_t a, uint32_t b)
{
    if (task->matrix)
        return task->matrix[(size_t)a * (task->customers + 1) + b];
    if (task->cautious || task->measured || task->metric > METRIC_EUC_2D)
        return task_measure(task, a, b);
    double dx = task->at[a].x - task->at[b].x, dy = task->at[a].y - task->at[b].y, exact = sqrt(dx * dx + dy * dy);
    if (task->metric == METRIC_EUCLID || exact > 0x1p52)
        return exact;
    return (double)(int64_t)(exact + 0.5);
}

static inline const uint32_t *task_near(const struct task *task, uint32_t site)
{
    return task->near + (size_t)site * task->near_count;
}

#endif
