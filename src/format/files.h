// Reads instance and solution files of any format. "-" is standard input.
#ifndef FORMAT_FILES_H
#define FORMAT_FILES_H

#include "mdam/mdam.h"
#include "problem/problem.h"

// Max size of a file.
#define FILE_BYTES_MAX ((size_t)1 << 30)

// Appends at most MAX_COUNT instances to the stb_ds array. The name's ending (.json, .jsonl, .tsp, .vrp, .oplib)
// selects the format, else the contents. Messages begin with the file and the location.
bool instances_read(const char *path, size_t max_count, struct instance **instances);

// The same with options that were checked.
bool instances_read_as(
    const char *path, const struct mdam_read_options *options, size_t max_count, struct instance **instances);

// Writes .npz, .pkl, or JSON Lines; refuses endings of formats that are only read.
bool instances_write(const char *path, const struct instance *list, size_t count);
bool instances_are_lines(const char *path); // a file of that name has JSON Lines, which can be written one by one

// Appends one solution for each of COUNT instances: JSON, or .sol or .tour for a single instance.
bool solutions_read(const char *path, const struct instance *instances, size_t count, struct solution **solutions);

#endif
