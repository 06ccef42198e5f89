#include "nn/choose.h"
#include "nn/forms.h"
#include "pointer_live.spv.h"
#include "shaders/args.h"
#include "util/divide.h"
#include "util/error.h"

static const struct kernel pointer_live = KERNEL(pointer_live);

uint32_t nn_pointer_saved(uint32_t D, uint32_t H, uint32_t N)
{
    return POINTER_SAVED(D, H, N);
}

static uint32_t groups_of(const struct pointer *p)
{
    return p->wdyn.address ? (uint32_t)tensor_rows(&p->wdyn) : 1;
}

// Returns the consecutive trajectories of a step that share a row of the dynamic weights.
static uint32_t per_group(uint32_t T, const struct pointer *p)
{
    return (p->slot.address ? T : (p->block ? p->block : p->slots.S) * p->repeat) / groups_of(p);
}

static void expect(
    const char *operation, struct tensor logp, struct tensor saved, struct tensor q, const struct pointer *p)
{
    uint32_t T = q.dim[0], D = q.dim[1], N = tensor_cols(&logp);
    tensor_expect(operation, "q", &q, 2, T, D);
    if (D % 2 || !p->H || D % p->H)
        bug("%s: %u channels for %u heads", operation, D, p->H);
    tensor_expect(operation, "logp", &logp, 2, T, N);
    tensor_expect(operation, "saved", &saved, 2, T, POINTER_SAVED(D, p->H, N));
    tensor_expect(operation, "kvl", &p->kvl, 2, p->kvl.dim[0], 3 * D);
    if (!p->slot.address && (!p->repeat || T % (p->slots.S * p->repeat)))
        bug("%s: %u trajectories, %u at a time for each of %u slots", operation, T, p->repeat, p->slots.S);
    if (p->slot.address)
        tensor_expect(operation, "slot", &p->slot, 1, T);
    if (p->node.address)
        tensor_expect(operation, "node", &p->node, 1, p->kvl.dim[0]);
    if (p->dyn.address) {
        tensor_expect(operation, "dyn", &p->dyn, 2, T, N);
        if (tensor_cols(&p->wdyn) != 3 * D || T % (per_group(T, p) * groups_of(p)))
            bug("%s: dynamic weights (%u, %u) for %u trajectories", operation, groups_of(p), tensor_cols(&p->wdyn), T);
    }
}

static const struct form *form_of(const struct gpu *gpu, uint32_t D, uint32_t N, const struct pointer *p)
{
    struct form_sizes sizes = { .N = N,
        .D = D,
        .DK = D / p->H,
        .repeat = p->repeat,
        .saves = p->saves,
        .slots_uniform = !p->slot.address && p->slots.N == N && p->slots.S % groups_of(p) == 0 };
    return form_choose(gpu_info(gpu), FORM_POINTER, &sizes);
}

bool nn_pointer_chooses(const struct gpu *gpu, uint32_t D, uint32_t N, const struct pointer *p)
{
    return form_of(gpu, D, N, p)->kind == FORM_SHARED;
}

struct pointer_division nn_pointer_division(uint32_t T, const struct pointer *p)
{
    return (struct pointer_division){ per_group(T, p), groups_of(p) };
}

// Arguments that all kernels of the operation but pointer_live have.
#define POINTER_ARGS                                                                                                   \
    .logp = logp.address, .saved = saved.address, .q = q.address, .kvl = p->kvl.address, .node = p->node.address,      \
    .dyn = p->dyn.address, .first = p->slots.first, .wdyn = p->wdyn.address, .N = tensor_cols(&logp), .S = p->slots.S, \
    .repeat = p->repeat, .sharp = p->clip / p->temperature

// Lists the live rows and masks everything; nn_pointer overwrites live entries.
static void list_live(
    struct cmd *c, struct tensor logp, struct tensor saved, uint32_t D, uint32_t group, const struct pointer *p)
{
    uint32_t T = logp.dim[0], N = logp.dim[1];
    struct pointer_live_args args = { .logp = logp.address,
        .saved = saved.address,
        .slot = p->slot.address,
        .node = p->node.address,
        .allowed = p->allowed.address,
        .first = p->slots.first,
        .rows = p->slots.rows,
        .T = T,
        .N = N,
        .S = p->slots.S,
        .max_rows = p->slots.N,
        .repeat = p->repeat,
        .stride = tensor_cols(&saved),
        .list = D + p->H + 1,
        .group = group };
    cmd_dispatch(
        c, &(struct dispatch){
               .kernel = &pointer_live, .args = &args, .workers = cmd_workers(c, T / group), .bytes = 12.0 * T * N });
}

// Returns the parts of D channels, which have whole heads and fill the lanes.
static uint32_t parts_of(const struct gpu *gpu, const struct form *form, uint32_t D, uint32_t H)
{
    uint32_t parts = form_constant(form, POINTER_PARTS);
    while (parts > 1 && (H % parts || D / parts % 2 || D / parts < 2 * gpu_info(gpu)->lanes))
        parts /= 2;
    return parts;
}

