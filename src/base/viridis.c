#include "base/viridis.h"

/* Viridis (Smith, van der Walt and Firing, for Matplotlib 1.5, 2015; released under CC0): 33 of its 256 colours,
 * evenly spaced and interpolated linearly, which stays within 2/255 of the others. */
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
