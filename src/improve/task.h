// What the search sees of an instance: sites with distances, and the declared objective and constraints. Every problem
// becomes one of these, and nothing behind this file knows a problem by name.
#ifndef IMPROVE_TASK_H
#define IMPROVE_TASK_H

#include <math.h>

#include "problem/problem.h"

#define NONE UINT32_MAX

// Site 0 is the depot, or the node that a problem without a depot starts its tour at; 1..customers may be visited.
// The objective, always minimised:
//     weight * (length of all routes) + (penalties of the customers that are left out)
struct task {
    const struct instance *instance;
    uint32_t customers;
    uint32_t *number; // by site: what a solution calls it, 1..n; 0: the depot

    enum metric metric;
    bool cautious;       // lengths are the larger of the metric's and the plain one, so that a limit holds in both
    bool symmetric;      // distances are the same in both directions
    struct point *at;    // by site
    double *matrix;      // (customers + 1)^2, rows from; NULL: computed from coordinates
    double scale;        // a typical distance between neighbours
    double weight;       // of the length in the objective
    double pace;         // of the length while searching; larger than weight where length is only a tie-break
    double limit;        // of a route's length; INFINITY: none
    int64_t *load;       // by site; NULL: nothing is carried
    int64_t capacity;    // of a route; INT64_MAX: none
    bool split;          // a customer's load may come in several visits
    double *penalty;     // by site, of leaving it out; NULL: everybody is visited
    double *prize;       // by site; NULL: there is no minimum
    double min_prize;    // that a plan collects unless it visits everybody
    uint32_t routes;     // at most
    uint32_t near_count; // nearest sites of every site, the closest first
    uint32_t *near;
};

// REVEALED: uses the real prizes of an instance that has them, else the expected ones. NEAR is how many neighbours
// each site gets, as far as there are so many.
void task_init(struct task *task, const struct instance *instance, bool revealed, uint32_t near);
// The same sites with directed distances: (customers + 1)^2, rows from. Copied.
void task_set_matrix(struct task *task, const double *matrix);
void task_finish(struct task *task);

double task_measure(const struct task *task, uint32_t a, uint32_t b);

static inline double task_distance(const struct task *task, uint32_t a, uint32_t b)
{
    if (task->matrix)
        return task->matrix[(size_t)a * (task->customers + 1) + b];
    if (task->cautious || task->metric > METRIC_EUC_2D)
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
