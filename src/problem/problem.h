// Instances and solutions of the routing problems in the user's units, and the table of each problem: how to read,
// generate and judge. The rules on the device are written independently, in shaders/env.
#ifndef PROBLEM_PROBLEM_H
#define PROBLEM_PROBLEM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct problem;
struct text;

// How a file format rounds distances. The engine and all limits use Euclidean distances; the format's metric is
// reported in addition.
enum metric {
    METRIC_EUCLID, // unrounded; no other metric is reported
    METRIC_EUC_2D, // nearest integer
    METRIC_CEIL_2D,
    METRIC_ATT,
    METRIC_GEO,
};

struct point {
    double x, y;
};

// Kinds of coordinates.
enum coordinates {
    COORDINATES_PLANE,
    COORDINATES_LONLAT, // longitude and latitude in degrees; lengths are kilometres along great circles
    COORDINATES_NONE,   // only distances are known
};

// The id that the user gave a node; solutions repeat it.
struct node_id {
    char *text; // NULL: the number below
    int64_t number;
};

// How a file stores the values of nodes, for messages that name a location.
enum layout {
    LAYOUT_COLUMNS, // JSON: /demand/17
    LAYOUT_OBJECTS, // JSON: /nodes/17/demand
    LAYOUT_NAMES,   // other formats: demand of node 18 (its id)
};

#define EXTRA_COLUMNS 4

// One instance. Arrays have customers 0..n-1; users count 1..n (TSP: nodes). Columns that the problem does not have are
// NULL.
struct instance {
    const struct problem *problem;
    char *name; // NULL: none
    uint32_t n;
    struct point depot; // all problems but TSP
    struct point *nodes;
    int64_t *demand; // CVRP, SDVRP: integers; the user's value is demand / demand_scale
    int64_t capacity;
    double demand_scale;          // a power of ten, 1 for whole numbers; for rounded demands capacity / capacity_given
    double *demand_given;         // NULL unless demands are rounded: the user's values,
    double capacity_given;        // and capacity
    double *prize;                // OP, PCTSP; SPCTSP: expected
    double *real_prize;           // SPCTSP: revealed on visiting
    double *penalty;              // PCTSP, SPCTSP
    double min_prize;             // PCTSP, SPCTSP
    double max_length;            // OP
    double *extra[EXTRA_COLUMNS]; // columns without a member of their own
    double extra_scalar[EXTRA_COLUMNS];
    struct node_id *ids; // NULL: ids are 1..n
    struct node_id depot_id;
    bool has_depot_id;
    enum metric metric;
    enum layout layout;
    char **warnings; // stb_ds array: valid but unusual input
    enum coordinates coordinates;
    double *distances;   // (N, N), rows from, the depot first: the lengths of all legs; NULL: by the coordinates
    struct point *plane; // (N), the depot first: where the network and pictures see nodes whose coordinates are no
                         // plane; instance_check sets it. NULL: at their coordinates
    bool open;           // routes end at their last stop
    double vehicles;     // CVRP, SDVRP: max routes; 0: no limit
    double start, end;   // TSP: the first and the last node, 1..n; 0: any
};

// Makes an empty instance of the problem with its columns allocated.
void instance_init(struct instance *instance, const struct problem *problem, uint32_t n);
void instance_finish(struct instance *instance);

// Every reader's last step: refuses instances that no solution could be judged for, with one message that names the
// location, and adds warnings about valid but unusual values. Calls the problem's own check.
bool instance_check(struct instance *instance);

void instance_warn(struct instance *instance, const char *format, ...) __attribute__((format(printf, 2, 3)));

