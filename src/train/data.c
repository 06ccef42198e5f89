#include "train/data.h"

#include <stdlib.h>

#include <stb/stb_ds.h>

#include "shaders/args.h"
#include "util/alloc.h"
#include "util/hash.h"
#include "util/rng.h"

enum { HELD_OUT = 10 }; // one instance of this many

struct range {
    uint32_t *training, *held; // stb_ds arrays: indices of instances
    uint32_t *order;           // (training): of pass `pass`
    uint32_t pass;
    bool ordered;
};

struct train_data {
    const struct instance *originals;
    struct scaled *list;
    uint32_t count;
    uint64_t seed;
    struct range *ranges; // stb_ds array
    uint32_t *range_of;   // (count)
};

struct train_data *data_create(const struct instance *list, size_t count, uint64_t seed)
{
    struct train_data *d = xcalloc(1, sizeof *d);
    d->count = (uint32_t)count;
    d->seed = seed;
    d->originals = list;
    d->list = xcalloc(count, sizeof *d->list);
    d->range_of = xcalloc(count, sizeof *d->range_of);
    for (size_t i = 0; i < count; i++)
        scaled_init(&d->list[i], &list[i]);
    return d;
}

static void drop_ranges(struct train_data *d)
{
    for (ptrdiff_t i = 0; i < arrlen(d->ranges); i++) {
        arrfree(d->ranges[i].training);
        arrfree(d->ranges[i].held);
        free(d->ranges[i].order);
    }
    arrfree(d->ranges);
}

void data_destroy(struct train_data **slot)
{
    struct train_data *d = *slot;
    if (!d)
        return;
    drop_ranges(d);
    for (uint32_t i = 0; i < d->count; i++)
        scaled_finish(&d->list[i]);
    free(d->list);
    free(d->range_of);
    free(d);
    *slot = NULL;
}

uint64_t data_hash(const struct train_data *d)
{
    uint64_t hash = HASH_START;
    for (uint32_t i = 0; i < d->count; i++) {
        const struct scaled *s = &d->list[i];
        hash = hash_add(hash, &s->N, sizeof s->N);
        hash = hash_add(hash, s->coords, 2 * s->N * sizeof *s->coords);
        if (s->options)
            hash = hash_add(hash, &s->options, sizeof s->options);
        if (s->legs)
            hash = hash_add(hash, s->legs, (size_t)s->N * s->N * sizeof *s->legs);
        FOR_COLUMNS(column, s->problem)
        {
            for (uint32_t k = 0; k < (column->per_node ? s->N : 1); k++) {
                uint32_t word = scaled_word(s, column, k);
                hash = hash_add(hash, &word, sizeof word);
            }
        }
    }
    return hash;
}

static bool is_held_out(uint32_t i, uint32_t count)
{
    return count < HELD_OUT ? i + 1 == count : i % HELD_OUT == HELD_OUT - 1;
}

uint32_t data_held_out(size_t count)
{
    return count < HELD_OUT ? 1 : (uint32_t)(count / HELD_OUT);
}

// Whether the range has instances, which are added to the data's.
static bool add_range(struct train_data *d, struct size_range *range)
{
    const uint32_t depot = d->list->problem->has_depot;
    struct range own = { 0 };
    uint32_t N = 0, J = 0;
    enum batch_kind kind = BATCH_PLAIN;
    for (uint32_t i = 0; i < d->count; i++) {
        const struct scaled *s = &d->list[i];
        if (s->N - depot < range->distribution.n_min || s->N - depot > range->distribution.n_max)
            continue;
        uint32_t longest = scaled_longest(s);
        N = s->N > N ? s->N : N;
        J = longest > J ? longest : J;
        kind = batch_kind_of(s) > kind ? batch_kind_of(s) : kind;
        d->range_of[i] = (uint32_t)arrlenu(d->ranges);
        if (is_held_out(i, d->count))
            arrput(own.held, i);
        else
            arrput(own.training, i);
    }
    if (!N)
        return false;
    range->N = N;
    range->J = J;
    range->kind = kind;
    own.order = xcalloc(arrlenu(own.training), sizeof *own.order);
    arrput(d->ranges, own);
    return true;
}

void data_divide(struct train_data *d, struct size_range **ranges)
{
    drop_ranges(d);
    for (size_t i = 0; i < arrlenu(*ranges);) {
        if (add_range(d, &(*ranges)[i]))
            i++;
        else
            arrdel(*ranges, i);
    }
}

static uint32_t below(uint64_t seed, uint32_t a, uint32_t b, uint32_t counter, uint32_t count)
{
    uint32_t number[4];
    rng_draw(&(struct rng){ seed, RNG_TRAINING, a, b }, counter, number);
    return (uint32_t)((uint64_t)number[0] * count >> 32);
}

uint32_t data_range_of_step(const struct train_data *d, uint64_t step)
{
    // The range of a random instance that is trained on; where ranges have only held-out ones, the draw is repeated.
    for (uint32_t attempt = 0;; attempt++) {
        uint32_t i = below(sizes_seed(d->seed, DRAWS_SIZES), (uint32_t)(step >> 32), attempt, (uint32_t)step, d->count);
        if (!is_held_out(i, d->count))
            return d->range_of[i];
    }
}

uint32_t data_before(const struct train_data *d, uint32_t range)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < range && i < arrlenu(d->ranges); i++)
        count += (uint32_t)arrlenu(d->ranges[i].held);
    return count;
}

// A random order of the range's instances for this pass.
static void shuffle(struct train_data *d, uint32_t index, uint32_t pass)
{
    struct range *range = &d->ranges[index];
    const uint32_t count = (uint32_t)arrlenu(range->training);
    const uint64_t seed = sizes_seed(d->seed, DRAWS_TRAINING);
    if (range->ordered && range->pass == pass)
        return;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t k = below(seed, index, pass, i, i + 1);
        range->order[i] = range->order[k];
        range->order[k] = range->training[i];
    }
    range->pass = pass;
    range->ordered = true;
}

const struct scaled *data_instance(struct train_data *d, uint32_t index, enum train_draws draws, uint32_t number)
{
    struct range *range = &d->ranges[index];
    const uint32_t training = (uint32_t)arrlenu(range->training), held = (uint32_t)arrlenu(range->held);
    if (draws == DRAWS_VALIDATION || !training)
        return &d->list[range->held[(number - data_before(d, index)) % held]];
    if (draws == DRAWS_COMPARISON)
        return &d->list[range->training[below(sizes_seed(d->seed, draws), index, 0, number, training)]];
    shuffle(d, index, number / training);
    return &d->list[range->order[number % training]];
}

const struct instance *data_original(const struct train_data *d, const struct scaled *scaled)
{
    return &d->originals[scaled - d->list];
}
