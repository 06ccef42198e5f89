// Instances and solutions of the six routing problems, in the user's own units, and what each problem knows about them:
// how to read, generate and judge. The rules that step on the device are written independently in shaders/problem.
#ifndef PROBLEM_PROBLEM_H
#define PROBLEM_PROBLEM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct problem;

// How a file format rounds distances. Planning and limits always use the plain Euclidean distance on the coordinates;
// the format's own metric is reported beside it.
enum metric {
    METRIC_EUCLID, // unrounded; nothing else is reported
    METRIC_EUC_2D, // nearest integer
    METRIC_CEIL_2D,
    METRIC_ATT,
    METRIC_GEO,
};

struct point {
    double x, y;
};

// The label a user gave a node; a solution echoes it.
struct node_id {
    char *text; // NULL: the number below
    int64_t number;
};

// One instance. Customers are 0..n-1 in these arrays and 1..n for the user (TSP: nodes). Columns a problem does not
// have are NULL.
struct instance {
    const struct problem *problem;
    char *name; // NULL: none
    uint32_t n;
    struct point depot; // unless the problem is TSP
    struct point *nodes;
    int64_t *demand; // CVRP, SDVRP: integers; the user's value is demand / demand_scale
    int64_t capacity;
    int64_t demand_scale; // a power of ten
    double *prize;        // OP, PCTSP; SPCTSP: expected
    double *real_prize;   // SPCTSP: revealed on visiting
    double *penalty;      // PCTSP, SPCTSP
    double min_prize;     // PCTSP, SPCTSP
    double max_length;    // OP
    struct node_id *ids;  // NULL: customers are called 1..n
    struct node_id depot_id;
    bool has_depot_id;
    enum metric metric;
    char **warnings; // stb_ds array: legal but odd input
};

void instance_finish(struct instance *instance);

// Routes as lists of customers 1..n (TSP: one closed tour over nodes 1..n). The depot is not written.
struct route {
    uint32_t *stops;  // stb_ds array
    int64_t *amounts; // stb_ds array parallel to stops, in demand units; SDVRP only
};

struct solution {
    struct route *routes; // stb_ds array
};

void solution_finish(struct solution *solution);

// What an independent reading of the rules says of a solution, in double precision and exact integers.
struct verdict {
    bool feasible;
    char violation[256]; // the first one, when infeasible
    double objective;    // user's units; OP: collected prize, larger is better
    double length, prize, penalty;
    bool has_rounded;      // the file format has a metric of its own:
    double rounded;        // the objective in it
    bool rounded_too_long; // OP: the limit is met only unrounded
};

// What `generate` and training draw.
enum prize_kind { PRIZE_CONST, PRIZE_UNIF, PRIZE_DIST };

struct distribution {
    uint32_t n_min, n_max;              // customers
    int64_t capacity_min, capacity_max; // 0, 0: by n, as published
    enum prize_kind prize;              // OP
};

struct problem {
    const char *name;
    bool has_depot;
    bool maximise;
    // Instance number `index` of the endless sequence that (seed, distribution) stands for.
    void (*generate)(struct instance *, const struct distribution *, uint64_t seed, uint32_t index);
    // Checks what the reader found against the problem's own rules; one sentence with the place on failure.
    bool (*check)(struct instance *);
    void (*judge)(const struct instance *, const struct solution *, struct verdict *);
};

extern const struct problem problem_tsp, problem_cvrp, problem_sdvrp, problem_op, problem_pctsp, problem_spctsp;
extern const struct problem *const problems[]; // NULL-ended
const struct problem *problem_by_name(const char *name);

#endif
