// The Vulkan instance and its physical devices, each usable or not, with the reason.
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <stb/stb_ds.h>

#include "gpu/internal.h"
#include "util/alloc.h"
#include "util/error.h"

enum { VENDOR_INTEL = 0x8086 };

#define INSTALL_A_DRIVER                                                                                               \
    "install your GPU's (Debian, Ubuntu: mesa-vulkan-drivers for AMD and Intel, nvidia-driver for NVIDIA), or "        \
    "mesa-vulkan-drivers to compute on the CPU"

static VKAPI_ATTR VkBool32 VKAPI_CALL on_message(VkDebugUtilsMessageSeverityFlagBitsEXT severity,
    VkDebugUtilsMessageTypeFlagsEXT types, const VkDebugUtilsMessengerCallbackDataEXT *data, void *user)
{
    (void)severity, (void)types, (void)user;
    // The loader's messages about absent drivers do not concern this program.
    if (data->pMessageIdName && !strcmp(data->pMessageIdName, "Loader Message"))
        return VK_FALSE;
    bug("validation: %s", data->pMessage);
}

static bool has_extension(const VkExtensionProperties *list, uint32_t count, const char *name)
{
    for (uint32_t i = 0; i < count; i++) {
        if (!strcmp(list[i].extensionName, name))
            return true;
    }
    return false;
}

// Labels for other tools, if the loader has them; and drivers that do not fully conform to Vulkan (MoltenVK).
static bool choose_extensions(struct instance *instance, VkInstanceCreateInfo *info, const char *names[static 2])
{
    uint32_t count = 0;
    if (vkEnumerateInstanceExtensionProperties(NULL, &count, NULL))
        return fail(FAULT_DEVICE, "the Vulkan loader lists no extensions; " INSTALL_A_DRIVER);
    VkExtensionProperties *available = xcalloc(count, sizeof *available);
    if (vkEnumerateInstanceExtensionProperties(NULL, &count, available) < 0)
        count = 0;
    if (has_extension(available, count, VK_KHR_PORTABILITY_ENUMERATION_EXTENSION_NAME)) {
        names[info->enabledExtensionCount++] = VK_KHR_PORTABILITY_ENUMERATION_EXTENSION_NAME;
        info->flags |= VK_INSTANCE_CREATE_ENUMERATE_PORTABILITY_BIT_KHR;
    }
    instance->debug_utils = has_extension(available, count, VK_EXT_DEBUG_UTILS_EXTENSION_NAME);
    if (instance->debug_utils)
        names[info->enabledExtensionCount++] = VK_EXT_DEBUG_UTILS_EXTENSION_NAME;
    info->ppEnabledExtensionNames = names;
    free(available);
    return true;
}

// Finds the functions of the loader, which is opened once and stays open. Functions found for one instance serve all.
static bool load_functions(VkInstance instance)
{
    static bool opened, loaded;
    if (!opened && volkInitialize())
        return fail(FAULT_DEVICE, "the Vulkan loader, libvulkan.so.1, is not installed; install it (Debian, Ubuntu: "
                                  "libvulkan1; Fedora, Arch: "
                                  "vulkan-loader) and a Vulkan driver");
    opened = true;
    if (instance && !loaded) {
        volkLoadInstance(instance);
        loaded = true;
    }
    return true;
}

static bool call_create(struct instance *instance, const VkInstanceCreateInfo *info)
{
    VkResult result = vkCreateInstance(info, NULL, &instance->handle);
    if (!result)
        return load_functions(instance->handle);
    instance->handle = VK_NULL_HANDLE;
    if (result == VK_ERROR_LAYER_NOT_PRESENT)
        return fail(FAULT_DEVICE, "MDAM_VK_VALIDATE is set, but the Khronos validation layer is not installed");
    if (result == VK_ERROR_INCOMPATIBLE_DRIVER)
        return fail(FAULT_DEVICE, "no Vulkan driver was found; " INSTALL_A_DRIVER);
    return fail(FAULT_DEVICE, "no Vulkan instance: %s", gpu_result_name(result));
}

