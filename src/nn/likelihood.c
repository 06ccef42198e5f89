#include "likelihood_glimpse.spv.h"
#include "likelihood_glimpse_back.spv.h"
#include "likelihood_logits.spv.h"
#include "likelihood_logits_back.spv.h"
#include "nn/forms.h"
#include "nn/nn.h"
#include "shaders/args.h"
#include "util/divide.h"
#include "util/error.h"

static const struct kernel glimpse = KERNEL(likelihood_glimpse), glimpse_back = KERNEL(likelihood_glimpse_back),
                           logits = KERNEL(likelihood_logits), logits_back = KERNEL(likelihood_logits_back);

static const struct form *form_of(const struct gpu *gpu, uint32_t T, uint32_t D, uint32_t N, const struct pointer *p)
{
    struct form_sizes sizes = {
        .D = D, .decisions = T / p->slots.S, .slots_uniform = p->slots.N == N && !p->slots.first && !p->node.address
    };
    return form_choose(gpu_info(gpu), FORM_LIKELIHOOD, &sizes);
}

// Returns the decisions of a worker at a time.
static uint32_t block_of(const struct gpu *gpu, const struct form *form)
{
    return form_constant(form, LIKELIHOOD_MB) * gpu_info(gpu)->lanes;
}

// Scratch of either form, one tensor after the other.
struct layout {
    const struct form *form;
    struct tensor g, dg, log_sum, du; // tiled
    struct tensor logp, dlogp, saved; // else
    uint64_t floats;
};

static struct tensor take(struct layout *l, uint64_t at, uint32_t rows, uint32_t cols)
{
    struct tensor tensor = { at + 4 * l->floats, 2, { rows, cols } };
    l->floats += round_up((uint64_t)rows * cols, 2);
    return tensor;
}

static struct layout layout_of(
    const struct gpu *gpu, uint64_t at, uint32_t T, uint32_t D, uint32_t N, const struct pointer *p)
{
    struct layout l = { .form = form_of(gpu, T, D, N, p) };
    if (l.form->kind == FORM_MANY) {
        const uint32_t block = block_of(gpu, l.form), S = p->slots.S;
        l.g = take(&l, at, T, D);
        l.dg = take(&l, at, T, D);
        l.log_sum = take(&l, at, T, p->H);
        l.du = take(&l, at, (uint32_t)(S * divide_up(T / S, block) * block), N);
    } else {
        l.logp = take(&l, at, T, N);
        l.dlogp = take(&l, at, T, N);
        l.saved = take(&l, at, T, nn_pointer_saved(D, p->H, N));
    }
    return l;
}

uint64_t nn_likelihood_scratch(const struct gpu *gpu, uint32_t T, uint32_t D, uint32_t N, const struct pointer *p)
{
    return layout_of(gpu, 0, T, D, N, p).floats;
}

// Inputs and outputs.
struct job {
    struct tensor dq, dkvl, dwdyn, q;
    const struct likelihood *likelihood;
    const struct pointer *p;
    struct layout l;
    uint32_t T, D, N;
};

static void one_by_one(struct cmd *c, const struct job *j)
{
    const struct likelihood *x = j->likelihood;
    struct pointer pointer = *j->p;
    pointer.saves = true;
    nn_pointer(c, j->l.logp, j->l.saved, j->q, &pointer);
    nn_choose_back(c, j->l.dlogp, x->coefficient, x->action);
    if (x->further.address)
        nn_add(c, (struct tensor){ j->l.dlogp.address, 2, { x->further.dim[0], j->N } }, x->further);
    nn_pointer_back_add(c, j->dq, j->dkvl, j->dwdyn, j->l.dlogp, j->l.logp, j->l.saved, j->q, j->p);
}

// Returns the heads of a worker: an even number of channels, and not too many.
static uint32_t heads_of(uint32_t D, uint32_t H)
{
    return H % 2 || (D / H % 2 == 0 && D / H >= 32) ? 1 : 2;
}

static void dispatch(struct cmd *c, const struct kernel *kernel, const void *args, const struct job *j, uint32_t H,
    uint32_t per_slot, double products)
{
    cmd_dispatch(c, &(struct dispatch){ .kernel = kernel,
                        .args = args,
                        .workers = (uint64_t)j->p->slots.S * per_slot,
                        .constants = { [POINTER_D] = j->D,
                            [POINTER_H] = H,
                            [POINTER_DYN] = j->p->dyn.address != 0,
                            [LIKELIHOOD_R] = form_constant(j->l.form, LIKELIHOOD_R),
                            [LIKELIHOOD_G] = heads_of(j->D, H),
                            [LIKELIHOOD_MB] = form_constant(j->l.form, LIKELIHOOD_MB) },
                        .flops = 2 * products * j->T * j->N * j->D,
                        .bytes = 4 * products * j->T * j->D });
}

