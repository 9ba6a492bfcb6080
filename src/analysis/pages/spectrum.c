/* Drawings of the spectra that OUT.json has (analysis/run/spectra.h): all channels in one, and a channel by itself,
 * which uses the curve of the former. */
#include <math.h>
#include <stdio.h>
#include <string.h>
#include "analysis/pages/page.h"
#include "analysis/run/spectra.h"

enum { WIDTH = 320, HEIGHT = 120 };

/* The axes that all spectra of a result share. */
typedef struct axes {
	double lo_hz, hi_hz, lo_db, hi_db;
	size_t n_curves;
	bool are_units_alike;
	const char *unit;
} axes;

static const json_t *member_of(const clpac__shown *shown, const char *key)
{
	return json_object_get(json_object_get(shown->facts, "provenance"), key);
}

static const json_t *spectra_of(const clpac__shown *shown)
{
	return member_of(shown, "spectra");
}

/* The group of a part of a comparison's spectra; 0 of a part of a run's. */
static int group_of(const json_t *spectra, size_t part)
{
	return (int)json_integer_value(json_object_get(json_array_get(spectra, part), "group"));
}

static axes find_axes(const json_t *spectra)
{
	axes a = {.lo_hz = INFINITY, .lo_db = INFINITY, .hi_db = -INFINITY, .are_units_alike = true};
	for (size_t g = 0; g < json_array_size(spectra); g++) {
		const json_t *one = json_array_get(spectra, g), *hz = json_object_get(one, "hz"),
			     *db = json_object_get(one, "db");
		const size_t n = json_array_size(hz);
		for (size_t c = 0; c < json_array_size(db) && n; c++) {
			const char *unit = json_string_value(json_array_get(json_object_get(one, "units"), c));
			a.are_units_alike &= !a.n_curves || (unit && a.unit && strcmp(unit, a.unit) == 0);
			a.unit = unit;
			a.n_curves++;
			for (size_t i = 0; i < n; i++) {
				a.lo_db = fmin(a.lo_db, clpac__json_number_at(json_array_get(db, c), i));
				a.hi_db = fmax(a.hi_db, clpac__json_number_at(json_array_get(db, c), i));
			}
			a.lo_hz = fmin(a.lo_hz, clpac__json_number_at(hz, 0));
			a.hi_hz = fmax(a.hi_hz, clpac__json_number_at(hz, n - 1));
		}
	}
	/* Whole tens of decibels, one at least. */
	a.lo_db = 10 * floor(a.lo_db / 10);
	a.hi_db = fmax(10 * ceil(a.hi_db / 10), a.lo_db + 10);
	return a;
}

static bool are_drawn(const axes *a)
{
	return a->n_curves && a->lo_hz > 0 && a->hi_hz > a->lo_hz && isfinite(a->lo_db) && isfinite(a->hi_db);
}

static double x_of(const axes *a, double hz)
{
	return WIDTH * fmin(1, fmax(0, log(hz / a->lo_hz) / log(a->hi_hz / a->lo_hz)));
}

static int y_of(const axes *a, double db)
{
	return (int)lround(HEIGHT * (a->hi_db - db) / (a->hi_db - a->lo_db));
}

/* A curve in whole units: its points are steps from one to the next. */
static void add_curve(clpac__text *page, const axes *a, const json_t *hz, const json_t *db, const char *id)
{
	int x = 0, y = 0;
	bool is_on = false;
	clpac__text_add(page, "<path id=\"%s\" d=\"", id);
	for (size_t i = 0; i < json_array_size(hz); i++) {
		const double value = clpac__json_number_at(db, i);
		const int to_x = (int)lround(x_of(a, clpac__json_number_at(hz, i))),
			  to_y = isnan(value) ? 0 : y_of(a, value);
		if (!isnan(value))
			clpac__text_add(page, is_on ? "l%d %d" : "M%d %d", is_on ? to_x - x : to_x,
					is_on ? to_y - y : to_y);
		is_on = !isnan(value);
		x = to_x;
		y = to_y;
	}
	clpac__text_add(page, "\"/>");
}

