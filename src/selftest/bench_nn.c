// The attention, normalisation and pointer kernels for `mdam-vk bench`, at the sizes of the default model.
#include <stdlib.h>

#include "model/config.h"
#include "selftest/bench.h"
#include "shaders/args.h"
#include "util/alloc.h"
#include "util/rng.h"

enum { D = CONFIG_D, H = CONFIG_H };

static struct segments dense(uint32_t S, uint32_t N)
{
    return (struct segments){ .S = S, .N = N };
}

// Sizes: instances, nodes.
void bench_attention(struct bench_job *job, const uint32_t *size)
{
    const uint32_t B = size[0], N = size[1];
    struct tensor qkv = bench_random(job, tensor_allocate(job->arena, 2, B * N, 3 * D));
    struct tensor mix = tensor_allocate(job->arena, 2, B * N, D), logits = tensor_allocate(job->arena, 4, B, H, N, N);
    job->flops = 4.0 * B * N * N * D;
    job->bytes = 4.0 * B * N * (4.0 * D + (double)H * N);
    if (job->c)
        nn_attention(job->c, mix, logits, qkv, dense(B, N), H);
}

void bench_attention_back(struct bench_job *job, const uint32_t *size)
{
    const uint32_t B = size[0], N = size[1];
    struct tensor qkv = bench_random(job, tensor_allocate(job->arena, 2, B * N, 3 * D)), none = { 0 };
    struct tensor logits = bench_random(job, tensor_allocate(job->arena, 4, B, H, N, N));
    struct tensor dmix = bench_random(job, tensor_allocate(job->arena, 2, B * N, D));
    struct tensor dqkv = tensor_allocate(job->arena, 2, B * N, 3 * D);
    job->flops = 8.0 * B * N * N * D;
    job->bytes = 4.0 * B * N * (7.0 * D + (double)H * N);
    if (job->c)
        nn_attention_back(job->c, dqkv, dmix, none, none, logits, qkv, dense(B, N), H);
}

// Trajectories as in the middle of decoding: t = m B + b of M decoders and B instances has between half and all of the
// nodes relevant, at random, and each of those is a query.
struct glimpses {
    struct tensor keys, instance, node, lists; // (T, W), (T), (T N), (2, T): first rows and numbers of them
    struct segments seg;
    double pairs; // of rows and relevant keys, over all trajectories
};

static struct glimpses glimpses(struct bench_job *job, uint32_t T, uint32_t B, uint32_t N)
{
    const uint32_t W = (N + 31) / 32;
    struct glimpses g = { .keys = tensor_allocate(job->arena, 2, T, W),
        .instance = tensor_allocate(job->arena, 1, T),
        .node = tensor_allocate(job->arena, 1, T * N),
        .lists = tensor_allocate(job->arena, 2, 2, T) };
    g.seg = (struct segments){ .S = T, .N = N, .first = g.lists.address, .rows = g.lists.address + 4 * T };
    uint32_t *keys = xcalloc(T * W, sizeof *keys), *lists = xcalloc(3 * T, sizeof *lists), row = 0;
    uint32_t *node = xcalloc(T * N, sizeof *node);
    for (uint32_t t = 0; t < T; t++) {
        uint32_t count = N / 2 + t % (N - N / 2 + 1), start = row;
        for (uint32_t i = 0; i < N; i++) {
            uint32_t number[4], had = row - start;
            rng_draw(&(struct rng){ .seed = t }, i, number);
            if (rng_unit(number[0]) * (float)(N - i) >= (float)(count - had))
                continue;
            keys[t * W + i / 32] |= 1u << i % 32;
            node[row++] = i;
        }
        lists[t] = start, lists[T + t] = row - start, lists[2 * T + t] = t % B;
        g.pairs += (double)(row - start) * (row - start);
    }
    if (job->c)
        job->failed = job->failed || !tensor_upload(job->gpu, g.keys, keys) ||
                      !tensor_upload(job->gpu, g.lists, lists) || !tensor_upload(job->gpu, g.instance, lists + 2 * T) ||
                      !tensor_upload(job->gpu, g.node, node);
    free(keys), free(lists), free(node);
    return g;
}

