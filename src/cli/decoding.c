#include "cli/decoding.h"

#include <string.h>

#include <jansson.h>
#include <stb/stb_ds.h>

#include "checkpoint/weights_file.h"
#include "util/error.h"
#include "util/scan.h"

enum { GREEDY, SAMPLE, BEAM };

static struct {
    int decode;
    const char *decoders;
    uint32_t beam, expand, samples, augment;
    double temperature, time_limit;
    uint64_t seed;
    bool no_merge, online;
} options = { .decode = BEAM, .beam = 30, .expand = 3, .samples = 16, .temperature = 1, .augment = 1, .seed = 1234 };

const struct flag decoding_flags[] = {
    { "--decode", NULL, FLAG_CHOICE, &options.decode, "greedy|sample|beam", "how solutions are found" },
    { "--beam", NULL, FLAG_COUNT, &options.beam, "W", "beam: hypotheses of each decoder", 1, 1 << 16 },
    { "--expand", NULL, FLAG_COUNT, &options.expand, "K", "beam: moves that each of them offers", 1, 1e9 },
    { "--no-merge", NULL, FLAG_SWITCH, &options.no_merge, NULL, "beam: keep hypotheses that others dominate" },
    { "--decoders", NULL, FLAG_TEXT, &options.decoders, "LIST", "only these decoders, e.g. 0,2" },
    { "--samples", NULL, FLAG_COUNT, &options.samples, "S", "sample: how many for each decoder", 1, 1e6 },
    { "--temperature", NULL, FLAG_REAL, &options.temperature, "T", "sample: above 1 bolder, below more careful", 1e-3,
        1e3 },
    { "--augment", NULL, FLAG_COUNT, &options.augment, "1|8", "8: also the other turned and mirrored views", 1, 8 },
    { "--time-limit", NULL, FLAG_REAL, &options.time_limit, "SECONDS",
        "beam: a first answer soon, then wider beams and other views until the time is used", 1e-3, 1e9 },
    { "--seed", NULL, FLAG_SEED, &options.seed, "N", "another seed draws other samples" },
    { "--online", NULL, FLAG_SWITCH, &options.online, NULL,
        "one committed trajectory, by the decoder that did best in validation" },
    { NULL },
};

static const char *const names[] = { "greedy", "sample", "beam" };

void decoding_describe(json_t *object)
{
    json_object_set_new(object, "decode", json_string(names[options.decode]));
    if (options.decode == BEAM) {
        if (options.time_limit > 0) // beams and views grow with the time that there is
            json_object_set_new(object, "time_limit", json_real(options.time_limit));
        else
            json_object_set_new(object, "beam", json_integer(options.beam));
        json_object_set_new(object, "expand", json_integer(options.expand));
        json_object_set_new(object, "merge", json_boolean(!options.no_merge));
    }
    if (options.decode == SAMPLE) {
        json_object_set_new(object, "samples", json_integer(options.samples));
        json_object_set_new(object, "temperature", json_real(options.temperature));
    }
    if (!(options.time_limit > 0))
        json_object_set_new(object, "augment", json_integer(options.augment));
    json_object_set_new(object, "online", json_boolean(options.online));
    json_object_set_new(object, "seed",
        options.seed > INT64_MAX ? json_sprintf("%llu", (unsigned long long)options.seed)
                                 : json_integer((json_int_t)options.seed));
}

// "0,2" as numbers, appended to the stb_ds array.
static bool decoder_list(uint32_t **list)
{
    for (const char *at = options.decoders; at;) {
        const char *comma = strchr(at, ',');
        int64_t number;
        struct span word = { at, comma ? (size_t)(comma - at) : strlen(at) };
        if (!span_integer(word, &number) || number < 0 || number > UINT32_MAX)
            return fail(FAULT_INPUT, "--decoders: \"%s\" is not a list of numbers from 0, like 0,2", options.decoders);
        arrput(*list, (uint32_t)number);
        at = comma ? comma + 1 : NULL;
    }
    return true;
}

static bool check(const struct arguments *arguments)
{
    static const struct {
        int decode;
        const char *flag;
    } fits[] = { { SAMPLE, "--samples" }, { SAMPLE, "--temperature" }, { BEAM, "--beam" }, { BEAM, "--expand" },
        { BEAM, "--no-merge" }, { BEAM, "--time-limit" } };
    if (options.online && options.decode == BEAM) {
        static const char *const beams[] = { "--decode", "--beam", "--time-limit", NULL };
        for (const char *const *flag = beams; *flag; flag++) {
            if (flags_given(arguments, *flag))
                return fail(FAULT_INPUT, "--online commits to one trajectory: it does not go with %s%s", *flag,
                    flag == beams ? " beam" : "");
        }
        options.decode = GREEDY;
    }
    for (size_t i = 0; i < sizeof fits / sizeof *fits; i++) {
        if (options.decode != fits[i].decode && flags_given(arguments, fits[i].flag))
            return fail(FAULT_INPUT, "%s goes with --decode %s", fits[i].flag, names[fits[i].decode]);
    }
    if (options.augment != 1 && options.augment != 8)
        return fail(FAULT_INPUT, "--augment: %u is not 1 or 8", options.augment);
    if (options.online && options.augment > 1)
        return fail(FAULT_INPUT, "--online commits to one trajectory: --augment 8 would choose the best of several");
    if (options.online && options.decode == SAMPLE && options.samples > 1)
        return fail(FAULT_INPUT, "--online commits to one trajectory: it goes with --samples 1");
    uint32_t *list = NULL;
    bool ok = decoder_list(&list);
    arrfree(list);
    return ok;
}

bool decoding_options(const struct arguments *arguments, struct mdam_solve_options *to)
{
    if (!check(arguments))
        return fail_within("%s", arguments->command->name);
    static const enum mdam_decode decodes[] = { MDAM_DECODE_GREEDY, MDAM_DECODE_SAMPLE, MDAM_DECODE_BEAM };
    *to = (struct mdam_solve_options){ sizeof *to, .decode = decodes[options.decode], .augment = options.augment,
        .seed = options.seed, .online = options.online };
    if (options.decode == BEAM) {
        to->beam = options.beam;
        to->expand = options.expand;
        to->no_merge = options.no_merge;
        to->time_limit = options.time_limit;
    }
    if (options.decode == SAMPLE) {
        to->samples = options.samples;
        to->temperature = options.temperature;
    }
    return true;
}

bool decoding_read(struct weights *weights, const char *path)
{
    uint32_t *list = NULL;
    *weights = (struct weights){ 0 };
    bool ok = weights_load(path, weights) && decoder_list(&list) &&
              (!list || weights_select(weights, list, arrlenu(list)) || fail_within("%s", path));
    arrfree(list);
    return ok;
}

bool decoding_load(struct mdam_model **model, struct mdam_device *device, const char *path)
{
    uint32_t *list = NULL;
    bool ok = decoder_list(&list);
    struct mdam_model_options load = { sizeof load, .decoders = list, .decoder_count = arrlenu(list) };
    ok = ok && mdam_model_load(model, device, path, &load);
    arrfree(list);
    return ok;
}
