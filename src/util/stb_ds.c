// The one place that holds stb_ds's code; its arrays grow through xrealloc, so they are there or end the program.
#include <stdlib.h>

#include "util/alloc.h"

#define STBDS_REALLOC(context, memory, size) xrealloc(memory, size, 1)
#define STBDS_FREE(context, memory)          free(memory)
#define STB_DS_IMPLEMENTATION
#include <stb/stb_ds.h>
