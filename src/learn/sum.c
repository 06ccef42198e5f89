#include "learn/sum.h"

#include <stdlib.h>
#include <string.h>

#include <stb/stb_ds.h>

#include "gpu/gpu.h"
#include "nn/nn.h"
#include "util/alloc.h"
#include "util/divide.h"
#include "util/error.h"
#include "util/ranks.h"

bool sum_create(struct sum **out, const struct model *model)
{
    struct sum *s = *out = xcalloc(1, sizeof *s);
    s->model = model;
    s->parts = 1;
    s->arena = arena_create(model->gpu, "gradients");
    params_layout(&s->d, s->arena, &model->config);
    bool ok = arena_back(s->arena);
    if (ok) {
        params_layout(&s->d, s->arena, &model->config);
        ok = params_flat(&s->flat, &s->d, &model->config) && sum_clear(s);
    }
    if (!ok)
        sum_destroy(out);
    return ok;
}

void sum_destroy(struct sum **slot)
{
    struct sum *s = *slot;
    if (!s)
        return;
    for (size_t i = 0; i < arrlenu(s->store); i++)
        cmd_destroy(&s->store[i]);
    arrfree(s->store);
    arrfree(s->own);
    cmd_destroy(&s->add);
    cmd_destroy(&s->publish);
    cmd_destroy(&s->add_pieces);
    arena_destroy(&s->divided);
    arena_destroy(&s->arena);
    free(s->tracked);
    free(s->before);
    free(s);
    *slot = NULL;
}

bool sum_clear(struct sum *s)
{
    struct cmd *c = cmd_create(s->model->gpu);
    cmd_label(c, "gradient/clear");
    cmd_fill(c, s->flat.address, 4 * tensor_count(&s->flat), 0);
    bool ok = cmd_run(c);
    cmd_destroy(&c);
    return ok;
}

// --- a batch in parts ---------------------------------------------------------------------------------------------

// Adds pairs, pairs of pairs and so on: the sum of 2^k aligned rows is a branch of the tree over more rows.
static void record_tree(struct cmd *c, const struct tensor *rows, uint32_t count)
{
    for (uint32_t stride = 1; stride < count; stride *= 2) {
        cmd_together(c, true);
        for (uint32_t i = 0; i + stride < count; i += 2 * stride)
            nn_add(c, rows[i], rows[i + stride]);
        cmd_together(c, false);
    }
}

static void layout(struct sum *s)
{
    const uint32_t count = (uint32_t)tensor_count(&s->flat);
    for (size_t i = 0; i < arrlenu(s->own); i++)
        s->own[i] = tensor_allocate(s->divided, 1, count);
    if (ranks_count() > 1)
        s->pieces = tensor_allocate(s->divided, 2, ranks_count() * s->travel, s->piece);
}

static void record(struct sum *s)
{
    struct gpu *gpu = s->model->gpu;
    const uint64_t bytes = 4 * tensor_count(&s->flat);
    for (size_t i = 0; i < arrlenu(s->own); i++) {
        struct cmd *c = cmd_create(gpu);
        cmd_label(c, "gradient/part");
        cmd_copy(c, s->own[i].address, s->flat.address, bytes);
        cmd_fill(c, s->flat.address, bytes, 0);
        arrput(s->store, c);
    }
    s->add = cmd_create(gpu);
    cmd_label(s->add, "gradient/add parts");
    if (s->travel == 1)
        record_tree(s->add, s->own, (uint32_t)arrlenu(s->own));
    s->publish = cmd_create(gpu);
    cmd_label(s->publish, "gradient/total");
    cmd_copy(s->publish, s->flat.address, s->own[0].address, bytes);
    if (ranks_count() == 1)
        return;
    struct tensor *rows = xcalloc(s->pieces.dim[0], sizeof *rows);
    for (uint32_t i = 0; i < s->pieces.dim[0]; i++)
        rows[i] = (struct tensor){ s->pieces.address + 4ull * i * s->piece, 1, { s->piece } };
    s->add_pieces = cmd_create(gpu);
    cmd_label(s->add_pieces, "gradient/add ranks");
    record_tree(s->add_pieces, rows, s->pieces.dim[0]);
    free(rows);
}

// Returns the number of tracked statistics.
static uint64_t tracked_floats(const struct model *model)
{
    uint64_t floats = 0;
    const struct tensor list[] = { model->stats.plain, model->stats.glimpse };
    for (size_t i = 0; model->config.norm == MODEL_BATCH && i < sizeof list / sizeof *list; i++)
        floats += list[i].address ? tensor_count(&list[i]) : 0;
    return floats;
}

