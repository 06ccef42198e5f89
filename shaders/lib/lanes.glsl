// Values across the lanes of a worker.
#if defined TARGET_CPU || defined TARGET_NARROW
#include "lib/cpu/lanes.glsl"
#else
float lanes_max(float x) { return subgroupMax(x); }
float lanes_add(float x) { return subgroupAdd(x); }
#endif
