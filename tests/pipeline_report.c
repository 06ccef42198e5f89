// Builds every kernel's pipeline in every flavour on the device that the environment selects, with the specialisation
// constants that the network's operations choose there, and prints what the driver tells about each. Fails if one does
// not build or spills registers, or if a kernel is not among the operations recorded here.
// Nothing is submitted: this is for drivers without their hardware (tools/on, tools/vendors), too.
#include <stdio.h>
#include <string.h>

#include "nn/nn.h"
#include "problem/draw.h"
#include "problem/problem.h"
#include "shaders/args.h"
#include "util/error.h"

static const char *const kernels[] = { KERNELS }; // every shader's stem, from shaders/meson.build

// A model and a batch as they occur: instances, nodes, embedding, heads, feed-forward.
struct sizes {
    uint32_t B, N, D, H, F;
};

// What a problem's instances and rules need.
static void record_problem(struct cmd *c, struct arena *a, const struct sizes *s, const struct problem *problem)
{
    struct distribution distribution = { s->N, s->N, 0, 0, PRIZE_DIST };
    struct batch batch;
    struct draw draw;
    struct rules rules;
    batch_layout(&batch, a, problem, s->B, s->N + problem->has_depot);
    draw_layout(&draw, a, &distribution, 1);
    rules_layout(&rules, a, &batch, s->B, 1, false);
    draw_batch(c, &batch, &draw);
    batch_features(c, tensor_take(a, 2, batch.B * batch.N, FEATURES), &batch);
    rules_begin(c, &rules);
    rules_step(c, &rules);
}

static struct tensor take(struct arena *arena, const uint32_t dim[4])
{
    int rank = 0;
    while (rank < 4 && dim[rank])
        rank++;
    return tensor_take(arena, rank, dim[0], dim[1], dim[2], dim[3]);
}
#define T(...) take(a, (uint32_t[4]){ __VA_ARGS__ })

static void record_pointer(struct cmd *c, struct arena *a, const struct sizes *s, bool dynamic)
{
    struct pointer pointer = { .slots = { .S = s->B, .N = s->N },
        .kvl = T(s->B * s->N, 3 * s->D),
        .allowed = T(s->B, (s->N + 31) / 32),
        .H = s->H,
        .share = 1,
        .clip = 10,
        .temperature = 1 };
    if (dynamic)
        pointer.dyn = T(s->B, s->N), pointer.wdyn = T(3 * s->D);
    struct tensor logp = T(s->B, s->N), saved = T(s->B, nn_pointer_saved(s->D, s->H, s->N)), q = T(s->B, s->D);
    nn_pointer(c, logp, saved, q, &pointer);
    nn_pointer_back_add(
        c, T(s->B, s->D), T(s->B * s->N, 3 * s->D), T(s->B, 3 * s->D), T(s->B, s->N), logp, saved, q, &pointer);
}

// A line for each operation of nn/nn.h, backward after forward; no matter what the tensors hold.
static void record(struct cmd *c, struct arena *a, const struct sizes *s)
{
    uint32_t rows = s->B * s->N;
    struct compact compact;
    nn_compact_layout(&compact, a, s->B, s->N, 1);
    nn_compact(c, &compact, T(s->B, (s->N + 31) / 32), T(s->B), s->N);
    struct context context = { .state = T(s->B, RULES_STATE), .scalar = T(s->B), .instance = T(s->B), .N = s->N };
    nn_context(c, T(s->B, s->D + CONTEXT_SCALARS), T(rows, s->D), &context);
    nn_context_back_add(c, T(rows, s->D), T(2 * s->D), T(s->B, s->D + CONTEXT_SCALARS), &context, 1, s->B, 1);
    struct tensor actions = T(s->B), numbers = T(s->B), logp = T(s->B, s->N);
    for (enum choose_mode mode = GREEDY; mode <= GIVEN; mode++)
        nn_choose(c, actions, T(s->B), T(s->B), logp,
            &(struct choose){ mode, numbers, .instance = numbers, .decoder = numbers, .step = numbers.at });
    nn_choose_back(c, logp, T(s->B), actions);
    nn_collect_add(c, T(3 * s->D), T(s->B, 3 * s->D));
    nn_copy(c, T(rows, s->D), T(rows, s->D));
    nn_fold(c, T(5, s->D, 3 * s->D), T(5, s->D, 3 * s->D), T(5, s->D, s->D));
    nn_fold_back(
        c, T(5, s->D, 3 * s->D), T(5, s->D, s->D), T(5, s->D, 3 * s->D), T(5, s->D, 3 * s->D), T(5, s->D, s->D));
    nn_kl(c, T(s->B), T(5, s->B, s->N));
    nn_kl_back_add(c, T(5, s->B, s->N), T(s->B), T(5, s->B, s->N));
    struct tensor norm = T(2);
    nn_norm2(c, norm, T(NORM2_PARTS), T(rows * s->D));
    nn_adam(c, T(rows * s->D), T(rows * s->D), T(rows * s->D), T(ADAM_STATE), T(rows * s->D), norm, T(1),
        &(struct adam_settings){ 0.9f, 0.999f, 1e-8f, 1 });
    record_pointer(c, a, s, false);
    record_pointer(c, a, s, true);
    nn_rng(c, T(s->B, 4), 1, 1, 0, 0);
    for (const struct problem *const *problem = problems; *problem; problem++)
        record_problem(c, a, s, *problem);
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
    printf("%s, %s %s, %u lanes, %s flavour\n", info->name, info->driver, info->driver_info, info->lanes,
        gpu_flavour_name(info->flavour));
    struct gpu_pipeline_report r;
    for (size_t i = 0; gpu_pipeline_report(gpu, i, &r); i++) {
        printf("  %s", r.kernel);
        int specs = GPU_SPECS;
        while (specs > 0 && !r.spec[specs - 1])
            specs--;
        for (int k = 0; k < specs; k++)
            printf("%c%u", k ? ',' : ' ', r.spec[k]);
        bool spills = r.spills > 0;
        printf(": %s%s\n", r.text.data, spills ? "  SPILLS" : "");
        wrong += !r.built || (spills && spills_matter(info));
        for (size_t k = 0; k < sizeof kernels / sizeof *kernels; k++)
            seen[k] = seen[k] || !strcmp(kernels[k], r.kernel);
        text_finish(&r.text);
    }
    return wrong;
}

static bool build(enum gpu_flavour flavour, int *wrong, bool *seen)
{
    struct gpu *gpu;
    struct gpu_options options = { .dry = true, .safe = flavour == GPU_HEAP, .narrow = flavour == GPU_ADDRESS };
    if (!gpu_open(&gpu, &options))
        return false;
    if (gpu_info(gpu)->flavour == flavour) {
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

int main(void)
{
    int wrong = 0;
    bool seen[sizeof kernels / sizeof *kernels] = { 0 };
    for (int flavour = 0; flavour < GPU_FLAVOURS; flavour++) {
        if (!build((enum gpu_flavour)flavour, &wrong, seen)) {
            fprintf(stderr, "pipeline_report: %s\n", error_text());
            return error_fault();
        }
    }
    for (size_t k = 0; k < sizeof kernels / sizeof *kernels; k++) {
        if (!seen[k])
            printf("%s: no operation recorded in tests/pipeline_report.c uses this kernel\n", kernels[k]);
        wrong += !seen[k];
    }
    printf("%d wrong\n", wrong);
    return wrong > 0;
}