// Records "<location of this value>: <sentence>". COLUMN is a JSON key, I a customer 0..n-1, or INSTANCE_WIDE for a
// scalar.
#define INSTANCE_WIDE UINT32_MAX
bool instance_fail(const struct instance *instance, const char *column, uint32_t i, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

// Writes the id of customer I (0..n-1) into the caller's buffer; a long id is truncated, with two dots.
#define LABEL_SIZE 64
const char *instance_label(const struct instance *instance, uint32_t i, char label[LABEL_SIZE]);

// The largest magnitude of coordinates, prizes, penalties and limits, and of integer demands and capacities: sums stay
// finite, and integers exact in double precision.
#define VALUE_MAX  1e100
#define DEMAND_MAX 1000000000000000

#define INSTANCE_NODES_MAX     (1 << 20) // limits the memory that a file can request; no device here could plan for more
#define INSTANCE_DISTANCES_MAX 2000      // customers of an instance with a matrix of distances

// Stores demands and capacity (N values) as integers: unchanged, times the smallest power of ten that makes all of them
// exact, or rounded to the nearest 1 / DEMAND_LEVELS of the capacity.
#define DEMAND_LEVELS 1e9
bool instance_set_demands(struct instance *instance, const double *demand, double capacity);

// Returns the units by which a load may exceed the capacity where demands are split and rounded, as each of them may be
// half a unit too large: customers, up to the tolerance of other limits. Else 0.
int64_t instance_load_rounding(const struct instance *instance);

// Refuses a number of vehicles that cannot carry all demands, even where these are split.
bool instance_check_vehicles(const struct instance *instance);

// Returns the value as given, in the user's units.
double instance_demand(const struct instance *instance, uint32_t i);
double instance_capacity(const struct instance *instance);

// Routes are lists of customers 1..n, without the depot (TSP: one closed tour over nodes 1..n).
struct route {
    uint32_t *stops;  // stb_ds array
    int64_t *amounts; // stb_ds array parallel to stops, in demand units; SDVRP only; NULL: as much as possible
};

struct solution {
    struct route *routes; // stb_ds array
    bool missing;         // a list of solutions has none for this instance
    bool has_claim;       // the file states an objective:
    double claim;
};

void solution_finish(struct solution *solution);

static inline bool instance_has_stop(const struct instance *instance, uint32_t stop)
{
    return stop >= 1 && stop <= instance->n;
}

// SDVRP: computes the amounts of a solution without any: each stop gets its customer's open demand, as far as the load
// allows. If a customer then lacks something, moves loads between routes until every customer is served, if that is
// possible.
void solution_deliver(const struct instance *instance, struct solution *solution);

// SDVRP, for feasible solutions: joins consecutive stops at one customer. Where demands are rounded, drops stops whose
// delivery is at most the rounding of loads, if another stop of the customer can make up for it.
void solution_simplify(const struct instance *instance, struct solution *solution);

// SDVRP: returns the amounts of all stops, route after route, in the user's units (an stb_ds array). The amounts of a
// customer add up to its demand as given.
double *solution_amounts(const struct instance *instance, const struct solution *solution);

// The inverse, for a solution without amounts. Refuses amounts that are not multiples of the unit of exact demands, and
// names /route/stop.
bool solution_set_amounts(const struct instance *instance, struct solution *solution, const double *amounts);

// The judge's result for a solution, in double precision and exact integers.
struct verdict {
    bool feasible;
    char violation[256]; // the first one, if infeasible
    double objective;    // user's units; OP: collected prize, to be maximised; NaN if a stop does not exist
    double length, prize, penalty;
    bool has_rounded;      // the file format has its own metric:
    double rounded;        // the objective in that metric
    double rounded_length; // the length in that metric
    bool rounded_too_long; // OP: the limit is met only unrounded
    size_t rounded_route;  // first route (from 1) whose load equals the capacity up to rounding; 0: none
    bool false_claim;      // verdict_compare: the file states a different objective:
    double claim;
};

// Adds a sentence about rounded_route.
void verdict_rounded_warning(struct text *text, const struct verdict *verdict);

// Notes whether the solution's file states an objective that differs by more than the rounding of a few digits. The
// objective in the file format's metric is also accepted.
void verdict_compare(struct verdict *verdict, const struct solution *solution);

// The distributions of `generate` and training.
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
    int64_t capacity_min, capacity_max; // 0, 0: depends on n, as published
    enum prize_kind prize;              // OP
    enum node_layout layout;
    double length_min, length_max; // OP: length limits; 0, 0: by n, as published
};

// How a value is scaled from the user's units to the network's.
enum unit {
    UNIT_NONE,   // not scaled
    UNIT_LENGTH, // scaled like the coordinates
    UNIT_PRIZE,  // divided by the min prize, or by the largest
    UNIT_LOAD,   // integers; the network sees them divided by the capacity. At most one column and one scalar
    UNIT_COUNT,  // an optional whole number from 1 up; 0: not given
    UNIT_NODE,   // an optional node, 1..n, by its id where nodes have ids; 0: not given
};

