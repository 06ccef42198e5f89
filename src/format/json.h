// Instances and solutions as JSON.
//
//   {"problem": "cvrp", "name": "north", "depot": [0.5, 0.5], "nodes": [[0.1, 0.2], [0.9, 0.4]],
//    "demand": [3, 5], "capacity": 30, "ids": ["a", 7], "depot_id": "hub"}
//
// with prize and max_length (op), prize, penalty and min_prize (pctsp, spctsp), real_prize (spctsp) instead of demand
// and capacity. Nodes may also be objects {"id": "a", "x": 0.1, "y": 0.2, "demand": 3}. Unknown keys are refused. A
// solution is {"routes": [["a"], [7]]}, with "deliveries" parallel to it if deliveries are split.
#ifndef FORMAT_JSON_H
#define FORMAT_JSON_H

#include "problem/problem.h"
#include "util/text.h"

struct json_t;

// Appends the instances of a text to the stb_ds array: one object, {"instances": [..]}, or JSON Lines of either; at
// most MAX_COUNT instances. On failure the array has the instances before it, and the message begins with the location.
bool instances_from_json(const char *data, size_t size, size_t max_count, struct instance **instances);

// The same for one solution per instance, our own format or only {"routes": [..]}, into an empty stb_ds array. If the
// solutions have the number of their instance in the list ("instance", from 1), some may be absent.
bool solutions_from_json(
    const char *data, size_t size, const struct instance *instances, size_t count, struct solution **solutions);

// Writes one line.
void instance_to_json(struct text *text, const struct instance *instance);

// How a solution was found, for its report. NULL and numbers that do not apply (0) are omitted.
struct solution_origin {
    size_t instance;    // its number in the list, from 1
    const char *decode; // "greedy", "sample", "beam"
    uint32_t decoder;   // written with `decode`, unless no decoder found the start: `undecoded`
    bool undecoded;
    uint32_t beam, samples, augment;
    const char *improve, *origin; // "local" or "full", and the start of the improvement
    double constructed;           // its objective; both are written with `improve`
    const char *model, *device;
    double seconds; // written with `device`
    bool has_hindsight, hindsight;
    const char *const *warnings; // `warning_count` of them, after the instance's own
    size_t warning_count;
};

// Writes one line. ORIGIN may be NULL.
void solution_to_json(struct text *text, const struct instance *instance, const struct solution *solution,
    const struct verdict *verdict, const struct solution_origin *origin);

// Writes the output of `validate`, one line.
void verdict_to_json(struct text *text, const struct verdict *verdict);

#endif
