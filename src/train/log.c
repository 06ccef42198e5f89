#include "train/log.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#include <jansson.h>
#include <stb/stb_ds.h>

#include "train/tensorboard.h"
#include "util/alloc.h"
#include "util/error.h"
#include "util/file.h"

static bool wrong(const struct train_log *log)
{
    return fail(FAULT_INPUT, "%s: cannot be written: %s", log->path, strerror(errno));
}

static void collect(struct train_log *log, const json_t *line)
{
    double instances = json_number_value(json_object_get(line, "instances"));
    const json_t *cost = json_object_get(line, "cost"), *validation = json_object_get(line, "val_cost");
    if (json_is_number(cost))
        arrput(log->costs, ((struct curve_point){ instances, json_number_value(cost) }));
    if (json_is_number(validation))
        arrput(log->validations, ((struct curve_point){ instances, json_number_value(validation) }));
}

// Reads the points of the lines that remain, and removes the others.
static bool read_back(struct train_log *log, uint64_t lines, uint64_t bytes)
{
    char *data, *line;
    size_t size;
    if (!file_read(log->path, SIZE_MAX / 2, &data, &size))
        return false;
    line = data;
    for (char *end; (end = memchr(line, '\n', size - (size_t)(line - data))); line = end + 1) {
        if (bytes ? (uint64_t)(end + 1 - data) > bytes : log->lines == lines)
            break;
        json_t *json = json_loadb(line, (size_t)(end - line), 0, NULL);
        collect(log, json);
        json_decref(json);
        log->lines++;
    }
    uint64_t valid = (uint64_t)(line - data);
    free(data);
    log->lost = bytes ? bytes - valid : lines - log->lines;
    return valid == size || !ftruncate(log->fd, (off_t)valid) || wrong(log);
}

bool log_open(struct train_log *log, const char *folder, uint64_t lines, uint64_t bytes)
{
    *log = (struct train_log){ .path = xformat("%s/" TRAIN_LOG, folder) };
    log->fd = open(log->path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
    if (log->fd < 0)
        return wrong(log);
    if (flock(log->fd, LOCK_EX | LOCK_NB) && errno == EWOULDBLOCK)
        return fail(FAULT_INPUT, "%s: another process trains in this folder", folder);
    return read_back(log, lines, bytes);
}

static char *events_path(const char *folder)
{
    return xformat("%s/" TRAIN_EVENTS, folder);
}

bool log_has_events(const char *folder)
{
    char *path = events_path(folder);
    bool there = !access(path, F_OK);
    free(path);
    return there;
}

static bool wrong_events(const struct train_log *log)
{
    return fail(FAULT_INPUT, "%s: cannot be written: %s", log->events_path, strerror(errno));
}

bool log_open_events(struct train_log *log, const char *folder)
{
    char *data;
    size_t size;
    struct text events = { 0 };
    log->events_path = events_path(folder);
    log->events = -1;
    if (!file_read(log->path, SIZE_MAX / 2, &data, &size))
        return false;
    tensorboard_begin(&events);
    char *line = data;
    for (char *end; (end = memchr(line, '\n', size - (size_t)(line - data))); line = end + 1) {
        json_t *json = json_loadb(line, (size_t)(end - line), 0, NULL);
        if (json)
            tensorboard_add(&events, json);
        json_decref(json);
    }
    free(data);
    bool ok = file_write(log->events_path, events.data, events.size);
    text_finish(&events);
    if (!ok)
        return false;
    log->events = open(log->events_path, O_WRONLY | O_APPEND | O_CLOEXEC);
    return log->events >= 0 || wrong_events(log);
}

static bool add_events(struct train_log *log, const json_t *line)
{
    struct text record = { 0 };
    if (!log->events_path)
        return true;
    tensorboard_add(&record, line);
    bool ok = file_add(log->events, record.data, record.size) || wrong_events(log);
    text_finish(&record);
    return ok;
}

void log_close(struct train_log *log)
{
    if (log->events_path && log->events >= 0)
        close(log->events);
    free(log->events_path);
    if (log->path && log->fd >= 0)
        close(log->fd);
    free(log->path);
    arrfree(log->costs);
    arrfree(log->validations);
    *log = (struct train_log){ .fd = -1 };
}

bool log_add(struct train_log *log, struct json_t *line)
{
    if (!log->path) {
        json_decref(line);
        return true;
    }
    collect(log, line);
    char *text = json_dumps(line, JSON_COMPACT), *with_end = xformat("%s\n", text);
    size_t size = strlen(with_end);
    bool ok = file_add(log->fd, with_end, size) || wrong(log);
    log->lines += ok;
    ok = ok && add_events(log, line);
    json_decref(line);
    free(with_end);
    free(text);
    return ok;
}

bool log_sync(struct train_log *log)
{
    return !fdatasync(log->fd) || errno == EINVAL || wrong(log);
}
