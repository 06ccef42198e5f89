#include "cli/reference.h"

#include <math.h>
#include <stdlib.h>

#include <stb/stb_ds.h>

#include "mdam/mdam.h"
#include "util/error.h"
#include "util/file.h"
#include "util/json_text.h"
#include "util/statistics.h"

#define REFERENCE_BYTES ((size_t)1 << 30)

// A line is a number, as --per-instance writes it, or an object. One of `solve` names its instance, from 1 in each of
// its runs. One that comes too early follows instances that are missing, as after Ctrl-C.
static bool read_objective(json_t *value, size_t number, double *objective)
{
    if (json_number(value, objective))
        return true;
    if (!json_is_object(value))
        return fail(FAULT_INPUT, "%s instead of an objective", json_kind(value));
    json_t *own = json_object_get(value, "objective"), *instance = json_object_get(value, "instance");
    int64_t named;
    if (json_whole(instance, &named) && named > (int64_t)number)
        return fail(
            FAULT_INPUT, "/instance: %lld, but this is the objective of instance %zu", (long long)named, number);
    if (!own)
        return json_fail_key("objective", "missing");
    return json_number(own, objective) || fail(FAULT_INPUT, "/objective: %s instead of a number", json_kind(own));
}

static bool read_lines(struct reference *reference, const char *data, size_t size)
{
    struct json_text text;
    json_text_init(&text, data, size);
    text.scalars = true;
    while (true) {
        json_t *value;
        double objective;
        if (!json_text_next(&text, &value))
            return false;
        if (!value)
            return true;
        bool ok = read_objective(value, arrlenu(reference->objectives) + 1, &objective);
        json_decref(value);
        if (!ok)
            return json_text_fail(&text);
        arrput(reference->objectives, objective);
    }
}

bool reference_file_read(struct reference *reference, const char *path, size_t count, bool partly)
{
    char *data;
    size_t size;
    if (!file_read(path, REFERENCE_BYTES, &data, &size))
        return false;
    bool ok = read_lines(reference, data, size);
    free(data);
    size_t there = arrlenu(reference->objectives);
    if (ok && (there < count || (there > count && !partly)))
        ok = fail(FAULT_INPUT, "%zu objective%s for %zu instance%s", there, there == 1 ? "" : "s", count,
            count == 1 ? "" : "s");
    return ok || fail_within("%s", file_shown(path));
}

void reference_file_finish(struct reference *reference)
{
    arrfree(reference->objectives);
}

// NaN where there is none.
static double gap_of(double objective, double reference, bool maximise)
{
    double above = maximise ? reference - objective : objective - reference;
    return above == 0 ? 0 : reference == 0 ? NAN : 100 * above / fabs(reference);
}

void reference_file_describe(const struct reference *reference, const struct mdam_evaluation *e, json_t *object)
{
    double *gaps = NULL;
    json_t *list = json_array();
    for (size_t i = 0; i < e->instances; i++) {
        double gap = gap_of(e->objectives[i], reference->objectives[i], e->maximise);
        json_array_append_new(list, isnan(gap) ? json_null() : json_real(gap));
        if (!isnan(gap))
            arrput(gaps, gap);
    }
    size_t count = arrlenu(gaps);
    json_object_set_new(object, "gap", count ? json_real(mean_of(gaps, count)) : json_null());
    json_object_set_new(object, "gap_stderr", count > 1 ? json_real(standard_error(gaps, count)) : json_null());
    json_object_set_new(object, "gaps", list);
    arrfree(gaps);
}
