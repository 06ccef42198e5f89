#include "train/sizes.h"

#include <stb/stb_ds.h>

#include "problem/generate.h"
#include "shaders/args.h"
#include "util/rng.h"

uint64_t sizes_seed(uint64_t seed, enum train_draws draws)
{
    uint32_t number[4];
    rng_draw(&(struct rng){ seed, RNG_TRAINING, draws, 0 }, 0, number);
    return (uint64_t)number[1] << 32 | number[0];
}

struct size_range *sizes_ranges(const struct train_settings *settings)
{
    struct size_range *ranges = NULL;
    const struct problem *problem = settings->config.problem;
    const struct distribution *all = &settings->drawn;
    for (uint32_t from = all->n_min, to; from <= all->n_max; from = to + 1) {
        to = from + from / 5; // a fifth more: about a tenth of the nodes is padding
        to = to < all->n_max ? to : all->n_max;
        struct size_range range = { .distribution = *all, .N = to + problem->has_depot };
        range.distribution.n_min = from;
        range.distribution.n_max = to;
        range.J = generate_longest(problem, &range.distribution);
        arrput(ranges, range);
    }
    return ranges;
}

uint32_t sizes_of_step(const struct train_settings *settings, const struct size_range *ranges, uint64_t step)
{
    const struct distribution *all = &settings->drawn;
    uint32_t number[4], range = 0;
    struct rng rng = { sizes_seed(settings->seed, DRAWS_SIZES), RNG_TRAINING, (uint32_t)(step >> 32), 0 };
    rng_draw(&rng, (uint32_t)step, number);
    uint32_t n = all->n_min + (uint32_t)((uint64_t)number[0] * (all->n_max - all->n_min + 1) >> 32);
    while (n > ranges[range].distribution.n_max)
        range++;
    return range;
}

uint32_t sizes_before(
    const struct train_settings *settings, const struct size_range *ranges, uint32_t range, uint32_t count)
{
    const struct distribution *all = &settings->drawn;
    uint32_t sizes =
        range < arrlenu(ranges) ? ranges[range].distribution.n_min - all->n_min : all->n_max - all->n_min + 1;
    return (uint32_t)((uint64_t)count * sizes / (all->n_max - all->n_min + 1));
}
