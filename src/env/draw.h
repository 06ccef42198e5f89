// Draws random instances on the device: the same numbers as problem->generate() (problem/generate.h).
#ifndef ENV_DRAW_H
#define ENV_DRAW_H

#include "env/rules.h"

struct draw {
    struct distribution distribution;
    uint64_t seed;
    struct tensor start;  // (1) uint: index of the batch's first instance
    struct tensor table;  // (n_max - n_min + 1, DRAW_TABLE): values that depend on n
    struct tensor around; // (DRAW_RADII + 2 DRAW_DIRECTIONS): around a cluster seed; unless the layout is uniform
};

void draw_layout(struct draw *draw, struct arena *arena, const struct distribution *distribution, uint64_t seed);
bool draw_upload(struct gpu *gpu, const struct draw *draw); // the table
bool draw_start(struct gpu *gpu, const struct draw *draw, uint32_t first);
// Fills the batch with instances first, first + 1, ...
void draw_batch(struct cmd *c, const struct batch *batch, const struct draw *draw);

#endif
