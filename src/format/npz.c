#include "format/npz.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <stb/stb_ds.h>

#include "archive/zip.h"
#include "archive/zip_write.h"
#include "format/fill.h"
#include "format/npy.h"
#include "util/alloc.h"
#include "util/error.h"

#define ARRAY_BYTES_MAX ((size_t)1 << 30)
#define PROBLEM         "problem"

// Names of arrays that differ from the key in JSON. Every file of the deterministic problem has stochastic prizes,
// too.
static const struct {
    const char *key, *name;
    bool may_be_idle;
} names[] = {
    { "nodes", "locs", false },
    { "prize", "deterministic_prize", false },
    { "real_prize", "stochastic_prize", true },
};
enum { NAMES = sizeof names / sizeof *names };

struct array {
    char name[64];
    char *data;
    struct npy npy;
};

struct arrays {
    struct array *list; // stb_ds array
    uint64_t count;     // instances
    uint32_t n;
    const struct problem *problem;
    uint64_t at; // the instance that is read
};

static const char *key_of(const char *name)
{
    for (size_t i = 0; i < NAMES; i++) {
        if (!strcmp(names[i].name, name))
            return names[i].key;
    }
    return name;
}

static const struct array *find(const struct arrays *arrays, const char *key)
{
    for (ptrdiff_t i = 0; i < arrlen(arrays->list); i++) {
        if (!strcmp(key_of(arrays->list[i].name), key))
            return &arrays->list[i];
    }
    return NULL;
}

static bool may_be_idle(const char *name)
{
    for (size_t i = 0; i < NAMES; i++) {
        if (!strcmp(names[i].name, name))
            return names[i].may_be_idle;
    }
    return false;
}

static bool owns(const struct problem *problem, const char *key)
{
    return !strcmp(key, "nodes") || !strcmp(key, PROBLEM) || (!strcmp(key, "depot") && problem->has_depot) ||
           problem_column(problem, key);
}

// --- reading -------------------------------------------------------------------------------------------------------

static void drop(struct arrays *arrays)
{
    for (ptrdiff_t i = 0; i < arrlen(arrays->list); i++)
        free(arrays->list[i].data);
    arrfree(arrays->list);
}

static bool read_array(struct arrays *arrays, const struct zip_entry *entry)
{
    struct array array = { 0 };
    struct span name = entry->name;
    static const char ending[] = ".npy";
    size_t size = sizeof ending - 1;
    if (name.size <= size || name.size - size >= sizeof array.name || memcmp(name.at + name.size - size, ending, size))
        return fail(FAULT_INPUT, "%.*s is not an array of NumPy", SPAN_SHOWN(name));
    memcpy(array.name, name.at, name.size - size);
    if (find(arrays, key_of(array.name)))
        return fail(FAULT_INPUT, "%s: appears twice", array.name);
    if (!zip_unpack(entry, ARRAY_BYTES_MAX, &array.data))
        return false;
    bool ok = npy_parse(&array.npy, array.data, entry->size);
    arrput(arrays->list, array);
    return ok || fail_within("%s", array.name);
}

static bool read_arrays(struct arrays *arrays, const char *data, size_t size)
{
    struct zip_entry *entries;
    if (!zip_parse(data, size, &entries))
        return false;
    bool ok = true;
    for (ptrdiff_t i = 0; ok && i < arrlen(entries); i++)
        ok = read_array(arrays, &entries[i]);
    arrfree(entries);
    return ok;
}

// Whether the problem has all arrays, and all that it needs are there.
static bool fits(const struct arrays *arrays, const struct problem *problem)
{
    for (ptrdiff_t i = 0; i < arrlen(arrays->list); i++) {
        const char *name = arrays->list[i].name;
        if (!owns(problem, key_of(name)) && !(may_be_idle(name) && problem_column(problem, "prize")))
            return false;
    }
    FOR_COLUMNS(column, problem)
    {
        if (!column->optional && !find(arrays, column->key))
            return false;
    }
    return !problem->has_depot || find(arrays, "depot");
}

