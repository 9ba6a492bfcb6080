/* The figure of one series: its comodulogram, the map of z where there are surrogates, and the phase-amplitude
 * histogram of its peak.  That of a comparison of subjects has their mean in place of the index, and t in place of z.
 */
#include <clpac/plot.h>

#include "base/cancel.h"
#include "base/clean.h"
#include "base/number.h"
#include "base/sized.h"
#include "recording/result_words.h"
#include "recording/plot/plot_parts.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

static const double default_significance = 0.05;

/* The drawn series of a result.  Arrays that the result does not hold are NULL. */
struct figure {
	const clpac_result *result;
	size_t channel, segment;
	clpac_peak peak; /* the peak of this series */
	clpac__cells phase, amplitude;
	const float *mi, *z, *p, *p_max, *preferred, *distribution, *harmonic, *remaining;
	bool is_comparison;
	clpac__compared compared; /* of a comparison */
	double threshold;	  /* z, or t, from which p_max is at most the significance; 0: not known */
	clpac_plot_options options;
	char polar_title[200], z_title[100];
	double significance;
	char title[400], subtitle[400];
};

static const float *series_of(const struct figure *figure, clpac_array which)
{
	const clpac_result_shape *shape = clpac_result_get_shape(figure->result);
	size_t n;
	const float *values = clpac_result_array(figure->result, which, &n);
	size_t of_series = n / (shape->n_channels * shape->n_segments);
	return values ? values + (figure->channel * shape->n_segments + figure->segment) * of_series : NULL;
}

static clpac_status choose_series(struct figure *figure, const clpac_plot_options *options, clpac_error *err)
{
	const clpac_result_shape *shape = clpac_result_get_shape(figure->result);
	if (!options || options->channel == SIZE_MAX) {
		clpac_peak peak = clpac_result_peak(figure->result, SIZE_MAX);
		figure->channel = peak.found ? peak.channel : 0;
		figure->segment = peak.found ? peak.segment : 0;
	} else {
		figure->channel = options->channel;
		figure->segment = options->segment;
	}
	if (figure->channel >= shape->n_channels)
		RETURN_ERROR(CLPAC_ERROR_ARGUMENT, "plot: channel %zu does not exist: there are %zu, counted from 0",
			     figure->channel, shape->n_channels);
	if (figure->segment >= shape->n_segments)
		RETURN_ERROR(CLPAC_ERROR_ARGUMENT, "plot: segment %zu does not exist: there are %zu, counted from 0",
			     figure->segment, shape->n_segments);
	return CLPAC_OK;
}

/* The peak of the drawn series.  Of a comparison, index and z are those of the maps that are drawn: effect and t. */
static clpac_peak peak_of_series(const struct figure *figure)
{
	clpac_peak peak = clpac_result_series_peak(figure->result, figure->channel, figure->segment);
	const size_t cell = peak.phase * clpac_result_get_shape(figure->result)->n_amplitude_bands + peak.amplitude;
	if (peak.found && figure->is_comparison) {
		peak.mi = figure->mi[cell];
		peak.z = figure->z[cell];
	}
	return peak;
}

static void add(char text[400], const char *more, const char *value)
{
	size_t length = strlen(text);
	snprintf(text + length, 400 - length, "%s%s", more, value);
}

/* Random shifts are the usual null, and any other is named. */
static void write_z_title(struct figure *figure)
{
	char null[CLPAC__NULL_TEXT_SIZE];
	if (figure->is_comparison) {
		snprintf(figure->z_title, sizeof figure->z_title, "%s", figure->compared.t_title);
		return;
	}
	clpac__null_text(figure->result, null);
	const bool is_usual = !*null || strcmp(null, "shift") == 0;
	snprintf(figure->z_title, sizeof figure->z_title, "Compared with surrogates%s%s", is_usual ? "" : ", ",
		 is_usual ? "" : null);
}

