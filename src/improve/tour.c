#include "improve/tour.h"

#include <stdlib.h>
#include <string.h>

#include <stb/stb_ds.h>

#include "util/alloc.h"

// Neighbours considered at the first and second step of an exchange, and stops in the segments of a kick.
enum { NEAR = 10, NEAR_NEXT = 5, SEGMENT = 50 };

void tour_init(struct tour *tour, const struct task *task)
{
    *tour = (struct tour){ .task = task, .n = task->customers + 1 };
    tour->near = NEAR < task->near_count ? NEAR : task->near_count;
    tour->order = xcalloc(tour->n, sizeof *tour->order);
    tour->rank = xcalloc(tour->n, sizeof *tour->rank);
    tour->queue = xcalloc(tour->n, sizeof *tour->queue);
    tour->queued = xcalloc(tour->n, sizeof *tour->queued);
}

void tour_finish(struct tour *tour)
{
    free(tour->order);
    free(tour->rank);
    free(tour->queue);
    free(tour->queued);
    arrfree(tour->journal);
    *tour = (struct tour){ 0 };
}

static inline double between(const struct tour *tour, uint32_t a, uint32_t b)
{
    return task_distance(tour->task, a, b);
}

static inline uint32_t succ(const struct tour *tour, uint32_t site)
{
    uint32_t r = tour->rank[site] + 1;
    return tour->order[r == tour->n ? 0 : r];
}

static inline uint32_t pred(const struct tour *tour, uint32_t site)
{
    uint32_t r = tour->rank[site];
    return tour->order[r ? r - 1 : tour->n - 1];
}

void tour_set(struct tour *tour, const uint32_t *order)
{
    tour->length = 0;
    for (uint32_t i = 0; i < tour->n; i++) {
        tour->order[i] = order[i];
        tour->rank[order[i]] = i;
        tour->length += between(tour, order[i], order[i + 1 < tour->n ? i + 1 : 0]);
    }
}

static void push(struct tour *tour, uint32_t site)
{
    if (tour->queued[site])
        return;
    tour->queued[site] = true;
    uint32_t at = tour->head + tour->waiting++;
    tour->queue[at < tour->n ? at : at - tour->n] = site;
}

static uint32_t pop(struct tour *tour)
{
    uint32_t site = tour->queue[tour->head];
    tour->head = tour->head + 1 == tour->n ? 0 : tour->head + 1;
    tour->waiting--;
    tour->queued[site] = false;
    return site;
}

// Reverses the ranks FIRST..LAST (possibly around the end), or all others, which gives the same tour.
static void reverse(struct tour *tour, uint32_t first, uint32_t last)
{
    uint32_t n = tour->n, inside = (last >= first ? last - first : last + n - first) + 1;
    if (2 * inside > n) {
        uint32_t swapped = first ? first - 1 : n - 1;
        first = last + 1 == n ? 0 : last + 1;
        last = swapped;
        inside = n - inside;
    }
    uint32_t *order = tour->order, *rank = tour->rank;
    for (uint32_t i = inside / 2; i; i--) {
        uint32_t a = order[first], b = order[last];
        order[first] = b, rank[b] = first;
        order[last] = a, rank[a] = last;
        first = first + 1 == n ? 0 : first + 1;
        last = last ? last - 1 : n - 1;
    }
}

static void flip(struct tour *tour, uint32_t first, uint32_t last)
{
    struct flip flip = { tour->rank[first], tour->rank[last] };
    if (flip.first == flip.last)
        return;
    if (tour->recording)
        arrput(tour->journal, flip);
    reverse(tour, flip.first, flip.last);
}

// Returns whether B is between A and C in forward direction.
static inline bool on_the_way(const struct tour *tour, uint32_t a, uint32_t b, uint32_t c)
{
    uint32_t ra = tour->rank[a], rb = tour->rank[b], rc = tour->rank[c];
    return ra <= rc ? ra <= rb && rb <= rc : rb >= ra || rb <= rc;
}

// An exchange of edges that begins with T1 and its neighbour T2, forwards or, on the mirrored tour, backwards.
struct exchange {
    enum { NOTHING, TWO, THREE_AFTER, THREE_WITHIN, SEGMENTS, SEGMENTS_REVERSED } kind;
    double gain;
    uint32_t t[7];
};

