// Recording commands: a list of pieces, each a command buffer of about equal cost. Labels are inside, and timestamps
// where the recording starts and stops. submit.c runs them.
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

enum { PARTS_MAX = 256 }; // of a dispatch

// Part of the limit of a submission that a piece may take, so that few devices need more than the limit for one.
static const double piece_share = 2.0 / 3;

// Returns the seconds of a command on a slow device, at 0.1 TFLOP/s and 20 GB/s, without what every command costs.
static double work_seconds(double flops, double bytes)
{
    return flops / 1e11 + bytes / 2e10;
}
static const double command_seconds = 20e-6;

struct cmd *cmd_create(struct gpu *gpu)
{
    struct cmd *cmd = xcalloc(1, sizeof *cmd);
    gpu_retired_free(gpu);
    cmd->gpu = gpu;
    cmd->recording = true;
    cmd->barrier_due = true; // the first command follows everything submitted before
    cmd->kinds = KIND_ANY;
    cmd->label = xstrdup("start");
    return cmd;
}

// Frees a recording that is not running.
static void free_cmd(struct cmd *cmd)
{
    struct gpu *gpu = cmd->gpu;
    bool rest = gpu_at_rest(gpu);
    for (ptrdiff_t i = 0; i < arrlen(cmd->pieces); i++) {
        const VkCommandBuffer buffers[] = { cmd->pieces[i].buffer, cmd->pieces[i].start, cmd->pieces[i].stop };
        if (rest)
            vkFreeCommandBuffers(gpu->device, gpu->pool, sizeof buffers / sizeof *buffers, buffers);
        free(cmd->pieces[i].label);
        free(cmd->pieces[i].last);
    }
    gpu_host_buffer_finish(gpu, &cmd->report.to);
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
}

void gpu_retired_free(struct gpu *gpu)
{
    if (gpu->lost && arrlen(gpu->retired))
        gpu_finish(gpu, gpu->submitted); // what was submitted before the loss may still run
    for (ptrdiff_t i = arrlen(gpu->retired) - 1; i >= 0; i--) {
        if (gpu->lost || gpu->retired[i]->value <= gpu->completed) {
            free_cmd(gpu->retired[i]);
            arrdel(gpu->retired, i);
        }
    }
}

