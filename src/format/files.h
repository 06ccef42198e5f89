// Instance and solution files of any format that is read. "-" is standard input.
#ifndef FORMAT_FILES_H
#define FORMAT_FILES_H

#include "problem/problem.h"

// No file is read beyond this.
#define FILE_BYTES_MAX ((size_t)1 << 30)

// Appends at most MOST instances to the stb_ds array. The format is known by the name's ending (.json, .jsonl, .tsp,
// .vrp, .oplib), else by the text. On failure the sentence begins with the file and the place.
bool instances_read(const char *path, size_t most, struct instance **instances);

// Appends one solution for each of COUNT instances: JSON, .sol or .tour (for one instance).
bool solutions_read(const char *path, const struct instance *instances, size_t count, struct solution **solutions);

#endif
