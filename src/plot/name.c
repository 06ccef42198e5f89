#include "plot/name.h"

#include <stdbool.h>
#include <string.h>

#include "util/alloc.h"

#define WORTH_CUTTING 3 // min letters to omit

static bool begins_letter(char c)
{
    return ((unsigned char)c & 0xC0) != 0x80;
}

// Returns the width of the letter at AT in units of the font size.
static double letter_width(const char *at)
{
    unsigned char first = (unsigned char)at[0], second = first ? (unsigned char)at[1] : 0;
    if (first == 0xCC || (first == 0xCD && second < 0xB0))
        return 0; // combining accents
    if (first >= 0xF0)
        return 1.4; // emoji
    if (first >= 0xE0)
        return 1;
    if (first >= 0xCE)
        return 0.8; // Greek to Arabic
    if (first >= 0x80)
        return 0.66; // Latin with accents
    if (strchr("ijl|!'.,:; ", first))
        return 0.33;
    if (strchr("frtI()[]/-\"", first))
        return 0.42;
    if (strchr("mwMW@%", first))
        return 0.98;
    return first >= 'A' && first <= 'Z' ? 0.72 : 0.63;
}

double plot_name_width(const char *name, double font)
{
    double width = 0;
    for (; *name; name++)
        width += begins_letter(*name) ? letter_width(name) * font : 0;
    return width;
}

static size_t letters_of(const char *name)
{
    size_t letters = 0;
    for (; *name; name++)
        letters += begins_letter(*name);
    return letters;
}

char *plot_name_cut(const char *name, size_t letters)
{
    if (letters_of(name) < letters + WORTH_CUTTING)
        return xstrdup(name);
    size_t size = 0, word = 0; // bytes used, and bytes up to the end of the last word
    for (size_t seen = 0; seen < letters || !begins_letter(name[size]); size++) {
        if (begins_letter(name[size]) && name[size] == ' ' && 3 * seen >= 2 * letters)
            word = size;
        seen += begins_letter(name[size]);
    }
    if (word && name[size] != ' ')
        size = word;
    while (size > 1 && strchr(" ,;:-(", name[size - 1]))
        size--;
    return xformat("%.*s\u2026", (int)size, name);
}
