// Runs recordings. A run uses as few submissions as keep each below the time limit, by the times of the previous run,
// because drivers kill submissions that take seconds.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <stb/stb_ds.h>

#include "gpu/cmd.h"
#include "util/alloc.h"
#include "util/error.h"

static void note_longest(struct cmd *cmd)
{
    double seconds = 0;
    for (ptrdiff_t i = 0; i < arrlen(cmd->pieces); i++) {
        const bool same = i && cmd->pieces[i].submission == cmd->pieces[i - 1].submission;
        seconds = cmd->pieces[i].seconds + (same ? seconds : 0);
        cmd->gpu->longest.submission = fmax(cmd->gpu->longest.submission, seconds);
    }
}

// After a run: reads the time of every piece, and in a profile of every dispatch.
static bool read_times(struct cmd *cmd)
{
    struct gpu *gpu = cmd->gpu;
    cmd->fresh = false;
    cmd->seconds = 0;
    for (ptrdiff_t i = 0; i < arrlen(cmd->pieces); i++)
        cmd->pieces[i].seconds = 0;
    uint64_t mask = gpu->found.timestamp_bits >= 64 ? UINT64_MAX : ((uint64_t)1 << gpu->found.timestamp_bits) - 1;
    for (ptrdiff_t i = 0; i < arrlen(cmd->intervals); i++) {
        uint64_t time[2];
        VkResult result = vkGetQueryPoolResults(gpu->device, cmd->pools[2 * i / CMD_QUERIES],
            (uint32_t)(2 * i % CMD_QUERIES), 2, sizeof time, time, sizeof *time, VK_QUERY_RESULT_64_BIT);
        if (!gpu_check(gpu, result, "timestamps"))
            return false;
        double start = (double)(time[0] & mask) * gpu->found.timestamp_ns * 1e-9;
        double seconds = (double)((time[1] - time[0]) & mask) * gpu->found.timestamp_ns * 1e-9;
        const struct interval *interval = &cmd->intervals[i];
        struct piece *piece = &cmd->pieces[interval->piece];
        piece->seconds += seconds;
        cmd->seconds += seconds;
        if (gpu->options.profile)
            gpu_profile_add(gpu, interval->row, start, seconds, interval->flops, interval->bytes);
        if (gpu->options.profile)
            gpu->longest.dispatch = fmax(gpu->longest.dispatch, seconds);
    }
    note_longest(cmd);
    return true;
}

bool cmd_wait(struct cmd *cmd)
{
    if (!cmd->fresh)
        return true;
    return gpu_wait(cmd->gpu, cmd->value) && (!cmd_timed(cmd) || read_times(cmd));
}

// Returns the time of a piece: measured in the last run, else estimated for a slow device (0.1 TFLOP/s, 20 GB/s, 20 us
// for a dispatch), before the first run and where there is no clock.
static double piece_seconds(const struct piece *piece)
{
    return piece->seconds >= 0 ? piece->seconds : piece->flops / 1e11 + piece->bytes / 2e10 + 20e-6 * piece->dispatches;
}

// Returns the end of the pieces that form one submission with piece FIRST.
static ptrdiff_t submission_end(const struct cmd *cmd, ptrdiff_t first)
{
    double seconds = 0;
    ptrdiff_t end = first;
    while (end < arrlen(cmd->pieces)) {
        const double next = piece_seconds(&cmd->pieces[end]);
        if (end > first && seconds + next > cmd->gpu->options.submission_limit)
            break;
        seconds += next;
        end++;
    }
    return end;
}

static bool submit_range(struct cmd *cmd, ptrdiff_t first, ptrdiff_t end)
{
    VkCommandBuffer *buffers = NULL;
    for (ptrdiff_t i = first; i < end; i++) {
        arrput(buffers, cmd->pieces[i].buffer);
        cmd->pieces[i].submission = cmd->submissions;
    }
    const char *from = cmd->pieces[first].label, *to = cmd->pieces[end - 1].label;
    char *label = strcmp(from, to) ? xformat("%s ... %s", from, to) : xstrdup(from);
    bool ok = gpu_submit(cmd->gpu, (uint32_t)arrlen(buffers), buffers, label);
    free(label);
    arrfree(buffers);
    cmd->submissions++;
    return ok;
}

// With `capture`: the pieces under that label run alone, between RenderDoc's start and stop.
static bool submit_captured(struct cmd *cmd, ptrdiff_t first, ptrdiff_t end)
{
    struct gpu *gpu = cmd->gpu;
    if (!gpu_wait(gpu, gpu->submitted) || !gpu_capture_start(gpu))
        return false;
    bool ok = submit_range(cmd, first, end) && gpu_wait(gpu, gpu->submitted);
    return gpu_capture_stop(gpu) && ok;
}

static bool is_captured(const struct cmd *cmd, ptrdiff_t piece)
{
    const char *wish = cmd->gpu->capture_label, *label = cmd->pieces[piece].label;
    if (!wish || cmd->gpu->captured || strncmp(label, wish, strlen(wish)))
        return false;
    return label[strlen(wish)] == 0 || label[strlen(wish)] == '/';
}

static bool submit_all(struct cmd *cmd)
{
    for (ptrdiff_t first = 0, end; first < arrlen(cmd->pieces); first = end) {
        bool captured = is_captured(cmd, first);
        if (captured) {
            for (end = first; end < arrlen(cmd->pieces) && is_captured(cmd, end);)
                end++;
        } else {
            end = submission_end(cmd, first);
            for (ptrdiff_t i = first + 1; i < end; i++) {
                if (is_captured(cmd, i))
                    end = i;
            }
        }
        if (!(captured ? submit_captured(cmd, first, end) : submit_range(cmd, first, end)))
            return false;
    }
    return true;
}

bool cmd_submit(struct cmd *cmd)
{
    if (cmd->recording)
        cmd_end(cmd);
    if (cmd->failed)
        return fail(FAULT_DEVICE, "%s", cmd->sentence);
    if (!cmd_wait(cmd)) // the command buffers are in use until the previous run is complete
        return false;
    cmd->submissions = 0;
    cmd->fresh = submit_all(cmd);
    cmd->value = cmd->gpu->submitted; // a part may be running even if not all could be submitted
    return cmd->fresh;
}

bool cmd_run(struct cmd *cmd)
{
    return cmd_submit(cmd) && cmd_wait(cmd);
}

double cmd_seconds(const struct cmd *cmd)
{
    return cmd->seconds;
}

uint32_t cmd_submissions(const struct cmd *cmd)
{
    return cmd->submissions;
}

struct gpu_longest gpu_longest(const struct gpu *gpu)
{
    return gpu->longest;
}