void cmd_destroy(struct cmd **slot)
{
    struct cmd *cmd = *slot;
    if (!cmd)
        return;
    *slot = NULL;
    if (cmd->gpu->options.profile && !cmd->gpu->lost)
        cmd_wait(cmd); // for the times
    if (cmd->gpu->lost)
        gpu_finish(cmd->gpu, cmd->value);
    if (cmd->gpu->lost || gpu_reached(cmd->gpu, cmd->value))
        free_cmd(cmd);
    else
        arrput(cmd->gpu->retired, cmd);
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

// Creates the pools up to that of a query.
static bool add_pool(struct cmd *cmd, ptrdiff_t query)
{
    VkQueryPoolCreateInfo info = { .sType = VK_STRUCTURE_TYPE_QUERY_POOL_CREATE_INFO,
        .queryType = VK_QUERY_TYPE_TIMESTAMP,
        .queryCount = CMD_QUERIES };
    while (query / CMD_QUERIES >= arrlen(cmd->pools)) {
        VkQueryPool pool;
        if (!gpu_check(cmd->gpu, vkCreateQueryPool(cmd->gpu->device, &info, NULL, &pool), "no query pool"))
            return false;
        arrput(cmd->pools, pool);
    }
    return true;
}

// Writes a timestamp after all earlier work: an interval lasts from the end of the previous one to its own end, so the
// intervals add up to the total.
static void write_time(struct cmd *cmd, VkCommandBuffer buffer, ptrdiff_t query)
{
    const VkQueryPool pool = cmd->pools[query / CMD_QUERIES];
    vkCmdWriteTimestamp(buffer, VK_PIPELINE_STAGE_BOTTOM_OF_PIPE_BIT, pool, (uint32_t)(query % CMD_QUERIES));
}

// COUNT neighbours of one pool. An interval resets both of its own before it begins, so that it measures no reset.
static void reset_times(struct cmd *cmd, VkCommandBuffer buffer, ptrdiff_t query, uint32_t count)
{
    vkCmdResetQueryPool(buffer, cmd->pools[query / CMD_QUERIES], (uint32_t)(query % CMD_QUERIES), count);
}

static void begin_interval(struct cmd *cmd, const char *kernel, double flops, double bytes)
{
    ptrdiff_t query = 2 * arrlen(cmd->intervals);
    if (!cmd_timed(cmd))
        return;
    if (!add_pool(cmd, query)) {
        latch(cmd);
        return;
    }
    struct interval interval = { .piece = (uint32_t)arrlen(cmd->pieces) - 1,
        .row = gpu_profile_row(cmd->gpu, cmd->label, kernel),
        .flops = flops,
        .bytes = bytes };
    arrput(cmd->intervals, interval);
    reset_times(cmd, arrlast(cmd->pieces).buffer, query, 2);
    write_time(cmd, arrlast(cmd->pieces).buffer, query);
}

static void end_interval(struct cmd *cmd)
{
    if (cmd_timed(cmd) && cmd->gpu->options.profile)
        write_time(cmd, arrlast(cmd->pieces).buffer, 2 * arrlen(cmd->intervals) - 1);
}

// Begins or ends the region of a label in captures.
static void open_label(struct cmd *cmd)
{
    const VkDebugUtilsLabelEXT label = { .sType = VK_STRUCTURE_TYPE_DEBUG_UTILS_LABEL_EXT, .pLabelName = cmd->label };
    if (cmd->gpu->begin_label)
        cmd->gpu->begin_label(arrlast(cmd->pieces).buffer, &label);
}

static void close_label(struct cmd *cmd)
{
    if (cmd->gpu->end_label)
        cmd->gpu->end_label(arrlast(cmd->pieces).buffer);
}

static void end_piece(struct cmd *cmd)
{
    if (!arrlen(cmd->pieces) || !arrlast(cmd->pieces).commands || cmd->failed)
        return;
    close_label(cmd);
    if (!gpu_check(cmd->gpu, vkEndCommandBuffer(arrlast(cmd->pieces).buffer), "recording"))
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

static bool begin_buffer(struct gpu *gpu, VkCommandBuffer *buffer)
{
    VkCommandBufferAllocateInfo allocate = { .sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO,
        .commandPool = gpu->pool,
        .level = VK_COMMAND_BUFFER_LEVEL_PRIMARY,
        .commandBufferCount = 1 };
    // The next run may be submitted before the last one is complete.
    VkCommandBufferBeginInfo begin = { .sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO,
        .flags = VK_COMMAND_BUFFER_USAGE_SIMULTANEOUS_USE_BIT };
    return gpu_check(gpu, vkAllocateCommandBuffers(gpu->device, &allocate, buffer), "no command buffer") &&
           gpu_check(gpu, vkBeginCommandBuffer(*buffer, &begin), "recording");
}

VkCommandBuffer cmd_stamp(struct cmd *cmd, ptrdiff_t piece, bool after)
{
    VkCommandBuffer *slot = after ? &cmd->pieces[piece].stop : &cmd->pieces[piece].start, buffer = VK_NULL_HANDLE;
    if (*slot)
        return *slot;
    const bool begun = add_pool(cmd, 2 * piece + after) && begin_buffer(cmd->gpu, &buffer);
    if (begun) {
        reset_times(cmd, buffer, 2 * piece + after, 1);
        write_time(cmd, buffer, 2 * piece + after);
    }
    if (begun && gpu_check(cmd->gpu, vkEndCommandBuffer(buffer), "recording"))
        return *slot = buffer;
    vkFreeCommandBuffers(cmd->gpu->device, cmd->gpu->pool, 1, &buffer);
    return VK_NULL_HANDLE;
}

// Writes the timestamp with which the first piece starts, or the last one stops.
static void write_own_time(struct cmd *cmd, bool after)
{
    const ptrdiff_t query = 2 * (arrlen(cmd->pieces) - 1) + after;
    if (!cmd_timed(cmd) || cmd->gpu->options.profile)
        return;
    if (!add_pool(cmd, query)) {
        latch(cmd);
        return;
    }
    reset_times(cmd, arrlast(cmd->pieces).buffer, query, 1);
    write_time(cmd, arrlast(cmd->pieces).buffer, query);
}

static void begin_piece(struct cmd *cmd)
{
    struct gpu *gpu = cmd->gpu;
    struct piece piece = { .label = xstrdup(cmd->label), .last = xstrdup(cmd->label), .seconds = -1 };
    if (!begin_buffer(gpu, &piece.buffer))
        latch(cmd);
    arrput(cmd->pieces, piece);
    if (cmd->failed)
        return;
    open_label(cmd);
    bind_heap(cmd, piece.buffer, 0);
    if (arrlen(cmd->pieces) == 1)
        write_own_time(cmd, false);
}

static VkPipelineStageFlags stages_of(unsigned kinds)
{
    return (kinds & KIND_COMPUTE ? VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT : 0) |
           (kinds & KIND_TRANSFER ? VK_PIPELINE_STAGE_TRANSFER_BIT : 0);
}

static VkAccessFlags writes_of(unsigned kinds)
{
    return (kinds & KIND_COMPUTE ? VK_ACCESS_SHADER_WRITE_BIT : 0) |
           (kinds & KIND_TRANSFER ? VK_ACCESS_TRANSFER_WRITE_BIT : 0);
}

// Orders all earlier work before later work of these kinds, or before host reads if there are none. Each barrier waits
// only for the kinds since the one before, which waited for the earlier ones.
static void barrier(struct cmd *cmd, unsigned next)
{
    VkMemoryBarrier memory = { .sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER,
        .srcAccessMask = writes_of(cmd->kinds),
        .dstAccessMask = next ? writes_of(next) | (next & KIND_COMPUTE ? VK_ACCESS_SHADER_READ_BIT : 0) |
                                    (next & KIND_TRANSFER ? VK_ACCESS_TRANSFER_READ_BIT : 0)
                              : VK_ACCESS_HOST_READ_BIT };
    vkCmdPipelineBarrier(arrlast(cmd->pieces).buffer, stages_of(cmd->kinds),
        next ? stages_of(next) : VK_PIPELINE_STAGE_HOST_BIT, 0, 1, &memory, 0, NULL, 0, NULL);
    cmd->kinds = 0;
}

static double piece_limit(const struct cmd *cmd)
{
    return piece_share * cmd->gpu->options.submission_limit;
}

// Returns whether a command that takes this time needs a new piece, because the last one is full or the region of a
// capture begins or ends.
static bool needs_piece(const struct cmd *cmd, double seconds)
{
    if (!arrlen(cmd->pieces))
        return true;
    const struct piece *last = &arrlast(cmd->pieces);
    return last->estimate + seconds > piece_limit(cmd) ||
           gpu_captures(cmd->gpu, last->label) != gpu_captures(cmd->gpu, cmd->label);
}

// Makes room for one more command and orders it after the earlier ones. Returns the command buffer, or NULL after a
// failure.
static VkCommandBuffer next_command(struct cmd *cmd, enum kind kind, const char *kernel, double flops, double bytes)
{
    if (!cmd->recording)
        bug("recording into commands that were submitted");
    if (cmd->failed)
        return VK_NULL_HANDLE;
    const double seconds = work_seconds(flops, bytes) + command_seconds;
    if (needs_piece(cmd, seconds)) {
        end_piece(cmd);
        begin_piece(cmd);
    }
    if (cmd->failed)
        return VK_NULL_HANDLE;
    struct piece *last = &arrlast(cmd->pieces);
    if (strcmp(last->last, cmd->label)) {
        close_label(cmd);
        open_label(cmd);
        free(last->last);
        last->last = xstrdup(cmd->label);
    }
    if (cmd->barrier_due)
        barrier(cmd, cmd->together ? KIND_ANY : kind);
    cmd->barrier_due = !cmd->together;
    cmd->kinds |= kind;
    last->commands++;
    cmd->commands++;
    last->estimate += seconds;
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

// Saves arguments that are too long for push constants until the recording ends. Returns their address, or 0 after a
// failure.
static uint64_t save_arguments(
    struct cmd *cmd, const struct kernel *kernel, const uint64_t words[static ARGUMENT_WORDS])
{
    struct far *far = far_room(cmd);
    if (!far)
        return 0;
    uint64_t offset = (uint64_t)far->used++ * ARGS_FAR_BYTES;
    memcpy(far->bytes + offset, words, kernel->args_bytes);
    return far->address + offset;
}

static bool write_arguments(struct cmd *cmd)
{
    bool ok = true;
    for (ptrdiff_t i = 0; ok && i < arrlen(cmd->far); i++)
        ok =
            gpu_upload_new(cmd->gpu, cmd->far[i].address, cmd->far[i].bytes, (size_t)cmd->far[i].used * ARGS_FAR_BYTES);
    return ok;
}

// A dispatch as commands: the workgroups of a grid whose rows are divided among equal parts.
struct grid {
    uint32_t columns, rows; // rows of a part
    uint32_t parts;
};

// Divides a dispatch whose work would take longer than a piece may. Workgroups do not depend on each other, and each
// sums in the same order in any part.
static struct grid grid_of(const struct cmd *cmd, const struct dispatch *dispatch)
{
    const struct gpu *gpu = cmd->gpu;
    const uint32_t threads = dispatch->constants[CONSTANT_THREADS];
    const uint64_t subgroups = threads ? threads / gpu->info.lanes : gpu_subgroups(gpu, dispatch->kernel),
                   groups = divide_up(dispatch->workers, subgroups);
    const double pieces = work_seconds(dispatch->flops, dispatch->bytes) / piece_limit(cmd);
    uint64_t parts = gpu->options.cuts ? gpu->options.cuts : pieces < PARTS_MAX ? (uint64_t)pieces + 1 : PARTS_MAX;
    parts = parts < groups ? parts : groups;
    // Every device allows 65535 workgroups in a row; shaders/lib/kernel.glsl counts workers over both dimensions.
    const uint64_t rows = divide_up(divide_up(groups, 65535), parts), columns = divide_up(groups, rows * parts);
    if (parts * rows * columns * subgroups > UINT32_MAX) // kernels count workers in 32 bits, which also limits the rows
        bug("%s: %llu workers", dispatch->kernel->name, (unsigned long long)dispatch->workers);
    return (struct grid){ (uint32_t)columns, (uint32_t)rows, (uint32_t)parts };
}

static void give_arguments(struct cmd *cmd, VkCommandBuffer buffer, const struct kernel *kernel,
    const uint64_t words[static ARGUMENT_WORDS], uint64_t far)
{
    VkPipelineLayout layout = cmd->gpu->layout;
    if (!far)
        vkCmdPushConstants(buffer, layout, VK_SHADER_STAGE_COMPUTE_BIT, 0, (uint32_t)kernel->args_bytes, words);
    else if (cmd->gpu->target == GPU_TARGET_SAFE)
        bind_heap(cmd, buffer, far);
    else
        vkCmdPushConstants(buffer, layout, VK_SHADER_STAGE_COMPUTE_BIT, 0, sizeof far, &far);
}

void cmd_dispatch(struct cmd *cmd, const struct dispatch *dispatch)
{
    struct gpu *gpu = cmd->gpu;
    const struct kernel *kernel = dispatch->kernel;
    VkPipeline pipeline;
    if (cmd->failed || !dispatch->workers)
        return;
    const struct grid grid = grid_of(cmd, dispatch);
    if (!gpu_pipeline(gpu, kernel, dispatch->constants, grid.parts > 1, &pipeline)) {
        latch(cmd);
        return;
    }
    if (gpu->options.dry)
        return;
    uint64_t words[ARGUMENT_WORDS], far = 0;
    gpu_arguments(words, kernel, dispatch->args);
    if (kernel->args_bytes > ARGS_BYTES && !(far = save_arguments(cmd, kernel, words)))
        return;
    for (uint32_t i = 0; i < grid.parts; i++) {
        cmd->barrier_due = cmd->barrier_due && !i;
        VkCommandBuffer buffer =
            next_command(cmd, KIND_COMPUTE, kernel->name, dispatch->flops / grid.parts, dispatch->bytes / grid.parts);
        if (!buffer)
            return;
        vkCmdBindPipeline(buffer, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline);
        give_arguments(cmd, buffer, kernel, words, far);
        vkCmdDispatchBase(buffer, 0, i * grid.rows, 0, grid.columns, grid.rows, 1);
        end_interval(cmd);
    }
}

void cmd_fill(struct cmd *cmd, uint64_t to, uint64_t bytes, uint32_t value)
{
    if (!bytes || cmd->gpu->options.dry)
        return;
    VkCommandBuffer buffer = next_command(cmd, KIND_TRANSFER, "fill", 0, (double)bytes);
    if (!buffer)
        return;
    const struct block *block = gpu_block(cmd->gpu, to, bytes);
    vkCmdFillBuffer(buffer, block->buffer, block->offset + (to - block->address), bytes, value);
    end_interval(cmd);
}

void cmd_copy(struct cmd *cmd, uint64_t to, uint64_t from, uint64_t bytes)
{
    cmd_copy_repeated(cmd, to, from, bytes, 1);
}

void cmd_copy_repeated(struct cmd *cmd, uint64_t to, uint64_t from, uint64_t bytes, uint32_t times)
{
    if (!bytes || !times || cmd->gpu->options.dry)
        return;
    VkCommandBuffer buffer = next_command(cmd, KIND_TRANSFER, "copy", 0, 2 * (double)bytes * times);
    if (!buffer)
        return;
    const struct block *target = gpu_block(cmd->gpu, to, bytes * times), *source = gpu_block(cmd->gpu, from, bytes);
    VkBufferCopy *copies = xcalloc(times, sizeof *copies);
    for (uint32_t i = 0; i < times; i++)
        copies[i] = (VkBufferCopy){ source->offset + (from - source->address),
            target->offset + (to - target->address) + i * bytes, bytes };
    vkCmdCopyBuffer(buffer, source->buffer, target->buffer, times, copies);
    free(copies);
    end_interval(cmd);
}

void cmd_report(struct cmd *cmd, uint64_t from)
{
    cmd->report.from = from;
}

// Copies the word that the recording reports, and makes all that it wrote visible to the host. Kernels do not write to
// the host's memory themselves, because atomic operations do not work there on every device.
static void record_report(struct cmd *cmd)
{
    if (cmd->report.from && !gpu_host_buffer_create(cmd->gpu, &cmd->report.to, sizeof(uint32_t))) {
        latch(cmd);
        return;
    }
    cmd->together = false;
    VkCommandBuffer buffer =
        cmd->report.from ? next_command(cmd, KIND_TRANSFER, "report", 0, 0) : arrlast(cmd->pieces).buffer;
    if (cmd->report.from && buffer) {
        const struct block *source = gpu_block(cmd->gpu, cmd->report.from, sizeof(uint32_t));
        VkBufferCopy copy = { source->offset + (cmd->report.from - source->address), 0, sizeof(uint32_t) };
        vkCmdCopyBuffer(buffer, source->buffer, cmd->report.to.buffer, 1, &copy);
        end_interval(cmd);
    }
    if (cmd->failed)
        return;
    cmd->kinds = KIND_ANY;
    barrier(cmd, 0);
    write_own_time(cmd, true);
}

void cmd_end(struct cmd *cmd)
{
    if (arrlen(cmd->pieces) && !cmd->failed)
        record_report(cmd);
    end_piece(cmd);
    if (!cmd->failed && !write_arguments(cmd))
        latch(cmd);
    cmd->recording = false;
}
