// Statistics of drivers about their pipelines.
#include <stdlib.h>
#include <string.h>

#include <stb/stb_ds.h>

#include "gpu/internal.h"
#include "util/alloc.h"

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

VkPipelineCreateFlags gpu_capture_flags(const struct gpu *gpu)
{
    if ((!gpu->options.dry && !gpu->options.statistics) || !gpu->found.executable_info)
        return 0;
    return VK_PIPELINE_CREATE_CAPTURE_STATISTICS_BIT_KHR |
           (gpu->options.assembly ? VK_PIPELINE_CREATE_CAPTURE_INTERNAL_REPRESENTATIONS_BIT_KHR : 0);
}

// The driver's last stage before machine code is called something with assembly by all of them.
static void disassemble(struct gpu *gpu, VkPipeline pipeline, struct gpu_pipeline_report *report)
{
    PFN_vkGetPipelineExecutableInternalRepresentationsKHR get =
        (PFN_vkGetPipelineExecutableInternalRepresentationsKHR)vkGetDeviceProcAddr(
            gpu->device, "vkGetPipelineExecutableInternalRepresentationsKHR");
    VkPipelineExecutableInfoKHR which = { .sType = VK_STRUCTURE_TYPE_PIPELINE_EXECUTABLE_INFO_KHR,
        .pipeline = pipeline };
    VkPipelineExecutableInternalRepresentationKHR list[16];
    uint32_t count = 16;
    for (uint32_t i = 0; i < count; i++)
        list[i] = (VkPipelineExecutableInternalRepresentationKHR){
            .sType = VK_STRUCTURE_TYPE_PIPELINE_EXECUTABLE_INTERNAL_REPRESENTATION_KHR
        };
    if (!get || get(gpu->device, &which, &count, list) < 0)
        return;
    for (uint32_t i = 0; i < count; i++)
        list[i].pData = xcalloc(1, list[i].dataSize + 1);
    bool ok = get(gpu->device, &which, &count, list) >= 0;
    for (uint32_t i = 0; i < count; i++) {
        if (ok && list[i].isText && strcasestr(list[i].name, "assembly"))
            text_add(&report->assembly, "%s\n", (const char *)list[i].pData);
        free(list[i].pData);
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
    if (report->built && gpu->options.assembly && gpu->found.executable_info)
        disassemble(gpu, pipeline->handle, report);
    if (!report->built)
        text_add(&report->text, "does not build: %s", gpu_result_name(pipeline->result));
    return true;
}

static void add_heaps(const struct found *found, struct text *out)
{
    const VkPhysicalDeviceMemoryProperties *memory = &found->memory;
    bool mapped = false;
    for (uint32_t i = 0; i < memory->memoryHeapCount; i++) {
        const bool local = memory->memoryHeaps[i].flags & VK_MEMORY_HEAP_DEVICE_LOCAL_BIT;
        text_add(out, "heap %u: %.0f MiB%s, types", i, (double)memory->memoryHeaps[i].size / (1 << 20),
            local ? " on the device" : "");
        for (uint32_t k = 0; k < memory->memoryTypeCount; k++) {
            const VkMemoryPropertyFlags flags = memory->memoryTypes[k].propertyFlags;
            if (memory->memoryTypes[k].heapIndex != i)
                continue;
            text_add(out, " %s%s%s%s.", flags & VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT ? "local " : "",
                flags & VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT ? "visible " : "",
                flags & VK_MEMORY_PROPERTY_HOST_COHERENT_BIT ? "coherent " : "",
                flags & VK_MEMORY_PROPERTY_HOST_CACHED_BIT ? "cached" : "");
            mapped = mapped || (local && memory->memoryHeaps[i].size > 256 << 20 &&
                                   (flags & VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT));
        }
        text_add(out, "\n");
    }
    text_add(out, "device memory that the host sees (ReBAR): %s\n", mapped ? "yes" : "no");
}

void gpu_identity(const struct gpu *gpu, struct text *out)
{
    static const char *const reconvergence[] = { "not promised", "subgroup-uniform control flow", "maximal" };
    const struct gpu_info *info = &gpu->info;
    const struct found *found = &gpu->found;
    text_add(out, "name: %s\ntype: %s\n", info->name, info->type);
    text_add(out, "driver: %s, %s, version %#x\n", info->driver, info->driver_info, info->driver_version);
    text_add(out, "Vulkan: %u.%u.%u\n", VK_API_VERSION_MAJOR(info->api_version),
        VK_API_VERSION_MINOR(info->api_version), VK_API_VERSION_PATCH(info->api_version));
    text_add(out, "vendor and device: %04x:%04x\n", info->vendor, info->device);
    text_add(out, "lanes: %u of %u..%u, size %s, full subgroups %s\n", info->lanes, info->lanes_min, info->lanes_max,
        found->size_control ? "required" : "as it comes", found->full_subgroups ? "required" : "not required");
    text_add(out, "reconvergence: %s\n", reconvergence[found->reconvergence]);
    text_add(out, "target: %s\ndisabled: ", gpu_target_name(info->target));
    gpu_disabled_print(out, info->disabled);
    text_add(out, "%s\n64-bit integers: %s\n", info->disabled ? "" : "nothing", info->int64 ? "yes" : "no");
    text_add(out, "workgroup: %u invocations, %u bytes shared\n", info->threads_max, info->shared_bytes);
    text_add(out, "allocation: %.0f MiB at most, %.0f MiB in one binding\n", (double)info->block_max / (1 << 20),
        (double)info->range_max / (1 << 20));
    add_heaps(found, out);
    text_add(out, "queue family: %u, flags %#x\n", found->queue_family, found->queue_flags);
    text_add(out, "timestamps: %u bits of %g ns\n", found->timestamp_bits, (double)found->timestamp_ns);
    text_add(out, "cooperative matrices: %s\n", found->cooperative_matrix ? "yes" : "no");
}
