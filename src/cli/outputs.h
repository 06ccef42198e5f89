// What a command reads and where it writes. An output that would take the place of an input or of another output is
// refused before the work, so that nothing is lost.
#ifndef CLI_OUTPUTS_H
#define CLI_OUTPUTS_H

#include <stdbool.h>
#include <stddef.h>

struct outputs {
    const char *command;
    struct taken { // stb_ds map
        char *key; // the file's identity
        struct use {
            bool read;
            const char *what; // it holds when it is read: "instances"; the flag it is written for: "-o"
        } value;
    } * files;
};

void outputs_begin(struct outputs *outputs, const char *command);
void outputs_finish(struct outputs *outputs);

// Paths may be NULL or empty, which is no file; "-" is standard input or output. WHAT and FLAG outlive the struct.
void outputs_keep(struct outputs *outputs, const char *path, const char *what);
bool outputs_take(struct outputs *outputs, const char *path, const char *flag);

// All of COUNT pictures, numbered as plot_path() does.
bool outputs_take_pictures(struct outputs *outputs, const char *path, size_t count, const char *flag);

#endif
