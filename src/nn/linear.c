// The linear layer and its gradients: three uses of one matrix product, which has several forms. A row's result depends
// only on the row, the weights and the device, not on the division of rows.
#include "linear_reduce.spv.h"
#include "nn/forms.h"
#include "nn/nn.h"
#include "shaders/args.h"
#include "util/divide.h"
#include "util/error.h"

static const struct kernel reduce = KERNEL(linear_reduce);

// Sizes that all three uses share, after checks.
struct shape {
    uint32_t G, R, in, out;
    uint32_t max_rows; // rows in use of a group
    uint32_t weights;  // groups with weights of their own
    uint32_t stride;   // weights from one group to the next
    bool shared;       // all groups share x
};

static void check_count(const char *what, const struct tensor *tensor)
{
    if (tensor_count(tensor) >> 31) // kernels count floats in 32 bits, and some indices are signed
        bug("linear: %s has %llu elements", what, (unsigned long long)tensor_count(tensor));
}

// Groups that share weights also share the bias.
static uint64_t biases_of(const struct shape *s)
{
    return (uint64_t)s->weights * s->out;
}

static struct shape shape_of(const struct linear *l)
{
    const struct tensor *w = &l->w;
    struct shape s = { .G = w->rank == 3 ? w->dim[0] : 1, .in = w->dim[w->rank - 2], .out = w->dim[w->rank - 1] };
    s.weights = s.G;
    s.stride = (l->stride ? l->stride : s.in) * s.out;
    s.G *= l->repeat ? l->repeat : 1;
    if (w->rank == 2 && l->rows.address)
        s.G = l->rows.dim[0];
    uint32_t rows = (uint32_t)tensor_rows(&l->y), x_rows = (uint32_t)tensor_rows(&l->x);
    s.R = rows / s.G;
    s.max_rows = l->max_rows ? l->max_rows : s.R;
    if (s.max_rows > s.R)
        bug("linear: %u rows in use of %u", s.max_rows, s.R);
    s.shared = s.G > 1 && x_rows == s.R;
    if (w->rank < 2 || w->rank > 3 || rows % s.G || tensor_cols(&l->y) != s.out || tensor_cols(&l->x) != s.in ||
        (x_rows != rows && !s.shared))
        bug("linear: %u groups, w (%u,%u), x (%u,%u), y (%u,%u)", s.G, s.in, s.out, x_rows, tensor_cols(&l->x), rows,
            tensor_cols(&l->y));
    if (l->bias.address && tensor_count(&l->bias) != biases_of(&s))
        bug("linear: %llu biases for %u outputs in %u groups", (unsigned long long)tensor_count(&l->bias), s.out, s.G);
    if (l->residual.address &&
        (tensor_cols(&l->residual) != s.out || (!l->source.address && tensor_rows(&l->residual) < rows)))
        bug("linear: a residual of %u columns for %u", tensor_cols(&l->residual), s.out);
    if (l->source.address)
        tensor_expect("linear", "source", &l->source, 1, rows);
    if (l->rows.address)
        tensor_expect("linear", "rows", &l->rows, 2, s.G, 2);
    if (s.shared && (l->rows.address || l->repeat > 1))
        bug("linear: %u groups share x, but not all its rows or weights", s.G);
    if ((uint64_t)s.in * s.out >> 30) // kernels count the bytes of a group's weights in 32 bits
        bug("linear: weights (%u,%u)", s.in, s.out);
    check_count("x", &l->x);
    check_count("y", &l->y);
    check_count("w", &l->w);
    check_count("the residual", &l->residual);
    return s;
}

// Division of a product. The number of pipelines stays small: sizes select between few forms.
struct cut {
    const struct form *form;
    bool block;
    uint32_t mr, ku, tk;
    uint32_t columns; // per worker
};

static struct cut cut_of(const struct gpu_info *info, const struct form *form)
{
    uint32_t span = 2 * info->lanes;
    struct cut cut = { .form = form };
    cut.block = cut.form->kind == FORM_BLOCK;
    cut.mr = form_constant(cut.form, LINEAR_MR);
    cut.ku = form_constant(cut.form, LINEAR_KU);
    cut.tk = cut.block ? form_constant(cut.form, LINEAR_TK) : 0;
    if (cut.block && !cut.tk)
        cut.tk = span;
    cut.columns = form_constant(cut.form, LINEAR_TV) * span;
    return cut;
}

