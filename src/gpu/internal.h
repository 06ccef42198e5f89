// What the files of the device layer share. The only place, with vma.cpp, where Vulkan and VMA are seen.
#ifndef GPU_INTERNAL_H
#define GPU_INTERNAL_H

#include <vulkan/vulkan.h>

#define VMA_STATIC_VULKAN_FUNCTIONS  1
#define VMA_DYNAMIC_VULKAN_FUNCTIONS 0
#define VMA_VULKAN_VERSION           1002000
#include <vk_mem_alloc.h>

#include "gpu/gpu.h"

// The instance and its physical devices, with what was found out about each.
struct found {
    VkPhysicalDevice handle;
    struct gpu_info info;
    uint8_t uuid[VK_UUID_SIZE], cache_uuid[VK_UUID_SIZE];
    bool has_pci;
    uint32_t pci[4];
    bool size_control, full_subgroups, executable_info, memory_budget, portability_subset;
    uint32_t queue_family, timestamp_bits;
    float timestamp_ns;
};

struct instance {
    VkInstance handle;
    VkDebugUtilsMessengerEXT messenger;
    bool debug_utils;
    struct found *found; // stb_ds array, in the order shown to the user
};

bool gpu_instance_open(struct instance *instance);
void gpu_instance_close(struct instance *instance);
void gpu_prefer_lanes(void); // lets a CPU driver use the vector width that is fastest on this CPU

// A range of device memory that places are handed out from.
struct block {
    uint64_t at, bytes;
    VkBuffer buffer;      // shared by all blocks in the heap flavour
    uint64_t offset;      // of `at` in the buffer
    VmaAllocation memory; // NULL in the heap flavour
    VmaVirtualAllocation part;
    char *mapped; // NULL: the host cannot see it
    bool cached;  // mapped memory is quick to read
};

struct pipeline {
    const struct kernel *kernel;
    uint32_t spec[GPU_SPECS];
    VkPipeline handle;
};

struct profile_entry; // profile.c

struct gpu {
    struct instance instance;
    struct found found; // of the device that was opened
    struct gpu_info info;
    enum gpu_flavour flavour;
    struct gpu_options options;
    char notice[512];
    char *capture_label;
    bool captured;

    VkDevice device;
    VkQueue queue;
    VkCommandPool pool;
    VkSemaphore timeline; // its value counts completed submissions
    uint64_t submitted;
    bool lost;
    int inject[GPU_FAULTS];

    VmaAllocator allocator;
    struct block **blocks; // stb_ds array of every live block
    struct {
        VkBuffer buffer;
        VmaAllocation memory;
        VmaVirtualBlock parts;
        VmaAllocationInfo info;
        VkMemoryPropertyFlags flags;
        uint64_t bytes;
    } heap;
    struct {
        VkBuffer buffer;
        VmaAllocation memory;
        char *mapped;
        VkCommandBuffer commands;
    } staging;

    VkDescriptorSetLayout set_layout; // heap flavour only
    VkDescriptorPool set_pool;
    VkDescriptorSet set;
    VkPipelineLayout layout;
    VkPipelineCache cache;
    char *cache_path;
    struct pipeline *pipelines; // stb_ds array

    struct profile_entry *profile; // stb_ds array

    PFN_vkCmdBeginDebugUtilsLabelEXT begin_label;
    PFN_vkCmdEndDebugUtilsLabelEXT end_label;
    PFN_vkSetDebugUtilsObjectNameEXT set_name;
};

// Turns a VkResult into a sentence. Returns true for VK_SUCCESS.
bool gpu_check(struct gpu *gpu, VkResult result, const char *what);
const char *gpu_result_name(VkResult result);
bool gpu_injected(struct gpu *gpu, enum gpu_fault fault);

bool gpu_memory_open(struct gpu *gpu);
void gpu_memory_close(struct gpu *gpu);
const struct block *gpu_block(const struct gpu *gpu, uint64_t at, uint64_t bytes); // aborts when there is none
bool gpu_submit(struct gpu *gpu, uint32_t count, const VkCommandBuffer *buffers, const char *label);
bool gpu_wait(struct gpu *gpu, uint64_t value, const char *label);

bool gpu_cache_open(struct gpu *gpu);
void gpu_cache_close(struct gpu *gpu);
bool gpu_pipelines_open(struct gpu *gpu);
void gpu_pipelines_close(struct gpu *gpu);
bool gpu_pipeline(struct gpu *gpu, const struct kernel *kernel, const uint32_t spec[GPU_SPECS], VkPipeline *pipeline);
VkResult gpu_pipeline_build(struct gpu *gpu, const struct kernel *kernel, const uint32_t spec[GPU_SPECS],
    VkPipelineCreateFlags flags, VkPipeline *pipeline);

void gpu_profile_add(
    struct gpu *gpu, const char *label, const char *kernel, double start, double seconds, double flops, double bytes);
void gpu_profile_close(struct gpu *gpu);

bool gpu_capture_start(struct gpu *gpu);
void gpu_capture_stop(struct gpu *gpu);
bool gpu_capture_present(void);

#endif
