#include "model/rollout_internal.h"

#include <stdlib.h>
#include <string.h>

#include <stb/stb_ds.h>

#include "gpu/gpu.h"
#include "model/decide.h"
#include "shaders/args.h"
#include "util/alloc.h"
#include "util/error.h"

// Max rows of a stack of several glimpses. More would hardly make products faster, and its gradients need memory.
enum { STACK_ROWS = 1 << 17 };

// Returns whether a glimpse recomputes the embeddings before decision j. While all nodes are relevant, it would compute
// those of the encoder again, except from statistics of its own.
static bool glimpse_due(const struct view *view, uint32_t j)
{
    const struct config *config = &view->model->config;
    const bool native = config->dialect == DIALECT_NATIVE;
    if (native && config->norm != MODEL_BATCH && rules_all_relevant(config->problem, j))
        return false;
    return view->p && j >= (native ? 1 : 2) && j % view->p == 0;
}

uint32_t segment_end(const struct rollout *r, uint32_t j)
{
    uint32_t end = j + 1;
    if (!r->view.p)
        end = j + STEPS_AT_ONCE;
    while (r->view.p && !glimpse_due(&r->view, end))
        end++;
    return (r->shape.save || j == 0) && end > r->shape.J ? r->shape.J : end;
}

// Returns the max relevant nodes of a trajectory before decision j.
static uint32_t max_relevant(const struct rollout *r, uint32_t j)
{
    const struct config *config = &r->model->config;
    return config->dialect == DIALECT_NATIVE ? rules_relevant(config->problem, r->shape.N, j) : r->shape.N;
}

static struct decoder decoder_for(const struct rollout *r, uint32_t from, uint32_t to)
{
    return (struct decoder){ .model = r->model,
        .rules = &r->rules,
        .cache = &r->plain,
        .repeat = r->shape.S,
        .temperature = r->shape.temperature,
        .trace = r->shape.save ? &r->trace : NULL,
        .from = from,
        .to = to };
}

// Decisions without a glimpse.
static void plain_layout(struct rollout *r, struct segment *s)
{
    const uint32_t count = s->to - s->from;
    s->decoder = decoder_for(r, s->from, s->to);
    if (r->shape.S > 1)
        s->decoder.slot = r->parent;
    if (r->queries.current.address)
        s->decoder.queries = &r->queries;
    // Without glimpses the gradient needs only the trace.
    const bool stays = r->shape.save && !s->decoder.queries;
    if (s->decoder.queries && s != r->segments && !r->shape.logs) {
        const struct decoder *opening = &r->segments[0].decoder;
        s->decoder.steps = opening->steps;
        s->decoder.q = opening->q;
        s->decoder.logp = opening->logp;
        s->decoder.saved = opening->saved;
        return;
    }
    decoder_layout(&s->decoder, r->arena, stays ? count : 1, stays || r->shape.logs ? count : 1);
}

// Lays out a stack, then the parts of its segments.
static void stack_layout(struct rollout *r, struct stack *k)
{
    const bool save = r->shape.save;
    struct segment *list = r->segments + k->segment;
    const uint32_t length = list[0].to - list[0].from; // decisions of each segment; the last may have fewer
    uint32_t *max_rows = xcalloc(k->count, sizeof *max_rows);
    for (uint32_t i = 0; i < k->count; i++)
        max_rows[i] = max_relevant(r, list[i].from);
    glimpse_layout(&k->glimpse, r->arena, &r->encoder, &r->shown, max_rows, k->count, save, &r->shared);
    k->decoder = decoder_for(r, k->from, k->to);
    k->decoder.cache = &k->glimpse.cache;
    k->decoder.repeat = r->shape.policy ? 0 : 1;
    k->decoder.slot = r->slot;
    k->decoder.relevant = k->glimpse.relevant;
    k->decoder.first = k->glimpse.list.first;
    k->decoder.node = k->glimpse.list.node;
    k->decoder.rows = k->glimpse.list.rows;
    k->decoder.blocks = k->count;
    decoder_layout(&k->decoder, r->arena, save ? k->count * length : 1, save || r->shape.logs ? k->count * length : 1);
    for (uint32_t i = 0; i < k->count; i++) {
        struct segment *s = &list[i];
        s->glimpse = glimpse_of(&k->glimpse, i, max_rows[i]);
        s->decoder = decoder_part(&k->decoder, s->from, s->to);
        s->decoder.cache = &s->glimpse.cache;
        s->decoder.relevant = s->glimpse.relevant;
        s->decoder.first = s->glimpse.list.first;
        s->decoder.rows = s->glimpse.list.rows;
    }
    free(max_rows);
}