static void write_titles(struct figure *figure, const char *title)
{
	const clpac_result_shape *shape = clpac_result_get_shape(figure->result);
	char number[CLPAC__NUMBER_SIZE], band[96] = "";
	if (title) {
		add(figure->title, "", title);
		return;
	}
	if (figure->options.grid) {
		if (shape->n_segments > 1)
			snprintf(band, sizeof band, ", segment %zu", figure->segment);
		snprintf(figure->title, sizeof figure->title, "%zu %s%s", shape->n_channels,
			 clpac__result_has_pairs(figure->result) ? "pairs (phase>amplitude)" : "channels", band);
		return;
	}
	if (clpac__result_has_pairs(figure->result)) {
		add(figure->title, "Phase of ",
		    clpac_result_pair_channel(figure->result, figure->channel, CLPAC_PHASE));
		add(figure->title, ", amplitude of ",
		    clpac_result_pair_channel(figure->result, figure->channel, CLPAC_AMPLITUDE));
	} else {
		add(figure->title, "Channel ", clpac_result_channel_name(figure->result, figure->channel));
	}
	if (shape->n_segments > 1) {
		snprintf(band, sizeof band, "%zu", figure->segment);
		add(figure->title, ", segment ", band);
		const double onset_s = clpac_result_segment_onsets(figure->result)[figure->segment];
		clpac__write_general(onset_s, 6, number);
		if (!isnan(onset_s)) {
			add(figure->title, " from ", number);
			add(figure->title, " s", "");
		}
	}
	if (clpac_result_condition(figure->result, figure->segment))
		add(figure->title, ", ", clpac_result_condition(figure->result, figure->segment));
	if (!figure->peak.found) {
		add(figure->subtitle, "No cell is defined", "");
		return;
	}
	clpac__band_text(band, clpac_result_phase_bands(figure->result)[figure->peak.phase]);
	add(figure->subtitle, "Peak at ", band);
	clpac__band_text(band, clpac_result_cell_band(figure->result, figure->peak.phase, figure->peak.amplitude));
	add(figure->subtitle, " Hz / ", band);
	clpac__write_general(figure->peak.mi, 3, number);
	add(figure->subtitle, " Hz: ",
	    figure->is_comparison ? "effect" : clpac_measure_abbreviation(clpac_result_measure(figure->result)));
	add(figure->subtitle, " ", number);
	clpac__write_general(figure->peak.z, 3, number);
	if (figure->z)
		add(figure->subtitle,
		    !figure->is_comparison	      ? ", z "
		    : *figure->compared.t_name == 't' ? ", t "
						      : ", in deviations ",
		    number);
	clpac__write_general(figure->p_max ? figure->peak.p_max : figure->peak.p, 2, number);
	if (figure->p_max)
		add(figure->subtitle, ", p_max ", number);
	else if (figure->p)
		add(figure->subtitle, ", p ", number);
	if (!isnan(figure->peak.preferred_phase)) {
		clpac__write_fixed(figure->peak.preferred_phase * 180 / acos(-1), 0, number);
		add(figure->subtitle, ", preferred phase ", number);
		add(figure->subtitle, "\u00b0", "");
	}
}

/* The value in the middle of the colours; 0: none. */
static double find_threshold(const struct figure *figure)
{
	const clpac_result_shape *shape = clpac_result_get_shape(figure->result);
	const clpac__corrected_map map = {.values = figure->z,
					  .p_max = figure->p_max,
					  .standardized = series_of(figure, CLPAC_STANDARDIZED),
					  .maxima = series_of(figure, CLPAC_MAXIMA),
					  .n_cells = shape->n_phase_bands * shape->n_amplitude_bands,
					  .n_surrogates = shape->n_surrogates,
					  .significance = figure->significance};
	if (!map.values || !map.p_max || !map.maxima || figure->compared.is_less)
		return 0;
	return figure->is_comparison ? clpac__asked_of_t(&map) : clpac__middle_of_z(&map);
}

/* The distribution at the peak; NULL where the result does not hold it.  A result keeps that of its first measure's
 * peak. */
static const float *distribution_of_peak(const struct figure *figure)
{
	const clpac_result_shape *shape = clpac_result_get_shape(figure->result);
	const float *all = series_of(figure, CLPAC_DISTRIBUTION);
	clpac_measure measures[CLPAC_MEASURE_COUNT];
	clpac_result_measures(figure->result, measures);
	if (clpac_result_measure(figure->result) == measures[0])
		return series_of(figure, CLPAC_PEAK_DISTRIBUTION);
	if (!all || !figure->peak.found)
		return NULL;
	return all + (figure->peak.phase * shape->n_amplitude_bands + figure->peak.amplitude) * shape->n_bins;
}

