// Generates random instances to a list or a file.
#include <string.h>

#include <stb/stb_ds.h>

#include "api/internal.h"
#include "format/files.h"
#include "format/json.h"
#include "format/kool.h"
#include "problem/generate.h"
#include "util/error.h"
#include "util/file.h"
#include "util/locale.h"
#include "util/option.h"

// A set of instances, generated one after the other.
struct set {
    const struct problem *problem;
    struct distribution distribution;
    uint64_t seed;
    enum mdam_like like;
    uint32_t next, count; // of the requested instances
    struct kool kool;
};

bool mdam_prize_find(enum prize_kind *prize, const struct problem *problem, const char *name)
{
    *prize = PRIZE_DIST;
    if (name && !problem->prize_kinds)
        return fail_field(FAULT_INPUT, "prize", "%s has no prize distributions", problem->name);
    return !name || prize_kind_by_name(name, prize);
}

enum node_layout mdam_layout_take(const char *name)
{
    enum node_layout layout = NODES_UNIFORM;
    if (name)
        node_layout_by_name(name, &layout);
    return layout;
}

static bool check_like(const struct mdam_generate_options *o)
{
    if (o->like == MDAM_LIKE_OWN)
        return true;
    if (o->n_min != o->n_max || o->capacity_min != o->capacity_max)
        return fail_field(FAULT_INPUT, "like", "the published sets have one size and one capacity, not a range");
    if (o->layout || o->max_length_max > 0 || (o->prize && !strcmp(o->prize, "mixed")))
        return fail_field(FAULT_INPUT, "like",
            "the published sets have no choice of layout, of length limits, or of "
            "mixed prizes");
    return o->seed <= UINT32_MAX || fail_field(FAULT_INPUT, "seed", "must be below 2^32 for a published set, not %llu",
                                        (unsigned long long)o->seed);
}

static bool set_init(struct set *set, const struct mdam_generate_options *from)
{
    struct mdam_generate_options o = { 0 };
    const struct mdam_option *table = mdam_options(MDAM_OPTIONS_GENERATE);
    if (!mdam_options_copy(&o, from) || !options_check(table, &o))
        return false;
    options_fill(table, &o);
    *set = (struct set){ .problem = mdam_problem_find(o.problem),
        .distribution = { .n_min = o.n_min,
            .n_max = o.n_max,
            .capacity_min = o.capacity_min,
            .capacity_max = o.capacity_max,
            .layout = mdam_layout_take(o.layout),
            .length_min = o.max_length_min,
            .length_max = o.max_length_max },
        .seed = o.seed,
        .like = o.like,
        .count = o.limit && o.limit < o.count ? o.limit : o.count };
    if (!set->problem || !mdam_prize_find(&set->distribution.prize, set->problem, o.prize) ||
        !generate_check(set->problem, &set->distribution) || !check_like(&o))
        return false;
    if (set->like == MDAM_LIKE_KOOL)
        kool_init(&set->kool, set->problem, &set->distribution, o.count, (uint32_t)o.seed);
    return true;
}

// Makes the next instance, which the caller owns; false after the last one.
static bool set_next(struct set *set, struct instance *instance)
{
    if (set->next == set->count)
        return false;
    if (set->like == MDAM_LIKE_KOOL)
        kool_next(&set->kool, instance);
    else
        set->problem->generate(instance, &set->distribution, set->seed, set->next);
    set->next++;
    return true;
}

bool mdam_instances_generate(struct mdam_instances **list, const struct mdam_generate_options *options)
{
    IN_PLAIN_LOCALE;
    struct set set;
    struct instance instance, *added = NULL;
    if (!set_init(&set, options))
        return false;
    while (set_next(&set, &instance))
        arrput(added, instance);
    return mdam_instances_append(list, added, true);
}

static bool write_set(struct set *set, struct file_out *out)
{
    enum { PIECE = 1 << 20 };
    struct text text = { 0 };
    struct instance instance;
    bool ok = true;
    while (ok && set_next(set, &instance)) {
        instance_to_json(&text, &instance);
        instance_finish(&instance);
        if (text.size > PIECE || set->next == set->count) {
            ok = file_out_add(out, text.data, text.size);
            text.size = 0;
        }
    }
    text_finish(&text);
    return ok;
}

// Formats that are written all at once.
static bool write_whole(const char *output, const struct mdam_generate_options *options)
{
    struct mdam_instances *list = NULL;
    bool ok = mdam_instances_generate(&list, options) && mdam_instances_write(list, output);
    mdam_instances_free(&list);
    return ok;
}

bool mdam_generate(const char *output, const struct mdam_generate_options *options)
{
    IN_PLAIN_LOCALE;
    struct set set;
    struct file_out out;
    if (!output)
        return fail(FAULT_INTERNAL, "the path of the instances is NULL");
    if (!instances_are_lines(output))
        return write_whole(output, options);
    if (!set_init(&set, options) || !file_out_open(&out, output))
        return false;
    bool ok = write_set(&set, &out) && file_out_close(&out);
    file_out_abandon(&out);
    return ok;
}
