// On a CPU driver the subgroup is a vector register. Mesa's driver takes 256 bits unless told otherwise, and listens
// only when it is loaded.
#include <stdlib.h>
#include <string.h>

#include <stb/stb_ds.h>

#include "gpu/internal.h"

static const char variable[] = "LP_NATIVE_VECTOR_WIDTH";
static bool widened; // by this program, not by the user

void gpu_prefer_lanes(void)
{
#if defined(__x86_64__) || defined(__i386__)
    if (__builtin_cpu_supports("avx512f") && !getenv(variable))
        widened = !setenv(variable, "512", 0);
#endif
}

bool gpu_mesa_cpu_is_new(const struct gpu_info *info)
{
    enum { NEW_MAJOR = 26 };
    const char *mesa = strstr(info->driver_info, "Mesa ");
    return info->is_cpu && mesa && atoi(mesa + strlen("Mesa ")) >= NEW_MAJOR;
}

bool gpu_narrow_lanes(const struct found *found)
{
    bool bad = false;
    for (ptrdiff_t i = 0; widened && i < arrlen(found); i++)
        bad = bad || (found[i].info.lanes_max > 8 && gpu_mesa_cpu_is_new(&found[i].info));
    if (!bad)
        return false;
    widened = false;
    return !setenv(variable, "256", 1);
}
