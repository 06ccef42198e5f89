// Pipelines, built on first use: one per kernel and set of specialisation constants.
#include <stdlib.h>
#include <string.h>

#include <stb/stb_ds.h>

#include "gpu/internal.h"
#include "shaders/args.h"
#include "util/alloc.h"
#include "util/clock.h"
#include "util/error.h"

bool gpu_pipelines_open(struct gpu *gpu)
{
    bool heap = gpu->target == GPU_TARGET_SAFE;
    // The heap, and an argument struct in it that is too long for push constants.
    enum { BINDINGS = 2 };
    static const VkDescriptorType types[BINDINGS] = { VK_DESCRIPTOR_TYPE_STORAGE_BUFFER,
        VK_DESCRIPTOR_TYPE_STORAGE_BUFFER_DYNAMIC };
    const uint64_t ranges[BINDINGS] = { gpu->heap.bytes, ARGS_FAR_BYTES };
    VkDescriptorSetLayoutBinding bindings[BINDINGS];
    VkDescriptorPoolSize sizes[BINDINGS];
    VkDescriptorBufferInfo buffers[BINDINGS];
    VkWriteDescriptorSet writes[BINDINGS];
    VkDescriptorSetLayoutCreateInfo set = {
        .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO, .bindingCount = BINDINGS, .pBindings = bindings
    };
    VkDescriptorPoolCreateInfo pool = { .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO,
        .maxSets = 1,
        .poolSizeCount = BINDINGS,
        .pPoolSizes = sizes };
    for (uint32_t i = 0; i < BINDINGS; i++) {
        bindings[i] = (VkDescriptorSetLayoutBinding){ i, types[i], 1, VK_SHADER_STAGE_COMPUTE_BIT, NULL };
        sizes[i] = (VkDescriptorPoolSize){ types[i], 1 };
        buffers[i] = (VkDescriptorBufferInfo){ gpu->heap.buffer, 0, ranges[i] };
    }
    if (heap) {
        if (!gpu_check(gpu, vkCreateDescriptorSetLayout(gpu->device, &set, NULL, &gpu->set_layout), "no set layout") ||
            !gpu_check(gpu, vkCreateDescriptorPool(gpu->device, &pool, NULL, &gpu->set_pool), "no descriptor pool"))
            return false;
        VkDescriptorSetAllocateInfo one = { .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO,
            .descriptorPool = gpu->set_pool,
            .descriptorSetCount = 1,
            .pSetLayouts = &gpu->set_layout };
        if (!gpu_check(gpu, vkAllocateDescriptorSets(gpu->device, &one, &gpu->set), "no descriptor set"))
            return false;
        for (uint32_t i = 0; i < BINDINGS; i++)
            writes[i] = (VkWriteDescriptorSet){ .sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET,
                .dstSet = gpu->set,
                .dstBinding = i,
                .descriptorCount = 1,
                .descriptorType = types[i],
                .pBufferInfo = &buffers[i] };
        if (gpu->heap.buffer) // a dry device has none
            vkUpdateDescriptorSets(gpu->device, BINDINGS, writes, 0, NULL);
    }
    VkPipelineLayoutCreateInfo layout = { .sType = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO,
        .setLayoutCount = heap,
        .pSetLayouts = &gpu->set_layout,
        .pushConstantRangeCount = 1,
        .pPushConstantRanges = &(VkPushConstantRange){ VK_SHADER_STAGE_COMPUTE_BIT, 0, ARGS_BYTES } };
    return gpu_check(gpu, vkCreatePipelineLayout(gpu->device, &layout, NULL, &gpu->layout), "no pipeline layout");
}

void gpu_pipelines_close(struct gpu *gpu)
{
    bool destroy = gpu->device && gpu_at_rest(gpu);
    for (ptrdiff_t i = 0; destroy && i < arrlen(gpu->pipelines); i++)
        vkDestroyPipeline(gpu->device, gpu->pipelines[i].handle, NULL);
    arrfree(gpu->pipelines);
    if (!destroy)
        return;
    vkDestroyPipelineLayout(gpu->device, gpu->layout, NULL);
    vkDestroyDescriptorPool(gpu->device, gpu->set_pool, NULL);
    vkDestroyDescriptorSetLayout(gpu->device, gpu->set_layout, NULL);
}

int gpu_module(const struct gpu_info *info, const struct kernel *kernel)
{
    int module = GPU_MODULE_GPU;
    if (info->target == GPU_TARGET_SAFE)
        module = GPU_MODULE_SAFE;
    else if (info->target == GPU_TARGET_CPU && kernel->code[info->wide ? GPU_MODULE_CPU : GPU_MODULE_NARROW].words)
        module = info->wide ? GPU_MODULE_CPU : GPU_MODULE_NARROW;
    return kernel->code[module].words ? module : -1;
}

uint32_t gpu_subgroups_usual(const struct gpu_info *info)
{
    // On a CPU every subgroup of a workgroup is a coroutine with its own frame: one is fastest.
    const uint32_t suits = info->cpu_work ? 1 : 4, usual = info->subgroups ? info->subgroups : suits,
                   max = info->threads_max / info->lanes;
    return usual < max ? usual : max;
}

