#include "cli/device.h"

#include <stdio.h>
#include <string.h>

#include "cli/common.h"
#include "util/error.h"
#include "util/file.h"

static bool check_profile(void)
{
    if (!common.profile || !*common.profile)
        return true;
    if (!strcmp(common.profile, "-"))
        return fail(FAULT_INPUT, "--profile: standard output carries the result");
    return file_can_write(common.profile);
}

bool device_take_profile(struct outputs *outputs)
{
    return check_profile() && outputs_take(outputs, common.profile, "--profile");
}

bool device_open(struct mdam_device **device)
{
    if (!check_profile())
        return false;
    struct mdam_device_options options = { sizeof options, .device = common.device, .safe = common.safe,
        .profile = common.profile != NULL, .capture = common.capture };
    if (!mdam_device_open(device, &options))
        return false;
    if (*mdam_device_notice(*device) && !common.quiet) {
        fputs("mdam-vk: ", stderr);
        print_line(stderr, mdam_device_notice(*device));
    }
    return true;
}

bool device_profile(const struct mdam_device *device)
{
    if (!common.profile)
        return true;
    char *text = mdam_device_profile(device, *common.profile ? MDAM_PROFILE_TRACE : MDAM_PROFILE_TABLE);
    bool ok = true;
    if (*common.profile)
        ok = file_write(common.profile, text, strlen(text));
    else
        fputs(text, stderr);
    mdam_text_free(&text);
    return ok;
}
