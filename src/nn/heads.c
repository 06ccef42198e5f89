#include "nn/heads.h"

#include "nn/forms.h"
#include "shaders/args.h"
#include "util/divide.h"
#include "util/error.h"

uint32_t heads_channels(const char *operation, uint32_t D, uint32_t H)
{
    if (H == 0 || D % H || D / H < 2)
        bug("%s: %u channels for %u heads", operation, D, H);
    return D / H;
}

bool heads_paired(const struct form *form, uint32_t N)
{
    return N % 2 == 0 && form_constant(form, HEAD_TILE) % 2 == 0;
}

uint32_t heads_vectors(const struct cmd *c, uint32_t N, uint32_t max)
{
    uint32_t all = (uint32_t)cmd_workers(c, N);
    return (uint32_t)divide_up(all, divide_up(all, max));
}
