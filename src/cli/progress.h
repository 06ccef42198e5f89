// What a long command says on stderr while it works.
#ifndef CLI_PROGRESS_H
#define CLI_PROGRESS_H

// Shows one line: in the place of the one before on a terminal, else (or with --progress plain) below it. Nothing with
// --quiet or --progress none.
void progress_show(const char *format, ...) __attribute__((format(printf, 1, 2)));

// Takes the line away from a terminal, so that what follows starts on a clean one.
void progress_clear(void);

#endif