/* The distribution of the cell that is asked for, and its name. */
static clpac_status choose_cell(struct figure *figure, clpac_error *err)
{
	const clpac_result_shape *shape = clpac_result_get_shape(figure->result);
	const clpac_plot_options *o = &figure->options;
	const float *all = series_of(figure, CLPAC_DISTRIBUTION);
	char band[96];
	if (!o->has_cell)
		return CLPAC_OK;
	if (o->cell_phase >= shape->n_phase_bands || o->cell_amplitude >= shape->n_amplitude_bands)
		RETURN_ERROR(CLPAC_ERROR_ARGUMENT,
			     "plot: cell %zu, %zu does not exist: there are %zu x %zu, counted from 0", o->cell_phase,
			     o->cell_amplitude, shape->n_phase_bands, shape->n_amplitude_bands);
	const bool is_peak = figure->peak.found && figure->peak.phase == o->cell_phase &&
			     figure->peak.amplitude == o->cell_amplitude;
	if (all)
		figure->distribution =
			all + (o->cell_phase * shape->n_amplitude_bands + o->cell_amplitude) * shape->n_bins;
	else if (!is_peak || !figure->distribution)
		RETURN_ERROR(CLPAC_ERROR_ARGUMENT, "plot: the result holds the distribution of its peak alone; compute "
						   "with --keep-distributions to "
						   "draw other cells");
	clpac__band_text(band, clpac_result_phase_bands(figure->result)[o->cell_phase]);
	snprintf(figure->polar_title, sizeof figure->polar_title, "%s", band);
	clpac__band_text(band, clpac_result_cell_band(figure->result, o->cell_phase, o->cell_amplitude));
	snprintf(figure->polar_title + strlen(figure->polar_title),
		 sizeof figure->polar_title - strlen(figure->polar_title), " Hz / %s Hz", band);
	return CLPAC_OK;
}

/* A distribution without amplitude, or of a series without a peak, has no shares to draw. */
static bool has_shares(const struct figure *figure)
{
	double sum = 0;
	for (size_t j = 0; figure->distribution && j < clpac_result_get_shape(figure->result)->n_bins; j++)
		sum += isnan(figure->distribution[j]) ? 0 : figure->distribution[j];
	return sum > 0 && isfinite(sum);
}

/* The two maps of a series: index and z, or effect and t. */
static void take_maps(struct figure *figure)
{
	figure->mi = series_of(figure, figure->is_comparison ? CLPAC_EFFECT : CLPAC_MI);
	figure->z = series_of(figure, figure->is_comparison ? CLPAC_T : CLPAC_Z);
}

static clpac_status check_colours(const clpac_plot_options *o, clpac_error *err)
{
	if (!(o->significance > 0 && o->significance <= 1))
		RETURN_ERROR(CLPAC_ERROR_ARGUMENT, "plot: significance is %g: it must be above 0 and at most 1",
			     o->significance);
	if ((unsigned)o->colours >= CLPAC_COLOURS_COUNT)
		RETURN_ERROR(CLPAC_ERROR_ARGUMENT, "plot: colours is %d: it must be one of clpac_colours",
			     (int)o->colours);
	if (o->lowest > o->highest || !isfinite(o->highest - o->lowest))
		RETURN_ERROR(CLPAC_ERROR_ARGUMENT, "plot: colours go from %g to %g: the first must be below the second",
			     o->lowest, o->highest);
	return CLPAC_OK;
}

