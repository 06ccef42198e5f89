// Device memory: blocks from VMA, or parts of the one heap buffer.
#include <stdlib.h>
#include <string.h>

#include <stb/stb_ds.h>

#include "gpu/internal.h"
#include "gpu/memory.h"
#include "util/alloc.h"
#include "util/error.h"

enum { HEAP_MIN = 1 << 16 };

static const VkBufferUsageFlags storage_usage =
    VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | VK_BUFFER_USAGE_TRANSFER_SRC_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT;

// Mesa's CPU driver, out of memory, treats the all-ones result of a failed mmap() as an address. No valid mapping or
// buffer begins there: the address is odd or the last one.
static bool is_address(uint64_t at, uint64_t bytes)
{
    return at % 16 == 0 && at <= UINT64_MAX - bytes;
}

VkResult gpu_check_mapped(
    struct gpu *gpu, uint64_t bytes, VkBuffer *buffer, VmaAllocation *memory, const VmaAllocationInfo *info)
{
    if (is_address((uintptr_t)info->pMappedData, bytes))
        return VK_SUCCESS;
    vmaDestroyBuffer(gpu->allocator, *buffer, *memory);
    *buffer = VK_NULL_HANDLE;
    *memory = NULL;
    return VK_ERROR_OUT_OF_DEVICE_MEMORY;
}

// Allocates device memory, visible to the host or not.
static VkResult create_storage(struct gpu *gpu, uint64_t bytes, VkBufferUsageFlags usage, VkBuffer *buffer,
    VmaAllocation *memory, VmaAllocationInfo *info)
{
    if (gpu_injected(gpu, GPU_FAULT_ALLOCATE))
        return VK_ERROR_OUT_OF_DEVICE_MEMORY;
    VkBufferCreateInfo create = { .sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO, .size = bytes, .usage = usage };
    VmaAllocationCreateInfo allocation = {
        .flags = VMA_ALLOCATION_CREATE_MAPPED_BIT | VMA_ALLOCATION_CREATE_HOST_ACCESS_RANDOM_BIT |
                 VMA_ALLOCATION_CREATE_HOST_ACCESS_ALLOW_TRANSFER_INSTEAD_BIT,
        .usage = VMA_MEMORY_USAGE_AUTO_PREFER_DEVICE,
        .requiredFlags = VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT, // otherwise kernels would silently be slow over the bus
    };
    VkResult result =
        vmaCreateBufferWithAlignment(gpu->allocator, &create, &allocation, GPU_ALIGNMENT, buffer, memory, info);
    return result ? result : gpu_check_mapped(gpu, bytes, buffer, memory, info);
}

