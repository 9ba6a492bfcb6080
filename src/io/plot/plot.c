/* The figure of one series: its comodulogram, the map of z where there are surrogates, and the phase-amplitude
 * histogram of its peak. */
#include <clpac/io.h>

#include "base/clean.h"
#include "base/number.h"
#include "base/sized.h"
#include "io/plot/plot_page.h"
#include "io/plot/plot_histogram.h"
#include "io/plot/plot_map.h"
#include "io/plot/plot_panels.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

static const double box_size = 122, margin = 8, title_height = 34, default_significance = 0.05;
static const clpac__text_style title_style = {.size = 10, .is_bold = true};
static const clpac__text_style subtitle_style = {.size = 8};

/* The drawn series of a result.  Arrays that the result does not hold are NULL. */
typedef struct figure {
	const clpac_result *result;
	size_t channel, segment;
	clpac_peak peak; /* the peak of this series */
	clpac__cells phase, amplitude;
	const float *mi, *z, *p, *p_max, *preferred, *distribution;
	double significance;
	char title[400], subtitle[400];
} figure;

static const float *series_of(const figure *figure, clpac_array which)
{
	const clpac_result_shape *shape = clpac_result_get_shape(figure->result);
	size_t n;
	const float *values = clpac_result_array(figure->result, which, &n);
	size_t of_series = n / (shape->n_channels * shape->n_segments);
	return values ? values + (figure->channel * shape->n_segments + figure->segment) * of_series : NULL;
}

static clpac_status choose_series(figure *figure, const clpac_plot_options *options, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
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
		FAIL(CLPAC_ERROR_ARGUMENT, "plot: channel %zu does not exist: there are %zu, counted from 0",
		     figure->channel, shape->n_channels);
	if (figure->segment >= shape->n_segments)
		FAIL(CLPAC_ERROR_ARGUMENT, "plot: segment %zu does not exist: there are %zu, counted from 0",
		     figure->segment, shape->n_segments);
done:
	return st;
}

/* The peak of this series, by the rule of clpac_result_peak. */
static clpac_peak peak_of_series(const figure *figure)
{
	const clpac_result_shape *shape = clpac_result_get_shape(figure->result);
	const float *ranked = figure->z ? figure->z : figure->mi;
	size_t n = shape->n_phase_bands * shape->n_amplitude_bands, best = n;
	for (size_t i = 0; i < n; i++)
		if (!isnan(ranked[i]) && (best == n || ranked[i] > ranked[best]))
			best = i;
	if (best == n)
		return (clpac_peak){.found = false};
	return (clpac_peak){
		.found = true,
		.phase = best / shape->n_amplitude_bands,
		.amplitude = best % shape->n_amplitude_bands,
		.mi = figure->mi[best],
		.z = figure->z ? figure->z[best] : NAN,
		.p = figure->p ? figure->p[best] : NAN,
		.p_max = figure->p_max ? figure->p_max[best] : NAN,
		.preferred_phase = figure->preferred ? figure->preferred[best] : NAN,
	};
}

static void add(char text[400], const char *more, const char *value)
{
	size_t length = strlen(text);
	snprintf(text + length, 400 - length, "%s%s", more, value);
}

