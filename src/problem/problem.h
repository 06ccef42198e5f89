// Instances and solutions of the six routing problems, in the user's own units, and what each problem knows about them:
// how to read, generate and judge. The rules that step on the device are written independently in shaders/env.
#ifndef PROBLEM_PROBLEM_H
#define PROBLEM_PROBLEM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct problem;
struct text;

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

// Where a reader's file keeps a node's values, so that a complaint can name the place.
enum layout {
    LAYOUT_COLUMNS, // JSON: /demand/17
    LAYOUT_OBJECTS, // JSON: /nodes/17/demand
    LAYOUT_NAMES,   // other formats: demand of node 18 (its label)
};

#define EXTRA_COLUMNS 4

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
    double demand_scale;          // a power of ten, 1 for whole numbers; of rounded demands capacity / capacity_given
    double *demand_given;         // NULL unless the demands are rounded: the user's own,
    double capacity_given;        // and capacity
    double *prize;                // OP, PCTSP; SPCTSP: expected
    double *real_prize;           // SPCTSP: revealed on visiting
    double *penalty;              // PCTSP, SPCTSP
    double min_prize;             // PCTSP, SPCTSP
    double max_length;            // OP
    double *extra[EXTRA_COLUMNS]; // columns that have no member of their own
    double extra_scalar[EXTRA_COLUMNS];
    struct node_id *ids; // NULL: customers are called 1..n
    struct node_id depot_id;
    bool has_depot_id;
    enum metric metric;
    enum layout layout;
    char **warnings; // stb_ds array: legal but odd input
};

// An empty instance of the problem with its columns allocated.
void instance_init(struct instance *instance, const struct problem *problem, uint32_t n);
void instance_finish(struct instance *instance);

// Every reader's last step: refuses what no solution could be judged for, with one sentence and the place, and notes
// warnings about legal but odd values. Calls the problem's own check.
bool instance_check(struct instance *instance);

void instance_warn(struct instance *instance, const char *format, ...) __attribute__((format(printf, 2, 3)));

