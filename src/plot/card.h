// What all pictures have in common: a card that follows the reader's light or dark scheme.
#ifndef PLOT_CARD_H
#define PLOT_CARD_H

#include "util/text.h"

#define PLOT_PAD    28.0 // around everything
#define PLOT_HEADER 78.0 // title and caption

// Opens the picture, which the caller closes. Classes: ink and soft for text, bad, node, plain, pale, depot, label.
void plot_card(struct text *svg, double width, double height, const char *title);

// The title on top of the card, and the caption below it, of a class.
void plot_card_title(struct text *svg, double width, const char *title);
void plot_card_caption(struct text *svg, double width, const char *class_name, const char *caption);
size_t plot_card_letters(double width); // of a caption that fits

#endif
