// Mutated files against every reader: none may crash, hang, leak or grow, and what is read must hold together.
//
//   fuzz FOLDER COUNT [READER [FROM]]
//
// mutates COUNT inputs for each reader (or the one named) from the corpus in FOLDER. Input number k depends on k alone,
// so a failure, which prints its number, is repeated by `fuzz FOLDER 1 READER k`.
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include <stb/stb_ds.h>

#include "problem/json.h"
#include "problem/route_text.h"
#include "problem/scale.h"
#include "problem/tsplib.h"
#include "util/alloc.h"
#include "util/error.h"
#include "util/file.h"
#include "util/rng.h"

#define INPUT_MAX     (1 << 16)
#define SECONDS_MAX   20          // for one input; sanitizers on a busy machine included
#define MEMORY_MAX_KB (768 << 10) // of the whole process, likewise

static const char *folder;

// What is being read, for a report.
static struct {
    const char *reader;
    unsigned input, accepted;
} now;

static _Noreturn void broken(const char *what)
{
    fprintf(stderr, "fuzz: %s\n", what);
    abort();
}

// The instance that solutions are read for.
static const struct instance *solved(void)
{
    static struct instance *instances;
    if (!instances) {
        char *data, *path = xformat("%s/sdvrp.json", folder);
        size_t size;
        if (!file_read(path, INPUT_MAX, &data, &size) || !instances_from_json(data, size, 1, &instances))
            broken(error_text());
        free(data);
        free(path);
    }
    return instances;
}

// A refusal is one sentence about the input.
static void expect_sentence(void)
{
    if (error_fault() != FAULT_INPUT || !error_text()[0])
        broken("refused without a sentence about the input");
    error_clear();
}

// What was read can be judged, scaled, written, and read again as the same.
static void use_instance(const struct instance *instance)
{
    now.accepted++;
    struct solution nothing = { 0 };
    struct verdict verdict;
    instance->problem->judge(instance, &nothing, &verdict);
    struct scaled scaled;
    scaled_init(&scaled, instance);
    for (uint32_t i = 0; i < 2 * scaled.N; i++) {
        if (!(scaled.coords[i] >= 0 && scaled.coords[i] <= 1))
            broken("a scaled coordinate is outside the unit square");
    }
    scaled_finish(&scaled);
    struct text first = { 0 }, second = { 0 };
    instance_to_json(&first, instance);
    struct instance *again = NULL;
    if (!instances_from_json(first.data, first.size, SIZE_MAX, &again) || arrlen(again) != 1)
        broken("an instance that was written is not read");
    instance_to_json(&second, &again[0]);
    if (strcmp(first.data, second.data))
        broken("an instance changes by being written and read");
    text_finish(&first);
    text_finish(&second);
    instance_finish(&again[0]);
    arrfree(again);
}

static void read_instances(const char *data, size_t size)
{
    struct instance *instances = NULL;
    if (!instances_from_json(data, size, SIZE_MAX, &instances))
        expect_sentence();
    for (ptrdiff_t i = 0; i < arrlen(instances); i++) {
        use_instance(&instances[i]);
        instance_finish(&instances[i]);
    }
    arrfree(instances);
}

static void read_tsplib(const char *data, size_t size)
{
    struct instance instance;
    if (!tsplib_parse(data, size, &instance)) {
        expect_sentence();
        return;
    }
    use_instance(&instance);
    instance_finish(&instance);
}

static void use_solution(struct solution *solution)
{
    now.accepted++;
    struct verdict verdict;
    solved()->problem->judge(solved(), solution, &verdict);
    if (verdict.feasible == (verdict.violation[0] != 0))
        broken("infeasible without a violation, or the other way round");
    struct text text = { 0 };
    solution_to_json(&text, solved(), solution, &verdict, NULL);
    text_finish(&text);
    solution_finish(solution);
}

static void read_solutions(const char *data, size_t size)
{
    struct solution *solutions = NULL;
    if (!solutions_from_json(data, size, solved(), 1, &solutions))
        expect_sentence();
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
        expect_sentence();
}

static void read_tour(const char *data, size_t size)
{
    struct solution solution;
    if (tour_parse(data, size, solved(), &solution))
        use_solution(&solution);
    else
        expect_sentence();
}

static const struct reader {
    const char *name;
    void (*read)(const char *data, size_t size);
    const char *corpus[8]; // files in the folder
} readers[] = {
    { "json", read_instances,
        { "tsp.json", "cvrp.json", "sdvrp.json", "op.json", "pctsp.json", "spctsp.json", "several.jsonl" } },
    { "json-solution", read_solutions, { "sdvrp.solution.json", "routes.json" } },
    { "tsplib", read_tsplib, { "ulysses16.tsp", "att48.tsp", "E-n22-k4.vrp", "berlin52-gen1-50.oplib" } },
    { "sol", read_sol, { "E-n22-k4.sol" } },
    { "tour", read_tour, { "ulysses16.opt.tour" } },
};

static void on_signal(int number)
{
    char line[160];
    int size = snprintf(line, sizeof line, "fuzz: signal %d in reader %s at input %u\n", number, now.reader, now.input);
    if (write(STDERR_FILENO, line, (size_t)size) < 0)
        _exit(2);
    signal(number, SIG_DFL);
    raise(number);
}

struct mutator {
    struct rng rng;
    uint32_t step;
    char *data;
    size_t size;
};

static uint32_t below(struct mutator *m, size_t count)
{
    uint32_t number[4];
    rng_draw(&m->rng, m->step++, number);
    return (uint32_t)((uint64_t)number[0] * count >> 32);
}