// How the kernels of this form divide the work: see shaders/lib/cpu/pointer_many.glsl.
struct tiling {
    uint32_t R, G; // vectors, and heads of each, at a time
};

// Their code grows with both. Heads are processed in pairs unless their number is odd, because coefficients are stored
// in pairs.
static struct tiling tiling_of(uint32_t D, uint32_t H)
{
    enum { WIDE = 32 }; // channels of a group with more than two heads
    uint32_t G = H % 2 ? H : 2;
    for (uint32_t more = 4; more <= H; more += 2)
        if (H % more == 0 && more * (D / H) <= WIDE)
            G = more;
    return (struct tiling){ D > 128 ? 2 : 4, G };
}

static void forward_many(struct cmd *c, const struct form *form, struct tensor logp, struct tensor saved,
    struct tensor q, const struct pointer *p)
{
    uint32_t T = q.dim[0], D = q.dim[1], N = logp.dim[1], S = p->slots.S, lanes = gpu_info(cmd_gpu(c))->lanes;
    const struct tiling tiling = tiling_of(D, p->H);
    struct pointer_many_args args = { POINTER_ARGS, .allowed = p->allowed.address, .rows = p->slots.rows,
        .decisions = T / S, .per_group = S / groups_of(p) };
    cmd_dispatch(c, &(struct dispatch){ .kernel = form->kernel,
                        .args = &args,
                        .workers = S * divide_up(T / S, lanes),
                        .constants = { [POINTER_D] = D,
                            [POINTER_H] = p->H,
                            [POINTER_DYN] = p->dyn.address != 0,
                            [POINTER_MANY_R] = tiling.R,
                            [POINTER_MANY_G] = tiling.G },
                        .flops = 6.0 * T * N * D,
                        .bytes = 12.0 * S * N * D + 4.0 * T * (2 * D + N) });
}

// One kernel for everything; `decision` may be NULL.
static void forward_shared(struct cmd *c, const struct form *form, const struct decision *decision, struct tensor logp,
    struct tensor saved, struct tensor q, const struct pointer *p)
{
    uint32_t T = q.dim[0], D = q.dim[1], N = tensor_cols(&logp), then = POINTER_ONLY;
    struct pointer_choose_args args = { POINTER_ARGS, .slot = p->slot.address, .allowed = p->allowed.address,
        .rows = p->slots.rows, .T = T, .max_rows = p->slots.N, .per_group = per_group(T, p), .groups = groups_of(p),
        .saves = p->saves };
    if (decision && decision->offer) {
        const struct offer *offer = decision->offer;
        offer_check(offer, logp);
        then = POINTER_OFFER;
        args.offer = offer->offer.address;
        args.offered = offer->node.address;
        args.score = offer->score.address;
        args.state = offer->state.address;
        args.K = tensor_cols(&offer->offer);
    } else if (decision) {
        const struct choose *how = &decision->how;
        then = choose_checked(decision->action, decision->chosen, decision->total, logp, how);
        args.action = decision->action.address;
        args.chosen = decision->chosen.address;
        args.total = decision->total.address;
        args.given = how->given.address;
        args.number = how->instance.address;
        args.stream = how->decoder.address;
        args.step_ = how->step;
        args.seed = how->seed;
    }
    cmd_dispatch(c, &(struct dispatch){ .kernel = form->kernel,
                        .args = &args,
                        .workers = T,
                        .constants = { [POINTER_D] = D,
                            [POINTER_H] = p->H,
                            [POINTER_DYN] = p->dyn.address != 0,
                            [POINTER_THEN] = then,
                            [POINTER_NODES] = pointer_nodes(N) },
                        .flops = 6.0 * T * p->slots.N * D,
                        .bytes = 12.0 * T * p->slots.N * D });
}

// Returns the form, with everything checked.
static const struct form *checked_form(
    struct cmd *c, struct tensor logp, struct tensor saved, struct tensor q, const struct pointer *p)
{
    expect("pointer", logp, saved, q, p);
    tensor_expect("pointer", "allowed", &p->allowed, 2, q.dim[0], (tensor_cols(&logp) + 31) / 32);
    return form_of(cmd_gpu(c), q.dim[1], tensor_cols(&logp), p);
}