// Tensors that all stacks share.
static void shared_layout(struct rollout *r)
{
    const struct config *config = &r->model->config;
    const uint32_t T = r->rules.T, N = r->shape.N;
    uint32_t count = 0, rows = 0;
    for (ptrdiff_t i = 0; i < arrlen(r->stacks); i++) {
        const struct stack *k = &r->stacks[i];
        uint32_t sum = 0;
        for (uint32_t s = 0; s < k->count; s++)
            sum += T * max_relevant(r, r->segments[k->segment + s].from);
        count = k->count > count ? k->count : count;
        rows = sum > rows ? sum : rows;
    }
    r->shared = (struct glimpse_shared){ 0 };
    if (!count)
        return;
    r->shared.instance = count > 1 ? tensor_allocate(r->arena, 1, count * T) : r->rules.instance;
    r->shared.u = tensor_allocate(r->arena, 2, rows, config->D);
    if (config->dialect == DIALECT_REFERENCE)
        r->shared.everyone = tensor_allocate(r->arena, 2, count * T, (N + 31) / 32);
}

static bool takes_actions(const struct rollout_shape *shape)
{
    return shape->mode == GIVEN || shape->mode == TAUGHT;
}

static void layout(struct rollout *r)
{
    const struct model *model = r->model;
    const struct config *config = &model->config;
    const struct rollout_shape *shape = &r->shape;
    const uint32_t B = shape->B, N = shape->N, M = config->M, T = M * B * shape->S;
    struct arena *arena = r->arena;
    batch_layout(&r->batch, arena, config->problem, B, N, shape->kind);
    rules_layout(&r->rules, arena, &r->batch, T, shape->J, config->dialect == DIALECT_REFERENCE);
    encoder_layout(&r->encoder, arena, &r->view, &r->batch, shape->save);
    r->slot_rows = tensor_allocate(arena, 1, M * B);
    r->plain = (struct cache){
        .h = r->encoder.h, .means = r->encoder.seg, .slots = { .S = M * B, .N = N, .rows = r->slot_rows.address }
    };
    cache_layout(&r->plain, arena, model);
    // Without glimpses an instance has at least as many decisions as nodes. The batch must not influence this choice:
    // the alternative rounds differently, and an instance's result must not depend on others.
    if (!r->view.p)
        queries_layout(&r->queries, arena, model, B * N);
    if (shape->S > 1)
        r->parent = tensor_allocate(arena, 1, T);
    r->stream = tensor_allocate(arena, 1, T);
    r->number = tensor_allocate(arena, 1, T);
    if (shape->save) {
        trace_layout(&r->trace, arena, &r->rules, shape->J, r->view.p);
        r->opening = tensor_allocate(arena, 2, T, N);
    }
    if (takes_actions(shape))
        r->given = tensor_allocate(arena, 2, shape->J, T);
    r->chosen = tensor_allocate(arena, 1, T);
    r->total = tensor_allocate(arena, 1, T);
    r->shown = r->rules;
    if (shape->policy) {
        struct policy_glimpses glimpses = shape->policy->layout(shape->policy->user, arena, &r->rules);
        r->slot = glimpses.slot;
        r->shown.keys = glimpses.keys;
    }
    shared_layout(r);
    for (ptrdiff_t i = 0; i < arrlen(r->segments); i++) {
        if (r->segments[i].plain)
            plain_layout(r, &r->segments[i]);
    }
    for (ptrdiff_t i = 0; i < arrlen(r->stacks); i++)
        stack_layout(r, &r->stacks[i]);
}

// Appends a segment to the last stack, if its rows fit there; else it begins a new one.
static void put_on_stack(struct rollout *r, struct segment *s, uint32_t index)
{
    const uint64_t T = (uint64_t)r->model->config.M * r->shape.B * r->shape.S;
    uint64_t rows = T * max_relevant(r, s->from);
    struct stack *last = arrlen(r->stacks) ? &arrlast(r->stacks) : NULL;
    for (uint32_t i = 0; last && i < last->count; i++)
        rows += T * max_relevant(r, r->segments[last->segment + i].from);
    if (!last || rows > (r->shape.stack ? r->shape.stack : STACK_ROWS)) {
        arrput(r->stacks, ((struct stack){ .segment = index, .from = s->from }));
        last = &arrlast(r->stacks);
    }
    last->count++;
    last->to = s->to;
    s->stack = (uint32_t)arrlen(r->stacks) - 1;
}

