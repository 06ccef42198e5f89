#include "nn/forms.h"
#include "nn/nn.h"
#include "pointer_live.spv.h"
#include "pointer_many_rows.spv.h"
#include "shaders/args.h"
#include "util/divide.h"
#include "util/error.h"

static const struct kernel pointer_live = KERNEL(pointer_live);
static const struct kernel many_rows = KERNEL(pointer_many_rows);

// Floats that the scratch of a gradient may have unless one slot takes more: as much as caches hold, while the workers
// of a dispatch are enough for all cores.
enum { SCRATCH = 1 << 19 };

uint32_t nn_pointer_saved(uint32_t D, uint32_t H, uint32_t N)
{
    return POINTER_SAVED(D, H, N);
}

static uint32_t groups_of(const struct pointer *p)
{
    return p->wdyn.at ? (uint32_t)tensor_rows(&p->wdyn) : 1;
}

// Consecutive trajectories of a step that share a row of the dynamic weights.
static uint32_t each_of(uint32_t T, const struct pointer *p)
{
    return (p->slot.at ? T : p->slots.S * p->share) / groups_of(p);
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
    if (!p->slot.at && (!p->share || T % (p->slots.S * p->share)))
        bug("%s: %u trajectories, %u at a time for each of %u slots", operation, T, p->share, p->slots.S);
    if (p->slot.at)
        tensor_expect(operation, "slot", &p->slot, 1, T);
    if (p->node.at)
        tensor_expect(operation, "node", &p->node, 1, p->kvl.dim[0]);
    if (p->dyn.at) {
        tensor_expect(operation, "dyn", &p->dyn, 2, T, N);
        if (tensor_cols(&p->wdyn) != 3 * D || T % (each_of(T, p) * groups_of(p)))
            bug("%s: dynamic weights (%u, %u) for %u trajectories", operation, groups_of(p), tensor_cols(&p->wdyn), T);
    }
}

static const struct form *form_of(
    const struct gpu *gpu, enum form_operation operation, uint32_t D, uint32_t N, const struct pointer *p)
{
    struct form_sizes sizes = {
        .D = D, .share = p->share, .slots_uniform = !p->slot.at && p->slots.N == N && p->slots.S % groups_of(p) == 0
    };
    return form_choose(gpu_info(gpu), operation, &sizes);
}

// Floats of the scratch for one slot: shaders/lib/cpu/pointer_scratch.glsl.
static uint64_t slot_scratch(uint32_t lanes, uint32_t T, uint32_t D, uint32_t N, const struct pointer *p)
{
    uint64_t even = (p->H + 1) / 2 * 2, rows = N + (p->dyn.at != 0);
    return divide_up(T / p->slots.S, lanes) * lanes * (rows * (2 * even + 2) + D + (N + 31) / 32);
}

uint64_t nn_pointer_scratch(const struct gpu *gpu, uint32_t T, uint32_t D, uint32_t N, const struct pointer *p)
{
    if (form_of(gpu, FORM_POINTER_BACK, D, N, p)->kind != FORM_MANY)
        return 0;
    uint64_t each = slot_scratch(gpu_info(gpu)->lanes, T, D, N, p), all = each * p->slots.S;
    return all < SCRATCH ? all : each > SCRATCH ? each : SCRATCH;
}

// Lists the live rows and masks everything; nn_pointer overwrites what is live.
static void list_live(struct cmd *c, struct tensor logp, struct tensor saved, uint32_t D, const struct pointer *p)
{
    uint32_t T = logp.dim[0], N = logp.dim[1];
    struct pointer_live_args args = { .logp = logp.at,
        .saved = saved.at,
        .slot = p->slot.at,
        .node = p->node.at,
        .allowed = p->allowed.at,
        .first = p->slots.first,
        .rows = p->slots.rows,
        .T = T,
        .N = N,
        .S = p->slots.S,
        .most = p->slots.N,
        .share = p->share,
        .stride = tensor_cols(&saved),
        .list = D + p->H + 1 };
    cmd_dispatch(c, &(struct dispatch){
                        .kernel = &pointer_live, .args = &args, .workers = cmd_workers(c, T), .bytes = 12.0 * T * N });
}

