// Selects, opens and closes a device.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <stb/stb_ds.h>

#include "gpu/internal.h"
#include "util/alloc.h"
#include "util/error.h"

static const char *const target_names[GPU_TARGETS] = { "auto", "gpu", "cpu", "safe" };

const char *gpu_target_name(enum gpu_target target)
{
    return target_names[target];
}

void gpu_info_aim(struct gpu_info *info, enum gpu_target target)
{
    if (!info->addresses)
        target = GPU_TARGET_SAFE;
    else if (target == GPU_TARGET_AUTO)
        target = info->is_cpu ? GPU_TARGET_CPU : GPU_TARGET_GPU;
    info->target = target;
    info->wide = target == GPU_TARGET_CPU && info->int64;
    info->cpu_work = target == GPU_TARGET_CPU || (target == GPU_TARGET_SAFE && info->is_cpu);
}

const char *gpu_result_name(VkResult result)
{
    switch (result) {
    case VK_ERROR_OUT_OF_HOST_MEMORY:
        return "out of host memory";
    case VK_ERROR_OUT_OF_DEVICE_MEMORY:
        return "out of device memory";
    case VK_ERROR_INITIALIZATION_FAILED:
        return "initialisation failed";
    case VK_ERROR_DEVICE_LOST:
        return "device lost";
    case VK_ERROR_INCOMPATIBLE_DRIVER:
        return "incompatible driver";
    case VK_ERROR_EXTENSION_NOT_PRESENT:
        return "extension not present";
    case VK_ERROR_FEATURE_NOT_PRESENT:
        return "feature not present";
    case VK_ERROR_LAYER_NOT_PRESENT:
        return "layer not present";
    case VK_ERROR_MEMORY_MAP_FAILED:
        return "memory could not be mapped";
    case VK_ERROR_TOO_MANY_OBJECTS:
        return "too many objects";
    case VK_ERROR_FRAGMENTATION:
    case VK_ERROR_FRAGMENTED_POOL:
    case VK_ERROR_OUT_OF_POOL_MEMORY:
        return "memory is too fragmented, or a pool is used up";
    case VK_ERROR_INVALID_SHADER_NV:
        return "the driver could not compile a shader";
    case VK_ERROR_INVALID_OPAQUE_CAPTURE_ADDRESS:
        return "a buffer did not get the address of the capture";
    case VK_ERROR_UNKNOWN:
        return "the driver failed without a reason";
    case VK_TIMEOUT:
        return "timeout";
    case VK_NOT_READY:
    case VK_INCOMPLETE:
        return "the driver gave an incomplete answer";
    default:
        return "the driver failed for an unknown reason";
    }
}

bool gpu_check(struct gpu *gpu, VkResult result, const char *what)
{
    if (result == VK_SUCCESS)
        return true;
    gpu->lost = gpu->lost || result == VK_ERROR_DEVICE_LOST;
    return fail(FAULT_DEVICE, "%s: %s: %s", gpu->info.name, what, gpu_result_name(result));
}

void gpu_inject(struct gpu *gpu, enum gpu_fault fault, int after)
{
    gpu->inject[fault] = after;
}

bool gpu_injected(struct gpu *gpu, enum gpu_fault fault)
{
    return gpu->inject[fault] > 0 && --gpu->inject[fault] == 0;
}

static void read_injection(struct gpu *gpu)
{
    const char *text = getenv("MDAM_VK_INJECT");
    static const char *const names[GPU_FAULTS] = { "allocate", "pipeline", "submit", "hang" };
    for (int i = 0; text && i < GPU_FAULTS; i++) {
        size_t length = strlen(names[i]);
        if (!strncmp(text, names[i], length) && text[length] == ':')
            gpu->inject[i] = atoi(text + length + 1);
    }
    if (text)
        sscanf(text, "cut:%u", &gpu->options.cuts);
    gpu->options.dirty = gpu->options.dirty || (text && !strcmp(text, "dirty"));
    if (text && sscanf(text, "promise:%d", &gpu->broken) == 1 && (gpu->broken < 0 || !gpu_promise(gpu->broken - 1)))
        gpu->broken = 0;
}

static bool rank_before(const struct gpu_info *a, const struct gpu_info *b)
{
    static const char *const order[] = { "discrete", "integrated", "virtual", "other", "cpu" };
    int rank[2] = { 0, 0 };
    for (int i = 0; i < 5; i++) {
        if (!strcmp(a->type, order[i]))
            rank[0] = i;
        if (!strcmp(b->type, order[i]))
            rank[1] = i;
    }
    return rank[0] < rank[1];
}

