#include "fuzz.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "util/alloc.h"
#include "util/error.h"
#include "util/file.h"
#include "util/rng.h"

#define SECONDS_MAX   20          // for one input; sanitizers on a busy machine included
#define MEMORY_MAX_KB (768 << 10) // of the whole process, likewise

const char *fuzz_folder;

// The text being read, for a report.
static struct {
    const char *reader;
    unsigned input, accepted;
} now;

void fuzz_broken(const char *what)
{
    fprintf(stderr, "fuzz: %s\n", what);
    abort();
}

void fuzz_accept(void)
{
    now.accepted++;
}

void fuzz_expect_sentence(void)
{
    if (error_fault() != FAULT_INPUT || !error_text()[0])
        fuzz_broken("refused without a sentence about the input");
    error_clear();
}

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
    const struct span *tokens;
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
    if (m->size - size + count > FUZZ_INPUT_MAX)
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
    size_t count = 0;
    while (m->tokens[count].at)
        count++;
    struct span token = m->tokens[below(m, count)];
    splice(m, at, size, token.at, token.size);
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

static void run_input(const struct fuzz_reader *reader, const struct span *corpus, size_t count, unsigned input)
{
    struct mutator m = { reader->tokens, { 1234, 7, input, 0 }, .data = xcalloc(FUZZ_INPUT_MAX, 1) };
    struct span base = corpus[below(&m, count)], other = corpus[below(&m, count)];
    memcpy(m.data, base.at, base.size);
    m.size = base.size;
    for (uint32_t times = below(&m, 2) ? 1 : 2 + below(&m, 5); times > 0; times--)
        mutate(&m, other.at, other.size);
    char *exact = xcalloc(m.size, 1); // so that a byte too many is seen
    memcpy(exact, m.data, m.size);
    alarm(SECONDS_MAX);
    reader->read(exact, m.size);
    alarm(0);
    free(exact);
    free(m.data);
}

static size_t read_corpus(const struct fuzz_reader *reader, struct span corpus[FUZZ_CORPUS])
{
    size_t count = 0;
    for (; count < FUZZ_CORPUS && reader->corpus[count]; count++) {
        char *data, *path = xformat("%s/%s", fuzz_folder, reader->corpus[count]);
        if (!file_read(path, FUZZ_INPUT_MAX, &data, &corpus[count].size))
            fuzz_broken(error_text());
        corpus[count].at = data;
        free(path);
    }
    return count;
}

static void run_reader(const struct fuzz_reader *reader, unsigned from, unsigned count)
{
    struct span corpus[FUZZ_CORPUS] = { 0 };
    size_t corpus_count = reader->make ? reader->make(corpus) : read_corpus(reader, corpus);
    now.reader = reader->name;
    now.accepted = 0;
    for (now.input = from; now.input - from < count; now.input++)
        run_input(reader, corpus, corpus_count, now.input);
    for (size_t i = 0; i < corpus_count; i++)
        free((char *)corpus[i].at);
    printf("%s: %u inputs from %zu, %u values accepted\n", reader->name, count, corpus_count, now.accepted);
}

int fuzz_main(int argc, char **argv, const struct fuzz_reader *readers)
{
    if (argc < 3)
        fuzz_broken("usage: FOLDER COUNT [READER [FROM]]");
    fuzz_folder = argv[1];
    const int signals[] = { SIGALRM, SIGSEGV, SIGABRT, SIGFPE, SIGBUS, SIGILL };
    for (size_t i = 0; i < sizeof signals / sizeof signals[0]; i++)
        signal(signals[i], on_signal);
    for (const struct fuzz_reader *reader = readers; reader->name; reader++) {
        if (argc < 4 || !strcmp(argv[3], reader->name))
            run_reader(reader, argc > 4 ? (unsigned)atoi(argv[4]) : 0, (unsigned)atoi(argv[2]));
    }
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    printf("at most %ld MiB\n", usage.ru_maxrss >> 10);
    if (usage.ru_maxrss > MEMORY_MAX_KB)
        fuzz_broken("too much memory");
    return 0;
}