// Data of an instance in addition to coordinates: one value per customer, or a scalar for the whole instance. Values
// are not negative.
struct column {
    const char *key;   // in files
    const char *label; // for users; NULL: the key
    enum unit unit;
    bool per_node;
    bool optional;
    double fallback;  // default of an optional scalar,
    const char *like; // or the column that supplies the values of an absent one
    bool feature;     // an input of the network
    size_t at;        // offset in struct instance: double or int64_t (loads), or a pointer to them
    size_t scaled_at; // offset in struct scaled: float or uint32_t (loads), or a pointer to them
    // On the device a column is a word of every node (NODE_...); scalars are the instance's limits, in their order.
    uint32_t word;
    uint32_t copy; // 0, or a second word: loads divided by the capacity, other values unchanged
    unsigned draw; // DRAW_HAS_... for the kernel that draws instances
};

// Quantities of a solution, for objectives and constraints.
enum quantity {
    QUANTITY_LENGTH = 1,
    QUANTITY_PRIZE = 2,
    QUANTITY_PENALTY = 4,
    QUANTITY_LOAD = 8,
};

struct constraint {
    enum quantity quantity;
    const char *limit; // key of the scalar that bounds it; NULL ends a list
    bool at_least;     // min, else max
    bool per_route;    // for each route, else for the whole solution
};

// A word of a trajectory's state on the device that only some problems have. shaders/args/env.h lists those of each
// problem (TSP_STATE, ...), for its table and for its rules.
struct state_word {
    const char *name;
    bool real; // a float; else an unsigned integer
};
#define STATE_UINT(name)   { #name, false },
#define STATE_FLOAT(name)  { #name, true },
#define STATE_WORDS(words) ((const struct state_word[]){ words(STATE_UINT, STATE_FLOAT){ 0 } })

extern const struct column load_columns[]; // demand, capacity and vehicles, for problems with loads

// The table of a problem. Its rules on the device are in shaders/env; src/env/env.h connects the two.
struct problem {
    const char *name;
    const char *released; // name in the released PyTorch programs; NULL: not there
    bool has_depot;
    bool many_routes; // else one tour, which ends with the first return
    bool splits;      // a customer may be served by several visits
    bool reveals;     // a visit collects another value than expected
    bool prize_kinds; // instances have one of enum prize_kind
    bool maximise;
    unsigned objective;               // enum quantity, added up
    const struct column *columns;     // ends with an entry without a key; NULL: none
    struct constraint constraints[3]; // ends with an entry without a limit
    const struct state_word *state;   // STATE_WORDS: ends with an entry without a name
    const char *context;   // the state's scalar in the decoder's context, beside the current node; NULL: none,
                           // the context is the first and the current node
    uint32_t min_capacity; // for generated instances
    // Generates instance `index` of the endless sequence of (seed, distribution).
    void (*generate)(struct instance *, const struct distribution *, uint64_t seed, uint32_t index);
    // Checks that only this problem needs; instance_check calls it.
    bool (*check)(struct instance *);
    void (*judge)(const struct instance *, const struct solution *, struct verdict *);
};

#define FOR_COLUMNS(column, problem)                                                                                   \
    for (const struct column *column = (problem)->columns; column && column->key; column++)
const struct column *problem_column(
    const struct problem *problem, const char *key);       // NULL: not a column of the problem
bool problem_may_leave_out(const struct problem *problem); // customers may stay unvisited
uint32_t problem_state_words(const struct problem *problem);

// A value in the user's units, I as for instance_fail; and the memory of a column whose values are not loads.
double instance_value(const struct instance *instance, const struct column *column, uint32_t i);
double *instance_values(const struct instance *instance, const struct column *column);

extern const struct problem problem_tsp, problem_cvrp, problem_sdvrp, problem_op, problem_pctsp, problem_spctsp;
#define PROBLEMS_MAX 32
extern const struct problem *problems[PROBLEMS_MAX + 1];  // NULL-ended
void problem_register(const struct problem *problem);     // called by env_register()
const struct problem *problem_by_name(const char *name);  // NULL: unknown
const struct problem *problem_expected(const char *name); // the same, but records a message that lists the problems

#endif
