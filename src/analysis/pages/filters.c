/* Drawings of filters: the power that each lets through. */
#include <math.h>
#include <stdio.h>
#include "analysis/pages/page.h"
#include "base/cancel.h"
#include "base/viridis.h"

enum { WIDTH = 320, HEIGHT = 80, POINTS = 160 };

static const double two_pi = 6.28318530717958648;

/* |H|^2 at a frequency, as a part of the sampling rate: the response that is applied (clpac_band_report). */
static double response_at(const clpac_band_report *band, double frequency)
{
	const double step_x = cos(two_pi * frequency), step_y = sin(two_pi * frequency);
	double x = 1, y = 0, re = 0, im = 0;
	for (size_t k = 0; k < band->n_taps; k++) {
		const double next = x * step_x - y * step_y;
		re += band->taps[k] * x;
		im += band->taps[k] * y;
		y = x * step_y + y * step_x;
		x = next;
	}
	return re * re + im * im;
}

static void add_curve(clpac__text *page, const clpac_band_report *band, double rate, double top, double part)
{
	double values[POINTS + 1], highest = 0;
	for (int i = 0; i <= POINTS; i++) {
		values[i] = response_at(band, top * i / POINTS / rate);
		highest = fmax(highest, values[i]);
	}
	/* The brightest colours are too faint for a line on white. */
	const clpac__colour colour = clpac__viridis(0.8 * part);
	clpac__text_add(page, "<path class=\"l\" style=\"stroke:#%02x%02x%02x\" d=\"", (unsigned)(colour.red * 255),
			(unsigned)(colour.green * 255), (unsigned)(colour.blue * 255));
	for (int i = 0; i <= POINTS; i++) {
		clpac__text_add(page, i ? "L%d " : "M%d ", i * WIDTH / POINTS);
		clpac__page_add_number(page, HEIGHT - 0.95 * HEIGHT * values[i] / (highest > 0 ? highest : 1), 3);
	}
	clpac__text_add(page, "\"/>");
}

static clpac_status add_use(clpac__text *page, const clpac__shown *shown, clpac_band_use use, double rate,
			    clpac_error *err)
{
	size_t n, n_of_use = 0, i_of_use = 0;
	const clpac_band_report *bands = clpac_result_band_reports(shown->result, &n);
	double top = 0;
	for (size_t i = 0; i < n; i++)
		if (bands[i].use == use && bands[i].n_taps) {
			top = fmax(top, 1.25 * bands[i].band.hi_hz);
			n_of_use++;
		}
	top = fmin(top, rate / 2);
	if (!n_of_use || !(top > 0))
		return CLPAC_OK;
	const char *word = clpac_band_use_text(use);
	clpac__text_add(
		page,
		"<figure><svg class=\"filter\" viewBox=\"-22 -4 %d %d\" role=\"img\" aria-labelledby=\"r%zuf%d-t "
		"r%zuf%d-d\"><title id=\"r%zuf%d-t\">Responses of the %zu filters of the %s</title><desc "
		"id=\"r%zuf%d-d\">Power that each lets through, beside its highest, from 0 to ",
		WIDTH + 32, HEIGHT + 28, shown->number, (int)use, shown->number, (int)use, shown->number, (int)use,
		n_of_use, word, shown->number, (int)use);
	clpac__page_add_number(page, top, 4);
	clpac__text_add(page, " Hz.</desc>");
	for (size_t i = 0; i < n; i++) {
		if (bands[i].use != use || !bands[i].n_taps)
			continue;
		RETURN_IF_ERROR(clpac_cancel_check(err));
		add_curve(page, &bands[i], rate, top, (double)i_of_use++ / (double)n_of_use);
	}
	clpac__text_add(page, "<rect class=\"f\" width=\"%d\" height=\"%d\"/>", WIDTH, HEIGHT);
	for (int i = 0; i <= 4; i++) {
		clpac__text_add(page, "<text text-anchor=\"middle\" x=\"%d\" y=\"%d\">", i * WIDTH / 4, HEIGHT + 9);
		clpac__page_add_number(page, top * i / 4, 3);
		clpac__text_add(page, "</text>");
	}
	clpac__text_add(page,
			"<text text-anchor=\"middle\" x=\"%d\" y=\"%d\">frequency (Hz)</text><text text-anchor=\"end\" "
			"x=\"-3\" y=\"%d\">0</text><text text-anchor=\"end\" x=\"-3\" y=\"8\">1</text></svg>\n"
			"<figcaption>Filters of the %s: power let through</figcaption></figure>\n",
			WIDTH / 2, HEIGHT + 21, HEIGHT, word);
	return CLPAC_OK;
}

clpac_status clpac__page_add_filters(clpac__text *page, const clpac__shown *shown, clpac_error *err)
{
	const double rate = json_number_value(json_object_get(json_object_get(shown->facts, "parameters"), "rate"));
	size_t n;
	clpac_result_band_reports(shown->result, &n);
	if (!n || !(rate > 0))
		return CLPAC_OK;
	clpac__page_add(page, "h3", "Filters");
	clpac__text_add(page, "<div class=\"in\">\n");
	RETURN_IF_ERROR(add_use(page, shown, CLPAC_PHASE, rate, err));
	RETURN_IF_ERROR(add_use(page, shown, CLPAC_AMPLITUDE, rate, err));
	clpac__text_add(page, "</div>\n");
	return CLPAC_OK;
}
