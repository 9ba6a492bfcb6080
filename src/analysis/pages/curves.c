/* Drawings beside the maps: the amplitude over the phase, and what is observed against the null. */
#include <math.h>
#include <stdio.h>
#include "analysis/pages/page.h"
#include "analysis/pages/series.h"

static const double pi = 3.14159265358979324;

/* In the units of a drawing: the width and height of its frame, and the strip of the cosine above the bars. */
enum { WIDTH = 160, HEIGHT = 100, STRIP = 20, STRIP_NULL = 34, BINS = 24 };

/* The beginning of a drawing, whose frame lies at 0, 0. */
static void begin(clpac__text *page, const char *class, const char *id, const char *part, int height, const char *title)
{
	clpac__text_add(page,
			"<figure><svg class=\"%s\" viewBox=\"-30 -4 %d %d\" role=\"img\" aria-labelledby=\"%s-%s-t "
			"%s-%s-d\"><title id=\"%s-%s-t\">%s</title><desc id=\"%s-%s-d\">",
			class, WIDTH + 44, height + 28, id, part, id, part, id, part, title, id, part);
}

static void end(clpac__text *page, int height, const char *x_label, const char *caption)
{
	clpac__text_add(page,
			"<rect class=\"f\" width=\"%d\" height=\"%d\"/><text text-anchor=\"middle\" x=\"%d\" "
			"y=\"%d\">%s</text></svg>\n<figcaption>%s</figcaption></figure>\n",
			WIDTH, height, WIDTH / 2, height + 21, x_label, caption);
}

static void add_tick(clpac__text *page, double x, int height, double value, int digits)
{
	clpac__text_add(page, "<text text-anchor=\"middle\" y=\"%d\" x=\"", height + 9);
	clpac__page_add_number(page, x, 5);
	clpac__text_add(page, "\">");
	clpac__page_add_number(page, value, digits);
	clpac__text_add(page, "</text>");
}

static void add_line(clpac__text *page, const char *class, double x, double from, double to)
{
	clpac__text_add(page, "<path class=\"%s\" d=\"M", class);
	clpac__page_add_number(page, x, 5);
	clpac__text_add(page, " ");
	clpac__page_add_number(page, from, 5);
	clpac__text_add(page, "V");
	clpac__page_add_number(page, to, 5);
	clpac__text_add(page, "\"/>");
}

static void add_bar(clpac__text *page, double x, double width, double height)
{
	clpac__text_add(page, "M");
	clpac__page_add_number(page, x, 5);
	clpac__text_add(page, " %dv", HEIGHT);
	clpac__page_add_number(page, -height, 4);
	clpac__text_add(page, "h");
	clpac__page_add_number(page, width, 4);
	clpac__text_add(page, "V%dz", HEIGHT);
}

/* --- The distribution ---------------------------------------------------------------------------- */

/* From -180 to 540 degrees. */
static double x_of_degrees(double degrees)
{
	return WIDTH * (degrees + 180) / 720;
}

static void add_cosine(clpac__text *page)
{
	clpac__text_add(page, "<path class=\"l\" d=\"");
	for (int degrees = -180; degrees <= 540; degrees += 15) {
		clpac__text_add(page, degrees == -180 ? "M" : "L");
		clpac__page_add_number(page, x_of_degrees(degrees), 4);
		clpac__text_add(page, " ");
		clpac__page_add_number(page, STRIP / 2.0 - 7 * cos(degrees * pi / 180), 3);
	}
	clpac__text_add(page, "\"/>");
}

void clpac__series_add_distribution(clpac__text *page, const clpac__page_series *s, const char *id)
{
	double sum = 0, highest = 0;
	for (size_t j = 0; s->distribution && j < s->n_bins; j++) {
		sum += isnan(s->distribution[j]) ? 0 : (double)s->distribution[j];
		highest = fmax(highest, s->distribution[j]);
	}
	if (!(sum > 0) || !isfinite(sum))
		return;
	const double top = 1.06 * highest / sum, width = 360.0 / (double)s->n_bins;
	const double preferred = s->preferred ? s->preferred[s->peak_cell] * 180 / pi : NAN;
	begin(page, "bins", id, "b", HEIGHT, "Amplitude over two cycles of the phase");
	clpac__text_add(page, "Share of the amplitude in each of %zu bins of the phase; the highest is ", s->n_bins);
	clpac__page_add_number(page, highest / sum, 3);
	if (!isnan(preferred)) {
		clpac__text_add(page, ", the preferred phase ");
		clpac__page_add_number(page, preferred, 3);
		clpac__text_add(page, " degrees");
	}
	clpac__text_add(page, ".</desc><path class=\"b\" d=\"");
	for (size_t j = 0; j < 2 * s->n_bins; j++) {
		const double value = s->distribution[j % s->n_bins];
		if (!isnan(value))
			add_bar(page, x_of_degrees(-180 + width * ((double)j + 0.05)), WIDTH * 0.9 * width / 720,
				(HEIGHT - STRIP) * value / sum / top);
	}
	clpac__text_add(page, "\"/>");
	add_cosine(page);
	clpac__text_add(page, "<path class=\"l e\" d=\"M0 ");
	clpac__page_add_number(page, HEIGHT - (HEIGHT - STRIP) / (double)s->n_bins / top, 5);
	clpac__text_add(page, "h%d\"/>", WIDTH);
	for (int cycle = 0; cycle < 2 && !isnan(preferred); cycle++)
		add_line(page, "p", x_of_degrees(preferred + 360 * cycle), STRIP, HEIGHT);
	for (int degrees = -180; degrees <= 540; degrees += 180)
		add_tick(page, x_of_degrees(degrees), HEIGHT, degrees, 4);
	clpac__text_add(page,
			"<text text-anchor=\"end\" x=\"-2\" y=\"%d\">0</text><text class=\"top\" "
			"text-anchor=\"end\" x=\"-2\" y=\"%d\">",
			HEIGHT, STRIP + 5);
	clpac__page_add_number(page, top, 2);
	clpac__text_add(page, "</text>");
	end(page, HEIGHT, "phase (degrees)",
	    "Share of the amplitude by phase, whose cosine stands above; dashes: even; line: preferred phase");
}