// Reports that a CPU is used because there is no GPU, or because the GPU is unusable.
static void notice_cpu(struct gpu *gpu)
{
    const struct gpu_info *refused = NULL;
    for (ptrdiff_t i = arrlen(gpu->instance.found) - 1; i >= 0; i--) {
        const struct gpu_info *info = &gpu->instance.found[i].info;
        refused = info->is_cpu ? refused : info;
    }
    struct text text = { 0 };
    if (refused)
        text_add(&text, "%s cannot be used: %s", refused->name, refused->why_not);
    else
        text_add(&text, "no GPU found");
    snprintf(gpu->notice, sizeof gpu->notice, "%s; %s computes on the CPU", text.data, gpu->info.name);
    text_finish(&text);
}

static bool is_automatic(const char *name)
{
    return !name || !*name || !strcmp(name, "auto");
}

// One of those that are of the same kind as BEST.
static struct found *alternative(struct found *list, struct found *best, uint32_t turn)
{
    uint32_t alike = 0;
    for (ptrdiff_t i = 0; i < arrlen(list); i++)
        alike += list[i].info.usable && !strcmp(list[i].info.type, best->info.type);
    turn %= alike;
    for (ptrdiff_t i = 0; i < arrlen(list); i++) {
        if (list[i].info.usable && !strcmp(list[i].info.type, best->info.type) && turn-- == 0)
            return &list[i];
    }
    return best;
}

// auto: the first device of the best usable type. An index or part of a name: that device, or a message.
static bool choose(struct gpu *gpu, const char *name)
{
    struct found *best = NULL, *list = gpu->instance.found;
    bool automatic = is_automatic(name);
    char *end = NULL;
    long number = automatic ? -1 : strtol(name, &end, 10);
    bool by_number = !automatic && end != name && !*end;
    for (ptrdiff_t i = 0; i < arrlen(list); i++) {
        struct gpu_info *info = &list[i].info;
        if (automatic ? !info->usable : by_number ? info->index != number : !strcasestr(info->name, name))
            continue;
        if (!best || (automatic && rank_before(info, &best->info)) || (info->usable && !best->info.usable))
            best = &list[i];
    }
    if (!best && automatic)
        return fail(FAULT_DEVICE, "no usable Vulkan device: %s: %s", list[0].info.name, list[0].info.why_not);
    if (!best)
        return fail_field(
            FAULT_DEVICE, "device", "no Vulkan device matches \"%s\"; `mdam-vk devices` lists them", name);
    if (!best->info.usable)
        return fail(FAULT_DEVICE, "%s cannot be used: %s", best->info.name, best->info.why_not);
    if (automatic && !best->info.is_cpu)
        best = alternative(list, best, gpu->options.turn);
    gpu->found = *best;
    gpu->info = best->info;
    if (gpu->info.is_cpu && automatic)
        notice_cpu(gpu);
    return true;
}

static bool target_of_environment(enum gpu_target *target)
{
    const char *name = getenv("MDAM_VK_TARGET");
    if (*target != GPU_TARGET_AUTO || !name || !*name)
        return true;
    for (int i = 0; i < GPU_TARGETS; i++) {
        if (!strcmp(name, target_names[i])) {
            *target = (enum gpu_target)i;
            return true;
        }
    }
    return fail(FAULT_INPUT, "MDAM_VK_TARGET must be gpu, cpu or safe, not \"%s\"", name);
}

// If RenderDoc would hide the addresses, only `safe` works.
static bool choose_target(struct gpu *gpu)
{
    struct gpu_info *info = &gpu->info;
    enum gpu_target target = gpu->options.target;
    if (!target_of_environment(&target))
        return false;
    if (gpu_capture_present() && !info->addresses_captured)
        info->addresses = false;
    if (gpu->options.narrow)
        info->int64 = false;
    gpu_info_aim(info, target);
    info->subgroups = gpu->options.subgroups;
    gpu->target = info->target;
    return true;
}

