// Normalisation. One kernel computes, applies and differentiates the statistics of a segment, with its rows in
// registers if they fit. Statistics of a group of segments need three: sums of segments, sums of groups, and rows.
#include "norm.spv.h"
#include "norm_back.spv.h"
#include "norm_fold.spv.h"
#include "norm_group.spv.h"
#include "norm_layer.spv.h"
#include "norm_layer_back.spv.h"
#include "norm_track.spv.h"

#include "nn/forms.h"
#include "nn/rows.h"
#include "shaders/args.h"
#include "util/divide.h"
#include "util/error.h"

static const struct kernel norm_kernel = KERNEL(norm), norm_back = KERNEL(norm_back), norm_fold = KERNEL(norm_fold),
                           norm_group = KERNEL(norm_group), norm_layer = KERNEL(norm_layer),
                           norm_layer_back = KERNEL(norm_layer_back), norm_track = KERNEL(norm_track);

enum { PARTS = 256 }; // max partial sums of dgain and dbias; a constant, so that their order is fixed

static uint32_t groups(const struct norm *norm)
{
    return norm->mode == NORM_BATCH ? norm->G : 1;
}

// Returns the segments that share statistics, or have the same entry without an index.
static uint32_t per_group(const struct norm *norm)
{
    return norm->seg.S / groups(norm);
}

static uint32_t layer_tasks(const struct norm *norm)
{
    return norm->seg.S * ((norm->seg.N + NORM_LAYER_ROWS - 1) / NORM_LAYER_ROWS);
}

// Division of a group's segments (or of a layer norm's tasks) for partial sums.
struct blocks {
    uint32_t segments; // segments per block
    uint32_t count;    // blocks per group
};
static struct blocks make_blocks(const struct norm *norm)
{
    uint32_t items = norm->mode == NORM_LAYER ? layer_tasks(norm) : per_group(norm), G = groups(norm);
    uint32_t max_blocks = G < PARTS ? PARTS / G : 1, segments = (uint32_t)divide_up(items, max_blocks);
    return (struct blocks){ segments, segments ? (uint32_t)divide_up(items, segments) : 0 };
}

// Returns the floats of the partial sums, at the start of scratch.
static uint64_t parts_count(const struct norm *norm, uint32_t D)
{
    return (uint64_t)groups(norm) * make_blocks(norm).count * 2 * D;
}

uint64_t nn_norm_scratch(const struct norm *norm, uint32_t D)
{
    uint64_t own = (uint64_t)norm->seg.S * 2 * D, parts = parts_count(norm, D);
    if (norm->mode == NORM_BATCH) {
        uint64_t back = parts + (uint64_t)norm->G * 3 * D;
        return own > back ? own : back;
    }
    return norm->mode == NORM_GIVEN ? parts + own : parts;
}

static void expect(const char *operation, const struct norm *norm, const struct tensor *x)
{
    uint32_t D = tensor_cols(x), S = norm->seg.S, entries = norm->stats.dim[0];
    rows_expect(operation, &norm->seg, x);
    if (norm->mode == NORM_BATCH && (!norm->G || S % norm->G))
        bug("%s: %u segments in %u groups", operation, S, norm->G);
    if (norm->mode == NORM_LAYER)
        tensor_expect(operation, "stats", &norm->stats, 2, (uint32_t)tensor_rows(x), 2);
    else
        tensor_expect(operation, "stats", &norm->stats, 3,
            norm->mode == NORM_GIVEN ? entries : (norm->mode == NORM_BATCH ? norm->G : S), 2, D);
    if (norm->index.address)
        tensor_expect(operation, "index", &norm->index, 1, S);
    if (tensor_count(&norm->scratch) < nn_norm_scratch(norm, D))
        bug("%s: scratch has %llu floats, needs %llu", operation, (unsigned long long)tensor_count(&norm->scratch),
            (unsigned long long)nn_norm_scratch(norm, D));
}