static const struct problem *choose_problem(const struct arrays *arrays, const struct problem *given)
{
    const struct array *array = find(arrays, PROBLEM);
    char name[40];
    if (array) {
        if (array->npy.kind != NPY_TEXT || !array->npy.count) {
            fail(FAULT_INPUT, PROBLEM ": not a problem's name");
            return NULL;
        }
        npy_text(&array->npy, 0, name, sizeof name);
        given = problem_expected(name);
        if (!given)
            fail_within(PROBLEM);
        return given;
    }
    for (const struct problem *const *problem = problems; !given && *problem; problem++)
        given = fits(arrays, *problem) ? *problem : NULL;
    if (!given)
        fail(FAULT_INPUT, "its arrays are those of no problem");
    return given;
}

static bool wrong_shape(const struct array *array, const char *expected)
{
    struct text shape = { 0 };
    text_add(&shape, "(");
    for (int k = 0; k < array->npy.rank; k++)
        text_add(&shape, "%s%llu", k ? ", " : "", (unsigned long long)array->npy.size[k]);
    fail(FAULT_INPUT, "%s: of shape %s) instead of %s", array->name, shape.data, expected);
    text_finish(&shape);
    return false;
}

static bool read_size(struct arrays *arrays)
{
    const struct array *nodes = find(arrays, "nodes");
    if (!nodes)
        return fail(FAULT_INPUT, "locs: missing");
    const struct npy *npy = &nodes->npy;
    if ((npy->rank != 2 && npy->rank != 3) || npy->size[npy->rank - 1] != 2)
        return wrong_shape(nodes, "(count, n, 2)");
    uint64_t n = npy->size[npy->rank - 2];
    if (n > INSTANCE_NODES_MAX)
        return fail(FAULT_INPUT, "%s: more than %d nodes are not read", nodes->name, INSTANCE_NODES_MAX);
    arrays->count = npy->rank == 3 ? npy->size[0] : 1;
    arrays->n = (uint32_t)n;
    return arrays->count || fail(FAULT_INPUT, "there is no instance in it");
}

// Numbers that every instance has under the key.
static uint64_t numbers_of(const struct problem *problem, uint32_t n, const char *key)
{
    const struct column *column = problem_column(problem, key);
    return !strcmp(key, "nodes") ? 2 * (uint64_t)n : !strcmp(key, "depot") ? 2 : column && column->per_node ? n : 1;
}

// Either EACH numbers for every instance, or EACH for all; dimensions of size 1 do not count.
static bool check_shape(const struct arrays *arrays, const struct array *array, uint64_t per_instance)
{
    uint64_t size[2] = { 0 };
    int rank = 0;
    if (array->npy.kind == NPY_TEXT)
        return fail(FAULT_INPUT, "%s: texts instead of numbers", array->name);
    for (int k = 0; k < array->npy.rank; k++) {
        if (array->npy.size[k] != 1 && rank++ < 2)
            size[rank - 1] = array->npy.size[k];
    }
    bool flat =
        per_instance == 1 ? rank == 0 || (rank == 1 && size[0] == arrays->count) : rank == 1 && size[0] == per_instance;
    if (flat || (rank == 2 && size[0] == arrays->count && size[1] == per_instance) || (rank == 0 && arrays->count == 1))
        return true;
    char expected[80];
    snprintf(expected, sizeof expected, per_instance == 1 ? "(%llu)" : "(%llu, %llu)",
        (unsigned long long)arrays->count, (unsigned long long)per_instance);
    return wrong_shape(array, expected);
}

static bool check_arrays(const struct arrays *arrays)
{
    const struct problem *problem = arrays->problem;
    for (ptrdiff_t i = 0; i < arrlen(arrays->list); i++) {
        const struct array *array = &arrays->list[i];
        const char *key = key_of(array->name);
        const struct column *column = problem_column(problem, key);
        if (!owns(problem, key) && !may_be_idle(array->name))
            return fail(FAULT_INPUT, "%s: %s has no such array", array->name, problem->name);
        if ((column || !strcmp(key, "depot")) && !check_shape(arrays, array, numbers_of(problem, arrays->n, key)))
            return false;
    }
    return true;
}

static bool has(const void *user, const char *key)
{
    return find(user, key);
}

static bool get(const void *user, const char *key, uint64_t i, double *number)
{
    const struct arrays *arrays = user;
    const struct npy *npy = &find(arrays, key)->npy;
    uint64_t per_instance = numbers_of(arrays->problem, arrays->n, key);
    *number = npy_number(npy, (npy->count == per_instance ? 0 : arrays->at * per_instance) + i);
    return true;
}

