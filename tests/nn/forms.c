// The table of forms for every kind of device: each chosen form has a module, and each module can be chosen.
#include "nn/forms.h"

#include "suite.h"

enum { KERNELS = 64 };

// Kernels of the table with the modules that were chosen, as bits.
static struct {
    const struct kernel *kernel;
    unsigned chosen;
} seen[KERNELS];

static void note(const struct kernel *kernel, int module)
{
    int i = 0;
    while (seen[i].kernel && seen[i].kernel != kernel)
        i++;
    munit_assert_int(i, <, KERNELS);
    seen[i].kernel = kernel;
    seen[i].chosen |= module < 0 ? 0 : 1u << module;
}

// Rows that were chosen, counted.
static void choose_all(const struct gpu_info *info, int *rows)
{
    for (int i = 0; i < 2 * 3 * 3 * 2 * 2 * 2 * 4; i++) {
        struct form_sizes sizes = { .transposed = i % 2,
            .M = i / 36 % 2 ? 128 : 8,
            .K = (const uint32_t[]){ 8, 128, 1000 }[i / 2 % 3],
            .rows = i / 72 % 2 ? 10000 : 1000,
            .N = (const uint32_t[]){ 20, 24, 101 }[i / 6 % 3],
            .DK = i / 18 % 2 ? 16 : 7,
            .heads = i / 36 % 2 ? 10000 : 8,
            .D = 128,
            .repeat = (const uint32_t[]){ 1, 2, 4, 64 }[i / 144],
            .decisions = (const uint32_t[]){ 1, 64, 4, 64 }[i / 36 % 4],
            .slots_uniform = i / 72 % 2 };
        for (int operation = 0; operation < FORM_OPERATIONS; operation++) {
            const struct form *form = form_choose(info, (enum form_operation)operation, &sizes);
            munit_assert_int(form->operation, ==, operation);
            rows[form - form_row(0)]++;
            if (!form->kernel)
                continue;
            int module = gpu_module(info, form->kernel);
            if (module < 0)
                munit_errorf("%s: no module for %s with %u lanes", form->kernel->name, gpu_target_name(info->target),
                    info->lanes);
            note(form->kernel, module);
        }
    }
}

static MunitResult test_table(const MunitParameter params[], void *data)
{
    (void)params, (void)data;
    int rows[256] = { 0 };
    for (uint32_t lanes = 4; lanes <= 128; lanes *= 2) {
        for (int i = 0; i < 2 * 2 * GPU_TARGETS; i++) {
            struct gpu_info info = { .lanes = lanes,
                .threads_max = 256,
                .shared_bytes = 32768,
                .shared_product = true,
                .addresses = true,
                .int64 = i % 2,
                .is_cpu = i / 2 % 2 };
            gpu_info_aim(&info, (enum gpu_target)(i / 4));
            choose_all(&info, rows);
        }
    }
    for (size_t i = 0; form_row(i); i++) {
        const struct form *form = form_row(i);
        if (!rows[i])
            munit_errorf("row %zu of the table of forms is never chosen", i);
        for (int module = 0; form->kernel && module < GPU_MODULES; module++)
            for (int k = 0; k < KERNELS; k++)
                if (seen[k].kernel == form->kernel && form->kernel->code[module].words &&
                    !(seen[k].chosen >> module & 1))
                    munit_errorf("module %d of %s is never chosen", module, form->kernel->name);
    }
    return MUNIT_OK;
}

// The target that a device gets.
static MunitResult test_aim(const MunitParameter params[], void *data)
{
    (void)params, (void)data;
    struct gpu_info gpu = { .addresses = true, .int64 = true }, cpu = gpu, old = { .is_cpu = true };
    cpu.is_cpu = true;
    gpu_info_aim(&gpu, GPU_TARGET_AUTO), gpu_info_aim(&cpu, GPU_TARGET_AUTO), gpu_info_aim(&old, GPU_TARGET_CPU);
    munit_assert_int(gpu.target, ==, GPU_TARGET_GPU);
    munit_assert_int(cpu.target, ==, GPU_TARGET_CPU);
    munit_assert_int(old.target, ==, GPU_TARGET_SAFE); // it has no buffer addresses
    munit_assert_true(!gpu.wide && !gpu.cpu_work && cpu.wide && cpu.cpu_work && !old.wide && old.cpu_work);
    gpu_info_aim(&gpu, GPU_TARGET_CPU), gpu_info_aim(&cpu, GPU_TARGET_GPU);
    munit_assert_true(gpu.wide && gpu.cpu_work && !cpu.wide && !cpu.cpu_work);
    gpu_info_aim(&gpu, GPU_TARGET_SAFE);
    munit_assert_true(gpu.target == GPU_TARGET_SAFE && !gpu.cpu_work);
    return MUNIT_OK;
}

static MunitTest tests[] = {
    { "/table", test_table, NULL, NULL, MUNIT_TEST_OPTION_NONE, NULL },
    { "/aim", test_aim, NULL, NULL, MUNIT_TEST_OPTION_NONE, NULL },
    { NULL, NULL, NULL, NULL, MUNIT_TEST_OPTION_NONE, NULL },
};
SUITE("/nn/forms", tests)
