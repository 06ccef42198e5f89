#include <stdlib.h>

#include <stb/stb_ds.h>

#include "selftest/parity.h"
#include "util/alloc.h"

static bool open_model(void **state, const struct pack *pack)
{
    struct reference *model = *state = xcalloc(1, sizeof *model);
    reference_load(model, &pack->weights);
    return true;
}

static void close_model(void **state)
{
    reference_finish(*state);
    free(*state);
    *state = NULL;
}

// Training uses batch statistics, solving tracked ones.
static void decode_train(struct reference *model, const struct pack *pack, struct reference_run *run)
{
    uint32_t **actions = pack_actions(pack, pack->train);
    model->batch_statistics = BATCH_ALL;
    reference_decode(run, model, pack->scaled, pack->B, &(struct reference_choice){ .actions = actions });
    model->batch_statistics = BATCH_TRACKED;
    free(actions);
}

static bool decode(void *state, const struct pack *pack, bool greedy, struct pack_path *paths)
{
    struct reference_run run;
    if (greedy)
        reference_decode(&run, state, pack->scaled, pack->B, NULL);
    else
        decode_train(state, pack, &run);
    pack_copy_paths(&run, UINT32_MAX, UINT32_MAX, paths);
    reference_run_finish(&run);
    return true;
}

static bool gradient(void *state, const struct pack *pack, double *kl, double *loss, struct weights *to)
{
    struct reference_run run;
    decode_train(state, pack, &run);
    *kl = reference_kl(&run);
    *loss = reference_backward(state, &run, pack->baseline, pack->kl_coefficient);
    reference_run_finish(&run);
    reference_store(state, true, to);
    return true;
}

static bool beam(void *state, const struct pack *pack, const struct pack_beam *beam, double *cost)
{
    struct reference model = *(struct reference *)state;
    double *decoder = xcalloc(model.config.M, sizeof *decoder);
    model.config.norm = beam->norm;
    for (uint32_t b = 0; b < pack->B; b++) {
        reference_beam(&model, &pack->scaled[b], beam->width, beam->expand, beam->merge, decoder, NULL);
        for (uint32_t m = 0; m < model.config.M; m++)
            cost[m * pack->B + b] = decoder[m];
    }
    free(decoder);
    return true;
}

const struct parity_subject parity_reference = {
    .name = "reference in double precision",
    .open = open_model,
    .close = close_model,
    .decode = decode,
    .gradient = gradient,
    .beam = beam,
};