static bool even(uint64_t address)
{
    return address % 8 == 0;
}

// Returns whether all accesses may use two floats without checking borders.
static bool fits(const struct cut *f, const struct linear_args *a, uint32_t form)
{
    bool transposed = form & LINEAR_A_TRANSPOSED;
    uint32_t K = transposed ? 2 : a->K; // the number of rows in use varies and has its own check
    return a->N % f->columns == 0 && K % (f->block && !transposed ? f->tk : 2) == 0 &&
           (f->block || transposed || K % f->ku == 0) && (!transposed || a->M % f->mr == 0) && even(a->c) &&
           even(a->a) && even(a->b) && even(a->bias) && even(a->residual) && even(a->mask) && a->a_stride % 2 == 0 &&
           a->b_stride % 2 == 0 && a->c_stride % 2 == 0 && a->slab_stride % 2 == 0;
}

// Parts are handed to threads in long runs. When only the first rows of a group are in use, neighbours must not lie in
// one run: a step of about the golden section spreads them.
static uint32_t stride_for(uint64_t parts)
{
    if (parts < 3 || parts > UINT16_MAX)
        return 1;
    for (uint32_t stride = (uint32_t)(0.618 * (double)parts);; stride++) {
        uint64_t x = stride, y = parts;
        while (y) {
            uint64_t rest = x % y;
            x = y, y = rest;
        }
        if (x == 1)
            return stride;
    }
}

// Whether every access may be to four floats, and loads of rows to twice as many.
static bool fits_quads(const struct linear_args *a, uint32_t form)
{
    uint64_t addresses = a->c | a->a | a->b | a->bias | a->residual | a->mask;
    uint32_t strides = a->a_stride | a->b_stride | a->c_stride | a->slab_stride | a->bias_stride;
    return addresses % 16 == 0 && strides % 4 == 0 && a->N % 8 == 0 &&
           (form & LINEAR_A_TRANSPOSED ? a->M % 8 : a->K % 4) == 0;
}

// Steps along K whose code is unrolled: a CPU driver would compile all of them for half a minute, and Intel's compiler,
// on GPUs with few lanes, starts so many loads ahead that it runs out of registers.
static uint32_t unrolled(const struct gpu_info *info)
{
    return info->is_cpu ? 1 : LINEAR_BK;
}

static void product_shared(
    struct cmd *c, const struct form *chosen, const struct linear_args *a, uint32_t form, double flops, double bytes)
{
    const struct gpu_info *info = gpu_info(cmd_gpu(c));
    uint64_t tiles = divide_up(a->M, form_constant(chosen, LINEAR_BM)) * divide_up(a->N, LINEAR_BN);
    if (!fits_quads(a, form))
        form |= LINEAR_GUARD;
    struct dispatch dispatch = { .kernel = chosen->kernel,
        .args = a,
        .workers = a->groups * divide_up(a->K, a->depth) * tiles * gpu_subgroups(cmd_gpu(c), chosen->kernel),
        .constants = { [LINEAR_FORM] = form,
            [LINEAR_KU] = unrolled(info),
            [LINEAR_AHEAD] = info->lanes >= (info->is_cpu ? 16 : 32) }, // CPU drivers have both, for tests
        .flops = flops,
        .bytes = bytes };
    form_fill(dispatch.constants, chosen);
    cmd_dispatch(c, &dispatch);
}

// Returns the rows of a gradient of weights that a worker of the form for CPUs takes: all, or fewer if there are few
// workers.
static uint32_t weight_rows(const struct linear_args *a, uint64_t columns)
{
    const uint64_t workers = a->groups * columns * divide_up(a->K, a->depth);
    uint32_t rows = a->M;
    while (rows > 64 && workers * divide_up(a->M, rows) < 8)
        rows = (uint32_t)round_up(rows / 2, 64);
    return rows;
}

