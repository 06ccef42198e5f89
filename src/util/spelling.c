#include "util/spelling.h"

#include <string.h>

enum { LONGEST = 31, NEAR = 2 };

static unsigned lesser(unsigned a, unsigned b)
{
    return a < b ? a : b;
}

// Edit distance: letters to insert, remove, replace or swap with a neighbour.
static unsigned distance(const char *a, size_t a_size, const char *b, size_t b_size)
{
    unsigned rows[3][LONGEST + 1], *before = rows[0], *last = rows[1], *row = rows[2];
    for (size_t j = 0; j <= b_size; j++)
        last[j] = (unsigned)j;
    for (size_t i = 1; i <= a_size; i++) {
        row[0] = (unsigned)i;
        for (size_t j = 1; j <= b_size; j++) {
            row[j] = lesser(last[j - 1] + (a[i - 1] != b[j - 1]), lesser(last[j], row[j - 1]) + 1);
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
                row[j] = lesser(row[j], before[j - 2] + 1);
        }
        unsigned *oldest = before;
        before = last, last = row, row = oldest;
    }
    return last[b_size];
}

void spelling_consider(struct spelling *s, const char *candidate)
{
    size_t size = strlen(candidate);
    if (s->length > LONGEST || size > LONGEST)
        return;
    unsigned letters = distance(s->word, s->length, candidate, size);
    unsigned limit = s->nearest ? s->distance : NEAR + 1;
    if (letters && letters < limit && 2 * letters < s->length) {
        s->nearest = candidate;
        s->distance = letters;
    }
}
