// Runs recordings. A run uses as few submissions as keep each below the time limit, by the times of an earlier run or
// by estimated cost, because drivers kill submissions that take seconds.
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

// Shorter work says little about longer work.
static void note_slowness(struct cmd *cmd)
{
    const double enough = 1e-3;
    double estimate = 0;
    for (ptrdiff_t i = 0; i < arrlen(cmd->pieces); i++)
        estimate += cmd->pieces[i].estimate;
    if (estimate >= enough)
        cmd->gpu->slowness = cmd->seconds / estimate;
}

// Returns the time of a piece: measured in an earlier run, else estimated, by what estimates were worth recently. A
// device without a clock counts as a slow one.
static double piece_seconds(const struct cmd *cmd, const struct piece *piece)
{
    return piece->seconds >= 0 ? piece->seconds : piece->estimate * fmax(cmd->gpu->slowness, 1);
}

// Reads the time between the queries FIRST and LAST of the last run.
static bool read_time(const struct cmd *cmd, ptrdiff_t first, ptrdiff_t last, double *start, double *seconds)
{
    const struct gpu *gpu = cmd->gpu;
    const uint64_t mask = gpu->found.timestamp_bits >= 64 ? UINT64_MAX : ((uint64_t)1 << gpu->found.timestamp_bits) - 1;
    uint64_t time[2];
    for (int i = 0; i < 2; i++) {
        const ptrdiff_t query = i ? last : first;
        VkResult result = vkGetQueryPoolResults(gpu->device, cmd->pools[query / CMD_QUERIES],
            (uint32_t)(query % CMD_QUERIES), 1, sizeof time[i], &time[i], sizeof time[i], VK_QUERY_RESULT_64_BIT);
        if (!gpu_check(cmd->gpu, result, "timestamps"))
            return false;
    }
    *start = (double)(time[0] & mask) * gpu->found.timestamp_ns * 1e-9;
    *seconds = (double)((time[1] - time[0]) & mask) * gpu->found.timestamp_ns * 1e-9;
    return true;
}

// Divides the time of a submission among its pieces in proportion to their times so far, or to their estimates: the sum
// is measured, and pieces that were once alone keep their ratio.
static bool read_submission(struct cmd *cmd, ptrdiff_t first, ptrdiff_t end)
{
    double start, seconds, before = 0;
    if (!read_time(cmd, 2 * first, 2 * end - 1, &start, &seconds))
        return false;
    for (ptrdiff_t i = first; i < end; i++)
        before += piece_seconds(cmd, &cmd->pieces[i]);
    for (ptrdiff_t i = first; i < end; i++) {
        struct piece *piece = &cmd->pieces[i];
        const double part = before > 0 ? piece_seconds(cmd, piece) / before : 1 / (double)(end - first);
        piece->seconds = seconds * part;
    }
    cmd->seconds += seconds;
    return true;
}

// In a profile: the time of every command.
static bool read_profile(struct cmd *cmd)
{
    struct gpu *gpu = cmd->gpu;
    for (ptrdiff_t i = 0; i < arrlen(cmd->pieces); i++)
        cmd->pieces[i].seconds = 0;
    for (ptrdiff_t i = 0; i < arrlen(cmd->intervals); i++) {
        const struct interval *interval = &cmd->intervals[i];
        double start, seconds;
        if (!read_time(cmd, 2 * i, 2 * i + 1, &start, &seconds))
            return false;
        cmd->pieces[interval->piece].seconds += seconds;
        cmd->seconds += seconds;
        gpu_profile_add(gpu, interval->row, start, seconds, interval->flops, interval->bytes);
        gpu->longest.dispatch = fmax(gpu->longest.dispatch, seconds);
    }
    return true;
}

// After a run: reads its times.
static bool read_times(struct cmd *cmd)
{
    const bool profile = cmd->gpu->options.profile;
    cmd->fresh = false;
    cmd->seconds = 0;
    if (profile && !read_profile(cmd))
        return false;
    for (ptrdiff_t first = 0, end = 1; !profile && first < arrlen(cmd->pieces); end++) {
        if (end < arrlen(cmd->pieces) && cmd->pieces[end].submission == cmd->pieces[first].submission)
            continue;
        if (!read_submission(cmd, first, end))
            return false;
        first = end;
    }
    note_longest(cmd);
    note_slowness(cmd);
    return true;
}

bool cmd_wait(struct cmd *cmd)
{
    if (!cmd->fresh)
        return true;
    return gpu_wait(cmd->gpu, cmd->value) && (!cmd_timed(cmd) || read_times(cmd));
}

bool cmd_reported(struct cmd *cmd, uint32_t *word)
{
    struct gpu *gpu = cmd->gpu;
    const struct host_buffer *host = &cmd->report.to;
    if (gpu->options.dry) {
        *word = 0;
        return true;
    }
    if (!gpu_check(gpu, vmaInvalidateAllocation(gpu->allocator, host->memory, 0, sizeof *word), "invalidate"))
        return false;
    memcpy(word, host->mapped, sizeof *word);
    return true;
}

// Returns the end of the pieces that form one submission with piece FIRST.
static ptrdiff_t submission_end(const struct cmd *cmd, ptrdiff_t first)
{
    double seconds = 0;
    ptrdiff_t end = first;
    while (end < arrlen(cmd->pieces)) {
        const double next = piece_seconds(cmd, &cmd->pieces[end]);
        if (end > first && seconds + next > cmd->gpu->options.submission_limit)
            break;
        seconds += next;
        end++;
    }
    return end;
}

// Adds a timestamp to the command buffers of a submission unless PIECE has it, or commands have their own.
static bool add_stamp(struct cmd *cmd, VkCommandBuffer **buffers, ptrdiff_t piece, bool after)
{
    const bool has = piece == (after ? arrlen(cmd->pieces) - 1 : 0);
    if (has || !cmd_timed(cmd) || cmd->gpu->options.profile)
        return true;
    VkCommandBuffer stamp = cmd_stamp(cmd, piece, after);
    if (stamp)
        arrput(*buffers, stamp);
    return stamp != VK_NULL_HANDLE;
}

static bool submit_range(struct cmd *cmd, ptrdiff_t first, ptrdiff_t end)
{
    VkCommandBuffer *buffers = NULL;
    double seconds = 0;
    bool ok = add_stamp(cmd, &buffers, first, false);
    for (ptrdiff_t i = first; i < end; i++) {
        arrput(buffers, cmd->pieces[i].buffer);
        cmd->pieces[i].submission = cmd->submissions;
        seconds += piece_seconds(cmd, &cmd->pieces[i]);
        cmd->gpu->counts.commands += cmd->pieces[i].commands;
    }
    const char *from = cmd->pieces[first].label, *to = cmd->pieces[end - 1].last;
    char *label = strcmp(from, to) ? xformat("%s ... %s", from, to) : xstrdup(from);
    ok = ok && add_stamp(cmd, &buffers, end - 1, true) &&
         gpu_submit(cmd->gpu, (uint32_t)arrlen(buffers), buffers, seconds, label);
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
    return gpu_captures(cmd->gpu, cmd->pieces[piece].label);
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
    // A profile has the times of every run.
    if ((cmd->gpu->options.profile || gpu_reached(cmd->gpu, cmd->value)) && !cmd_wait(cmd))
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
