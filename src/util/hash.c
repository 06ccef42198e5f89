#include "util/hash.h"

uint64_t hash_add(uint64_t hash, const void *data, size_t bytes)
{
    for (size_t i = 0; i < bytes; i++)
        hash = (hash ^ ((const unsigned char *)data)[i]) * 0x100000001B3u;
    return hash;
}

uint64_t hash_bytes(const void *data, size_t bytes)
{
    return hash_add(HASH_START, data, bytes);
}
