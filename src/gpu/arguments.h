// Prepares a kernel's arguments for the device.
#ifndef GPU_ARGUMENTS_H
#define GPU_ARGUMENTS_H

#include "gpu/gpu.h"
#include "shaders/args.h"

enum { ARGUMENT_WORDS = ARGS_FAR_BYTES / sizeof(uint64_t) };

// Writes the kernel's `args_bytes` of arguments, and marks pointers that are none with PTR_NONE and another address.
// Addresses are multiples of four for every target, so the bit of the mark is free.
void gpu_arguments(uint64_t words[static ARGUMENT_WORDS], const struct kernel *kernel, const void *args);

#endif