static clpac_status compose(const clpac_result *result, const clpac_plot_options *options, struct figure *figure,
			    clpac_error *err)
{
	const clpac_result_shape *shape = clpac_result_get_shape(result);
	figure->result = result;
	RETURN_IF_ERROR(choose_series(figure, options, err));
	figure->significance = options && options->significance ? options->significance : default_significance;
	figure->is_comparison = clpac_result_array(result, CLPAC_T, NULL) != NULL;
	if (figure->is_comparison)
		figure->compared = clpac__compared_words(result);
	take_maps(figure);
	figure->p = series_of(figure, CLPAC_P);
	figure->p_max = series_of(figure, CLPAC_P_MAX);
	figure->preferred = series_of(figure, CLPAC_PREFERRED_PHASE);
	figure->harmonic = series_of(figure, CLPAC_HARMONIC);
	figure->remaining = series_of(figure, CLPAC_REMAINING);
	figure->options = options ? *options : (clpac_plot_options){.channel = SIZE_MAX};
	figure->options.significance = figure->significance;
	RETURN_IF_ERROR(check_colours(&figure->options, err));
	if (figure->options.arrows && !(figure->preferred && series_of(figure, CLPAC_MEAN_VECTOR)))
		RETURN_ERROR(CLPAC_ERROR_ARGUMENT,
			     "plot: the result holds no preferred phases, so arrows cannot be drawn");
	if (!figure->mi)
		RETURN_ERROR(CLPAC_ERROR_ARGUMENT, "plot: the result holds no index to draw");
	figure->peak = peak_of_series(figure);
	figure->threshold = find_threshold(figure);
	figure->distribution = distribution_of_peak(figure);
	RETURN_IF_ERROR(choose_cell(figure, err));
	if (!has_shares(figure))
		figure->distribution = NULL;
	RETURN_IF_ERROR(
		clpac__cells_create(clpac_result_phase_bands(result), shape->n_phase_bands, &figure->phase, err));
	RETURN_IF_ERROR(clpac__cells_create(clpac_result_amplitude_bands(result), shape->n_amplitude_bands,
					    &figure->amplitude, err));
	figure->amplitude.is_tied = clpac_result_cell_bands(result) != NULL;
	write_titles(figure, options ? options->title : NULL);
	write_z_title(figure);
	clpac__clean(figure->title);
	return CLPAC_OK;
}

static clpac__arrows arrows_of(const struct figure *figure)
{
	if (!figure->options.arrows)
		return (clpac__arrows){NULL, NULL};
	return (clpac__arrows){series_of(figure, CLPAC_PREFERRED_PHASE), series_of(figure, CLPAC_MEAN_VECTOR)};
}

static void draw(cairo_t *cairo, const struct figure *figure, const clpac__panels *layout)
{
	size_t panel = 0;
	clpac__draw_page_titles(cairo, layout, figure->title, figure->subtitle);

	clpac__drawn_map map = {
		.phase = &figure->phase, .amplitude = &figure->amplitude, .significance = figure->significance};
	map.has_peak = figure->peak.found;
	map.peak_phase = figure->peak.phase;
	map.peak_amplitude = figure->peak.amplitude;
	map.values = figure->mi;
	map.title = figure->is_comparison ? figure->compared.effect_title : "Comodulogram";
	map.unit = figure->is_comparison ? figure->compared.unit
					 : clpac_measure_words(clpac_result_measure(figure->result));
	map.valid = clpac_result_valid(figure->result);
	map.harmonic = figure->harmonic;
	map.remaining = figure->remaining;
	map.arrows = arrows_of(figure);
	map.colours = (int)figure->options.colours;
	map.is_smooth = figure->options.smooth;
	const clpac__range limits = {figure->options.lowest, figure->options.highest, false, false, 0};
	if (!figure->z)
		map.limits = limits;
	clpac__draw_map(cairo, clpac__box_of_panel(layout, panel++), &map);
	if (figure->z) {
		map.arrows = (clpac__arrows){NULL, NULL};
		map.values = figure->z;
		map.p = figure->p_max ? figure->p_max : figure->p;
		map.is_corrected = figure->p_max != NULL;
		map.threshold = figure->threshold;
		map.limits = limits;
		map.title = figure->z_title;
		map.unit = figure->is_comparison ? figure->compared.t_name : "z-score";
		clpac__draw_map(cairo, clpac__box_of_panel(layout, panel++), &map);
	}
	const clpac__histogram histogram = {
		.amplitudes = figure->distribution,
		.n_bins = clpac_result_get_shape(figure->result)->n_bins,
		.title = figure->options.has_cell ? figure->polar_title : "Amplitude by phase",
	};
	if (figure->distribution && figure->options.has_cell)
		clpac__draw_polar(cairo, clpac__box_of_panel(layout, panel), &histogram);
	else if (figure->distribution)
		clpac__draw_histogram(cairo, clpac__box_of_panel(layout, panel), &histogram);
}

