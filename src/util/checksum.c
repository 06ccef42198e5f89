#include "util/checksum.h"

uint64_t checksum_add(uint64_t sum, const void *data, size_t size)
{
    for (size_t i = 0; i < size; i++)
        sum = (sum ^ ((const unsigned char *)data)[i]) * 0x100000001B3u;
    return sum;
}