// How the kernels of this form go through the work: see shaders/lib/cpu/pointer_many.glsl.
struct tiling {
    uint32_t R, G; // vectors, and heads of each, at a time
};

// Their code grows with both. Heads go in pairs unless they are odd in number: their coefficients are stored so.
static struct tiling tiling_of(uint32_t D, uint32_t H)
{
    enum { WIDE = 32 }; // channels of a group that has more than two heads
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
    struct pointer_many_args args = { .logp = logp.at,
        .saved = saved.at,
        .q = q.at,
        .kvl = p->kvl.at,
        .node = p->node.at,
        .allowed = p->allowed.at,
        .dyn = p->dyn.at,
        .first = p->slots.first,
        .rows = p->slots.rows,
        .wdyn = p->wdyn.at,
        .N = N,
        .S = S,
        .share = p->share,
        .turns = T / S,
        .each = S / groups_of(p),
        .sharp = p->clip / p->temperature };
    cmd_dispatch(c, &(struct dispatch){ .kernel = form->kernel,
                        .args = &args,
                        .workers = S * divide_up(T / S, lanes),
                        .constants = { [POINTER_D] = D,
                            [POINTER_H] = p->H,
                            [POINTER_DYN] = p->dyn.at != 0,
                            [POINTER_MANY_R] = tiling.R,
                            [POINTER_MANY_G] = tiling.G },
                        .flops = 6.0 * T * N * D,
                        .bytes = 12.0 * S * N * D + 4.0 * T * (2 * D + N) });
}

void nn_pointer(struct cmd *c, struct tensor logp, struct tensor saved, struct tensor q, const struct pointer *p)
{
    uint32_t T = q.dim[0], D = q.dim[1];
    expect("pointer", logp, saved, q, p);
    tensor_expect("pointer", "allowed", &p->allowed, 2, T, (tensor_cols(&logp) + 31) / 32);
    const struct form *form = form_of(cmd_gpu(c), FORM_POINTER, D, tensor_cols(&logp), p);
    if (form->kind == FORM_MANY) {
        forward_many(c, form, logp, saved, q, p);
        return;
    }
    list_live(c, logp, saved, D, p);
    struct pointer_args args = { .logp = logp.at,
        .saved = saved.at,
        .q = q.at,
        .kvl = p->kvl.at,
        .slot = p->slot.at,
        .node = p->node.at,
        .dyn = p->dyn.at,
        .first = p->slots.first,
        .wdyn = p->wdyn.at,
        .T = T,
        .N = tensor_cols(&logp),
        .S = p->slots.S,
        .most = p->slots.N,
        .share = p->share,
        .each = each_of(T, p),
        .groups = groups_of(p),
        .sharp = p->clip / p->temperature };
    cmd_dispatch(c, &(struct dispatch){ .kernel = form->kernel,
                        .args = &args,
                        .workers = T,
                        .constants = { [POINTER_D] = D, [POINTER_H] = p->H, [POINTER_DYN] = p->dyn.at != 0 },
                        .flops = 6.0 * T * p->slots.N * D,
                        .bytes = 12.0 * T * p->slots.N * D });
}

// What a gradient reads and writes.
struct back {
    struct tensor dq, dkvl, dwdyn, scratch, dlogp, logp, saved, q;
};

