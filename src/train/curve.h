// curve.svg: the costs of a training over the instances it has seen. A card in the manner of problem/plot.h.
#ifndef TRAIN_CURVE_H
#define TRAIN_CURVE_H

#include "train/log.h"
#include "train/settings.h"
#include "util/text.h"

void curve_write(struct text *svg, const struct train_settings *settings, const struct train_log *log);

#endif