// Creates the instance with the validation layer. The messages are in the chain for events before and after the
// messenger, too.
static bool call_create_validated(struct instance *instance, VkInstanceCreateInfo *info)
{
    VkDebugUtilsMessengerCreateInfoEXT messages = {
        .sType = VK_STRUCTURE_TYPE_DEBUG_UTILS_MESSENGER_CREATE_INFO_EXT,
        .messageSeverity =
            VK_DEBUG_UTILS_MESSAGE_SEVERITY_WARNING_BIT_EXT | VK_DEBUG_UTILS_MESSAGE_SEVERITY_ERROR_BIT_EXT,
        .messageType = VK_DEBUG_UTILS_MESSAGE_TYPE_VALIDATION_BIT_EXT | VK_DEBUG_UTILS_MESSAGE_TYPE_PERFORMANCE_BIT_EXT,
        .pfnUserCallback = on_message,
    };
    VkValidationFeaturesEXT features = {
        .sType = VK_STRUCTURE_TYPE_VALIDATION_FEATURES_EXT,
        .pNext = &messages,
        .enabledValidationFeatureCount = 1,
        .pEnabledValidationFeatures =
            (VkValidationFeatureEnableEXT[]){ VK_VALIDATION_FEATURE_ENABLE_SYNCHRONIZATION_VALIDATION_EXT },
    };
    info->enabledLayerCount = 1;
    info->ppEnabledLayerNames = (const char *[]){ "VK_LAYER_KHRONOS_validation" };
    info->pNext = &features;
    if (!call_create(instance, info))
        return false;
    PFN_vkCreateDebugUtilsMessengerEXT create =
        (PFN_vkCreateDebugUtilsMessengerEXT)vkGetInstanceProcAddr(instance->handle, "vkCreateDebugUtilsMessengerEXT");
    if (!create || create(instance->handle, &messages, NULL, &instance->messenger))
        return fail(FAULT_DEVICE, "the validation layer accepts no messenger");
    return true;
}

static bool is_validated(void)
{
    const char *validate = getenv("MDAM_VK_VALIDATE");
    return validate && *validate && strcmp(validate, "0");
}

static bool create_instance(struct instance *instance)
{
    const char *extensions[2];
    VkInstanceCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO,
        .pApplicationInfo = &(VkApplicationInfo){ .sType = VK_STRUCTURE_TYPE_APPLICATION_INFO,
            .pApplicationName = "mdam-vk",
            .pEngineName = "mdam-vk",
            .apiVersion = VK_API_VERSION_1_2 },
    };
    if (!load_functions(VK_NULL_HANDLE) || !choose_extensions(instance, &info, extensions))
        return false;
    return is_validated() ? call_create_validated(instance, &info) : call_create(instance, &info);
}

static void describe_type(struct gpu_info *info, VkPhysicalDeviceType type)
{
    static const char *const names[] = { "other", "integrated", "discrete", "virtual", "cpu" };
    info->type = type < sizeof names / sizeof *names ? names[type] : "other";
    info->is_cpu = type == VK_PHYSICAL_DEVICE_TYPE_CPU;
}

// 32 lanes suit most GPUs; Intel's compiler runs out of registers with more than the device's minimum.
static uint32_t choose_lanes(const struct gpu_info *info, bool size_control, uint32_t usual)
{
    uint32_t preferred = info->vendor == VENDOR_INTEL ? info->lanes_min : 32;
    if (!size_control)
        return usual;
    if (preferred < info->lanes_min)
        return info->lanes_min;
    return preferred > info->lanes_max ? info->lanes_max : preferred;
}

// Under RenderDoc a family with graphics, because it captures no other; otherwise one without, so that desktop and
// program do not wait for each other. Timestamps have priority.
static uint32_t rank_queue(const VkQueueFamilyProperties *family, bool captured)
{
    const bool graphics = family->queueFlags & VK_QUEUE_GRAPHICS_BIT;
    if (!(family->queueFlags & VK_QUEUE_COMPUTE_BIT))
        return 0;
    return 1 + 2 * (family->timestampValidBits > 0) + (captured ? 4 * graphics : !graphics);
}

