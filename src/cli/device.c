#include "cli/device.h"

#include <stdio.h>

#include "cli/common.h"
#include "util/file.h"

bool device_open(struct gpu **gpu)
{
    struct gpu_options options = {
        .device = common.device, .safe = common.safe, .profile = common.profile != NULL, .capture = common.capture
    };
    if (!gpu_open(gpu, &options))
        return false;
    if (*gpu_notice(*gpu) && !common.quiet) {
        fputs("mdam-vk: ", stderr);
        print_line(stderr, gpu_notice(*gpu));
    }
    return true;
}

// Without a file name the table goes to stderr: stdout carries only the result.
static bool write_profile(struct gpu *gpu)
{
    struct text text = { 0 };
    bool ok = true;
    if (*common.profile) {
        gpu_profile_trace(gpu, &text);
        ok = file_write(common.profile, text.data, text.size);
    } else {
        gpu_profile_table(gpu, &text);
        fputs(text.data, stderr);
    }
    text_finish(&text);
    return ok;
}

bool device_close(struct gpu **gpu)
{
    bool ok = !common.profile || write_profile(*gpu);
    gpu_close(gpu);
    return ok;
}
