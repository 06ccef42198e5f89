// Ctrl-C and SIGTERM. The first one ends watched work in good order. Otherwise, and after a second one, the program
// ends at once without leaving an unfinished file.
#ifndef CLI_INTERRUPT_H
#define CLI_INTERRUPT_H

#include <stdbool.h>

#define STATUS_INTERRUPTED 130

void interrupt_begin(void); // at the start of the program
void interrupt_watch(void); // from now on the command polls interrupt_seen()
bool interrupt_seen(void);

#endif
