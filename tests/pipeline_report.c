// Builds every kernel's pipeline in every flavour on the device that the environment selects, with the specialisation
// constants that the network's operations choose there, and prints what the driver tells about each. Fails if one does
// not build or spills registers, or if a kernel is not among the operations recorded here.
// Nothing is submitted: this is for drivers without their hardware (tools/on, tools/vendors), too.
#include <stdio.h>
#include <string.h>

#include "nn/nn.h"
#include "util/error.h"

static const char *const kernels[] = { KERNELS }; // every shader's stem, from shaders/meson.build

// A model and a batch as they occur: instances, nodes, embedding, heads, feed-forward.
struct sizes {
    uint32_t B, N, D, H, F;
};

// One line for each operation of nn/nn.h, backward after forward; no matter what the tensors hold.
static void record(struct cmd *c, struct arena *a, const struct sizes *s)
{
#define T(...)                          tensor_take(a, DIMS(__VA_ARGS__, 4, 3, 2, 1), __VA_ARGS__)
#define DIMS(d0, d1, d2, d3, rank, ...) rank
    uint32_t rows = s->B * s->N;
    nn_copy(c, T(rows, s->D), T(rows, s->D));
    nn_rng(c, T(s->B, 4), 1, 1, 0, 0);
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
        for (int k = 0; k < GPU_SPECS && r.spec[k]; k++)
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
