// What commands that solve have in common: instances from files, a device, and what is shown while the library works.
#ifndef CLI_JOB_H
#define CLI_JOB_H

#include "cli/warnings.h"
#include "mdam/mdam.h"

struct job {
    struct source {
        const char *path;
        size_t count; // instances that came from it
    } * sources;      // stb_ds array
    struct mdam_instances *instances;
    struct mdam_device *device;
    struct warnings warnings; // not shown yet
    size_t done, count;       // instances solved, and in all
    bool shown;               // progress was
    double limit;             // seconds for everything; 0: none
    double answered;          // when every instance had its first answer
    size_t refused;           // the number of one that is too large, from 1; 0: none
};

// Adds at most MOST instances of a file. Of one that does not name their problem they are of that of the model, which
// may be NULL.
bool job_read(struct job *job, const char *path, size_t most, const char *model);
void job_finish(struct job *job); // also of a zeroed one; what was made from the device is freed before

// Before a device is opened: whether the model can be read and decodes as wanted. Refuses, with its place, an instance
// that it is not for.
bool job_check_model(const struct job *job, const char *path);

// Puts progress, warnings and Ctrl-C into the options. The first Ctrl-C or SIGTERM ends the work at the next decision,
// or soon where an instance has no answer yet; a second one ends the program. A time limit is cut by the time that the
// program has run for.
void job_watch(struct job *job, struct mdam_solve_options *options);
// After the work, with so many instances solved. Sets the status when it was interrupted, and warns if it took longer
// than it should.
void job_watched(struct job *job, size_t solved, int *status);

#endif
