#include "train/fields.h"

#include <jansson.h>

#include "util/error.h"

void fields_to_json(struct json_t *json, const void *struct_, const struct field *fields)
{
    for (const struct field *field = fields; field->name; field++) {
        const void *from = (const char *)struct_ + field->at;
        json_t *value = NULL;
        switch (field->kind) {
        case FIELD_COUNT:
            value = json_integer(*(const uint32_t *)from);
            break;
        case FIELD_WHOLE:
            value = json_integer(*(const int64_t *)from);
            break;
        case FIELD_REAL:
            value = json_real(*(const double *)from);
            break;
        }
        if (!value)
            bug("%s is not finite", field->name);
        json_object_set_new(json, field->name, value);
    }
}

static bool read(void *to, const json_t *value, enum field_kind kind)
{
    json_int_t whole = json_integer_value(value);
    if (kind == FIELD_REAL ? !json_is_real(value) : !json_is_integer(value))
        return false;
    if (kind == FIELD_COUNT && (whole < 0 || whole > UINT32_MAX))
        return false;
    if (kind == FIELD_REAL)
        *(double *)to = json_real_value(value);
    else if (kind == FIELD_WHOLE)
        *(int64_t *)to = whole;
    else
        *(uint32_t *)to = (uint32_t)whole;
    return true;
}

bool fields_from_json(void *to, const struct json_t *json, const struct field *fields)
{
    for (const struct field *field = fields; field->name; field++) {
        const json_t *value = json_object_get(json, field->name);
        if (!value && field->newer)
            continue;
        if (!read((char *)to + field->at, value, field->kind))
            return fail(FAULT_INPUT, "\"%s\" is absent or out of bounds", field->name);
    }
    return true;
}
