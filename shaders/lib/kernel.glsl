// Included first by every kernel: the argument struct, memory access, and workers. tools/shader defines one of
// TARGET_GPU, TARGET_CPU, TARGET_NARROW (CPU drivers without 64-bit integers) and TARGET_SAFE.
#extension GL_EXT_scalar_block_layout : require
#extension GL_EXT_control_flow_attributes : require
#extension GL_KHR_shader_subgroup_basic : require
#extension GL_KHR_shader_subgroup_vote : require
#extension GL_KHR_shader_subgroup_arithmetic : require
#extension GL_KHR_shader_subgroup_ballot : require
#extension GL_KHR_shader_subgroup_shuffle : require
#ifndef TARGET_SAFE
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_buffer_reference2 : require
#extension GL_EXT_buffer_reference_uvec2 : require
#endif
#ifdef TARGET_CPU
#extension GL_EXT_shader_explicit_arithmetic_types_int64 : require
#endif

#include "args.h"

// Fixed for a device: the subgroup size and the workgroup size.
layout(constant_id = CONSTANT_LANES) const uint LANES = 32;
layout(local_size_x_id = CONSTANT_THREADS, local_size_y = 1, local_size_z = 1) in;

// The argument struct `arg`: in push constants or, for kernels whose struct has ARGS_FAR, behind one address.
#define ARGUMENTS(stem) layout(push_constant, scalar) uniform Push { stem##_args value; } arguments
#ifdef TARGET_SAFE
#define ARGUMENTS_FAR(stem) layout(set = 0, binding = 1, scalar) readonly buffer Far { stem##_args value; } arguments
#else
#define ARGUMENTS_FAR(stem)                                                                                            \
    layout(buffer_reference, scalar, buffer_reference_align = 8) readonly buffer Far { stem##_args value; };           \
    layout(push_constant, scalar) uniform Push { Far arguments; }
#endif
#define arg arguments.value

// Memory. at(p, i) is the i-th float from address p, on either side of an assignment; at_u the i-th uint; load2 and
// store2 move floats 2i and 2i+1 at once (p aligned to 8 bytes). A kernel whose lanes read values that others wrote
// first defines BETWEEN_LANES as `coherent`.
#ifndef BETWEEN_LANES
#define BETWEEN_LANES
#endif
#ifdef TARGET_SAFE
layout(set = 0, binding = 0, scalar) BETWEEN_LANES buffer HeapFloat { float heap_float[]; };
layout(set = 0, binding = 0, scalar) BETWEEN_LANES buffer HeapUint { uint heap_uint[]; };
#define at(p, i)   heap_float[((p).x >> 2) + (i)]
#define at_u(p, i) heap_uint[((p).x >> 2) + (i)]
#else
layout(buffer_reference, scalar, buffer_reference_align = 4) BETWEEN_LANES buffer Floats { float value[]; };
layout(buffer_reference, scalar, buffer_reference_align = 4) BETWEEN_LANES buffer Uints { uint value[]; };
#define at(p, i)   Floats(p).value[i]
#define at_u(p, i) Uints(p).value[i]
#endif

#if defined TARGET_SAFE
vec2 load2(ptr p, uint i) { return vec2(at(p, 2 * i), at(p, 2 * i + 1)); }
void store2(ptr p, uint i, vec2 x) { at(p, 2 * i) = x.x; at(p, 2 * i + 1) = x.y; }
#elif defined TARGET_CPU
#include "lib/cpu/pairs.glsl"
#else
layout(buffer_reference, scalar, buffer_reference_align = 8) buffer Pairs { vec2 value[]; };
vec2 load2(ptr p, uint i) { return Pairs(p).value[i]; }
void store2(ptr p, uint i, vec2 x) { Pairs(p).value[i] = x; }
#endif

bool is_null(ptr p) { return (p.x & PTR_NONE) != 0; } // no address given

// Work is divided among subgroups ("workers"), counted over all workgroups; a kernel's excess workers return at once.
uint worker() {
    uint group = gl_WorkGroupID.y * gl_NumWorkGroups.x + gl_WorkGroupID.x;
    return group * gl_NumSubgroups + gl_SubgroupID;
}
uint lane() { return gl_SubgroupInvocationID; }
