// How much room a name takes in a picture, and where a long one may be cut.
#ifndef PLOT_NAME_H
#define PLOT_NAME_H

#include <stddef.h>

// In pixels, on the wide side: the reader's fonts are not known. The name is UTF-8.
double plot_name_width(const char *name, double font);

// The name in about so many letters, an ellipsis included where it is cut: at the end of a word if one is near, and
// never for the sake of one or two letters. The caller frees.
char *plot_name_cut(const char *name, size_t letters);

#endif