// Sizes: trajectories, nodes.
void bench_reattend(struct bench_job *job, const uint32_t *size)
{
    const uint32_t T = size[0], N = size[1], B = T / CONFIG_M;
    struct tensor qkv = bench_random(job, tensor_allocate(job->arena, 2, B * N, 3 * D));
    struct tensor logits = bench_random(job, tensor_allocate(job->arena, 4, B, H, N, N));
    struct tensor mix = tensor_allocate(job->arena, 2, T * N, D);
    struct glimpses g = glimpses(job, T, B, N);
    job->flops = 2 * g.pairs * D;
    if (job->c)
        nn_reattend(job->c, mix, logits, qkv, g.keys, g.instance, g.node, g.seg, H);
}

void bench_reattend_back(struct bench_job *job, const uint32_t *size)
{
    const uint32_t T = size[0], N = size[1], B = T / CONFIG_M;
    struct tensor qkv = bench_random(job, tensor_allocate(job->arena, 2, B * N, 3 * D));
    struct tensor logits = bench_random(job, tensor_allocate(job->arena, 4, B, H, N, N));
    struct tensor dmix = bench_random(job, tensor_allocate(job->arena, 2, T * N, D));
    struct tensor dlogits = tensor_allocate(job->arena, 4, B, H, N, N), dv = tensor_allocate(job->arena, 2, B * N, D);
    struct glimpses g = glimpses(job, T, B, N);
    job->flops = 4 * g.pairs * D;
    if (!job->c)
        return;
    cmd_fill(job->c, dlogits.address, 4 * tensor_count(&dlogits), 0);
    cmd_fill(job->c, dv.address, 4 * tensor_count(&dv), 0);
    nn_reattend_back_add(job->c, dlogits, dv, dmix, logits, qkv, g.keys, g.node, g.seg, H, CONFIG_M, B, 1);
}

// A normalisation or its gradient. The bytes are those of one pass in every mode: NORM_BATCH reads twice.
static void norm_of(struct bench_job *job, enum nn_norm_mode mode, bool back, const uint32_t *size)
{
    const uint32_t S = size[0], N = size[1], R = S * N;
    struct norm norm = { .mode = mode, .seg = dense(S, N), .G = 1 };
    norm.stats = mode == NORM_LAYER ? tensor_allocate(job->arena, 2, R, 2)
                                    : tensor_allocate(job->arena, 3, mode == NORM_INSTANCE ? S : 1, 2, D);
    norm.scratch = tensor_allocate(job->arena, 1, (uint32_t)nn_norm_scratch(&norm, D));
    struct tensor x = bench_random(job, tensor_allocate(job->arena, 2, R, D)), none = { 0 };
    struct tensor gain = bench_random(job, tensor_allocate(job->arena, 1, D)), bias = tensor_allocate(job->arena, 1, D);
    struct tensor y = tensor_allocate(job->arena, 2, R, D),
                  dgain = bench_random(job, tensor_allocate(job->arena, 1, D));
    struct tensor hat = back ? bench_random(job, tensor_allocate(job->arena, 2, R, D)) : none;
    bench_random(job, bias);
    job->bytes = (back ? 12.0 : 8.0) * R * D;
    if (!job->c)
        return;
    if (back)
        nn_norm_back(job->c, y, dgain, bias, none, x, hat, &norm, gain);
    else
        nn_norm(job->c, y, none, &norm, x, none, gain, bias);
}

// Sizes: segments, rows of each.
void bench_norm(struct bench_job *job, const uint32_t *size)
{
    norm_of(job, NORM_INSTANCE, false, size);
}

void bench_norm_batch(struct bench_job *job, const uint32_t *size)
{
    norm_of(job, NORM_BATCH, false, size);
}

void bench_norm_layer(struct bench_job *job, const uint32_t *size)
{
    norm_of(job, NORM_LAYER, false, size);
}

void bench_norm_back(struct bench_job *job, const uint32_t *size)
{
    norm_of(job, NORM_INSTANCE, true, size);
}

