/* Viridis (Smith, van der Walt and Firing, for Matplotlib 1.5, 2015; released under CC0): 33 of its 256 colours,
 * evenly spaced and interpolated linearly, which stays within 2/255 of the others. */
#include "recording/plot/plot_colours.h"

#include <math.h>
#include <stdbool.h>

#include <clpac/plot.h>

const clpac__colour clpac__colour_ink = {0.13, 0.13, 0.13};
const clpac__colour clpac__colour_faint = {0.55, 0.55, 0.55};
const clpac__colour clpac__colour_undefined = {0.78, 0.78, 0.78};
const clpac__colour clpac__colour_bar = {0.192, 0.408, 0.557}; /* viridis at 0.33 */

static const unsigned char anchors[][3] = {
	{68, 1, 84},	{71, 13, 96},	{72, 24, 106},	{72, 35, 116},	{71, 45, 123},	{69, 54, 129},	{66, 64, 134},
	{63, 73, 137},	{59, 82, 139},	{55, 90, 141},	{51, 99, 141},	{47, 106, 142}, {44, 114, 142}, {41, 122, 142},
	{38, 129, 142}, {35, 137, 142}, {33, 144, 140}, {31, 152, 139}, {31, 159, 136}, {33, 166, 133}, {40, 174, 128},
	{49, 181, 123}, {62, 188, 116}, {76, 194, 108}, {93, 201, 99},	{110, 206, 88}, {130, 211, 76}, {150, 216, 63},
	{171, 220, 50}, {192, 223, 36}, {213, 226, 26}, {234, 229, 26}, {253, 231, 37},
};
enum { ANCHOR_COUNT = sizeof anchors / sizeof *anchors };

clpac__colour clpac__viridis(double value)
{
	double at = value > 0 ? value * (ANCHOR_COUNT - 1) : 0; /* NaN too */
	int i = at < ANCHOR_COUNT - 2 ? (int)at : ANCHOR_COUNT - 2;
	double part = at - i < 1 ? at - i : 1;
	double colour[3];
	for (int k = 0; k < 3; k++)
		colour[k] = (anchors[i][k] + part * (anchors[i + 1][k] - anchors[i][k])) / 255;
	return (clpac__colour){colour[0], colour[1], colour[2]};
}

/* Grey of lightness 100 value (CIE 1976 L*), as sRGB encodes it (IEC 61966-2-1). */
static clpac__colour grey(double value)
{
	const double lightness = value > 0 ? fmin(value, 1) : 0, root = (100 * lightness + 16) / 116;
	const double light = lightness > 0.08 ? root * root * root : 100 * lightness / 903.3;
	const double code = light > 0.0031308 ? 1.055 * pow(light, 1 / 2.4) - 0.055 : 12.92 * light;
	return (clpac__colour){code, code, code};
}

clpac__colour clpac__colour_of(int colours, double value)
{
	const bool is_reversed = colours == CLPAC_VIRIDIS_REVERSED || colours == CLPAC_GREY_REVERSED;
	const double part = is_reversed ? 1 - value : value;
	return colours == CLPAC_GREY || colours == CLPAC_GREY_REVERSED ? grey(part) : clpac__viridis(part);
}