static void find_queue(struct found *found)
{
    const bool captured = gpu_capture_present();
    uint32_t best = 0;
    VkQueueFamilyProperties families[16];
    uint32_t count = 16;
    vkGetPhysicalDeviceQueueFamilyProperties(found->handle, &count, families);
    found->queue_family = UINT32_MAX;
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t rank = rank_queue(&families[i], captured);
        if (rank <= best)
            continue;
        best = rank;
        found->queue_family = i;
        found->timestamp_bits = families[i].timestampValidBits;
        found->queue_flags = families[i].queueFlags;
    }
}

static void why_not(struct gpu_info *info, const char *reason)
{
    if (!info->why_not[0])
        snprintf(info->why_not, sizeof info->why_not, "%s", reason);
}

static void list_extensions(struct found *found)
{
    uint32_t count = 0;
    if (vkEnumerateDeviceExtensionProperties(found->handle, NULL, &count, NULL))
        return;
    VkExtensionProperties *list = xcalloc(count, sizeof *list);
    if (vkEnumerateDeviceExtensionProperties(found->handle, NULL, &count, list) >= 0) {
        found->size_control = has_extension(list, count, VK_EXT_SUBGROUP_SIZE_CONTROL_EXTENSION_NAME);
        found->executable_info = has_extension(list, count, VK_KHR_PIPELINE_EXECUTABLE_PROPERTIES_EXTENSION_NAME);
        found->memory_budget = has_extension(list, count, VK_EXT_MEMORY_BUDGET_EXTENSION_NAME);
        found->has_pci = has_extension(list, count, VK_EXT_PCI_BUS_INFO_EXTENSION_NAME);
        found->maximal_reconvergence = has_extension(list, count, MAXIMAL_RECONVERGENCE);
        found->uniform_control = has_extension(list, count, VK_KHR_SHADER_SUBGROUP_UNIFORM_CONTROL_FLOW_EXTENSION_NAME);
        found->cooperative_matrix = has_extension(list, count, "VK_KHR_cooperative_matrix");
        found->portability_subset = has_extension(list, count, "VK_KHR_portability_subset");
    }
    free(list);
}

