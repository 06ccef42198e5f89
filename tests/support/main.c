// The main function of every program of tests.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "suite.h"

enum { SUITES_MAX = 64 };
static struct {
    MunitSuite suites[SUITES_MAX + 1]; // ends with a zeroed one
    size_t count;
} lists[2]; // the ordinary suites, the long ones

char *test_problem_names[] = { "tsp", "cvrp", "sdvrp", "op", "pctsp", "spctsp", NULL };
MunitParameterEnum every_problem[] = { { "problem", test_problem_names }, { NULL, NULL } };

void suite_add(const char *prefix, MunitTest *tests, bool is_long)
{
    if (lists[is_long].count == SUITES_MAX) {
        fprintf(stderr, "more than %d suites in one program\n", SUITES_MAX);
        abort();
    }
    lists[is_long].suites[lists[is_long].count++] =
        (MunitSuite){ (char *)prefix, tests, NULL, 1, MUNIT_SUITE_OPTION_NONE };
}

static int by_prefix(const void *a, const void *b)
{
    return strcmp(((const MunitSuite *)a)->prefix, ((const MunitSuite *)b)->prefix);
}

int main(int argc, char **argv)
{
    bool is_long = argc > 1 && !strcmp(argv[1], "long");
    qsort(lists[is_long].suites, lists[is_long].count, sizeof *lists[is_long].suites, by_prefix);
    MunitSuite all = { (char *)"", NULL, lists[is_long].suites, 1, MUNIT_SUITE_OPTION_NONE };
    return munit_suite_main(&all, NULL, argc - is_long, argv + is_long);
}
