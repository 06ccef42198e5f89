// Builds the pipelines that GPUs get for either target on the device that the environment selects, with the
// specialisation constants that the network's operations choose there, and prints what the driver tells about each.
// Fails if one does not build or spills registers. tests/layers.py sees to it that every operation is recorded here;
// which kernels it takes depends on the device. Nothing is submitted: this is for drivers without their hardware
// (tools/on, tools/vendors), too. With the name of a kernel, or `all`, it prints the instructions of its pipelines, for
// tools/shares and tools/gpu.
#include <stdio.h>
#include <string.h>

#include "env/draw.h"
#include "env/turn.h"
#include "nn/nn.h"
#include "problem/problem.h"
#include "search/beam_step.h"
#include "shaders/args.h"
#include "util/error.h"

static const char *shown;                         // the kernel whose instructions are printed, "all", or NULL
static const char *const kernels[] = { KERNELS }; // every shader's stem, from shaders/meson.build

// A model and a batch as they occur: instances, nodes, embedding, heads, feed-forward.
struct sizes {
    uint32_t B, N, D, H, F;
};

static struct tensor allocate(struct arena *arena, const uint32_t dim[4])
{
    int rank = 0;
    while (rank < 4 && dim[rank])
        rank++;
    return tensor_allocate(arena, rank, dim[0], dim[1], dim[2], dim[3]);
}
#define T(...) allocate(a, (uint32_t[4]){ __VA_ARGS__ })

// Decisions with the rules' step, where the device has them, of trajectories with rows of their own.
static void record_turns(struct cmd *c, struct arena *a, const struct sizes *s, const struct rules *rules)
{
    const uint32_t all = rules->T, N = rules->batch->N, D = s->D, W = (N + 31) / 32,
                   C = rules->scalar.address ? D + CONTEXT_SCALARS : 2 * D;
    struct tensor none = { 0 }, first = T(all), rows = T(all), h = T(all * N, D);
    struct turn turn = { .rules = rules,
        .logp = T(all, N),
        .saved = T(all, nn_pointer_saved(D, s->H, N)),
        .q = T(all, D),
        .pointer = { .slots = { .S = all, .N = N, .first = first.address, .rows = rows.address },
            .kvl = T(all * N, 3 * D),
            .node = T(all * N),
            .allowed = rules->allowed,
            .dyn = rules->share,
            .wdyn = rules->share.address ? T(3 * D) : none,
            .H = s->H,
            .repeat = 1,
            .clip = 10,
            .temperature = 1,
            .saves = true },
        .ctx = T(all, C),
        .h = h,
        .context = { .placeholder = T(2 * D), .relevant = T(all, W), .first = first, .N = N },
        .trace_state = T(all, RULES_STATE) };
    for (enum choose_mode mode = GREEDY; mode <= TAUGHT && turn_fits(cmd_gpu(c), rules, D, &turn.pointer); mode++) {
        const struct decision decision = { T(all), T(all), T(all), .how = { mode, T(all), T(all), T(all), 0, 1 } };
        turn.decision = &decision;
        turn_run(c, &turn);
    }
}

// Tensors of a problem's instances and rules.
static void record_problem(struct cmd *c, struct arena *a, const struct sizes *s, const struct problem *problem)
{
    struct distribution distribution = { s->N, s->N, 0, 0, PRIZE_DIST };
    struct batch batch;
    struct draw draw;
    struct rules rules;
    batch_layout(&batch, a, problem, s->B, s->N + problem->has_depot, BATCH_PLAIN);
    draw_layout(&draw, a, &distribution, 1);
    rules_layout(&rules, a, &batch, s->B, 1, false);
    draw_batch(c, &batch, &draw);
    batch_features(c, tensor_allocate(a, 2, batch.B * batch.N, FEATURES), &batch);
    rules_begin(c, &rules);
    rules_step(c, &rules);
    record_turns(c, a, s, &rules);
}

// Tensors that a beam search adds; its steps use nothing else of a rollout.
static void record_beam(struct cmd *c, struct arena *a, const struct sizes *s, const struct problem *problem)
{
    struct beam beam = { .gpu = cmd_gpu(c),
        .shape = { .B = s->B / 8, .N = s->N + 1, .W = 8, .K = 3, .J = 1, .merge = true } };
    struct batch batch;
    struct rules rules;
    batch_layout(&batch, a, problem, beam.shape.B, beam.shape.N, BATCH_PLAIN);
    rules_layout(&rules, a, &batch, s->B, 1, false);
    for (int separate = 0; separate < 2; separate++) {
        beam.shape.separate = separate;
        beam_layout(&beam, a, &rules);
        beam_begin(&beam, c);
        beam_look(&beam, c, (struct tensor){ 0 });
        nn_offer(c, beam_offer(&beam), tensor_allocate(a, 2, s->B, beam.shape.N));
        beam_step(&beam, c);
    }
}

