// Measures quality and speed for development; not a test.
//   measure FILE seconds [threads [iterations [seed]]]      a TSPLIB, CVRPLIB or OPLib file
//   measure PROBLEM:N:COUNT seconds [threads ...]           mean over generated instances
//   measure PROBLEM:N:COUNT local                           local search from plans that go to the nearest customer
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include <stb/stb_ds.h>

#include "format/files.h"
#include "improve/improve.h"
#include "problem/generate.h"
#include "util/clock.h"
#include "util/error.h"

static double cpu_seconds(void)
{
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return (double)usage.ru_utime.tv_sec + 1e-6 * (double)usage.ru_utime.tv_usec;
}

static double cpu_clock(void *user) // time that this process really gets, for all its threads
{
    return cpu_seconds() / *(double *)user;
}

static double solve(struct instance *instance, char **argv, int argc, struct improve_result *result)
{
    double threads = argc > 3 ? atof(argv[3]) : 2;
    struct improve_options options = { .seed = argc > 5 ? (uint64_t)atoll(argv[5]) : 1,
        .threads = (uint32_t)threads,
        .iterations = argc > 4 ? (uint64_t)atoll(argv[4]) : 0,
        .clock = cpu_clock,
        .clock_user = &threads };
    double seconds = atof(argv[2]);
    if (seconds > 0)
        options.deadline = cpu_clock(&threads) + seconds;
    improve_full(instance, NULL, 0, &options, result);
    struct verdict verdict;
    instance->problem->judge(instance, &result->solution, &verdict);
    if (!verdict.feasible)
        printf("INFEASIBLE: %s\n", verdict.violation);
    return verdict.has_rounded ? verdict.rounded : verdict.objective;
}

// On to the nearest customer that fits; every other one by the second nearest, so that plans differ.
static struct solution nearest(const struct instance *instance, unsigned variant)
{
    struct solution solution = { 0 };
    struct route route = { 0 };
    bool *done = calloc(instance->n, sizeof *done);
    struct point at = instance->problem->has_depot ? instance->depot : instance->nodes[0];
    int64_t room = instance->capacity;
    for (uint32_t left = instance->n; left;) {
        uint32_t best = UINT32_MAX, second = UINT32_MAX;
        double first = INFINITY;
        for (uint32_t i = 0; i < instance->n; i++) {
            double length = hypot(at.x - instance->nodes[i].x, at.y - instance->nodes[i].y);
            if (!done[i] && length < first && (!instance->demand || instance->demand[i] <= room))
                second = best, best = i, first = length;
        }
        if (best == UINT32_MAX) {
            arrput(solution.routes, route);
            route = (struct route){ 0 };
            room = instance->capacity, at = instance->depot;
            continue;
        }
        if ((left + variant) % 9 == 0 && second != UINT32_MAX)
            best = second;
        done[best] = true, left--, at = instance->nodes[best];
        room -= instance->demand ? instance->demand[best] : 0;
        arrput(route.stops, best + 1);
    }
    arrput(solution.routes, route);
    free(done);
    return solution;
}

static void measure_local(const struct instance *instance, double sums[4])
{
    enum { PLANS = 50 };
    struct solution plans[PLANS];
    struct verdict verdict;
    for (unsigned i = 0; i < PLANS; i++) {
        plans[i] = nearest(instance, i);
        instance->problem->judge(instance, &plans[i], &verdict);
        sums[0] += verdict.objective / PLANS;
    }
    double start = cpu_seconds();
    struct improve_options options = { 0 };
    improve_local(instance, plans, PLANS, &options);
    sums[1] += (cpu_seconds() - start) / PLANS;
    double best = INFINITY;
    for (unsigned i = 0; i < PLANS; i++) {
        instance->problem->judge(instance, &plans[i], &verdict);
        sums[2] += verdict.objective / PLANS;
        best = fmin(best, verdict.objective);
        solution_finish(&plans[i]);
    }
    sums[3] += best;
}

int main(int argc, char **argv)
{
    char name[32];
    unsigned n, count;
    if (argc < 3)
        return 2;
    if (sscanf(argv[1], "%31[a-z]:%u:%u", name, &n, &count) == 3) {
        const struct problem *problem = problem_by_name(name);
        struct distribution distribution = { .n_min = n, .n_max = n, .prize = PRIZE_DIST };
        double sum = 0, start = cpu_seconds(), constructed = 0;
        uint64_t iterations = 0;
        double sums[4] = { 0 };
        for (unsigned i = 0; i < count; i++) {
            struct instance instance;
            struct improve_result result;
            problem->generate(&instance, &distribution, 7, i);
            if (!strcmp(argv[2], "local")) {
                measure_local(&instance, sums);
                instance_finish(&instance);
                continue;
            }
            double value = solve(&instance, argv, argc, &result);
            sum += value;
            if (getenv("EACH"))
                printf("%.6f\n", value);
            constructed += result.constructed;
            iterations += result.iterations;
            solution_finish(&result.solution);
            instance_finish(&instance);
        }
        if (!strcmp(argv[2], "local")) {
            printf("%-24s %.4f to %.4f (best of 50: %.4f), %.3f ms each\n", argv[1], sums[0] / count, sums[2] / count,
                sums[3] / count, 1e3 * sums[1] / count);
            return 0;
        }
        printf("%-24s %.5f from %.4f, %.0f iterations, %.2f cpu s each\n", argv[1], sum / count, constructed / count,
            (double)iterations / count, (cpu_seconds() - start) / count);
        return 0;
    }
    struct instance *instances = NULL;
    if (!instances_read(argv[1], 1, &instances)) {
        printf("%s\n", error_text());
        return 2;
    }
    double best = 0, start = cpu_seconds();
    char *path = strdup(argv[1]), *dot = strrchr(path, '.');
    strcpy(dot, ".sol");
    FILE *file = fopen(path, "r");
    char line[100000];
    while (file && fgets(line, sizeof line, file))
        sscanf(line, "Cost %lf", &best);
    static const struct {
        const char *name;
        double best;
    } known[] = { { "eil101", 629 }, { "pr152", 73682 }, { "kroA200", 29368 }, { "pr299", 48191 }, { "rat783", 8806 },
        { "pr1002", 259045 } };
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        best = strstr(argv[1], known[i].name) ? known[i].best : best;
    struct improve_result result;
    double value = solve(&instances[0], argv, argc, &result);
    printf("%-20s %.0f gap %.2f %% from %.1f, %llu iterations, %.2f cpu s\n", strrchr(argv[1], '/') + 1, value,
        100 * (value / best - 1), result.constructed, (unsigned long long)result.iterations, cpu_seconds() - start);
    return 0;
}
