// Writes solutions and instances as text.
#include <stb/stb_ds.h>

#include "api/internal.h"
#include "format/geo.h"
#include "format/json.h"
#include "format/route_text.h"
#include "plot/plot.h"
#include "problem/describe.h"
#include "search/strategy.h"
#include "util/error.h"
#include "util/locale.h"

static void add_json(struct text *text, const struct mdam_solutions *s, size_t index)
{
    const struct instance *instance = &s->instances->list[index];
    const struct mdam_solution *solution = &s->list[index];
    size_t own = arrlenu(instance->warnings);
    const struct mdam_model *model = s->models[index];
    if (!model) { // it was read from a file
        solution_to_json(text, instance, &s->results[index].solution, &s->results[index].verdict,
            &(struct solution_origin){ .instance = s->count > 1 ? index + 1 : 0,
                .improve = solution->improve,
                .origin = solution->origin,
                .constructed = solution->constructed });
        return;
    }
    const bool decoded = s->results[index].origin == ORIGIN_DECODER;
    solution_to_json(text, instance, &s->results[index].solution, &s->results[index].verdict,
        &(struct solution_origin){ .instance = s->count > 1 ? index + 1 : 0,
            .decode = strategy_of(solution->decode)->name,
            .undecoded = !decoded,
            .improve = solution->improve,
            .origin = solution->origin,
            .constructed = solution->constructed,
            .decoder = solution->decoder,
            .beam = solution->beam,
            .samples = solution->decode == MDAM_DECODE_SAMPLE ? s->results[index].decoding.samples : 0,
            .augment = solution->augment,
            .model = model->name,
            .device = mdam_device_name(model->device),
            .seconds = solution->seconds,
            .has_hindsight = instance->problem->reveals,
            .hindsight = solution->hindsight,
            .warnings = solution->warnings + own,
            .warning_count = solution->warning_count - own });
}

char *mdam_solution_text(const struct mdam_solutions *s, size_t index, enum mdam_format format)
{
    IN_PLAIN_LOCALE;
    mdam_expect_index(__func__, index, mdam_solutions_count(s));
    if (!s->list[index].solved && format != MDAM_FORMAT_VERDICT)
        bug("text of an unsolved instance");
    const struct instance *instance = &s->instances->list[index];
    const struct solution *solution = &s->results[index].solution;
    const struct verdict *verdict = &s->results[index].verdict;
    struct text text = { 0 };
    switch (format) {
    case MDAM_FORMAT_JSON:
        add_json(&text, s, index);
        break;
    case MDAM_FORMAT_SOL:
        sol_write(&text, instance, solution, verdict);
        break;
    case MDAM_FORMAT_TOUR:
        tour_write(&text, instance, solution, verdict);
        break;
    case MDAM_FORMAT_TEXT:
        describe_solution(&text, instance, solution, verdict);
        break;
    case MDAM_FORMAT_SVG:
        plot_write(&text, instance, solution, verdict);
        break;
    case MDAM_FORMAT_VERDICT:
        verdict_to_json(&text, verdict);
        break;
    case MDAM_FORMAT_GEOJSON:
    case MDAM_FORMAT_GPX:
        if (instance->coordinates != COORDINATES_LONLAT)
            bug("a map of an instance that has no longitudes and latitudes");
        (format == MDAM_FORMAT_GPX ? gpx_write : geojson_write)(&text, instance, solution);
        break;
    default:
        bug("unknown format %d", (int)format);
    }
    return text.data;
}

char *mdam_instance_text(const struct mdam_instances *instances, size_t index, enum mdam_format format)
{
    IN_PLAIN_LOCALE;
    mdam_expect_index(__func__, index, mdam_instances_count(instances));
    const struct instance *instance = &instances->list[index];
    struct text text = { 0 };
    if (format == MDAM_FORMAT_JSON)
        instance_to_json(&text, instance);
    else if (format == MDAM_FORMAT_SVG)
        plot_write(&text, instance, NULL, NULL);
    else
        bug("unknown format %d of an instance", (int)format);
    return text.data;
}
