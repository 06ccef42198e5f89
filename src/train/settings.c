#include "train/settings.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <jansson.h>

#include "problem/generate.h"
#include "train/fields.h"
#include "train/options.h"
#include "util/error.h"
#include "util/json_text.h"
#include "util/option.h"
#include "util/ranks.h"
#include "util/text.h"

static const struct field fields[] = {
#define STORED(kind, member) FIELD(struct train_settings, kind, member)
#define NEWER(kind, member)                                                                                            \
    {                                                                                                                  \
#member, FIELD_##kind, offsetof(struct train_settings, member), .newer = true                                  \
    }
    STORED(COUNT, config.D),
    STORED(COUNT, config.H),
    STORED(COUNT, config.F),
    STORED(COUNT, config.L),
    STORED(COUNT, config.M),
    STORED(COUNT, config.p),
    STORED(COUNT, config.O),
    STORED(WHOLE, config.instances),
    STORED(COUNT, config.trained.n_min),
    STORED(COUNT, config.trained.n_max),
    STORED(WHOLE, config.trained.capacity_min),
    STORED(WHOLE, config.trained.capacity_max),
    NEWER(COUNT, drawn.n_min),
    NEWER(COUNT, drawn.n_max),
    NEWER(WHOLE, drawn.capacity_min),
    NEWER(WHOLE, drawn.capacity_max),
    NEWER(COUNT, config.trained.layout),
    NEWER(REAL, config.trained.length_min),
    NEWER(REAL, config.trained.length_max),
    NEWER(COUNT, drawn.layout),
    NEWER(REAL, drawn.length_min),
    NEWER(REAL, drawn.length_max),
// Options that a checkpoint does not have yet get their defaults.
#define FIELD_SEED   FIELD_WHOLE
#define FIELD_CHOICE FIELD_COUNT
#define NOT_STORED(...)
#define SETTING(kind, field, member, ...) NEWER(kind, member),
#define DERIVED(kind, member)             STORED(kind, member),
    TRAIN_OPTIONS(NOT_STORED, NOT_STORED, SETTING, DERIVED)
#undef SETTING
#undef DERIVED
        { NULL },
};

#define NOTHING(...)

void settings_from_options(struct train_settings *s, const struct mdam_train_options *o)
{
#define SETTING(kind, field, member, ...) s->member = o->field;
    TRAIN_OPTIONS(NOTHING, NOTHING, SETTING, NOTHING)
#undef SETTING
}

static bool check_options(const struct train_settings *s)
{
#define SETTING(kind, field, member, ...) &&option_allows(train_table, #field, (double)s->member)
    return true TRAIN_OPTIONS(NOTHING, NOTHING, SETTING, NOTHING);
#undef SETTING
}

bool settings_check(const struct train_settings *s)
{
    const struct config *config = &s->config;
    if (!config_check(config) || !generate_check(config->problem, &s->drawn))
        return false;
    if (config->dialect != DIALECT_NATIVE)
        return fail(FAULT_INPUT, "only models of the native dialect can be trained");
    if (!check_options(s) || !check_range("the number of steps in an epoch", s->steps, 1, 1e9))
        return false;
    if (s->baseline == BASELINE_SHARED && s->S == 1 && config->M == 1)
        return fail_field(FAULT_INPUT, "baseline", "a shared baseline requires several samples or several decoders");
    if (s->B % s->parts)
        return fail_field(FAULT_INPUT, "parts", "a batch of %u cannot be cut into %u equal parts", s->B, s->parts);
    return true;
}

uint32_t settings_parts(uint32_t B)
{
    uint32_t parts = B < 128 ? 1 : 8;
    while (B % parts)
        parts--;
    return parts;
}

bool settings_fit_ranks(const struct train_settings *s)
{
    const uint32_t ranks = ranks_count();
    if (s->parts % ranks == 0)
        return true;
    struct text possible = { 0 };
    for (uint32_t k = 1; k <= s->parts; k++) {
        if (s->parts % k == 0)
            text_add(&possible, "%s%u", k > 1 ? ", " : "", k);
    }
    fail_field(FAULT_INPUT, "parts", "%u ranks cannot share the %u part%s of a batch evenly; possible ranks: %s%s",
        ranks, s->parts, s->parts > 1 ? "s" : "", possible.data,
        s->parts < ranks ? "; more ranks need a training with more parts" : "");
    text_finish(&possible);
    return false;
}

struct json_t *settings_to_json(const struct train_settings *s)
{
    const struct config *config = &s->config;
    json_t *json = json_pack("{s:s, s:s, s:s, s:i}", "problem", config->problem->name, "norm",
        model_norm_name(config->norm), "prize", prize_kind_name(s->drawn.prize), "baseline", (int)s->baseline);
    fields_to_json(json, s, fields);
    if (*s->data) {
        json_object_set_new(json, "data", json_any_text(s->data));
        json_object_set_new(json, "data_hash", json_sprintf("%016llx", (unsigned long long)s->data_hash));
    }
    return json;
}

bool settings_from_json(struct train_settings *s, const struct json_t *json)
{
    *s = (struct train_settings){ 0 };
    struct mdam_train_options defaults = { 0 };
    options_fill(train_table, &defaults);
    settings_from_options(s, &defaults);
    const char *problem = NULL, *norm = NULL, *prize = NULL;
    int baseline = 0;
    struct config *config = &s->config;
    if (json_unpack((json_t *)json, "{s:s, s:s, s:s, s:i}", "problem", &problem, "norm", &norm, "prize", &prize,
            "baseline", &baseline) ||
        !(config->problem = problem_by_name(problem)) || !model_norm_by_name(norm, &config->norm) ||
        !prize_kind_by_name(prize, &s->drawn.prize) || (baseline != BASELINE_ROLLOUT && baseline != BASELINE_SHARED))
        return fail(FAULT_INPUT, "its settings are invalid");
    s->baseline = (enum train_baseline)baseline;
    config->trained.prize = s->drawn.prize;
    if (!fields_from_json(s, json, fields))
        return false;
    const char *data = json_string_value(json_object_get(json, "data"));
    const char *hash = json_string_value(json_object_get(json, "data_hash"));
    if (data && (!hash || strlen(data) >= sizeof s->data))
        return fail(FAULT_INPUT, "its settings are invalid");
    if (data) {
        memcpy(s->data, data, strlen(data) + 1);
        s->data_hash = strtoull(hash, NULL, 16);
    }
    s->parts = s->parts ? s->parts : 1; // written by an older version
    if (!s->drawn.n_max)                // written by an older version
        s->drawn = config->trained;
    return settings_check(s);
}

uint64_t settings_steps(const struct train_settings *s)
{
    return (uint64_t)s->epochs * s->steps;
}

double settings_rate(const struct train_settings *s, uint64_t step)
{
    double rate = s->lr * pow(s->lr_decay, (double)(step / s->steps));
    if (s->lr_final <= 0)
        return rate;
    double share = fmin((double)step / (double)settings_steps(s), 1);
    return s->lr_final + (rate - s->lr_final) * 0.5 * (1 + cos(3.14159265358979323846 * share));
}

bool settings_glimpse(const struct train_settings *s, uint32_t epoch)
{
    return s->config.p && epoch >= s->eg_from;
}
