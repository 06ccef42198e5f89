// Recording commands: a list of pieces, each a command buffer of a few dispatches under one label, with a timestamp at
// each end. submit.c runs them.
#include "gpu/cmd.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <stb/stb_ds.h>

#include "gpu/arguments.h"
#include "util/alloc.h"
#include "util/divide.h"
#include "util/error.h"

enum { PIECE_DISPATCHES = 16 };

// A piece is the smallest unit of submission, so it must stay far below the time limit on a slow device, even in the
// first run: 2 GFLOP or 1 GB take about 50 to 100 ms on a CPU.
static const double piece_flops = 2e9, piece_bytes = 1e9;

struct cmd *cmd_create(struct gpu *gpu)
{
    struct cmd *cmd = xcalloc(1, sizeof *cmd);
    cmd->gpu = gpu;
    cmd->recording = true;
    cmd->barrier_due = true; // the first command follows everything submitted before
    cmd->label = xstrdup("start");
    return cmd;
}

void cmd_destroy(struct cmd **slot)
{
    struct cmd *cmd = *slot;
    if (!cmd)
        return;
    struct gpu *gpu = cmd->gpu;
    gpu_finish(gpu, cmd->value);
    bool rest = gpu_at_rest(gpu);
    for (ptrdiff_t i = 0; i < arrlen(cmd->pieces); i++) {
        if (rest && cmd->pieces[i].buffer)
            vkFreeCommandBuffers(gpu->device, gpu->pool, 1, &cmd->pieces[i].buffer);
        free(cmd->pieces[i].label);
    }
    for (ptrdiff_t i = 0; rest && i < arrlen(cmd->pools); i++)
        vkDestroyQueryPool(gpu->device, cmd->pools[i], NULL);
    for (ptrdiff_t i = 0; i < arrlen(cmd->far); i++) {
        arena_destroy(&cmd->far[i].arena);
        free(cmd->far[i].bytes);
    }
    arrfree(cmd->far);
    arrfree(cmd->pieces);
    arrfree(cmd->pools);
    arrfree(cmd->intervals);
    free(cmd->label);
    free(cmd);
    *slot = NULL;
}

struct gpu *cmd_gpu(const struct cmd *cmd)
{
    return cmd->gpu;
}

uint64_t cmd_workers(const struct cmd *cmd, uint64_t items)
{
    return divide_up(items, cmd->gpu->info.lanes);
}

uint32_t cmd_commands(const struct cmd *cmd)
{
    return cmd->commands;
}

static void latch(struct cmd *cmd)
{
    if (!cmd->failed)
        snprintf(cmd->sentence, sizeof cmd->sentence, "%s", error_text());
    cmd->failed = true;
}

bool cmd_timed(const struct cmd *cmd)
{
    return gpu_has_clock(cmd->gpu);
}

// Writes a timestamp after all earlier work: an interval lasts from the end of the previous one to its own end, so the
// intervals add up to the total.
static void write_time(struct cmd *cmd, ptrdiff_t query)
{
    vkCmdWriteTimestamp(arrlast(cmd->pieces).buffer, VK_PIPELINE_STAGE_BOTTOM_OF_PIPE_BIT,
        cmd->pools[query / CMD_QUERIES], (uint32_t)(query % CMD_QUERIES));
}

