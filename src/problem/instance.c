#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <stb/stb_ds.h>

#include "problem/problem.h"
#include "util/alloc.h"
#include "util/error.h"

void instance_init(struct instance *instance, const struct problem *problem, uint32_t n)
{
    *instance = (struct instance){ .problem = problem, .n = n, .demand_scale = 1 };
    instance->nodes = xcalloc(n, sizeof *instance->nodes);
    FOR_COLUMNS(column, problem)
    {
        if (column->per_node) // doubles or int64_t
            *(void **)((char *)instance + column->at) = xcalloc(n, sizeof(double));
    }
}

void instance_finish(struct instance *instance)
{
    for (uint32_t i = 0; instance->ids && i < instance->n; i++)
        free(instance->ids[i].text);
    for (ptrdiff_t i = 0; i < arrlen(instance->warnings); i++)
        free(instance->warnings[i]);
    arrfree(instance->warnings);
    free(instance->depot_id.text);
    free(instance->ids);
    for (size_t k = 0; k < EXTRA_COLUMNS; k++)
        free(instance->extra[k]);
    free(instance->penalty);
    free(instance->real_prize);
    free(instance->prize);
    free(instance->demand_given);
    free(instance->demand);
    free(instance->nodes);
    free(instance->distances);
    free(instance->plane);
    free(instance->name);
    *instance = (struct instance){ 0 };
}

double *instance_values(const struct instance *instance, const struct column *column)
{
    const char *member = (const char *)instance + column->at;
    return column->per_node ? *(double *const *)member : (double *)member;
}

double instance_value(const struct instance *instance, const struct column *column, uint32_t i)
{
    if (column->unit == UNIT_LOAD)
        return column->per_node ? instance_demand(instance, i) : instance_capacity(instance);
    return instance_values(instance, column)[column->per_node ? i : 0];
}

void instance_warn(struct instance *instance, const char *format, ...)
{
    char text[512];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    arrput(instance->warnings, xstrdup(text));
}

const char *instance_label(const struct instance *instance, uint32_t i, char label[LABEL_SIZE])
{
    const char *text = instance->ids ? instance->ids[i].text : NULL;
    size_t size = text ? strlen(text) : 0, max_size = LABEL_SIZE - 1;
    if (!text) {
        snprintf(label, LABEL_SIZE, "%lld", instance->ids ? (long long)instance->ids[i].number : i + 1LL);
    } else if (size <= max_size) {
        memcpy(label, text, size + 1);
    } else {
        for (size = max_size - 2; size && ((unsigned char)text[size] & 0xC0) == 0x80;) // not inside a UTF-8 character
            size--;
        snprintf(label, LABEL_SIZE, "%.*s..", (int)size, text);
    }
    return label;
}

bool instance_fail(const struct instance *instance, const char *column, uint32_t i, const char *format, ...)
{
    char text[512], label[LABEL_SIZE];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    bool json = instance->layout != LAYOUT_NAMES, is_point = !strcmp(column, "nodes");
    const char *own = strcmp(column, "ids") ? column : "id"; // key in the node's own object
    if (i == INSTANCE_WIDE)
        return fail(FAULT_INPUT, "%s%s: %s", json ? "/" : "", column, text);
    if (!json)
        return fail(
            FAULT_INPUT, "%s of node %s: %s", is_point ? "coordinates" : own, instance_label(instance, i, label), text);
    if (instance->layout == LAYOUT_OBJECTS && !is_point)
        return fail(FAULT_INPUT, "/nodes/%u/%s: %s", i, own, text);
    return fail(FAULT_INPUT, "/%s/%u: %s", column, i, text);
}

void solution_finish(struct solution *solution)
{
    for (ptrdiff_t r = 0; r < arrlen(solution->routes); r++) {
        arrfree(solution->routes[r].stops);
        arrfree(solution->routes[r].amounts);
    }
    arrfree(solution->routes);
}
