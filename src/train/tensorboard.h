// Writes the lines of a training's log as a file of events for TensorBoard: every number is a scalar under its key,
// except the step and the seconds, which are fields of an event.
#ifndef TRAIN_TENSORBOARD_H
#define TRAIN_TENSORBOARD_H

#include "util/text.h"

struct json_t;

#define TRAIN_EVENTS "events.out.tfevents.mdam-vk" // in the training's folder

// Adds the first record of a file, and the record of a line. The time of an event is the seconds in its line, so the
// same log gives the same bytes.
void tensorboard_begin(struct text *file);
void tensorboard_add(struct text *file, const struct json_t *line);

#endif
