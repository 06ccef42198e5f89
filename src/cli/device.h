// The device of a command, as the common flags ask for it.
#ifndef CLI_DEVICE_H
#define CLI_DEVICE_H

#include "gpu/gpu.h"

// Opens the device and tells on stderr what the user should know about the choice.
bool device_open(struct gpu **gpu);

// Ends the work: the table or the trace of --profile, then closes. After a failure gpu_close() alone is enough.
bool device_close(struct gpu **gpu);

#endif
