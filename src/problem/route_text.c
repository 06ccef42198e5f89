#include "problem/route_text.h"

#include <math.h>
#include <stb/stb_ds.h>
#include <stdlib.h>
#include <string.h>

#include "util/alloc.h"
#include "util/error.h"
#include "util/scan.h"

// What a format calls the customers 1..n, and the depot, which is customer 0.
struct number {
    int64_t number;
    uint32_t customer;
};

struct numbering {
    struct number *by_customer, *by_number; // n + 1 each; the second is sorted
    size_t count;
};

enum { NONE = -1, BY_ID = 0 }; // no number: -1 ends a tour in these formats

static int compare(const void *a, const void *b)
{
    const struct number *x = a, *y = b;
    return (x->number > y->number) - (x->number < y->number);
}

static int64_t id_number(const struct node_id *id)
{
    return id->text || id->number < 0 ? NONE : id->number;
}

// Customers count from FIRST, or have the numbers of their ids. False when two nodes would share a number or a customer
// has none.
static bool try_numbers(struct numbering *numbering, const struct instance *instance, int64_t first, int64_t depot)
{
    if (first == BY_ID && !instance->ids)
        return false;
    numbering->by_customer[0] = (struct number){ depot, 0 };
    for (uint32_t i = 0; i < instance->n; i++) {
        int64_t number = first == BY_ID ? id_number(&instance->ids[i]) : first + i;
        if (number == NONE)
            return false;
        numbering->by_customer[i + 1] = (struct number){ number, i + 1 };
    }
    memcpy(numbering->by_number, numbering->by_customer, numbering->count * sizeof(struct number));
    qsort(numbering->by_number, numbering->count, sizeof(struct number), compare);
    for (size_t i = 1; i < numbering->count; i++) {
        if (numbering->by_number[i].number == numbering->by_number[i - 1].number)
            return false;
    }
    return true;
}

static void numbering_init(struct numbering *numbering, const struct instance *instance)
{
    numbering->count = (size_t)instance->n + 1;
    numbering->by_customer = xcalloc(numbering->count, sizeof(struct number));
    numbering->by_number = xcalloc(numbering->count, sizeof(struct number));
}

// Some programs write a depot 0 into routes of a .sol, so it is known where no customer has this number.
static void number_for_sol(struct numbering *numbering, const struct instance *instance)
{
    numbering_init(numbering, instance);
    if (!try_numbers(numbering, instance, BY_ID, 0) && !try_numbers(numbering, instance, BY_ID, NONE))
        try_numbers(numbering, instance, 1, 0);
}

static void number_for_tour(struct numbering *numbering, const struct instance *instance)
{
    numbering_init(numbering, instance);
    if (instance->problem->has_depot) {
        int64_t depot = instance->has_depot_id ? id_number(&instance->depot_id) : NONE;
        if (depot == NONE || !try_numbers(numbering, instance, instance->ids ? BY_ID : 1, depot))
            try_numbers(numbering, instance, 2, 1);
    } else if (!try_numbers(numbering, instance, BY_ID, NONE)) {
        try_numbers(numbering, instance, 1, NONE);
    }
}

static void numbering_finish(struct numbering *numbering)
{
    free(numbering->by_customer);
    free(numbering->by_number);
}

// The solution that a file's numbers add up to, and the route that is being read.
struct draft {
    struct scan scan;
    struct numbering numbering;
    struct solution *solution;
    struct route route;
};

#define WRONG(draft, ...) (fail(FAULT_INPUT, __VA_ARGS__), fail_within("line %lu", (draft)->scan.line))

static void end_route(struct draft *draft)
{
    if (arrlen(draft->route.stops))
        arrput(draft->solution->routes, draft->route);
    draft->route = (struct route){ 0 };
}

// Adds a number's customer to the route; the depot ends it.
static bool add_stop(struct draft *draft, int64_t number)
{
    const struct number key = { number, 0 };
    const struct number *found =
        number < 0 ? NULL
                   : bsearch(&key, draft->numbering.by_number, draft->numbering.count, sizeof(struct number), compare);
    if (!found)
        return WRONG(draft, "the instance has no node %lld", (long long)number);
    if (found->customer)
        arrput(draft->route.stops, found->customer);
    else
        end_route(draft);
    return true;
}

static bool next_number(struct draft *draft, struct span *line, int64_t *number, bool *ok)
{
    struct span word;
    if (!*ok || !span_word(line, &word))
        return false;
    if (!span_integer(word, number))
        *ok = WRONG(draft, "\"%.*s\" is not a node number", SPAN_SHOWN(word));
    return *ok;
}

static bool finish_draft(struct draft *draft, bool ok)
{
    end_route(draft);
    numbering_finish(&draft->numbering);
    if (!ok)
        solution_finish(draft->solution);
    return ok;
}

