#include "device.h"

#include <string.h>

#include "util/error.h"

static char *flavours[] = { "wide", "address", "heap", NULL };
MunitParameterEnum test_flavours[] = { { "flavour", flavours }, { NULL, NULL } };

bool test_gpu_open(struct gpu **gpu, const MunitParameter params[])
{
    return test_gpu_open_with(gpu, params, (struct gpu_options){ 0 });
}

bool test_gpu_open_with(struct gpu **gpu, const MunitParameter params[], struct gpu_options options)
{
    const char *flavour = munit_parameters_get(params, "flavour");
    options.safe = flavour && !strcmp(flavour, "heap");
    options.narrow = flavour && !strcmp(flavour, "address");
    test_ok(gpu_open(gpu, &options));
    if (flavour && strcmp(gpu_flavour_name(gpu_info(*gpu)->flavour), flavour)) {
        gpu_close(gpu);
        return false;
    }
    return true;
}
