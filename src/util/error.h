// One sentence about what went wrong, recorded where it happened and passed up as `false`.
#ifndef UTIL_ERROR_H
#define UTIL_ERROR_H

#include <stdbool.h>
#include <stddef.h>

// What kind of fact stood in the way. The values are the program's exit codes.
enum fault {
    FAULT_NONE = 0,
    FAULT_INTERNAL = 1,
    FAULT_INPUT = 2,  // the user's files or flags
    FAULT_DEVICE = 3, // no usable device, or a lost one
};

// Records the sentence for this thread (the newest replaces an older one) and returns false, so callers can
// `return fail(...)`.
bool fail(enum fault kind, const char *format, ...) __attribute__((format(printf, 2, 3)));

// Puts "<prefix>: " in front of the recorded sentence, for callers that know the place better. Returns false.
bool fail_within(const char *format, ...) __attribute__((format(printf, 1, 2)));

// The same about a field of the library's options, which the sentence begins with: "beam: 0 is not within 1..65536".
// Once something is put in front of it, it is about a file, say, and no longer about the option.
bool fail_field(enum fault kind, const char *field, const char *format, ...) __attribute__((format(printf, 3, 4)));
bool fail_within_field(const char *field);
const char *error_field(void);         // NULL: the last sentence is about none
void error_show_field(const char *as); // writes another name in its place: a command line has a flag for it

// Whether LEAST <= VALUE <= MOST; if not, or for NaN, the sentence "<what> is <value>, not within <least>..<most>".
bool check_range(const char *what, double value, double least, double most);

const char *error_text(void);
enum fault error_fault(void);
void error_clear(void);

// A mistake in this program, not a fact about the world: prints the sentence and aborts, or ends with FAULT_INTERNAL as
// the exit code once bug_exits() was called.
void bug_exits(void);
_Noreturn void bug(const char *format, ...) __attribute__((format(printf, 1, 2)));

// No mistake, but nothing that a caller could do much about, either: a sentence, and the end.
_Noreturn void out_of_memory(size_t count, size_t size);

#endif