/* Panels of a grid: as many columns as rows, or one more; of pairs that are a table, as many as amplitudes. */
static const double grid_box = 62, grid_gap = 10, grid_title = 12, grid_axes = 24;

static size_t grid_columns(const clpac_result *result)
{
	const size_t n = clpac_result_get_shape(result)->n_channels, of_a_phase = clpac__pairs_of_a_phase(result);
	size_t columns = 1;
	if (of_a_phase)
		return of_a_phase;
	while (columns * columns < n)
		columns++;
	return columns;
}

/* The width of a grid without its margins. */
static double grid_width(size_t n_columns)
{
	return clpac__room_at_left + (double)n_columns * (grid_box + grid_gap) - grid_gap + clpac__room_at_map_right;
}

/* A channel of the grid, in place of the one that the figure shows. */
static struct figure of_channel(const struct figure *whole, size_t ch)
{
	struct figure one = *whole;
	one.channel = ch;
	take_maps(&one);
	one.p = series_of(&one, CLPAC_P);
	one.p_max = series_of(&one, CLPAC_P_MAX);
	one.peak = peak_of_series(&one);
	return one;
}

/* Colours of all maps of a grid: their lowest and highest value, and in the middle the lowest of the values from which
 * the cells of a map are significant, so that all of these have upper colours.  The bar that stands for them belongs to
 * a map that has these limits. */
static clpac__drawn_map colours_of_grid(const struct figure *whole, float extremes[2])
{
	const clpac_result_shape *shape = clpac_result_get_shape(whole->result);
	double threshold = INFINITY;
	extremes[0] = extremes[1] = NAN;
	for (size_t ch = 0; ch < shape->n_channels; ch++) {
		const struct figure one = of_channel(whole, ch);
		const float *values = one.z ? one.z : one.mi;
		for (size_t cell = 0; cell < shape->n_phase_bands * shape->n_amplitude_bands; cell++)
			if (isfinite(values[cell])) {
				extremes[0] = fminf(extremes[0], values[cell]);
				extremes[1] = fmaxf(extremes[1], values[cell]);
			}
		const double own = one.z ? find_threshold(&one) : 0;
		threshold = own > 0 ? fmin(threshold, own) : threshold;
	}
	return (clpac__drawn_map){.limits = {whole->options.lowest, whole->options.highest, false, false, 0},
				  .threshold = isfinite(threshold) ? threshold : 0,
				  .colours = (int)whole->options.colours,
				  .unit = whole->is_comparison ? whole->compared.t_name
					  : whole->z	       ? "z-score"
						     : clpac_measure_words(clpac_result_measure(whole->result)),
				  .extremes = extremes};
}

/* Small maps of all channels in one segment.  They share their colours, whose bar stands beside the first row, and the
 * frequencies, which stand at the first map of the last one. */
