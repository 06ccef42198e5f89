#include "problem/familiar.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include <stb/stb_ds.h>

#include "problem/generate.h"
#include "problem/scale.h"
#include "util/alloc.h"
#include "util/text.h"

// Returns "20" or "20..50".
static char *range_text(double from, double to)
{
    struct text text = { 0 };
    text_add_round(&text, from);
    if (from != to) {
        text_add(&text, "..");
        text_add_round(&text, to);
    }
    return text.data;
}

static void add(char ***warnings, const char *what, double value, const char *trained, double from, double to)
{
    struct text text = { 0 };
    char *range = range_text(from, to);
    text_add(&text, "%s ", what);
    text_add_round(&text, value);
    text_add(&text, "; %s %s", trained, range);
    arrput(*warnings, text.data);
    free(range);
}

static void warn_of_size(const struct distribution *trained, const struct instance *instance, char ***warnings)
{
    if (instance->n < trained->n_min || instance->n > trained->n_max)
        add(warnings, "n =", instance->n, "the model was trained on n =", trained->n_min, trained->n_max);
    if (instance->n > 2 * (uint64_t)trained->n_max) {
        char **last = &arrlast(*warnings), *sentence = *last;
        *last = xformat("%s: at this distance solutions are far from optimal; eight-fold augmentation helps", sentence);
        free(sentence);
    }
}

// Training draws demands from 1 to 9. If all demands of an instance are in this range, its capacity is compared
// directly; otherwise the number of average customers per load, which also varies between instances of one
// distribution.
static void warn_of_capacity(const struct distribution *trained, const struct instance *instance, char ***warnings)
{
    const double slack = 1.5, mean = 5;
    int64_t min, max;
    generate_capacities(trained, &min, &max);
    double from = (double)min, to = (double)max, sum = 0;
    bool alike = instance->demand_scale == 1;
    for (uint32_t i = 0; i < instance->n; i++) {
        alike = alike && instance->demand[i] >= 1 && instance->demand[i] <= 9;
        sum += (double)instance->demand[i];
    }
    double capacity = (double)instance->capacity;
    if (alike) {
        if (capacity < from || capacity > to)
            add(warnings, "capacity", capacity, "the model was trained with", from, to);
        return;
    }
    if (sum == 0) {
        arrput(*warnings, xstrdup("no customer has a demand, unlike those in training"));
        return;
    }
    double customers = capacity * instance->n / sum;
    if (customers * slack < from / mean || customers > slack * to / mean)
        add(warnings, "average customers in a load:", customers, "the model was trained with", from / mean, to / mean);
}

static void warn_of_length(
    const struct distribution *trained, const struct scaled *scaled, const struct instance *instance, char ***warnings)
{
    const double rounding = 1e-5; // single precision
    double from, to;
    generate_lengths(trained, &from, &to);
    double unseen = scaled->home ? 2 * scaled->home[0] : 0, // of a far depot's legs
        limit = scaled->max_length - unseen;                // the limit as the network sees it
    if (limit < from * (1 - rounding) || limit > to * (1 + rounding))
        add(warnings, "length limit", instance->max_length, "the model was trained with",
            (from + unseen) * scaled->length_unit, (to + unseen) * scaled->length_unit);
}

// Finds the kind of generated prizes that these prizes resemble.
static enum prize_kind kind_of(const struct scaled *scaled)
{
    const float step = 0.015f; // prizes by distance are hundredths
    float farthest = 0, largest = 0;
    bool equal = true, by_distance = true;
    for (uint32_t pass = 0; pass < 2; pass++) {
        for (uint32_t i = 1; i < scaled->N; i++) {
            float dx = scaled->coords[2 * i] - scaled->coords[0], dy = scaled->coords[2 * i + 1] - scaled->coords[1];
            float distance = scaled->home ? scaled->home[i] : hypotf(dx, dy), prize = scaled->prize[i];
            if (pass == 0) {
                farthest = fmaxf(farthest, distance);
                largest = fmaxf(largest, prize);
                equal = equal && prize == scaled->prize[1];
            } else {
                by_distance = by_distance && fabsf(prize / largest - distance / farthest) <= step;
            }
        }
    }
    return equal ? PRIZE_CONST : by_distance ? PRIZE_DIST : PRIZE_UNIF;
}

static void warn_of_prizes(const struct distribution *trained, const struct scaled *scaled, char ***warnings)
{
    static const char *const like[] = { [PRIZE_CONST] = "all equal",
        [PRIZE_UNIF] = "independent of the position",
        [PRIZE_DIST] = "in proportion to the distance from the depot" };
    enum prize_kind kind = kind_of(scaled);
    if (scaled->N > 2 && kind != trained->prize && trained->prize != PRIZE_MIXED)
        arrput(*warnings, xformat("prizes are %s; in training they were %s", like[kind], like[trained->prize]));
}

void familiar_warn(const struct distribution *trained, const struct instance *instance, char ***warnings)
{
    warn_of_size(trained, instance, warnings);
    if (instance->demand)
        warn_of_capacity(trained, instance, warnings);
    if (instance->problem->prize_kinds) {
        struct scaled scaled;
        scaled_init(&scaled, instance);
        warn_of_length(trained, &scaled, instance, warnings);
        warn_of_prizes(trained, &scaled, warnings);
        scaled_finish(&scaled);
    }
}