static void begin_interval(struct cmd *cmd, const char *kernel, double flops, double bytes)
{
    if (!cmd_timed(cmd) || (!kernel && cmd->gpu->options.profile))
        return;
    ptrdiff_t query = 2 * arrlen(cmd->intervals);
    if (query / CMD_QUERIES >= arrlen(cmd->pools)) {
        VkQueryPoolCreateInfo info = { .sType = VK_STRUCTURE_TYPE_QUERY_POOL_CREATE_INFO,
            .queryType = VK_QUERY_TYPE_TIMESTAMP,
            .queryCount = CMD_QUERIES };
        VkQueryPool pool;
        if (!gpu_check(cmd->gpu, vkCreateQueryPool(cmd->gpu->device, &info, NULL, &pool), "no query pool")) {
            latch(cmd);
            return;
        }
        arrput(cmd->pools, pool);
    }
    struct interval interval = { .piece = (uint32_t)arrlen(cmd->pieces) - 1, .flops = flops, .bytes = bytes };
    if (kernel)
        interval.row = gpu_profile_row(cmd->gpu, cmd->label, kernel);
    arrput(cmd->intervals, interval);
    vkCmdResetQueryPool(
        arrlast(cmd->pieces).buffer, cmd->pools[query / CMD_QUERIES], (uint32_t)(query % CMD_QUERIES), 2);
    write_time(cmd, query);
}

static void end_interval(struct cmd *cmd, bool dispatch)
{
    if (cmd_timed(cmd) && arrlen(cmd->intervals) && dispatch == cmd->gpu->options.profile)
        write_time(cmd, 2 * arrlen(cmd->intervals) - 1);
}

static void end_piece(struct cmd *cmd)
{
    if (!arrlen(cmd->pieces) || !arrlast(cmd->pieces).dispatches || cmd->failed)
        return;
    VkCommandBuffer buffer = arrlast(cmd->pieces).buffer;
    end_interval(cmd, false);
    if (cmd->gpu->end_label)
        cmd->gpu->end_label(buffer);
    if (!gpu_check(cmd->gpu, vkEndCommandBuffer(buffer), "recording"))
        latch(cmd);
}

// Target safe: binds the heap, and the argument struct at an offset in it.
static void bind_heap(struct cmd *cmd, VkCommandBuffer buffer, uint64_t arguments)
{
    const struct gpu *gpu = cmd->gpu;
    uint32_t offset = (uint32_t)arguments; // the heap is one binding, whose size has 32 bits
    if (gpu->target == GPU_TARGET_SAFE)
        vkCmdBindDescriptorSets(buffer, VK_PIPELINE_BIND_POINT_COMPUTE, gpu->layout, 0, 1, &gpu->set, 1, &offset);
}

static void begin_piece(struct cmd *cmd)
{
    struct gpu *gpu = cmd->gpu;
    struct piece piece = { .label = xstrdup(cmd->label), .seconds = -1 };
    VkCommandBufferAllocateInfo allocate = { .sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO,
        .commandPool = gpu->pool,
        .level = VK_COMMAND_BUFFER_LEVEL_PRIMARY,
        .commandBufferCount = 1 };
    VkCommandBufferBeginInfo begin = { .sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO };
    if (!gpu_check(gpu, vkAllocateCommandBuffers(gpu->device, &allocate, &piece.buffer), "no command buffer") ||
        !gpu_check(gpu, vkBeginCommandBuffer(piece.buffer, &begin), "recording"))
        latch(cmd);
    arrput(cmd->pieces, piece);
    if (cmd->failed)
        return;
    if (gpu->begin_label) {
        VkDebugUtilsLabelEXT label = { .sType = VK_STRUCTURE_TYPE_DEBUG_UTILS_LABEL_EXT, .pLabelName = cmd->label };
        gpu->begin_label(piece.buffer, &label);
    }
    bind_heap(cmd, piece.buffer, 0);
    begin_interval(cmd, NULL, 0, 0);
}

// Orders all earlier work before later work, or before host reads.
static void barrier(VkCommandBuffer buffer, bool host)
{
    VkPipelineStageFlags work =
        VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT | VK_PIPELINE_STAGE_TRANSFER_BIT | VK_PIPELINE_STAGE_DRAW_INDIRECT_BIT;
    VkAccessFlags access = VK_ACCESS_SHADER_READ_BIT | VK_ACCESS_SHADER_WRITE_BIT | VK_ACCESS_TRANSFER_READ_BIT |
                           VK_ACCESS_TRANSFER_WRITE_BIT | VK_ACCESS_INDIRECT_COMMAND_READ_BIT;
    VkMemoryBarrier memory = { .sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER,
        .srcAccessMask = VK_ACCESS_SHADER_WRITE_BIT | VK_ACCESS_TRANSFER_WRITE_BIT,
        .dstAccessMask = host ? VK_ACCESS_HOST_READ_BIT : access };
    vkCmdPipelineBarrier(buffer, work, host ? VK_PIPELINE_STAGE_HOST_BIT : work, 0, 1, &memory, 0, NULL, 0, NULL);
}

