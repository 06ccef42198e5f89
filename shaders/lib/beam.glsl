// Shared by the beam kernels. A worker has one beam; lanes are along its hypotheses or candidates.
bool lives(float score) { return score > 0.5 * MASKED; }

uint hashed(uint hash, uint word) {
    hash = (hash ^ word) * 0x9E3779B1u;
    return hash ^ hash >> 15;
}

// Makes writes of some lanes visible to all.
void settle() {
    subgroupMemoryBarrierBuffer();
    subgroupBarrier();
}

void settle_shared() {
    subgroupMemoryBarrierShared();
    subgroupBarrier();
}

// Maps scores to unsigned integers in the same order; never 0.
uint ordered(float x) {
    uint bits = floatBitsToUint(x);
    return (bits >> 31) != 0 ? ~bits : bits | 0x80000000u;
}
float unordered(uint key) { return uintBitsToFloat((key >> 31) != 0 ? key & 0x7fffffffu : ~key); }
