#include "nn/nn.h"
#include "pointer.spv.h"
#include "pointer_back.spv.h"
#include "pointer_live.spv.h"
#include "shaders/args.h"
#include "util/error.h"

static const struct kernel pointer_forward = KERNEL(pointer);
static const struct kernel pointer_back = KERNEL(pointer_back);
static const struct kernel pointer_live = KERNEL(pointer_live);

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

// Lists the live rows and masks everything; nn_pointer overwrites what is live.
static void list_live(struct cmd *c, struct tensor logp, struct tensor saved, uint32_t D, const struct pointer *p)
{
    uint32_t T = logp.dim[0], N = logp.dim[1], lanes = gpu_info(cmd_gpu(c))->lanes;
    tensor_expect("pointer", "allowed", &p->allowed, 2, T, (N + 31) / 32);
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
    cmd_dispatch(
        c, &(struct dispatch){
               .kernel = &pointer_live, .args = &args, .workers = (T + lanes - 1) / lanes, .bytes = 12.0 * T * N });
}

void nn_pointer(struct cmd *c, struct tensor logp, struct tensor saved, struct tensor q, const struct pointer *p)
{
    uint32_t T = q.dim[0], D = q.dim[1];
    expect("pointer", logp, saved, q, p);
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
    cmd_dispatch(c, &(struct dispatch){ .kernel = &pointer_forward,
                        .args = &args,
                        .workers = T,
                        .spec = { D, p->H, p->dyn.at != 0 },
                        .flops = 6.0 * T * p->slots.N * D,
                        .bytes = 12.0 * T * p->slots.N * D });
}

void nn_pointer_back_add(struct cmd *c, struct tensor dq, struct tensor dkvl, struct tensor dwdyn, struct tensor dlogp,
    struct tensor logp, struct tensor saved, struct tensor q, const struct pointer *p)
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
    cmd_dispatch(c, &(struct dispatch){ .kernel = &pointer_back,
                        .args = &args,
                        .workers = p->slots.S,
                        .spec = { D, p->H, p->dyn.at != 0 },
                        .flops = 14.0 * T * p->slots.N * D,
                        .bytes = 36.0 * T * p->slots.N * D });
}
