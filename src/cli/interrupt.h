// Ctrl-C and SIGTERM: where the work is watched, the first ends it in good order; else, and by a second one, the
// program ends at once, without leaving half a file behind.
#ifndef CLI_INTERRUPT_H
#define CLI_INTERRUPT_H

#include <stdbool.h>

#define STATUS_INTERRUPTED 130

void interrupt_begin(void); // of the program
void interrupt_watch(void); // from here on the command asks whether it was seen
bool interrupt_seen(void);

#endif
