// Mutated files against every reader: none may crash, hang, leak or grow, and instances that are read must be
// consistent.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <stb/stb_ds.h>

#include "format/csv.h"
#include "format/dataset.h"
#include "format/json.h"
#include "format/npz.h"
#include "format/route_text.h"
#include "format/tsplib.h"
#include "fuzz.h"
#include "problem/scale.h"
#include "util/alloc.h"
#include "util/error.h"
#include "util/file.h"

// The instance that solutions are read for.
static const struct instance *solved(void)
{
    static struct instance *instances;
    if (!instances) {
        char *data, *path = xformat("%s/sdvrp.json", fuzz_folder);
        size_t size;
        if (!file_read(path, FUZZ_INPUT_MAX, &data, &size) || !instances_from_json(data, size, 1, &instances))
            fuzz_broken(error_text());
        free(data);
        free(path);
    }
    return instances;
}

// An instance that was read can be judged, scaled, written, and read again unchanged.
static void use_instance(const struct instance *instance)
{
    fuzz_accept();
    struct solution nothing = { 0 };
    struct verdict verdict;
    instance->problem->judge(instance, &nothing, &verdict);
    struct scaled scaled;
    scaled_init(&scaled, instance);
    for (uint32_t i = 0; i < 2 * scaled.N; i++) {
        if (!(scaled.coords[i] >= 0 && scaled.coords[i] <= 1))
            fuzz_broken("a scaled coordinate is outside the unit square");
    }
    scaled_finish(&scaled);
    struct text first = { 0 }, second = { 0 };
    instance_to_json(&first, instance);
    struct instance *again = NULL;
    if (!instances_from_json(first.data, first.size, SIZE_MAX, &again) || arrlen(again) != 1)
        fuzz_broken("an instance that was written is not read");
    instance_to_json(&second, &again[0]);
    if (strcmp(first.data, second.data))
        fuzz_broken("an instance changes by being written and read");
    text_finish(&first);
    text_finish(&second);
    instance_finish(&again[0]);
    arrfree(again);
}

static void use_all(struct instance **instances, bool ok)
{
    if (!ok)
        fuzz_expect_sentence();
    for (ptrdiff_t i = 0; i < arrlen(*instances); i++) {
        use_instance(&(*instances)[i]);
        instance_finish(&(*instances)[i]);
    }
    arrfree(*instances);
}

static void read_instances(const char *data, size_t size)
{
    struct instance *instances = NULL;
    use_all(&instances, instances_from_json(data, size, SIZE_MAX, &instances));
}

static void read_npz(const char *data, size_t size)
{
    struct instance *instances = NULL;
    use_all(&instances, instances_from_npz(data, size, NULL, SIZE_MAX, &instances));
}

static void read_dataset(const char *data, size_t size)
{
    struct instance *instances = NULL;
    use_all(&instances, instances_from_dataset(data, size, NULL, SIZE_MAX, &instances));
}

// Two instances of each of the first problems.
static size_t make_files(struct span *files, bool (*write)(struct text *, const struct instance *, size_t))
{
    size_t count = 0;
    for (const struct problem *const *problem = problems; *problem && count < FUZZ_CORPUS; problem++) {
        struct instance list[2];
        struct text file = { 0 };
        for (uint32_t i = 0; i < 2; i++)
            (*problem)->generate(&list[i], &(struct distribution){ .n_min = 4, .n_max = 4, .prize = PRIZE_DIST }, 1, i);
        if (!write(&file, list, 2))
            fuzz_broken(error_text());
        files[count++] = (struct span){ file.data, file.size };
        instance_finish(&list[0]), instance_finish(&list[1]);
    }
    return count;
}

static size_t make_npz(struct span files[FUZZ_CORPUS])
{
    return make_files(files, instances_to_npz);
}

static size_t make_dataset(struct span files[FUZZ_CORPUS])
{
    return make_files(files, instances_to_dataset);
}

static void read_tsplib(const char *data, size_t size)
{
    struct instance instance;
    if (!tsplib_parse(data, size, &instance)) {
        fuzz_expect_sentence();
        return;
    }
    use_instance(&instance);
    instance_finish(&instance);
}

static void read_csv(const char *data, size_t size)
{
    struct instance instance;
    if (!csv_parse(data, size, NULL, &instance)) {
        fuzz_expect_sentence();
        return;
    }
    use_instance(&instance);
    instance_finish(&instance);
}

