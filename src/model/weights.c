#include "model/weights.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <stb/stb_ds.h>

#include "util/alloc.h"
#include "util/error.h"

void weights_init(struct weights *weights, const struct config *config)
{
    *weights = (struct weights){ .config = *config };
    weights->count = params_layout_host(&weights->params, &weights->stats, config);
    weights->values = xcalloc(weights->count, sizeof *weights->values);
}

void weights_finish(struct weights *weights)
{
    free(weights->name);
    free(weights->values);
    *weights = (struct weights){ 0 };
}

float *weights_at(const struct weights *weights, struct tensor tensor)
{
    return weights->values + tensor.address;
}

static struct named *list_of(const struct params *params, const struct stats *stats, const struct config *config)
{
    struct named *list = params_list(params, config), *more = stats_list(stats, config);
    for (ptrdiff_t i = 0; i < arrlen(more); i++)
        arrput(list, more[i]);
    arrfree(more);
    return list;
}

struct named *weights_list(const struct weights *weights)
{
    return list_of(&weights->params, &weights->stats, &weights->config);
}

static bool check_selection(const struct config *config, const uint32_t *decoders, size_t count)
{
    if (count == 0)
        return fail(FAULT_INPUT, "no decoder is selected");
    for (size_t i = 0; i < count; i++) {
        if (decoders[i] >= config->M)
            return fail(FAULT_INPUT, "decoder %u: there are %u, counted from 0", decoders[i], config->M);
        for (size_t k = 0; k < i; k++) {
            if (decoders[k] == decoders[i])
                return fail(FAULT_INPUT, "decoder %u is selected twice", decoders[i]);
        }
    }
    return true;
}

bool weights_select(struct weights *weights, const uint32_t *decoders, size_t count)
{
    struct config config = weights->config;
    if (!check_selection(&config, decoders, count))
        return false;
    config.M = (uint32_t)count;
    config.best_decoder = 0;
    for (uint32_t i = 0; i < count; i++) {
        if (decoders[i] == weights->config.best_decoder)
            config.best_decoder = i;
    }
    struct weights selected;
    weights_init(&selected, &config);
    struct named *from = weights_list(weights), *to = weights_list(&selected);
    for (ptrdiff_t i = 0; i < arrlen(to); i++) {
        float *source = weights_at(weights, from[i].tensor), *target = weights_at(&selected, to[i].tensor);
        uint64_t floats = tensor_count(&to[i].tensor);
        if (strncmp(to[i].name, DECODER_PREFIX, strlen(DECODER_PREFIX))) {
            memcpy(target, source, floats * sizeof *target);
            continue;
        }
        uint64_t per_decoder = floats / count;
        for (size_t m = 0; m < count; m++)
            memcpy(target + m * per_decoder, source + decoders[m] * per_decoder, per_decoder * sizeof *target);
    }
    arrfree(from);
    arrfree(to);
    selected.name = weights->name;
    weights->name = NULL;
    weights_finish(weights);
    *weights = selected;
    return true;
}

// Statistics alternate between D means and D variances.
static bool check_stats(const struct weights *weights, const char *name, struct tensor tensor)
{
    const float *values = weights_at(weights, tensor);
    for (uint64_t i = 0; tensor.rank && i < tensor_count(&tensor); i++) {
        bool variance = i / weights->config.D % 2;
        if (variance && values[i] < 0)
            return fail(FAULT_INPUT, "%s: number %llu is a variance of %g", name, (unsigned long long)i, values[i]);
    }
    return true;
}

bool weights_check(const struct weights *weights)
{
    struct named *list = weights_list(weights);
    bool ok = true;
    for (ptrdiff_t i = 0; ok && i < arrlen(list); i++) {
        const float *values = weights_at(weights, list[i].tensor);
        for (uint64_t k = 0; ok && k < tensor_count(&list[i].tensor); k++)
            ok = isfinite(values[k]) ||
                 fail(FAULT_INPUT, "%s: number %llu is not finite", list[i].name, (unsigned long long)k);
    }
    arrfree(list);
    return ok && check_stats(weights, "stats.plain", weights->stats.plain) &&
           check_stats(weights, "stats.glimpse", weights->stats.glimpse);
}

// Visits both layouts in parallel.
static bool transfer(
    struct gpu *gpu, const struct params *params, const struct stats *stats, const struct weights *weights, bool up)
{
    struct named *host = weights_list(weights), *device = list_of(params, stats, &weights->config);
    bool ok = true;
    for (ptrdiff_t i = 0; ok && i < arrlen(host); i++) {
        struct tensor there = device[i].tensor;
        if (tensor_count(&there) != tensor_count(&host[i].tensor))
            bug("%s: %llu floats in host memory, %llu on the device", host[i].name,
                (unsigned long long)tensor_count(&host[i].tensor), (unsigned long long)tensor_count(&there));
        float *here = weights_at(weights, host[i].tensor);
        ok = up ? tensor_upload(gpu, there, here) : tensor_download(gpu, here, there);
    }
    arrfree(host);
    arrfree(device);
    return ok;
}

bool weights_upload(
    struct gpu *gpu, const struct params *params, const struct stats *stats, const struct weights *weights)
{
    return transfer(gpu, params, stats, weights, true);
}

bool weights_download(struct gpu *gpu, struct weights *weights, const struct params *params, const struct stats *stats)
{
    return transfer(gpu, params, stats, weights, false);
}
