#include "util/threads.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <unistd.h>

#include "util/alloc.h"
#include "util/ranks.h"

struct work {
    uint32_t jobs;
    atomic_uint_fast32_t next;
    void (*job)(void *user, uint32_t i);
    void *user;
};

static void *run_jobs(void *argument)
{
    struct work *work = argument;
    for (uint32_t i; (i = (uint32_t)atomic_fetch_add(&work->next, 1)) < work->jobs;)
        work->job(work->user, i);
    return NULL;
}

void threads_run(uint32_t threads, uint32_t jobs, void (*job)(void *user, uint32_t i), void *user)
{
    struct work work = { .jobs = jobs, .job = job, .user = user };
    atomic_init(&work.next, 0);
    uint32_t helpers = threads < jobs ? threads : jobs, started = 0;
    pthread_t *helper = xcalloc(helpers + 1, sizeof *helper);
    while (started + 1 < helpers && pthread_create(&helper[started], NULL, run_jobs, &work) == 0)
        started++;
    run_jobs(&work);
    while (started)
        pthread_join(helper[--started], NULL);
    free(helper);
}

uint32_t threads_available(void)
{
    long count = sysconf(_SC_NPROCESSORS_ONLN) / (long)ranks_local_count();
    return count < 1 ? 1 : count > 64 ? 64 : (uint32_t)count;
}
