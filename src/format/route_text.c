#include "format/route_text.h"

#include <math.h>
#include <stb/stb_ds.h>
#include <stdlib.h>
#include <string.h>

#include "problem/ids.h"
#include "util/scan.h"

// Numbers of customers and the depot in a format.
struct numbering {
    const struct instance *instance;
    bool by_id;
    int64_t first; // without ids: the number of customer 1
    int64_t depot;
    struct id_index index;
};

#define NOT_A_NODE (-1) // ends a tour in these formats

static int64_t id_number(const struct node_id *id)
{
    return id->text || id->number < 0 ? NOT_A_NODE : id->number;
}

static bool ids_are_numbers(const struct instance *instance)
{
    for (uint32_t i = 0; instance->ids && i < instance->n; i++) {
        if (id_number(&instance->ids[i]) == NOT_A_NODE)
            return false;
    }
    return instance->ids;
}

static uint32_t find_by_id(const struct numbering *numbering, int64_t number)
{
    return id_index_find(&numbering->index, &(struct node_id){ .number = number });
}

// Some programs write a depot 0 into the routes of a .sol, so 0 is the depot unless a customer has this number.
static void number_for_sol(struct numbering *numbering, const struct instance *instance)
{
    *numbering = (struct numbering){ instance, ids_are_numbers(instance), .first = 1 };
    id_index_init(&numbering->index, instance);
    if (numbering->by_id && find_by_id(numbering, 0))
        numbering->depot = NOT_A_NODE;
}

static void number_for_tour(struct numbering *numbering, const struct instance *instance)
{
    *numbering = (struct numbering){ instance, ids_are_numbers(instance), .first = 1, .depot = NOT_A_NODE };
    id_index_init(&numbering->index, instance);
    if (!instance->problem->has_depot)
        return;
    if (instance->has_depot_id && (numbering->by_id || !instance->ids))
        numbering->depot = id_number(&instance->depot_id);
    if (numbering->depot == NOT_A_NODE) {
        numbering->by_id = false;
        numbering->depot = 1;
        numbering->first = 2;
    }
}

static void numbering_finish(struct numbering *numbering)
{
    id_index_finish(&numbering->index);
}

static long long number_of(const struct numbering *numbering, uint32_t customer)
{
    return numbering->by_id ? numbering->instance->ids[customer - 1].number : numbering->first + customer - 1;
}

// The solution read so far, and the current route.
struct draft {
    struct scan scan;
    struct numbering numbering;
    struct solution *solution;
    struct route route;
};

#define WRONG(draft, ...) SCAN_WRONG((draft)->scan.line, __VA_ARGS__)

static void end_route(struct draft *draft)
{
    if (arrlen(draft->route.stops))
        arrput(draft->solution->routes, draft->route);
    draft->route = (struct route){ 0 };
}

// Adds a number's customer to the route; the depot ends it. The judge refuses numbers that no customer has, if they can
// be stored.
static bool add_stop(struct draft *draft, int64_t number)
{
    const struct numbering *numbering = &draft->numbering;
    if (number == numbering->depot) {
        end_route(draft);
        return true;
    }
    int64_t customer = -1;
    if (number >= 0)
        customer = numbering->by_id ? find_by_id(numbering, number) : number - numbering->first + 1;
    if (customer < !!numbering->by_id || customer > UINT32_MAX)
        return WRONG(draft, "the instance has no node %lld", (long long)number);
    arrput(draft->route.stops, (uint32_t)customer);
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

// Reads "Cost 375" or "Cost : 375"; for prizes "Score 375", as "Cost" is then the length.
static void read_claim(struct draft *draft, struct span line)
{
    const char *key = draft->numbering.instance->problem->maximise ? "Score" : "Cost";
    struct span word;
    if (!span_begins(line, key))
        return;
    line.at += strlen(key), line.size -= strlen(key);
    while (line.size && strchr(" \t:=", line.at[0]))
        line.at++, line.size--;
    if (span_word(&line, &word) && span_real(word, &draft->solution->claim))
        draft->solution->has_claim = true;
}

// Reads "Route #1: 3 1 .." lines and the stated objective; other lines are not needed.
static bool read_sol(struct draft *draft)
{
    struct span line;
    unsigned long routes = 0;
    while (scan_line(&draft->scan, &line)) {
        read_claim(draft, line);
        if (!span_begins(line, "Route"))
            continue;
        const char *colon = memchr(line.at, ':', line.size);
        if (!colon)
            return WRONG(draft, "missing colon after \"Route\"");
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
    return routes || WRONG(draft, "file has no line \"Route #1: ..\"");
}

bool sol_parse(const char *data, size_t size, const struct instance *instance, struct solution *solution)
{
    *solution = (struct solution){ 0 };
    struct draft draft = { .scan.rest = { data, size }, .solution = solution };
    number_for_sol(&draft.numbering, instance);
    return finish_draft(&draft, read_sol(&draft));
}

// Reads one or more tours that end with -1; a word or the end of the file ends the section.
static bool read_tour_section(struct draft *draft)
{
    struct span line;
    while (scan_line(&draft->scan, &line)) {
        if (line.size && !strchr("+-0123456789", line.at[0]))
            return true;
        int64_t number;
        bool ok = true;
        while (next_number(draft, &line, &number, &ok)) {
            if (number == NOT_A_NODE)
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
    return WRONG(draft, "file has no TOUR_SECTION");
}

bool tour_parse(const char *data, size_t size, const struct instance *instance, struct solution *solution)
{
    *solution = (struct solution){ 0 };
    struct draft draft = { .scan.rest = { data, size }, .solution = solution };
    number_for_tour(&draft.numbering, instance);
    return finish_draft(&draft, read_tour(&draft));
}

// Returns the objective in the format's metric if it has one, as published values do.
static double cost(const struct instance *instance, const struct verdict *verdict)
{
    if (instance->problem->maximise)
        return verdict->has_rounded ? verdict->rounded_length : verdict->length;
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
            text_add(text, " %lld", number_of(&numbering, stops[i]));
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
    text_add(text, instance->problem->objective & QUANTITY_PENALTY ? "Cost = " : "Length = ");
    text_add_real(text, cost(instance, verdict));
    text_add(text, "\nTYPE : TOUR\nDIMENSION : %lld\nTOUR_SECTION\n", (long long)instance->n + has_depot);
    if (has_depot && !arrlen(solution->routes))
        text_add(text, "%lld\n", (long long)numbering.depot);
    for (ptrdiff_t r = 0; r < arrlen(solution->routes); r++) {
        const uint32_t *stops = solution->routes[r].stops;
        if (has_depot)
            text_add(text, "%lld\n", (long long)numbering.depot);
        for (ptrdiff_t i = 0; i < arrlen(stops); i++)
            text_add(text, "%lld\n", number_of(&numbering, stops[i]));
    }
    text_add(text, "-1\nEOF\n");
    numbering_finish(&numbering);
}
