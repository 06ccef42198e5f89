#include "train/state.h"

#include <jansson.h>

#include "train/fields.h"

static const struct field fields[] = {
#define STATE(kind, member) FIELD(struct train_state, kind, member)
#define NEWER(kind, member)                                                                                            \
    {                                                                                                                  \
#member, FIELD_##kind, offsetof(struct train_state, member), .newer = true                                     \
    }
    STATE(WHOLE, step),
    STATE(COUNT, validations),
    STATE(COUNT, challenges),
    STATE(COUNT, replaced),
    STATE(COUNT, averages),
    STATE(REAL, average),
    STATE(COUNT, has_best),
    STATE(REAL, best),
    NEWER(REAL, validation_seconds),
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
    NEWER(REAL, sums.improved),
    NEWER(REAL, sums.improve_seconds),
    NEWER(REAL, sums.step_seconds),
    STATE(WHOLE, log_bytes),
    STATE(REAL, seconds),
    STATE(WHOLE, checkpoint),
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
    return fields_from_json(state, json, fields);
}
