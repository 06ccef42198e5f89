// The benchmarks of `mdam-vk bench`. An entry is a row of the table and a function that allocates tensors, records one
// run and sets its useful work.
#include "selftest/bench.h"
#include "shaders/args.h"

static void copy(struct bench_job *job, const uint32_t *size)
{
    struct tensor from = bench_random(job, tensor_allocate(job->arena, 1, size[0]));
    struct tensor to = tensor_allocate(job->arena, 1, size[0]);
    job->bytes = 8.0 * size[0];
    if (job->c)
        nn_copy(job->c, to, from);
}

static void norm2(struct bench_job *job, const uint32_t *size)
{
    struct tensor x = bench_random(job, tensor_allocate(job->arena, 1, size[0]));
    struct tensor part = tensor_allocate(job->arena, 1, NORM2_PARTS), norm = tensor_allocate(job->arena, 1, 2);
    job->bytes = 4.0 * size[0];
    if (job->c)
        nn_norm2(job->c, norm, part, x);
}

// Includes the norm that it needs.
static void adam(struct bench_job *job, const uint32_t *size)
{
    struct tensor tensors[4], part = tensor_allocate(job->arena, 1, NORM2_PARTS),
                              norm = tensor_allocate(job->arena, 1, 2);
    for (int i = 0; i < 4; i++)
        tensors[i] = bench_random(job, tensor_allocate(job->arena, 1, size[0]));
    struct tensor state = tensor_allocate(job->arena, 1, ADAM_STATE), rate = tensor_allocate(job->arena, 1, 1);
    job->bytes = 32.0 * size[0];
    if (!job->c)
        return;
    cmd_fill(job->c, state.address, 4 * ADAM_STATE, 0);
    cmd_fill(job->c, rate.address, 4, 0x38d1b717); // 1e-4
    nn_norm2(job->c, norm, part, tensors[3]);
    nn_adam(job->c, tensors[0], tensors[1], tensors[2], state, tensors[3], norm, rate,
        &(struct adam_settings){ .beta1 = 0.9, .beta2 = 0.999, .eps = 1e-8, .max_norm = 1 });
}

// The layer (rows, in, out) with a bias, its output's gradient, and the work of each of its three products.
static struct linear layer(struct bench_job *job, struct tensor *dy, const uint32_t *size)
{
    struct linear l = { .y = tensor_allocate(job->arena, 2, size[0], size[2]),
        .x = bench_random(job, tensor_allocate(job->arena, 2, size[0], size[1])),
        .w = bench_random(job, tensor_allocate(job->arena, 2, size[1], size[2])),
        .bias = bench_random(job, tensor_allocate(job->arena, 1, size[2])) };
    *dy = bench_random(job, tensor_allocate(job->arena, 2, size[0], size[2]));
    job->flops = 2.0 * size[0] * size[1] * size[2];
    return l;
}

static void linear(struct bench_job *job, const uint32_t *size)
{
    struct tensor dy;
    struct linear l = layer(job, &dy, size);
    if (job->c)
        nn_linear(job->c, &l);
}

static void linear_dx(struct bench_job *job, const uint32_t *size)
{
    struct tensor dy, dx = tensor_allocate(job->arena, 2, size[0], size[1]);
    struct linear l = layer(job, &dy, size);
    if (job->c)
        nn_linear_dx(job->c, dx, dy, &l, false);
}

// Includes the bias's gradient.
static void linear_dw(struct bench_job *job, const uint32_t *size)
{
    struct tensor dy, dw = tensor_allocate(job->arena, 2, size[1], size[2]),
                      db = tensor_allocate(job->arena, 1, size[2]);
    uint64_t floats = nn_linear_dw_scratch(job->gpu, 1, size[0], size[1], size[2]);
    struct tensor scratch = tensor_allocate(job->arena, 1, (uint32_t)floats);
    struct linear l = layer(job, &dy, size);
    if (!job->c)
        return;
    cmd_fill(job->c, dw.address, 4 * tensor_count(&dw), 0);
    cmd_fill(job->c, db.address, 4 * tensor_count(&db), 0);
    nn_linear_dw(job->c, dw, db, scratch, dy, &l);
}

// Growth of the cost of an instance: with its size, the beam width, and the batch.
#define GROWTH(stem, n, B, W)                                                                                          \
    {                                                                                                                  \
        "growth-" stem, { n, B, W }, .whole = W ? bench_beam : bench_greedy, .problem = "tsp", .asked = true           \
    }