static void product(struct cmd *c, struct linear_args *a, uint32_t form, double flops, double bytes)
{
    bool transposed = form & LINEAR_A_TRANSPOSED;
    const struct form *chosen = form_choose(gpu_info(cmd_gpu(c)), FORM_LINEAR,
        &(struct form_sizes){ .transposed = transposed, .M = a->M, .K = a->K, .rows = (uint64_t)a->M * a->groups });
    if (!transposed)
        a->depth = a->K;
    if (chosen->kind == FORM_SHARED) {
        product_shared(c, chosen, a, form, flops, bytes);
        return;
    }
    struct cut f = cut_of(gpu_info(cmd_gpu(c)), chosen);
    if (!fits(&f, a, form))
        form |= LINEAR_GUARD;
    uint64_t columns = divide_up(a->N, f.columns);
    // On a CPU about 32 blocks of at least 256 rows divide the work well and read B rarely; blocks longer than 448 rows
    // made 512 inputs 2 to 5 % slower.
    uint64_t block = round_up(a->M * (uint64_t)a->groups * columns / 32, 64);
    a->block = !f.block      ? f.mr
               : transposed  ? weight_rows(a, columns)
               : block < 256 ? 256
               : block > 448 ? 448
                             : (uint32_t)block;
    // The form for GPUs computes the column sums of B as one more row.
    uint64_t parts = divide_up(a->M + (transposed && !f.block), a->block) * divide_up(a->K, a->depth);
    a->stride = f.block ? stride_for(parts) : 1;
    struct dispatch dispatch = { .kernel = f.form->kernel,
        .args = a,
        .workers = a->groups * parts * columns,
        .constants = { [LINEAR_FORM] = form },
        .flops = flops,
        .bytes = bytes };
    form_fill(dispatch.constants, f.form);
    if (f.block)
        dispatch.constants[LINEAR_TK] = f.tk;
    cmd_dispatch(c, &dispatch);
}

static double flops_of(const struct shape *s)
{
    return 2.0 * s->G * s->max_rows * s->in * s->out;
}

static double bytes_of(const struct shape *s)
{
    return 4.0 * s->G * ((double)s->max_rows * (s->in + s->out) + (double)s->in * s->out);
}

void nn_linear(struct cmd *c, const struct linear *l)
{
    struct shape s = shape_of(l);
    struct linear_args args = { .c = l->y.address,
        .a = l->x.address,
        .b = l->w.address,
        .bias = l->bias.address,
        .residual = l->residual.address,
        .source = l->source.address,
        .rows = l->rows.address,
        .M = s.max_rows,
        .N = s.out,
        .K = s.in,
        .groups = s.G,
        .weights = s.weights,
        .sum = 1,
        .a_stride = s.shared ? 0 : s.R * s.in,
        .b_stride = s.stride,
        .c_stride = s.R * s.out,
        .bias_stride = s.out,
        .mode = l->relu ? LINEAR_RELU : 0 };
    product(c, &args, 0, flops_of(&s), bytes_of(&s));
}

void nn_linear_dx(struct cmd *c, struct tensor dx, struct tensor dy, const struct linear *l, bool add)
{
    struct shape s = shape_of(l);
    tensor_expect("linear_dx", "dx", &dx, 2, s.shared ? s.R : s.G * s.R, s.in);
    tensor_expect("linear_dx", "dy", &dy, 2, s.G * s.R, s.out);
    struct linear_args args = { .c = dx.address,
        .a = dy.address,
        .b = l->w.address,
        .mask = l->relu ? l->y.address : 0,
        .rows = l->rows.address,
        .M = s.max_rows,
        .N = s.in,
        .K = s.out,
        .groups = s.shared ? 1 : s.G,
        .weights = s.weights,
        .sum = s.shared ? s.G : 1,
        .a_stride = s.R * s.out,
        .b_stride = s.stride,
        .c_stride = s.R * s.in,
        .mode = add ? LINEAR_ADD : 0 };
    product(c, &args, LINEAR_B_TRANSPOSED | (l->relu ? LINEAR_A_MASKED : 0), flops_of(&s), bytes_of(&s));
}

