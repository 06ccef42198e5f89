// The device of a command, as the common flags ask for it.
#ifndef CLI_DEVICE_H
#define CLI_DEVICE_H

#include "cli/outputs.h"
#include "mdam/mdam.h"

// Opens the device and tells on stderr what the user should know about the choice.
bool device_open(struct mdam_device **device);

// Whether the file that --profile names may be written, next to the others that a command writes.
bool device_take_profile(struct outputs *outputs);

// At the end of the work: the table or the trace that --profile asks for, and a failure where --capture met no such
// region. Without a file's name the table goes to stderr: stdout carries only the result.
bool device_done(const struct mdam_device *device);

#endif
