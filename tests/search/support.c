#include "tests/search/support.h"

#include <stdlib.h>

#include "model/initial.h"
#include "util/alloc.h"
#include "util/error.h"

struct model *search_model(struct gpu *gpu, const struct problem *problem, uint32_t M, uint32_t p, enum dialect dialect)
{
    struct config config = { .problem = problem,
        .dialect = dialect,
        .norm = dialect == DIALECT_REFERENCE ? MODEL_RUNNING : MODEL_INSTANCE,
        .D = 16,
        .H = 2,
        .F = 32,
        .L = 2,
        .M = M,
        .p = p };
    struct weights weights;
    struct model *model = NULL;
    weights_draw(&weights, &config, SEARCH_SEED);
    test_ok(model_create(&model, gpu, &config) && model_load(model, &weights));
    weights_finish(&weights);
    return model;
}

void search_instance(
    struct instance *instance, const struct problem *problem, uint32_t n_min, uint32_t n_max, uint32_t i)
{
    uint32_t n = n_min + i % (n_max - n_min + 1);
    problem->generate(instance, &(struct distribution){ n, n, 10, 14, PRIZE_UNIF }, 11, i);
    if (i % 4 == 3) { // a depot far away
        instance->depot.y += 2.5;
        instance->max_length += 2 * 2.5;
    }
}

struct scaled *search_instances(const struct problem *problem, uint32_t n_min, uint32_t n_max, uint32_t count)
{
    struct scaled *list = xcalloc(count, sizeof *list);
    for (uint32_t i = 0; i < count; i++) {
        struct instance instance;
        search_instance(&instance, problem, n_min, n_max, i);
        scaled_init(&list[i], &instance);
        instance_finish(&instance);
    }
    return list;
}

void search_instances_free(struct scaled **list, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        scaled_finish(&(*list)[i]);
    free(*list);
    *list = NULL;
}

void search_outcome_finish(struct search_outcome *o)
{
    free(o->cost), free(o->actions);
}

static uint32_t max_nodes(const struct scaled *list, uint32_t count)
{
    uint32_t N = 0;
    for (uint32_t i = 0; i < count; i++)
        N = list[i].N > N ? list[i].N : N;
    return N;
}

static struct search_outcome outcome_for(uint32_t T, uint32_t J)
{
    return (struct search_outcome){ T, J, xcalloc(T, sizeof(float)), xcalloc((size_t)J * T, sizeof(uint32_t)) };
}

struct search_outcome search_by_beam(
    struct model *model, const struct scaled *list, uint32_t count, struct beam_shape shape)
{
    const struct view view = model_view(model);
    struct beam *beam = NULL;
    shape.B = count;
    shape.N = max_nodes(list, count);
    shape.J = rollout_longest(list, count);
    struct search_outcome o = outcome_for(model->config.M * count, shape.J);
    test_ok(beam_create(&beam, &view, &shape) && beam_load(beam, list, count) && beam_run(beam) &&
            beam_results(beam, o.cost, o.actions));
    beam_destroy(&beam);
    return o;
}

struct search_outcome search_greedily(struct model *model, const struct scaled *list, uint32_t count)
{
    const struct view view = model_view(model);
    struct rollout *rollout = NULL;
    struct rollout_shape shape = { .B = count, .N = max_nodes(list, count), .S = 1, .mode = GREEDY, .temperature = 1 };
    shape.J = rollout_longest(list, count);
    struct search_outcome o = outcome_for(model->config.M * count, shape.J);
    test_ok(rollout_create(&rollout, &view, &shape) && rollout_load(rollout, list, NULL, count) &&
            rollout_run(rollout) && rollout_results(rollout, o.cost, o.actions, NULL));
    rollout_destroy(&rollout);
    return o;
}

void search_all(const struct model *model, const struct instance *instances, size_t count,
    const struct search_options *options, const struct deadline *deadline, struct search_result *results)
{
    const struct deadline never = deadline_never();
    struct search *search = NULL;
    size_t refused;
    test_ok(search_create(&search, model, instances, count, options, &refused) &&
            search_run(search, deadline ? deadline : &never, results));
    search_destroy(&search);
}
