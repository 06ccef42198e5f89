// Estimates the width of names, and shortens long ones.
#ifndef PLOT_NAME_H
#define PLOT_NAME_H

#include <stddef.h>

// Returns the width in pixels of a UTF-8 name, rather too large, because the reader's fonts are unknown.
double plot_name_width(const char *name, double font);

// Shortens the name to about LETTERS letters, including the ellipsis: at the end of a word if one is near, and never to
// omit only one or two letters. The caller frees it.
char *plot_name_cut(const char *name, size_t letters);

#endif