static void expect_same(const char *operation, const char *what, const struct tensor *tensor, const struct tensor *x)
{
    if (tensor->address)
        tensor_expect(operation, what, tensor, x->rank, x->dim[0], x->dim[1], x->dim[2], x->dim[3]);
}

// Sets how many rows a lane holds in registers. A longer segment is read in pieces of that size, wherever it ends: sums
// over its rows must not depend on the length of others. With given statistics no row is read twice, so pieces are
// short and a short segment costs little beside a long one. If the rows on the device decide, the number is rounded so
// that few pipelines serve all sizes.
static void row_constants(
    const struct cmd *c, const struct segments *seg, enum form_operation operation, uint32_t *constants)
{
    uint32_t max_rows = form_constant(form_choose(gpu_info(cmd_gpu(c)), operation, NULL), ROWS_KEPT);
    uint32_t N = seg->N ? seg->N : 1, rows = N < max_rows ? N : max_rows;
    constants[ROWS_KEPT] = seg->rows ? (rows + 3) / 4 * 4 : rows;
    constants[ROWS_FIXED] = seg->rows || N > max_rows ? 0 : N;
    constants[ROWS_WHOLE] = N <= max_rows;
}

static void layer(struct cmd *c, const struct norm_args *from, const struct norm *norm, uint32_t D, double bytes)
{
    struct norm_layer_args args = { .y = from->y,
        .hat = from->hat,
        .stats = from->stats,
        .x = from->x,
        .residual = from->residual,
        .gain = from->gain,
        .bias = from->bias,
        .first = from->first,
        .rows = from->rows,
        .S = from->S,
        .N = from->N };
    cmd_dispatch(c, &(struct dispatch){ .kernel = &norm_layer,
                        .args = &args,
                        .workers = layer_tasks(norm),
                        .constants = { [ROWS_D] = D,
                            [ROWS_SPREAD] = 1,
                            [NORM_LAYER_RESIDUAL] = args.residual != 0,
                            [NORM_LAYER_SAVE] = args.hat != 0 },
                        .bytes = bytes });
}

void nn_norm(struct cmd *c, struct tensor y, struct tensor hat, const struct norm *norm, struct tensor x,
    struct tensor residual, struct tensor gain, struct tensor bias)
{
    const struct segments *seg = &norm->seg;
    uint32_t D = tensor_cols(&x), spread = rows_spread(c, D), G = groups(norm);
    expect("norm", norm, &x);
    expect_same("norm", "y", &y, &x);
    expect_same("norm", "hat", &hat, &x);
    expect_same("norm", "residual", &residual, &x);
    tensor_expect("norm", "gain", &gain, 1, D);
    tensor_expect("norm", "bias", &bias, 1, D);
    struct norm_args args = { .y = y.address,
        .hat = hat.address,
        .stats = norm->stats.address,
        .x = x.address,
        .residual = residual.address,
        .gain = gain.address,
        .bias = bias.address,
        .first = seg->first,
        .rows = seg->rows,
        .index = norm->mode == NORM_GIVEN ? norm->index.address : 0,
        .S = seg->S,
        .N = seg->N,
        .per = per_group(norm) };
    double floats = rows_floats(seg, &x), read = (residual.address ? 8.0 : 4.0) * floats;
    double bytes = read + (hat.address ? 8.0 : 4.0) * floats;
    if (norm->mode == NORM_LAYER) {
        layer(c, &args, norm, D, bytes);
        return;
    }
    struct dispatch rows = { .kernel = &norm_kernel,
        .args = &args,
        .workers = (uint64_t)seg->S * spread,
        .constants = { [ROWS_D] = D,
            [ROWS_SPREAD] = spread,
            [NORM_MODE] = NORM_OWN,
            [NORM_RESIDUAL] = residual.address != 0,
            [NORM_SAVE] = hat.address != 0 },
        .bytes = bytes };
    row_constants(c, seg, norm->mode == NORM_GIVEN ? FORM_NORM_GIVEN : FORM_NORM, rows.constants);
    if (norm->mode == NORM_BATCH) {
        args.stats = norm->scratch.address;
        rows.constants[NORM_MODE] = NORM_MOMENTS;
        rows.bytes = read;
        cmd_dispatch(c, &rows);
        struct norm_group_args group = { .stats = norm->stats.address,
            .part = norm->scratch.address,
            .rows = seg->rows,
            .S = seg->S,
            .N = seg->N,
            .per = args.per };
        cmd_dispatch(c, &(struct dispatch){ .kernel = &norm_group,
                            .args = &group,
                            .workers = (uint64_t)G * ((D + 1) / 2),
                            .constants = { [ROWS_D] = D, [ROWS_SPREAD] = 1 },
                            .bytes = 8.0 * seg->S * D });
        args.stats = norm->stats.address;
        rows.bytes = bytes;
    }
    if (norm->mode != NORM_INSTANCE)
        rows.constants[NORM_MODE] = NORM_ENTRY;
    cmd_dispatch(c, &rows);
}

