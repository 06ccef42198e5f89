// Host allocation that ends the program with a message on failure. Host allocations are small compared with the
// device's; callers check sizes that come from files first.
#ifndef UTIL_ALLOC_H
#define UTIL_ALLOC_H

#include <stddef.h>

void *xcalloc(size_t count, size_t size);
void *xrealloc(void *memory, size_t count, size_t size);
char *xstrdup(const char *text);
char *xformat(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
