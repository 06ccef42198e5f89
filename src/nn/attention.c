#include "attention_back_keys.spv.h"
#include "nn/forms.h"
#include "nn/heads.h"
#include "nn/nn.h"
#include "shaders/args.h"
#include "util/divide.h"

static const struct kernel attention_back_keys = KERNEL_WITH(attention_back_keys, attention_back);

void nn_attention(
    struct cmd *c, struct tensor mix, struct tensor logits, struct tensor qkv, struct segments seg, uint32_t H)
{
    uint32_t S = seg.S, N = seg.N, D = tensor_cols(&mix), DK = heads_channels("attention", D, H), R = mix.dim[0];
    tensor_expect("attention", "qkv", &qkv, 2, R, 3 * D);
    tensor_expect("attention", "logits", &logits, 4, S, H, N, N);
    const struct gpu_info *info = gpu_info(cmd_gpu(c));
    const struct form *form = form_choose(info, FORM_ATTENTION, &(struct form_sizes){ .N = N, .DK = DK });
    struct attention_args args = { .mix = mix.address,
        .logits = logits.address,
        .qkv = qkv.address,
        .first = seg.first,
        .rows = seg.rows,
        .S = S,
        .H = H,
        .N = N };
    struct dispatch dispatch = { .kernel = form->kernel,
        .args = &args,
        .constants = { [HEAD_DK] = DK },
        .flops = 4.0 * S * N * N * D,
        .bytes = 4.0 * S * N * (4.0 * D + (double)H * N) };
    form_fill(dispatch.constants, form);
    if (form->kind == FORM_SMALL) {
        dispatch.workers = cmd_workers(c, S * H);
        dispatch.constants[ATTENTION_N] = N;
        dispatch.constants[ATTENTION_DENSE] = !seg.rows;
    } else {
        uint32_t rows = heads_vectors(c, N, form_constant(form, ATTENTION_ROWS));
        dispatch.workers = (uint64_t)S * H * divide_up(N, rows * info->lanes);
        dispatch.constants[ATTENTION_ROWS] = rows;
        dispatch.constants[HEAD_EVEN] = heads_paired(form, N);
    }
    cmd_dispatch(c, &dispatch);
}

void nn_attention_back(struct cmd *c, struct tensor dqkv, struct tensor dmix, struct tensor dlogits, struct tensor dv,
    struct tensor logits, struct tensor qkv, struct segments seg, uint32_t H)
{
    uint32_t S = seg.S, N = seg.N, D = tensor_cols(&dmix), DK = heads_channels("attention_back", D, H);
    uint32_t R = dmix.dim[0];
    const struct gpu_info *info = gpu_info(cmd_gpu(c));
    const struct form *form = form_choose(info, FORM_ATTENTION_BACK, &(struct form_sizes){ .N = N, .DK = DK });
    tensor_expect("attention_back", "dqkv", &dqkv, 2, R, 3 * D);
    tensor_expect("attention_back", "qkv", &qkv, 2, R, 3 * D);
    tensor_expect("attention_back", "logits", &logits, 4, S, H, N, N);
    if (dlogits.address)
        tensor_expect("attention_back", "dlogits", &dlogits, 4, S, H, N, N);
    if (dv.address)
        tensor_expect("attention_back", "dv", &dv, 2, R, D);
    struct attention_back_args args = { .dqkv = dqkv.address,
        .dmix = dmix.address,
        .dlogits = dlogits.address,
        .dv = dv.address,
        .logits = logits.address,
        .qkv = qkv.address,
        .first = seg.first,
        .rows = seg.rows,
        .S = S,
        .H = H,
        .N = N };
    double flops = 8.0 * S * N * N * D, bytes = 4.0 * S * N * (7.0 * D + (double)H * N);
    struct dispatch dispatch = { .kernel = form->kernel,
        .args = &args,
        .constants = { [HEAD_DK] = DK, [ATTENTION_BACK_DLOGITS] = dlogits.address != 0 },
        .flops = flops,
        .bytes = bytes };
    form_fill(dispatch.constants, form);
    if (form->kind == FORM_SMALL) {
        dispatch.workers = cmd_workers(c, S * H);
        dispatch.constants[ATTENTION_N] = N;
        dispatch.constants[ATTENTION_DENSE] = !seg.rows;
        dispatch.constants[ATTENTION_BACK_DV] = dv.address != 0;
        cmd_dispatch(c, &dispatch);
        return;
    }
    // Statistics of every query, gradients of keys and values, gradients of queries: the later ones need the first,
    // which are stored where the last one puts its result.
    uint32_t vectors = heads_vectors(c, N, form_constant(form, ATTENTION_ROWS));
    dispatch.workers = (uint64_t)S * H * divide_up(N, vectors * info->lanes);
    dispatch.constants[ATTENTION_ROWS] = vectors;
    dispatch.constants[HEAD_EVEN] = heads_paired(form, N);
    dispatch.flops = dispatch.bytes = 0; // the last dispatch counts all useful work
    dispatch.constants[ATTENTION_BACK_FIRST] = true;
    cmd_dispatch(c, &dispatch);
    dispatch.kernel = &attention_back_keys;
    dispatch.constants[ATTENTION_BACK_FIRST] = false;
    dispatch.constants[ATTENTION_BACK_DV] = dv.address != 0;
    cmd_dispatch(c, &dispatch);
    dispatch.kernel = form->kernel;
    dispatch.constants[ATTENTION_BACK_DV] = 0;
    dispatch.flops = flops, dispatch.bytes = bytes;
    cmd_dispatch(c, &dispatch);
}
