#include "cli/decoding.h"

#include <string.h>

#include <jansson.h>
#include <stb/stb_ds.h>

#include "util/error.h"
#include "util/option.h"
#include "util/scan.h"

static struct mdam_solve_options options = { sizeof options };
static const char *decoders;

const struct flag decoding_flags[] = {
    FLAGS_OF_OPTIONS(MDAM_OPTIONS_SOLVE, &options),
    { "--decoders", NULL, FLAG_TEXT, &decoders, "LIST", "use only these decoders, e.g. 0,2" },
    { NULL },
};

void decoding_describe(json_t *object)
{
    char word[OPTION_WORD];
    struct mdam_solve_options how;
    if (!mdam_solve_check(&options, &how))
        bug("checked options are refused: %s", error_text());
    json_object_set_new(object, "decode",
        json_string(option_choice(mdam_options(MDAM_OPTIONS_SOLVE), "decode", (int)how.decode, word)));
    if (how.decode == MDAM_DECODE_BEAM) {
        if (how.time_limit > 0) // beams and views grow with the available time
            json_object_set_new(object, "time_limit", json_real(how.time_limit));
        else
            json_object_set_new(object, "beam", json_integer(how.beam));
        json_object_set_new(object, "expand", json_integer(how.expand));
        json_object_set_new(object, "merge", json_boolean(!how.no_merge));
    }
    if (how.decode == MDAM_DECODE_SAMPLE) {
        json_object_set_new(object, "samples", json_integer(how.samples));
        json_object_set_new(object, "temperature", json_real(how.temperature));
    }
    if (!(how.time_limit > 0))
        json_object_set_new(object, "augment", json_integer(how.augment));
    json_object_set_new(object, "online", json_boolean(how.online));
    json_object_set_new(object, "seed",
        how.seed > INT64_MAX ? json_sprintf("%llu", (unsigned long long)how.seed) : json_integer((json_int_t)how.seed));
}

// Parses "0,2" and appends the numbers to the stb_ds array.
static bool decoder_list(uint32_t **list)
{
    for (const char *at = decoders; at;) {
        const char *comma = strchr(at, ',');
        int64_t number;
        struct span word = { at, comma ? (size_t)(comma - at) : strlen(at) };
        if (!span_integer(word, &number) || number < 0 || number > UINT32_MAX)
            return fail(FAULT_INPUT, "--decoders: must be a list of numbers from 0 like 0,2, not \"%s\"", decoders);
        arrput(*list, (uint32_t)number);
        at = comma ? comma + 1 : NULL;
    }
    return true;
}

bool decoding_options(const struct arguments *arguments, struct mdam_solve_options *to)
{
    uint32_t *list = NULL;
    bool ok = decoder_list(&list) || fail_within("%s", arguments->command->name);
    arrfree(list);
    if (ok && options.online && options.decode == MDAM_DECODE_BEAM && flags_given(arguments, "--decode"))
        ok = fail_field(FAULT_INPUT, "online", "one committed trajectory excludes a beam and a time limit");
    *to = options;
    return ok && mdam_solve_check(to, NULL);
}

bool decoding_read(struct mdam_model_info **info, const char *path)
{
    uint32_t *list = NULL;
    bool ok = decoder_list(&list);
    struct mdam_model_options load = { sizeof load, .decoders = list, .decoder_count = arrlenu(list) };
    ok = ok && mdam_model_read(info, path, &load);
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
