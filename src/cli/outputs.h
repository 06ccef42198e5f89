// Inputs and outputs of a command. An output that would overwrite an input or another output is refused before the work
// begins.
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
            const char *what; // contents of an input ("instances"), or flag of an output ("-o")
        } value;
    } * files;
};

void outputs_begin(struct outputs *outputs, const char *command);
void outputs_finish(struct outputs *outputs);

// Paths may be NULL or empty: no file; "-" is standard input or output. WHAT and FLAG outlive the struct.
void outputs_protect(struct outputs *outputs, const char *path, const char *what);
bool outputs_add(struct outputs *outputs, const char *path, const char *flag);

// Refuses a name with another ending than .svg; it may have none.
bool picture_name_fits(const char *path);
// Returns the path of plot INDEX, which the caller frees. With several plots its number, from 1, goes in front of
// ".svg".
char *picture_path(const char *path, size_t index, size_t count);

// Reserves COUNT plots, with the numbers of picture_path().
bool outputs_add_plots(struct outputs *outputs, const char *path, size_t count, const char *flag);

#endif