static void tiled(struct cmd *c, const struct job *j)
{
    const struct pointer *p = j->p;
    const struct likelihood *x = j->likelihood;
    const struct layout *l = &j->l;
    const uint32_t S = p->slots.S, decisions = j->T / S, block = block_of(cmd_gpu(c), l->form);
    const uint32_t per_group = S / (p->wdyn.address ? (uint32_t)tensor_rows(&p->wdyn) : 1),
                   groups = p->H / heads_of(j->D, p->H), blocks = (uint32_t)divide_up(decisions, block);
    // All four kernels read these.
#define KEYS_AND_SIZES                                                                                                 \
    .kvl = p->kvl.address, .allowed = p->allowed.address, .dyn = p->dyn.address, .rows = p->slots.rows,                \
    .wdyn = p->wdyn.address, .N = j->N, .S = S, .repeat = p->repeat, .decisions = decisions, .per_group = per_group
    struct likelihood_glimpse_args forward = {
        .g = l->g.address, .log_sum = l->log_sum.address, .q = j->q.address, KEYS_AND_SIZES
    };
    struct likelihood_logits_args middle = { .du = l->du.address,
        .g = l->g.address,
        .action = x->action.address,
        .coefficient = x->coefficient.address,
        .further = x->further.address,
        KEYS_AND_SIZES,
        .coefficients = (uint32_t)tensor_count(&x->coefficient),
        .first_rows = x->further.address ? x->further.dim[0] : 0,
        .sharp = p->clip / p->temperature };
    struct likelihood_logits_back_args keys = { .dg = l->dg.address,
        .dkvl = j->dkvl.address,
        .dwdyn = j->dwdyn.address,
        .du = l->du.address,
        .g = l->g.address,
        KEYS_AND_SIZES };
    struct likelihood_glimpse_back_args back = { .dq = j->dq.address,
        .dkvl = j->dkvl.address,
        .dwdyn = j->dwdyn.address,
        .dg = l->dg.address,
        .g = l->g.address,
        .log_sum = l->log_sum.address,
        .q = j->q.address,
        KEYS_AND_SIZES };
#undef KEYS_AND_SIZES
    dispatch(c, &glimpse, &forward, j, p->H, blocks * groups, 2);
    dispatch(c, &logits, &middle, j, 1, blocks, 1); // all channels are one head
    dispatch(c, &logits_back, &keys, j, p->H, groups, 2);
    dispatch(c, &glimpse_back, &back, j, p->H, groups, 5);
}

void nn_likelihood_back_add(struct cmd *c, struct tensor dq, struct tensor dkvl, struct tensor dwdyn,
    struct tensor scratch, struct tensor q, const struct likelihood *x, const struct pointer *p)
{
    const uint32_t T = q.dim[0], D = tensor_cols(&q), N = x->N;
    struct job j = { dq, dkvl, dwdyn, q, x, p, layout_of(cmd_gpu(c), scratch.address, T, D, N, p), T, D, N };
    tensor_expect("likelihood", "q", &q, 2, T, D);
    tensor_expect("likelihood", "dq", &dq, 2, T, D);
    tensor_expect("likelihood", "dkvl", &dkvl, 2, p->kvl.dim[0], 3 * D);
    tensor_expect("likelihood", "allowed", &p->allowed, 2, T, (N + 31) / 32);
    tensor_expect("likelihood", "action", &x->action, 1, T);
    if (p->slot.address || !p->repeat || T % (p->slots.S * p->repeat) || T % tensor_count(&x->coefficient))
        bug("likelihood: %u decisions, %u at a time for each of %u slots, %llu coefficients", T, p->repeat, p->slots.S,
            (unsigned long long)tensor_count(&x->coefficient));
    if (x->further.address)
        tensor_expect("likelihood", "further", &x->further, 2, x->further.dim[0], N);
    if (p->dyn.address)
        tensor_expect("likelihood", "dwdyn", &dwdyn, 2, p->slots.S, 3 * D);
    if (tensor_count(&scratch) < j.l.floats)
        bug("likelihood: a scratch of %llu floats", (unsigned long long)tensor_count(&scratch));
    if (j.l.form->kind == FORM_MANY)
        tiled(c, &j);
    else
        one_by_one(c, &j);
}