// Makes room for one more command and orders it after the earlier ones. Returns the command buffer, or NULL after a
// failure.
static VkCommandBuffer next_command(struct cmd *cmd, const char *kernel, double flops, double bytes)
{
    if (!cmd->recording)
        bug("recording into commands that were submitted");
    if (cmd->failed)
        return VK_NULL_HANDLE;
    struct piece *last = arrlen(cmd->pieces) ? &arrlast(cmd->pieces) : NULL;
    if (!last || last->dispatches >= PIECE_DISPATCHES || last->flops >= piece_flops || last->bytes >= piece_bytes ||
        strcmp(last->label, cmd->label)) {
        end_piece(cmd);
        begin_piece(cmd);
    }
    if (cmd->failed)
        return VK_NULL_HANDLE;
    last = &arrlast(cmd->pieces);
    if (cmd->barrier_due)
        barrier(last->buffer, false);
    cmd->barrier_due = !cmd->together;
    last->dispatches++;
    cmd->commands++;
    last->flops += flops;
    last->bytes += bytes;
    if (cmd->gpu->options.profile)
        begin_interval(cmd, kernel, flops, bytes);
    return cmd->failed ? VK_NULL_HANDLE : last->buffer;
}

void cmd_label(struct cmd *cmd, const char *format, ...)
{
    char label[256];
    va_list args;
    va_start(args, format);
    vsnprintf(label, sizeof label, format, args);
    va_end(args);
    free(cmd->label);
    cmd->label = xstrdup(label);
}

void cmd_together(struct cmd *cmd, bool together)
{
    cmd->together = together;
    // A barrier precedes the first dispatch of a group, and the first one after it.
    cmd->barrier_due = true;
}

// Makes room for one more argument struct in device memory; NULL after a failure.
static struct far *far_room(struct cmd *cmd)
{
    if (arrlen(cmd->far) && arrlast(cmd->far).used < CMD_FAR)
        return &arrlast(cmd->far);
    struct far far = { .arena = arena_create(cmd->gpu, "arguments"), .bytes = xcalloc(CMD_FAR, ARGS_FAR_BYTES) };
    arena_allocate(far.arena, CMD_FAR * ARGS_FAR_BYTES);
    if (arena_back(far.arena))
        far.address = arena_allocate(far.arena, CMD_FAR * ARGS_FAR_BYTES);
    else
        latch(cmd);
    arrput(cmd->far, far);
    return cmd->failed ? NULL : &arrlast(cmd->far);
}

// Passes a kernel its arguments. Those in device memory are written when the recording ends.
static bool give_arguments(
    struct cmd *cmd, VkCommandBuffer buffer, const struct kernel *kernel, const uint64_t words[static ARGUMENT_WORDS])
{
    VkPipelineLayout layout = cmd->gpu->layout;
    if (kernel->args_bytes <= ARGS_BYTES) {
        vkCmdPushConstants(buffer, layout, VK_SHADER_STAGE_COMPUTE_BIT, 0, (uint32_t)kernel->args_bytes, words);
        return true;
    }
    struct far *far = far_room(cmd);
    if (!far)
        return false;
    uint64_t offset = (uint64_t)far->used++ * ARGS_FAR_BYTES, at = far->address + offset;
    memcpy(far->bytes + offset, words, kernel->args_bytes);
    if (cmd->gpu->target == GPU_TARGET_SAFE)
        bind_heap(cmd, buffer, at);
    else
        vkCmdPushConstants(buffer, layout, VK_SHADER_STAGE_COMPUTE_BIT, 0, sizeof at, &at);
    return true;
}