void bench_norm_batch_back(struct bench_job *job, const uint32_t *size)
{
    norm_of(job, NORM_BATCH, true, size);
}

void bench_norm_layer_back(struct bench_job *job, const uint32_t *size)
{
    norm_of(job, NORM_LAYER, true, size);
}

// Sizes: trajectories, rows of each.
void bench_pointer(struct bench_job *job, const uint32_t *size)
{
    const uint32_t T = size[0], N = size[1], W = (N + 31) / 32;
    struct pointer p = { .slots = dense(T, N), .H = H, .repeat = 1, .clip = 10, .temperature = 1 };
    p.kvl = bench_random(job, tensor_allocate(job->arena, 2, T * N, 3 * D));
    p.allowed = tensor_allocate(job->arena, 2, T, W);
    struct tensor q = bench_random(job, tensor_allocate(job->arena, 2, T, D)),
                  logp = tensor_allocate(job->arena, 2, T, N);
    struct tensor saved = tensor_allocate(job->arena, 2, T, nn_pointer_saved(D, H, N));
    job->flops = 6.0 * T * N * D;
    job->bytes = 12.0 * T * N * D; // the rows of the cache
    if (!job->c)
        return;
    cmd_fill(job->c, p.allowed.address, 4ull * T * W, UINT32_MAX);
    nn_pointer(job->c, logp, saved, q, &p);
}

// Sizes: slots, trajectories of each, nodes: one decision of samples that share their keys.
void bench_pointer_share(struct bench_job *job, const uint32_t *size)
{
    const uint32_t S = size[0], T = S * size[1], N = size[2], W = (N + 31) / 32;
    struct pointer p = { .slots = dense(S, N), .H = H, .repeat = size[1], .clip = 10, .temperature = 1 };
    p.kvl = bench_random(job, tensor_allocate(job->arena, 2, S * N, 3 * D));
    p.allowed = tensor_allocate(job->arena, 2, T, W);
    struct tensor q = bench_random(job, tensor_allocate(job->arena, 2, T, D)),
                  logp = tensor_allocate(job->arena, 2, T, N);
    struct tensor saved = tensor_allocate(job->arena, 2, T, nn_pointer_saved(D, H, N));
    job->flops = 6.0 * T * N * D;
    if (!job->c)
        return;
    cmd_fill(job->c, p.allowed.address, 4ull * T * W, UINT32_MAX);
    nn_pointer(job->c, logp, saved, q, &p);
}

// Sizes: slots, decisions of each, nodes: the gradient of given decisions, the forward pass included.
void bench_likelihood(struct bench_job *job, const uint32_t *size)
{
    const uint32_t S = size[0], T = S * size[1], N = size[2], W = (N + 31) / 32;
    struct pointer p = { .slots = dense(S, N), .H = H, .repeat = size[1], .clip = 10, .temperature = 1 };
    p.kvl = bench_random(job, tensor_allocate(job->arena, 2, S * N, 3 * D));
    p.allowed = tensor_allocate(job->arena, 2, T, W);
    struct tensor q = bench_random(job, tensor_allocate(job->arena, 2, T, D)),
                  dq = tensor_allocate(job->arena, 2, T, D), dkvl = tensor_allocate(job->arena, 2, S * N, 3 * D),
                  none = { 0 };
    struct likelihood given = { tensor_allocate(job->arena, 1, T), bench_random(job, tensor_allocate(job->arena, 1, T)),
        none, N };
    struct tensor scratch = tensor_allocate(job->arena, 1, (uint32_t)nn_likelihood_scratch(job->gpu, T, D, N, &p));
    job->flops = 20.0 * T * N * D;
    if (!job->c)
        return;
    cmd_fill(job->c, p.allowed.address, 4ull * T * W, UINT32_MAX);
    cmd_fill(job->c, given.action.address, 4ull * T, 0);
    cmd_fill(job->c, dkvl.address, 4 * tensor_count(&dkvl), 0);
    nn_likelihood_back_add(job->c, dq, dkvl, none, scratch, q, &given, &p);
}