static inline uint32_t step(const struct tour *tour, uint32_t site, bool mirrored)
{
    return mirrored ? pred(tour, site) : succ(tour, site);
}

// Reverses the path from A forwards to B (on the mirrored tour, backwards).
static void turn_way(struct tour *tour, uint32_t a, uint32_t b, bool mirrored)
{
    if (mirrored)
        flip(tour, b, a);
    else
        flip(tour, a, b);
}

static void consider(struct exchange *best, int kind, double gain, const uint32_t t[7])
{
    best->kind = kind;
    best->gain = gain;
    memcpy(best->t, t, sizeof best->t);
}

// T1 -> T2 .. T4 -> T3 ..: replacing (T4, T3) by (T2, T3) reverses T2..T4. The third step starts from T4, the new end.
static void third_step(
    const struct tour *tour, uint32_t t[7], double open, bool mirrored, bool crossed, struct exchange *best)
{
    const uint32_t *near = task_near(tour->task, t[4]);
    uint32_t count = NEAR_NEXT < tour->near ? NEAR_NEXT : tour->near;
    for (uint32_t i = 0; i < count; i++) {
        t[5] = near[i];
        double left = open - between(tour, t[4], t[5]);
        if (left <= 0)
            break;
        if (t[5] == step(tour, t[4], mirrored) || t[5] == step(tour, t[4], !mirrored))
            continue;
        bool inside = mirrored ? on_the_way(tour, crossed ? t[3] : t[4], t[5], t[2])
                               : on_the_way(tour, t[2], t[5], crossed ? t[3] : t[4]);
        if (!crossed) {
            if (t[5] == t[3])
                continue;
            t[6] = step(tour, t[5], inside ? mirrored : !mirrored);
            if (inside ? t[5] == t[4] : t[6] == t[4])
                continue;
            double gain = left + between(tour, t[5], t[6]) - between(tour, t[6], t[1]);
            if (gain > best->gain)
                consider(best, inside ? THREE_WITHIN : THREE_AFTER, gain, t);
        } else if (inside) {
            for (int side = 0; side < 2; side++) {
                if (t[5] == (side ? t[2] : t[3]))
                    continue;
                t[6] = step(tour, t[5], side ? !mirrored : mirrored);
                double gain = left + between(tour, t[5], t[6]) - between(tour, t[6], t[1]);
                if (gain > best->gain)
                    consider(best, side ? SEGMENTS_REVERSED : SEGMENTS, gain, t);
            }
        }
    }
}

static void find(const struct tour *tour, uint32_t t1, bool mirrored, struct exchange *best)
{
    uint32_t t[7] = { 0, t1, step(tour, t1, mirrored) };
    double first = between(tour, t[1], t[2]);
    const uint32_t *near = task_near(tour->task, t[2]);
    for (uint32_t i = 0; i < tour->near; i++) {
        t[3] = near[i];
        double left = first - between(tour, t[2], t[3]);
        if (left <= 0)
            break;
        if (t[3] == t[1])
            continue;
        t[4] = step(tour, t[3], !mirrored); // between T2 and T3
        if (t[4] != t[2]) {
            double open = left + between(tour, t[4], t[3]), gain = open - between(tour, t[4], t[1]);
            if (gain > best->gain)
                consider(best, TWO, gain, t);
            third_step(tour, t, open, mirrored, false, best);
        }
        t[4] = step(tour, t[3], mirrored); // beyond T3: T2..T3 closes, and the third step opens it again
        if (t[3] != t[1] && t[4] != t[2] && step(tour, t[2], mirrored) != t[1]) {
            double open = left + between(tour, t[3], t[4]);
            third_step(tour, t, open, mirrored, true, best);
        }
    }
}

