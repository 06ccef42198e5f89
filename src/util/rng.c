#include "util/rng.h"

void rng_draw(const struct rng *rng, uint32_t step, uint32_t number[4])
{
    uint32_t c[4] = { rng->purpose, rng->instance, rng->decoder, step };
    uint32_t key[2] = { (uint32_t)rng->seed, (uint32_t)(rng->seed >> 32) };
    for (int round = 0; round < 10; round++) {
        uint64_t p = (uint64_t)0xD2511F53u * c[0], q = (uint64_t)0xCD9E8D57u * c[2];
        uint32_t next[4] = { (uint32_t)(q >> 32) ^ c[1] ^ key[0], (uint32_t)q, (uint32_t)(p >> 32) ^ c[3] ^ key[1],
            (uint32_t)p };
        for (int i = 0; i < 4; i++)
            c[i] = next[i];
        key[0] += 0x9E3779B9u;
        key[1] += 0xBB67AE85u;
    }
    for (int i = 0; i < 4; i++)
        number[i] = c[i];
}

float rng_unit(uint32_t number)
{
    return (float)(number >> 8) * 0x1p-24f;
}
