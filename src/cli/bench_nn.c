// The attention, normalisation and pointer kernels for `mdam-vk bench`, at the sizes of the default model.
#include "cli/bench.h"
#include "model/config.h"
#include "shaders/args.h"
#include "util/alloc.h"

enum { D = CONFIG_D, H = CONFIG_H };

static struct segments dense(uint32_t S, uint32_t N)
{
    return (struct segments){ .S = S, .N = N };
}

// Sizes: instances, nodes.
void bench_attention(struct bench_job *job, const uint32_t *size)
{
    const uint32_t B = size[0], N = size[1];
    struct tensor qkv = bench_random(job, tensor_take(job->arena, 2, B * N, 3 * D));
    struct tensor mix = tensor_take(job->arena, 2, B * N, D), logits = tensor_take(job->arena, 4, B, H, N, N);
    job->flops = 4.0 * B * N * N * D;
    if (job->c)
        nn_attention(job->c, mix, logits, qkv, dense(B, N), H);
}

void bench_attention_back(struct bench_job *job, const uint32_t *size)
{
    const uint32_t B = size[0], N = size[1];
    struct tensor qkv = bench_random(job, tensor_take(job->arena, 2, B * N, 3 * D)), none = { 0 };
    struct tensor logits = bench_random(job, tensor_take(job->arena, 4, B, H, N, N));
    struct tensor dmix = bench_random(job, tensor_take(job->arena, 2, B * N, D));
    struct tensor dqkv = tensor_take(job->arena, 2, B * N, 3 * D);
    job->flops = 8.0 * B * N * N * D;
    if (job->c)
        nn_attention_back(job->c, dqkv, dmix, none, none, logits, qkv, dense(B, N), H);
}

// Sizes: segments, rows of each.
void bench_norm(struct bench_job *job, const uint32_t *size)
{
    const uint32_t S = size[0], N = size[1];
    struct norm norm = { .mode = NORM_INSTANCE, .seg = dense(S, N), .stats = tensor_take(job->arena, 3, S, 2, D) };
    norm.scratch = tensor_take(job->arena, 1, (uint32_t)nn_norm_scratch(&norm, D));
    struct tensor x = bench_random(job, tensor_take(job->arena, 2, S * N, D)), none = { 0 };
    struct tensor gain = bench_random(job, tensor_take(job->arena, 1, D)),
                  bias = bench_random(job, tensor_take(job->arena, 1, D)), y = tensor_take(job->arena, 2, S * N, D);
    job->bytes = 8.0 * S * N * D;
    if (job->c)
        nn_norm(job->c, y, none, &norm, x, none, gain, bias);
}

// Sizes: trajectories, rows of each.
void bench_pointer(struct bench_job *job, const uint32_t *size)
{
    const uint32_t T = size[0], N = size[1], W = (N + 31) / 32;
    struct pointer p = { .slots = dense(T, N), .H = H, .share = 1, .clip = 10, .temperature = 1 };
    p.kvl = bench_random(job, tensor_take(job->arena, 2, T * N, 3 * D));
    p.allowed = tensor_take(job->arena, 2, T, W);
    struct tensor q = bench_random(job, tensor_take(job->arena, 2, T, D)), logp = tensor_take(job->arena, 2, T, N);
    struct tensor saved = tensor_take(job->arena, 2, T, nn_pointer_saved(D, H, N));
    job->flops = 6.0 * T * N * D;
    if (!job->c)
        return;
    cmd_fill(job->c, p.allowed.at, 4ull * T * W, UINT32_MAX);
    nn_pointer(job->c, logp, saved, q, &p);
}
