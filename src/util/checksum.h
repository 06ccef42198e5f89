#ifndef UTIL_CHECKSUM_H
#define UTIL_CHECKSUM_H

#include <stddef.h>
#include <stdint.h>

// FNV-1a with 64 bits: every single changed byte changes it, and other accidents slip through once in 2^64. It guards
// against damage, not against malice, which could write any checksum.
#define CHECKSUM_START 0xCBF29CE484222325u
uint64_t checksum_add(uint64_t sum, const void *data, size_t size);

#endif
