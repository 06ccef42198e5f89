#include "nn/forms.h"
#include "nn/heads.h"
#include "nn/nn.h"
#include "nn/rows.h"
#include "shaders/args.h"
#include "util/divide.h"

void nn_reattend(struct cmd *c, struct tensor mix, struct tensor logits, struct tensor qkv, struct tensor keys,
    struct tensor instance, struct tensor node, struct segments seg, uint32_t H)
{
    uint32_t T = seg.S, B = logits.dim[0], N = logits.dim[3], D = tensor_cols(&mix);
    uint32_t R = (uint32_t)(rows_floats(&seg, &mix) / D), DK = heads_channels("reattend", D, H),
             W = (uint32_t)divide_up(N, 32);
    tensor_expect("reattend", "logits", &logits, 4, B, H, N, N);
    tensor_expect("reattend", "qkv", &qkv, 2, B * N, 3 * D);
    tensor_expect("reattend", "keys", &keys, 2, T, W);
    tensor_expect("reattend", "instance", &instance, 1, T);
    if (node.address)
        tensor_expect("reattend", "node", &node, 1, mix.dim[0]);
    struct reattend_args args = { .mix = mix.address,
        .logits = logits.address,
        .qkv = qkv.address,
        .keys = keys.address,
        .instance = instance.address,
        .node = node.address,
        .first = seg.first,
        .rows = seg.rows,
        .S = T,
        .B = B,
        .H = H,
        .N = N,
        .W = W,
        .max_rows = seg.N };
    const struct form *form =
        form_choose(gpu_info(cmd_gpu(c)), FORM_REATTEND, &(struct form_sizes){ .N = N, .DK = DK });
    struct dispatch dispatch = { .kernel = form->kernel,
        .args = &args,
        .constants = { [HEAD_DK] = DK },
        .flops = 2.0 * R * N * D, // with all keys
        .bytes = 4.0 * R * (2.0 * D + (double)H * N) };
    form_fill(dispatch.constants, form);
    if (form->kind == FORM_SMALL) {
        dispatch.workers = cmd_workers(c, B * H);
        dispatch.constants[REATTEND_N] = N;
    } else {
        dispatch.workers = cmd_workers(c, T * H) * divide_up(seg.N, form_constant(form, REATTEND_ROWS));
    }
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
    if (node.address)
        tensor_expect("reattend_back", "node", &node, 1, R);
    struct reattend_back_args args = { .dlogits = dlogits.address,
        .dv = dv.address,
        .dmix = dmix.address,
        .logits = logits.address,
        .qkv = qkv.address,
        .keys = keys.address,
        .node = node.address,
        .first = seg.first,
        .rows = seg.rows,
        .H = H,
        .M = M,
        .B = B,
        .S = S,
        .N = N,
        .W = W,
        .max_rows = seg.N };
    // A GPU has more lanes than heads of instances, so a subgroup shares one. On a CPU every lane has one, if there are
    // enough.
    const struct form *form = form_choose(
        gpu_info(cmd_gpu(c)), FORM_REATTEND_BACK, &(struct form_sizes){ .N = N, .DK = DK, .heads = (uint64_t)B * H });
    struct dispatch dispatch = { .kernel = form->kernel,
        .args = &args,
        .workers = form->kind == FORM_PLAIN ? (uint64_t)B * H : cmd_workers(c, B * H),
        .constants = { [HEAD_DK] = DK },
        .flops = 4.0 * R * N * D, // with all keys
        .bytes = 4.0 * (R * (D + 3.0 * H * N) + 3.0 * B * N * D) };
    form_fill(dispatch.constants, form);
    if (form->kind == FORM_SMALL)
        dispatch.constants[REATTEND_N] = N;
    cmd_dispatch(c, &dispatch);
}
