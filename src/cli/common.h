// Flags of every command, and output on stderr that depends on them.
#ifndef CLI_COMMON_H
#define CLI_COMMON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "cli/flags.h"

enum progress { PROGRESS_AUTO, PROGRESS_PLAIN, PROGRESS_NONE };

struct common {
    double started; // clock_seconds() at the start of the program
    struct mdam_device_options device;
    const char *profile; // NULL: no profile; "": to stderr; else a file
    bool quiet;          // also on ranks but the first
    bool mpi;
    int progress; // enum progress
    struct mdam_read_options reading;
};

extern struct common common;
extern const struct flag common_flags[];
// The remaining rows are the table of commands that use no device.
enum { DEVICE_FLAGS = 2 };
#define host_flags (common_flags + DEVICE_FLAGS)

// A flag of commands that several ranks share.
#define FLAG_MPI                                                                                                       \
    {                                                                                                                  \
        "--mpi", NULL, FLAG_SWITCH, &common.mpi, NULL,                                                                 \
            "be one rank of a job, also where no launcher's variables say so (docs/scale.md)"                          \
    }
// Before everything else that such a command does.
bool ranks_join(void);

// Flags of commands that read instances.
#define FLAGS_READING FLAGS_OF_OPTIONS(MDAM_OPTIONS_READ, &common.reading)

// Whether instances FIRST.. are of the problem that --problem names, if it is given.
bool problem_fits(const struct mdam_instances *list, size_t first);

// Prints text of any origin as one line: control characters become '?'.
void print_line(FILE *stream, const char *text);

// Prints "mdam-vk: warning: <location>: <text>" on stderr unless --quiet.
void warn(const char *location, const char *text);
// The same about the file PATH, a string, as a callback of the library.
void warn_of_file(void *path, const char *text);

// Returns "orders.json: instance 3": the file's name, and the instance's number from 1 if there are several. The caller
// frees it.
char *position_in_file(const char *path, size_t index, size_t count);

#endif
