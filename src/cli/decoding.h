// The decoding flags of commands that solve.
#ifndef CLI_DECODING_H
#define CLI_DECODING_H

#include "cli/command.h"
#include "mdam/mdam.h"

struct json_t;

extern const struct flag decoding_flags[];

// Returns the options from the flags, without callbacks.
bool decoding_options(const struct arguments *arguments, struct mdam_solve_options *options);
// Adds them as keys of a result: "decode", "beam", ..
void decoding_describe(struct json_t *object);

// A model with the decoders that the flags select. decoding_read() reads its description before a device is opened.
bool decoding_read(struct mdam_model_info **info, const char *path);
bool decoding_load(struct mdam_model **model, struct mdam_device *device, const char *path);

#endif
