// Host memory that is there or ends the program with a sentence. Host allocations here are small against the device's;
// sizes that come from a file are checked before they reach these.
#ifndef UTIL_ALLOC_H
#define UTIL_ALLOC_H

#include <stddef.h>

void *xcalloc(size_t count, size_t size);
void *xrealloc(void *memory, size_t count, size_t size);
char *xstrdup(const char *text);
char *xformat(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
