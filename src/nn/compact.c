#include "compact_back.spv.h"
#include "compact_count.spv.h"
#include "compact_list.spv.h"
#include "nn/nn.h"
#include "shaders/args.h"

static const struct kernel count = KERNEL_WITH(compact_count, compact), list = KERNEL_WITH(compact_list, compact),
                           back = KERNEL(compact_back);

void nn_compact(struct cmd *c, const struct compact *to, struct tensor keys, struct tensor instance, uint32_t N)
{
    uint32_t T = keys.dim[0], G = to->total.dim[0], most = to->node.dim[0] / T;
    tensor_expect("compact", "keys", &keys, 2, T, (N + 31) / 32);
    tensor_expect("compact", "instance", &instance, 1, T);
    tensor_expect("compact", "node", &to->node, 1, T * most);
    struct compact_args args = { .first = to->first.address,
        .rows = to->rows.address,
        .total = to->total.address,
        .node = to->node.address,
        .source = to->source.address,
        .keys = keys.address,
        .instance = instance.address,
        .T = T,
        .N = N,
        .G = G,
        .most = most };
    cmd_dispatch(c, &(struct dispatch){ .kernel = &count, .args = &args, .workers = G });
    cmd_dispatch(c, &(struct dispatch){ .kernel = &list, .args = &args, .workers = T });
}

void nn_compact_layout(struct compact *to, struct arena *arena, uint32_t T, uint32_t most, uint32_t G)
{
    to->first = tensor_allocate(arena, 1, T);
    to->rows = tensor_allocate(arena, 1, T);
    to->total = tensor_allocate(arena, 1, G);
    to->node = tensor_allocate(arena, 1, T * most);
    to->source = tensor_allocate(arena, 1, T * most);
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
