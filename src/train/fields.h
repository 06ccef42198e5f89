// Converts numbers of a struct by name to and from JSON. Reals read back the same.
#ifndef TRAIN_FIELDS_H
#define TRAIN_FIELDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct json_t;

enum field_kind { FIELD_COUNT, FIELD_WHOLE, FIELD_REAL }; // uint32_t, (u)int64_t, double

struct field {
    const char *name; // NULL ends a list
    enum field_kind kind;
    size_t at;  // offset in the struct
    bool newer; // may be absent in older files; the struct's value is unchanged then
};
#define FIELD(type, kind, member)                                                                                      \
    {                                                                                                                  \
#member, FIELD_##kind, offsetof(type, member)                                                                  \
    }

void fields_to_json(struct json_t *json, const void *from, const struct field *fields);
bool fields_from_json(void *to, const struct json_t *json, const struct field *fields);

#endif
