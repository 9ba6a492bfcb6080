/* clpac plot: draws a result that run has written. */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <clpac/plot.h>
#include <clpac/read.h>
#include <clpac/write.h>
#include "base/memory.h"
#include "base/number.h"
#include "tool/arguments.h"
#include "tool/commands.h"
#include "tool/console.h"
#include "tool/interrupt.h"
#include "tool/output_files.h"

#define VALUE(member) offsetof(tool_values, member)

/* clang-format off */
static const clpac__option plot_options[] = {
	{ "output", 'o', CLPAC__OPTION_TEXT, "FILE", "OUT.png", VALUE(output), NULL,
	  "the picture; its ending gives its kind: .png, .svg, .pdf" },
	{ "plot", 0, CLPAC__OPTION_TEXT, "LIST", "png", VALUE(plot), NULL,
	  "draw pictures in the folder of OUT.npz instead: png,svg,pdf" },
	{ "channel", 0, CLPAC__OPTION_TEXT, "CHANNEL", "that of the peak", VALUE(analysis.channel), NULL,
	  "channel to draw, by name or number" },
	{ "segment", 0, CLPAC__OPTION_COUNT, "N", "that of the peak", VALUE(segment_number), NULL,
	  "segment to draw, by number from 0" },
	{ "measure", 0, CLPAC__OPTION_TEXT, "NAME", "the first", VALUE(analysis.measure), NULL,
	  "measure to draw, of those that the result holds" },
	{ "alpha", 0, CLPAC__OPTION_NUMBER, "P", "0.05", VALUE(alpha), NULL,
	  "outline cells of p_max up to this, above 0 and at most 1" },
	{ "vmin", 0, CLPAC__OPTION_NUMBER, "Z", "0, or the lowest", VALUE(lowest), NULL,
	  "lower end of the colours of z or t (without surrogates: of the index)" },
	{ "vmax", 0, CLPAC__OPTION_NUMBER, "Z", "the highest", VALUE(highest), NULL,
	  "upper end; without these what --alpha outlines has a colour of the upper half" },
	{ "cmap", 0, CLPAC__OPTION_CHOICE, "viridis|viridis-reversed|grey|grey-reversed", "viridis",
	  VALUE(colours), NULL,
	  "colours, all of them even in lightness" },
	{ "cell", 0, CLPAC__OPTION_TEXT, "P,A", NULL, VALUE(cell), NULL,
	  "polar histogram of the cell nearest to these frequencies in Hz" },
	{ "arrows", 0, CLPAC__OPTION_FLAG, NULL, NULL, VALUE(arrows), NULL,
	  "an arrow in each cell: preferred phase (0 to the right, 90 degrees upwards) and mean vector" },
	{ "grid", 0, CLPAC__OPTION_FLAG, NULL, NULL, VALUE(grid), NULL,
	  "a small map of each channel, all on one page" },
	{ "time", 0, CLPAC__OPTION_FLAG, NULL, NULL, VALUE(over_time), NULL,
	  "the segments over time: frequencies upwards, at the bands of the peak" },
	{ "smooth", 0, CLPAC__OPTION_FLAG, NULL, NULL, VALUE(smooth), NULL,
	  "colours between the middles of cells, bilinear, in place of cells" },
	{ "population", 0, CLPAC__OPTION_FLAG, NULL, NULL, VALUE(population), NULL,
	  "all channels in one: the share that is significant in each cell, and their mean excess, or z" },
	{ "topography", 0, CLPAC__OPTION_FLAG, NULL, NULL, VALUE(topography), NULL,
	  "the head from above, at the cell of the peak or of --cell, channels placed by their names (10-20)" },
	{ "electrodes", 0, CLPAC__OPTION_TEXT, "FILE.tsv", "the names of channels", VALUE(electrodes), NULL,
	  "with --topography: places of channels by a table of electrodes (BIDS)" },
	{ "width", 0, CLPAC__OPTION_NUMBER, "MM", "what it needs", VALUE(width_mm), NULL,
	  "width of the picture in millimetres, as of a column: 85 to 90 of most journals, two 174 to 190" },
	{ "each", 0, CLPAC__OPTION_FLAG, NULL, NULL, VALUE(each), NULL,
	  "a picture of each channel: OUT-0.png, OUT-1.png, ..." },
	{ "force", 'f', CLPAC__OPTION_FLAG, NULL, NULL, VALUE(force), NULL,
	  "replace files that exist" },
	{ "quiet", 'q', CLPAC__OPTION_FLAG, NULL, NULL, VALUE(quiet), NULL,
	  "print errors only" },
};
/* clang-format on */
static const clpac__option_group plot_group = {
	.title = NULL,
	.options = plot_options,
	.n_options = sizeof plot_options / sizeof *plot_options,
};
static const clpac__option_group *const groups[] = {&plot_group, &tool_group_common, NULL};

