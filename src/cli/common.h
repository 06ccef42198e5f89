// Flags that every command takes, and the ways to speak on stderr that they govern.
#ifndef CLI_COMMON_H
#define CLI_COMMON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "cli/flags.h"

enum progress { PROGRESS_AUTO, PROGRESS_PLAIN, PROGRESS_NONE };

struct common {
    double started; // clock_seconds() when the program was
    struct mdam_device_options device;
    const char *profile; // NULL: no; "": to stderr; else a file
    bool quiet;
    int progress; // enum progress
};

extern struct common common;
extern const struct flag common_flags[];
// The rest of them is for commands that use no device: a table of its own.
enum { DEVICE_FLAGS = 2 };
#define host_flags (common_flags + DEVICE_FLAGS)

// One line on a terminal or in a log, whatever bytes a file or a flag smuggled into it.
void print_line(FILE *stream, const char *text);

// "mdam-vk: warning: <place>: <text>" on stderr unless --quiet.
void warn(const char *place, const char *text);

// "orders.json: instance 3": the file's name, and the instance's number from 1 when it has several; to be freed.
char *place_in_file(const char *path, size_t index, size_t count);

#endif
