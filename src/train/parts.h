// The sizes of a training in parts (train/sizes.h): what each is drawn from and how its batches are split, and sets of
// instances that are evaluated part by part.
#ifndef TRAIN_PARTS_H
#define TRAIN_PARTS_H

#include "env/draw.h"
#include "learn/replica.h"
#include "train/sizes.h"

struct part {
    struct draw draws[DRAWS_SIZES];
    uint32_t splits[2]; // micro-batches of a batch, without and with glimpses
};

struct parts {
    const struct train_settings *settings;
    struct replica *replica;
    struct arena *arena;
    struct size_part *sizes; // stb_ds arrays, alike
    struct part *list;
    uint32_t threads; // of the host, to improve solutions with
};

// SETTINGS and REPLICA outlive them.
bool parts_create(struct parts **parts, const struct train_settings *settings, struct replica *replica);
void parts_destroy(struct parts **parts);

// Into how many micro-batches each part's batches are split; a fresh training finds out, a resumed one knows.
bool parts_plan(struct parts *parts);
uint32_t parts_split(const struct parts *parts, uint32_t part);            // with the replica's glimpses, or without
struct lesson_shape parts_shape(const struct parts *parts, uint32_t part); // of a micro-batch

// The best greedy cost over the decoders for COUNT instances of a set from number FIRST on, divided among the parts,
// and the sum of each decoder's (M), which may be NULL. `go_on` is asked between batches and within
// them; false ends it with *ended.
struct parts_set {
    enum train_draws draws;
    enum player player;
    uint32_t first, count;
    bool (*go_on)(void *user, uint32_t done);
    void *user;
};
bool parts_evaluate(struct parts *parts, const struct parts_set *set, double *best, double *sums, bool *ended);

#endif