static void record_pointer(struct cmd *c, struct arena *a, const struct sizes *s, uint32_t share, bool dynamic)
{
    uint32_t all = s->B, S = all / share;
    struct pointer pointer = { .slots = { .S = S, .N = s->N },
        .kvl = T(S * s->N, 3 * s->D),
        .allowed = T(all, (s->N + 31) / 32),
        .H = s->H,
        .repeat = share,
        .clip = 10,
        .temperature = 1 };
    if (dynamic)
        pointer.dyn = T(all, s->N), pointer.wdyn = T(3 * s->D);
    struct tensor logp = T(all, s->N), saved = T(all, nn_pointer_saved(s->D, s->H, s->N)), q = T(all, s->D);
    uint64_t scratch = nn_likelihood_scratch(cmd_gpu(c), all, s->D, s->N, &pointer);
    struct likelihood given = { T(all), T(all), T(all, s->N), s->N };
    nn_pointer(c, logp, saved, q, &pointer);
    struct offer offer = { T(all, 3), T(all, 3), T(all), T(all, RULES_STATE) };
    nn_decide(c, &(struct decision){ .offer = &offer }, logp, saved, q, &pointer);
    for (enum choose_mode mode = GREEDY; mode <= GIVEN; mode++)
        nn_decide(c,
            &(struct decision){ T(all), T(all), T(all), .how = { mode, T(all), T(all), T(all), T(1).address, 1 } },
            logp, saved, q, &pointer);
    nn_pointer_back_add(c, T(all, s->D), T(S * s->N, 3 * s->D), T(S, 3 * s->D), T(all, s->N), logp, saved, q, &pointer);
    nn_likelihood_back_add(
        c, T(all, s->D), T(S * s->N, 3 * s->D), T(S, 3 * s->D), T((uint32_t)scratch), q, &given, &pointer);
}

static void record_linear(struct cmd *c, struct arena *a, uint32_t R, uint32_t in, struct linear l)
{
    uint32_t G = l.w.rank == 3 ? l.w.dim[0] : 1, out = tensor_cols(&l.w);
    struct tensor dy = T(G * R, out);
    l.y = T(G * R, out), l.x = T(G * R, in);
    nn_linear(c, &l);
    nn_linear_dx(c, T(G * R, in), dy, &l, false);
    nn_linear_dx(c, T(G * R, in), dy, &l, true);
    struct tensor scratch = T((uint32_t)nn_linear_dw_scratch(cmd_gpu(c), G, R, in, out));
    nn_linear_dw(c, l.w, l.bias, scratch, dy, &l);
}

// The linear layers of the model: embedding, attention, feed-forward, the decoders' caches and queries.
static void record_linears(struct cmd *c, struct arena *a, const struct sizes *s)
{
    uint32_t R = s->B * s->N, D = s->D, F = s->F, C = D + CONTEXT_SCALARS;
    record_linear(c, a, R, FEATURES, (struct linear){ .w = T(FEATURES, D) });
    record_linear(c, a, R, D, (struct linear){ .w = T(D, 3 * D) });
    record_linear(c, a, R, D, (struct linear){ .w = T(D, D), .residual = T(R, D) });
    record_linear(c, a, R, D, (struct linear){ .w = T(D, D), .residual = T(R, D), .source = T(R) });
    record_linear(c, a, R, D, (struct linear){ .w = T(D, F), .bias = T(F), .relu = true });
    record_linear(c, a, R, F, (struct linear){ .w = T(F, D), .bias = T(D), .residual = T(R, D) });
    record_linear(c, a, R, D, (struct linear){ .w = T(5, D, 3 * D), .rows = T(5, 2) });
    record_linear(c, a, s->B, C, (struct linear){ .w = T(5, C, D), .residual = T(5 * s->B, D) });
    record_linear(c, a, s->B, 2 * D, (struct linear){ .w = T(5, 2 * D, D), .residual = T(5 * s->B, D) });
}