const struct benchmark bench_table[] = {
    { "copy", { 4194304 }, copy },
    { "norm2", { 1167360 }, norm2 }, // every weight of the default model
    { "adam", { 1167360 }, adam },
    { "linear", { 10752, 128, 128 }, linear },
    { "linear", { 10752, 128, 512 }, linear },
    { "linear", { 10752, 512, 128 }, linear },
    { "linear-dx", { 10752, 128, 128 }, linear_dx },
    { "linear-dx", { 10752, 128, 512 }, linear_dx },
    { "linear-dx", { 10752, 512, 128 }, linear_dx },
    { "linear-dw", { 10752, 128, 128 }, linear_dw },
    { "linear-dw", { 10752, 128, 512 }, linear_dw },
    { "linear-dw", { 10752, 512, 128 }, linear_dw },
    { "attention", { 512, 20 }, bench_attention },
    { "attention", { 16, 100 }, bench_attention },
    { "attention-back", { 512, 20 }, bench_attention_back },
    { "attention-back", { 16, 100 }, bench_attention_back },
    { "reattend", { 2560, 20 }, bench_reattend },
    { "reattend", { 320, 100 }, bench_reattend },
    { "reattend-back", { 2560, 20 }, bench_reattend_back },
    { "reattend-back", { 320, 100 }, bench_reattend_back },
    { "norm", { 512, 21 }, bench_norm },
    { "norm-batch", { 512, 21 }, bench_norm_batch },
    { "norm-layer", { 512, 21 }, bench_norm_layer },
    { "norm-back", { 512, 21 }, bench_norm_back },
    { "norm-batch-back", { 512, 21 }, bench_norm_batch_back },
    { "norm-layer-back", { 512, 21 }, bench_norm_layer_back },
    { "pointer", { 2560, 20 }, bench_pointer },
    { "pointer-share", { 320, 4, 50 }, bench_pointer_share },
    { "likelihood", { 320, 64, 50 }, bench_likelihood }, // 16 decisions of 4 samples
    { "greedy", { 20, 512 }, .whole = bench_greedy, .problem = "tsp" },
    { "greedy", { 50, 128 }, .whole = bench_greedy, .problem = "tsp" },
    { "greedy", { 100, 64 }, .whole = bench_greedy, .problem = "tsp" },
    { "greedy", { 20, 512 }, .whole = bench_greedy, .problem = "cvrp" },
    { "beam50", { 20, 6, 50 }, .whole = bench_beam, .problem = "tsp" },
    { "beam50", { 20, 6, 50 }, .whole = bench_beam, .problem = "cvrp" },
    { "beam50", { 100, 1, 50 }, .whole = bench_beam, .problem = "tsp" },
    { "beam500", { 20, 1, 500 }, .whole = bench_beam, .problem = "tsp" },
    { "reduce", { 20 }, .whole = bench_reduce, .problem = "tsp" }, // the sum of eight parts, over all ranks
    { "train", { 20, 512 }, .whole = bench_train, .problem = "tsp" },
    { "train", { 20, 512 }, .whole = bench_train, .problem = "cvrp" },
    { "train", { 50, 128 }, .whole = bench_train, .problem = "tsp" },
    { "train-plain 64x4", { 50, 64, 4 }, .whole = bench_train, .problem = "tsp" }, // no glimpses
    { "train-plain 64x4", { 50, 64, 4 }, .whole = bench_train, .problem = "cvrp" },
    { "train-plain 32x8", { 50, 32, 8 }, .whole = bench_train, .problem = "tsp" },
    { "train-plain 32x8", { 50, 32, 8 }, .whole = bench_train, .problem = "cvrp" },
    GROWTH("n greedy", 20, 8, 0),
    GROWTH("n greedy", 50, 8, 0),
    GROWTH("n greedy", 100, 8, 0),
    GROWTH("n greedy", 150, 8, 0),
    GROWTH("n greedy", 200, 8, 0),
    GROWTH("n beam30", 20, 1, 30),
    GROWTH("n beam30", 50, 1, 30),
    GROWTH("n beam30", 100, 1, 30),
    GROWTH("n beam30", 150, 1, 30),
    GROWTH("n beam30", 200, 1, 30),
    GROWTH("beam 10", 50, 1, 10),
    GROWTH("beam 30", 50, 1, 30),
    GROWTH("beam 50", 50, 1, 50),
    GROWTH("beam 100", 50, 1, 100),
    GROWTH("beam 200", 50, 1, 200),
    GROWTH("beam 500", 50, 1, 500),
    GROWTH("batch 1", 20, 1, 0),
    GROWTH("batch 8", 20, 8, 0),
    GROWTH("batch 64", 20, 64, 0),
    GROWTH("batch 512", 20, 512, 0),
    { NULL },
};
