// On a CPU driver the subgroup is a vector register. Mesa's driver takes 256 bits unless told otherwise, and listens
// only before it is loaded.
#include <stdlib.h>

#include "gpu/internal.h"

void gpu_prefer_lanes(void)
{
#if defined(__x86_64__) || defined(__i386__)
    if (__builtin_cpu_supports("avx512f"))
        setenv("LP_NATIVE_VECTOR_WIDTH", "512", 0); // a value the user has set stays
#endif
}