// "Route #1: 3 1 .." lines; other lines say things that the judge finds out for itself ("Cost 375").
static bool read_sol(struct draft *draft)
{
    struct span line;
    unsigned long routes = 0;
    while (scan_line(&draft->scan, &line)) {
        if (!span_begins(line, "Route"))
            continue;
        const char *colon = memchr(line.at, ':', line.size);
        if (!colon)
            return WRONG(draft, "a colon is missing behind \"Route\"");
        line.size -= (size_t)(colon + 1 - line.at);
        line.at = colon + 1;
        int64_t number;
        bool ok = true;
        while (next_number(draft, &line, &number, &ok))
            ok = add_stop(draft, number);
        if (!ok)
            return false;
        end_route(draft);
        routes++;
    }
    return routes || WRONG(draft, "the file ends without a line \"Route #1: ..\"");
}

bool sol_parse(const char *data, size_t size, const struct instance *instance, struct solution *solution)
{
    *solution = (struct solution){ 0 };
    struct draft draft = { .scan.rest = { data, size }, .solution = solution };
    number_for_sol(&draft.numbering, instance);
    return finish_draft(&draft, read_sol(&draft));
}

// Tours that end with -1, one or more of them; the section ends with a word or with the file.
static bool read_tour_section(struct draft *draft)
{
    struct span line;
    while (scan_line(&draft->scan, &line)) {
        if (line.size && !strchr("+-0123456789", line.at[0]))
            return true;
        int64_t number;
        bool ok = true;
        while (next_number(draft, &line, &number, &ok)) {
            if (number == NONE)
                end_route(draft);
            else
                ok = add_stop(draft, number);
        }
        if (!ok)
            return false;
    }
    return true;
}

static bool read_tour(struct draft *draft)
{
    struct span line;
    while (scan_line(&draft->scan, &line)) {
        if (span_begins(line, "TOUR_SECTION") || span_begins(line, "NODE_SEQUENCE_SECTION"))
            return read_tour_section(draft);
    }
    return WRONG(draft, "the file ends without TOUR_SECTION");
}

bool tour_parse(const char *data, size_t size, const struct instance *instance, struct solution *solution)
{
    *solution = (struct solution){ 0 };
    struct draft draft = { .scan.rest = { data, size }, .solution = solution };
    number_for_tour(&draft.numbering, instance);
    return finish_draft(&draft, read_tour(&draft));
}

// What a solution costs in the format's own metric where it has one, as published values do.
static double cost(const struct instance *instance, const struct verdict *verdict)
{
    if (instance->problem->maximise)
        return verdict->length;
    return verdict->has_rounded ? verdict->rounded : verdict->objective;
}

void sol_write(
    struct text *text, const struct instance *instance, const struct solution *solution, const struct verdict *verdict)
{
    struct numbering numbering;
    number_for_sol(&numbering, instance);
    for (ptrdiff_t r = 0; r < arrlen(solution->routes); r++) {
        const uint32_t *stops = solution->routes[r].stops;
        text_add(text, "Route #%td:", r + 1);
        for (ptrdiff_t i = 0; i < arrlen(stops); i++)
            text_add(text, " %lld", (long long)numbering.by_customer[stops[i]].number);
        text_add(text, "\n");
    }
    numbering_finish(&numbering);
    if (!arrlen(solution->routes))
        text_add(text, "Route #1:\n");
    if (instance->problem->maximise) {
        text_add(text, "Score ");
        text_add_real(text, verdict->objective);
        text_add(text, "\n");
    }
    text_add(text, "Cost ");
    text_add_real(text, cost(instance, verdict));
    text_add(text, "\n");
}

void tour_write(
    struct text *text, const struct instance *instance, const struct solution *solution, const struct verdict *verdict)
{
    struct numbering numbering;
    number_for_tour(&numbering, instance);
    bool has_depot = instance->problem->has_depot;
    text_add(text, "NAME : ");
    text_add_line(text, instance->name ? instance->name : instance->problem->name);
    text_add(text, ".tour\nCOMMENT : ");
    if (instance->problem->maximise) {
        text_add(text, "Score = ");
        text_add_real(text, verdict->objective);
        text_add(text, ", ");
    }
    text_add(text, instance->problem->columns & HAS_PENALTY ? "Cost = " : "Length = ");
    text_add_real(text, cost(instance, verdict));
    text_add(text, "\nTYPE : TOUR\nDIMENSION : %zu\nTOUR_SECTION\n", numbering.count - !has_depot);
    if (has_depot && !arrlen(solution->routes))
        text_add(text, "%lld\n", (long long)numbering.by_customer[0].number);
    for (ptrdiff_t r = 0; r < arrlen(solution->routes); r++) {
        const uint32_t *stops = solution->routes[r].stops;
        if (has_depot)
            text_add(text, "%lld\n", (long long)numbering.by_customer[0].number);
        for (ptrdiff_t i = 0; i < arrlen(stops); i++)
            text_add(text, "%lld\n", (long long)numbering.by_customer[stops[i]].number);
    }
    text_add(text, "-1\nEOF\n");
    numbering_finish(&numbering);
}
