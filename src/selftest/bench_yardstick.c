// Loads OpenBLAS when a benchmark needs it; the program does not depend on it.
#include <dlfcn.h>
#include <stdlib.h>
#include <time.h>

#include "selftest/bench.h"
#include "util/alloc.h"
#include "util/clock.h"

enum { ROWS = 10752, INPUTS = 128, OUTPUTS = 512, THREADS = 2 };
enum { TRIES = 40, TRIES_IN_VAIN = 8 };         // ends when the best time has not improved for a while
enum { ROW_MAJOR = 101, NOT_TRANSPOSED = 111 }; // as in cblas.h, which may be absent

bool yardstick_open(struct yardstick *y)
{
    *y = (struct yardstick){ .library = dlopen("libopenblas.so.0", RTLD_NOW | RTLD_LOCAL) };
    void (*set_threads)(int) = NULL;
    if (y->library) {
        // ISO C has no conversion from dlsym's result to a function; POSIX requires this one.
        *(void **)&y->sgemm = dlsym(y->library, "cblas_sgemm");
        *(void **)&set_threads = dlsym(y->library, "openblas_set_num_threads");
    }
    if (!y->sgemm || !set_threads) {
        yardstick_close(y);
        return false;
    }
    set_threads(THREADS);
    y->a = xcalloc((size_t)ROWS * INPUTS, sizeof *y->a);
    y->b = xcalloc((size_t)INPUTS * OUTPUTS, sizeof *y->b);
    y->c = xcalloc((size_t)ROWS * OUTPUTS, sizeof *y->c);
    for (int i = 0; i < ROWS * INPUTS; i++)
        y->a[i] = (float)(i % 17) / 16;
    for (int i = 0; i < INPUTS * OUTPUTS; i++)
        y->b[i] = (float)(i % 13) / 12;
    return true;
}

void yardstick_measure(struct yardstick *y)
{
    if (!y->sgemm)
        return;
    for (int i = 0, in_vain = 0; i < TRIES && in_vain < TRIES_IN_VAIN; i++) {
        double start = clock_seconds();
        y->sgemm(ROW_MAJOR, NOT_TRANSPOSED, NOT_TRANSPOSED, ROWS, OUTPUTS, INPUTS, 1, y->a, INPUTS, y->b, OUTPUTS, 0,
            y->c, OUTPUTS);
        double gflops = 2e-9 * ROWS * INPUTS * OUTPUTS / (clock_seconds() - start);
        in_vain = gflops > 1.01 * y->gflops ? 0 : in_vain + 1;
        if (gflops > y->gflops)
            y->gflops = gflops;
    }
    // Its threads spin for about 30 ms and would disturb the next measurement.
    nanosleep(&(struct timespec){ .tv_nsec = 100000000 }, NULL);
}

void yardstick_close(struct yardstick *y)
{
    free(y->a);
    free(y->b);
    free(y->c);
    if (y->library)
        dlclose(y->library);
    *y = (struct yardstick){ 0 };
}