// Lists the segments and stacks; the lists do not move again, because their elements are referenced.
static void list_segments(struct rollout *r)
{
    for (uint32_t j = 0; j < r->shape.J && (r->shape.save || arrlen(r->segments) < 2); j = segment_end(r, j)) {
        struct segment s = { .from = j, .to = segment_end(r, j), .plain = !glimpse_due(&r->view, j) };
        if (!s.plain)
            put_on_stack(r, &s, (uint32_t)arrlen(r->segments));
        arrput(r->segments, s);
    }
}

// Returns row j of a list (J, T).
static struct tensor row_of(struct tensor tensor, uint32_t j)
{
    return (struct tensor){ tensor.address + 4ull * j * tensor.dim[1], 1, { tensor.dim[1] } };
}

// Records decision j, the kth of its segment: log p, an action, the state after it.
static void step(struct cmd *c, const struct rollout *r, const struct segment *s, uint32_t k, uint32_t j)
{
    const struct policy *policy = r->shape.policy;
    struct tensor none = { 0 };
    struct decision decision = { .action = r->rules.action,
        .chosen = r->chosen,
        .total = r->total,
        .how = { .mode = r->shape.mode,
            .given = takes_actions(&r->shape) ? row_of(r->given, j) : none,
            .instance = r->number,
            .decoder = r->stream,
            .step = r->rules.unfinished.address,
            .seed = r->shape.seed },
        .offer = policy ? policy->offer(policy->user) : NULL };
    cmd_label(c, s->plain ? "decode/plain" : "decode/glimpse");
    const bool turns = !policy && decoder_turns(&s->decoder);
    if (turns)
        decoder_turn(c, &s->decoder, k, &decision, s->from + k + 1 == segment_end(r, s->from));
    else
        decoder_forward(c, &s->decoder, k, &decision);
    if (j == 0 && r->opening.address)
        nn_copy(c, r->opening, decoder_logp(&s->decoder, 0));
    if (turns)
        return;
    if (policy)
        policy->step(policy->user, c);
    else
        rules_step(c, &r->rules);
}

// Returns the trajectories of a decoder and instance that decide in a run.
static uint32_t deciding(const struct rollout *r)
{
    return r->shape.S - r->shape.waits;
}

// Whether all decisions of a recording are one kernel.
static bool decides(const struct rollout *r, const struct segment *s)
{
    return !r->shape.policy && !r->shape.logs && (r->shape.mode != TAUGHT || r->shape.waits) && s->decoder.queries &&
           decide_fits(&s->decoder, deciding(r));
}

// Decisions from..to.
static void decide(struct cmd *c, const struct rollout *r, const struct segment *s, uint32_t from, uint32_t to)
{
    const struct tensor none = { 0 }, logp = decoder_logp(&s->decoder, 0);
    struct decide decide = { .decoder = &s->decoder,
        .mode = r->shape.mode == TAUGHT ? SAMPLE : r->shape.mode,
        .number = r->number,
        .stream = r->stream,
        .given = r->shape.mode == GIVEN ? r->given : none,
        .total = r->total,
        .count = deciding(r),
        .seed = r->shape.seed };
    cmd_label(c, "decode/plain");
    if (from == 0 && r->opening.address) {
        const float masked = MASKED;
        uint32_t bits;
        memcpy(&bits, &masked, sizeof bits);
        cmd_fill(c, logp.address, 4 * tensor_count(&logp), bits);
        decide.logs = true;
        decide_forward(c, &decide, from++, 1);
        decide.logs = false;
        nn_copy(c, r->opening, logp);
    }
    decide_forward(c, &decide, from, to);
}

static void begin(struct cmd *c, struct rollout *r)
{
    const uint32_t M = r->model->config.M, B = r->shape.B;
    cmd_label(c, "begin");
    cmd_copy_repeated(c, r->slot_rows.address, r->batch.limits.address, 4ull * B, M);
    cmd_fill(c, r->total.address, 4ull * r->rules.T, 0);
    if (r->trace.allowed.address) // decisions that this run does not reach
        cmd_fill(c, r->trace.allowed.address, 4 * tensor_count(&r->trace.allowed), 0);
    rules_begin(c, &r->rules);
    if (r->shape.policy)
        r->shape.policy->begin(r->shape.policy->user, c);
    encoder_forward(c, &r->encoder);
    cmd_label(c, "plain/cache");
    cache_forward(c, &r->plain, r->model);
    if (r->queries.current.address)
        queries_forward(c, &r->queries, r->model, r->plain.h);
}

