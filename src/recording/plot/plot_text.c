/* Text through the "toy" functions of cairo, made safe for names from files. */
#include "recording/plot/plot_parts.h"

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <clpac/plot.h>

#include "base/utf8.h"

enum { MOST_CHARACTERS = 400 };

static const double superscript_size = 0.72, superscript_rise = 0.38; /* relative to the size of the surrounding text */

static void choose(cairo_t *cairo, clpac__text_style style)
{
	cairo_select_font_face(cairo, "sans-serif", CAIRO_FONT_SLANT_NORMAL,
			       style.is_bold ? CAIRO_FONT_WEIGHT_BOLD : CAIRO_FONT_WEIGHT_NORMAL);
	cairo_set_font_size(cairo, style.size);
	clpac__set_colour(cairo, clpac__colour_ink);
}

/* Replaces bytes that are not UTF-8, which would put cairo into an error state for good. */
static size_t mend(const char *text, uint32_t points[MOST_CHARACTERS], char mended[4 * MOST_CHARACTERS + 1])
{
	size_t n = clpac__utf8_count(text);
	n = n < MOST_CHARACTERS ? n : MOST_CHARACTERS;
	clpac__utf8_to_code_points(text, points, n);
	for (size_t i = 0; i < n; i++)
		if (points[i] < ' ')
			points[i] = ' ';
		else if (points[i] == 0xfffe || points[i] == 0xffff) /* no characters of XML */
			points[i] = 0xfffd;
	clpac__utf8_from_code_points(points, n, mended);
	return n;
}

static double advance(cairo_t *cairo, const char *mended)
{
	cairo_text_extents_t extents;
	cairo_text_extents(cairo, mended, &extents);
	return extents.x_advance;
}

static const double part_before[] = {[CLPAC__LEFT] = 0, [CLPAC__CENTRE] = 0.5, [CLPAC__RIGHT] = 1};

static const cairo_user_data_key_t texts_key;

void clpac__collect_texts(cairo_t *cairo, clpac__text *texts)
{
	cairo_set_user_data(cairo, &texts_key, texts, NULL);
}

static void add_escaped(clpac__text *texts, const char *mended)
{
	for (; *mended; mended++)
		if (*mended == '<' || *mended == '>' || *mended == '&')
			clpac__text_add(texts, "%s", *mended == '<' ? "&lt;" : *mended == '>' ? "&gt;" : "&amp;");
		else
			clpac__text_add_bytes(texts, mended, 1);
}

/* The element lies where cairo would have drawn: at (x, y) in the present axes. */
static void add_element(clpac__text *texts, cairo_t *cairo, clpac__text_style style, double x, double y,
			const char *mended)
{
	static const char *const anchors[] = {
		[CLPAC__LEFT] = "start", [CLPAC__CENTRE] = "middle", [CLPAC__RIGHT] = "end"};
	cairo_matrix_t m;
	cairo_get_matrix(cairo, &m);
	const double numbers[] = {m.xx, m.yx, m.xy, m.yy, m.x0, m.y0, x, y, style.size};
	static const char *const before[] = {
		"<text transform=\"matrix(", " ", " ", " ", " ", " ", ")\" x=\"", "\" y=\"", "\" font-size=\""};
	char number[CLPAC__NUMBER_SIZE];
	for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
		clpac__write_fixed(numbers[i], 3, number);
		clpac__text_add(texts, "%s%s", before[i], number);
	}
	const clpac__colour ink = clpac__colour_ink;
	clpac__text_add(texts,
			"\" font-family=\"sans-serif\" font-weight=\"%s\" text-anchor=\"%s\" fill=\"#%02x%02x%02x\">",
			style.is_bold ? "bold" : "normal", anchors[style.align], (unsigned)(ink.red * 255 + 0.5),
			(unsigned)(ink.green * 255 + 0.5), (unsigned)(ink.blue * 255 + 0.5));
	add_escaped(texts, mended);
	clpac__text_add(texts, "</text>\n");
}

static void show(cairo_t *cairo, clpac__text_style style, double x, double y, const char *mended)
{
	clpac__text *texts = cairo_get_user_data(cairo, &texts_key);
	if (texts) {
		add_element(texts, cairo, style, x, y, mended);
		return;
	}
	cairo_move_to(cairo, x - part_before[style.align] * advance(cairo, mended), y);
	cairo_show_text(cairo, mended);
	cairo_new_path(cairo);
}

void clpac__draw_text(cairo_t *cairo, clpac__text_style style, double x, double y, const char *text)
{
	uint32_t points[MOST_CHARACTERS];
	char mended[4 * MOST_CHARACTERS + 1];
	mend(text, points, mended);
	choose(cairo, style);
	show(cairo, style, x, y, mended);
}

double clpac__text_width(cairo_t *cairo, clpac__text_style style, const char *text)
{
	uint32_t points[MOST_CHARACTERS];
	char mended[4 * MOST_CHARACTERS + 1];
	mend(text, points, mended);
	choose(cairo, style);
	return advance(cairo, mended);
}

void clpac__draw_text_within(cairo_t *cairo, clpac__text_style style, double x, double y, double width,
			     const char *text)
{
	uint32_t points[MOST_CHARACTERS + 1];
	char mended[4 * MOST_CHARACTERS + 5];
	size_t n = mend(text, points, mended);
	choose(cairo, style);
	while (n > 1 && advance(cairo, mended) > width) {
		points[--n] = 0x2026; /* the ellipsis takes the place of the last character */
		clpac__utf8_from_code_points(points, n + 1, mended);
	}
	show(cairo, style, x, y, mended);
}

void clpac__draw_text_upwards(cairo_t *cairo, clpac__text_style style, double x, double y, const char *text, int power)
{
	char whole[256], exponent[16];
	clpac__text_style small = {.size = style.size * superscript_size};
	snprintf(whole, sizeof whole, power ? "%s (\u00d710" : "%s", text);
	/* The exponent is small and raised: few fonts have all superscript characters. */
	snprintf(exponent, sizeof exponent, "%s%d", power < 0 ? "\u2212" : "", abs(power));

	double width = clpac__text_width(cairo, style, whole);
	double exponent_width = power ? clpac__text_width(cairo, small, exponent) : 0;
	double end_width = power ? clpac__text_width(cairo, style, ")") : 0;
	double at = -(width + exponent_width + end_width) / 2, baseline = clpac__text_middle(style);
	style.align = CLPAC__LEFT;
	cairo_save(cairo);
	cairo_translate(cairo, x, y);
	cairo_rotate(cairo, -1.57079632679489662);
	clpac__draw_text(cairo, style, at, baseline, whole);
	if (power) {
		clpac__draw_text(cairo, small, at + width, baseline - superscript_rise * style.size, exponent);
		clpac__draw_text(cairo, style, at + width + exponent_width, baseline, ")");
	}
	cairo_restore(cairo);
}

/* Digits are about 0.72 of the size high in common sans-serif faces (DejaVu, Liberation, Noto). */
double clpac__text_middle(clpac__text_style style)
{
	return 0.36 * style.size;
}

/* --- Colours ---------------------------------------------------------------------------------- */

const clpac__colour clpac__colour_ink = {0.13, 0.13, 0.13};
const clpac__colour clpac__colour_faint = {0.55, 0.55, 0.55};
const clpac__colour clpac__colour_undefined = {0.78, 0.78, 0.78};
const clpac__colour clpac__colour_bar = {0.192, 0.408, 0.557}; /* viridis at 0.33 */

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