static clpac_status choose_channel(const clpac_result *result, const char *name, size_t *out, clpac_error *err)
{
	size_t n = clpac_result_get_shape(result)->n_channels;
	uint64_t number;
	for (size_t c = 0; c < n; c++)
		if (strcmp(clpac_result_channel_name(result, c), name) == 0) {
			*out = c;
			return CLPAC_OK;
		}
	if (!clpac__parse_count(name, &number, NULL) || number >= n)
		RETURN_ERROR(CLPAC_ERROR_ARGUMENT,
			     "--channel %s: the result has no such channel; it has %zu, numbered from 0 (0 is %.100s)",
			     name, n, n ? clpac_result_channel_name(result, 0) : "-");
	*out = (size_t)number;
	return CLPAC_OK;
}

static clpac_status choose_measure(const clpac_result *result, const char *name, const clpac_result **out,
				   clpac_error *err)
{
	clpac_measure measures[CLPAC_MEASURE_COUNT];
	char held[80] = "";
	const size_t n = clpac_result_measures(result, measures);
	*out = result;
	if (!name)
		return CLPAC_OK;
	for (size_t i = 0; i < n; i++) {
		const size_t length = strlen(held);
		if (strcmp(clpac_measure_text(measures[i]), name) == 0) {
			*out = clpac_result_of(result, measures[i]);
			return CLPAC_OK;
		}
		snprintf(held + length, sizeof held - length, "%s%s", i ? ", " : "", clpac_measure_text(measures[i]));
	}
	RETURN_ERROR(CLPAC_ERROR_ARGUMENT, "--measure %.40s: the result does not hold it; it has %s", name, held);
}

/* Ends of the colours; one that is not given is that of the values. */
static clpac_status choose_colours(const clpac_result *result, const tool_call *call, clpac_plot_options *out,
				   clpac_error *err)
{
	const bool has_lowest = tool_is_given(call, "vmin"), has_highest = tool_is_given(call, "vmax");
	size_t n;
	const float *values = clpac_result_array(result, CLPAC_T, &n);
	if (!values)
		values = clpac_result_array(result, CLPAC_Z, &n);
	if (!values)
		values = clpac_result_array(result, CLPAC_MI, &n);
	if (!has_lowest && !has_highest)
		return CLPAC_OK;
	out->lowest = has_lowest ? call->values.lowest : 0;
	out->highest = has_highest ? call->values.highest : 0;
	for (size_t i = 0; values && i < n; i++) {
		if (!has_lowest && isfinite(values[i]))
			out->lowest = fmin(out->lowest, values[i]);
		if (!has_highest && isfinite(values[i]))
			out->highest = fmax(out->highest, values[i]);
	}
	if (!(out->lowest < out->highest))
		RETURN_ERROR(CLPAC_ERROR_ARGUMENT,
			     "--vmin and --vmax: colours would go from %g to %g; the first must be below the "
			     "second",
			     out->lowest, out->highest);
	return CLPAC_OK;
}

static size_t nearest(const clpac_band *bands, size_t n, double hz)
{
	size_t best = 0;
	for (size_t i = 1; i < n; i++)
		if (fabs(bands[i].lo_hz + bands[i].hi_hz - 2 * hz) <
		    fabs(bands[best].lo_hz + bands[best].hi_hz - 2 * hz))
			best = i;
	return best;
}

static clpac_status choose_cell(const clpac_result *result, const char *text, clpac_plot_options *out, clpac_error *err)
{
	const clpac_result_shape *shape = clpac_result_get_shape(result);
	double phase_hz, amplitude_hz;
	const char *rest;
	if (!text)
		return CLPAC_OK;
	if (!clpac__parse_number(text, &phase_hz, &rest) || *rest != ',' ||
	    !clpac__parse_number(rest + 1, &amplitude_hz, &rest) || *rest || !(phase_hz > 0) || !(amplitude_hz > 0))
		RETURN_ERROR(CLPAC_ERROR_ARGUMENT,
			     "--cell %.100s: give two frequencies in Hz, that of the phase first, as 6,80", text);
	out->has_cell = true;
	out->cell_phase = nearest(clpac_result_phase_bands(result), shape->n_phase_bands, phase_hz);
	out->cell_amplitude = nearest(clpac_result_amplitude_bands(result), shape->n_amplitude_bands, amplitude_hz);
	return CLPAC_OK;
}

