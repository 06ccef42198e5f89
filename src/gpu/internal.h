// Shared by the files of the device layer. Only they and vma.cpp see Vulkan and VMA.
#ifndef GPU_INTERNAL_H
#define GPU_INTERNAL_H

#include <volk.h>

#define VMA_STATIC_VULKAN_FUNCTIONS  0
#define VMA_DYNAMIC_VULKAN_FUNCTIONS 1
#define VMA_VULKAN_VERSION           1002000
#include <vk_mem_alloc.h>

#include "gpu/gpu.h"

// Guarantees about divergent lanes: none; the lanes of a subgroup reconverge where all of them took the same path
// before; or reconverge as in the source.
enum reconvergence { RECONVERGENCE_NONE, RECONVERGENCE_UNIFORM, RECONVERGENCE_MAXIMAL };

// VK_KHR_shader_maximal_reconvergence, for older headers.
#define MAXIMAL_RECONVERGENCE          "VK_KHR_shader_maximal_reconvergence"
#define MAXIMAL_RECONVERGENCE_FEATURES ((VkStructureType)1000434000)
struct maximal_reconvergence {
    VkStructureType sType;
    void *pNext;
    VkBool32 shaderMaximalReconvergence;
};

// The instance and its physical devices, with their properties.
struct found {
    VkPhysicalDevice handle;
    struct gpu_info info;
    uint8_t uuid[VK_UUID_SIZE], cache_uuid[VK_UUID_SIZE];
    bool has_pci;
    uint32_t pci[4];
    bool size_control, full_subgroups, executable_info, memory_budget, portability_subset;
    bool uniform_control, maximal_reconvergence;
    enum reconvergence reconvergence;
    uint32_t queue_family, timestamp_bits;
    float timestamp_ns;
    VkQueueFlags queue_flags;
    VkPhysicalDeviceMemoryProperties memory;
    bool cooperative_matrix;
};

struct instance {
    VkInstance handle;
    VkDebugUtilsMessengerEXT messenger;
    bool debug_utils;
    struct found *found; // stb_ds array, in the order shown to the user
};

void gpu_chain(void *to, void *next); // appends a struct to the chain of TO
bool gpu_instance_open(struct instance *instance);
void gpu_instance_close(struct instance *instance);
// Makes a CPU driver use the vector width that is fastest on this CPU, and reverts that if one of the devices does not
// support it: true if the drivers must be loaded again.
void gpu_prefer_lanes(void);
bool gpu_narrow_lanes(const struct found *found);

// A range of device memory for arenas.
struct block {
    uint64_t address, bytes;
    VkBuffer buffer;      // for target safe shared by all blocks
    uint64_t offset;      // of `at` in the buffer
    VmaAllocation memory; // NULL for target safe
    VmaVirtualAllocation part;
    char *mapped; // NULL: not visible to the host
    bool cached;  // mapped memory is fast to read
};

struct pipeline {
    const struct kernel *kernel;
    uint32_t constants[CONSTANTS];
    bool cut;          // can start a part of the grid
    VkPipeline handle; // VK_NULL_HANDLE: building failed (dry devices only; others report it at once)
    VkResult result;
};

// A submission not yet known to be complete.
struct flight {
    uint64_t value; // timeline value when it is complete
    double seconds; // expected
    char *label;
};

// Memory of the host that the device sees, for copies.
struct host_buffer {
    VkBuffer buffer;
    VmaAllocation memory;
    char *mapped;
};

// A host buffer with the commands that copy parts of it to the device, or from it.
struct stage {
    struct host_buffer host;
    VkCommandBuffer commands;
    uint64_t used;  // bytes
    uint64_t value; // timeline value when the last copies are complete
};

// A range of device memory that staged copies write.
struct written {
    VkBuffer buffer;
    uint64_t offset, bytes;
};

struct profile; // profile.c

struct gpu {
    struct instance instance;
    struct found found; // the opened device
    struct gpu_info info;
    enum gpu_target target;
    struct gpu_options options;
    char notice[1024];
    char *capture_label;
    bool captured; // or tried to