static void fold(struct cmd *c, struct tensor dgain, struct tensor dbias, struct tensor dstats, const struct norm *norm,
    uint64_t coef, struct tensor gain)
{
    uint32_t D = gain.dim[0];
    struct norm_fold_args args = { .dgain = dgain.address,
        .dbias = dbias.address,
        .coef = coef,
        .parts = norm->scratch.address,
        .stats = norm->stats.address,
        .dstats = dstats.address,
        .gain = gain.address,
        .rows = norm->seg.rows,
        .G = groups(norm),
        .blocks = make_blocks(norm).count,
        .N = norm->seg.N,
        .per = per_group(norm) };
    cmd_dispatch(c, &(struct dispatch){ .kernel = &norm_fold,
                        .args = &args,
                        .workers = (D + 1) / 2,
                        .constants = { [ROWS_D] = D, [ROWS_SPREAD] = 1 },
                        .bytes = 4.0 * (double)parts_count(norm, D) });
}

static void layer_back(
    struct cmd *c, struct tensor dz, struct tensor dy, struct tensor hat, const struct norm *norm, struct tensor gain)
{
    struct blocks blocks = make_blocks(norm);
    struct norm_layer_back_args args = { .dz = dz.address,
        .parts = norm->scratch.address,
        .dy = dy.address,
        .hat = hat.address,
        .stats = norm->stats.address,
        .gain = gain.address,
        .first = norm->seg.first,
        .rows = norm->seg.rows,
        .S = norm->seg.S,
        .N = norm->seg.N,
        .block = blocks.segments };
    cmd_dispatch(c, &(struct dispatch){ .kernel = &norm_layer_back,
                        .args = &args,
                        .workers = blocks.count,
                        .constants = { [ROWS_D] = tensor_cols(&dy), [ROWS_SPREAD] = 1 },
                        .bytes = 12.0 * (double)tensor_count(&dy) });
}

