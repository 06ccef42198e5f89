// On a CPU driver a subgroup is a vector register. Mesa's driver uses 256 bits by default. It reads the variable when a
// device is found and again whenever it compiles, so the variable must not change while the device is open: it is set
// once for the process. Called by one thread at a time.
#include <stdlib.h>
#include <string.h>

#include <stb/stb_ds.h>

#include "gpu/internal.h"

static const char variable[] = "LP_NATIVE_VECTOR_WIDTH";
static bool widened; // set by this program, not by the user

void gpu_prefer_lanes(void)
{
#if defined(__x86_64__) || defined(__i386__)
    if (__builtin_cpu_supports("avx512f") && !getenv(variable))
        widened = !setenv(variable, "512", 0);
#endif
}

// With 512 bits Mesa 26.1 (LLVM 19) overwrites its own stack in the simplest kernels, and 25.0 (LLVM 15) does not;
// versions in between are untested.
bool gpu_narrow_lanes(const struct found *found)
{
    enum { MESA_MAJOR_BAD = 26 };
    bool bad = false;
    for (ptrdiff_t i = 0; widened && i < arrlen(found); i++) {
        const struct gpu_info *info = &found[i].info;
        const char *mesa = strstr(info->driver_info, "Mesa ");
        bad = bad || (info->is_cpu && info->lanes_max > 8 && mesa && atoi(mesa + strlen("Mesa ")) >= MESA_MAJOR_BAD);
    }
    if (!bad)
        return false;
    widened = false;
    return !setenv(variable, "256", 1);
}
