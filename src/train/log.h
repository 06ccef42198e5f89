// log.jsonl: a line for each log step and each validation, and what curve.svg is drawn from.
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
    uint64_t bytes;                          // written so far
    uint64_t lost;                           // bytes that should have been there when it was opened
    struct curve_point *costs, *validations; // stb_ds arrays
    char *events_path;                       // of the same lines for TensorBoard; NULL: there is none
    int events;
};

// Cuts what stands behind the first BYTES and goes on from there; of a log that is shorter, behind its last whole line.
// Fails when someone else has it open.
bool log_open(struct train_log *log, const char *folder, uint64_t bytes);
// Writes the lines so far for TensorBoard (train/tensorboard.h), and all that follow. What stood in that file is
// replaced.
bool log_open_events(struct train_log *log, const char *folder);
bool log_has_events(const char *folder);
void log_close(struct train_log *log); // also of one that was never opened

// Writes an object as a line, and releases it.
bool log_add(struct train_log *log, struct json_t *line);
// Once this has succeeded the lines survive a power cut.
bool log_sync(struct train_log *log);

#endif
