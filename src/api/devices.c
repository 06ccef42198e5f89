// Lists the machine's Vulkan devices.
#include <stdio.h>
#include <stdlib.h>

#include "api/internal.h"
#include "gpu/gpu.h"
#include "nn/forms.h"
#include "util/alloc.h"
#include "util/locale.h"

struct mdam_devices {
    size_t count;
    struct gpu_info *list;
    struct shown {
        struct mdam_device_info info;
        char api[32], driver[256];
        struct text forms, disabled;
    } * shown;
};

// Writes Vulkan's packed version without the variant bits.
static void write_version(char *text, size_t size, uint32_t version)
{
    snprintf(text, size, "%u.%u.%u", (version >> 22) & 0x7f, (version >> 12) & 0x3ff, version & 0xfff);
}

static void show(struct shown *shown, const struct gpu_info *info)
{
    static const char *const targets[GPU_TARGETS] = { [GPU_TARGET_GPU] = "buffer addresses, kernels for GPUs",
        [GPU_TARGET_CPU] = "buffer addresses, kernels for CPU drivers",
        [GPU_TARGET_SAFE] = "one bounds-checked storage buffer" };
    form_print(&shown->forms, info);
    text_add(&shown->disabled, "%s", "");
    gpu_disabled_print(&shown->disabled, info->disabled);
    write_version(shown->api, sizeof shown->api, info->api_version);
    // Drivers pack their version differently, most of them like Vulkan, so their text is used if there is one.
    if (info->driver_info[0])
        snprintf(shown->driver, sizeof shown->driver, "%s", info->driver_info);
    else
        write_version(shown->driver, sizeof shown->driver, info->driver_version);
    shown->info = (struct mdam_device_info){ .index = (uint32_t)info->index,
        .name = info->name,
        .type = info->type,
        .driver = info->driver,
        .driver_version = shown->driver,
        .api_version = shown->api,
        .memory = info->memory,
        .lanes_min = info->lanes_min,
        .lanes_max = info->lanes_max,
        .lanes = info->lanes,
        .workgroup_invocations = info->threads_max,
        .shared_bytes = info->shared_bytes,
        .push_constant_bytes = info->push_bytes,
        .storage_buffer_bytes = info->range_max,
        .allocation_bytes = info->block_max,
        .buffer_addresses = info->addresses,
        .int64 = info->int64,
        .target = gpu_target_name(info->target),
        .target_help =
            info->wide ? "buffer addresses, two floats at a time, kernels for CPU drivers" : targets[info->target],
        .usable = info->usable,
        .why_not = info->why_not,
        .forms = shown->forms.data,
        .disabled = shown->disabled.data };
}

bool mdam_devices_list(struct mdam_devices **out, enum mdam_target target)
{
    IN_PLAIN_LOCALE;
    *out = NULL;
    struct gpu_info *list;
    size_t count;
    if (!gpu_list(&list, &count))
        return false;
    struct mdam_devices *devices = *out = xcalloc(1, sizeof *devices);
    devices->count = count;
    devices->list = list;
    devices->shown = xcalloc(count, sizeof *devices->shown);
    for (size_t i = 0; i < count; i++) {
        gpu_info_aim(&list[i], (enum gpu_target)target);
        show(&devices->shown[i], &list[i]);
    }
    return true;
}

void mdam_devices_free(struct mdam_devices **slot)
{
    if (!*slot)
        return;
    for (size_t i = 0; i < (*slot)->count; i++)
        text_finish(&(*slot)->shown[i].forms), text_finish(&(*slot)->shown[i].disabled);
    free((*slot)->list);
    free((*slot)->shown);
    free(*slot);
    *slot = NULL;
}

size_t mdam_devices_count(const struct mdam_devices *devices)
{
    return devices ? devices->count : 0;
}

const struct mdam_device_info *mdam_devices_info(const struct mdam_devices *devices, size_t index)
{
    mdam_expect_index(__func__, index, mdam_devices_count(devices));
    return &devices->shown[index].info;
}