    VkDevice device;
    VkQueue queue;
    VkCommandPool pool;
    VkSemaphore timeline;          // its value counts completed submissions
    uint64_t submitted, completed; // as far as known
    struct flight *flights;        // stb_ds array, oldest first
    bool lost;                     // accepts no submissions
    bool hung;                     // lost without a driver's message: it may still be working
    bool abandoned;                // hung permanently
    int inject[GPU_FAULTS];
    int broken; // for tests: index of the check that fails, from 1

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
        struct stage **open;     // stb_ds array: uploads that precede the next submission
        struct stage **closed;   // stb_ds array: submitted uploads, oldest first
        struct written *written; // stb_ds array: by open uploads since their last barrier
        struct stage *download;  // NULL until it is needed
    } transfer;

    VkDescriptorSetLayout set_layout; // target safe only
    VkDescriptorPool set_pool;
    VkDescriptorSet set;
    VkPipelineLayout layout;
    VkPipelineCache cache;
    char *cache_folder, *cache_path; // NULL: there is none
    size_t cache_bytes;              // size when it was read; 0: none
    struct pipeline *pipelines;      // stb_ds array

    double build_seconds;     // of all pipelines
    bool (*stop)(void *user); // gpu_set_stop; NULL: never
    void *stop_user;
    bool stopped;
    struct gpu_longest longest;
    double slowness; // measured seconds per estimated second of recent work; 0: unknown
    struct gpu_counts counts;
    struct cmd **retired;    // stb_ds array: destroyed recordings that may still run
    struct profile *profile; // NULL until something is timed

    PFN_vkCmdBeginDebugUtilsLabelEXT begin_label;
    PFN_vkCmdEndDebugUtilsLabelEXT end_label;
    PFN_vkSetDebugUtilsObjectNameEXT set_name;
};

// Converts a VkResult to a message. Returns true for VK_SUCCESS.
bool gpu_check(struct gpu *gpu, VkResult result, const char *what);
const char *gpu_result_name(VkResult result);
bool gpu_injected(struct gpu *gpu, enum gpu_fault fault);
bool gpu_disabled_read(unsigned *features); // of the environment; refuses unknown names
// Returns the module with the execution mode for this guarantee: an stb_ds array.
uint32_t *gpu_spirv(const uint32_t *words, size_t bytes, enum reconvergence reconvergence);

bool gpu_memory_open(struct gpu *gpu);
void gpu_memory_close(struct gpu *gpu);
const struct block *gpu_block(const struct gpu *gpu, uint64_t address, uint64_t bytes); // aborts if there is none
VmaAllocation gpu_block_memory(const struct gpu *gpu, const struct block *block);
// Destroys the buffer and returns an error if its memory is not mapped.
VkResult gpu_check_mapped(
    struct gpu *gpu, uint64_t bytes, VkBuffer *buffer, VmaAllocation *memory, const VmaAllocationInfo *info);
void gpu_transfer_close(struct gpu *gpu);
bool gpu_host_buffer_create(struct gpu *gpu, struct host_buffer *host, uint64_t bytes);
void gpu_host_buffer_finish(struct gpu *gpu, struct host_buffer *host); // accepts a zeroed one
// An upload to memory that no submission uses: it waits for none.
bool gpu_upload_new(struct gpu *gpu, uint64_t to, const void *from, size_t bytes);
// Ends the open uploads and adds their commands to LIST (stb_ds array); they complete with submission VALUE.
bool gpu_uploads_end(struct gpu *gpu, VkCommandBuffer **list, uint64_t value);
void gpu_uploads_finish(struct gpu *gpu); // for destructors: waits for all uploads and submitted work

bool gpu_queue_open(struct gpu *gpu);
void gpu_queue_close(struct gpu *gpu);
// Each submission increments `submitted`; LABEL describes it, SECONDS is how long it may take. Staged uploads precede
// it.
bool gpu_submit(struct gpu *gpu, uint32_t count, const VkCommandBuffer *buffers, double seconds, const char *label);
// Whether submission VALUE is complete, without a wait.
bool gpu_reached(struct gpu *gpu, uint64_t value);
// For destructors: the same without a message, whatever the device's state.
void gpu_finish(struct gpu *gpu, uint64_t value);
// Returns whether objects of submissions may be freed: false while a hung device may still be working. Objects of such
// a device are left to the end of the process, because the driver would wait for ever in destroying them.
bool gpu_at_rest(struct gpu *gpu);

char *gpu_cache_folder(const char *given); // the caller frees it; NULL: none
bool gpu_cache_open(struct gpu *gpu);
void gpu_cache_close(struct gpu *gpu);
bool gpu_pipelines_open(struct gpu *gpu);
void gpu_pipelines_close(struct gpu *gpu);
VkPipelineCreateFlags gpu_capture_flags(const struct gpu *gpu); // what reports need
// `cut`: dispatches start parts of the grid.
bool gpu_pipeline(
    struct gpu *gpu, const struct kernel *kernel, const uint32_t constants[CONSTANTS], bool cut, VkPipeline *pipeline);

// Finds the row of the table for this label and kernel, and adds a timed call.
size_t gpu_profile_row(struct gpu *gpu, const char *label, const char *kernel);
void gpu_profile_add(struct gpu *gpu, size_t row, double start, double seconds, double flops, double bytes);
void gpu_profile_close(struct gpu *gpu);

void gpu_retired_free(struct gpu *gpu); // those that do not run any more, or all of a lost device

bool gpu_captures(const struct gpu *gpu, const char *label); // whether the region is still to be captured
bool gpu_capture_start(struct gpu *gpu);
bool gpu_capture_stop(struct gpu *gpu);
bool gpu_capture_present(void);

#endif
