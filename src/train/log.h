// log.jsonl: a line per log step and validation; also the points of curve.svg.
#ifndef TRAIN_LOG_H
#define TRAIN_LOG_H

#include <stdbool.h>
#include <stdint.h>

#include "plot/curve.h"

struct json_t;

#define TRAIN_LOG "log.jsonl" // in the training's folder

struct train_log {
    char *path;
    int fd;                                  // -1: not open
    uint64_t lines;                          // written so far
    uint64_t lost;                           // lines, or bytes, that were missing when it was opened
    struct curve_point *costs, *validations; // stb_ds arrays
    char *events_path;                       // the same lines for TensorBoard; NULL: none
    int events;
};

// Truncates the log to LINES, or for a checkpoint of version 0.1 to BYTES if they are not 0, and continues there; a
// shorter log is truncated after its last complete line. Fails if another process has it open.
bool log_open(struct train_log *log, const char *folder, uint64_t lines, uint64_t bytes);
// Writes the lines so far for TensorBoard (train/tensorboard.h), and all later ones. Replaces an existing file.
bool log_open_events(struct train_log *log, const char *folder);
bool log_has_events(const char *folder);
void log_close(struct train_log *log); // accepts one that was never opened

// Writes an object as a line and releases it.
bool log_add(struct train_log *log, struct json_t *line);
// After success the lines survive a power cut.
bool log_sync(struct train_log *log);

#endif