// Records the given decisions of a segment, without the network.
static void record_again(struct rollout *r, struct segment *s)
{
    struct cmd *c = s->again = cmd_create(r->model->gpu);
    cmd_label(c, "decode/again");
    if (decides(r, s)) { // only the trajectories that waited
        const struct decide follow = { .decoder = &s->decoder, .given = r->given, .offset = deciding(r), .count = 1 };
        decide_follow(c, &follow, s->from, s->to);
        cmd_report(c, r->rules.unfinished.address);
        return;
    }
    if (!s->from) {
        cmd_fill(c, r->trace.allowed.address, 4 * tensor_count(&r->trace.allowed), 0);
        rules_begin(c, &r->rules);
    }
    for (uint32_t j = s->from; j < s->to; j++) {
        trace_save(c, &r->trace, &r->rules, j);
        cmd_copy(c, r->rules.action.address, row_of(r->given, j).address, 4ull * r->rules.T);
        rules_step(c, &r->rules);
    }
    cmd_report(c, r->rules.unfinished.address);
}

static struct cmd *add_recording(const struct rollout *r, struct segment *s)
{
    struct cmd *c = cmd_create(r->model->gpu);
    cmd_report(c, r->rules.unfinished.address);
    arrput(s->cmds, c);
    return c;
}

static void record(struct rollout *r)
{
    uint32_t occasion = 0;
    for (ptrdiff_t i = 0; i < arrlen(r->segments); i++) {
        struct segment *s = &r->segments[i];
        struct cmd *c = add_recording(r, s);
        if (i == 0)
            begin(c, r);
        if (!s->plain) {
            const struct stack *stack = &r->stacks[s->stack];
            if (r->shape.save && s->glimpse.first == 0) // decisions that this run does not reach
                cmd_fill(c, stack->decoder.saved.address, 4 * tensor_count(&stack->decoder.saved), 0);
            if (r->shape.save && s->glimpse.occasion.address)
                cmd_fill(c, s->glimpse.occasion.address, 4ull * r->rules.T, glimpse_occasion(&s->glimpse, occasion++));
            if (r->shape.policy)
                r->shape.policy->look(r->shape.policy->user, c, r->shared.everyone);
            glimpse_forward(c, &s->glimpse, &stack->glimpse);
        }
        const uint32_t end = segment_end(r, s->from);
        if (i == 0 && r->shape.save && !s->decoder.queries && end > STEPS_AT_ONCE) { // it may end between recordings
            const struct tensor unreached[] = { s->decoder.saved, s->decoder.ctx };
            for (size_t k = 0; k < sizeof unreached / sizeof *unreached; k++)
                cmd_fill(c, unreached[k].address, 4 * tensor_count(&unreached[k]), 0);
        }
        if (decides(r, s)) {
            decide(c, r, s, s->from, end);
        } else {
            for (uint32_t j = s->from; j < end; j++) {
                if (j > s->from && (j - s->from) % STEPS_AT_ONCE == 0)
                    c = add_recording(r, s);
                step(c, r, s, j - s->from, j);
            }
        }
        if (r->shape.mode == TAUGHT && r->queries.current.address)
            record_again(r, s);
    }
}

const struct rollout_shape *rollout_shape(const struct rollout *r)
{
    return &r->shape;
}

uint32_t rollout_trajectories(const struct rollout *r)
{
    return r->rules.T;
}

uint32_t rollout_commands(const struct rollout *r, uint32_t decisions)
{
    uint32_t sum = 0, used = 0;
    for (uint32_t j = 0; j < decisions; j = segment_end(r, j)) {
        const struct segment *s = &r->segments[r->shape.save || !used ? used : 1];
        for (ptrdiff_t i = 0; i < arrlen(s->cmds); i++)
            sum += cmd_commands(s->cmds[i]);
        used++;
    }
    return sum;
}

bool rollout_seek(struct rollout *r, uint32_t first)
{
    const uint32_t T = r->rules.T, B = r->shape.B, S = r->shape.S;
    uint32_t *stream = xcalloc(T, sizeof *stream);
    for (uint32_t t = 0; t < T; t++)
        stream[t] = (first + t % S) * CONFIG_M_MAX + t / (B * S);
    bool ok = tensor_upload(r->model->gpu, r->stream, stream);
    free(stream);
    return ok;
}

