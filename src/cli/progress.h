// Progress of a long command on stderr.
#ifndef CLI_PROGRESS_H
#define CLI_PROGRESS_H

#include <stdbool.h>

// Shows one line: on a terminal it replaces the previous one, otherwise (and with --progress plain) it follows. Shows
// nothing with --quiet or --progress none.
void progress_show(const char *format, ...) __attribute__((format(printf, 1, 2)));

// Returns whether enough time has passed for another line; the interval is longer in a log than on a terminal.
bool progress_due(void);

// Shows a line without delaying the next one that is due.
void progress_aside(const char *format, ...) __attribute__((format(printf, 1, 2)));

// Shows a permanent line.
void progress_note(const char *format, ...) __attribute__((format(printf, 1, 2)));

// Clears the progress line of a terminal, so that other output starts on an empty line.
void progress_clear(void);

#endif
