// Values across the lanes of a worker.
#if defined TARGET_CPU || defined TARGET_NARROW
#include "lib/cpu/lanes.glsl"
#else
float lanes_max(float x) { return subgroupMax(x); }
float lanes_add(float x) { return subgroupAdd(x); }
uint lanes_or(uint x) { return subgroupOr(x); }
bool lanes_any(bool x) { return subgroupAny(x); }
uint lanes_ballot(bool x) { return subgroupBallot(x).x; } // of the first 32 lanes
#endif