/* The bands of a use as one shape, so that where they overlap it is no darker. */
static void add_shade(clpac__text *page, const axes *a, const char *class, const clpac_band *bands, size_t n)
{
	clpac__text_add(page, "<path class=\"%s\" d=\"", class);
	for (size_t i = 0; i < n; i++) {
		const double from = x_of(a, bands[i].lo_hz), to = x_of(a, bands[i].hi_hz);
		if (!(to > from))
			continue;
		clpac__text_add(page, "M");
		clpac__page_add_number(page, from, 4);
		clpac__text_add(page, " 0H");
		clpac__page_add_number(page, to, 4);
		clpac__text_add(page, "V%dH", HEIGHT);
		clpac__page_add_number(page, from, 4);
		clpac__text_add(page, "z");
	}
	clpac__text_add(page, "\"/>");
}

/* The frequency of the mains; of a comparison that of all recordings.  0: it is not known, or not one. */
static double mains_of(const clpac__shown *shown)
{
	const json_t *recordings = member_of(shown, "recordings");
	double hz = json_number_value(json_object_get(member_of(shown, "reading"), "mains_hz"));
	for (size_t i = 0; i < json_array_size(recordings); i++) {
		const double own = json_number_value(json_object_get(json_array_get(recordings, i), "mains_hz"));
		hz = !i || own == hz ? own : 0;
	}
	return hz;
}

/* The bands, and the mains with its multiples, as a group that the drawings of channels use, too. */
static void add_ground(clpac__text *page, const clpac__shown *shown, const axes *a, const char *id)
{
	const clpac_result_shape *shape = clpac_result_get_shape(shown->result);
	const double mains_hz = mains_of(shown);
	clpac__text_add(page, "<g id=\"%sb\">", id);
	add_shade(page, a, "sp", clpac_result_phase_bands(shown->result), shape->n_phase_bands);
	add_shade(page, a, "sa", clpac_result_amplitude_bands(shown->result), shape->n_amplitude_bands);
	for (int i = 1; mains_hz >= 1 && i * mains_hz < a->hi_hz; i++) {
		clpac__text_add(page, "<path class=\"l e\" d=\"M");
		clpac__page_add_number(page, x_of(a, i * mains_hz), 4);
		clpac__text_add(page, " 0V%d\"/>", HEIGHT);
	}
	clpac__text_add(page, "<rect class=\"f\" width=\"%d\" height=\"%d\"/></g>", WIDTH, HEIGHT);
}

/* 1, 2 and 5 times powers of ten, and tens of decibels. */
static void add_numbers(clpac__text *page, const axes *a)
{
	static const int steps[] = {1, 2, 5};
	const int every = a->hi_db - a->lo_db > 60 ? 20 : 10;
	for (double decade = pow(10, floor(log10(a->lo_hz))); decade <= a->hi_hz; decade *= 10)
		for (int i = 0; i < 3; i++) {
			const double hz = steps[i] * decade;
			if (hz < a->lo_hz || hz > a->hi_hz)
				continue;
			clpac__text_add(page, "<text text-anchor=\"middle\" y=\"%d\" x=\"", HEIGHT + 13);
			clpac__page_add_number(page, x_of(a, hz), 4);
			clpac__text_add(page, "\">");
			clpac__page_add_number(page, hz, 3);
			clpac__text_add(page, "</text>");
		}
	for (int db = (int)a->lo_db; db <= (int)a->hi_db; db += every)
		clpac__text_add(page, "<text text-anchor=\"end\" x=\"-3\" y=\"%d\">%d</text>", y_of(a, db) + 4, db);
}

/* The beginning of a drawing, up to its description. */
static void begin(clpac__text *page, const char *id)
{
	clpac__text_add(page,
			"<figure><svg class=\"spectrum\" viewBox=\"-30 -6 %d %d\" role=\"img\" aria-labelledby=\"%s-t "
			"%s-d\"><title id=\"%s-t\">",
			WIDTH + 42, HEIGHT + 40, id, id, id);
}

static void add_unit(clpac__text *page, const char *unit)
{
	clpac__text_add(page, "dB of 1 ");
	clpac__page_add_text(page, unit && *unit ? unit : "unit");
	clpac__text_add(page, "²/Hz");
}

static void end(clpac__text *page, const axes *a)
{
	add_numbers(page, a);
	clpac__text_add(page,
			"<text text-anchor=\"middle\" x=\"%d\" y=\"%d\">frequency (Hz)</text></svg>\n<figcaption>",
			WIDTH / 2, HEIGHT + 29);
}

