// Opens the device that the common flags select.
#ifndef CLI_DEVICE_H
#define CLI_DEVICE_H

#include "cli/outputs.h"
#include "mdam/mdam.h"

// Returns the target of the flags, for commands that open devices in another way.
bool device_target(enum mdam_target *target);

// Opens the device and prints notes about the selection on stderr.
bool device_open(struct mdam_device **device);

// Returns whether the file of --profile may be written, in addition to the command's other outputs.
bool device_add_profile(struct outputs *outputs);

// At the end of the work: writes the table or trace of --profile, and fails if --capture met no such region. Without a
// file the table goes to stderr, because stdout has only the result.
bool device_done(const struct mdam_device *device);

#endif
