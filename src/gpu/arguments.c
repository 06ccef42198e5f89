#include "gpu/arguments.h"

#include <string.h>

void gpu_arguments(uint64_t words[static ARGUMENT_WORDS], const struct kernel *kernel, const void *args)
{
    uint64_t given = 0;
    memcpy(words, args, kernel->args_bytes);
    for (size_t i = 0; i < kernel->pointers; i++)
        given = given ? given : words[i];
    for (size_t i = 0; i < kernel->pointers; i++)
        words[i] = words[i] ? words[i] : given | PTR_NONE;
}