static void read_properties(struct found *found, VkPhysicalDeviceSubgroupProperties *subgroup)
{
    struct gpu_info *info = &found->info;
    VkPhysicalDevicePCIBusInfoPropertiesEXT pci = { VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PCI_BUS_INFO_PROPERTIES_EXT };
    VkPhysicalDeviceSubgroupSizeControlProperties sizes = {
        VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SUBGROUP_SIZE_CONTROL_PROPERTIES, .pNext = found->has_pci ? &pci : NULL
    };
    VkPhysicalDeviceIDProperties id = { VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_ID_PROPERTIES,
        .pNext = found->size_control ? (void *)&sizes : sizes.pNext };
    VkPhysicalDeviceMaintenance3Properties limits3 = { VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MAINTENANCE_3_PROPERTIES,
        .pNext = &id };
    VkPhysicalDeviceDriverProperties driver = { VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DRIVER_PROPERTIES,
        .pNext = &limits3 };
    *subgroup =
        (VkPhysicalDeviceSubgroupProperties){ VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SUBGROUP_PROPERTIES, .pNext = &driver };
    VkPhysicalDeviceProperties2 all = { VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2, .pNext = subgroup };
    vkGetPhysicalDeviceProperties2(found->handle, &all);

    const VkPhysicalDeviceProperties *base = &all.properties;
    snprintf(info->name, sizeof info->name, "%s", base->deviceName);
    snprintf(info->driver, sizeof info->driver, "%s", driver.driverName);
    snprintf(info->driver_info, sizeof info->driver_info, "%s", driver.driverInfo);
    describe_type(info, base->deviceType);
    info->vendor = base->vendorID;
    info->device = base->deviceID;
    info->driver_version = base->driverVersion;
    info->api_version = base->apiVersion;
    info->threads_max = base->limits.maxComputeWorkGroupInvocations;
    if (info->threads_max > base->limits.maxComputeWorkGroupSize[0])
        info->threads_max = base->limits.maxComputeWorkGroupSize[0];
    info->shared_bytes = base->limits.maxComputeSharedMemorySize;
    info->push_bytes = base->limits.maxPushConstantsSize;
    info->range_max = base->limits.maxStorageBufferRange;
    info->block_max = limits3.maxMemoryAllocationSize;
    // Sizes may vary beyond the program's control.
    found->size_control = found->size_control && (sizes.requiredSubgroupSizeStages & VK_SHADER_STAGE_COMPUTE_BIT);
    found->full_subgroups = found->full_subgroups && found->size_control;
    info->lanes_min = found->size_control ? sizes.minSubgroupSize : subgroup->subgroupSize;
    info->lanes_max = found->size_control ? sizes.maxSubgroupSize : subgroup->subgroupSize;
    info->lanes = choose_lanes(info, found->size_control, subgroup->subgroupSize);
    uint64_t threads = (uint64_t)sizes.maxComputeWorkgroupSubgroups * info->lanes;
    if (found->size_control && threads < info->threads_max)
        info->threads_max = (uint32_t)threads;
    found->timestamp_ns = base->limits.timestampPeriod;
    memcpy(found->uuid, id.deviceUUID, VK_UUID_SIZE);
    memcpy(found->cache_uuid, base->pipelineCacheUUID, VK_UUID_SIZE);
    memcpy(found->pci, (uint32_t[]){ pci.pciDomain, pci.pciBus, pci.pciDevice, pci.pciFunction }, sizeof found->pci);
}

void gpu_chain(void *to, void *next)
{
    VkBaseOutStructure *last = to;
    while (last->pNext)
        last = last->pNext;
    last->pNext = next;
}

static void read_features(struct found *found)
{
    struct gpu_info *info = &found->info;
    VkPhysicalDeviceSubgroupSizeControlFeatures sizes = {
        VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SUBGROUP_SIZE_CONTROL_FEATURES
    };
    VkPhysicalDevicePipelineExecutablePropertiesFeaturesKHR executables = {
        VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PIPELINE_EXECUTABLE_PROPERTIES_FEATURES_KHR
    };
    VkPhysicalDeviceShaderSubgroupUniformControlFlowFeaturesKHR uniform = {
        VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_SUBGROUP_UNIFORM_CONTROL_FLOW_FEATURES_KHR
    };
    struct maximal_reconvergence maximal = { MAXIMAL_RECONVERGENCE_FEATURES };
    VkPhysicalDeviceVulkan12Features v12 = { VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES };
    VkPhysicalDeviceFeatures2 all = { VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2, .pNext = &v12 };
    if (found->size_control)
        gpu_chain(&all, &sizes);
    if (found->executable_info)
        gpu_chain(&all, &executables);
    if (found->uniform_control)
        gpu_chain(&all, &uniform);
    if (found->maximal_reconvergence)
        gpu_chain(&all, &maximal);
    vkGetPhysicalDeviceFeatures2(found->handle, &all);
    found->size_control = found->size_control && sizes.subgroupSizeControl;
    found->executable_info = found->executable_info && executables.pipelineExecutableInfo;
    found->uniform_control = found->uniform_control && uniform.shaderSubgroupUniformControlFlow;
    // Older validation layers do not know the newer feature.
    found->maximal_reconvergence =
        found->maximal_reconvergence && maximal.shaderMaximalReconvergence && !is_validated();
    found->reconvergence = found->maximal_reconvergence ? RECONVERGENCE_MAXIMAL
                           : found->uniform_control     ? RECONVERGENCE_UNIFORM
                                                        : RECONVERGENCE_NONE;
    // On Intel the flag has caused slowness and hangs (Arc B580). Sizes that divide the workgroup fill their subgroups
    // without it, which the check at opening verifies.
    found->full_subgroups = found->size_control && sizes.computeFullSubgroups && info->vendor != VENDOR_INTEL;
    info->addresses = v12.bufferDeviceAddress;
    info->addresses_captured = v12.bufferDeviceAddressCaptureReplay;
    info->int64 = all.features.shaderInt64;
    if (!v12.scalarBlockLayout)
        why_not(info, "no scalar block layout");
    if (!v12.timelineSemaphore)
        why_not(info, "no timeline semaphores");
    if (!v12.subgroupBroadcastDynamicId)
        why_not(info, "no subgroup broadcast from a computed lane");
}