// "<place of this value>: <sentence>"; COLUMN is a JSON key, I a customer 0..n-1, or INSTANCE_WIDE for a scalar.
#define INSTANCE_WIDE UINT32_MAX
bool instance_fail(const struct instance *instance, const char *column, uint32_t i, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

// What the user calls customer I (0..n-1), in the caller's buffer; a long name is cut, with two dots.
#define LABEL_SIZE 64
const char *instance_label(const struct instance *instance, uint32_t i, char label[LABEL_SIZE]);

// The largest magnitude of a coordinate, prize, penalty or limit that is read, and of a demand or capacity once it is
// a whole number: sums stay finite and whole numbers exact in double precision.
#define VALUE_MAX  1e100
#define DEMAND_MAX 1000000000000000

#define INSTANCE_NODES_MAX (1 << 20) // more than any device here could plan for; bounds the memory a file can ask for

// Stores demands and capacity as whole numbers: as they are, times the smallest power of ten that makes all of them
// exact, or rounded to the nearest 1 / DEMAND_LEVELS of the capacity. N values.
#define DEMAND_LEVELS 1e9
bool instance_set_demands(struct instance *instance, const double *demand, double capacity);

// As given, in the user's units.
double instance_demand(const struct instance *instance, uint32_t i);
double instance_capacity(const struct instance *instance);

// Routes as lists of customers 1..n (TSP: one closed tour over nodes 1..n). The depot is not written.
struct route {
    uint32_t *stops;  // stb_ds array
    int64_t *amounts; // stb_ds array parallel to stops, in demand units; SDVRP only; NULL: as much as possible
};

struct solution {
    struct route *routes; // stb_ds array
    bool missing;         // in a list that has none for this instance
    bool has_claim;       // the file says what the objective is:
    double claim;
};

void solution_finish(struct solution *solution);

static inline bool instance_has_stop(const struct instance *instance, uint32_t stop)
{
    return stop >= 1 && stop <= instance->n;
}

// SDVRP: fills in the amounts of a solution without any: each stop is given what it still needs, as far as the load
// goes. Where that leaves a customer short, loads are moved between the routes so that everybody is served, if that is
// possible.
void solution_deliver(const struct instance *instance, struct solution *solution);

// SDVRP: the amounts of all stops, route after route, in the user's units (an stb_ds array). Those of a customer add up
// to its demand as given.
double *solution_amounts(const struct instance *instance, const struct solution *solution);

// The inverse, for a solution without amounts; refuses what is no multiple of the unit of exact demands, naming
// /route/stop.
bool solution_set_amounts(const struct instance *instance, struct solution *solution, const double *amounts);

// What an independent reading of the rules says of a solution, in double precision and exact integers.
struct verdict {
    bool feasible;
    char violation[256]; // the first one, when infeasible
    double objective;    // user's units; OP: collected prize, larger is better; NaN when a stop does not exist
    double length, prize, penalty;
    bool has_rounded;      // the file format has a metric of its own:
    double rounded;        // the objective in it
    double rounded_length; // and the length
    bool rounded_too_long; // OP: the limit is met only unrounded
    size_t
        rounded_route; // the first (from 1) whose load differs from the capacity by no more than rounding may; 0: none
    bool false_claim;  // verdict_compare: the file says that the objective is another one:
    double claim;
};

// A sentence about rounded_route.
void verdict_rounded_warning(struct text *text, const struct verdict *verdict);

// Notes whether the solution's file claims another objective, by more than is lost in a few digits. It may also be that
// of the file format's metric.
void verdict_compare(struct verdict *verdict, const struct solution *solution);

// What `generate` and training draw.
enum prize_kind { PRIZE_CONST, PRIZE_UNIF, PRIZE_DIST, PRIZE_MIXED }; // mixed: one of the others for each instance
const char *prize_kind_name(enum prize_kind kind);
bool prize_kind_by_name(const char *name, enum prize_kind *kind);

// How customers lie in the square (generate.h).
enum node_layout {
    NODES_UNIFORM,
    NODES_CLUSTER, // around a few of them
    NODES_MIXED,   // an instance is uniform, clustered, or half of each
};
const char *node_layout_name(enum node_layout layout);
bool node_layout_by_name(const char *name, enum node_layout *layout);

struct distribution {
    uint32_t n_min, n_max;              // customers
    int64_t capacity_min, capacity_max; // 0, 0: by n, as published
    enum prize_kind prize;              // OP
    enum node_layout layout;
    double length_min, length_max; // OP: length limits; 0, 0: by n, as published
};

// How a value goes from the user's units to those of the network.
enum unit {
    UNIT_NONE,   // as it is
    UNIT_LENGTH, // scaled as the coordinates are
    UNIT_PRIZE,  // divided by the least prize, or by the largest
    UNIT_LOAD,   // whole numbers; the network sees their share of the capacity. One column and one scalar at most
};

// What an instance has besides coordinates: a value for each customer, or one for all, then called a scalar. Values are
// not negative.
struct column {
    const char *key;   // in files
    const char *label; // for people; NULL: the key
    enum unit unit;
    bool per_node;
    bool optional;
    double fallback;  // of an optional scalar,
    const char *like; // or the column whose values an optional one has
    bool feature;     // the network sees it
    size_t at;        // member of struct instance: double or int64_t (loads), or a pointer to them
    size_t scaled_at; // member of struct scaled: float or uint32_t (loads), or a pointer to them
    // On the device a column is a word of every node, NODE_..., and scalars are the instance's limits in their order.
    uint32_t word;
    uint32_t copy; // 0, or another word: for loads their share of the capacity, else the same value
    unsigned draw; // DRAW_HAS_... for the kernel that draws instances
};

// What a solution has of each, for objectives and constraints.
enum quantity {
    QUANTITY_LENGTH = 1,
    QUANTITY_PRIZE = 2,
    QUANTITY_PENALTY = 4,
    QUANTITY_LOAD = 8,
};

struct constraint {
    enum quantity quantity;
    const char *limit; // key of the scalar that bounds it; NULL ends a list
    bool at_least;     // else at most
    bool per_route;    // else of the whole solution
};

// What the engine knows of a problem. Its rules on the device are in shaders/env; src/env/env.h joins the two.
struct problem {
    const char *name;
    const char *released; // what the released PyTorch programs call it; NULL: nothing
    bool has_depot;
    bool many_routes; // else one tour, that ends with the first return
    bool splits;      // a customer may be served in several visits
    bool reveals;     // a visit brings something else than is expected of it
    bool prize_kinds; // instances are drawn with one of enum prize_kind
    bool maximise;
    unsigned objective;               // enum quantity, added
    const struct column *columns;     // ended by one without a key; NULL: none
    struct constraint constraints[3]; // ended by one without a limit
    uint32_t min_capacity;            // that generated instances can do with
    // Instance number `index` of the endless sequence that (seed, distribution) stands for.
    void (*generate)(struct instance *, const struct distribution *, uint64_t seed, uint32_t index);
    // What instance_check cannot know; called by it.
    bool (*check)(struct instance *);
    void (*judge)(const struct instance *, const struct solution *, struct verdict *);
};

#define FOR_COLUMNS(column, problem)                                                                                   \
    for (const struct column *column = (problem)->columns; column && column->key; column++)
const struct column *problem_column(const struct problem *problem, const char *key); // NULL: there is none
bool problem_may_leave_out(const struct problem *problem);                           // not every customer is visited

// A value in the user's units, I as for instance_fail; and the column's own memory, of values that are no loads.
double instance_value(const struct instance *instance, const struct column *column, uint32_t i);
double *instance_values(const struct instance *instance, const struct column *column);

extern const struct problem problem_tsp, problem_cvrp, problem_sdvrp, problem_op, problem_pctsp, problem_spctsp;
#define PROBLEMS_MAX 32
extern const struct problem *problems[PROBLEMS_MAX + 1];  // NULL-ended
void problem_register(const struct problem *problem);     // adds one; called by env_register()
const struct problem *problem_by_name(const char *name);  // NULL: there is none
const struct problem *problem_expected(const char *name); // the same with a sentence that lists those there are

#endif
