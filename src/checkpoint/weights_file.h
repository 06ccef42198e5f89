#ifndef CHECKPOINT_WEIGHTS_FILE_H
#define CHECKPOINT_WEIGHTS_FILE_H

#include "model/weights.h"

// A model file is safetensors whose metadata is the configuration, as strings (weights_file.c). The same weights give
// the same bytes. Files are not trusted: every value is checked before use.
bool weights_save(const char *path, const struct weights *weights);
bool weights_load(const char *path, struct weights *weights);
bool weights_parse(const char *data, size_t size, struct weights *weights);

#endif