static void examine(struct found *found, unsigned disabled)
{
    struct gpu_info *info = &found->info;
    info->disabled = disabled;
    info->shared_product = !(disabled & GPU_FEATURE_SHARED_PRODUCT);
    VkPhysicalDeviceProperties base;
    vkGetPhysicalDeviceProperties(found->handle, &base);
    if (base.apiVersion < VK_API_VERSION_1_2) {
        snprintf(info->name, sizeof info->name, "%s", base.deviceName);
        describe_type(info, base.deviceType);
        info->api_version = base.apiVersion;
        why_not(info, "Vulkan 1.2 is needed");
        return;
    }
    info->vendor = base.vendorID;
    list_extensions(found);
    found->size_control = found->size_control && !(disabled & GPU_FEATURE_SUBGROUP_SIZE);
    VkPhysicalDeviceSubgroupProperties subgroup;
    read_features(found);
    info->addresses = info->addresses && !(disabled & GPU_FEATURE_ADDRESSES);
    info->int64 = info->int64 && !(disabled & GPU_FEATURE_INT64);
    read_properties(found, &subgroup);
    find_queue(found);
    vkGetPhysicalDeviceMemoryProperties(found->handle, &found->memory);
    for (uint32_t i = 0; i < found->memory.memoryHeapCount; i++) {
        const VkMemoryHeap *heap = &found->memory.memoryHeaps[i];
        if ((heap->flags & VK_MEMORY_HEAP_DEVICE_LOCAL_BIT) && heap->size > info->memory)
            info->memory = heap->size;
    }
    VkSubgroupFeatureFlags needed = VK_SUBGROUP_FEATURE_BASIC_BIT | VK_SUBGROUP_FEATURE_VOTE_BIT |
                                    VK_SUBGROUP_FEATURE_ARITHMETIC_BIT | VK_SUBGROUP_FEATURE_BALLOT_BIT |
                                    VK_SUBGROUP_FEATURE_SHUFFLE_BIT;
    if ((subgroup.supportedOperations & needed) != needed || !(subgroup.supportedStages & VK_SHADER_STAGE_COMPUTE_BIT))
        why_not(info, "subgroup arithmetic, ballot or shuffle is missing in compute shaders");
    if (info->lanes < 4 || info->lanes > 128)
        why_not(info, "a subgroup size outside 4..128");
    if (found->queue_family == UINT32_MAX)
        why_not(info, "no compute queue");
    const char *inject = getenv("MDAM_VK_INJECT");
    if (inject && !strcmp(inject, "unusable"))
        why_not(info, "a test says so");
    if (inject && !strcmp(inject, "timeless"))
        found->timestamp_bits = 0;
    gpu_info_aim(info, GPU_TARGET_AUTO);
    info->usable = !info->why_not[0];
}

// One GPU with two drivers: the same UUID, or the same PCI slot.
static bool same_device(const struct found *a, const struct found *b)
{
    static const uint8_t zero[VK_UUID_SIZE];
    if (memcmp(a->uuid, zero, sizeof zero) && !memcmp(a->uuid, b->uuid, sizeof zero))
        return true;
    return a->has_pci && b->has_pci && !memcmp(a->pci, b->pci, sizeof a->pci) && memcmp(a->pci, zero, sizeof a->pci);
}

