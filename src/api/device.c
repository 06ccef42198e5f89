// Errors, texts and devices of the public interface.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api/internal.h"
#include "gpu/gpu.h"
#include "problem/describe.h"
#include "util/alloc.h"
#include "util/error.h"
#include "util/json_text.h"
#include "util/locale.h"
#include "util/ranks.h"
#include "util/text.h"
#include "util/threads.h"

const char *mdam_error(void)
{
    return error_text();
}

enum mdam_fault mdam_error_fault(void)
{
    return (enum mdam_fault)error_fault();
}

const char *mdam_error_field(void)
{
    return error_field();
}

uint32_t mdam_api_version(void)
{
    return MDAM_API_VERSION;
}

const char *mdam_problem_name(size_t index)
{
    for (size_t i = 0; problems[i]; i++) {
        if (i == index)
            return problems[i]->name;
    }
    return NULL;
}

char *mdam_problem_keys(size_t index)
{
    struct text text = { 0 };
    if (!mdam_problem_name(index))
        return NULL;
    describe_keys(&text, problems[index]);
    return text.data;
}

const char *mdam_version(void)
{
    return MDAM_VERSION;
}

void mdam_text_free(char **text)
{
    free(*text);
    *text = NULL;
}

bool mdam_copy_options(void *to, size_t bytes, const void *from, size_t size)
{
    if (!from)
        return true;
    if (size < sizeof size)
        return fail(FAULT_INTERNAL, "the options' size is not set");
    memcpy(to, from, size < bytes ? size : bytes);
    return true;
}

// Ranks of one host share its processors. Mesa's CPU driver would take all of them for each rank.
static void share_processors(void)
{
    char threads[16];
    snprintf(threads, sizeof threads, "%u", threads_available());
    if (ranks_local_count() > 1)
        setenv("LP_NUM_THREADS", threads, 0);
}

bool mdam_device_open(struct mdam_device **device, const struct mdam_device_options *from)
{
    IN_PLAIN_LOCALE;
    *device = NULL;
    struct mdam_device_options options = { 0 };
    if (!mdam_options_copy(&options, from))
        return false;
    if ((int)options.target < MDAM_TARGET_AUTO || options.target > MDAM_TARGET_SAFE)
        return fail(FAULT_INPUT, "target must be between %d and %d, not %d", MDAM_TARGET_AUTO, MDAM_TARGET_SAFE,
            (int)options.target);
    if (options.safe && options.target != MDAM_TARGET_AUTO && options.target != MDAM_TARGET_SAFE)
        return fail_fields(FAULT_INPUT, "safe", "target", "this target does not check memory accesses");
    json_text_prepare();
    share_processors();
    struct gpu *gpu;
    if (!gpu_open(&gpu, &(struct gpu_options){ .device = options.device,
                            .turn = ranks_local(),
                            .target = options.safe ? GPU_TARGET_SAFE : (enum gpu_target)options.target,
                            .profile = options.profile,
                            .capture = options.capture,
                            .compiling = options.compiling,
                            .user = options.user }))
        return false;
    *device = xcalloc(1, sizeof **device);
    (*device)->gpu = gpu;
    return true;
}

void mdam_device_close(struct mdam_device **device)
{
    IN_PLAIN_LOCALE;
    if (!*device)
        return;
    gpu_close(&(*device)->gpu);
    free(*device);
    *device = NULL;
}

const char *mdam_device_name(const struct mdam_device *device)
{
    return gpu_info(device->gpu)->name;
}

const char *mdam_device_notice(const struct mdam_device *device)
{
    return gpu_notice(device->gpu);
}

char *mdam_device_profile(const struct mdam_device *device, enum mdam_profile profile)
{
    IN_PLAIN_LOCALE;
    struct text text = { 0 };
    if (profile == MDAM_PROFILE_TRACE)
        gpu_profile_trace(device->gpu, &text);
    else
        gpu_profile_table(device->gpu, &text);
    return text.data;
}

bool mdam_device_has_clock(const struct mdam_device *device)
{
    return gpu_has_clock(device->gpu);
}

_Static_assert(sizeof MDAM_TRACE_START == sizeof GPU_TRACE_START, "both headers have the same start of traces");

bool mdam_device_captured(const struct mdam_device *device)
{
    return gpu_captured(device->gpu);
}
