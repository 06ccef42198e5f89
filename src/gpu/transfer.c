// Copies between host and device. Memory that the host does not see is reached through stages: buffers of the host,
// with the commands that copy from or to them. Uploads collect in stages that precede the next submission.
#include <stdlib.h>
#include <string.h>

#include <stb/stb_ds.h>

#include "gpu/internal.h"
#include "util/alloc.h"
#include "util/divide.h"
#include "util/error.h"

// Bytes of a stage, stages of uploads, and the alignment of parts in them, which keeps copies fast.
enum { STAGE_BYTES = 4 << 20, STAGES = 8, STAGE_ALIGNMENT = 16 };

bool gpu_host_buffer_create(struct gpu *gpu, struct host_buffer *host, uint64_t bytes)
{
    VkBufferCreateInfo create = { .sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO,
        .size = bytes,
        .usage = VK_BUFFER_USAGE_TRANSFER_SRC_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT };
    VmaAllocationCreateInfo allocation = {
        .flags = VMA_ALLOCATION_CREATE_MAPPED_BIT | VMA_ALLOCATION_CREATE_HOST_ACCESS_RANDOM_BIT,
        .usage = VMA_MEMORY_USAGE_AUTO_PREFER_HOST,
    };
    VmaAllocationInfo info;
    VkResult result = vmaCreateBuffer(gpu->allocator, &create, &allocation, &host->buffer, &host->memory, &info);
    if (!result)
        result = gpu_check_mapped(gpu, bytes, &host->buffer, &host->memory, &info);
    host->mapped = result ? NULL : info.pMappedData;
    return gpu_check(gpu, result, "no memory of the host for copies");
}

void gpu_host_buffer_finish(struct gpu *gpu, struct host_buffer *host)
{
    if (host->buffer && gpu_at_rest(gpu))
        vmaDestroyBuffer(gpu->allocator, host->buffer, host->memory);
    *host = (struct host_buffer){ 0 };
}

static void stage_destroy(struct gpu *gpu, struct stage *stage)
{
    if (stage)
        gpu_host_buffer_finish(gpu, &stage->host);
    free(stage); // the pool has the commands
}

// Returns NULL if it fails.
static struct stage *stage_create(struct gpu *gpu)
{
    struct stage *stage = xcalloc(1, sizeof *stage);
    VkCommandBufferAllocateInfo commands = {
        .sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO,
        .commandPool = gpu->pool,
        .level = VK_COMMAND_BUFFER_LEVEL_PRIMARY,
        .commandBufferCount = 1,
    };
    if (gpu_host_buffer_create(gpu, &stage->host, STAGE_BYTES) &&
        gpu_check(gpu, vkAllocateCommandBuffers(gpu->device, &commands, &stage->commands), "no command buffer"))
        return stage;
    stage_destroy(gpu, stage);
    return NULL;
}

static void stages_destroy(struct gpu *gpu, struct stage **list)
{
    for (ptrdiff_t i = 0; i < arrlen(list); i++)
        stage_destroy(gpu, list[i]);
    arrfree(list);
}

void gpu_transfer_close(struct gpu *gpu)
{
    stages_destroy(gpu, gpu->transfer.open);
    stages_destroy(gpu, gpu->transfer.closed);
    stage_destroy(gpu, gpu->transfer.download);
    arrfree(gpu->transfer.written);
    gpu->transfer.open = gpu->transfer.closed = NULL;
    gpu->transfer.download = NULL;
}

// Orders copies after everything before them.
static void follow(VkCommandBuffer commands)
{
    VkMemoryBarrier memory = { .sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER,
        .srcAccessMask = VK_ACCESS_SHADER_WRITE_BIT | VK_ACCESS_TRANSFER_WRITE_BIT,
        .dstAccessMask = VK_ACCESS_TRANSFER_READ_BIT | VK_ACCESS_TRANSFER_WRITE_BIT };
    vkCmdPipelineBarrier(commands, VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT | VK_PIPELINE_STAGE_TRANSFER_BIT,
        VK_PIPELINE_STAGE_TRANSFER_BIT, 0, 1, &memory, 0, NULL, 0, NULL);
}

static bool stage_begin(struct gpu *gpu, struct stage *stage)
{
    VkCommandBufferBeginInfo begin = { .sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO,
        .flags = VK_COMMAND_BUFFER_USAGE_ONE_TIME_SUBMIT_BIT };
    stage->used = 0;
    if (!gpu_check(gpu, vkBeginCommandBuffer(stage->commands, &begin), "a copy cannot be recorded"))
        return false;
    follow(stage->commands);
    return true;
}

// --- uploads ------------------------------------------------------------------------------------------------------

