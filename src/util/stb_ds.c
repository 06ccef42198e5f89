// Holds the implementation of stb_ds. Its arrays grow through xrealloc.
#include <stdlib.h>

#include "util/alloc.h"

#define STBDS_REALLOC(context, memory, size) xrealloc(memory, size, 1)
#define STBDS_FREE(context, memory)          free(memory)
#define STB_DS_IMPLEMENTATION
#include <stb/stb_ds.h>