// Returns the rows in a slab of dW: fewer slabs for many groups.
static uint32_t slab_rows(const struct gpu *gpu, const struct shape *s)
{
    uint32_t slabs = form_choose(gpu_info(gpu), FORM_LINEAR_SLABS, NULL)->slabs / s->G;
    slabs = slabs < 4 ? 4 : slabs;
    uint64_t rows = round_up(divide_up(s->R, slabs), 128);
    return rows < 256 ? 256 : (uint32_t)rows;
}

// Whether dW is added to at once, without slabs: for few rows the slabs' sum costs a CPU as much as the product.
static bool adds_directly(const struct gpu *gpu, const struct shape *s)
{
    enum { FEW = 4096 };
    const struct form_sizes sizes = { .transposed = true, .M = s->in, .K = s->R, .rows = (uint64_t)s->in * s->G };
    return form_choose(gpu_info(gpu), FORM_LINEAR, &sizes)->kind == FORM_BLOCK && s->weights == s->G && s->R <= FEW;
}

static uint64_t slab_floats(const struct shape *s)
{
    return ((uint64_t)s->in + 1) * s->out;
}

static uint64_t scratch_floats(const struct gpu *gpu, const struct shape *s)
{
    return s->G * divide_up(s->R, slab_rows(gpu, s)) * slab_floats(s);
}

uint64_t nn_linear_dw_scratch(const struct gpu *gpu, uint32_t G, uint32_t R, uint32_t in, uint32_t out)
{
    return scratch_floats(gpu, &(struct shape){ .G = G, .R = R, .in = in, .out = out });
}

void nn_linear_dw(struct cmd *c, struct tensor dw, struct tensor dbias, struct tensor scratch, struct tensor dy,
    const struct linear *l)
{
    const struct gpu *gpu = cmd_gpu(c);
    struct shape s = shape_of(l);
    tensor_expect("linear_dw", "dy", &dy, 2, s.G * s.R, s.out);
    if (tensor_count(&dw) != tensor_count(&l->w) || (dbias.address && tensor_count(&dbias) != biases_of(&s)))
        bug("linear_dw: %llu weights and %llu biases", (unsigned long long)tensor_count(&dw),
            (unsigned long long)tensor_count(&dbias));
    if (tensor_count(&scratch) < scratch_floats(gpu, &s))
        bug("linear_dw: scratch of %llu floats, %llu needed", (unsigned long long)tensor_count(&scratch),
            (unsigned long long)scratch_floats(gpu, &s));
    check_count("scratch", &scratch);
    const bool direct = adds_directly(gpu, &s);
    uint32_t depth = direct ? s.R : slab_rows(gpu, &s), slabs = (uint32_t)divide_up(s.R, depth),
             floats = (uint32_t)slab_floats(&s);
    struct linear_args args = { .c = direct ? dw.address : scratch.address,
        .a = l->x.address,
        .b = dy.address,
        .mask = l->relu ? l->y.address : 0,
        .rows = l->rows.address,
        .M = s.in,
        .N = s.out,
        .K = s.R,
        .groups = s.G,
        .weights = s.weights,
        .sum = 1,
        .a_stride = s.shared ? 0 : s.R * s.in,
        .b_stride = s.R * s.out,
        .c_stride = direct ? s.stride : slabs * floats,
        .slab_stride = direct ? 0 : floats,
        .bias = direct ? dbias.address : 0,
        .bias_stride = s.out,
        .mode = direct ? LINEAR_ADD : 0,
        .depth = depth };
    product(c, &args, LINEAR_A_TRANSPOSED | (l->relu ? LINEAR_B_MASKED : 0), flops_of(&s), bytes_of(&s));
    if (direct)
        return;
    struct linear_reduce_args sums = { .dw = dw.address,
        .db = dbias.address,
        .slab = scratch.address,
        .rows = l->rows.address,
        .groups = s.G,
        .slabs = slabs,
        .weights = s.in * s.out,
        .biases = s.out,
        .R = s.R,
        .results = s.weights,
        .stride = s.stride,
        .depth = depth };
    cmd_dispatch(c, &(struct dispatch){ .kernel = &reduce,
                        .args = &sums,
                        .workers = sums.results * cmd_workers(c, floats),
                        .bytes = 4.0 * (double)scratch_floats(gpu, &s) });
}
