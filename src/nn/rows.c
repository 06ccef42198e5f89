#include "nn/rows.h"

#include "nn/forms.h"
#include "shaders/args.h"
#include "util/divide.h"
#include "util/error.h"

uint32_t rows_spread(const struct cmd *c, uint32_t D)
{
    const struct gpu_info *info = gpu_info(cmd_gpu(c));
    uint32_t spread = form_constant(form_choose(info, FORM_ROWS, NULL), ROWS_SPREAD);
    return spread ? spread : (uint32_t)divide_up(D, 2 * info->lanes);
}

void rows_expect(const char *operation, const struct segments *seg, const struct tensor *x)
{
    uint64_t rows = tensor_rows(x);
    if (!seg->first && (uint64_t)seg->S * seg->N > rows)
        bug("%s: %u segments of %u rows in a list of %llu", operation, seg->S, seg->N, (unsigned long long)rows);
}

double rows_floats(const struct segments *seg, const struct tensor *x)
{
    const uint64_t rows = tensor_rows(x), max_rows = (uint64_t)seg->S * seg->N;
    return (double)(rows < max_rows ? rows : max_rows) * tensor_cols(x);
}