/* Channel and segment to draw: the one that an option names, otherwise that of the peak. */
static clpac_status choose_map(const clpac_result *result, const tool_call *call, clpac_plot_options *out,
			       clpac_error *err)
{
	size_t n_segments = clpac_result_get_shape(result)->n_segments;
	bool has_segment = tool_is_given(call, "segment");
	if (has_segment && call->values.segment_number >= n_segments)
		RETURN_ERROR(CLPAC_ERROR_ARGUMENT, "--segment %llu: the result has %zu segments, numbered from 0",
			     (unsigned long long)call->values.segment_number, n_segments);
	if (tool_is_given(call, "alpha") && !(call->values.alpha > 0 && call->values.alpha <= 1))
		RETURN_ERROR(CLPAC_ERROR_ARGUMENT, "--alpha %g: it must be above 0 and at most 1", call->values.alpha);
	*out = (clpac_plot_options){
		.channel = SIZE_MAX, .significance = call->values.alpha, .overwrite = call->values.force};
	out->colours = (clpac_colours)call->values.colours;
	out->grid = call->values.grid;
	out->arrows = call->values.arrows;
	out->width_mm = call->values.width_mm;
	if (tool_is_given(call, "width") && !(out->width_mm > 0))
		RETURN_ERROR(CLPAC_ERROR_ARGUMENT, "--width %g: give millimetres, as 89", out->width_mm);
	out->over_time = call->values.over_time;
	out->smooth = call->values.smooth;
	out->population = call->values.population;
	out->topography = call->values.topography;
	RETURN_IF_ERROR(choose_colours(result, call, out, err));
	RETURN_IF_ERROR(choose_cell(result, call->values.cell, out, err));
	if (call->values.analysis.channel)
		RETURN_IF_ERROR(choose_channel(result, call->values.analysis.channel, &out->channel, err));
	if (call->values.analysis.channel || has_segment) {
		clpac_peak peak = clpac_result_peak(result, out->channel);
		if (out->channel == SIZE_MAX)
			out->channel = peak.found ? peak.channel : 0;
		out->segment = has_segment ? (size_t)call->values.segment_number : peak.found ? peak.segment : 0;
	}
	return CLPAC_OK;
}

static clpac_status draw(const clpac_result *result, const char *path, const clpac_plot_options *options,
			 tool_call *call, clpac_error *err)
{
	RETURN_IF_ERROR(tool_output_check(path, NULL, call->values.analysis.input, call->values.force, call, err));
	call->direction = TOOL_OUTPUT;
	RETURN_IF_ERROR(clpac_result_plot(result, path, options, err));
	if (!call->values.quiet)
		tool_print(stderr, "clpac plot: %s\n", path);
	return CLPAC_OK;
}

/* Draws a picture, or one of each channel, whose number stands before the ending. */
static clpac_status draw_wanted(const clpac_result *result, const char *path, const clpac_plot_options *options,
				tool_call *call, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	char *numbered = NULL;
	if (!call->values.each) {
		TRY(draw(result, path, options, call, err));
		goto done;
	}
	const char *dot = strrchr(path, '.'), *folder = strrchr(path, '/');
	const size_t length = dot && (!folder || dot > folder) ? (size_t)(dot - path) : strlen(path),
		     room = strlen(path) + 24;
	TRY(NEW_BYTES(numbered, room));
	for (size_t ch = 0; ch < clpac_result_get_shape(result)->n_channels; ch++) {
		clpac_plot_options one = *options;
		const clpac_peak peak = clpac_result_peak(result, ch);
		one.channel = ch;
		one.segment = tool_is_given(call, "segment") ? options->segment : peak.found ? peak.segment : 0;
		snprintf(numbered, room, "%.*s-%zu%s", (int)length, path, ch, path + length);
		TRY(draw(result, numbered, &one, call, err));
	}
done:
	clpac__free(numbered);
	return st;
}

/* Places of the channels by a table; NULL: none is given. */
static clpac_status place_channels(const clpac_result *result, const char *table, clpac_position **out,
				   clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	const size_t n = clpac_result_get_shape(result)->n_channels;
	const char **names = NULL;
	if (!table)
		return CLPAC_OK;
	TRY(NEW_ARRAY(names, n));
	TRY(NEW_ARRAY(*out, n));
	for (size_t ch = 0; ch < n; ch++)
		names[ch] = clpac_result_channel_name(result, ch);
	TRY(clpac_electrodes_read(table, names, n, *out, err));
done:
	clpac__free(names);
	return st;
}

