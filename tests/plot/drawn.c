#include "tests/plot/drawn.h"

#include <string.h>

#include "plot/plot.h"
#include "tests/problem/support.h"

// Every element that opens closes, in order; no control characters; no NaN.
static void expect_well_formed(const char *svg)
{
    const char *open[64];
    size_t sizes[64], depth = 0;
    for (const char *at = svg; *at; at++) {
        munit_assert_true((unsigned char)*at >= 32 || *at == '\n');
        if (*at == '&')
            munit_assert_true(!strncmp(at, "&lt;", 4) || !strncmp(at, "&amp;", 5));
        if (*at != '<')
            continue;
        const char *name = at + 1 + (at[1] == '/'), *end = strchr(at, '>');
        munit_assert_not_null(end);
        size_t size = strcspn(name, " />\n");
        if (at[1] == '/') {
            munit_assert_size(depth, >, 0);
            depth--;
            munit_assert_true(sizes[depth] == size && !memcmp(open[depth], name, size));
        } else if (end[-1] != '/') {
            munit_assert_size(depth, <, 64);
            open[depth] = name;
            sizes[depth++] = size;
        }
        at = end;
    }
    munit_assert_size(depth, ==, 0);
    munit_assert_null(strstr(svg, "nan"));
    munit_assert_null(strstr(svg, "inf\""));
}

struct text plot_drawn(const char *instance_json, const char *solution_json)
{
    struct instance instance = instance_of(instance_json);
    struct solution solution = { 0 };
    struct verdict verdict;
    if (solution_json) {
        solution = solution_of(&instance, solution_json);
        instance.problem->judge(&instance, &solution, &verdict);
    }
    struct text svg = { 0 };
    plot_write(&svg, &instance, solution_json ? &solution : NULL, solution_json ? &verdict : NULL);
    expect_well_formed(svg.data);
    solution_finish(&solution);
    instance_finish(&instance);
    return svg;
}