bool gpu_uploads_end(struct gpu *gpu, VkCommandBuffer **list, uint64_t value)
{
    struct stage **open = gpu->transfer.open;
    bool ok = true;
    for (ptrdiff_t i = 0; i < arrlen(open); i++) {
        ok = gpu_check(gpu, vmaFlushAllocation(gpu->allocator, open[i]->host.memory, 0, open[i]->used), "flush") &&
             gpu_check(gpu, vkEndCommandBuffer(open[i]->commands), "a copy cannot be recorded") && ok;
        open[i]->value = value;
        arrput(*list, open[i]->commands);
        arrput(gpu->transfer.closed, open[i]);
    }
    arrfree(gpu->transfer.open);
    arrfree(gpu->transfer.written);
    return ok;
}

void gpu_uploads_finish(struct gpu *gpu)
{
    if (arrlen(gpu->transfer.open) && !gpu->lost)
        gpu_submit(gpu, 0, NULL, 0, "upload");
    gpu_finish(gpu, gpu->submitted);
}

// Returns the stage whose copies were submitted first and are complete, or a new one.
static struct stage *free_stage(struct gpu *gpu)
{
    const bool few = arrlen(gpu->transfer.open) + arrlen(gpu->transfer.closed) < STAGES;
    if (!few && !arrlen(gpu->transfer.closed) && !gpu_submit(gpu, 0, NULL, 0, "upload"))
        return NULL;
    if (arrlen(gpu->transfer.closed) && (!few || gpu_reached(gpu, gpu->transfer.closed[0]->value))) {
        if (!gpu_wait(gpu, gpu->transfer.closed[0]->value))
            return NULL;
        struct stage *stage = gpu->transfer.closed[0];
        arrdel(gpu->transfer.closed, 0);
        return stage;
    }
    return stage_create(gpu);
}

// Returns the last open stage, which has room.
static struct stage *open_stage(struct gpu *gpu)
{
    if (arrlen(gpu->transfer.open) && arrlast(gpu->transfer.open)->used < STAGE_BYTES)
        return arrlast(gpu->transfer.open);
    struct stage *stage = free_stage(gpu);
    if (!stage)
        return NULL;
    if (!stage_begin(gpu, stage)) {
        stage_destroy(gpu, stage);
        return NULL;
    }
    arrput(gpu->transfer.open, stage);
    arrfree(gpu->transfer.written); // it begins with a barrier
    return stage;
}

// Copies to the same place happen in order.
static void order_copy(struct gpu *gpu, VkCommandBuffer commands, struct written range)
{
    const struct written *list = gpu->transfer.written;
    bool again = false;
    for (ptrdiff_t i = 0; i < arrlen(list); i++)
        again = again || (list[i].buffer == range.buffer && list[i].offset < range.offset + range.bytes &&
                             range.offset < list[i].offset + list[i].bytes);
    if (again) {
        follow(commands);
        arrfree(gpu->transfer.written);
    }
    arrput(gpu->transfer.written, range);
}

static bool upload_staged(struct gpu *gpu, const struct block *block, uint64_t to, const char *from, uint64_t bytes)
{
    for (uint64_t done = 0, part; done < bytes; done += part) {
        struct stage *stage = open_stage(gpu);
        if (!stage)
            return false;
        part = bytes - done < STAGE_BYTES - stage->used ? bytes - done : STAGE_BYTES - stage->used;
        const VkBufferCopy copy = { stage->used, block->offset + (to + done - block->address), part };
        memcpy(stage->host.mapped + stage->used, from + done, part);
        order_copy(gpu, stage->commands, (struct written){ block->buffer, copy.dstOffset, part });
        vkCmdCopyBuffer(stage->commands, stage->host.buffer, block->buffer, 1, &copy);
        stage->used = round_up(stage->used + part, STAGE_ALIGNMENT);
    }
    return true;
}

// Uploads after submission VALUE, if the host writes to the memory itself; stages come after all submitted work.
static bool upload(struct gpu *gpu, uint64_t to, const void *from, size_t bytes, uint64_t value)
{
    if (!bytes || gpu->options.dry)
        return true;
    const struct block *block = gpu_block(gpu, to, bytes);
    gpu->counts.uploads++;
    if (gpu->lost || block->mapped) {
        if (!gpu_wait(gpu, value))
            return false;
        memcpy(block->mapped + (to - block->address), from, bytes);
        return gpu_check(gpu,
            vmaFlushAllocation(gpu->allocator, gpu_block_memory(gpu, block),
                (block->memory ? 0 : block->offset) + (to - block->address), bytes),
            "an upload cannot be flushed");
    }
    return upload_staged(gpu, block, to, from, bytes);
}

bool gpu_upload(struct gpu *gpu, uint64_t to, const void *from, size_t bytes)
{
    return upload(gpu, to, from, bytes, gpu->submitted);
}

