// Ctrl-C: the first ends the work in good order, a second one the program.
#ifndef CLI_INTERRUPT_H
#define CLI_INTERRUPT_H

#include <stdbool.h>

#define STATUS_INTERRUPTED 130

void interrupt_watch(void);
bool interrupt_seen(void);

#endif