static bool write_arguments(struct cmd *cmd)
{
    bool ok = true;
    for (ptrdiff_t i = 0; ok && i < arrlen(cmd->far); i++)
        ok = gpu_upload(cmd->gpu, cmd->far[i].address, cmd->far[i].bytes, (size_t)cmd->far[i].used * ARGS_FAR_BYTES);
    return ok;
}

void cmd_dispatch(struct cmd *cmd, const struct dispatch *dispatch)
{
    struct gpu *gpu = cmd->gpu;
    const struct kernel *kernel = dispatch->kernel;
    if (!dispatch->workers && !dispatch->indirect)
        return;
    VkPipeline pipeline;
    if (cmd->failed)
        return;
    if (!gpu_pipeline(gpu, kernel, dispatch->constants, &pipeline)) {
        latch(cmd);
        return;
    }
    if (gpu->options.dry)
        return;
    VkCommandBuffer buffer = next_command(cmd, kernel->name, dispatch->flops, dispatch->bytes);
    if (!buffer)
        return;
    vkCmdBindPipeline(buffer, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline);
    uint64_t words[ARGUMENT_WORDS];
    gpu_arguments(words, kernel, dispatch->args);
    if (!give_arguments(cmd, buffer, kernel, words))
        return;
    if (dispatch->indirect) {
        const struct block *block = gpu_block(gpu, dispatch->indirect, 3 * sizeof(uint32_t));
        vkCmdDispatchIndirect(buffer, block->buffer, block->offset + (dispatch->indirect - block->address));
    } else {
        uint64_t each = gpu_subgroups(gpu, kernel), groups = divide_up(dispatch->workers, each);
        // Every device allows 65535 workgroups in a row; shaders/lib/kernel.glsl counts workers over both dimensions.
        uint64_t rows = divide_up(groups, 65535), columns = divide_up(groups, rows);
        if (rows * columns * each > UINT32_MAX) // kernels count workers in 32 bits, which also limits the rows
            bug("%s: %llu workers", kernel->name, (unsigned long long)dispatch->workers);
        vkCmdDispatch(buffer, (uint32_t)columns, (uint32_t)rows, 1);
    }
    end_interval(cmd, true);
}

void cmd_fill(struct cmd *cmd, uint64_t to, uint64_t bytes, uint32_t value)
{
    if (!bytes || cmd->gpu->options.dry)
        return;
    VkCommandBuffer buffer = next_command(cmd, "fill", 0, (double)bytes);
    if (!buffer)
        return;
    const struct block *block = gpu_block(cmd->gpu, to, bytes);
    vkCmdFillBuffer(buffer, block->buffer, block->offset + (to - block->address), bytes, value);
    end_interval(cmd, true);
}

void cmd_copy(struct cmd *cmd, uint64_t to, uint64_t from, uint64_t bytes)
{
    if (!bytes || cmd->gpu->options.dry)
        return;
    VkCommandBuffer buffer = next_command(cmd, "copy", 0, 2 * (double)bytes);
    if (!buffer)
        return;
    const struct block *target = gpu_block(cmd->gpu, to, bytes), *source = gpu_block(cmd->gpu, from, bytes);
    VkBufferCopy copy = { source->offset + (from - source->address), target->offset + (to - target->address), bytes };
    vkCmdCopyBuffer(buffer, source->buffer, target->buffer, 1, &copy);
    end_interval(cmd, true);
}

void cmd_end(struct cmd *cmd)
{
    if (arrlen(cmd->pieces) && !cmd->failed)
        barrier(arrlast(cmd->pieces).buffer, true);
    end_piece(cmd);
    if (!cmd->failed && !write_arguments(cmd))
        latch(cmd);
    cmd->recording = false;
}
