// Measures decoders, beams, merging and other views, on average over COUNT instances of each problem:
//
//   beam_table COUNT
//
// Prints a table of mean costs. Fails where more candidates give a worse best although the fewer are among them, or
// where more effort is worse on average.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "model/initial.h"
#include "search/search.h"
#include "util/alloc.h"
#include "util/error.h"

enum { DECODERS = 3, N = 10 };

struct row {
    const char *name;
    uint32_t M;
    struct decoding decoding;
    int contains; // the row whose candidates are all among this one's; -1: none
    int beats;    // the row that this one is better than on average
};

#define BEAM(width_, merge_, augment_)                                                                                 \
    {                                                                                                                  \
        .decode = MDAM_DECODE_BEAM, .width = width_, .expand = 3, .merge = merge_, .augment = augment_                 \
    }
static const struct row rows[] = {
    { "greedy, one decoder", 1, { .decode = MDAM_DECODE_GREEDY, .augment = 1 }, -1, -1 },
    { "greedy, three decoders", DECODERS, { .decode = MDAM_DECODE_GREEDY, .augment = 1 }, 0, 0 },
    { "beam 5, no merging", DECODERS, BEAM(5, false, 1), -1, 1 },
    { "beam 5", DECODERS, BEAM(5, true, 1), -1, 2 },
    { "beam 30, one decoder", 1, BEAM(30, true, 1), -1, 0 },
    { "beam 30", DECODERS, BEAM(30, true, 1), 4, 3 },
    { "beam 30, eight views", DECODERS, BEAM(30, true, 8), 5, 5 },
};
enum { ROWS = sizeof rows / sizeof *rows };

static void die(void)
{
    fprintf(stderr, "beam_table: %s\n", error_text());
    exit(EXIT_FAILURE);
}

static struct model *open_model(struct gpu *gpu, const struct problem *problem, uint32_t M)
{
    struct config config = { .problem = problem, .D = 16, .H = 2, .F = 32, .L = 2, .M = M, .p = 4 };
    struct weights weights;
    struct model *model = NULL;
    weights_draw(&weights, &config, 3); // decoders have the same weights however many there are
    if (!model_create(&model, gpu, &config) || !model_load(model, &weights))
        die();
    weights_finish(&weights);
    return model;
}

// The cost of every instance, minimised, (count).
static double *costs_of(struct gpu *gpu, const struct row *row, const struct instance *instances, size_t count)
{
    const struct problem *problem = instances[0].problem;
    struct model *model = open_model(gpu, problem, row->M);
    struct search_result *results = xcalloc(count, sizeof *results);
    struct search_options options = { .decoding = row->decoding, .improve = MDAM_IMPROVE_OFF };
    double *cost = xcalloc(count, sizeof *cost);
    const struct deadline never = deadline_never();
    struct search *search = NULL;
    size_t refused;
    if (!search_create(&search, model, instances, count, &options, &refused) || !search_run(search, &never, results))
        die();
    search_destroy(&search);
    for (size_t i = 0; i < count; i++) {
        cost[i] = problem->maximise ? -results[i].verdict.objective : results[i].verdict.objective;
        search_result_finish(&results[i]);
    }
    free(results);
    model_destroy(&model);
    return cost;
}

static double mean_of(const double *cost, size_t count)
{
    double sum = 0;
    for (size_t i = 0; i < count; i++)
        sum += cost[i];
    return sum / (double)count;
}

static int compare(const struct problem *problem, double *const *costs, size_t count)
{
    int wrong = 0;
    printf("%s\n", problem->name);
    for (int r = 0; r < ROWS; r++) {
        const struct row *row = &rows[r];
        size_t worse = 0;
        double mean = mean_of(costs[r], count);
        // Candidates are compared in single precision, and verdicts are in double precision.
        for (size_t i = 0; row->contains >= 0 && i < count; i++)
            worse += costs[r][i] > costs[row->contains][i] + 1e-5 * fabs(costs[row->contains][i]);
        bool beaten = row->beats >= 0 && !(mean < mean_of(costs[row->beats], count));
        printf("  %-24s %9.5f%s%s\n", row->name, mean, worse ? "  worse for some" : "", beaten ? "  no better" : "");
        wrong += worse > 0 || beaten;
    }
    return wrong;
}

int main(int argc, char **argv)
{
    size_t count = argc > 1 ? strtoul(argv[1], NULL, 10) : 100;
    struct gpu *gpu;
    int wrong = 0;
    if (!gpu_open(&gpu, NULL))
        die();
    for (const struct problem *const *problem = problems; *problem; problem++) {
        struct instance *instances = xcalloc(count, sizeof *instances);
        double *costs[ROWS];
        for (size_t i = 0; i < count; i++)
            (*problem)->generate(&instances[i], &(struct distribution){ N, N, .prize = PRIZE_UNIF }, 5, (uint32_t)i);
        for (int r = 0; r < ROWS; r++)
            costs[r] = costs_of(gpu, &rows[r], instances, count);
        wrong += compare(*problem, costs, count);
        for (int r = 0; r < ROWS; r++)
            free(costs[r]);
        for (size_t i = 0; i < count; i++)
            instance_finish(&instances[i]);
        free(instances);
        fflush(stdout);
    }
    gpu_close(&gpu);
    printf("%d wrong\n", wrong);
    return wrong ? EXIT_FAILURE : EXIT_SUCCESS;
}