void nn_pointer(struct cmd *c, struct tensor logp, struct tensor saved, struct tensor q, const struct pointer *p)
{
    uint32_t T = q.dim[0], D = q.dim[1];
    const struct form *form = checked_form(c, logp, saved, q, p);
    if (form->kind == FORM_SHARED) {
        forward_shared(c, form, NULL, logp, saved, q, p);
        return;
    }
    if (form->kind == FORM_MANY) {
        forward_many(c, form, logp, saved, q, p);
        return;
    }
    // Each read of a row serves several trajectories.
    const bool shares = form->kind == FORM_SHARE;
    const uint32_t group = shares ? form_constant(form, POINTER_SHARE_TS) : 1,
                   parts = shares ? 1 : parts_of(cmd_gpu(c), form, D, p->H);
    list_live(c, logp, saved, D, group, p);
    struct pointer_args args = { POINTER_ARGS, .slot = p->slot.address, .allowed = p->allowed.address, .T = T,
        .max_rows = p->slots.N, .per_group = per_group(T, p), .groups = groups_of(p) };
    cmd_dispatch(c, &(struct dispatch){ .kernel = form->kernel,
                        .args = &args,
                        .workers = T / group,
                        .constants = { [POINTER_D] = D / parts,
                            [POINTER_H] = p->H / parts,
                            [POINTER_DYN] = p->dyn.address != 0,
                            [POINTER_SHARE_TS] = group,
                            [POINTER_PARTS] = parts },
                        .flops = 6.0 * T * p->slots.N * D,
                        .bytes = 12.0 * T * p->slots.N * D });
}

void nn_decide(struct cmd *c, const struct decision *decision, struct tensor logp, struct tensor saved, struct tensor q,
    const struct pointer *p)
{
    const struct form *form = checked_form(c, logp, saved, q, p);
    if (form->kind == FORM_SHARED) {
        forward_shared(c, form, decision, logp, saved, q, p);
        return;
    }
    nn_pointer(c, logp, saved, q, p);
    if (decision->offer)
        nn_offer(c, decision->offer, logp);
    else
        nn_choose(c, decision->action, decision->chosen, decision->total, logp, &decision->how);
}

// All decisions of a slot together, each of one trajectory.
static void back_shared(struct cmd *c, const struct form *form, struct tensor dq, struct tensor dkvl,
    struct tensor dlogp, struct tensor logp, struct tensor saved, struct tensor q, const struct pointer *p)
{
    const uint32_t T = q.dim[0], D = q.dim[1], S = p->slots.S;
    struct pointer_back_share_args args = { .dq = dq.address,
        .dkvl = dkvl.address,
        .dlogp = dlogp.address,
        .logp = logp.address,
        .saved = saved.address,
        .q = q.address,
        .kvl = p->kvl.address,
        .node = p->node.address,
        .first = p->slots.first,
        .rows = p->slots.rows,
        .S = S,
        .N = tensor_cols(&logp),
        .max_rows = p->slots.N,
        .block = p->block ? p->block : S,
        .sharp = p->clip / p->temperature };
    cmd_dispatch(c, &(struct dispatch){ .kernel = form->kernel,
                        .args = &args,
                        .workers = S,
                        .constants = { [POINTER_D] = D, [POINTER_H] = p->H, [POINTER_SHARE_TS] = T / S },
                        .flops = 14.0 * T * p->slots.N * D,
                        .bytes = 36.0 * S * p->slots.N * D + 8.0 * T * D });
}

void nn_pointer_back_add(struct cmd *c, struct tensor dq, struct tensor dkvl, struct tensor dwdyn, struct tensor dlogp,
    struct tensor logp, struct tensor saved, struct tensor q, const struct pointer *p)
{
    uint32_t T = q.dim[0], D = q.dim[1], N = tensor_cols(&logp);
    expect("pointer_back", logp, saved, q, p);
    if (p->slot.address)
        bug("pointer_back: trajectories with slots of their choice");
    tensor_expect("pointer_back", "dq", &dq, 2, T, D);
    tensor_expect("pointer_back", "dkvl", &dkvl, 2, p->kvl.dim[0], 3 * D);
    tensor_expect("pointer_back", "dlogp", &dlogp, 2, T, N);
    if (p->dyn.address)
        tensor_expect("pointer_back", "dwdyn", &dwdyn, 2, p->slots.S, 3 * D);
    struct pointer_back_args args = { POINTER_ARGS, .dq = dq.address, .dkvl = dkvl.address, .dwdyn = dwdyn.address,
        .dlogp = dlogp.address, .max_rows = p->slots.N, .decisions = T / p->slots.S, .per_group = per_group(T, p),
        .groups = groups_of(p) };
    const struct form_sizes sizes = {
        .N = N, .D = D, .repeat = p->repeat, .decisions = args.decisions, .dynamic = p->dyn.address
    };
    const struct form *form = form_choose(gpu_info(cmd_gpu(c)), FORM_POINTER_BACK, &sizes);
    if (form->kind == FORM_SHARE) {
        back_shared(c, form, dq, dkvl, dlogp, logp, saved, q, p);
        return;
    }
    const uint32_t parts = parts_of(cmd_gpu(c), form, D, p->H);
    cmd_dispatch(c, &(struct dispatch){ .kernel = form->kernel,
                        .args = &args,
                        .workers = parts * p->slots.S,
                        .constants = { [POINTER_D] = D / parts,
                            [POINTER_H] = p->H / parts,
                            [POINTER_DYN] = p->dyn.address != 0,
                            [POINTER_PARTS] = parts },
                        .flops = 14.0 * T * p->slots.N * D,
                        .bytes = 36.0 * T * p->slots.N * D });
}