static bool transfer_tracked(const struct model *model, float *values, bool up)
{
    const struct tensor list[] = { model->stats.plain, model->stats.glimpse };
    for (size_t i = 0; tracked_floats(model) && i < sizeof list / sizeof *list; i++) {
        if (!list[i].address)
            continue;
        if (!(up ? tensor_upload(model->gpu, list[i], values) : tensor_download(model->gpu, values, list[i])))
            return false;
        values += tensor_count(&list[i]);
    }
    return true;
}

bool sum_divide(struct sum *s, uint32_t parts)
{
    const uint32_t ranks = ranks_count(), own = parts / ranks;
    const uint64_t tracked = tracked_floats(s->model);
    if (parts % ranks || s->parts != 1)
        bug("%u parts for %u ranks, after %u", parts, ranks, s->parts);
    s->parts = parts;
    if (parts == 1)
        return true;
    s->travel = ranks == 1 || !(own & (own - 1)) ? 1 : own;
    s->piece = 64 * (uint32_t)divide_up(divide_up(tensor_count(&s->flat), ranks), 64);
    s->tracked = xcalloc(parts * tracked, sizeof *s->tracked);
    s->before = xcalloc(tracked, sizeof *s->before);
    arrsetlen(s->own, own);
    s->divided = arena_create(s->model->gpu, "gradients of parts");
    layout(s);
    bool ok = arena_back(s->divided);
    if (ok) {
        layout(s);
        record(s);
    }
    return ok;
}

bool sum_begin(struct sum *s)
{
    return s->parts == 1 || transfer_tracked(s->model, s->before, false);
}

bool sum_part(struct sum *s, uint32_t part)
{
    const uint64_t index = ranks_rank() * arrlenu(s->own) + part;
    return s->parts == 1 || (cmd_run(s->store[part]) &&
                                transfer_tracked(s->model, s->tracked + index * tracked_floats(s->model), false) &&
                                transfer_tracked(s->model, s->before, true));
}

static bool average_tracked(struct sum *s)
{
    const uint64_t count = tracked_floats(s->model), own = arrlenu(s->own);
    if (!count)
        return true;
    float *part = xcalloc(own * count, sizeof *part);
    memcpy(part, s->tracked + ranks_rank() * own * count, own * count * sizeof *part);
    ranks_gather(s->tracked, part, own * count * sizeof *part);
    free(part);
    for (uint64_t i = 0; i < count; i++) {
        double mean = 0;
        for (uint32_t k = 0; k < s->parts; k++)
            mean += s->tracked[k * count + i];
        s->before[i] = (float)(mean / s->parts);
    }
    return transfer_tracked(s->model, s->before, true);
}

// For tests: with MDAM_VK_INJECT=unreduced in the environment every rank learns from its own parts alone.
static bool is_injected(void)
{
    const char *inject = getenv("MDAM_VK_INJECT");
    return inject && !strcmp(inject, "unreduced");
}

// Every rank adds one piece of all gradients, on its device as for parts, and receives the other pieces.
static bool add_ranks(struct sum *s)
{
    struct gpu *gpu = s->model->gpu;
    const uint32_t ranks = ranks_count(), travel = s->travel;
    const uint64_t piece = s->piece;
    float *whole = xcalloc(ranks * piece, sizeof *whole), *sent = xcalloc(ranks * travel * piece, sizeof *sent),
          *received = xcalloc(ranks * travel * piece, sizeof *received);
    bool ok = true;
    for (uint32_t k = 0; ok && k < travel; k++) {
        ok = tensor_download(gpu, whole, s->own[k]);
        for (uint32_t rank = 0; rank < ranks; rank++)
            memcpy(sent + (rank * travel + k) * piece, whole + rank * piece, piece * sizeof *sent);
    }
    if (ok) {
        ranks_transpose(received, sent, travel * piece * sizeof *sent);
        struct tensor first = { s->pieces.address, 1, { s->piece } };
        ok = tensor_upload(gpu, s->pieces, received) && cmd_run(s->add_pieces) && tensor_download(gpu, received, first);
    }
    if (ok) {
        ranks_gather(whole, received, piece * sizeof *whole);
        ok = tensor_upload(gpu, s->own[0], whole);
    }
    free(whole);
    free(sent);
    free(received);
    return ok;
}

bool sum_total(struct sum *s)
{
    if (s->parts == 1)
        return true;
    bool alone = ranks_count() == 1 || is_injected();
    return (s->travel > 1 || cmd_run(s->add)) && (alone || add_ranks(s)) && cmd_run(s->publish) && average_tracked(s);
}