bool instances_from_npz(
    const char *data, size_t size, const struct problem *problem, size_t max_count, struct instance **instances)
{
    struct arrays arrays = { 0 };
    const struct number_source source = { &arrays, has, get };
    bool ok = read_arrays(&arrays, data, size) && (arrays.problem = choose_problem(&arrays, problem)) &&
              read_size(&arrays) && check_arrays(&arrays);
    for (; ok && arrays.at < arrays.count && arrlenu(*instances) < max_count; arrays.at++) {
        struct instance instance;
        ok = instance_fill(&instance, arrays.problem, arrays.n, &source);
        if (ok)
            arrput(*instances, instance);
        else if (arrays.count > 1)
            fail_within("instance %llu", (unsigned long long)arrays.at + 1);
    }
    drop(&arrays);
    return ok;
}

// --- writing -------------------------------------------------------------------------------------------------------

// The columns of one problem may be called otherwise: those whose prizes are expected, or not.
static const char *name_of(const struct problem *problem, const char *key)
{
    for (size_t i = 0; i < NAMES; i++) {
        if (!strcmp(names[i].key, key) && (strcmp(key, "prize") || problem_column(problem, "penalty")))
            return names[i].name;
    }
    return key;
}

static double number_of(const struct instance *instance, const char *key, uint64_t i)
{
    const struct point *point = !strcmp(key, "depot") ? &instance->depot : &instance->nodes[i / 2];
    const struct column *column = problem_column(instance->problem, key);
    return column ? instance_value(instance, column, (uint32_t)i) : i % 2 ? point->y : point->x;
}

static void write_array(struct zip_writer *zip, const struct instance *list, size_t count, const char *key)
{
    const struct problem *problem = list->problem;
    const struct column *column = problem_column(problem, key);
    uint64_t per_instance = numbers_of(problem, list->n, key), at = 0;
    double *numbers = xcalloc(count * per_instance, sizeof *numbers);
    for (size_t i = 0; i < count; i++) {
        for (uint64_t k = 0; k < per_instance; k++)
            numbers[at++] = number_of(&list[i], key, k);
    }
    bool nodes = !strcmp(key, "nodes");
    int rank = nodes ? 3 : column && !column->per_node ? 1 : 2;
    struct text file = { 0 };
    npy_write(&file, rank, (uint64_t[]){ count, nodes ? list->n : per_instance, 2 }, numbers);
    char name[64];
    snprintf(name, sizeof name, "%s.npy", name_of(problem, key));
    zip_write_add(zip, name, file.data, file.size, true);
    text_finish(&file);
    free(numbers);
}

static bool check_alike(const struct instance *list, size_t count)
{
    if (!count)
        return fail(FAULT_INPUT, "there is no instance to write");
    for (size_t i = 1; i < count; i++) {
        if (list[i].problem != list->problem || list[i].n != list->n)
            return fail(FAULT_INPUT,
                "instance %zu: %s with %u customers; the first is %s with %u, and arrays have one problem and one size",
                i + 1, list[i].problem->name, list[i].n, list->problem->name, list->n);
    }
    return true;
}

// Without a word about it, the arrays would be read as those of an earlier problem.
static bool must_name_problem(const struct problem *problem)
{
    for (const struct problem *const *other = problems; *other != problem; other++) {
        bool same = (*other)->has_depot == problem->has_depot;
        FOR_COLUMNS(column, *other)
        same = same && problem_column(problem, column->key);
        FOR_COLUMNS(column, problem)
        same = same && (column->optional || problem_column(*other, column->key));
        if (same)
            return true;
    }
    return false;
}

bool instances_to_npz(struct text *file, const struct instance *list, size_t count)
{
    if (!check_alike(list, count))
        return false;
    struct zip_writer zip = { 0 };
    write_array(&zip, list, count, "nodes");
    if (list->problem->has_depot)
        write_array(&zip, list, count, "depot");
    FOR_COLUMNS(column, list->problem)
    {
        if (column->unit != UNIT_COUNT && column->unit != UNIT_NODE) // which no instance here has
            write_array(&zip, list, count, column->key);
    }
    if (must_name_problem(list->problem)) {
        struct text text = { 0 };
        npy_write_text(&text, count, list->problem->name);
        zip_write_add(&zip, PROBLEM ".npy", text.data, text.size, true);
        text_finish(&text);
    }
    bool ok = zip_write_end(&zip);
    if (ok) {
        *file = zip.file;
        zip.file = (struct text){ 0 };
    }
    zip_write_finish(&zip);
    return ok;
}