bool gpu_upload_new(struct gpu *gpu, uint64_t to, const void *from, size_t bytes)
{
    return upload(gpu, to, from, bytes, 0);
}

// --- downloads ----------------------------------------------------------------------------------------------------

// A part, or as much of it as a stage holds.
struct staged {
    char *to;
    uint64_t at, bytes; // in the stage
};

// Runs the recorded copies and takes the parts from the stage.
static bool run_staged(struct gpu *gpu, const struct staged *list)
{
    struct stage *stage = gpu->transfer.download;
    VkMemoryBarrier memory = { .sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER,
        .srcAccessMask = VK_ACCESS_TRANSFER_WRITE_BIT,
        .dstAccessMask = VK_ACCESS_HOST_READ_BIT };
    vkCmdPipelineBarrier(
        stage->commands, VK_PIPELINE_STAGE_TRANSFER_BIT, VK_PIPELINE_STAGE_HOST_BIT, 0, 1, &memory, 0, NULL, 0, NULL);
    if (!gpu_check(gpu, vkEndCommandBuffer(stage->commands), "a copy cannot be recorded") ||
        !gpu_submit(gpu, 1, &stage->commands, 0, "download") || !gpu_wait(gpu, gpu->submitted) ||
        !gpu_check(gpu, vmaInvalidateAllocation(gpu->allocator, stage->host.memory, 0, stage->used), "invalidate"))
        return false;
    for (ptrdiff_t i = 0; i < arrlen(list); i++)
        memcpy(list[i].to, stage->host.mapped + list[i].at, list[i].bytes);
    return true;
}

static bool is_seen(const struct block *block)
{
    return block->mapped && block->cached;
}

static bool download_staged(struct gpu *gpu, const struct gpu_part *parts, size_t count)
{
    struct stage *stage = gpu->transfer.download;
    struct staged *list = NULL;
    bool ok = stage_begin(gpu, stage);
    for (size_t i = 0; ok && i < count; i++) {
        const struct block *block = gpu_block(gpu, parts[i].from, parts[i].bytes);
        for (uint64_t done = 0, part; ok && !is_seen(block) && done < parts[i].bytes; done += part) {
            if (stage->used == STAGE_BYTES) {
                ok = run_staged(gpu, list) && stage_begin(gpu, stage);
                arrfree(list);
                if (!ok)
                    break;
            }
            const uint64_t left = parts[i].bytes - done, room = STAGE_BYTES - stage->used;
            part = left < room ? left : room;
            const VkBufferCopy copy = { block->offset + (parts[i].from + done - block->address), stage->used, part };
            const struct staged staged = { (char *)parts[i].to + done, stage->used, part };
            vkCmdCopyBuffer(stage->commands, block->buffer, stage->host.buffer, 1, &copy);
            arrput(list, staged);
            stage->used = round_up(stage->used + part, STAGE_ALIGNMENT);
        }
    }
    ok = ok && run_staged(gpu, list);
    arrfree(list);
    return ok;
}

static bool download_seen(struct gpu *gpu, const struct block *block, const struct gpu_part *part)
{
    const uint64_t at = part->from - block->address;
    if (!gpu_check(gpu,
            vmaInvalidateAllocation(
                gpu->allocator, gpu_block_memory(gpu, block), (block->memory ? 0 : block->offset) + at, part->bytes),
            "a download cannot be made visible"))
        return false;
    memcpy(part->to, block->mapped + at, part->bytes);
    return true;
}

bool gpu_download_parts(struct gpu *gpu, const struct gpu_part *parts, size_t count)
{
    bool staged = false, ok = true;
    for (size_t i = 0; i < count; i++) {
        if (gpu->options.dry)
            memset(parts[i].to, 0, parts[i].bytes);
        else if (parts[i].bytes)
            staged = staged || !is_seen(gpu_block(gpu, parts[i].from, parts[i].bytes));
    }
    if (gpu->options.dry)
        return true;
    gpu->counts.downloads += count;
    if (!gpu_wait(gpu, 0)) // a lost device may still run the copies of before
        return false;
    if (staged && !gpu->transfer.download)
        gpu->transfer.download = stage_create(gpu);
    if (staged)
        ok = gpu->transfer.download && download_staged(gpu, parts, count);
    ok = ok && gpu_wait(gpu, gpu->submitted);
    for (size_t i = 0; ok && i < count; i++) {
        const struct block *block = parts[i].bytes ? gpu_block(gpu, parts[i].from, parts[i].bytes) : NULL;
        if (block && is_seen(block))
            ok = download_seen(gpu, block, &parts[i]);
    }
    return ok;
}

bool gpu_download(struct gpu *gpu, void *to, uint64_t from, size_t bytes)
{
    return gpu_download_parts(gpu, &(struct gpu_part){ to, from, bytes }, 1);
}
