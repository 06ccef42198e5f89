// Builds values for the interpreter in pickle.c.
#ifndef ARCHIVE_PICKLE_BUILD_H
#define ARCHIVE_PICKLE_BUILD_H

#include "archive/pickle.h"

// Records a message with the byte offset and returns false.
bool pickle_fail(const struct pickle *pickle, const char *format, ...) __attribute__((format(printf, 2, 3)));

// Makes a value of the kind; NULL if the pickle needs too much memory.
struct pickle_value *pickle_value(struct pickle *pickle, enum pickle_kind kind);
void *pickle_allocate(struct pickle *pickle, size_t bytes);
bool pickle_spend(struct pickle *pickle, size_t bytes); // counts memory that is taken elsewhere
bool pickle_add(struct pickle *pickle, struct pickle_value *container, struct pickle_value *item);

// Makes the function or class of a module, both of given lengths.
struct pickle_value *pickle_global(
    struct pickle *pickle, const char *module, size_t module_size, const char *name, size_t name_size);

// Calls a function or class with a tuple of arguments.
struct pickle_value *pickle_call(
    struct pickle *pickle, const struct pickle_value *function, const struct pickle_value *arguments);

// Resolves a persistent id: ("storage", type, key, device, count[, view]); any other is foreign.
struct pickle_value *pickle_persistent(struct pickle *pickle, const struct pickle_value *id);

#endif