// MDAM_VK_VISIBLE_DEVICES: a comma-separated list of indices or parts of names.
static bool visible(const struct gpu_info *info, int index)
{
    const char *list = getenv("MDAM_VK_VISIBLE_DEVICES");
    if (!list)
        return true;
    bool seen = false;
    char *copy = xstrdup(list), *rest = copy;
    for (char *part; (part = strtok_r(rest, ",", &rest));) {
        char *end;
        long number = strtol(part, &end, 10);
        if (end != part && !*end ? number == index : strcasestr(info->name, part) != NULL)
            seen = true;
    }
    free(copy);
    return seen;
}

static bool enumerate(struct instance *instance)
{
    uint32_t count = 0;
    unsigned disabled;
    if (!gpu_disabled_read(&disabled))
        return false;
    VkResult result = vkEnumeratePhysicalDevices(instance->handle, &count, NULL);
    if (result < 0)
        return fail(FAULT_DEVICE, "the Vulkan drivers cannot be listed: %s", gpu_result_name(result));
    VkPhysicalDevice *handles = xcalloc(count, sizeof *handles);
    result = vkEnumeratePhysicalDevices(instance->handle, &count, handles);
    struct found *all = NULL; // stb_ds array
    for (uint32_t i = 0; result >= 0 && i < count; i++) {
        struct found found = { .handle = handles[i] };
        examine(&found, disabled);
        struct found *known = NULL;
        for (ptrdiff_t j = 0; j < arrlen(all); j++)
            known = same_device(&all[j], &found) ? &all[j] : known;
        if (!known)
            arrput(all, found);
        else if (found.info.usable && !known->info.usable)
            *known = found;
    }
    free(handles);
    for (ptrdiff_t i = 0; i < arrlen(all); i++) {
        if (!visible(&all[i].info, (int)i))
            continue;
        all[i].info.index = (int)arrlen(instance->found);
        arrput(instance->found, all[i]);
    }
    arrfree(all);
    if (result < 0)
        return fail(FAULT_DEVICE, "the Vulkan drivers cannot be listed: %s", gpu_result_name(result));
    return arrlen(instance->found) ||
           fail(FAULT_DEVICE, "no Vulkan device found%s",
               getenv("MDAM_VK_VISIBLE_DEVICES") ? " among MDAM_VK_VISIBLE_DEVICES" : "; " INSTALL_A_DRIVER);
}

bool gpu_instance_open(struct instance *instance)
{
    static pthread_mutex_t opening =
        PTHREAD_MUTEX_INITIALIZER; // protects the environment, to which the lanes are written
    *instance = (struct instance){ 0 };
    pthread_mutex_lock(&opening);
    gpu_prefer_lanes();
    bool ok = create_instance(instance) && enumerate(instance);
    if (ok && gpu_narrow_lanes(instance->found)) {
        gpu_instance_close(instance);
        ok = create_instance(instance) && enumerate(instance);
    }
    pthread_mutex_unlock(&opening);
    if (!ok)
        gpu_instance_close(instance);
    return ok;
}

void gpu_instance_close(struct instance *instance)
{
    if (instance->messenger) {
        PFN_vkDestroyDebugUtilsMessengerEXT destroy = (PFN_vkDestroyDebugUtilsMessengerEXT)vkGetInstanceProcAddr(
            instance->handle, "vkDestroyDebugUtilsMessengerEXT");
        destroy(instance->handle, instance->messenger, NULL);
    }
    if (instance->handle)
        vkDestroyInstance(instance->handle, NULL);
    arrfree(instance->found);
    *instance = (struct instance){ 0 };
}

bool gpu_list(struct gpu_info **list, size_t *count)
{
    struct instance instance;
    if (!gpu_instance_open(&instance))
        return false;
    *count = (size_t)arrlen(instance.found);
    *list = xcalloc(*count, sizeof **list);
    for (size_t i = 0; i < *count; i++)
        (*list)[i] = instance.found[i].info;
    gpu_instance_close(&instance);
    return true;
}