static clpac_status draw_grid(cairo_t *cairo, const struct figure *whole, size_t n_columns, clpac_error *err)
{
	static const clpac__text_style name_style = {.size = 7, .is_bold = true};
	static const clpac__text_style foot_style = {.size = 7};
	const clpac_result_shape *shape = clpac_result_get_shape(whole->result);
	char number[CLPAC__NUMBER_SIZE], text[300];
	bool has_harmonics = false;
	float extremes[2];
	const clpac__drawn_map colours = colours_of_grid(whole, extremes);
	const size_t first_of_last = (shape->n_channels - 1) / n_columns * n_columns;
	for (size_t ch = 0; ch < shape->n_channels; ch++) {
		RETURN_IF_ERROR(clpac_cancel_check(err));
		const struct figure one = of_channel(whole, ch);
		const float *harmonic = series_of(&one, CLPAC_HARMONIC);
		for (size_t cell = 0; harmonic && cell < shape->n_phase_bands * shape->n_amplitude_bands; cell++)
			has_harmonics |= harmonic[cell] > 0;
		const clpac__box box = {clpac__margin + clpac__room_at_left +
						(double)(ch % n_columns) * (grid_box + grid_gap),
					clpac__margin + clpac__title_height + grid_title +
						(double)(ch / n_columns) * (grid_box + grid_gap + grid_title),
					grid_box, grid_box};
		snprintf(text, sizeof text, "%.200s", clpac_result_channel_name(whole->result, ch));
		clpac__clean(text);
		clpac__draw_text_within(cairo, name_style, box.x, box.y - 3, grid_box, text);
		clpac__drawn_map map = colours;
		map.phase = &whole->phase;
		map.amplitude = &whole->amplitude;
		map.values = one.z ? one.z : one.mi;
		map.p = one.p_max ? one.p_max : one.p;
		map.significance = whole->significance;
		map.valid = clpac_result_valid(whole->result);
		map.harmonic = harmonic;
		map.remaining = series_of(&one, CLPAC_REMAINING);
		map.arrows = arrows_of(&one);
		map.has_peak = one.peak.found;
		map.peak_phase = one.peak.phase;
		map.peak_amplitude = one.peak.amplitude;
		map.is_smooth = whole->options.smooth;
		map.parts = ch == first_of_last ? CLPAC__MAP_WITH_AXES : CLPAC__MAP_ALONE;
		clpac__draw_map(cairo, box, &map);
		if (ch + 1 == (shape->n_channels < n_columns ? shape->n_channels : n_columns))
			clpac__draw_map_colours(cairo, box, &map);
	}
	const double width = grid_width(n_columns);
	clpac__draw_text_within(cairo, clpac__title_style, clpac__margin, clpac__margin + 10, width, whole->title);
	const char *measure = whole->is_comparison ? whole->compared.unit
						   : clpac_measure_abbreviation(clpac_result_measure(whole->result));
	snprintf(text, sizeof text, "%s%s by phase (rightwards) and amplitude (upwards)",
		 whole->is_comparison ? "t of "
		 : whole->z	      ? "z of "
				      : "",
		 measure);
	clpac__draw_text_within(cairo, foot_style, clpac__margin, clpac__margin + 20, width, text);
	clpac__write_general(whole->significance, 4, number);
	snprintf(text, sizeof text, "outlined: %s \u2264 %s; ring: peak%s", whole->p_max ? "p_max" : "p", number,
		 has_harmonics ? "; dots: harmonic?" : "");
	clpac__draw_text_within(cairo, foot_style, clpac__margin, clpac__margin + 29, width, text);
	return CLPAC_OK;
}

clpac_status clpac_result_plot(const clpac_result *result, const char *path, const clpac_plot_options *options,
			       clpac_error *err)
{
	NEED(result, path);
	clpac_status st = CLPAC_OK;
	clpac__page *page = NULL;
	struct figure figure = {0};
	clpac_plot_options own;
	TRY(clpac__take_sized(&own, options, clpac_plot_options, err));
	if (options && (own.over_time || own.population || own.topography)) {
		own.significance = own.significance ? own.significance : default_significance;
		TRY(check_colours(&own, err));
		TRY((own.population || own.topography ? clpac__plot_channels : clpac__plot_over_time)(result, path,
												      &own, err));
		goto done;
	}
	TRY(compose(result, options ? &own : NULL, &figure, err));
	const size_t n_channels = clpac_result_get_shape(result)->n_channels, n_columns = grid_columns(result);
	const clpac__panels layout = clpac__lay_out(1 + (figure.z != NULL) + (figure.distribution != NULL),
						    figure.distribution != NULL, own.width_mm);
	clpac__page_size size = {layout.width, layout.height, own.width_mm};
	if (figure.options.grid) {
		size.width = 2 * clpac__margin + grid_width(n_columns);
		size.height = 2 * clpac__margin + clpac__title_height + grid_axes - grid_gap +
			      (double)((n_channels + n_columns - 1) / n_columns) * (grid_box + grid_gap + grid_title);
	}
	TRY(clpac__page_open(path, &(clpac__output_way){own.overwrite, own.set, own.write, own.write_user}, size,
			     figure.title, &page, err));
	if (figure.options.grid)
		TRY(draw_grid(clpac__page_cairo(page), &figure, n_columns, err));
	else
		draw(clpac__page_cairo(page), &figure, &layout);
	TRY(clpac__page_commit(page, err));
done:
	clpac__page_discard(page);
	clpac__cells_destroy(&figure.phase);
	clpac__cells_destroy(&figure.amplitude);
	return st;
}

bool clpac_plots_are_available(void)
{
	return true;
}
