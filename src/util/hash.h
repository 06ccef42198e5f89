#ifndef UTIL_HASH_H
#define UTIL_HASH_H

#include <stddef.h>
#include <stdint.h>

// FNV-1a with 64 bits. It detects every change of a single byte, and misses other damage once in 2^64. It does not
// protect against intentional changes.
uint64_t hash_bytes(const void *data, size_t bytes);

// The same for data in pieces; begin with HASH_START.
#define HASH_START 0xCBF29CE484222325u
uint64_t hash_add(uint64_t hash, const void *data, size_t bytes);

#endif
