#ifndef UTIL_HASH_H
#define UTIL_HASH_H

#include <stddef.h>
#include <stdint.h>

// FNV-1a with 64 bits: every single changed byte changes it, and other accidents slip through once in 2^64. It guards
// against damage, not against malice, which could write any checksum.
uint64_t hash_bytes(const void *data, size_t bytes);

// The same for data in pieces: starts with HASH_START.
#define HASH_START 0xCBF29CE484222325u
uint64_t hash_add(uint64_t hash, const void *data, size_t bytes);

#endif