static bool upload_fixed(struct rollout *r)
{
    const uint32_t T = r->rules.T, B = r->shape.B, S = r->shape.S;
    uint32_t *list = xcalloc(2 * (size_t)T, sizeof *list), *parent = list, *instance = list + T;
    for (uint32_t t = 0; t < T; t++) {
        parent[t] = t / S;
        instance[t] = t / S % B;
    }
    bool ok = (S == 1 || tensor_upload(r->model->gpu, r->parent, parent)) &&
              tensor_upload(r->model->gpu, r->rules.instance, instance) && rollout_seek(r, 0);
    for (uint32_t i = 0; ok && r->shared.instance.address && i < r->shared.instance.dim[0]; i += T)
        ok = tensor_upload(r->model->gpu, tensor_slice(r->shared.instance, i, T), instance);
    free(list);
    return ok;
}

// Matrix products read padding rows, so these must be finite, although the results are not used. The history of a
// finished trajectory must name a node.
static bool clear(struct rollout *r)
{
    struct cmd *c = cmd_create(r->model->gpu);
    cmd_label(c, "clear");
    struct tensor list[] = { r->encoder.features, r->encoder.h0, r->rules.history };
    for (size_t i = 0; i < sizeof list / sizeof *list; i++)
        cmd_fill(c, list[i].address, 4 * tensor_count(&list[i]), 0);
    trace_clear(c, &r->trace);
    // Decisions that no run reaches. Their gradients are 0, also as factors of these values.
    if (r->shape.save)
        cmd_fill(c, r->segments[0].decoder.q.address, 4 * tensor_count(&r->segments[0].decoder.q), 0);
    for (ptrdiff_t i = 0; i < arrlen(r->stacks); i++) {
        const struct stack *stack = &r->stacks[i];
        const struct tensor unreached[] = { stack->decoder.ctx, stack->decoder.q, stack->glimpse.cache.mean };
        for (size_t k = 0; r->shape.save && k < sizeof unreached / sizeof *unreached; k++)
            cmd_fill(c, unreached[k].address, 4 * tensor_count(&unreached[k]), 0);
    }
    for (uint32_t i = 0; i < r->model->config.L; i++) {
        const struct encoder_layer *l = &r->encoder.layers[i];
        struct tensor rows[] = { l->in, l->mix, l->block.h1, l->block.h2 };
        for (size_t k = 0; k < sizeof rows / sizeof *rows; k++)
            cmd_fill(c, rows[k].address, 4 * tensor_count(&rows[k]), 0);
    }
    bool ok = cmd_submit(c);
    cmd_destroy(&c);
    return ok;
}

struct rollout *rollout_plan(const struct view *view, const struct rollout_shape *shape)
{
    struct rollout *r = xcalloc(1, sizeof *r);
    r->shape = *shape;
    r->view = *view;
    r->model = view->model;
    r->arena = arena_create(r->model->gpu, "a rollout");
    list_segments(r);
    layout(r);
    return r;
}

uint64_t rollout_bytes(const struct view *view, const struct rollout_shape *shape)
{
    // The numbers of rows of all tensors; the arena checks their sizes in floats.
    const uint64_t longest = shape->J > shape->N ? shape->J : shape->N,
                   trajectories = (uint64_t)view->model->config.M * shape->B * shape->S;
    if (trajectories >> 31 || trajectories * longest >> 31)
        return ROLLOUT_IMPOSSIBLE;
    struct rollout *r = rollout_plan(view, shape);
    uint64_t bytes = arena_possible(r->arena) ? arena_bytes(r->arena) : ROLLOUT_IMPOSSIBLE;
    rollout_destroy(&r);
    return bytes;
}

bool rollout_create(struct rollout **out, const struct view *view, const struct rollout_shape *shape)
{
    struct rollout *r = *out = rollout_plan(view, shape);
    if (takes_actions(shape) && !shape->save)
        bug("rollout of given actions without saved activations");
    bool ok = arena_back(r->arena);
    if (ok) {
        layout(r);
        record(r);
        ok = upload_fixed(r) && clear(r);
    }
    if (!ok)
        rollout_destroy(out);
    return ok;
}

static void segment_finish(struct segment *s)
{
    for (ptrdiff_t i = 0; i < arrlen(s->cmds); i++)
        cmd_destroy(&s->cmds[i]);
    arrfree(s->cmds);
    cmd_destroy(&s->again);
}

void rollout_destroy(struct rollout **slot)
{
    struct rollout *r = *slot;
    if (!r)
        return;
    for (ptrdiff_t i = 0; i < arrlen(r->segments); i++)
        segment_finish(&r->segments[i]);
    arrfree(r->segments);
    arrfree(r->stacks);
    arena_destroy(&r->arena);
    free(r);
    *slot = NULL;
}
