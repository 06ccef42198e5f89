#include "train/state.h"

#include <jansson.h>

#include "train/fields.h"

#define NEWER(type, kind, member)                                                                                      \
    {                                                                                                                  \
#member, FIELD_##kind, offsetof(type, member), .newer = true                                                   \
    }

static const struct field fields[] = {
#define STATE(kind, member) FIELD(struct train_state, kind, member)
    STATE(WHOLE, step),
    STATE(COUNT, validations),
    STATE(COUNT, challenges),
    STATE(COUNT, replaced),
    STATE(COUNT, averages),
    STATE(REAL, average),
    STATE(COUNT, has_best),
    STATE(REAL, best),
    STATE(COUNT, skipped_in_row),
    STATE(COUNT, optimiser_steps),
    STATE(COUNT, optimiser_skips),
    STATE(COUNT, sums.steps),
    STATE(REAL, sums.cost),
    STATE(REAL, sums.baseline),
    STATE(COUNT, sums.taken),
    STATE(REAL, sums.loss),
    STATE(REAL, sums.kl),
    STATE(REAL, sums.norm),
    NEWER(struct train_state, REAL, sums.improved),
    NEWER(struct train_state, WHOLE, log_lines),
    STATE(WHOLE, checkpoint),
    { NULL },
};

static const struct field older_fields[] = {
    NEWER(struct train_state, WHOLE, log_bytes),
    { NULL },
};

// The names are those of version 0.1, whose checkpoints have them.
static const struct field clock_fields[] = {
    NEWER(struct train_clock, REAL, seconds),
    NEWER(struct train_clock, REAL, validation_seconds),
    { "sums.improve_seconds", FIELD_REAL, offsetof(struct train_clock, improve_seconds), .newer = true },
    { "sums.step_seconds", FIELD_REAL, offsetof(struct train_clock, step_seconds), .newer = true },
    { NULL },
};

struct json_t *state_to_json(const struct train_state *state)
{
    json_t *json = json_object();
    fields_to_json(json, state, fields);
    return json;
}

bool state_from_json(struct train_state *state, const struct json_t *json)
{
    return fields_from_json(state, json, fields) && fields_from_json(state, json, older_fields);
}

struct json_t *clock_to_json(const struct train_clock *clock)
{
    json_t *json = json_object();
    fields_to_json(json, clock, clock_fields);
    return json;
}

bool clock_from_json(struct train_clock *clock, const struct json_t *json)
{
    return fields_from_json(clock, json, clock_fields);
}