uint32_t gpu_subgroups(const struct gpu *gpu, const struct kernel *kernel)
{
    const struct gpu_info *info = &gpu->info;
    if (info->cpu_work || kernel->alone)
        return 1;
    if (kernel->threads)
        return kernel->threads > info->lanes ? kernel->threads / info->lanes : 1;
    return gpu_subgroups_usual(info);
}

static VkResult build(
    struct gpu *gpu, const struct kernel *kernel, const uint32_t constants[CONSTANTS], bool cut, VkPipeline *pipeline)
{
    uint32_t values[CONSTANTS];
    memcpy(values, constants, sizeof values);
    values[CONSTANT_LANES] = gpu->info.lanes;
    if (!values[CONSTANT_THREADS])
        values[CONSTANT_THREADS] = gpu->info.lanes * gpu_subgroups(gpu, kernel);
    VkSpecializationMapEntry entries[CONSTANTS];
    for (uint32_t i = 0; i < CONSTANTS; i++)
        entries[i] = (VkSpecializationMapEntry){ i, i * (uint32_t)sizeof *values, sizeof *values };
    VkSpecializationInfo specialisation = { CONSTANTS, entries, sizeof values, values };

    int chosen = gpu_module(&gpu->info, kernel);
    if (chosen < 0)
        bug("%s has no module for the target %s", kernel->name, gpu_target_name(gpu->target));
    uint32_t *words = gpu_spirv(kernel->code[chosen].words, kernel->code[chosen].bytes, gpu->found.reconvergence);
    VkShaderModuleCreateInfo code = {
        .sType = VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO, .codeSize = arrlenu(words) * sizeof *words, .pCode = words
    };
    VkShaderModule module;
    VkResult result = vkCreateShaderModule(gpu->device, &code, NULL, &module);
    arrfree(words);
    if (result)
        return result;
    VkPipelineShaderStageRequiredSubgroupSizeCreateInfo size = {
        .sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_REQUIRED_SUBGROUP_SIZE_CREATE_INFO,
        .requiredSubgroupSize = gpu->info.lanes
    };
    VkComputePipelineCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO,
        .flags = gpu_capture_flags(gpu) | (cut ? VK_PIPELINE_CREATE_DISPATCH_BASE_BIT : 0),
        .stage = { .sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO,
            .pNext = gpu->found.size_control ? &size : NULL,
            .flags = gpu->found.full_subgroups ? VK_PIPELINE_SHADER_STAGE_CREATE_REQUIRE_FULL_SUBGROUPS_BIT : 0,
            .stage = VK_SHADER_STAGE_COMPUTE_BIT,
            .module = module,
            .pName = "main",
            .pSpecializationInfo = &specialisation },
        .layout = gpu->layout,
    };
    result = vkCreateComputePipelines(gpu->device, gpu->cache, 1, &info, NULL, pipeline);
    vkDestroyShaderModule(gpu->device, module, NULL);
    return result;
}

bool gpu_pipeline(
    struct gpu *gpu, const struct kernel *kernel, const uint32_t constants[CONSTANTS], bool cut, VkPipeline *pipeline)
{
    for (ptrdiff_t i = 0; i < arrlen(gpu->pipelines); i++) {
        const struct pipeline *known = &gpu->pipelines[i];
        if (known->kernel == kernel && known->cut == cut &&
            !memcmp(known->constants, constants, sizeof known->constants)) {
            *pipeline = known->handle;
            return true;
        }
    }
    *pipeline = VK_NULL_HANDLE;
    gpu->stopped = gpu->stopped || (gpu->stop && gpu->stop(gpu->stop_user));
    if (gpu->stopped)
        return fail(FAULT_DEVICE, "stopped before %s was built", kernel->name);
    if (gpu->options.compiling)
        gpu->options.compiling(gpu->options.user, (uint32_t)arrlen(gpu->pipelines));
    const double start = clock_seconds();
    VkResult result = gpu_injected(gpu, GPU_FAULT_PIPELINE) ? VK_ERROR_OUT_OF_HOST_MEMORY
                                                            : build(gpu, kernel, constants, cut, pipeline);
    gpu->build_seconds += clock_seconds() - start;
    if (result && !gpu->options.dry)
        return gpu_check(gpu, result, kernel->name);
    if (gpu->set_name && *pipeline) {
        VkDebugUtilsObjectNameInfoEXT name = { .sType = VK_STRUCTURE_TYPE_DEBUG_UTILS_OBJECT_NAME_INFO_EXT,
            .objectType = VK_OBJECT_TYPE_PIPELINE,
            .objectHandle = (uint64_t)*pipeline,
            .pObjectName = kernel->name };
        gpu->set_name(gpu->device, &name);
    }
    struct pipeline fresh = { .kernel = kernel, .cut = cut, .handle = *pipeline, .result = result };
    memcpy(fresh.constants, constants, sizeof fresh.constants);
    arrput(gpu->pipelines, fresh);
    return true;
}

void gpu_set_stop(struct gpu *gpu, bool (*stop)(void *user), void *user)
{
    gpu->stop = stop;
    gpu->stop_user = user;
    gpu->stopped = false;
}

bool gpu_was_stopped(const struct gpu *gpu)
{
    return gpu->stopped;
}

size_t gpu_pipeline_count(const struct gpu *gpu, double *seconds)
{
    *seconds = gpu->build_seconds;
    return arrlenu(gpu->pipelines);
}
