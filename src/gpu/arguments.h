// A kernel's arguments on their way to the device.
#ifndef GPU_ARGUMENTS_H
#define GPU_ARGUMENTS_H

#include "gpu/gpu.h"
#include "shaders/args.h"

enum { ARGUMENT_WORDS = ARGS_FAR_BYTES / sizeof(uint64_t) };

// The kernel's `args_bytes` of arguments, with PTR_NONE and another one in place of each pointer that is none. Places
// are multiples of four for every target, so that the mark's bit is free.
void gpu_arguments(uint64_t words[static ARGUMENT_WORDS], const struct kernel *kernel, const void *args);

#endif
