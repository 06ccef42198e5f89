// Statistics of drivers about their pipelines.
#include <string.h>

#include <stb/stb_ds.h>

#include "gpu/internal.h"

static double number(const VkPipelineExecutableStatisticKHR *s)
{
    switch (s->format) {
    case VK_PIPELINE_EXECUTABLE_STATISTIC_FORMAT_BOOL32_KHR:
        return s->value.b32;
    case VK_PIPELINE_EXECUTABLE_STATISTIC_FORMAT_INT64_KHR:
        return (double)s->value.i64;
    case VK_PIPELINE_EXECUTABLE_STATISTIC_FORMAT_UINT64_KHR:
        return (double)s->value.u64;
    default:
        return s->value.f64;
    }
}

// Drivers name their statistics differently: most say spill or scratch, Qualcomm counts the instructions that load and
// store private memory (LDP, STP). NVIDIA's "spills to reg" stay in registers.
static bool is_spill(const char *name)
{
    static const char *const words[] = { "spill", "scratch", "STP", "LDP" };
    if (strcasestr(name, "to reg"))
        return false;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        if (strcasestr(name, words[i]))
            return true;
    }
    return false;
}

static void describe(struct gpu *gpu, VkPipeline pipeline, struct gpu_pipeline_report *report)
{
    PFN_vkGetPipelineExecutableStatisticsKHR get = NULL;
    if (gpu->found.executable_info)
        get = (PFN_vkGetPipelineExecutableStatisticsKHR)vkGetDeviceProcAddr(
            gpu->device, "vkGetPipelineExecutableStatisticsKHR");
    VkPipelineExecutableInfoKHR which = { .sType = VK_STRUCTURE_TYPE_PIPELINE_EXECUTABLE_INFO_KHR,
        .pipeline = pipeline };
    VkPipelineExecutableStatisticKHR list[64];
    uint32_t count = 64;
    for (uint32_t i = 0; i < count; i++)
        list[i] = (VkPipelineExecutableStatisticKHR){ .sType = VK_STRUCTURE_TYPE_PIPELINE_EXECUTABLE_STATISTIC_KHR };
    if (!get || get(gpu->device, &which, &count, list) < 0 || count == 0) {
        text_add(&report->text, "this driver has no statistics");
        return;
    }
    for (uint32_t i = 0; i < count; i++) {
        double value = number(&list[i]);
        if (strcasestr(list[i].name, "hash"))
            continue;
        text_add(&report->text, "%s%s %.10g", report->text.size ? ", " : "", list[i].name, value);
        if (is_spill(list[i].name))
            report->spills += (uint64_t)value;
    }
}

bool gpu_pipeline_report(struct gpu *gpu, size_t index, struct gpu_pipeline_report *report)
{
    *report = (struct gpu_pipeline_report){ 0 };
    if (index >= (size_t)arrlen(gpu->pipelines))
        return false;
    const struct pipeline *pipeline = &gpu->pipelines[index];
    report->kernel = pipeline->kernel->name;
    memcpy(report->constants, pipeline->constants, sizeof report->constants);
    report->built = pipeline->handle != VK_NULL_HANDLE;
    if (report->built)
        describe(gpu, pipeline->handle, report);
    else
        text_add(&report->text, "does not build: %s", gpu_result_name(pipeline->result));
    return true;
}
