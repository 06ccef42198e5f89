#include "format/kool.h"

#include <math.h>

#include "problem/generate.h"

void mt19937_seed(struct mt19937 *mt, uint32_t seed)
{
    mt->state[0] = seed;
    for (uint32_t i = 1; i < 624; i++)
        mt->state[i] = 1812433253u * (mt->state[i - 1] ^ (mt->state[i - 1] >> 30)) + i;
    mt->next = 624;
}

static uint32_t mixed(uint32_t high, uint32_t low)
{
    return (((high & 0x80000000u) | (low & 0x7fffffffu)) >> 1) ^ (low & 1 ? 0x9908b0dfu : 0);
}

static uint32_t draw(struct mt19937 *mt)
{
    if (mt->next == 624) {
        uint32_t *s = mt->state;
        for (uint32_t i = 0; i < 624; i++)
            s[i] = s[(i + 397) % 624] ^ mixed(s[i], s[(i + 1) % 624]);
        mt->next = 0;
    }
    uint32_t y = mt->state[mt->next++];
    y ^= y >> 11;
    y ^= y << 7 & 0x9d2c5680u;
    y ^= y << 15 & 0xefc60000u;
    return y ^ y >> 18;
}

double mt19937_double(struct mt19937 *mt)
{
    uint32_t high = draw(mt) >> 5, low = draw(mt) >> 6;
    return (high * 0x1p26 + low) * 0x1p-53;
}

uint32_t mt19937_below(struct mt19937 *mt, uint32_t count)
{
    uint32_t mask = count - 1;
    for (uint32_t shift = 1; shift < 32; shift *= 2)
        mask |= mask >> shift;
    uint32_t number;
    do
        number = draw(mt) & mask;
    while (number >= count);
    return number;
}

// Returns the position in the stream after `doubles` more numbers.
static struct mt19937 behind(const struct mt19937 *mt, uint64_t doubles)
{
    struct mt19937 moved = *mt;
    while (doubles-- > 0)
        mt19937_double(&moved);
    return moved;
}

void kool_init(struct kool *kool, const struct problem *problem, const struct distribution *distribution,
    uint32_t count, uint32_t seed)
{
    uint32_t n = distribution->n_min;
    *kool = (struct kool){ .problem = problem, .n = n, .prize = distribution->prize };
    kool->capacity = distribution->capacity_min ? distribution->capacity_min : generate_capacity(n);
    uint64_t values = (uint64_t)count * n;
    mt19937_seed(&kool->depot, seed);
    kool->nodes = problem->has_depot ? behind(&kool->depot, 2 * (uint64_t)count) : kool->depot;
    if (problem->has_depot)
        kool->third = behind(&kool->nodes, 2 * values);
    if (problem->objective & QUANTITY_PENALTY) {
        kool->fourth = behind(&kool->third, values);
        kool->fifth = behind(&kool->fourth, values);
    }
}

static struct point draw_point(struct mt19937 *mt)
{
    double x = mt19937_double(mt);
    return (struct point){ x, mt19937_double(mt) };
}

static void fill_prizes(struct kool *kool, struct instance *instance)
{
    double largest = 0;
    for (uint32_t i = 0; i < kool->n; i++) {
        double dx = instance->depot.x - instance->nodes[i].x, dy = instance->depot.y - instance->nodes[i].y;
        instance->prize[i] = sqrt(dx * dx + dy * dy);
        largest = fmax(largest, instance->prize[i]);
    }
    for (uint32_t i = 0; i < kool->n; i++) {
        double *prize = &instance->prize[i];
        if (kool->prize == PRIZE_CONST)
            *prize = 1;
        else if (kool->prize == PRIZE_UNIF)
            *prize = (1 + mt19937_below(&kool->third, 100)) / 100.0;
        else
            *prize = (1 + floor(*prize / largest * 99)) / 100;
    }
}

static void fill_penalties(struct kool *kool, struct instance *instance)
{
    instance->min_prize = 1;
    for (uint32_t i = 0; i < kool->n; i++) {
        instance->penalty[i] = mt19937_double(&kool->third) * generate_penalty(kool->n);
        instance->prize[i] = mt19937_double(&kool->fourth) * 4 / kool->n;
        double real = mt19937_double(&kool->fifth) * instance->prize[i] * 2;
        if (instance->real_prize)
            instance->real_prize[i] = real;
    }
}

void kool_next(struct kool *kool, struct instance *instance)
{
    instance_init(instance, kool->problem, kool->n);
    if (kool->problem->has_depot)
        instance->depot = draw_point(&kool->depot);
    for (uint32_t i = 0; i < kool->n; i++)
        instance->nodes[i] = draw_point(&kool->nodes);
    if (instance->demand) {
        instance->capacity = kool->capacity;
        for (uint32_t i = 0; i < kool->n; i++)
            instance->demand[i] = 1 + mt19937_below(&kool->third, DRAW_DEMAND_MAX);
    } else if (instance->penalty) {
        fill_penalties(kool, instance);
    } else if (instance->prize) {
        instance->max_length = generate_length(kool->n);
        fill_prizes(kool, instance);
    }
}