static void use_solution(struct solution *solution)
{
    fuzz_accept();
    struct verdict verdict;
    solved()->problem->judge(solved(), solution, &verdict);
    if (verdict.feasible == (verdict.violation[0] != 0))
        fuzz_broken("infeasible without a violation, or feasible with one");
    struct text text = { 0 };
    solution_to_json(&text, solved(), solution, &verdict, NULL);
    text_finish(&text);
    solution_finish(solution);
}

static void read_solutions(const char *data, size_t size)
{
    struct solution *solutions = NULL;
    if (!solutions_from_json(data, size, solved(), 1, &solutions))
        fuzz_expect_sentence();
    for (ptrdiff_t i = 0; i < arrlen(solutions); i++)
        use_solution(&solutions[i]);
    arrfree(solutions);
}

static void read_sol(const char *data, size_t size)
{
    struct solution solution;
    if (sol_parse(data, size, solved(), &solution))
        use_solution(&solution);
    else
        fuzz_expect_sentence();
}

static void read_tour(const char *data, size_t size)
{
    struct solution solution;
    if (tour_parse(data, size, solved(), &solution))
        use_solution(&solution);
    else
        fuzz_expect_sentence();
}

static const struct span tokens[] = { FUZZ_TOKEN("0"), FUZZ_TOKEN("-1"), FUZZ_TOKEN("1e308"), FUZZ_TOKEN("1e-320"),
    FUZZ_TOKEN("9223372036854775807"), FUZZ_TOKEN("99999999999999999999"), FUZZ_TOKEN("0.1"), FUZZ_TOKEN("NaN"),
    FUZZ_TOKEN("-Infinity"), FUZZ_TOKEN("null"), FUZZ_TOKEN("true"), FUZZ_TOKEN("\"\""), FUZZ_TOKEN("\"a\""),
    FUZZ_TOKEN("[]"), FUZZ_TOKEN("{}"), FUZZ_TOKEN("[[[["), FUZZ_TOKEN("}}"), FUZZ_TOKEN(","), FUZZ_TOKEN(":"),
    FUZZ_TOKEN("\"x\":"), FUZZ_TOKEN("\"demand\":"), FUZZ_TOKEN("\"id\":7,"), FUZZ_TOKEN("\"routes\":"),
    FUZZ_TOKEN("\\u0000"), FUZZ_TOKEN("\\ud800"), FUZZ_TOKEN("\xff"), FUZZ_TOKEN("\xef\xbb\xbf"), FUZZ_TOKEN("\n"),
    FUZZ_TOKEN("\r\n"), FUZZ_TOKEN(" "), FUZZ_TOKEN("EOF"), FUZZ_TOKEN("DIMENSION : "), FUZZ_TOKEN("DEPOT_SECTION"),
    FUZZ_TOKEN("-1\n"), FUZZ_TOKEN("CAPACITY : "), FUZZ_TOKEN("4294967296"), FUZZ_TOKEN("2147483648"),
    FUZZ_TOKEN("1e15"), FUZZ_TOKEN("1e100"), FUZZ_TOKEN("0x10"), { 0 } };

static const struct fuzz_reader readers[] = {
    { "json", read_instances,
        { "tsp.json", "cvrp.json", "sdvrp.json", "op.json", "pctsp.json", "spctsp.json", "several.jsonl" },
        .tokens = tokens },
    { "json-solution", read_solutions, { "sdvrp.solution.json", "routes.json" }, .tokens = tokens },
    { "tsplib", read_tsplib, { "ulysses16.tsp", "att48.tsp", "E-n22-k4.vrp", "berlin52-gen1-50.oplib" },
        .tokens = tokens },
    { "csv", read_csv, { "vans.csv", "op.csv" }, .tokens = tokens },
    { "npz", read_npz, .make = make_npz, .tokens = tokens },
    { "dataset", read_dataset, .make = make_dataset, .tokens = tokens },
    { "sol", read_sol, { "E-n22-k4.sol" }, .tokens = tokens },
    { "tour", read_tour, { "ulysses16.opt.tour" }, .tokens = tokens },
    { NULL },
};

int main(int argc, char **argv)
{
    int status = fuzz_main(argc, argv, readers);
    struct instance *last = (struct instance *)solved();
    instance_finish(last);
    arrfree(last);
    return status;
}