static uint64_t smaller(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

uint64_t gpu_memory(const struct gpu *gpu)
{
    if (gpu->target != GPU_TARGET_SAFE)
        return gpu->info.memory;
    const uint64_t bytes = gpu->options.heap_bytes ? gpu->options.heap_bytes : gpu->info.memory / 2;
    return smaller(bytes, smaller(gpu->info.range_max, gpu->info.block_max));
}

// Creates the one buffer of target safe. Its first bytes are unused, so that 0 is never an address.
static bool open_heap(struct gpu *gpu)
{
    uint64_t bytes = gpu_memory(gpu);
    if (bytes < HEAP_MIN)
        return fail(FAULT_DEVICE, "%s: a heap of %llu bytes is too small; the minimum is %d", gpu->info.name,
            (unsigned long long)bytes, HEAP_MIN);
    // A driver may refuse its own limit; then half of it is used.
    VkResult result = VK_ERROR_OUT_OF_DEVICE_MEMORY;
    for (int tries = 0; tries < 4 && result == VK_ERROR_OUT_OF_DEVICE_MEMORY; tries++, bytes /= 2) {
        gpu->heap.bytes = bytes / GPU_ALIGNMENT * GPU_ALIGNMENT;
        result =
            create_storage(gpu, gpu->heap.bytes, storage_usage, &gpu->heap.buffer, &gpu->heap.memory, &gpu->heap.info);
    }
    if (!gpu_check(gpu, result, "no memory for the heap"))
        return false;
    vmaGetAllocationMemoryProperties(gpu->allocator, gpu->heap.memory, &gpu->heap.flags);
    VmaVirtualBlockCreateInfo parts = { .size = gpu->heap.bytes - GPU_ALIGNMENT };
    return gpu_check(gpu, vmaCreateVirtualBlock(&parts, &gpu->heap.parts), "no map of the heap");
}

bool gpu_memory_open(struct gpu *gpu)
{
    VmaVulkanFunctions functions = { .vkGetInstanceProcAddr = vkGetInstanceProcAddr,
        .vkGetDeviceProcAddr = vkGetDeviceProcAddr };
    VmaAllocatorCreateInfo info = {
        .flags = (gpu->target == GPU_TARGET_SAFE ? 0 : VMA_ALLOCATOR_CREATE_BUFFER_DEVICE_ADDRESS_BIT) |
                 (gpu->found.memory_budget ? VMA_ALLOCATOR_CREATE_EXT_MEMORY_BUDGET_BIT : 0),
        .physicalDevice = gpu->found.handle,
        .device = gpu->device,
        .instance = gpu->instance.handle,
        .pVulkanFunctions = &functions,
        .vulkanApiVersion = VK_API_VERSION_1_2,
    };
    if (!gpu_check(gpu, vmaCreateAllocator(&info, &gpu->allocator), "no memory allocator"))
        return false;
    return gpu->target != GPU_TARGET_SAFE || open_heap(gpu);
}

void gpu_memory_close(struct gpu *gpu)
{
    if (arrlen(gpu->blocks) > 0)
        bug("%td blocks of device memory outlive their device", arrlen(gpu->blocks));
    arrfree(gpu->blocks);
    if (!gpu->allocator || !gpu_at_rest(gpu))
        return;
    gpu_transfer_close(gpu);
    if (gpu->heap.parts)
        vmaDestroyVirtualBlock(gpu->heap.parts);
    vmaDestroyBuffer(gpu->allocator, gpu->heap.buffer, gpu->heap.memory);
    vmaDestroyAllocator(gpu->allocator);
    gpu->allocator = NULL;
}

uint64_t gpu_block_limit(const struct gpu *gpu)
{
    uint64_t limit = gpu->target != GPU_TARGET_SAFE ? gpu->info.block_max
                     : gpu->heap.bytes              ? gpu->heap.bytes - GPU_ALIGNMENT
                                                    : gpu->info.range_max;
    limit = smaller(limit, ((uint64_t)1 << 33) - GPU_ALIGNMENT); // kernels count floats in 31 bits
    limit = gpu->options.block_bytes ? smaller(limit, gpu->options.block_bytes) : limit;
    return limit / GPU_ALIGNMENT * GPU_ALIGNMENT;
}

uint64_t gpu_memory_left(const struct gpu *gpu)
{
    if (gpu->heap.parts) {
        VmaDetailedStatistics parts;
        vmaCalculateVirtualBlockStatistics(gpu->heap.parts, &parts);
        return parts.unusedRangeCount ? parts.unusedRangeSizeMax : 0;
    }
    if (!gpu->allocator) // a dry device
        return gpu->info.memory;
    VmaBudget budgets[VK_MAX_MEMORY_HEAPS];
    vmaGetHeapBudgets(gpu->allocator, budgets);
    const VkPhysicalDeviceMemoryProperties *memory;
    vmaGetMemoryProperties(gpu->allocator, &memory);
    uint64_t left = 0;
    for (uint32_t i = 0; i < memory->memoryHeapCount; i++) {
        if ((memory->memoryHeaps[i].flags & VK_MEMORY_HEAP_DEVICE_LOCAL_BIT) && budgets[i].budget > budgets[i].usage &&
            budgets[i].budget - budgets[i].usage > left)
            left = budgets[i].budget - budgets[i].usage;
    }
    return left;
}

static void see_mapped(struct gpu *gpu, struct block *block, char *mapped, VkMemoryPropertyFlags flags)
{
    if (gpu->options.staging || !mapped)
        return;
    block->mapped = mapped;
    block->cached = flags & VK_MEMORY_PROPERTY_HOST_CACHED_BIT;
}

static VkResult create_in_heap(struct gpu *gpu, struct block *block)
{
    VmaVirtualAllocationCreateInfo create = { .size = block->bytes, .alignment = GPU_ALIGNMENT };
    VkDeviceSize offset;
    if (gpu_injected(gpu, GPU_FAULT_ALLOCATE))
        return VK_ERROR_OUT_OF_DEVICE_MEMORY;
    VkResult result = vmaVirtualAllocate(gpu->heap.parts, &create, &block->part, &offset);
    if (result)
        return result;
    block->buffer = gpu->heap.buffer;
    block->address = block->offset = offset + GPU_ALIGNMENT;
    char *mapped = gpu->heap.info.pMappedData;
    see_mapped(gpu, block, mapped ? mapped + block->offset : NULL, gpu->heap.flags);
    return VK_SUCCESS;
}

static VkResult create_alone(struct gpu *gpu, struct block *block)
{
    VmaAllocationInfo info;
    VkResult result = create_storage(gpu, block->bytes, storage_usage | VK_BUFFER_USAGE_SHADER_DEVICE_ADDRESS_BIT,
        &block->buffer, &block->memory, &info);
    if (result)
        return result;
    VkMemoryPropertyFlags flags;
    vmaGetAllocationMemoryProperties(gpu->allocator, block->memory, &flags);
    VkBufferDeviceAddressInfo address = { .sType = VK_STRUCTURE_TYPE_BUFFER_DEVICE_ADDRESS_INFO,
        .buffer = block->buffer };
    block->address = vkGetBufferDeviceAddress(gpu->device, &address);
    if (!block->address || !is_address(block->address, block->bytes)) {
        vmaDestroyBuffer(gpu->allocator, block->buffer, block->memory);
        return VK_ERROR_OUT_OF_DEVICE_MEMORY;
    }
    see_mapped(gpu, block, info.pMappedData, flags);
    return VK_SUCCESS;
}

const char *gpu_block_create(struct gpu *gpu, struct block **out, uint64_t bytes, const char *name)
{
    struct block *block = xcalloc(1, sizeof *block);
    block->bytes = bytes;
    VkResult result = gpu->target == GPU_TARGET_SAFE ? create_in_heap(gpu, block) : create_alone(gpu, block);
    if (result) {
        free(block);
        return gpu_result_name(result);
    }
    if (gpu->set_name && gpu->target != GPU_TARGET_SAFE) {
        VkDebugUtilsObjectNameInfoEXT info = { .sType = VK_STRUCTURE_TYPE_DEBUG_UTILS_OBJECT_NAME_INFO_EXT,
            .objectType = VK_OBJECT_TYPE_BUFFER,
            .objectHandle = (uint64_t)block->buffer,
            .pObjectName = name };
        gpu->set_name(gpu->device, &info); // labels are optional
    }
    arrput(gpu->blocks, block);
    *out = block;
    return NULL;
}

void gpu_block_destroy(struct gpu *gpu, struct block *block)
{
    for (ptrdiff_t i = 0; i < arrlen(gpu->blocks); i++) {
        if (gpu->blocks[i] == block) {
            arrdelswap(gpu->blocks, i);
            break;
        }
    }
    // Memory that a hung device may still write is not freed.
    if (!block->memory)
        vmaVirtualFree(gpu->heap.parts, block->part);
    else if (gpu_at_rest(gpu))
        vmaDestroyBuffer(gpu->allocator, block->buffer, block->memory);
    free(block);
}

const struct block *gpu_block(const struct gpu *gpu, uint64_t at, uint64_t bytes)
{
    for (ptrdiff_t i = 0; i < arrlen(gpu->blocks); i++) {
        const struct block *block = gpu->blocks[i];
        if (at >= block->address && at - block->address <= block->bytes &&
            bytes <= block->bytes - (at - block->address))
            return block;
    }
    bug("no device memory at %#llx for %llu bytes", (unsigned long long)at, (unsigned long long)bytes);
}

VmaAllocation gpu_block_memory(const struct gpu *gpu, const struct block *block)
{
    return block->memory ? block->memory : gpu->heap.memory;
}
