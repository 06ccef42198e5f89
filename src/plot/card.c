#include "plot/card.h"

static const char style[] =
    "<style>\n"
    ".card{fill:#fff}.ink{fill:#1f2328}.soft{fill:#59636e}.bad{fill:#c9302c}\n"
    ".node{stroke:#fff}.plain{fill:#6b7785}.pale{fill:#e6e9ed;stroke:#a9b1bb}.depot{fill:#1f2328;stroke:#fff}\n"
    ".label{fill:#3d444d;stroke:#fff;paint-order:stroke}\n"
    ".leg,.tour{fill:none;stroke-linecap:round;stroke-linejoin:round}\n"
    "@media (prefers-color-scheme:dark){\n"
    ".card{fill:#14171c}.ink{fill:#f0f3f6}.soft{fill:#9aa4af}.bad{fill:#ff7b72}\n"
    ".node{stroke:#14171c}.plain{fill:#8b97a5}.pale{fill:#2b3138;stroke:#5d6671}.depot{fill:#f0f3f6;stroke:#14171c}\n"
    ".label{fill:#c5ccd4;stroke:#14171c}\n"
    "}\n"
    "</style>\n";

void plot_card(struct text *svg, double width, double height, const char *title)
{
    text_add(svg,
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %.0f %.0f\" width=\"%.0f\" height=\"%.0f\" "
        "role=\"img\" font-family=\"system-ui,'Segoe UI',Roboto,'Helvetica Neue',Arial,sans-serif\">\n<title>",
        width, height, width, height);
    text_add_xml(svg, title, 200);
    text_add(svg, "</title>\n%s<rect class=\"card\" width=\"100%%\" height=\"100%%\" rx=\"10\"/>\n", style);
}

void plot_card_title(struct text *svg, double width, const char *title)
{
    text_add(svg, "<text class=\"ink\" x=\"%.0f\" y=\"37\" font-size=\"18\" font-weight=\"600\">", PLOT_PAD);
    text_add_xml(svg, title, (size_t)((width - 2 * PLOT_PAD) / 11));
    text_add(svg, "</text>\n");
}

size_t plot_card_letters(double width)
{
    return (size_t)((width - 2 * PLOT_PAD) / 7.2);
}

void plot_card_caption(struct text *svg, double width, const char *class_name, const char *caption)
{
    text_add(svg, "<text class=\"%s\" x=\"%.0f\" y=\"58\" font-size=\"13\">", class_name, PLOT_PAD);
    text_add_xml(svg, caption, plot_card_letters(width));
    text_add(svg, "</text>\n");
}
