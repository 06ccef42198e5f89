// mdam-vk devices: lists the machine's Vulkan devices and how the engine would use them.
#include <stdio.h>
#include <string.h>

#include "cli/command.h"
#include "cli/common.h"
#include "cli/device.h"
#include "cli/report.h"
#include "mdam/mdam.h"
#include "util/error.h"

static bool as_json, verbose;

static json_t *describe(const struct mdam_device_info *info)
{
    json_t *sizes = json_array();
    for (uint32_t lanes = info->lanes_min; lanes && lanes <= info->lanes_max; lanes *= 2)
        json_array_append_new(sizes, json_integer(lanes));
    json_t *limits = json_pack("{s:I, s:I, s:I, s:I, s:I}", "workgroup_invocations",
        (json_int_t)info->workgroup_invocations, "shared_bytes", (json_int_t)info->shared_bytes, "push_constant_bytes",
        (json_int_t)info->push_constant_bytes, "storage_buffer_bytes", (json_int_t)info->storage_buffer_bytes,
        "allocation_bytes", (json_int_t)info->allocation_bytes);
    return json_pack("{s:i, s:s, s:s, s:s, s:s, s:s, s:I, s:o, s:I, s:o, s:b, s:b, s:s, s:b, s:s?, s:s}", "index",
        (int)info->index, "name", info->name, "type", info->type, "driver", info->driver, "driver_version",
        info->driver_version, "api_version", info->api_version, "memory", (json_int_t)info->memory, "subgroup_sizes",
        sizes, "lanes", (json_int_t)info->lanes, "limits", limits, "buffer_addresses", info->buffer_addresses, "int64",
        info->int64, "target", info->target, "usable", info->usable, "why_not", info->usable ? NULL : info->why_not,
        "disabled", info->disabled);
}

static bool print_json(const struct mdam_devices *list)
{
    json_t *devices = json_array();
    for (size_t i = 0; i < mdam_devices_count(list); i++) {
        if (json_array_append_new(devices, describe(mdam_devices_info(list, i)))) {
            json_decref(devices);
            return report_json(NULL);
        }
    }
    return report_json(json_pack("{s:o}", "devices", devices));
}

// Writes "7.8 GiB".
static void bytes_text(char text[static 32], uint64_t bytes)
{
    static const char *const units[] = { "bytes", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB" };
    double amount = (double)bytes;
    int unit = 0;
    for (; amount >= 1024 && unit < 6; unit++)
        amount /= 1024;
    snprintf(text, 32, "%.3g %s", amount, units[unit]);
}

static void print_device(const struct mdam_device_info *info)
{
    char memory[32], range[32], block[32], shared[32];
    bytes_text(memory, info->memory);
    bytes_text(range, info->storage_buffer_bytes);
    bytes_text(block, info->allocation_bytes);
    bytes_text(shared, info->shared_bytes);
    printf("%u  %s\n", info->index, info->name);
    printf("   type      %s, Vulkan %s\n", info->type, info->api_version);
    if (!info->usable) {
        printf("   usable    no: %s\n", info->why_not);
        return;
    }
    printf("   driver    %s, %s\n", info->driver, info->driver_version);
    printf("   memory    %s; %s in one allocation, %s in one storage buffer\n", memory, block, range);
    printf("   lanes     %u of %u..%u\n", info->lanes, info->lanes_min, info->lanes_max);
    printf("   limits    %u invocations and %s shared in a workgroup, %u bytes of arguments\n",
        info->workgroup_invocations, shared, info->push_constant_bytes);
    printf("   target    %s: %s\n", info->target, info->target_help);
    printf("   usable    yes\n");
    if (verbose)
        printf("   disabled  %s\n", *info->disabled ? info->disabled : "nothing");
    for (const char *line = verbose ? info->forms : ""; *line; line = strchr(line, '\n') + 1)
        printf("   %s %.*s\n", line == info->forms ? "forms    " : "         ", (int)strcspn(line, "\n"), line);
}

static bool run(const struct arguments *arguments, int *status)
{
    (void)arguments, (void)status;
    struct mdam_devices *list;
    size_t usable = 0;
    enum mdam_target target;
    if (!device_target(&target) || !mdam_devices_list(&list, target))
        return false;
    for (size_t i = 0; i < mdam_devices_count(list); i++) {
        usable += mdam_devices_info(list, i)->usable;
        if (!as_json)
            print_device(mdam_devices_info(list, i));
    }
    bool ok = !as_json || print_json(list);
    mdam_devices_free(&list);
    return ok && (usable || fail(FAULT_DEVICE, "devices: none is usable"));
}

static const struct flag flags[] = {
    { "--json", NULL, FLAG_SWITCH, &as_json, NULL, "write JSON with every detail" },
    { "--verbose", NULL, FLAG_SWITCH, &verbose, NULL,
        "show the form of each kernel that a device uses, and what MDAM_VK_DISABLE turns off" },
    { NULL },
};

const struct command command_devices = {
    .name = "devices",
    .summary = "list the Vulkan devices and their properties",
    .flags = { flags, common_flags },
    .run = run,
};
