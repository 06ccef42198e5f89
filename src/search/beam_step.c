#include "search/beam_step.h"

#include "beam_follow.spv.h"
#include "beam_select.spv.h"
#include "beam_share.spv.h"
#include "env/env.h"
#include "gpu/gpu.h"
#include "nn/forms.h"
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

static uint32_t own_words(const struct beam *b)
{
    return b->rules->words.dim[1] - RULES_STATE;
}

// Whether a step of this beam is one kernel.
static bool is_at_once(const struct beam *b)
{
    struct form_sizes sizes = { .candidates = b->shape.W * b->shape.K, .own = own_words(b) };
    return !b->shape.separate && env_of(b->rules->batch->problem)->beam &&
           form_choose(gpu_info(b->gpu), FORM_BEAM, &sizes)->kind == FORM_SHARED;
}

// Returns the mask of the bits of a hash that count.
static uint32_t hash_bits(const struct beam *b)
{
    return b->shape.alike ? 7 : UINT32_MAX;
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
    b->at_once = is_at_once(b);
    b->clock = tensor_allocate(arena, 1, T / W);
    b->parents = tensor_allocate(arena, 2, b->shape.J, T);
    b->offer = (struct offer){ .score = b->score, .state = rules->state };
    b->offer.offer = tensor_allocate(arena, 2, T, K);
    b->offer.node = like(arena, b->offer.offer);
    b->table = tensor_allocate(arena, 2, T / W, table_size(b->at_once ? W : W * K));
    if (!b->at_once) {
        b->old_state = like(arena, rules->words);
        b->old_sets = like(arena, rules->sets);
        b->old_remaining = like(arena, rules->remaining);
        b->old_share = like(arena, rules->share);
        b->old_slot = like(arena, b->slot);
        b->merged = like(arena, b->offer.offer);
        b->scratch = tensor_allocate(arena, 3, 3, T, K);
    }
    return (struct policy_glimpses){ .slot = b->slot, .keys = b->keys };
}

static void copy(struct cmd *c, struct tensor to, struct tensor from)
{
    cmd_copy(c, to.address, from.address, 4 * tensor_count(&from));
}

// The state of the hypotheses, and a copy of it while it is overwritten.
struct memory {
    struct tensor state, sets, remaining, share, slot;
};

static struct memory memory_of(const struct beam *b)
{
    const struct rules *rules = b->rules;
    return (struct memory){ rules->words, rules->sets, rules->remaining, rules->share, b->slot };
}

// Returns the words of a hypothesis that follow its parent.
static uint64_t columns_of(const struct rules *rules)
{
    const uint32_t N = rules->batch->N, words = (N + 31) / 32;
    return rules->words.dim[1] + RULES_SETS * words + 1 + (rules->remaining.address ? 2 * N : 0);
}

// Copies the parent's state, in OLD, to each hypothesis.
static void record_follow(struct cmd *c, const struct beam *b, const struct memory *old)
{
    const struct rules *rules = b->rules;
    const struct memory memory = memory_of(b);
    struct beam_follow_args args = { .state = memory.state.address,
        .sets = memory.sets.address,
        .remaining = memory.remaining.address,
        .share = memory.share.address,
        .slot = memory.slot.address,
        .old_state = old->state.address,
        .old_sets = old->sets.address,
        .old_remaining = old->remaining.address,
        .old_share = old->share.address,
        .old_slot = old->slot.address,
        .parent = b->parent.address,
        .clock = b->clock.address,
        .T = rules->T,
        .N = rules->batch->N,
        .own = own_words(b) };
    const uint64_t columns = columns_of(rules);
    cmd_dispatch(c, &(struct dispatch){ .kernel = &follow,
                        .args = &args,
                        .workers = cmd_workers(c, rules->T * columns),
                        .bytes = 8.0 * rules->T * (double)columns });
}

static struct memory record_copies(struct cmd *c, const struct beam *b)
{
    const struct memory from = memory_of(b),
                        to = { b->old_state, b->old_sets, b->old_remaining, b->old_share, b->old_slot };
    cmd_together(c, true);
    copy(c, to.state, from.state);
    copy(c, to.sets, from.sets);
    copy(c, to.slot, from.slot);
    if (from.remaining.address) {
        copy(c, to.remaining, from.remaining);
        copy(c, to.share, from.share);
    }
    cmd_together(c, false);
    return to;
}

void beam_begin(void *user, struct cmd *c)
{
    const struct beam *b = user;
    const struct memory same = memory_of(b); // a parent is the hypothesis itself, or none
    copy(c, b->score, b->start_score);
    copy(c, b->parent, b->start_parent);
    record_follow(c, b, &same);
    cmd_fill(c, b->clock.address, 4ull * beams_of(b), 0);
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
        .relevant = rules->keys.address,
        .instance = rules->instance.address,
        .limits = rules->batch->limits.address,
        .T = rules->T,
        .N = rules->batch->N,
        .W = b->shape.W,
        .size = table_size(b->shape.W),
        .bits = hash_bits(b) };
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
        .bits = hash_bits(b) };
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

static void record_step(struct cmd *c, const struct beam *b)
{
    const struct rules *rules = b->rules;
    const struct memory memory = memory_of(b);
    const struct gpu_info *info = gpu_info(b->gpu);
    const uint32_t threads = beam_threads(info, b->shape.W * b->shape.K);
    struct beam_step_args args = { .action = rules->action.address,
        .score = b->score.address,
        .parents = b->parents.address,
        .clock = b->clock.address,
        .state = memory.state.address,
        .sets = memory.sets.address,
        .remaining = memory.remaining.address,
        .share = memory.share.address,
        .slot = memory.slot.address,
        .offer = b->offer.offer.address,
        .node = b->offer.node.address,
        .instance = rules->instance.address,
        .nodes = rules->batch->nodes.address,
        .limits = rules->batch->limits.address,
        .T = rules->T,
        .N = rules->batch->N,
        .B = rules->batch->B,
        .W = b->shape.W,
        .K = b->shape.K,
        .J = b->shape.J,
        .own = own_words(b),
        .bits = hash_bits(b) };
    cmd_dispatch(c, &(struct dispatch){ .kernel = env_of(rules->batch->problem)->beam,
                        .args = &args,
                        .workers = (uint64_t)beams_of(b) * (threads / info->lanes),
                        .constants = { [CONSTANT_THREADS] = threads,
                            [BEAM_MERGES] = b->shape.merge,
                            [RULES_OPTIONS] = rules->batch->kind != BATCH_PLAIN },
                        .bytes = 8.0 * rules->T * (double)columns_of(rules) });
}

void beam_step(void *user, struct cmd *c)
{
    const struct beam *b = user;
    if (b->at_once) {
        cmd_label(c, "beam/step");
        record_step(c, b);
        rules_step(c, b->rules);
        return;
    }
    if (b->shape.merge) {
        cmd_label(c, "beam/merge");
        record_merge(c, b);
    }
    cmd_label(c, "beam/select");
    record_select(c, b);
    struct memory old = record_copies(c, b);
    record_follow(c, b, &old);
    rules_step(c, b->rules);
}
