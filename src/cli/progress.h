// What a long command says on stderr while it works.
#ifndef CLI_PROGRESS_H
#define CLI_PROGRESS_H

#include <stdbool.h>

// Shows one line: in the place of the one before on a terminal, else (or with --progress plain) below it. Nothing with
// --quiet or --progress none.
void progress_show(const char *format, ...) __attribute__((format(printf, 1, 2)));

// Whether enough time has passed since the last line for another: a line in a log is worth more than one on a terminal.
bool progress_due(void);

// Shows a line without putting off the next one that is due.
void progress_aside(const char *format, ...) __attribute__((format(printf, 1, 2)));

// Shows a line that stays.
void progress_note(const char *format, ...) __attribute__((format(printf, 1, 2)));

// Takes the line away from a terminal, so that what follows starts on a clean one.
void progress_clear(void);

#endif
