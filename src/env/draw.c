#include "env/draw.h"

#include <stdlib.h>
#include <string.h>

#include "env/env.h"
#include "problem/generate.h"
#include "shaders/args.h"
#include "util/alloc.h"

// The shader's names of definitions in problem.h.
static_assert(
    DRAW_PRIZE_CONST == (int)PRIZE_CONST && DRAW_PRIZE_DIST == (int)PRIZE_DIST && DRAW_PRIZE_MIXED == (int)PRIZE_MIXED,
    "prizes");
static_assert(
    DRAW_UNIFORM == (int)NODES_UNIFORM && DRAW_CLUSTERED == (int)NODES_CLUSTER && DRAW_MIXED == (int)NODES_MIXED,
    "layouts");

void draw_layout(struct draw *draw, struct arena *arena, const struct distribution *distribution, uint64_t seed)
{
    draw->distribution = *distribution;
    draw->seed = seed;
    draw->start = tensor_allocate(arena, 1, 1);
    draw->table = tensor_allocate(arena, 2, distribution->n_max - distribution->n_min + 1, DRAW_TABLE);
    if (distribution->layout != NODES_UNIFORM)
        draw->around = tensor_allocate(arena, 1, DRAW_RADII + 2 * DRAW_DIRECTIONS);
}

static bool upload_around(struct gpu *gpu, const struct draw *draw)
{
    float around[DRAW_RADII + 2 * DRAW_DIRECTIONS];
    for (uint32_t i = 0; i < DRAW_RADII; i++)
        around[i] = generate_radius(i);
    for (uint32_t i = 0; i < DRAW_DIRECTIONS; i++) {
        struct point direction = generate_direction(i);
        around[DRAW_RADII + 2 * i] = (float)direction.x;
        around[DRAW_RADII + 2 * i + 1] = (float)direction.y;
    }
    return tensor_upload(gpu, draw->around, around);
}

bool draw_upload(struct gpu *gpu, const struct draw *draw)
{
    uint32_t rows = draw->table.dim[0], *table = xcalloc(rows, DRAW_TABLE * sizeof *table);
    for (uint32_t i = 0; i < rows; i++) {
        uint32_t n = draw->distribution.n_min + i;
        float limits[3] = { (float)generate_length(n), (float)generate_penalty(n), (float)generate_prize(n) };
        table[i * DRAW_TABLE] = (uint32_t)generate_capacity(n);
        memcpy(&table[i * DRAW_TABLE + 1], limits, sizeof limits);
    }
    bool ok = tensor_upload(gpu, draw->table, table);
    free(table);
    return ok && (draw->distribution.layout == NODES_UNIFORM || upload_around(gpu, draw));
}

bool draw_start(struct gpu *gpu, const struct draw *draw, uint32_t first)
{
    return tensor_upload(gpu, draw->start, &first);
}

void draw_batch(struct cmd *c, const struct batch *batch, const struct draw *draw)
{
    const struct distribution *d = &draw->distribution;
    uint32_t columns = 0;
    FOR_COLUMNS(column, batch->problem)
    columns |= column->draw;
    struct draw_args args = {
        .nodes = batch->nodes.address,
        .limits = batch->limits.address,
        .start = draw->start.address,
        .table = draw->table.address,
        .around = draw->around.address,
        .seed = draw->seed,
        .B = batch->B,
        .N = batch->N,
        .n_min = d->n_min,
        .n_max = d->n_max,
        .capacity_min = (uint32_t)d->capacity_min,
        .capacity_max = (uint32_t)d->capacity_max,
        .prize = d->prize,
        .columns = columns,
        .depot = batch->problem->has_depot,
        .layout_ = d->layout,
        .length_min = (float)d->length_min,
        .length_range = d->length_max > 0 ? (float)d->length_max - (float)d->length_min : -1,
    };
    cmd_dispatch(c, &(struct dispatch){ .kernel = env_of(batch->problem)->draw, .args = &args, .workers = batch->B });
}
