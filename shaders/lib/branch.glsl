// A condition that is the same in all lanes.
#ifdef TARGET_CPU
#include "lib/cpu/branch.glsl"
#else
#define branch(condition) if (condition)
#endif
