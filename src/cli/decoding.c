#include "cli/decoding.h"

#include <string.h>

#include <stb/stb_ds.h>

#include "util/error.h"
#include "util/scan.h"

enum { GREEDY, SAMPLE, BEAM };

static struct {
    int decode;
    const char *decoders;
    uint32_t samples, augment;
    double temperature;
    uint64_t seed;
    bool online;
} options = { .decode = GREEDY, .samples = 16, .temperature = 1, .augment = 1, .seed = 1234 };

const struct flag decoding_flags[] = {
    { "--decode", NULL, FLAG_CHOICE, &options.decode, "greedy|sample|beam", "how solutions are found" },
    { "--decoders", NULL, FLAG_TEXT, &options.decoders, "LIST", "only these decoders, e.g. 0,2" },
    { "--samples", NULL, FLAG_COUNT, &options.samples, "S", "sample: how many for each decoder", 1, 1e6 },
    { "--temperature", NULL, FLAG_REAL, &options.temperature, "T", "sample: above 1 bolder, below more careful", 1e-3,
        1e3 },
    { "--augment", NULL, FLAG_COUNT, &options.augment, "1|8", "8: also the other turned and mirrored views", 1, 8 },
    { "--seed", NULL, FLAG_SEED, &options.seed, "N", "another seed draws other samples" },
    { "--online", NULL, FLAG_SWITCH, &options.online, NULL,
        "one committed trajectory, by the decoder that did best in validation" },
    { NULL },
};

const char *decoding_name(void)
{
    static const char *const names[] = { "greedy", "sample", "beam" };
    return names[options.decode];
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
    static const char *const sampling[] = { "--samples", "--temperature", NULL };
    if (options.decode == BEAM)
        return fail(FAULT_INPUT, "--decode: this version has no beam search; there are greedy and sample");
    for (const char *const *flag = sampling; *flag; flag++) {
        if (options.decode != SAMPLE && flags_given(arguments, *flag))
            return fail(FAULT_INPUT, "%s goes with --decode sample", *flag);
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
    *to = (struct mdam_solve_options){ sizeof *to,
        .decode = options.decode == SAMPLE ? MDAM_DECODE_SAMPLE : MDAM_DECODE_GREEDY, .augment = options.augment,
        .seed = options.seed, .online = options.online };
    if (options.decode == SAMPLE) {
        to->samples = options.samples;
        to->temperature = options.temperature;
    }
    return true;
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
