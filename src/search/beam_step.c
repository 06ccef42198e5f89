#include "search/beam_step.h"

#include "beam_follow.spv.h"
#include "beam_select.spv.h"
#include "beam_share.spv.h"
#include "env/env.h"
#include "gpu/gpu.h"
#include "shaders/args.h"

static const struct kernel choose = KERNEL(beam_select), follow = KERNEL(beam_follow), share = KERNEL_ALONE(beam_share);

// Returns the slots of a hash table for `count` entries: at most half of them are used.
static uint32_t table_size(uint32_t count)
{
    uint32_t size = 2;
    while (size < 2 * (uint64_t)count)
        size *= 2;
    return size;
}

static uint32_t beams_of(const struct beam *b)
{
    return b->rules->T / b->shape.W;
}

static struct tensor like(struct arena *arena, struct tensor tensor)
{
    if (tensor.address)
        tensor.address = tensor_allocate(arena, 1, (uint32_t)tensor_count(&tensor)).address;
    return tensor;
}

struct policy_glimpses beam_layout(void *user, struct arena *arena, const struct rules *rules)
{
    struct beam *b = user;
    const uint32_t T = rules->T, W = b->shape.W, K = b->shape.K, words = (rules->batch->N + 31) / 32;
    b->rules = rules;
    b->score = tensor_allocate(arena, 1, T);
    b->parent = tensor_allocate(arena, 1, T);
    b->slot = tensor_allocate(arena, 1, T);
    b->keys = tensor_allocate(arena, 2, T, words);
    b->start_score = like(arena, b->score);
    b->start_parent = like(arena, b->parent);
    b->clock = tensor_allocate(arena, 1, 1);
    b->parents = tensor_allocate(arena, 2, b->shape.J, T);
    b->old_state = like(arena, rules->words);
    b->old_sets = like(arena, rules->sets);
    b->old_remaining = like(arena, rules->remaining);
    b->old_share = like(arena, rules->share);
    b->old_slot = like(arena, b->slot);
    b->offer = (struct offer){ .score = b->score, .state = rules->state };
    b->offer.offer = tensor_allocate(arena, 2, T, K);
    b->offer.node = like(arena, b->offer.offer);
    b->merged = like(arena, b->offer.offer);
    b->scratch = tensor_allocate(arena, 3, 3, T, K);
    b->table = tensor_allocate(arena, 2, T / W, table_size(W * K));
    return (struct policy_glimpses){ .slot = b->slot, .keys = b->keys };
}

static void copy(struct cmd *c, struct tensor to, struct tensor from)
{
    cmd_copy(c, to.address, from.address, 4 * tensor_count(&from));
}

// Copies the parent's state to each hypothesis.
static void record_follow(struct cmd *c, const struct beam *b)
{
    const struct rules *rules = b->rules;
    const uint32_t N = rules->batch->N, words = (N + 31) / 32;
    cmd_together(c, true);
    copy(c, b->old_state, rules->words);
    copy(c, b->old_sets, rules->sets);
    copy(c, b->old_slot, b->slot);
    if (rules->remaining.address) {
        copy(c, b->old_remaining, rules->remaining);
        copy(c, b->old_share, rules->share);
    }
    cmd_together(c, false);
    struct beam_follow_args args = { .state = rules->state.address,
        .sets = rules->sets.address,
        .remaining = rules->remaining.address,
        .share = rules->share.address,
        .slot = b->slot.address,
        .old_state = b->old_state.address,
        .old_sets = b->old_sets.address,
        .old_remaining = b->old_remaining.address,
        .old_share = b->old_share.address,
        .old_slot = b->old_slot.address,
        .parent = b->parent.address,
        .clock = b->clock.address,
        .T = rules->T,
        .N = N,
        .own = rules->words.dim[1] - RULES_STATE };
    uint64_t columns = rules->words.dim[1] + RULES_SETS * words + 1 + (rules->remaining.address ? 2 * N : 0);
    cmd_dispatch(c, &(struct dispatch){ .kernel = &follow,
                        .args = &args,
                        .workers = cmd_workers(c, rules->T * columns),
                        .bytes = 8.0 * rules->T * (double)columns });
}

void beam_begin(void *user, struct cmd *c)
{
    const struct beam *b = user;
    copy(c, b->score, b->start_score);
    copy(c, b->parent, b->start_parent);
    record_follow(c, b);
    cmd_fill(c, b->clock.address, 4, 0);
}

void beam_look(void *user, struct cmd *c, struct tensor everyone)
{
    const struct beam *b = user;
    const struct rules *rules = b->rules;
    cmd_label(c, "beam/share");
    struct beam_share_args args = { .slot = b->slot.address,
        .keys = b->keys.address,
        .everyone = everyone.address,
        .table = b->table.address,
        .score = b->score.address,
        .state = rules->state.address,
        .wanted = rules->keys.address,
        .instance = rules->instance.address,
        .limits = rules->batch->limits.address,
        .T = rules->T,
        .N = rules->batch->N,
        .W = b->shape.W,
        .size = table_size(b->shape.W),
        .bits = b->shape.alike ? 7 : UINT32_MAX };
    cmd_dispatch(c, &(struct dispatch){ .kernel = &share, .args = &args, .workers = beams_of(b) });
}

static void record_merge(struct cmd *c, const struct beam *b)
{
    const struct rules *rules = b->rules;
    struct beam_merge_args args = { .merged = b->merged.address,
        .scratch = b->scratch.address,
        .table = b->table.address,
        .offer = b->offer.offer.address,
        .node = b->offer.node.address,
        .score = b->score.address,
        .state = rules->state.address,
        .sets = rules->sets.address,
        .remaining = rules->remaining.address,
        .instance = rules->instance.address,
        .nodes = rules->batch->nodes.address,
        .limits = rules->batch->limits.address,
        .T = rules->T,
        .N = rules->batch->N,
        .B = rules->batch->B,
        .W = b->shape.W,
        .K = b->shape.K,
        .size = table_size(b->shape.W * b->shape.K),
        .bits = b->shape.alike ? 7 : UINT32_MAX };
    const struct kernel *merge = env_of(rules->batch->problem)->merge;
    cmd_dispatch(c, &(struct dispatch){ .kernel = merge,
                        .args = &args,
                        .workers = beams_of(b),
                        .constants = { [RULES_OPTIONS] = rules->batch->kind != BATCH_PLAIN } });
}

static void record_select(struct cmd *c, const struct beam *b)
{
    struct beam_select_args args = { .parent = b->parent.address,
        .action = b->rules->action.address,
        .score = b->score.address,
        .parents = b->parents.address,
        .clock = b->clock.address,
        .merged = b->shape.merge ? b->merged.address : b->offer.offer.address,
        .node = b->offer.node.address,
        .T = b->rules->T,
        .W = b->shape.W,
        .K = b->shape.K,
        .J = b->shape.J };
    cmd_dispatch(c, &(struct dispatch){ .kernel = &choose, .args = &args, .workers = beams_of(b) });
}

const struct offer *beam_offer(void *user)
{
    const struct beam *b = user;
    return &b->offer;
}

void beam_step(void *user, struct cmd *c)
{
    const struct beam *b = user;
    if (b->shape.merge) {
        cmd_label(c, "beam/merge");
        record_merge(c, b);
    }
    cmd_label(c, "beam/select");
    record_select(c, b);
    record_follow(c, b);
    rules_step(c, b->rules);
}
