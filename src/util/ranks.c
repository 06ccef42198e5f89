// All of MPI is here. Waiting sleeps after a short while: a rank that is ahead leaves the processor to the ranks
// that share it.
#include "util/ranks.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#ifdef MDAM_MPI
#include <mpi.h>
#endif

#include "util/alloc.h"
#include "util/clock.h"
#include "util/error.h"

static struct {
    bool joined, agreed;
    uint32_t rank, count, local, local_count;
    double seconds;
    pid_t parent;
    char host[256];
} job = { .count = 1, .local_count = 1 };

// The first of the variables that is there, as a number; -1: none is.
static long number_in(const char *const *variables)
{
    for (; *variables; variables++) {
        const char *text = getenv(*variables);
        if (text && *text)
            return strtol(text, NULL, 10);
    }
    return -1;
}

static long launched_rank(void)
{
    return number_in((const char *const[]){ "OMPI_COMM_WORLD_RANK", "PMIX_RANK", "PMI_RANK", NULL });
}

static long launched_count(void)
{
    return number_in((const char *const[]){ "OMPI_COMM_WORLD_SIZE", "PMI_SIZE", NULL });
}

uint32_t ranks_count(void)
{
    return job.count;
}

uint32_t ranks_rank(void)
{
    long launched = job.joined ? -1 : launched_rank();
    return launched > 0 ? (uint32_t)launched : job.rank;
}

uint32_t ranks_local(void)
{
    return job.local;
}

uint32_t ranks_local_count(void)
{
    return job.local_count;
}

const char *ranks_host(void)
{
    if (!job.host[0] && gethostname(job.host, sizeof job.host - 1))
        strcpy(job.host, "an unknown host");
    return job.host;
}

double ranks_seconds(void)
{
    return job.seconds;
}

bool ranks_agreed(void)
{
    return job.agreed;
}

#ifdef MDAM_MPI

enum { PIECE = 1 << 30, MESSAGE = 1 }; // bytes that one call sends at most; the tag of messages

// One look while waiting since BEGIN. Without its launcher nothing else ends a job.
static void rest(double begin)
{
    if (getppid() != job.parent)
        _Exit(FAULT_DEVICE);
    if (clock_seconds() - begin > 1e-3)
        nanosleep(&(struct timespec){ .tv_nsec = 50000 }, NULL);
}

static void wait_for(MPI_Request *request)
{
    const double begin = clock_seconds();
    for (int done = 0;; rest(begin)) {
        MPI_Test(request, &done, MPI_STATUS_IGNORE);
        if (done)
            break;
    }
    job.seconds += clock_seconds() - begin;
}

static void find_locals(void)
{
    MPI_Comm host;
    int local, locals;
    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &host);
    MPI_Comm_rank(host, &local);
    MPI_Comm_size(host, &locals);
    MPI_Comm_free(&host);
    job.local = (uint32_t)local;
    job.local_count = (uint32_t)locals;
}

bool ranks_begin(bool required)
{
    int rank, count, provided;
    if (job.joined || (!required && launched_count() < 0 && launched_rank() < 0))
        return true;
    MPI_Init_thread(NULL, NULL, MPI_THREAD_FUNNELED, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &count);
    job.joined = true;
    job.parent = getppid();
    job.rank = (uint32_t)rank;
    job.count = (uint32_t)count;
    find_locals();
    return true;
}

void ranks_end(void)
{
    if (job.joined)
        MPI_Finalize();
    job.joined = false;
}

void ranks_abort(int exit_code)
{
    if (job.joined)
        MPI_Abort(MPI_COMM_WORLD, exit_code);
    _Exit(exit_code);
}

void ranks_broadcast(void *data, size_t bytes)
{
    for (size_t done = 0; job.count > 1 && done < bytes; done += PIECE) {
        MPI_Request request;
        MPI_Ibcast((char *)data + done, bytes - done < PIECE ? (int)(bytes - done) : PIECE, MPI_BYTE, 0, MPI_COMM_WORLD,
            &request);
        wait_for(&request);
    }
}

void ranks_gather(void *to, const void *from, size_t bytes)
{
    if (job.count == 1) {
        memcpy(to, from, bytes);
        return;
    }
    MPI_Request request;
    MPI_Iallgather(from, (int)bytes, MPI_BYTE, to, (int)bytes, MPI_BYTE, MPI_COMM_WORLD, &request);
    wait_for(&request);
}

