#include "plot/colour.h"

#include <math.h>
#include <stdio.h>

// Converts Oklab to linear sRGB with Ottosson's published matrices: equal distances in Oklab look equally large.
static void oklab_to_linear(double lightness, double a, double b, double rgb[3])
{
    double l = pow(lightness + 0.3963377774 * a + 0.2158037573 * b, 3);
    double m = pow(lightness - 0.1055613458 * a - 0.0638541728 * b, 3);
    double s = pow(lightness - 0.0894841775 * a - 1.2914855480 * b, 3);
    rgb[0] = 4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s;
    rgb[1] = -1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s;
    rgb[2] = -0.0041960863 * l - 0.7034186147 * m + 1.7076147010 * s;
}

static int encode(double linear)
{
    double value = linear <= 0.0031308 ? 12.92 * linear : 1.055 * pow(linear, 1 / 2.4) - 0.055;
    return (int)(255 * fmin(fmax(value, 0), 1) + 0.5);
}

void plot_colour(uint32_t rank, uint32_t count, char colour[8])
{
    // The golden angle separates any number of hues; three lightnesses separate those that come close.
    static const double lightness[] = { 0.60, 0.70, 0.53 };
    double hue = (255 + 137.50776405 * rank) * 3.14159265358979 / 180;
    double light = count > 6 ? lightness[rank % 3] : lightness[0], chroma = 0.19, rgb[3];
    do { // the max chroma that a screen shows at this lightness and hue
        oklab_to_linear(light, chroma * cos(hue), chroma * sin(hue), rgb);
        chroma -= 0.005;
    } while (chroma > 0 && (fmin(rgb[0], fmin(rgb[1], rgb[2])) < 0 || fmax(rgb[0], fmax(rgb[1], rgb[2])) > 1));
    snprintf(colour, 8, "#%02x%02x%02x", encode(rgb[0]) & 255, encode(rgb[1]) & 255, encode(rgb[2]) & 255);
}
