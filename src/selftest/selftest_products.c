// Products of matrices in `mdam-vk selftest`: those with more rows than a pack has, for which devices have forms of
// their own, against sums in double precision.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "nn/nn.h"
#include "selftest/selftest_internal.h"
#include "util/alloc.h"
#include "util/rng.h"

// Elements of a result that are compared, at random. A sum of K products and its first value is off by at most K + 1
// roundings, each 2^-24 of the sum of absolute values.
enum { COMPARED = 2000, COMPARED_DW = 200 };

struct product {
    struct selftest *s;
    struct gpu *gpu;
    uint32_t R, in, out;
    struct tensor x, w, bias, dy, y, dx, dw, dbias, scratch;
    float *hx, *hw, *hbias, *hdy, *hy; // on the host
};

static void layout(struct product *p, struct arena *arena)
{
    p->x = tensor_allocate(arena, 2, p->R, p->in);
    p->w = tensor_allocate(arena, 2, p->in, p->out);
    p->bias = tensor_allocate(arena, 1, p->out);
    p->dy = tensor_allocate(arena, 2, p->R, p->out);
    p->y = tensor_allocate(arena, 2, p->R, p->out);
    p->dx = tensor_allocate(arena, 2, p->R, p->in);
    p->dw = tensor_allocate(arena, 2, p->in, p->out);
    p->dbias = tensor_allocate(arena, 1, p->out);
    p->scratch = tensor_allocate(arena, 1, (uint32_t)nn_linear_dw_scratch(p->gpu, 1, p->R, p->in, p->out));
}

static uint32_t draw(uint32_t stream, uint32_t index)
{
    uint32_t number[4];
    rng_draw(&(struct rng){ .seed = stream }, index, number);
    return number[0];
}

static bool fill(struct product *p, struct tensor to, uint32_t stream, float **host)
{
    const size_t count = tensor_count(&to);
    *host = xcalloc(count, sizeof **host);
    for (size_t i = 0; i < count; i++)
        (*host)[i] = 2 * rng_unit(draw(stream, (uint32_t)i)) - 1;
    return tensor_upload(p->gpu, to, *host);
}

static bool run(struct product *p)
{
    const struct linear l = { .y = p->y, .x = p->x, .w = p->w, .bias = p->bias, .relu = true };
    struct cmd *c = cmd_create(p->gpu);
    cmd_label(c, "products");
    nn_linear(c, &l);
    nn_linear_dx(c, p->dx, p->dy, &l, false);
    cmd_fill(c, p->dw.address, 4 * tensor_count(&p->dw), 0);
    cmd_fill(c, p->dbias.address, 4 * tensor_count(&p->dbias), 0);
    nn_linear_dw(c, p->dw, p->dbias, p->scratch, p->dy, &l);
    const bool ok = cmd_run(c);
    cmd_destroy(&c);
    return ok;
}

// A sum and the sum of its absolute values.
struct sum {
    double value, absolute;
};

static void add(struct sum *sum, double term)
{
    sum->value += term;
    sum->absolute += fabs(term);
}

static double open_gate(const struct product *p, uint32_t row, uint32_t column)
{
    return p->hy[(size_t)row * p->out + column] > 0 ? p->hdy[(size_t)row * p->out + column] : 0;
}

static struct sum sum_y(const struct product *p, uint32_t row, uint32_t column)
{
    struct sum sum = { 0 };
    add(&sum, p->hbias[column]);
    for (uint32_t k = 0; k < p->in; k++)
        add(&sum, (double)p->hx[(size_t)row * p->in + k] * p->hw[(size_t)k * p->out + column]);
    sum.value = sum.value > 0 ? sum.value : 0;
    return sum;
}

static struct sum sum_dx(const struct product *p, uint32_t row, uint32_t column)
{
    struct sum sum = { 0 };
    for (uint32_t k = 0; k < p->out; k++)
        add(&sum, open_gate(p, row, k) * p->hw[(size_t)column * p->out + k]);
    return sum;
}

static struct sum sum_dw(const struct product *p, uint32_t row, uint32_t column)
{
    struct sum sum = { 0 };
    for (uint32_t k = 0; k < p->R; k++)
        add(&sum, open_gate(p, k, column) * p->hx[(size_t)k * p->in + row]);
    return sum;
}

static struct sum sum_dbias(const struct product *p, uint32_t row, uint32_t column)
{
    (void)row;
    struct sum sum = { 0 };
    for (uint32_t k = 0; k < p->R; k++)
        add(&sum, open_gate(p, k, column));
    return sum;
}

static void compare(struct product *p, const char *what, struct tensor found, uint32_t K,
    struct sum (*expected)(const struct product *p, uint32_t row, uint32_t column))
{
    const uint32_t columns = tensor_cols(&found), rows = (uint32_t)(tensor_count(&found) / columns);
    const uint32_t count = K == p->R ? COMPARED_DW : COMPARED;
    char name[80];
    snprintf(name, sizeof name, "linear %ux%ux%u: %s", p->R, p->in, p->out, what);
    float *values = xcalloc(tensor_count(&found), sizeof *values);
    double worst = 0;
    if (!tensor_download(p->gpu, values, found)) {
        selftest_error(p->s, name);
        free(values);
        return;
    }
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t row = draw(7, 2 * i) % rows, column = draw(7, 2 * i + 1) % columns;
        const struct sum sum = expected(p, row, column);
        const double bound = (K + 1) * ldexp(sum.absolute, -24),
                     error = fabs(values[(size_t)row * columns + column] - sum.value);
        worst = error > worst * bound ? error / bound : worst;
        worst = isnan(error) ? INFINITY : worst;
    }
    selftest_check(p->s, worst <= 1, name, "%.2g of 1, %u of %llu elements", worst, count,
        (unsigned long long)tensor_count(&found));
    free(values);
}

static void check_product(struct selftest *s, const uint32_t size[3])
{
    struct product p = { .s = s, .gpu = s->gpu, .R = size[0], .in = size[1], .out = size[2] };
    struct arena *arena = arena_create(p.gpu, "products");
    layout(&p, arena);
    bool ok = arena_back(arena);
    if (ok) {
        layout(&p, arena);
        ok = fill(&p, p.x, 1, &p.hx) && fill(&p, p.w, 2, &p.hw) && fill(&p, p.bias, 3, &p.hbias) &&
             fill(&p, p.dy, 4, &p.hdy) && run(&p);
        p.hy = xcalloc(tensor_count(&p.y), sizeof *p.hy);
        ok = ok && tensor_download(p.gpu, p.hy, p.y);
    }
    if (ok) {
        compare(&p, "y", p.y, p.in, sum_y);
        compare(&p, "gradient of x", p.dx, p.out, sum_dx);
        compare(&p, "gradient of weights", p.dw, p.R, sum_dw);
        compare(&p, "gradient of the bias", p.dbias, p.R, sum_dbias);
    } else {
        selftest_error(s, "products");
    }
    free(p.hx), free(p.hw), free(p.hbias), free(p.hdy), free(p.hy);
    arena_destroy(&arena);
}

void selftest_products(struct selftest *s)
{
    // On GPUs tiles of 64 rows and of 128; and rows and columns that fill no tile.
    static const uint32_t sizes[][3] = { { 640, 128, 512 }, { 4224, 128, 128 }, { 4133, 136, 127 } };
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        char name[48];
        snprintf(name, sizeof name, "linear %ux%ux%u", sizes[i][0], sizes[i][1], sizes[i][2]);
        if (!selftest_late(s, SELFTEST_KERNELS, name))
            check_product(s, sizes[i]);
    }
}
