// The lines of a training's log as a file of events that TensorBoard reads: every number is a scalar under its key,
// but for the step and the seconds, which an event has of its own.
#ifndef TRAIN_TENSORBOARD_H
#define TRAIN_TENSORBOARD_H

#include "util/text.h"

struct json_t;

#define TRAIN_EVENTS "events.out.tfevents.mdam-vk" // in the training's folder

// Adds the record that begins a file, and that of a line. The time of an event is the seconds that its line gives, so
// that the same log gives the same bytes.
void tensorboard_begin(struct text *file);
void tensorboard_add(struct text *file, const struct json_t *line);

#endif
