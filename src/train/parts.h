// The size ranges of a training (train/sizes.h) with their distributions and splits, and sets of instances that are
// evaluated range by range.
#ifndef TRAIN_PARTS_H
#define TRAIN_PARTS_H

#include "env/draw.h"
#include "learn/replica.h"
#include "train/data.h"

struct part {
    struct draw draws[DRAWS_SIZES];
    uint32_t splits[2]; // micro-batches per batch, without and with glimpses
};

struct parts {
    const struct train_settings *settings;
    struct replica *replica;
    struct arena *arena;
    struct size_range *sizes; // parallel stb_ds arrays
    struct part *list;
    struct train_data *data; // instances instead of drawn ones; NULL: none. The owner of the parts frees it
    uint32_t threads;        // of the host, to improve solutions with
};

// SETTINGS and REPLICA must outlive them.
bool parts_create(
    struct parts **parts, const struct train_settings *settings, struct replica *replica, struct train_data *data);
void parts_destroy(struct parts **parts);

// Finds how each range's batches are split into micro-batches; a resumed training has the values already.
// Returns the size range of a step's batch.
uint32_t parts_range_of_step(const struct parts *parts, uint64_t step);
// Sets the instances FIRST, FIRST + 1, .. of a range's sequence.
bool parts_load_lesson(struct parts *parts, uint32_t part, uint32_t first, struct lesson *lesson, uint32_t B);
bool parts_load_rollout(
    struct parts *parts, uint32_t part, enum train_draws draws, uint32_t first, struct rollout *rollout, uint32_t B);

bool parts_plan(struct parts *parts);
uint32_t parts_split(const struct parts *parts, uint32_t part);            // with the replica's current glimpses
struct lesson_shape parts_shape(const struct parts *parts, uint32_t part); // of a micro-batch

// Computes the best greedy cost over the decoders for COUNT instances of a set from FIRST on, divided among the ranges,
// and the sum for each decoder (M), which may be NULL. `go_on` is called between and within batches; false ends it with
// *ended. The ranks share the instances, and all get all costs.
struct parts_set {
    enum train_draws draws;
    enum player player;
    uint32_t first, count;
    bool (*go_on)(void *user, uint32_t done);
    void *user;
};
bool parts_evaluate(struct parts *parts, const struct parts_set *set, double *best, double *sums, bool *ended);

#endif