static bool create_device(struct gpu *gpu)
{
    const struct found *found = &gpu->found;
    bool addresses = gpu->target != GPU_TARGET_SAFE;
    const char *extensions[8];
    uint32_t count = 0;
    if (found->size_control)
        extensions[count++] = VK_EXT_SUBGROUP_SIZE_CONTROL_EXTENSION_NAME;
    if (found->executable_info)
        extensions[count++] = VK_KHR_PIPELINE_EXECUTABLE_PROPERTIES_EXTENSION_NAME;
    if (found->memory_budget)
        extensions[count++] = VK_EXT_MEMORY_BUDGET_EXTENSION_NAME;
    if (found->portability_subset)
        extensions[count++] = "VK_KHR_portability_subset";
    if (found->reconvergence == RECONVERGENCE_UNIFORM)
        extensions[count++] = VK_KHR_SHADER_SUBGROUP_UNIFORM_CONTROL_FLOW_EXTENSION_NAME;
    if (found->reconvergence == RECONVERGENCE_MAXIMAL)
        extensions[count++] = MAXIMAL_RECONVERGENCE;
    VkPhysicalDevicePipelineExecutablePropertiesFeaturesKHR executables = {
        VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PIPELINE_EXECUTABLE_PROPERTIES_FEATURES_KHR, .pipelineExecutableInfo = VK_TRUE
    };
    VkPhysicalDeviceSubgroupSizeControlFeatures sizes = {
        VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SUBGROUP_SIZE_CONTROL_FEATURES,
        .subgroupSizeControl = VK_TRUE,
        .computeFullSubgroups = found->full_subgroups,
    };
    VkPhysicalDeviceShaderSubgroupUniformControlFlowFeaturesKHR uniform = {
        VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_SUBGROUP_UNIFORM_CONTROL_FLOW_FEATURES_KHR,
        .shaderSubgroupUniformControlFlow = VK_TRUE
    };
    struct maximal_reconvergence maximal = { MAXIMAL_RECONVERGENCE_FEATURES, .shaderMaximalReconvergence = VK_TRUE };
    VkPhysicalDeviceVulkan12Features v12 = {
        VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES,
        .scalarBlockLayout = VK_TRUE,
        .subgroupBroadcastDynamicId = VK_TRUE, // broadcasts in loops that compilers may not unroll
        .timelineSemaphore = VK_TRUE,
        .bufferDeviceAddress = addresses,
    };
    VkDeviceCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO,
        .pNext = &v12,
        .queueCreateInfoCount = 1,
        .pQueueCreateInfos = &(VkDeviceQueueCreateInfo){ .sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO,
            .queueFamilyIndex = found->queue_family,
            .queueCount = 1,
            .pQueuePriorities = (float[]){ 1 } },
        .enabledExtensionCount = count,
        .ppEnabledExtensionNames = extensions,
        .pEnabledFeatures =
            &(VkPhysicalDeviceFeatures){ .robustBufferAccess = !addresses, .shaderInt64 = gpu->info.wide },
    };
    if (found->size_control)
        gpu_chain(&v12, &sizes);
    if (found->executable_info)
        gpu_chain(&v12, &executables);
    if (found->reconvergence == RECONVERGENCE_UNIFORM)
        gpu_chain(&v12, &uniform);
    if (found->reconvergence == RECONVERGENCE_MAXIMAL)
        gpu_chain(&v12, &maximal);
    if (!gpu_check(gpu, vkCreateDevice(found->handle, &info, NULL, &gpu->device), "the device cannot be opened"))
        return false;
    vkGetDeviceQueue(gpu->device, found->queue_family, 0, &gpu->queue);
    if (gpu->instance.debug_utils) {
        gpu->begin_label =
            (PFN_vkCmdBeginDebugUtilsLabelEXT)vkGetDeviceProcAddr(gpu->device, "vkCmdBeginDebugUtilsLabelEXT");
        gpu->end_label = (PFN_vkCmdEndDebugUtilsLabelEXT)vkGetDeviceProcAddr(gpu->device, "vkCmdEndDebugUtilsLabelEXT");
        gpu->set_name =
            (PFN_vkSetDebugUtilsObjectNameEXT)vkGetDeviceProcAddr(gpu->device, "vkSetDebugUtilsObjectNameEXT");
    }
    return true;
}