// Replaces SIZE bytes at AT by the COUNT bytes of WITH.
static void splice(struct mutator *m, size_t at, size_t size, const char *with, size_t count)
{
    if (m->size - size + count > INPUT_MAX)
        return;
    char *copy = xcalloc(count, 1);
    memcpy(copy, with, count); // WITH may be part of the data
    memmove(m->data + at + count, m->data + at + size, m->size - at - size);
    memcpy(m->data + at, copy, count);
    m->size += count - size;
    free(copy);
}

static void put_token(struct mutator *m, size_t at, size_t size)
{
    static const char *const tokens[] = { "0", "-1", "1e308", "1e-320", "9223372036854775807", "99999999999999999999",
        "0.1", "NaN", "-Infinity", "null", "true", "\"\"", "\"a\"", "[]", "{}", "[[[[", "}}", ",", ":",
        "\"x\":", "\"demand\":", "\"id\":7,", "\"routes\":", "\\u0000", "\\ud800", "\xff", "\xef\xbb\xbf", "\n", "\r\n",
        " ", "EOF", "DIMENSION : ", "DEPOT_SECTION", "-1\n", "CAPACITY : ", "4294967296", "2147483648", "1e15", "1e100",
        "0x10" };
    const char *token = tokens[below(m, sizeof tokens / sizeof tokens[0])];
    splice(m, at, size, token, strlen(token));
}

static void mutate(struct mutator *m, const char *other, size_t other_size)
{
    size_t at = below(m, m->size + 1), size = below(m, m->size - at + 1);
    if (below(m, 4))
        size = size % 12;
    switch (below(m, 14)) {
    case 0: // one bit
        if (at < m->size)
            m->data[at] = (char)(m->data[at] ^ 1 << below(m, 8));
        break;
    case 1: // any byte
        if (at < m->size)
            m->data[at] = (char)below(m, 256);
        break;
    case 2:
        splice(m, at, size, "", 0);
        break;
    case 3: // a piece twice
        splice(m, at, 0, m->data + at, size);
        break;
    case 4:
        put_token(m, at, 0);
        break;
    default: // a token instead of a word or number, the change that gets farthest
        for (size = 0; at + size < m->size && !strchr(" ,:[]{}\n", m->data[at + size]); size++)
            continue;
        put_token(m, at, size);
        break;
    case 6: // the file ends early
        m->size = at;
        break;
    case 7: // a piece of another file
        if (other_size) {
            size_t from = below(m, other_size);
            splice(m, at, size, other + from, below(m, other_size - from) % 200);
        }
        break;
    case 8: // a piece many times
        size %= 40;
        for (uint32_t times = below(m, 200); times > 0; times--)
            splice(m, at, 0, m->data + at, size);
        break;
    }
}

struct file {
    char *data;
    size_t size;
};

static void run_input(const struct reader *reader, const struct file *files, size_t count, unsigned input)
{
    struct mutator m = { .rng = { 1234, 7, input, 0 }, .data = xcalloc(INPUT_MAX, 1) };
    const struct file *base = &files[below(&m, count)], *other = &files[below(&m, count)];
    memcpy(m.data, base->data, base->size);
    m.size = base->size;
    for (uint32_t times = below(&m, 2) ? 1 : 2 + below(&m, 5); times > 0; times--)
        mutate(&m, other->data, other->size);
    char *exact = xcalloc(m.size, 1); // so that a byte too many is seen
    memcpy(exact, m.data, m.size);
    alarm(SECONDS_MAX);
    reader->read(exact, m.size);
    alarm(0);
    free(exact);
    free(m.data);
}

static void run_reader(const struct reader *reader, unsigned from, unsigned count)
{
    struct file files[8] = { 0 };
    size_t file_count = 0;
    for (; file_count < 8 && reader->corpus[file_count]; file_count++) {
        char *path = xformat("%s/%s", folder, reader->corpus[file_count]);
        if (!file_read(path, INPUT_MAX, &files[file_count].data, &files[file_count].size))
            broken(error_text());
        free(path);
    }
    now.reader = reader->name;
    now.accepted = 0;
    for (now.input = from; now.input - from < count; now.input++)
        run_input(reader, files, file_count, now.input);
    for (size_t i = 0; i < file_count; i++)
        free(files[i].data);
    printf("%s: %u inputs from %zu files, %u values accepted\n", reader->name, count, file_count, now.accepted);
}

int main(int argc, char **argv)
{
    if (argc < 3)
        broken("usage: fuzz FOLDER COUNT [READER [FROM]]");
    folder = argv[1];
    const int signals[] = { SIGALRM, SIGSEGV, SIGABRT, SIGFPE, SIGBUS, SIGILL };
    for (size_t i = 0; i < sizeof signals / sizeof signals[0]; i++)
        signal(signals[i], on_signal);
    for (size_t i = 0; i < sizeof readers / sizeof readers[0]; i++) {
        if (argc < 4 || !strcmp(argv[3], readers[i].name))
            run_reader(&readers[i], argc > 4 ? (unsigned)atoi(argv[4]) : 0, (unsigned)atoi(argv[2]));
    }
    struct instance *last = (struct instance *)solved();
    instance_finish(last);
    arrfree(last);
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    printf("at most %ld MiB\n", usage.ru_maxrss >> 10);
    if (usage.ru_maxrss > MEMORY_MAX_KB)
        broken("too much memory");
    return 0;
}
