// What `mdam-vk bench` can time. An entry is a row of the table and a function that takes tensors, records one run and
// says how much useful work it is.
#include "cli/bench.h"

static void copy(struct bench_job *job, const uint32_t *size)
{
    struct tensor from = bench_random(job, tensor_take(job->arena, 1, size[0]));
    struct tensor to = tensor_take(job->arena, 1, size[0]);
    job->bytes = 8.0 * size[0];
    if (job->c)
        nn_copy(job->c, to, from);
}

const struct benchmark bench_table[] = {
    { "copy", { 4194304 }, copy },
    { NULL },
};
