#include "api/shared.h"

#include <stdlib.h>
#include <string.h>

#include <stb/stb_ds.h>

#include "util/alloc.h"
#include "util/error.h"
#include "util/locale.h"
#include "util/ranks.h"

void shared_create(struct shared *h, struct mdam_solutions *solutions, size_t block)
{
    const size_t blocks = (solutions->count + block - 1) / block, ranks = ranks_count();
    *h = (struct shared){ .solutions = solutions,
        .block = block,
        .next = ranks * block,
        .busy = (blocks < ranks ? blocks : ranks) - 1,
        .done = xcalloc(solutions->count, sizeof *h->done) };
}

void shared_destroy(struct shared *h)
{
    free(h->done);
    *h = (struct shared){ 0 };
}

// --- a solution as bytes ------------------------------------------------------------------------------------------

static void put(char **bytes, const void *data, size_t size)
{
    if (size)
        memcpy(arraddnptr(*bytes, size), data, size);
}

struct cursor {
    const char *at, *end;
};

static void get(struct cursor *c, void *data, size_t size)
{
    if (size > (size_t)(c->end - c->at))
        bug("a message of a rank is %zu bytes too short", size - (size_t)(c->end - c->at));
    if (size)
        memcpy(data, c->at, size);
    c->at += size;
}

// Numbers in front of what follows them.
struct header {
    uint64_t index;
    double seconds;
    uint32_t routes, warnings;
};

static void put_solution(char **bytes, const struct mdam_solutions *s, size_t i)
{
    const struct search_result *result = &s->results[i];
    const struct mdam_solution *shown = &s->list[i];
    const struct route *routes = result->solution.routes;
    struct header header = { i, shown->seconds, (uint32_t)arrlenu(routes), (uint32_t)shown->warning_count };
    put(bytes, &header, sizeof header);
    put(bytes, result, sizeof *result);                            // its pointers mean nothing elsewhere
    for (uint32_t m = 0; m < s->models[i]->model->config.M; m++) { // none of an instance that was not begun
        double best = result->decoder_best ? result->decoder_best[m] : 0;
        put(bytes, &best, sizeof best);
    }
    for (size_t r = 0; r < arrlenu(routes); r++) {
        uint32_t counts[] = { (uint32_t)arrlenu(routes[r].stops), (uint32_t)arrlenu(routes[r].amounts) };
        put(bytes, counts, sizeof counts);
        put(bytes, routes[r].stops, counts[0] * sizeof *routes[r].stops);
        put(bytes, routes[r].amounts, counts[1] * sizeof *routes[r].amounts);
    }
    for (size_t k = 0; k < shown->warning_count; k++) {
        uint32_t length = (uint32_t)strlen(shown->warnings[k]);
        put(bytes, &length, sizeof length);
        put(bytes, shown->warnings[k], length);
    }
}

// Warnings from the time before the instances were shared out are there already.
static void get_warnings(struct cursor *c, struct mdam_solutions *s, size_t i, uint32_t count)
{
    struct mdam_solution *shown = &s->list[i];
    const size_t there = shown->warning_count;
    char **list = (char **)shown->warnings;
    for (uint32_t k = 0; k < count; k++) {
        uint32_t length;
        get(c, &length, sizeof length);
        char *warning = xcalloc(length + 1, 1);
        get(c, warning, length);
        if (k < there) {
            free(warning);
            continue;
        }
        arrput(list, warning);
        IN_CALLERS_LOCALE;
        if (s->options.warn)
            s->options.warn(s->options.user, i, warning);
    }
    shown->warnings = (const char *const *)list;
    shown->warning_count = arrlenu(list);
}

static void get_solution(struct cursor *c, struct shared *h)
{
    struct mdam_solutions *s = h->solutions;
    struct header header;
    struct search_result result;
    get(c, &header, sizeof header);
    get(c, &result, sizeof result);
    const uint32_t M = s->models[header.index]->model->config.M;
    result.decoder_best = xcalloc(M, sizeof *result.decoder_best);
    get(c, result.decoder_best, M * sizeof *result.decoder_best);
    result.solution.routes = NULL;
    for (uint32_t r = 0; r < header.routes; r++) {
        struct route route = { 0 };
        uint32_t counts[2];
        get(c, counts, sizeof counts);
        get(c, arraddnptr(route.stops, counts[0]), counts[0] * sizeof *route.stops);
        if (counts[1])
            get(c, arraddnptr(route.amounts, counts[1]), counts[1] * sizeof *route.amounts);
        arrput(result.solution.routes, route);
    }
    s->results[header.index] = result;
    get_warnings(c, s, header.index, header.warnings);
    mdam_solution_publish(s, header.index, header.seconds);
    h->done[header.index] = true;
    h->finished++;
}

// --- shares of ranks ----------------------------------------------------------------------------------------------

static void tell(struct shared *h, size_t index)
{
    const struct mdam_solve_options *options = &h->solutions->options;
    IN_CALLERS_LOCALE;
    if (options->answered && h->solutions->list[index].solved && !h->failed)
        h->failed = !options->answered(options->user, h->solutions, index);
}

static void tell_in_order(struct shared *h)
{
    while (h->answered < h->solutions->count && h->done[h->answered])
        tell(h, h->answered++);
}

static size_t end_of(const struct shared *h, size_t first)
{
    return first + h->block < h->solutions->count ? first + h->block : h->solutions->count;
}

// Returns the next block that no rank has.
static size_t claim(struct shared *h, bool stopped)
{
    size_t first = h->next < h->solutions->count && !stopped && !h->failed ? h->next : SIZE_MAX;
    h->next += h->block;
    return first;
}

void shared_serve(struct shared *h, bool stopped, bool wait)
{
    uint32_t from;
    void *data;
    size_t bytes;
    for (; h->busy && ranks_receive(&from, &data, &bytes, wait); wait = false) {
        struct cursor c = { data, (char *)data + bytes };
        while (c.at < c.end)
            get_solution(&c, h);
        free(data);
        uint64_t next = claim(h, stopped);
        h->busy -= next == SIZE_MAX;
        ranks_send(from, &next, sizeof next);
        tell_in_order(h);
    }
}

static size_t ask(struct shared *h, size_t first)
{
    char *bytes = NULL;
    for (size_t i = first; i < end_of(h, first); i++)
        put_solution(&bytes, h->solutions, i);
    ranks_send(0, bytes, arrlenu(bytes));
    arrfree(bytes);
    uint32_t from;
    void *data;
    size_t size;
    uint64_t next = 0;
    ranks_receive(&from, &data, &size, true);
    memcpy(&next, data, sizeof next);
    free(data);
    return next;
}

size_t shared_next(struct shared *h, size_t first, bool stopped)
{
    if (ranks_rank() > 0)
        return ask(h, first);
    for (size_t i = first; i < end_of(h, first); i++) {
        h->done[i] = true;
        h->finished++;
    }
    tell_in_order(h);
    return claim(h, stopped);
}

void shared_finish(struct shared *h)
{
    while (h->busy)
        shared_serve(h, true, true);
    for (; h->answered < h->solutions->count; h->answered++)
        tell(h, h->answered);
}
