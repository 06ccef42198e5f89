#include "nn/heads.h"
#include "nn/nn.h"
#include "reattend.spv.h"
#include "reattend_back.spv.h"
#include "reattend_back_many.spv.h"
#include "reattend_back_small.spv.h"
#include "reattend_small.spv.h"
#include "shaders/args.h"
#include "util/divide.h"

static const struct kernel reattend = KERNEL(reattend), reattend_small = KERNEL_WITH(reattend_small, reattend);
static const struct kernel reattend_back = KERNEL(reattend_back),
                           reattend_back_small = KERNEL_WITH(reattend_back_small, reattend_back),
                           reattend_back_many = KERNEL_WITH(reattend_back_many, reattend_back);

// Rows that a lane handles together: they share the loads of values, and each has its sums in private memory.
static uint32_t rows_together(const struct cmd *c)
{
    return heads_roomy(c) ? 10 : 2;
}

void nn_reattend(struct cmd *c, struct tensor mix, struct tensor logits, struct tensor qkv, struct tensor keys,
    struct tensor instance, struct tensor node, struct segments seg, uint32_t H)
{
    uint32_t T = seg.S, B = logits.dim[0], N = logits.dim[3], D = tensor_cols(&mix), R = mix.dim[0];
    uint32_t DK = heads_channels("reattend", D, H), W = (uint32_t)divide_up(N, 32);
    tensor_expect("reattend", "logits", &logits, 4, B, H, N, N);
    tensor_expect("reattend", "qkv", &qkv, 2, B * N, 3 * D);
    tensor_expect("reattend", "keys", &keys, 2, T, W);
    tensor_expect("reattend", "instance", &instance, 1, T);
    if (node.at)
        tensor_expect("reattend", "node", &node, 1, R);
    struct reattend_args args = { .mix = mix.at,
        .logits = logits.at,
        .qkv = qkv.at,
        .keys = keys.at,
        .instance = instance.at,
        .node = node.at,
        .first = seg.first,
        .rows = seg.rows,
        .S = T,
        .B = B,
        .H = H,
        .N = N,
        .W = W,
        .most = seg.N };
    bool small = heads_small(c, N, DK);
    uint32_t rows = rows_together(c);
    struct dispatch dispatch = { .kernel = small ? &reattend_small : &reattend,
        .args = &args,
        .workers = small ? cmd_workers(c, B * H) : cmd_workers(c, T * H) * divide_up(seg.N, rows),
        .constants = { [HEAD_DK] = DK, [HEAD_UNROLL] = heads_unroll(c) },
        .flops = 2.0 * R * N * D, // with all keys kept
        .bytes = 4.0 * R * (2.0 * D + (double)H * N) };
    if (small)
        dispatch.constants[REATTEND_N] = N;
    else
        dispatch.constants[REATTEND_ROWS] = rows;
    cmd_dispatch(c, &dispatch);
}

void nn_reattend_back_add(struct cmd *c, struct tensor dlogits, struct tensor dv, struct tensor dmix,
    struct tensor logits, struct tensor qkv, struct tensor keys, struct tensor node, struct segments seg, uint32_t H,
    uint32_t M, uint32_t B, uint32_t S)
{
    uint32_t N = logits.dim[3], D = tensor_cols(&dmix), R = dmix.dim[0], W = (uint32_t)divide_up(N, 32);
    uint32_t DK = heads_channels("reattend_back", D, H);
    tensor_expect("reattend_back", "logits", &logits, 4, B, H, N, N);
    tensor_expect("reattend_back", "dlogits", &dlogits, 4, B, H, N, N);
    tensor_expect("reattend_back", "dv", &dv, 2, B * N, D);
    tensor_expect("reattend_back", "qkv", &qkv, 2, B * N, 3 * D);
    tensor_expect("reattend_back", "keys", &keys, 2, M * B * S, W);
    if (node.at)
        tensor_expect("reattend_back", "node", &node, 1, R);
    struct reattend_back_args args = { .dlogits = dlogits.at,
        .dv = dv.at,
        .dmix = dmix.at,
        .logits = logits.at,
        .qkv = qkv.at,
        .keys = keys.at,
        .node = node.at,
        .first = seg.first,
        .rows = seg.rows,
        .H = H,
        .M = M,
        .B = B,
        .S = S,
        .N = N,
        .W = W,
        .most = seg.N };
    // A GPU has more lanes than there are heads of instances, so a subgroup shares one, with few rows at once for want
    // of scalar registers. Where there is room every lane has one, if there are enough of them.
    uint64_t lots = cmd_workers(c, B * H);
    uint32_t tile = gpu_info(cmd_gpu(c))->cpu_forms ? heads_tile(c) : 2;
    struct dispatch dispatch = { .kernel = &reattend_back,
        .args = &args,
        .workers = B * H,
        .constants = { [HEAD_DK] = DK, [HEAD_UNROLL] = heads_unroll(c), [HEAD_TILE] = tile },
        .flops = 4.0 * R * N * D, // with all keys kept
        .bytes = 4.0 * (R * (D + 3.0 * H * N) + 3.0 * B * N * D) };
    if (heads_small(c, N, DK))
        dispatch.kernel = &reattend_back_small, dispatch.workers = lots, dispatch.constants[REATTEND_N] = N;
    else if (heads_roomy(c) && lots >= 4)
        dispatch.kernel = &reattend_back_many, dispatch.workers = lots,
        dispatch.constants[REATTEND_ROWS] = rows_together(c);
    cmd_dispatch(c, &dispatch);
}
