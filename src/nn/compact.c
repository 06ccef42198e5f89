#include "compact_count.spv.h"
#include "compact_list.spv.h"
#include "nn/nn.h"
#include "shaders/args.h"

static const struct kernel count = KERNEL_WITH(compact_count, compact), list = KERNEL_WITH(compact_list, compact);

void nn_compact(struct cmd *c, const struct compact *to, struct tensor keys, struct tensor instance, uint32_t N)
{
    uint32_t T = keys.dim[0], G = to->total.dim[0];
    tensor_expect("compact", "keys", &keys, 2, T, (N + 31) / 32);
    tensor_expect("compact", "instance", &instance, 1, T);
    tensor_expect("compact", "node", &to->node, 1, T * N);
    struct compact_args args = { .first = to->first.at,
        .rows = to->rows.at,
        .total = to->total.at,
        .node = to->node.at,
        .source = to->source.at,
        .keys = keys.at,
        .instance = instance.at,
        .T = T,
        .N = N,
        .G = G };
    cmd_dispatch(c, &(struct dispatch){ .kernel = &count, .args = &args, .workers = G });
    cmd_dispatch(c, &(struct dispatch){ .kernel = &list, .args = &args, .workers = T });
}

void nn_compact_layout(struct compact *to, struct arena *arena, uint32_t T, uint32_t N, uint32_t G)
{
    to->first = tensor_take(arena, 1, T);
    to->rows = tensor_take(arena, 1, T);
    to->total = tensor_take(arena, 1, G);
    to->node = tensor_take(arena, 1, T * N);
    to->source = tensor_take(arena, 1, T * N);
}
