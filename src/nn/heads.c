#include "nn/heads.h"

#include "util/divide.h"
#include "util/error.h"

uint32_t heads_channels(const char *operation, uint32_t D, uint32_t H)
{
    if (H == 0 || D % H || D / H < 2)
        bug("%s: %u channels for %u heads", operation, D, H);
    return D / H;
}

bool heads_roomy(const struct cmd *c)
{
    const struct gpu_info *info = gpu_info(cmd_gpu(c));
    return info->cpu_forms && info->flavour != GPU_HEAP;
}

uint32_t heads_unroll(const struct cmd *c)
{
    const struct gpu_info *info = gpu_info(cmd_gpu(c));
    return info->cpu_forms && info->flavour == GPU_HEAP ? 2 : 16;
}

uint32_t heads_tile(const struct cmd *c)
{
    const struct gpu_info *info = gpu_info(cmd_gpu(c));
    return info->flavour == GPU_HEAP && info->cpu_forms ? 1 : info->cpu_forms && info->lanes >= 8 ? 8 : 4;
}

bool heads_paired(const struct cmd *c, uint32_t N)
{
    return N % 2 == 0 && heads_tile(c) % 2 == 0;
}

bool heads_small(const struct cmd *c, uint32_t N, uint32_t DK)
{
    return heads_roomy(c) && N <= 24 && DK <= 16;
}

uint32_t heads_vectors(const struct cmd *c, uint32_t N, uint32_t most)
{
    uint32_t all = (uint32_t)cmd_workers(c, N);
    return heads_roomy(c) ? (uint32_t)divide_up(all, divide_up(all, most)) : 1;
}
