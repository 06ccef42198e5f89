#include "compact_back.spv.h"
#include "compact_count.spv.h"
#include "compact_list.spv.h"
#include "nn/nn.h"
#include "shaders/args.h"

static const struct kernel count = KERNEL_WITH(compact_count, compact), list = KERNEL_WITH(compact_list, compact),
                           back = KERNEL(compact_back);

void nn_compact(
    struct cmd *c, const struct compact *to, struct tensor keys, struct tensor instance, uint32_t N, bool appends)
{
    uint32_t T = keys.dim[0], G = to->whole.dim[0], room = to->node.dim[0] / G;
    tensor_expect("compact", "keys", &keys, 2, T, (N + 31) / 32);
    tensor_expect("compact", "instance", &instance, 1, T);
    tensor_expect("compact", "first", &to->first, 1, T);
    tensor_expect("compact", "span", &to->span, 2, G, 2);
    struct compact_args args = { .first = to->first.address,
        .rows = to->rows.address,
        .span = to->span.address,
        .whole = to->whole.address,
        .node = to->node.address,
        .source = to->source.address,
        .copy = to->keys.address,
        .keys = keys.address,
        .instance = instance.address,
        .T = T,
        .N = N,
        .G = G,
        .room = room,
        .appends = appends };
    cmd_dispatch(c, &(struct dispatch){ .kernel = &count, .args = &args, .workers = G });
    cmd_dispatch(c, &(struct dispatch){ .kernel = &list, .args = &args, .workers = T });
}

void nn_compact_layout(struct compact *to, struct arena *arena, uint32_t T, uint32_t sets, uint32_t room, uint32_t G)
{
    to->first = tensor_allocate(arena, 1, sets * T);
    to->rows = tensor_allocate(arena, 1, sets * T);
    to->span = tensor_allocate(arena, 2, sets * G, 2);
    to->whole = tensor_allocate(arena, 2, G, 2);
    to->keys = (struct tensor){ 0 };
    to->node = tensor_allocate(arena, 1, G * room);
    to->source = tensor_allocate(arena, 1, G * room);
}

struct compact nn_compact_set(const struct compact *all, uint32_t T, uint32_t i)
{
    struct compact set = *all;
    const uint32_t G = all->whole.dim[0];
    set.first = tensor_slice(all->first, i * T, T);
    set.rows = tensor_slice(all->rows, i * T, T);
    set.keys = tensor_slice(all->keys, i * T, T);
    set.span = tensor_slice(all->span, i * G, G);
    return set;
}

void nn_compact_back_add(struct cmd *c, struct tensor dx, struct tensor dy, const struct compact *to,
    struct tensor keys, uint32_t M, uint32_t B, uint32_t S)
{
    uint32_t N = (uint32_t)(tensor_rows(&dx) / B), D = tensor_cols(&dx);
    tensor_expect("compact_back", "dx", &dx, 2, B * N, D);
    tensor_expect("compact_back", "dy", &dy, 2, to->node.dim[0], D);
    tensor_expect("compact_back", "keys", &keys, 2, M * B * S, (N + 31) / 32);
    struct compact_back_args args = { .dx = dx.address,
        .dy = dy.address,
        .first = to->first.address,
        .rows = to->rows.address,
        .keys = keys.address,
        .M = M,
        .B = B,
        .S = S,
        .N = N,
        .D = D };
    cmd_dispatch(c,
        &(struct dispatch){
            .kernel = &back, .args = &args, .workers = (uint64_t)B * N, .bytes = 4.0 * (2.0 * B * N + dy.dim[0]) * D });
}