/* The words of a drawing of many curves. */
typedef struct words {
	char letter;	      /* of its id */
	const char *of, *one; /* "channels", "each channel" */
	const char *advice;
} words;

static const words of_channels = {
	's', "channel", "each channel",
	"A rhythm is a bump in blue, above a line that "
	"falls: phases of a band without one mean little. A narrow spike is a line, as of the "
	"mains: choose amplitude bands without it. A curve far from the others is a channel to "
	"look at before its coupling is believed; one that flattens towards high frequencies has "
	"met the noise of the amplifier."};
static const words of_means = {
	's', "channel", "each channel, the mean of decibels over recordings",
	"A rhythm that all recordings have is a bump in blue, above a line that falls: phases of "
	"a band without one mean little. What opens below the map of a channel shows how far "
	"recordings lie apart."};
static const words of_recordings = {'t', "recording", "each recording, the mean of decibels over channels",
				    "A curve far from the others is a recording to look at before the comparison is "
				    "believed; where one has a narrow spike that others have not, it has a line, as of "
				    "the mains."};

/* All curves in one drawing; those of a second group are dashed. */
static void add_all(clpac__text *page, const clpac__shown *shown, const json_t *spectra, const words *say)
{
	const axes a = find_axes(spectra);
	const bool has_groups = group_of(spectra, json_array_size(spectra) - 1) > 1;
	char id[64];
	if (!are_drawn(&a))
		return;
	snprintf(id, sizeof id, "r%zu%c", shown->number, say->letter);
	clpac__text_add(page, "<div class=\"in\">\n");
	begin(page, id);
	clpac__text_add(page, "Spectra of %zu %s%s</title><desc id=\"%s-d\">Power by frequency from ", a.n_curves,
			say->of, a.n_curves == 1 ? "" : "s", id);
	clpac__page_add_number(page, a.lo_hz, 3);
	clpac__text_add(page, " to ");
	clpac__page_add_number(page, a.hi_hz, 3);
	clpac__text_add(page, " Hz, with the bands of phases and amplitudes shaded.</desc>");
	add_ground(page, shown, &a, id);
	for (size_t g = 0; g < json_array_size(spectra); g++) {
		const json_t *one = json_array_get(spectra, g), *db = json_object_get(one, "db");
		clpac__text_add(page, group_of(spectra, g) > 1 ? "<g class=\"s t\">" : "<g class=\"s\">");
		for (size_t c = 0; c < json_array_size(db); c++) {
			snprintf(id, sizeof id, "r%zu%c%zu-%zu", shown->number, say->letter, g, c);
			add_curve(page, &a, json_object_get(one, "hz"), json_array_get(db, c), id);
		}
		clpac__text_add(page, "</g>");
	}
	end(page, &a);
	clpac__text_add(page, "Power of %s, ", say->one);
	add_unit(page, a.are_units_alike ? a.unit : NULL);
	clpac__text_add(page, "; blue: phase bands, orange: amplitude bands");
	if (has_groups)
		clpac__text_add(page, "; lines: first group, dashes: second");
	if (mains_of(shown) >= 1)
		clpac__text_add(page, ", dashed: mains and its multiples");
	clpac__text_add(page, "</figcaption></figure>\n<div class=\"read\"><p>%s</p></div>\n</div>\n", say->advice);
}

void clpac__page_add_spectra(clpac__text *page, const clpac__shown *shown)
{
	const json_t *recordings = member_of(shown, "recording_spectra"), *spectra = spectra_of(shown);
	if (json_array_size(recordings))
		add_all(page, shown, recordings, &of_recordings);
	if (json_array_size(spectra))
		add_all(page, shown, spectra, group_of(spectra, 0) ? &of_means : &of_channels);
}

/* The names of the channels of a row: one, or those of phases and amplitudes of a pair. */
static const char *name_of(const clpac__shown *shown, size_t row, clpac_band_use use)
{
	const char *of_pair = clpac_result_pair_channel(shown->result, row, use);
	return of_pair ? of_pair : use == CLPAC_PHASE ? clpac_result_channel_name(shown->result, row) : NULL;
}

