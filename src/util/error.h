// One message about a failure, recorded where it happened; callers pass `false` up.
#ifndef UTIL_ERROR_H
#define UTIL_ERROR_H

#include <stdbool.h>
#include <stddef.h>

// The kind of a failure. The values are the program's exit codes.
enum fault {
    FAULT_NONE = 0,
    FAULT_INTERNAL = 1,
    FAULT_INPUT = 2,  // the user's files or flags
    FAULT_DEVICE = 3, // no usable device, or the device was lost
};

// Records the message of this thread, replacing any older one, and returns false, so callers can `return fail(...)`.
bool fail(enum fault kind, const char *format, ...) __attribute__((format(printf, 2, 3)));

// Puts "<prefix>: " in front of the recorded message and returns false. Callers use it to add the location.
bool fail_within(const char *format, ...) __attribute__((format(printf, 1, 2)));

// fail_field() records a message about a field of the library's options and starts it with the field: "beam: must be
// between 1 and 65536, not 0". A later fail_within() makes the message one about a file, for example, and drops the
// field.
bool fail_field(enum fault kind, const char *field, const char *format, ...) __attribute__((format(printf, 3, 4)));
bool fail_within_field(const char *field);
// The same for two fields that contradict each other: "lr_decay and lr_final: ..".
bool fail_fields(enum fault kind, const char *field, const char *other, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
const char *error_field(void);                                // NULL: the last message is not about a field
const char *error_other_field(void);                          // NULL: nor about a second one
void error_show_fields(const char *as, const char *other_as); // replaces the names in the message, e.g. by flags

// Returns whether MIN <= VALUE <= MAX. Otherwise, and for NaN, records "<what> must be between <min> and <max>, not
// <value>".
bool check_range(const char *what, double value, double min, double max);

const char *error_text(void);
enum fault error_fault(void);
void error_clear(void);

// Reports a bug in this program: prints the message and aborts, or exits with FAULT_INTERNAL after bug_exits() was
// called.
void bug_exits(void);
_Noreturn void bug(const char *format, ...) __attribute__((format(printf, 1, 2)));

// Prints a message and exits: callers could do nothing about it.
_Noreturn void out_of_memory(size_t count, size_t size);

#endif