/* Pictures of all channels take the place of those of one. */
static clpac_status check_pictures_of_all(const tool_call *call, clpac_error *err)
{
	const tool_values *v = &call->values;
	const char *odd = v->grid				 ? "--grid"
			  : v->each				 ? "--each"
			  : v->over_time			 ? "--time"
			  : v->arrows				 ? "--arrows"
			  : v->population && v->topography	 ? "--topography"
			  : v->population && v->cell		 ? "--cell"
			  : v->population && v->analysis.channel ? "--channel"
								 : NULL;
	if ((v->population || v->topography) && odd)
		RETURN_ERROR(CLPAC_ERROR_ARGUMENT, "--%s draws all channels in one: leave out %s",
			     v->population ? "population" : "topography", odd);
	if (v->electrodes && !v->topography)
		RETURN_ERROR(CLPAC_ERROR_ARGUMENT,
			     "--electrodes tells where channels are on the head: give --topography, too");
	return CLPAC_OK;
}

static clpac_status plot(tool_call *call, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	clpac_result *result = NULL;
	const clpac_result *drawn;
	clpac_plot_options options;
	clpac_position *positions = NULL;
	char *path = NULL;
	bool wanted[TOOL_N_PICTURES];
	if (call->values.output && call->values.plot)
		FAIL(CLPAC_ERROR_ARGUMENT, "--output %s and --plot %s: give one of them", call->values.output,
		     call->values.plot);
	if (call->values.each && (call->values.grid || call->values.analysis.channel))
		FAIL(CLPAC_ERROR_ARGUMENT, "--each draws every channel by itself: leave out %s",
		     call->values.grid ? "--grid" : "--channel");
	if (call->values.grid && (call->values.analysis.channel || call->values.cell))
		FAIL(CLPAC_ERROR_ARGUMENT, "--grid draws a small map of every channel: leave out %s",
		     call->values.analysis.channel ? "--channel" : "--cell");
	if (call->values.over_time &&
	    (call->values.grid || call->values.cell || call->values.arrows || tool_is_given(call, "segment")))
		FAIL(CLPAC_ERROR_ARGUMENT, "--time draws all segments of a channel: leave out %s",
		     call->values.grid	   ? "--grid"
		     : call->values.cell   ? "--cell"
		     : call->values.arrows ? "--arrows"
					   : "--segment");
	TRY(check_pictures_of_all(call, err));
	TRY(tool_pictures_read(call->values.plot ? call->values.plot : "png", wanted, err));
	call->direction = TOOL_INPUT;
	TRY(clpac_result_read_npz(call->values.analysis.input, &result, err));
	TRY(choose_measure(result, call->values.analysis.measure, &drawn, err));
	TRY(choose_map(drawn, call, &options, err));
	TRY(place_channels(drawn, call->values.electrodes, &positions, err));
	options.positions = positions;
	TRY(tool_interrupt_watch(call->command->name, err));
	if (call->values.output) {
		TRY(draw_wanted(drawn, call->values.output, &options, call, err));
		goto done;
	}
	for (int i = 0; i < TOOL_N_PICTURES; i++)
		if (wanted[i]) {
			clpac__free(path);
			path = tool_output_beside(call->values.analysis.input, tool_picture_endings[i]);
			if (!path)
				FAIL_NO_MEMORY(strlen(call->values.analysis.input) + 5);
			TRY(draw_wanted(drawn, path, &options, call, err));
		}
done:
	FREE_ALL(path, positions);
	clpac_result_destroy(result);
	return st;
}

const tool_command tool_command_plot = {
	.name = "plot",
	.usage = "OUT.npz [OPTIONS]",
	.min_operands = 1,
	.max_operands = 1,
	.operand = "result",
	.summary = "draw a result: comodulogram, z-map, histogram of the peak",
	.help = "Draws a result that clpac run has written: the comodulogram, the map of z with the cells of\n"
		"p_max <= 0.05 outlined, and the amplitude over the phase at the peak.  Of a comparison by\n"
		"clpac group it draws the mean, or difference, and the map of t.\n",
	.examples = {"out.npz -o map.png", "out.npz -o grid.pdf --grid",
		     "out.npz -o alpha.svg --channel Oz --cell 6,80"},
	.groups = groups,
	.run = plot,
};
