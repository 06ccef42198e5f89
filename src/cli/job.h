// What commands that solve have in common: instances from files, a device, and what is shown while the library works.
#ifndef CLI_JOB_H
#define CLI_JOB_H

#include "mdam/mdam.h"

struct job {
    struct source {
        const char *path;
        size_t count; // instances that came from it
    } * sources;      // stb_ds array
    struct mdam_instances *instances;
    struct mdam_device *device;
    struct seen {  // stb_ds map, in the order of appearance
        char *key; // a kind of warning
        struct repeated {
            char *warning;       // the first of them
            size_t first, count; // instances that have one
        } value;
    } * seen;
    bool warned; // they are shown
};

// Adds at most MOST instances of a file.
bool job_read(struct job *job, const char *path, size_t most);
void job_finish(struct job *job); // also of a zeroed one; what was made from the device is freed before

// Refuses, with its place, an instance that the model is not for.
bool job_suits(const struct job *job, const struct mdam_model *model);

// Puts progress, warnings and Ctrl-C into the options. Of warnings that differ in their
// numbers only, the first is shown, and how many are like it. The first
// Ctrl-C ends the work after the batch under way (with a time limit, soon after every instance has an answer), a second
// one the program. A time limit is cut by the time that the program has run for.
void job_watch(struct job *job, struct mdam_solve_options *options);
void job_watched(int *status); // after the work; sets the status when it was interrupted

#endif
