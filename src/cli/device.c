#include "cli/device.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "cli/common.h"
#include "cli/interrupt.h"
#include "cli/progress.h"
#include "util/clock.h"
#include "util/error.h"
#include "util/file.h"

// In `solve a.json --profile b.json` the user may mean a second instance, so only an older trace is overwritten.
static bool is_free_for_trace(const char *path)
{
    struct stat status;
    if (stat(path, &status) || !S_ISREG(status.st_mode) || !status.st_size)
        return true;
    char start[sizeof MDAM_TRACE_START - 1] = "";
    FILE *file = fopen(path, "re");
    bool ok = file && fread(start, sizeof start, 1, file) == 1 && !memcmp(start, MDAM_TRACE_START, sizeof start);
    if (file)
        fclose(file);
    return ok || fail(FAULT_INPUT,
                     "--profile: %s exists and is not a trace of an earlier run; give the trace another name, or put "
                     "--profile at the end for a table",
                     path);
}

static bool check_profile(void)
{
    if (!common.profile || !*common.profile)
        return true;
    if (!strcmp(common.profile, "-"))
        return fail(FAULT_INPUT, "--profile: standard output is used for the result");
    return is_free_for_trace(common.profile) && file_can_write(common.profile);
}

bool device_add_profile(struct outputs *outputs)
{
    return check_profile() && outputs_add(outputs, common.profile, "--profile");
}

// The first use of a device compiles kernels for seconds before anything else can be shown. With cached kernels it is
// done before this prints.
static void show_compiling(void *user, uint32_t count)
{
    static double next;
    const double now = clock_seconds();
    (void)user;
    if (!(next > 0))
        next = now + 1;
    if (now < next)
        return;
    progress_aside("compiling kernels for the device, %u so far; they are cached for the next run", count);
    next = now + 10;
}

bool device_target(enum mdam_target *target)
{
    const struct mdam_device_options *options = &common.device;
    *target = options->safe ? MDAM_TARGET_SAFE : options->target;
    return *target == options->target || options->target == MDAM_TARGET_AUTO ||
           fail_fields(FAULT_INPUT, "safe", "target", "this target does not check memory accesses");
}

bool device_open(struct mdam_device **device)
{
    if (!check_profile())
        return false;
    common.device.profile = common.profile != NULL;
    common.device.compiling = show_compiling;
    if (!mdam_device_open(device, &common.device))
        return false;
    if (*mdam_device_notice(*device) && !common.quiet) {
        fputs("mdam-vk: ", stderr);
        print_line(stderr, mdam_device_notice(*device));
    }
    return true;
}

static bool write_profile(const struct mdam_device *device)
{
    if (!common.profile)
        return true;
    char *text = mdam_device_profile(device, *common.profile ? MDAM_PROFILE_TRACE : MDAM_PROFILE_TABLE);
    bool ok = true;
    if (*common.profile) // again, because the command may have written a file there
        ok = check_profile() && file_write(common.profile, text, strlen(text));
    else
        fputs(text, stderr);
    if (*common.profile && !mdam_device_has_clock(device))
        warn("--profile", "the device has no timestamps: the trace is empty");
    mdam_text_free(&text);
    return ok;
}

bool device_done(const struct mdam_device *device)
{
    // An interrupted command may not have reached the region.
    return write_profile(device) && (interrupt_seen() || mdam_device_captured(device));
}