// Computes dz and partial sums of the rows, in one dispatch, or for NORM_BATCH in two around norm_fold.
static void rows_back(struct cmd *c, struct tensor dz, struct tensor dgain, struct tensor dbias, struct tensor dstats,
    struct tensor dy, struct tensor hat, const struct norm *norm, struct tensor gain)
{
    const struct segments *seg = &norm->seg;
    struct blocks blocks = make_blocks(norm);
    uint32_t D = tensor_cols(&dy), spread = rows_spread(c, D);
    bool batch = norm->mode == NORM_BATCH, given = norm->mode == NORM_GIVEN;
    uint64_t behind = norm->scratch.address + 4 * parts_count(norm, D); // parts first, then own or coef
    struct norm_back_args args = { .dz = dz.address,
        .parts = norm->scratch.address,
        .own = given && dstats.address ? behind : 0,
        .dy = dy.address,
        .hat = hat.address,
        .stats = norm->stats.address,
        .dstats = dstats.address,
        .coef = behind,
        .gain = gain.address,
        .first = seg->first,
        .rows = seg->rows,
        .index = given ? norm->index.address : 0,
        .S = seg->S,
        .N = seg->N,
        .per = per_group(norm),
        .block = blocks.segments,
        .blocks = blocks.count };
    double bytes = 4.0 * (double)tensor_count(&dy);
    struct dispatch rows = { .kernel = &norm_back,
        .args = &args,
        .workers = (uint64_t)groups(norm) * blocks.count * spread,
        .constants = { [ROWS_D] = D,
            [ROWS_SPREAD] = spread,
            [NORM_BACK_MODE] = batch ? NORM_BACK_SUMS : (given ? NORM_BACK_ENTRY : NORM_BACK_OWN) },
        .bytes = (batch ? 2 : 3) * bytes };
    row_constants(c, seg, given ? FORM_NORM_GIVEN_BACK : FORM_NORM_BACK, rows.constants);
    cmd_dispatch(c, &rows);
    fold(c, dgain, dbias, given ? (struct tensor){ 0 } : dstats, norm, batch ? args.coef : 0, gain);
    if (batch) {
        rows.constants[NORM_BACK_MODE] = NORM_BACK_COEF;
        rows.bytes = 3 * bytes;
        cmd_dispatch(c, &rows);
    }
    if (!args.own)
        return;
    const struct tensor entries = { dstats.address, 2, { dstats.dim[0], 2 * D } },
                        own = { args.own, 2, { seg->S, 2 * D } };
    if (norm->run)
        nn_collect_add(c, entries, 0, own, seg->S / (dstats.dim[0] * norm->run));
    else
        nn_gather_back_add(c, entries, own, norm->index, seg->S);
}

void nn_norm_back(struct cmd *c, struct tensor dz, struct tensor dgain, struct tensor dbias, struct tensor dstats,
    struct tensor dy, struct tensor hat, const struct norm *norm, struct tensor gain)
{
    uint32_t D = tensor_cols(&dy);
    expect("norm_back", norm, &dy);
    expect_same("norm_back", "dz", &dz, &dy);
    expect_same("norm_back", "hat", &hat, &dy);
    expect_same("norm_back", "dstats", &dstats, &norm->stats);
    tensor_expect("norm_back", "gain", &gain, 1, D);
    tensor_expect("norm_back", "dgain", &dgain, 1, D);
    tensor_expect("norm_back", "dbias", &dbias, 1, D);
    if (dstats.address && (norm->mode == NORM_LAYER || (norm->mode == NORM_GIVEN && !norm->index.address)))
        bug("norm_back: no gradient of these statistics");
    if (norm->mode != NORM_LAYER) {
        rows_back(c, dz, dgain, dbias, dstats, dy, hat, norm, gain);
        return;
    }
    layer_back(c, dz, dy, hat, norm, gain);
    fold(c, dgain, dbias, dstats, norm, 0, gain);
}

void nn_norm_track(struct cmd *c, struct tensor tracked, const struct norm *norm, uint32_t group, float momentum)
{
    uint32_t D = tensor_cols(&tracked);
    tensor_expect("norm_track", "tracked", &tracked, 2, 2, D);
    tensor_expect("norm_track", "stats", &norm->stats, 3, norm->G, 2, D);
    if (norm->mode != NORM_BATCH || group >= norm->G)
        bug("norm_track: group %u of %u", group, norm->G);
    struct norm_track_args args = { .tracked = tracked.address,
        .stats = norm->stats.address,
        .rows = norm->seg.rows,
        .N = norm->seg.N,
        .per = per_group(norm),
        .group = group,
        .momentum = momentum };
    cmd_dispatch(c, &(struct dispatch){ .kernel = &norm_track,
                        .args = &args,
                        .workers = (D + 1) / 2,
                        .constants = { [ROWS_D] = D, [ROWS_SPREAD] = 1 },
                        .bytes = 24.0 * D });
}
