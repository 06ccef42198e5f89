#include "device.h"

#include <stdlib.h>
#include <string.h>

#include "util/error.h"

char *test_target_names[] = { "gpu", "cpu", "safe", NULL };
MunitParameterEnum test_targets[] = { { "target", test_target_names }, { NULL, NULL } };

__attribute__((constructor)) static void select_targets(void)
{
    const char *selected = getenv("MDAM_VK_TEST_TARGETS");
    char **next = test_target_names;
    if (!selected)
        return;
    for (char **name = test_target_names; *name; name++) {
        if (strstr(selected, *name))
            *next++ = *name;
    }
    *next = NULL;
}

bool test_gpu_open(struct gpu **gpu, const MunitParameter params[])
{
    return test_gpu_open_with(gpu, params, (struct gpu_options){ 0 });
}

bool test_gpu_open_with(struct gpu **gpu, const MunitParameter params[], struct gpu_options options)
{
    const char *target = munit_parameters_get(params, "target");
    for (int i = 0; target && i < GPU_TARGETS; i++) {
        if (!strcmp(target, gpu_target_name((enum gpu_target)i)))
            options.target = (enum gpu_target)i;
    }
    test_ok(gpu_open(gpu, &options));
    if (target && gpu_info(*gpu)->target != options.target) {
        gpu_close(gpu);
        return false;
    }
    return true;
}