static void write_titles(figure *figure, const char *title)
{
	const clpac_result_shape *shape = clpac_result_get_shape(figure->result);
	char number[CLPAC__NUMBER_SIZE], band[96];
	if (title) {
		add(figure->title, "", title);
		return;
	}
	add(figure->title, "Channel ", clpac_result_channel_name(figure->result, figure->channel));
	if (shape->n_segments > 1) {
		snprintf(band, sizeof band, "%zu", figure->segment);
		add(figure->title, ", segment ", band);
		clpac__write_general(clpac_result_segment_onsets(figure->result)[figure->segment], 6, number);
		add(figure->title, " from ", number);
		add(figure->title, " s", "");
	}
	if (!figure->peak.found) {
		add(figure->subtitle, "No cell is defined", "");
		return;
	}
	clpac__band_text(band, clpac_result_phase_bands(figure->result)[figure->peak.phase]);
	add(figure->subtitle, "Peak at ", band);
	clpac__band_text(band, clpac_result_cell_band(figure->result, figure->peak.phase, figure->peak.amplitude));
	add(figure->subtitle, " Hz / ", band);
	clpac__write_general(figure->peak.mi, 3, number);
	add(figure->subtitle, " Hz: MI ", number);
	clpac__write_general(figure->peak.z, 3, number);
	if (figure->z)
		add(figure->subtitle, ", z ", number);
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

/* A distribution without amplitude, or of a series without a peak, has no shares to draw. */
static bool has_shares(const figure *figure)
{
	double sum = 0;
	for (size_t j = 0; figure->distribution && j < clpac_result_get_shape(figure->result)->n_bins; j++)
		sum += isnan(figure->distribution[j]) ? 0 : figure->distribution[j];
	return sum > 0 && isfinite(sum);
}

static clpac_status compose(const clpac_result *result, const clpac_plot_options *options, figure *figure,
			    clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	const clpac_result_shape *shape = clpac_result_get_shape(result);
	figure->result = result;
	TRY(choose_series(figure, options, err));
	figure->significance = options && options->significance ? options->significance : default_significance;
	if (!(figure->significance > 0 && figure->significance <= 1))
		FAIL(CLPAC_ERROR_ARGUMENT, "plot: significance is %g: it must be above 0 and at most 1",
		     figure->significance);
	figure->mi = series_of(figure, CLPAC_MI);
	figure->z = series_of(figure, CLPAC_Z);
	figure->p = series_of(figure, CLPAC_P);
	figure->p_max = series_of(figure, CLPAC_P_MAX);
	figure->preferred = series_of(figure, CLPAC_PREFERRED_PHASE);
	figure->distribution = series_of(figure, CLPAC_PEAK_DISTRIBUTION);
	if (!figure->mi)
		FAIL(CLPAC_ERROR_ARGUMENT, "plot: the result holds no modulation index to draw");
	if (!has_shares(figure))
		figure->distribution = NULL;
	figure->peak = peak_of_series(figure);
	TRY(clpac__cells_create(clpac_result_phase_bands(result), shape->n_phase_bands, &figure->phase, err));
	TRY(clpac__cells_create(clpac_result_amplitude_bands(result), shape->n_amplitude_bands, &figure->amplitude,
				err));
	figure->amplitude.is_tied = clpac_result_cell_bands(result) != NULL;
	write_titles(figure, options ? options->title : NULL);
	clpac__clean(figure->title);
done:
	return st;
}

static double page_width(const figure *figure)
{
	double map = clpac__room_at_left + box_size + clpac__room_at_map_right;
	double histogram = clpac__room_at_left + box_size + clpac__room_at_histogram_right;
	return 2 * margin + map + (figure->z ? map : 0) + (figure->distribution ? histogram : 0);
}

static void draw(cairo_t *cairo, const figure *figure)
{
	double width = page_width(figure) - 2 * margin;
	clpac__draw_text_within(cairo, title_style, margin, margin + 10, width, figure->title);
	clpac__draw_text_within(cairo, subtitle_style, margin, margin + 22, width, figure->subtitle);

	double map_step = clpac__room_at_left + box_size + clpac__room_at_map_right;
	clpac__box box = {margin + clpac__room_at_left, margin + title_height + clpac__room_above, box_size, box_size};
	clpac__map map = {
		.phase = &figure->phase, .amplitude = &figure->amplitude, .significance = figure->significance};
	map.has_peak = figure->peak.found;
	map.peak_phase = figure->peak.phase;
	map.peak_amplitude = figure->peak.amplitude;
	map.values = figure->mi;
	map.title = "Comodulogram";
	map.unit = "modulation index";
	clpac__draw_map(cairo, box, &map);
	box.x += map_step;
	if (figure->z) {
		map.values = figure->z;
		map.p = figure->p_max ? figure->p_max : figure->p;
		map.is_corrected = figure->p_max != NULL;
		map.title = "Compared with surrogates";
		map.unit = "z-score";
		clpac__draw_map(cairo, box, &map);
		box.x += map_step;
	}
	if (figure->distribution)
		clpac__draw_histogram(cairo, box,
				      &(clpac__histogram){
					      .amplitudes = figure->distribution,
					      .n_bins = clpac_result_get_shape(figure->result)->n_bins,
					      .title = "Amplitude by phase",
				      });
}

clpac_status clpac_result_plot(const clpac_result *result, const char *path, const clpac_plot_options *options,
			       clpac_error *err)
{
	NEED(result);
	NEED(path);
	clpac_status st = CLPAC_OK;
	clpac__page *page = NULL;
	figure figure = {0};
	clpac_plot_options own;
	TRY(clpac__take_sized(&own, options, clpac_plot_options, err));
	TRY(compose(result, options ? &own : NULL, &figure, err));
	double height = 2 * margin + title_height + clpac__room_above + box_size + clpac__room_below;
	TRY(clpac__page_open(path, own.overwrite, own.set, page_width(&figure), height, figure.title, &page, err));
	draw(clpac__page_cairo(page), &figure);
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
