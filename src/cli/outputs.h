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

// False with a sentence for a name that promises a picture of another kind than SVG.
bool picture_name_fits(const char *path);
// The caller frees. With several pictures the number of each (from 0, shown from 1) goes in front of ".svg".
char *picture_path(const char *path, size_t index, size_t count);

// All of COUNT pictures, numbered as picture_path() does.
bool outputs_take_pictures(struct outputs *outputs, const char *path, size_t count, const char *flag);

#endif
