// Shared parts of commands that solve: instances from files, a device, and progress on stderr.
#ifndef CLI_JOB_H
#define CLI_JOB_H

#include "cli/warnings.h"
#include "mdam/mdam.h"

struct job {
    struct source {
        const char *path;
        size_t count; // instances from this file
    } * sources;      // stb_ds array
    struct mdam_instances *instances;
    struct mdam_device *device;
    struct warnings warnings; // not shown yet
    size_t done, count;       // instances solved, and all instances
    bool shown;               // progress was shown
    double limit;             // seconds for everything; 0: no limit
    double answered;          // time when every instance had its first solution
    size_t refused;           // number of an instance that is too large, from 1; 0: none
};

// Adds at most MAX_COUNT instances of a file. Of one that does not name their problem they are of that of the model,
// which may be NULL.
bool job_read(struct job *job, const char *path, size_t max_count, const char *model);
void job_finish(struct job *job); // also for a zeroed job; first free everything made from the device

// Before a device is opened: checks that the model can be read and supports the decoding options. Refuses an instance
// of another problem, and names its location.
bool job_check_model(const struct job *job, const char *path);

// Sets progress, warnings and Ctrl-C handling in the options. The first Ctrl-C or SIGTERM ends the work at the next
// decision, or soon if an instance has no solution yet; a second one ends the program. The program's run time so far is
// subtracted from a time limit.
void job_watch(struct job *job, struct mdam_solve_options *options);
// After the work: sets the status if it was interrupted, and warns if it took longer than the limit.
void job_watched(struct job *job, size_t solved, int *status);

#endif
