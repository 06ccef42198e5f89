#ifndef CHECKPOINT_WEIGHTS_FILE_H
#define CHECKPOINT_WEIGHTS_FILE_H

#include "model/weights.h"

// A model file: safetensors whose metadata is the configuration, all of it strings (weights_file.c). The same
// weights give the same bytes. What is read was written by anyone: every claim is checked before it is believed.
bool weights_save(const char *path, const struct weights *weights);
bool weights_load(const char *path, struct weights *weights);
bool weights_parse(const char *data, size_t size, struct weights *weights);

#endif