void ranks_transpose(void *to, const void *from, size_t bytes)
{
    if (job.count == 1) {
        memcpy(to, from, bytes);
        return;
    }
    MPI_Request request;
    MPI_Ialltoall(from, (int)bytes, MPI_BYTE, to, (int)bytes, MPI_BYTE, MPI_COMM_WORLD, &request);
    wait_for(&request);
}

void ranks_send(uint32_t to, const void *data, size_t bytes)
{
    MPI_Request request;
    MPI_Isend(data, (int)bytes, MPI_BYTE, (int)to, MESSAGE, MPI_COMM_WORLD, &request);
    wait_for(&request);
}

bool ranks_receive(uint32_t *from, void **data, size_t *bytes, bool wait)
{
    MPI_Status status;
    int there = 0, size;
    for (const double begin = clock_seconds(); !there;) {
        MPI_Iprobe(MPI_ANY_SOURCE, MESSAGE, MPI_COMM_WORLD, &there, &status);
        if (!there && !wait)
            return false;
        if (!there)
            rest(begin);
    }
    MPI_Get_count(&status, MPI_BYTE, &size);
    *data = xcalloc((size_t)size + 1, 1);
    *bytes = (size_t)size;
    *from = (uint32_t)status.MPI_SOURCE;
    MPI_Recv(*data, size, MPI_BYTE, status.MPI_SOURCE, MESSAGE, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    return true;
}

#else // one rank

bool ranks_begin(bool required)
{
    if (required)
        return fail(FAULT_INPUT, "this program was built without MPI");
    return (launched_count() < 2 && launched_rank() < 1) ||
           fail(FAULT_INPUT, "several copies were started together, but this program was built without MPI");
}

void ranks_end(void) {}

void ranks_abort(int exit_code)
{
    _Exit(exit_code);
}

void ranks_broadcast(void *data, size_t bytes)
{
    (void)data, (void)bytes;
}

void ranks_gather(void *to, const void *from, size_t bytes)
{
    memcpy(to, from, bytes);
}

void ranks_transpose(void *to, const void *from, size_t bytes)
{
    memcpy(to, from, bytes);
}

void ranks_send(uint32_t to, const void *data, size_t bytes)
{
    (void)data;
    bug("%zu bytes for rank %u of one", bytes, to);
}

bool ranks_receive(uint32_t *from, void **data, size_t *bytes, bool wait)
{
    (void)from, (void)data, (void)bytes, (void)wait;
    return false;
}

#endif

bool ranks_any(bool yes)
{
    bool any = false, *all = xcalloc(job.count, sizeof *all);
    ranks_gather(all, &yes, sizeof yes);
    for (uint32_t i = 0; i < job.count; i++)
        any = any || all[i];
    free(all);
    return any;
}

// The outcome of a rank, for the others.
struct outcome {
    int fault; // enum fault; 0: success
    char text[1024], host[64];
};

// Bad input that rank 0 finds is not about one rank: it alone looks at some files.
static void adopt(const struct outcome *outcome, uint32_t rank, bool alike)
{
    enum fault fault = (enum fault)outcome->fault;
    if (!alike && (rank || fault != FAULT_INPUT))
        fail(fault, "rank %u on %s: %s", rank, outcome->host, outcome->text);
    else if (job.rank > 0)
        fail(fault, "%s", outcome->text); // rank 0 has it with its field
}

bool ranks_all(bool ok)
{
    if (job.count == 1 || !ranks_any(!ok))
        return ok;
    struct outcome *all = xcalloc(job.count, sizeof *all), own = { .fault = ok ? 0 : (int)error_fault() };
    uint32_t first = job.count, failed = 0;
    snprintf(own.text, sizeof own.text, "%s", error_text());
    snprintf(own.host, sizeof own.host, "%s", ranks_host());
    ranks_gather(all, &own, sizeof own);
    for (uint32_t i = job.count; i-- > 0;) {
        first = all[i].fault ? i : first;
        failed += all[i].fault != 0;
    }
    adopt(&all[first], first, failed == job.count);
    job.agreed = true;
    free(all);
    return false;
}