static void record_norm(
    struct cmd *c, struct arena *a, const struct sizes *s, enum nn_norm_mode mode, struct segments seg)
{
    uint32_t R = s->B * s->N, D = s->D, entries = mode == NORM_BATCH ? 1 : seg.S;
    struct norm norm = { .mode = mode, .seg = seg, .G = 1 };
    norm.stats = mode == NORM_LAYER ? T(R, 2) : T(entries, 2, D);
    norm.scratch = T((uint32_t)nn_norm_scratch(&norm, D));
    if (mode == NORM_GIVEN)
        norm.index = T(seg.S);
    struct tensor none = { 0 }, hat = T(R, D), gain = T(D), bias = T(D), dstats = norm.stats;
    nn_norm(c, T(R, D), none, &norm, T(R, D), none, gain, bias);
    nn_norm(c, T(R, D), hat, &norm, T(R, D), none, gain, bias);
    nn_norm(c, T(R, D), hat, &norm, T(R, D), T(R, D), gain, bias);
    nn_norm_back(c, T(R, D), gain, bias, none, T(R, D), hat, &norm, gain);
    if (mode != NORM_LAYER)
        nn_norm_back(c, T(R, D), gain, bias, dstats, T(R, D), hat, &norm, gain);
    if (mode == NORM_BATCH)
        nn_norm_track(c, T(2, D), &norm, 0, 0.1f);
}

// The encoder's dense segments, or a glimpse's, which have fewer rows than nodes.
static void record_segments(struct cmd *c, struct arena *a, const struct sizes *s, bool glimpse)
{
    uint32_t B = s->B, N = s->N, R = B * N, D = s->D, H = s->H, W = (N + 31) / 32;
    struct segments seg = { .S = B, .N = N };
    if (glimpse)
        seg.first = T(B).address, seg.rows = T(B).address;
    struct tensor mix = T(R, D), logits = T(B, H, N, N), qkv = T(R, 3 * D), none = { 0 };
    nn_attention(c, mix, logits, qkv, seg, H);
    nn_attention_back(c, qkv, mix, logits, mix, logits, qkv, seg, H);
    nn_attention_back(c, qkv, mix, none, none, logits, qkv, seg, H);
    nn_reattend(c, mix, logits, qkv, T(B, W), T(B), T(R), seg, H);
    nn_reattend_back_add(c, logits, mix, mix, logits, qkv, T(B, W), T(R), seg, H, 1, B, 1);
    nn_mean(c, T(B, D), seg, mix);
    nn_mean_back_add(c, mix, seg, T(B, D));
    for (enum nn_norm_mode mode = NORM_INSTANCE; mode <= NORM_GIVEN; mode++)
        record_norm(c, a, s, mode, seg);
}

// A line for each operation of nn/nn.h, backward after forward; no matter what the tensors hold.
static void record(struct cmd *c, struct arena *a, const struct sizes *s)
{
    uint32_t rows = s->B * s->N;
    struct compact compact;
    nn_compact_layout(&compact, a, s->B, 1, rows, 1);
    struct tensor keys = T(s->B, (s->N + 31) / 32);
    nn_compact(c, &compact, keys, T(s->B), s->N, false);
    nn_compact_back_add(c, T(rows, s->D), T(rows, s->D), &compact, keys, 1, s->B, 1);
    struct context context = { .state = T(s->B, RULES_STATE), .scalar = T(s->B), .instance = T(s->B), .N = s->N };
    nn_context(c, T(s->B, s->D + CONTEXT_SCALARS), T(rows, s->D), &context);
    nn_context_back_add(c,
        &(struct context_back){ .dh = T(rows, s->D),
            .dplaceholder = T(2 * s->D),
            .dfixed = T(s->B, s->D),
            .dctx = T(s->B, s->D + CONTEXT_SCALARS),
            .dq = T(s->B, s->D),
            .M = 1,
            .B = s->B,
            .S = 1,
            .decisions = 1 },
        &context);
    struct tensor actions = T(s->B), numbers = T(s->B), logp = T(s->B, s->N);
    for (enum choose_mode mode = GREEDY; mode <= GIVEN; mode++)
        nn_choose(c, actions, T(s->B), T(s->B), logp,
            &(struct choose){ mode, numbers, .instance = numbers, .decoder = numbers, .step = numbers.address });
    nn_choose_back(c, logp, T(s->B), actions);
    nn_collect_add(c, T(1, 3 * s->D), 0, T(s->B, 3 * s->D), 1);
    struct query query = { .state = context.state,
        .scalar = context.scalar,
        .current = T(rows, s->D),
        .fixed = T(s->B, s->D),
        .extra = T(1, s->D),
        .N = s->N,
        .repeat = 1 };
    nn_query(c, T(s->B, s->D), &query);
    nn_query_back_add(c, &query, T(s->B, s->D), T(s->B, s->D), &query);
    nn_copy(c, T(rows, s->D), T(rows, s->D));
    nn_add(c, T(rows, s->D), T(rows, s->D));
    nn_fold(c, T(5, s->D, 3 * s->D), T(5, s->D, 3 * s->D), T(5, s->D, s->D));
    nn_fold_back(
        c, T(5, s->D, 3 * s->D), T(5, s->D, s->D), T(5, s->D, 3 * s->D), T(5, s->D, 3 * s->D), T(5, s->D, s->D));
    nn_kl(c, T(s->B), T(5, s->B, s->N));
    nn_kl_back_add(c, T(5, s->B, s->N), T(s->B), T(5, s->B, s->N));
    struct tensor norm = T(2);
    nn_norm2(c, norm, T(NORM2_PARTS), T(rows * s->D));
    nn_adam(c, T(rows * s->D), T(rows * s->D), T(rows * s->D), T(ADAM_STATE), T(rows * s->D), norm, T(1),
        &(struct adam_settings){ 0.9f, 0.999f, 1e-8f, 1 });
    nn_gather(c, T(s->B, s->D), T(rows, s->D), T(s->B));
    nn_gather_back_add(c, T(rows, s->D), T(s->B, s->D), T(s->B), 1);
    nn_gather_back_add(c, T(rows, s->D), T(s->B, s->D), T(s->B), 5);
    record_linears(c, a, s);
    record_segments(c, a, s, false);
    record_segments(c, a, s, true);
    for (uint32_t share = 1; share <= 32; share += 31) { // a form of its own on CPUs
        record_pointer(c, a, s, share, false);
        record_pointer(c, a, s, share, true);
    }
    nn_rng(c, T(s->B, 4), 1, 1, 0, 0);
    for (const struct problem *const *problem = problems; *problem; problem++)
        record_problem(c, a, s, *problem);
    record_beam(c, a, s, &problem_cvrp);
    record_beam(c, a, s, &problem_sdvrp);
}