static void apply(struct tour *tour, const struct exchange *best, bool mirrored)
{
    const uint32_t *t = best->t;
    switch (best->kind) {
    case NOTHING:
        return;
    case TWO:
        turn_way(tour, t[2], t[4], mirrored);
        break;
    case THREE_AFTER:    // T1 [T4 .. T2] [T3 .. T6] T5: then reverses T4 .. T6
    case THREE_WITHIN: { // T1 [T4 .. T6 | T5 .. T2] T3: then reverses T4 .. T6
        turn_way(tour, t[2], t[4], mirrored);
        bool now = succ(tour, t[1]) != t[4]; // reversing all others mirrors the tour
        turn_way(tour, t[4], t[6], now);
        break;
    }
    case SEGMENTS: { // T1 [T2 .. T5] [T6 .. T3] T4: exchanges the segments
        turn_way(tour, t[2], t[3], mirrored);
        bool now = succ(tour, t[1]) != t[3];
        turn_way(tour, t[3], t[6], now);
        now = succ(tour, t[1]) != t[6];
        turn_way(tour, t[5], t[2], now);
        break;
    }
    case SEGMENTS_REVERSED: { // T1 [T2 .. T6] [T5 .. T3] T4: reverses each in place
        turn_way(tour, t[2], t[6], mirrored);
        bool now = succ(tour, t[1]) != t[6];
        turn_way(tour, t[5], t[3], now);
        break;
    }
    }
    for (int i = 1; i <= (best->kind == TWO ? 4 : 6); i++)
        push(tour, t[i]);
    tour->length -= best->gain;
}

static void drain(struct tour *tour, const struct watch *watch)
{
    double min_gain = 1e-9 * tour->task->scale;
    for (uint32_t looks = 1; tour->waiting; looks++) {
        if (watch && looks % 64 == 0 && watch_ended(watch)) {
            while (tour->waiting)
                pop(tour);
            return;
        }
        uint32_t site = pop(tour);
        for (int mirrored = 0; mirrored < 2; mirrored++) {
            struct exchange best = { .gain = min_gain };
            find(tour, site, mirrored, &best);
            if (best.kind != NOTHING) {
                apply(tour, &best, mirrored);
                break;
            }
        }
    }
}

void tour_search(struct tour *tour, const struct watch *watch)
{
    if (tour->n < 5)
        return;
    for (uint32_t i = 0; i < tour->n; i++)
        push(tour, tour->order[i]);
    drain(tour, watch);
}

// T1 [A] [B] T4: exchanges neighbouring segments, which is a double bridge.
static double swap_segments(struct tour *tour, uint32_t start, uint32_t a, uint32_t b)
{
    uint32_t n = tour->n;
    uint32_t t1 = tour->order[start % n], a1 = tour->order[(start + 1) % n], a2 = tour->order[(start + a) % n];
    uint32_t b1 = tour->order[(start + a + 1) % n], b2 = tour->order[(start + a + b) % n];
    uint32_t t4 = tour->order[(start + a + b + 1) % n];
    double more = between(tour, t1, b1) + between(tour, b2, a1) + between(tour, a2, t4) - between(tour, t1, a1) -
                  between(tour, a2, b1) - between(tour, b2, t4);
    flip(tour, a1, b2);
    bool now = succ(tour, t1) != b2;
    turn_way(tour, b2, b1, now);
    now = succ(tour, t1) != b1;
    turn_way(tour, a2, a1, now);
    uint32_t ends[] = { t1, a1, a2, b1, b2, t4 };
    for (int i = 0; i < 6; i++)
        push(tour, ends[i]);
    return more;
}

void tour_kick(struct tour *tour, struct dice *dice, double allowance)
{
    uint32_t n = tour->n, segment = n / 3 < SEGMENT ? n / 3 : SEGMENT;
    if (n < 5)
        return;
    double before = tour->length;
    arrsetlen(tour->journal, 0);
    tour->recording = true;
    uint32_t start = dice_below(dice, n), a = 1 + dice_below(dice, segment), b = 1 + dice_below(dice, segment);
    tour->length += swap_segments(tour, start, a, b);
    drain(tour, NULL);
    tour->recording = false;
    if (tour->length <= before + allowance)
        return;
    for (ptrdiff_t i = arrlen(tour->journal); i-- > 0;)
        reverse(tour, tour->journal[i].first, tour->journal[i].last);
    tour->length = before;
}