/* Whether a group has several recordings. */
static bool has_spread(const json_t *spectra)
{
	for (size_t g = 0; g < json_array_size(spectra); g++) {
		const json_t *spread = json_array_get(json_object_get(json_array_get(spectra, g), "deviation_db"), 0);
		for (size_t i = 0; i < json_array_size(spread); i++)
			if (json_is_number(json_array_get(spread, i)))
				return true;
	}
	return false;
}

/* The spread of recordings: one standard deviation to each side of the mean of a channel. */
static void add_spread(clpac__text *page, const axes *a, const json_t *one, size_t place)
{
	const json_t *hz = json_object_get(one, "hz"), *db = json_array_get(json_object_get(one, "db"), place),
		     *spread = json_array_get(json_object_get(one, "deviation_db"), place);
	const size_t n = json_array_size(hz);
	bool is_on = false;
	for (size_t i = 0; i < 2 * n; i++) {
		const size_t k = i < n ? i : 2 * n - 1 - i;
		const double apart = clpac__json_number_at(spread, k), middle = clpac__json_number_at(db, k);
		if (isnan(apart) || isnan(middle))
			continue;
		clpac__text_add(page, is_on ? "L" : "<path class=\"sd\" d=\"M");
		clpac__page_add_number(page, x_of(a, clpac__json_number_at(hz, k)), 4);
		const double edge = i < n ? fmin(middle + apart, a->hi_db) : fmax(middle - apart, a->lo_db);
		clpac__text_add(page, " %d", y_of(a, edge));
		is_on = true;
	}
	clpac__text_add(page, is_on ? "z\"/>" : "");
}

/* The curves of a row: of a run those of the channels of phases and of amplitudes, where these differ; of a comparison
 * those of its groups, but of a pair of channels those of the first group. */
typedef struct row_curves {
	bool has[2], are_groups;
	size_t part[2], place[2];
} row_curves;

static row_curves find_curves(const clpac__shown *shown, size_t row)
{
	const json_t *spectra = spectra_of(shown);
	const bool is_pair = clpac_result_pair_channel(shown->result, row, CLPAC_PHASE) != NULL;
	const int group = group_of(spectra, 0);
	row_curves out = {.are_groups = group && !is_pair};
	for (int i = 0; i < 2; i++)
		out.has[i] = clpac__spectra_find(spectra,
						 name_of(shown, row, out.are_groups ? CLPAC_PHASE : (clpac_band_use)i),
						 out.are_groups ? i + 1 : group, &out.part[i], &out.place[i]);
	return out;
}

void clpac__page_add_spectrum(clpac__text *page, const clpac__shown *shown, size_t row)
{
	const json_t *spectra = spectra_of(shown);
	const axes a = find_axes(spectra);
	const row_curves curves = find_curves(shown, row);
	const int first = curves.has[0] ? 0 : 1;
	char id[64];
	if (!are_drawn(&a) || (!curves.has[0] && !curves.has[1]))
		return;
	snprintf(id, sizeof id, "r%zuc%zus", shown->number, row);
	begin(page, id);
	clpac__text_add(page, "Spectrum</title><desc id=\"%s-d\">Power by frequency, bands shaded.</desc>", id);
	clpac__text_add(page, "<use href=\"#r%zusb\"/>", shown->number);
	for (int i = 0; i < 2; i++) {
		if (!curves.has[i])
			continue;
		add_spread(page, &a, json_array_get(spectra, curves.part[i]), curves.place[i]);
		clpac__text_add(page, "<use class=\"s%d\" href=\"#r%zus%zu-%zu\"/>", i, shown->number, curves.part[i],
				curves.place[i]);
	}
	end(page, &a);
	clpac__text_add(page, group_of(spectra, 0) ? "Mean power, " : "Power, ");
	add_unit(page,
		 json_string_value(json_array_get(json_object_get(json_array_get(spectra, curves.part[first]), "units"),
						  curves.place[first])));
	if (curves.has[1])
		clpac__text_add(page, curves.are_groups ? "; line: first group, dashes: second"
							: "; line: channel of the phase, dashes: of the amplitude");
	if (has_spread(spectra))
		clpac__text_add(page, "; grey: a standard deviation of recordings to each side");
	clpac__text_add(page, "</figcaption></figure>\n");
}