// Qualcomm's compiler spills where the others need not; there it is shown only.
static bool spills_matter(const struct gpu_info *info)
{
    enum { QUALCOMM = 0x5143 };
    return info->vendor != QUALCOMM;
}

static int report(struct gpu *gpu, bool *seen)
{
    const struct gpu_info *info = gpu_info(gpu);
    int wrong = 0;
    printf("%s, %s %s, %u lanes, target %s\n", info->name, info->driver, info->driver_info, info->lanes,
        gpu_target_name(info->target));
    struct gpu_pipeline_report r;
    for (size_t i = 0; gpu_pipeline_report(gpu, i, &r); i++) {
        printf("  %s", r.kernel);
        int count = CONSTANTS;
        while (count > CONSTANT_OWN && !r.constants[count - 1])
            count--;
        for (int k = CONSTANT_OWN; k < count; k++)
            printf("%c%u", k == CONSTANT_OWN ? ' ' : ',', r.constants[k]);
        bool spills = r.spills > 0;
        printf(": %s%s\n", r.text.data, spills ? "  SPILLS" : "");
        if (r.assembly.size && (!strcmp(shown, "all") || !strcmp(shown, r.kernel)))
            printf("%s", r.assembly.data);
        wrong += !r.built || (spills && spills_matter(info));
        for (size_t k = 0; k < sizeof kernels / sizeof *kernels; k++)
            seen[k] = seen[k] || !strcmp(kernels[k], r.kernel);
        text_finish(&r.text);
        text_finish(&r.assembly);
    }
    return wrong;
}

static bool build(enum gpu_target target, int *wrong, bool *seen)
{
    struct gpu *gpu;
    struct gpu_options options = { .dry = true, .target = target, .assembly = shown };
    if (!gpu_open(&gpu, &options))
        return false;
    if (gpu_info(gpu)->target == target) {
        static const struct sizes sizes[] = { { 512, 20, 128, 8, 512 }, { 64, 101, 128, 8, 512 } };
        for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
            struct cmd *c = cmd_create(gpu);
            struct arena *arena = arena_create(gpu, "report");
            record(c, arena, &sizes[i]);
            arena_destroy(&arena);
            cmd_destroy(&c);
        }
        *wrong += report(gpu, seen);
    }
    gpu_close(&gpu);
    return true;
}

int main(int argc, char **argv)
{
    shown = argc > 1 ? argv[1] : NULL;
    int wrong = 0;
    bool seen[sizeof kernels / sizeof *kernels] = { 0 };
    static const enum gpu_target targets[] = { GPU_TARGET_GPU, GPU_TARGET_SAFE };
    for (size_t i = 0; i < sizeof targets / sizeof *targets; i++) {
        if (!build(targets[i], &wrong, seen)) {
            fprintf(stderr, "pipeline_report: %s\n", error_text());
            return error_fault();
        }
    }
    for (size_t k = 0; k < sizeof kernels / sizeof *kernels; k++) {
        if (!seen[k])
            printf("%s: not used on this device\n", kernels[k]);
    }
    printf("%d wrong\n", wrong);
    return wrong > 0;
}
