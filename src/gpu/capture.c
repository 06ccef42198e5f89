// RenderDoc's in-program interface, available only if RenderDoc has loaded itself into the process.
#include <dlfcn.h>
#include <string.h>

#include <renderdoc_app.h>

#include "gpu/internal.h"
#include "util/error.h"

static RENDERDOC_API_1_1_2 *find(void)
{
    void *library = dlopen("librenderdoc.so", RTLD_NOW | RTLD_NOLOAD);
    if (!library)
        return NULL;
    pRENDERDOC_GetAPI get;
    *(void **)&get = dlsym(library, "RENDERDOC_GetAPI");
    RENDERDOC_API_1_1_2 *api = NULL;
    if (!get || !get(eRENDERDOC_API_Version_1_1_2, (void **)&api))
        api = NULL;
    dlclose(library); // RenderDoc stays loaded
    return api;
}

bool gpu_capture_present(void)
{
    return find() != NULL;
}

bool gpu_captures(const struct gpu *gpu, const char *label)
{
    const char *prefix = gpu->capture_label;
    if (!prefix || gpu->captured || strncmp(label, prefix, strlen(prefix)))
        return false;
    return label[strlen(prefix)] == 0 || label[strlen(prefix)] == '/';
}

bool gpu_capture_start(struct gpu *gpu)
{
    RENDERDOC_API_1_1_2 *api = find();
    if (!api)
        return fail(FAULT_INPUT, "RenderDoc is no longer loaded");
    api->StartFrameCapture(RENDERDOC_DEVICEPOINTER_FROM_VKINSTANCE(gpu->instance.handle), NULL);
    return true;
}

bool gpu_capture_stop(struct gpu *gpu)
{
    RENDERDOC_API_1_1_2 *api = find();
    gpu->captured = true;
    if (!api || !api->EndFrameCapture(RENDERDOC_DEVICEPOINTER_FROM_VKINSTANCE(gpu->instance.handle), NULL))
        return fail(FAULT_INPUT, "RenderDoc could not write the capture of \"%s\"", gpu->capture_label);
    return true;
}

bool gpu_captured(const struct gpu *gpu)
{
    if (!gpu->capture_label || gpu->captured)
        return true;
    return fail_field(
        FAULT_INPUT, "capture", "no region named \"%s\" was run; a profile lists those that were", gpu->capture_label);
}