/* --- Observed against null ----------------------------------------------------------------------- */

void clpac__series_add_null(clpac__text *page, const clpac__page_series *s, const char *id)
{
	if (!s->null_mean || !s->null_deviation || !s->peak.found)
		return;
	const double mean = s->null_mean[s->peak_cell], deviation = s->null_deviation[s->peak_cell],
		     observed = s->index[s->peak_cell], top = 1.1 * fmax(observed, mean + 3 * deviation);
	if (!(top > 0) || !isfinite(top))
		return;
	const double lowest = fmax(0, mean - 2 * deviation);
	begin(page, "null", id, "n", STRIP_NULL, "The index against its surrogates");
	clpac__text_add(page, "Observed ");
	clpac__page_add_number(page, observed, 3);
	clpac__text_add(page, "; surrogates ");
	clpac__page_add_number(page, mean, 3);
	clpac__text_add(page, " with a deviation of ");
	clpac__page_add_number(page, deviation, 3);
	clpac__text_add(page, ".</desc><rect class=\"b spread\" y=\"10\" height=\"14\" x=\"");
	clpac__page_add_number(page, WIDTH * lowest / top, 5);
	clpac__text_add(page, "\" width=\"");
	clpac__page_add_number(page, WIDTH * (mean + 2 * deviation - lowest) / top, 5);
	clpac__text_add(page, "\"/>");
	add_line(page, "l middle", WIDTH * mean / top, 10, 24);
	add_line(page, "p", WIDTH * observed / top, 2, 32);
	add_tick(page, 0, STRIP_NULL, 0, 1);
	clpac__text_add(page, "<text class=\"top\" text-anchor=\"end\" x=\"%d\" y=\"%d\">", WIDTH, STRIP_NULL + 9);
	clpac__page_add_number(page, top, 2);
	clpac__text_add(page, "</text>");
	end(page, STRIP_NULL, clpac__series_index_word(s),
	    "Line: observed; bar: surrogates, mean and two deviations to each side");
}

/* The value whose rank among the maxima is the p_max of the peak: its statistic, or of differences that are looked for
 * on the other side, or on both, its opposite.  NaN: none, as where p_max is corrected over all maps. */
static double ranked(const clpac__page_series *s)
{
	if (!s->standardized || !s->maxima || !s->is_corrected || !s->peak.found)
		return NAN;
	for (int sign = 1; sign >= -1; sign -= 2) {
		const float value = (float)sign * s->standardized[s->peak_cell];
		size_t reached = 0;
		for (size_t k = 0; k < s->n_surrogates; k++)
			reached += s->maxima[k] >= value;
		const double p = (1 + (double)reached) / (1 + (double)s->n_surrogates);
		if (fabs(p - s->p[s->peak_cell]) < 1e-6)
			return value;
	}
	return NAN;
}

void clpac__series_add_maxima(clpac__text *page, const clpac__page_series *s, const char *id)
{
	const double observed = ranked(s);
	size_t counts[BINS] = {0}, most = 0, n = 0;
	double lo = observed, hi = observed;
	for (size_t k = 0; s->maxima && k < s->n_surrogates; k++)
		if (isfinite(s->maxima[k])) {
			lo = fmin(lo, s->maxima[k]);
			hi = fmax(hi, s->maxima[k]);
			n++;
		}
	if (!isfinite(observed) || !n || !(hi > lo))
		return;
	for (size_t k = 0; k < s->n_surrogates; k++)
		if (isfinite(s->maxima[k])) {
			const size_t bin = (size_t)((s->maxima[k] - lo) / (hi - lo) * BINS);
			const size_t at = bin < BINS ? bin : BINS - 1;
			counts[at]++;
			most = counts[at] > most ? counts[at] : most;
		}
	begin(page, "maxima", id, "m", HEIGHT, "What p_max counts");
	clpac__text_add(page, "The highest value of each of %zu surrogate maps, and that of the peak, ", n);
	clpac__page_add_number(page, observed, 3);
	clpac__text_add(page, ".</desc><path class=\"b\" d=\"");
	for (size_t i = 0; i < BINS; i++)
		if (counts[i])
			add_bar(page, WIDTH * ((double)i + 0.05) / BINS, WIDTH * 0.9 / BINS,
				0.9 * HEIGHT * (double)counts[i] / (double)most);
	clpac__text_add(page, "\"/>");
	add_line(page, "p", WIDTH * (observed - lo) / (hi - lo), 0, HEIGHT);
	add_tick(page, 0, HEIGHT, lo, 3);
	add_tick(page, WIDTH, HEIGHT, hi, 3);
	end(page, HEIGHT, s->is_comparison ? clpac__series_z_word(s) : "standardized statistic (doc/maths.md)",
	    "The highest cell of each surrogate map; line: the peak");
}
