// Models small enough to type, and their files in memory.
#ifndef TESTS_MODEL_SUPPORT_H
#define TESTS_MODEL_SUPPORT_H

#include "model/weights.h"
#include "util/text.h"

// D = F = 8, two heads, L layers, M decoders, p = 2, native with instance statistics.
struct config tiny_config(const char *problem, uint32_t L, uint32_t M);

// The bytes that weights_save writes.
struct text model_bytes(const struct weights *weights);

// Returns the header of a model file, and the file with another header.
char *model_header(const struct text *model);
struct text model_with_header(const struct text *model, const char *header);

// TEXT with the first FROM replaced by TO; the caller frees it. NULL when there is none.
char *replaced(const char *text, const char *from, const char *to);

#endif
