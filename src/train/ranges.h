// The size ranges of a training (train/sizes.h) with their distributions and splits, and sets of instances that are
// evaluated range by range.
#ifndef TRAIN_RANGES_H
#define TRAIN_RANGES_H

#include "env/draw.h"
#include "learn/replica.h"
#include "train/data.h"

// One size range: the draws of its instances, and the division of its batches.
struct range {
    struct draw draws[DRAWS_SIZES];
    uint32_t splits[2]; // micro-batches per batch, without and with glimpses
};

struct ranges {
    const struct train_settings *settings;
    struct replica *replica;
    struct arena *arena;
    struct size_range *sizes; // parallel stb_ds arrays
    struct range *list;
    struct train_data *data; // instances instead of drawn ones; NULL: none. The owner of the ranges frees it
    uint32_t threads;        // of the host, to improve solutions with
};

// SETTINGS and REPLICA must outlive them.
bool ranges_create(
    struct ranges **ranges, const struct train_settings *settings, struct replica *replica, struct train_data *data);
void ranges_destroy(struct ranges **ranges);

// Returns the size range of a step's batch.
uint32_t ranges_of_step(const struct ranges *ranges, uint64_t step);
// Sets the instances FIRST, FIRST + 1, .. of a range's sequence.
bool ranges_load_lesson(struct ranges *ranges, uint32_t range, uint32_t first, struct lesson *lesson, uint32_t B);
bool ranges_load_rollout(
    struct ranges *ranges, uint32_t range, enum train_draws draws, uint32_t first, struct rollout *rollout, uint32_t B);

// Finds how each range's batches are split into micro-batches; a resumed training has the values already.
bool ranges_plan(struct ranges *ranges);
uint32_t ranges_split(const struct ranges *ranges, uint32_t range);            // with the replica's current glimpses
struct lesson_shape ranges_shape(const struct ranges *ranges, uint32_t range); // of a micro-batch

// Computes the best greedy cost over the decoders for COUNT instances of a set from FIRST on, divided among the ranges,
// and the sum for each decoder (M), which may be NULL. `go_on` is called between and within batches; false ends it with
// *ended. The ranks share the instances, and all get all costs.
struct ranges_set {
    enum train_draws draws;
    enum replica_model model;
    uint32_t first, count;
    bool (*go_on)(void *user, uint32_t done);
    void *user;
};
bool ranges_evaluate(struct ranges *ranges, const struct ranges_set *set, double *best, double *sums, bool *ended);

#endif
