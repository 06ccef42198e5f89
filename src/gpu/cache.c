// The pipeline cache on disk: one file per device and driver in the user's cache folder. It only saves time: a file
// that is absent, foreign, truncated or corrupt is ignored and replaced.
#include <stdlib.h>
#include <string.h>

#include "gpu/internal.h"
#include "util/alloc.h"
#include "util/error.h"
#include "util/file.h"
#include "util/hash.h"

enum { CACHE_LIMIT = 256 << 20 };

// Precedes the driver's own data.
struct cache_head {
    char magic[8];
    uint8_t uuid[VK_UUID_SIZE];
    uint64_t bytes, checksum;
};
static const char magic[8] = "mdamvk1";

char *gpu_cache_folder(const char *given)
{
    if (given)
        return xstrdup(given);
    const char *cache = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
    if (cache && *cache == '/')
        return xformat("%s/mdam-vk", cache);
    return home && *home ? xformat("%s/.cache/mdam-vk", home) : NULL;
}

// Returns the driver's part of the file, or NULL.
static char *read_valid(const struct gpu *gpu, char **file, size_t *bytes)
{
    size_t size;
    if (!file_read(gpu->cache_path, CACHE_LIMIT, file, &size)) {
        *file = NULL;
        return NULL;
    }
    struct cache_head head;
    if (size < sizeof head)
        return NULL;
    memcpy(&head, *file, sizeof head);
    char *data = *file + sizeof head;
    *bytes = size - sizeof head;
    bool valid = !memcmp(head.magic, magic, sizeof magic) &&
                 !memcmp(head.uuid, gpu->found.cache_uuid, sizeof head.uuid) && head.bytes == *bytes &&
                 head.checksum == hash_bytes(data, *bytes);
    return valid ? data : NULL;
}

bool gpu_cache_open(struct gpu *gpu)
{
    char *file = NULL, *data = NULL;
    size_t bytes = 0;
    if (gpu->cache_folder && !gpu->options.dry) { // a dry device measures compilers
        gpu->cache_path = xformat("%s/%08x-%08x-%08x-%u-%s.bin", gpu->cache_folder, gpu->info.vendor, gpu->info.device,
            gpu->info.driver_version, gpu->info.lanes, gpu_target_name(gpu->target));
        data = read_valid(gpu, &file, &bytes);
        gpu->cache_bytes = data ? bytes : 0;
        error_clear();
    }
    VkPipelineCacheCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_PIPELINE_CACHE_CREATE_INFO, .initialDataSize = data ? bytes : 0, .pInitialData = data
    };
    VkResult result = vkCreatePipelineCache(gpu->device, &info, NULL, &gpu->cache);
    free(file);
    return gpu_check(gpu, result, "no pipeline cache");
}

static void write_cache(struct gpu *gpu)
{
    size_t bytes = 0;
    // Written if it has grown. One driver adds an empty header of 32 bytes on every query.
    size_t known = gpu->cache_bytes ? gpu->cache_bytes + 32 : 0;
    if (vkGetPipelineCacheData(gpu->device, gpu->cache, &bytes, NULL) || bytes <= known || bytes > CACHE_LIMIT)
        return;
    struct cache_head head = { .bytes = bytes };
    char *file = xcalloc(sizeof head + bytes, 1);
    if (vkGetPipelineCacheData(gpu->device, gpu->cache, &bytes, file + sizeof head) == VK_SUCCESS) {
        memcpy(head.magic, magic, sizeof magic);
        memcpy(head.uuid, gpu->found.cache_uuid, sizeof head.uuid);
        head.bytes = bytes;
        head.checksum = hash_bytes(file + sizeof head, bytes);
        memcpy(file, &head, sizeof head);
        // Failing to write the cache only costs time, and must not replace an earlier message.
        char *sentence = xstrdup(error_text());
        enum fault fault = error_fault();
        if (!file_make_folder(gpu->cache_folder) || !file_write(gpu->cache_path, file, sizeof head + bytes))
            fail(fault, "%s", sentence);
        free(sentence);
    }
    free(file);
}

void gpu_cache_close(struct gpu *gpu)
{
    if (gpu->cache && gpu->cache_path && gpu->pipelines && !gpu->lost)
        write_cache(gpu);
    if (gpu->device && gpu_at_rest(gpu))
        vkDestroyPipelineCache(gpu->device, gpu->cache, NULL);
    gpu->cache = VK_NULL_HANDLE;
    free(gpu->cache_path);
    gpu->cache_path = NULL;
}