// As many slots at a time as the scratch has room for.
static void back_many(struct cmd *c, const struct form *form, const struct back *b, const struct pointer *p)
{
    uint32_t T = b->q.dim[0], D = b->q.dim[1], N = b->logp.dim[1], S = p->slots.S, lanes = gpu_info(cmd_gpu(c))->lanes;
    uint64_t room = tensor_count(&b->scratch) / slot_scratch(lanes, T, D, N, p);
    if (!room)
        bug("pointer_back: a scratch of %llu floats", (unsigned long long)tensor_count(&b->scratch));
    struct pointer_many_back_args args = { .dq = b->dq.at,
        .scratch = b->scratch.at,
        .dlogp = b->dlogp.at,
        .logp = b->logp.at,
        .saved = b->saved.at,
        .q = b->q.at,
        .kvl = p->kvl.at,
        .node = p->node.at,
        .dyn = p->dyn.at,
        .first = p->slots.first,
        .rows = p->slots.rows,
        .wdyn = p->wdyn.at,
        .N = N,
        .S = S,
        .share = p->share,
        .turns = T / S,
        .each = S / groups_of(p),
        .sharp = p->clip / p->temperature };
    struct pointer_many_rows_args rows = { .dkvl = b->dkvl.at,
        .dwdyn = b->dwdyn.at,
        .scratch = b->scratch.at,
        .saved = b->saved.at,
        .q = b->q.at,
        .first = p->slots.first,
        .rows = p->slots.rows,
        .N = N,
        .S = S,
        .share = p->share,
        .turns = T / S };
    const uint32_t dynamic = p->dyn.at != 0;
    const struct tiling tiling = tiling_of(D, p->H);
    for (uint32_t begin = 0, end; begin < S; begin = end) {
        end = room < S - begin ? begin + (uint32_t)room : S;
        args.begin = rows.begin = begin;
        args.end = rows.end = end;
        const double work = (double)(end - begin) * (T / S) * N;
        cmd_dispatch(c, &(struct dispatch){ .kernel = form->kernel,
                            .args = &args,
                            .workers = (end - begin) * divide_up(T / S, lanes),
                            .constants = { [POINTER_D] = D,
                                [POINTER_H] = p->H,
                                [POINTER_DYN] = dynamic,
                                [POINTER_MANY_R] = tiling.R,
                                [POINTER_MANY_G] = tiling.G },
                            .flops = 8 * work * D,
                            .bytes = 8 * work * p->H });
        cmd_dispatch(c, &(struct dispatch){ .kernel = &many_rows,
                            .args = &rows,
                            .workers = (end - begin) * 3 * divide_up(N + dynamic, lanes),
                            .constants = { [POINTER_D] = D,
                                [POINTER_H] = p->H,
                                [POINTER_DYN] = dynamic,
                                [POINTER_MANY_R] = tiling.R,
                                [POINTER_MANY_G] = p->H },
                            .flops = 6 * work * D,
                            .bytes = 8 * work * p->H });
    }
}

void nn_pointer_back_add(struct cmd *c, struct tensor dq, struct tensor dkvl, struct tensor dwdyn,
    struct tensor scratch, struct tensor dlogp, struct tensor logp, struct tensor saved, struct tensor q,
    const struct pointer *p)
{
    uint32_t T = q.dim[0], D = q.dim[1], N = tensor_cols(&logp);
    expect("pointer_back", logp, saved, q, p);
    if (p->slot.at)
        bug("pointer_back: trajectories with slots of their choice");
    tensor_expect("pointer_back", "dq", &dq, 2, T, D);
    tensor_expect("pointer_back", "dkvl", &dkvl, 2, p->kvl.dim[0], 3 * D);
    tensor_expect("pointer_back", "dlogp", &dlogp, 2, T, N);
    if (p->dyn.at)
        tensor_expect("pointer_back", "dwdyn", &dwdyn, 2, p->slots.S, 3 * D);
    const struct form *form = form_of(cmd_gpu(c), FORM_POINTER_BACK, D, N, p);
    if (form->kind == FORM_MANY) {
        back_many(c, form, &(struct back){ dq, dkvl, dwdyn, scratch, dlogp, logp, saved, q }, p);
        return;
    }
    struct pointer_back_args args = { .dq = dq.at,
        .dkvl = dkvl.at,
        .dwdyn = dwdyn.at,
        .dlogp = dlogp.at,
        .logp = logp.at,
        .saved = saved.at,
        .q = q.at,
        .kvl = p->kvl.at,
        .node = p->node.at,
        .dyn = p->dyn.at,
        .first = p->slots.first,
        .wdyn = p->wdyn.at,
        .S = p->slots.S,
        .N = N,
        .most = p->slots.N,
        .share = p->share,
        .turns = T / p->slots.S,
        .each = each_of(T, p),
        .groups = groups_of(p),
        .sharp = p->clip / p->temperature };
    cmd_dispatch(c, &(struct dispatch){ .kernel = form->kernel,
                        .args = &args,
                        .workers = p->slots.S,
                        .constants = { [POINTER_D] = D, [POINTER_H] = p->H, [POINTER_DYN] = p->dyn.at != 0 },
                        .flops = 14.0 * T * p->slots.N * D,
                        .bytes = 36.0 * T * p->slots.N * D });
}
