// mdam-vk devices: what Vulkan offers on this machine, and what would be made of it.
#include <stdio.h>
#include <stdlib.h>

#include "cli/command.h"
#include "cli/common.h"
#include "cli/report.h"
#include "gpu/gpu.h"
#include "util/error.h"

static bool as_json;

static const char *flavour_words(enum gpu_flavour flavour)
{
    static const char *const words[GPU_FLAVOURS] = { "buffer addresses, two floats at a time", "buffer addresses",
        "one bounds-checked storage buffer" };
    return words[flavour];
}

// Vulkan's packed version, without the variant bits.
static void version_text(char text[static 32], uint32_t version)
{
    snprintf(text, 32, "%u.%u.%u", (version >> 22) & 0x7f, (version >> 12) & 0x3ff, version & 0xfff);
}

// Drivers pack their own version as they like, most of them as Vulkan does; their words about it are better where they
// give any.
static void driver_version_text(char text[static 256], const struct gpu_info *info)
{
    if (info->driver_info[0])
        snprintf(text, 256, "%s", info->driver_info);
    else
        version_text(text, info->driver_version);
}

static json_t *describe(const struct gpu_info *info)
{
    char api[32], driver[256];
    version_text(api, info->api_version);
    driver_version_text(driver, info);
    json_t *sizes = json_array();
    for (uint32_t lanes = info->lanes_min; lanes && lanes <= info->lanes_max; lanes *= 2)
        json_array_append_new(sizes, json_integer(lanes));
    json_t *limits = json_pack("{s:I, s:I, s:I, s:I, s:I}", "workgroup_invocations", (json_int_t)info->threads_max,
        "shared_bytes", (json_int_t)info->shared_bytes, "push_constant_bytes", (json_int_t)info->push_bytes,
        "storage_buffer_bytes", (json_int_t)info->range_max, "allocation_bytes", (json_int_t)info->block_max);
    return json_pack("{s:i, s:s, s:s, s:s, s:s, s:s, s:I, s:o, s:I, s:o, s:b, s:b, s:s, s:b, s:s?}", "index",
        info->index, "name", info->name, "type", info->type, "driver", info->driver, "driver_version", driver,
        "api_version", api, "memory", (json_int_t)info->memory, "subgroup_sizes", sizes, "lanes",
        (json_int_t)info->lanes, "limits", limits, "buffer_addresses", info->addresses, "int64", info->int64, "flavour",
        gpu_flavour_name(info->flavour), "usable", info->usable, "why_not", info->usable ? NULL : info->why_not);
}

static bool print_json(const struct gpu_info *list, size_t count)
{
    json_t *devices = json_array();
    for (size_t i = 0; i < count; i++) {
        if (json_array_append_new(devices, describe(&list[i]))) {
            json_decref(devices);
            return report_json(NULL);
        }
    }
    return report_json(json_pack("{s:o}", "devices", devices));
}

// "7.8 GiB"
static void bytes_text(char text[static 32], uint64_t bytes)
{
    static const char *const units[] = { "bytes", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB" };
    double amount = (double)bytes;
    int unit = 0;
    for (; amount >= 1024 && unit < 6; unit++)
        amount /= 1024;
    snprintf(text, 32, "%.3g %s", amount, units[unit]);
}

static void print_device(const struct gpu_info *info)
{
    char api[32], driver[256], memory[32], range[32], block[32], shared[32];
    version_text(api, info->api_version);
    driver_version_text(driver, info);
    bytes_text(memory, info->memory);
    bytes_text(range, info->range_max);
    bytes_text(block, info->block_max);
    bytes_text(shared, info->shared_bytes);
    printf("%d  %s\n", info->index, info->name);
    printf("   type      %s, Vulkan %s\n", info->type, api);
    if (!info->usable) {
        printf("   usable    no: %s\n", info->why_not);
        return;
    }
    printf("   driver    %s, %s\n", info->driver, driver);
    printf("   memory    %s; %s in one allocation, %s in one storage buffer\n", memory, block, range);
    printf("   lanes     %u of %u..%u\n", info->lanes, info->lanes_min, info->lanes_max);
    printf("   limits    %u invocations and %s shared in a workgroup, %u bytes of arguments\n", info->threads_max,
        shared, info->push_bytes);
    printf("   flavour   %s: %s\n", gpu_flavour_name(info->flavour), flavour_words(info->flavour));
    printf("   usable    yes\n");
}

static bool run(const struct arguments *arguments, int *status)
{
    (void)arguments, (void)status;
    struct gpu_info *list;
    size_t count, usable = 0;
    if (!gpu_list(&list, &count))
        return false;
    for (size_t i = 0; i < count; i++) {
        usable += list[i].usable;
        if (!as_json)
            print_device(&list[i]);
    }
    bool ok = !as_json || print_json(list, count);
    free(list);
    return ok && (usable || fail(FAULT_DEVICE, "devices: none of them can be used"));
}

static const struct flag flags[] = {
    { "--json", NULL, FLAG_SWITCH, &as_json, NULL, "as JSON, with every detail" },
    { NULL },
};

const struct command command_devices = {
    .name = "devices",
    .summary = "list the Vulkan devices and what they offer",
    .flags = { flags, common_flags },
    .run = run,
};
