// The frame of all plots: a card that follows the reader's light or dark scheme.
#ifndef PLOT_CARD_H
#define PLOT_CARD_H

#include "util/text.h"

#define PLOT_PAD    28.0 // margin on all sides
#define PLOT_HEADER 78.0 // title and caption

// Opens the SVG, which the caller closes. Classes: ink and soft for text, bad, node, plain, pale, depot, label.
void plot_card(struct text *svg, double width, double height, const char *title);

// Draws the title at the top of the card, and a caption of some class below it.
void plot_card_title(struct text *svg, double width, const char *title);
void plot_card_caption(struct text *svg, double width, const char *class_name, const char *caption);
size_t plot_card_letters(double width); // max letters of a caption

#endif
