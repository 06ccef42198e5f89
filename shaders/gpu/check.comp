#version 460
#extension GL_GOOGLE_include_directive : require
#include "lib/kernel.glsl"
ARGUMENTS(check);

// Observes in each invocation the guarantees that every kernel relies on. src/gpu/check.c compares them with the
// expected values.
shared uint shared_values[CHECK_THREADS];

// Returns a number unique to the invocation and unknown to the compiler.
uint secret(uint i) { return arg.salt + 2654435761u * i; }

uint bits(uvec4 mask) { return bitCount(mask.x) + bitCount(mask.y) + bitCount(mask.z) + bitCount(mask.w); }

void main() {
    uint thread = gl_LocalInvocationIndex, threads = gl_WorkGroupSize.x;
    uint to = (gl_WorkGroupID.x * threads + thread) * CHECK_WORDS;
    at_u(arg.seen, to + CHECK_SIZE) = gl_SubgroupSize;
    at_u(arg.seen, to + CHECK_SUBGROUPS) = gl_NumSubgroups;
    at_u(arg.seen, to + CHECK_WORKER) = worker();
    at_u(arg.seen, to + CHECK_LANE) = lane();
    at_u(arg.seen, to + CHECK_FULL) = bits(subgroupBallot(true));
    uvec4 odd = subgroupBallot((lane() & 1) == 1);
    at_u(arg.seen, to + CHECK_BALLOT) = odd.x + 3 * odd.y + 5 * odd.z + 7 * odd.w;

    // Every lane receives each of the others: by a loop counter, and by an index that differs between lanes.
    uint heard = 0;
    for (uint i = 0; i < LANES; i++)
        heard = heard * 31 + subgroupBroadcast(secret(thread), i + arg.zero);
    at_u(arg.seen, to + CHECK_BROADCAST) = heard;
    at_u(arg.seen, to + CHECK_SHUFFLE) = subgroupShuffle(secret(thread), (lane() + 1 + arg.zero) % LANES);
    at_u(arg.seen, to + CHECK_SUM) = subgroupAdd(secret(thread));
    at_u(arg.seen, to + CHECK_BEFORE) = subgroupExclusiveAdd(secret(thread));

    // Lanes leave this loop at different times and reconverge after it.
    uint steps = 0;
    for (uint i = arg.zero; i <= secret(thread) % 13; i++)
        steps += i + 1;
    at_u(arg.seen, to + CHECK_MET) = bits(subgroupBallot(true));
    at_u(arg.seen, to + CHECK_MET_SUM) = subgroupAdd(steps);

    // Subgroups communicate through shared memory, twice through the same words.
    shared_values[thread] = secret(thread);
    barrier();
    uint other = shared_values[(thread + LANES + 1) % threads];
    barrier();
    shared_values[threads - 1 - thread] = other;
    barrier();
    at_u(arg.seen, to + CHECK_SHARED) = shared_values[thread];
}