// Everything between the selection of a device and its first work.
static bool open_device(struct gpu *gpu)
{
    bool ok = choose_target(gpu);
    // CPU drivers compile a pipeline when it first runs, which can take minutes on a busy machine.
    if (gpu->options.wait_limit == 0)
        gpu->options.wait_limit = gpu->info.is_cpu ? 1200 : 120;
    ok = ok && create_device(gpu);
    if (ok && !gpu->options.dry) // drivers without hardware have none
        ok = gpu_queue_open(gpu) && gpu_memory_open(gpu);
    return ok && gpu_cache_open(gpu) && gpu_pipelines_open(gpu);
}

static void close_device(struct gpu *gpu)
{
    gpu_finish(gpu, gpu->submitted);
    gpu_retired_free(gpu);
    arrfree(gpu->retired);
    gpu_cache_close(gpu);
    gpu_memory_close(gpu);
    gpu_pipelines_close(gpu);
    gpu_profile_close(gpu);
    gpu_queue_close(gpu);
    if (gpu->device && gpu_at_rest(gpu)) {
        vkDestroyDevice(gpu->device, NULL);
        gpu->device = VK_NULL_HANDLE;
    }
}

// The check is not work of the caller: profiles, injected faults and limits of tests do not apply to it.
static bool check(struct gpu *gpu)
{
    const struct gpu_options options = gpu->options;
    int inject[GPU_FAULTS];
    if (gpu->options.dry)
        return true;
    memcpy(inject, gpu->inject, sizeof inject);
    memset(gpu->inject, 0, sizeof inject);
    gpu->options.profile = false;
    gpu->options.block_bytes = 0;
    gpu->options.cuts = 0;
    bool ok = gpu_check_promises(gpu);
    gpu->options = options;
    gpu->counts = (struct gpu_counts){ 0 };
    memcpy(gpu->inject, inject, sizeof inject);
    return ok;
}

// Opens the device that NAME selects. A device that fails the check is unusable; with auto, the next one is tried.
static bool open_named(struct gpu *gpu, const char *name)
{
    const struct gpu_options options = gpu->options; // as given, without adjustments for one device
    for (;;) {
        if (!choose(gpu, name) || !open_device(gpu))
            return false;
        if (check(gpu))
            return true;
        const bool broken = gpu->info.why_not[0];
        struct gpu_info *info = &gpu->instance.found[gpu->info.index].info;
        memcpy(info->why_not, gpu->info.why_not, sizeof info->why_not);
        info->usable = !broken;
        if (!broken || !is_automatic(name) || gpu->lost)
            return false;
        close_device(gpu);
        const struct gpu fresh = { .instance = gpu->instance,
            .options = options,
            .capture_label = gpu->capture_label,
            .cache_folder = gpu->cache_folder };
        *gpu = fresh;
    }
}

bool gpu_open(struct gpu **out, const struct gpu_options *options)
{
    struct gpu *gpu = *out = xcalloc(1, sizeof *gpu);
    gpu->options = options ? *options : (struct gpu_options){ 0 };
    if (gpu->options.submission_limit == 0)
        gpu->options.submission_limit = 0.15;
    if (gpu->options.capture)
        gpu->capture_label = xstrdup(gpu->options.capture);
    gpu->cache_folder = gpu_cache_folder(gpu->options.cache);
    gpu->options.device = gpu->options.capture = gpu->options.cache = NULL; // owned by the caller
    read_injection(gpu);
    bool ok = true;
    if (gpu->capture_label && !gpu_capture_present())
        ok = fail_field(FAULT_INPUT, "capture", "needs RenderDoc: run under `renderdoccmd capture`");
    ok = ok && gpu_instance_open(&gpu->instance) && open_named(gpu, options ? options->device : NULL);
    if (!ok)
        gpu_close(out);
    return ok;
}

void gpu_close(struct gpu **slot)
{
    struct gpu *gpu = *slot;
    if (!gpu)
        return;
    close_device(gpu);
    if (gpu->device) // hung: the instance cannot be destroyed before its device
        arrfree(gpu->instance.found);
    else
        gpu_instance_close(&gpu->instance);
    free(gpu->cache_folder);
    free(gpu->capture_label);
    free(gpu);
    *slot = NULL;
}

const struct gpu_info *gpu_info(const struct gpu *gpu)
{
    return &gpu->info;
}

struct gpu_counts gpu_counts(const struct gpu *gpu)
{
    return gpu->counts;
}

bool gpu_is_lost(const struct gpu *gpu)
{
    return gpu->lost;
}

const char *gpu_notice(const struct gpu *gpu)
{
    return gpu->notice;
}
