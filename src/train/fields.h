// Numbers of a struct by name, to and from JSON. Reals are written so that they read back the same.
#ifndef TRAIN_FIELDS_H
#define TRAIN_FIELDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct json_t;

enum field_kind { FIELD_COUNT, FIELD_WHOLE, FIELD_REAL }; // uint32_t, (u)int64_t, double

struct field {
    const char *name; // a list ends where it is NULL
    enum field_kind kind;
    size_t at;  // in the struct
    bool newer; // than files that stay readable: missing there, and the struct keeps its value
};
#define FIELD(type, kind, member)                                                                                      \
    {                                                                                                                  \
#member, FIELD_##kind, offsetof(type, member)                                                                  \
    }

void fields_to_json(struct json_t *json, const void *from, const struct field *fields);
bool fields_from_json(void *to, const struct json_t *json, const struct field *fields);

#endif
