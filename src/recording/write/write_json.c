/* The report of a result as JSON: the request, the device, method and times of the computation, warnings and
 * peaks.  One line per entry, so that two reports can be compared with diff.
 *
 * Numbers have 15 digits, so that 0.1 is written 0.1; the problem text holds every parameter exactly.  NaN is null. */
#include <clpac/write.h>
#include <clpac/version.h>

#include "base/number.h"
#include "recording/json_text.h"
#include "recording/result_words.h"
#include "recording/output.h"
#include "recording/result_identity.h"
#include "base/sized.h"
#include "base/utf8.h"
#include "base/cancel.h"
#include "base/memory.h"

#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { DIGITS = 15 };

/* Whether an allocation failed.  Jansson passes failures on (NULL in, NULL or -1 out), so that one flag is enough for
 * the whole tree. */
struct tree {
	bool failed;
};

static void set(struct tree *tree, json_t *object, const char *key, json_t *value)
{
	if (json_object_set_new(object, key, value) != 0)
		tree->failed = true;
}

static void append(struct tree *tree, json_t *array, json_t *value)
{
	if (json_array_append_new(array, value) != 0)
		tree->failed = true;
}

static json_t *number(double value)
{
	return isfinite(value) ? json_real(value) : json_null();
}

/* Writes 0.1f as 0.1, not as the double with that value. */
static json_t *number_of_float(float value)
{
	char shortest[CLPAC__NUMBER_SIZE];
	double same;
	clpac__write_float(value, shortest);
	return clpac__parse_number(shortest, &same, NULL) ? json_real(same) : json_null();
}

static json_t *count(uint64_t value)
{
	return json_integer((json_int_t)value);
}

/* Names of channels and files may be any bytes; JSON must be UTF-8. */
static json_t *text(const char *bytes)
{
	json_t *made = json_string(bytes);
	if (made)
		return made;
	char *mended = clpac__utf8_mended(bytes);
	if (mended)
		made = json_string(mended);
	clpac__free(mended);
	return made;
}

static json_t *band(clpac_band band)
{
	return json_pack("[o, o]", number(band.lo_hz), number(band.hi_hz));
}

/* A value of the problem text: a number where JSON can hold it exactly, otherwise text (a list of bands, a word, a
 * seed of 2^63 or more). */
static json_t *parameter(const char *value)
{
	double real;
	if (!clpac__parse_number(value, &real, NULL))
		return text(value);
	if (value[strspn(value, "-0123456789")])
		return json_real(real);
	errno = 0;
	long long whole = strtoll(value, NULL, 10);
	return errno ? text(value) : json_integer(whole);
}

/* "rate=512 channels=4 ..." as an object. */
static json_t *parameters(struct tree *tree, const char *problem)
{
	json_t *object = json_object();
	char *copy = clpac__strdup(problem), *rest = NULL;
	if (!copy)
		tree->failed = true;
	for (char *word = copy ? strtok_r(copy, " ", &rest) : NULL; word; word = strtok_r(NULL, " ", &rest)) {
		char *equals = strchr(word, '=');
		if (equals) {
			*equals = 0;
			set(tree, object, word, parameter(equals + 1));
		}
	}
	clpac__free(copy);
	return object;
}

static json_t *shape_of(struct tree *tree, const clpac_result *result)
{
	const clpac_result_shape *shape = clpac_result_get_shape(result);
	json_t *object = json_object();
	set(tree, object, "n_channels", count(shape->n_channels));
	set(tree, object, "n_segments", count(shape->n_segments));
	set(tree, object, "n_phase_bands", count(shape->n_phase_bands));
	set(tree, object, "n_amplitude_bands", count(shape->n_amplitude_bands));
	set(tree, object, "n_bins", count(shape->n_bins));
	set(tree, object, "n_surrogates", count(shape->n_surrogates));
	return object;
}

/* Of more pairs than these the .npz alone has what is there for each: the report would grow with the square of the
 * channels. */
enum { MOST_PAIRS = 1000 };

static bool has_many_pairs(const clpac_result *result)
{
	return clpac_result_get_shape(result)->n_channels > MOST_PAIRS && clpac__result_has_pairs(result);
}

static void add_problem(struct tree *tree, json_t *root, const clpac_result *result)
{
	const bool has_many = has_many_pairs(result);
	const clpac_result_shape *shape = clpac_result_get_shape(result);
	json_t *asked = parameters(tree, clpac_result_problem(result));
	json_t *seed = json_object_get(asked, "seed");
	json_t *channels = json_array(), *onsets = json_array();
	set(tree, root, "problem", text(clpac_result_problem(result)));
	char null[CLPAC__NULL_TEXT_SIZE];
	clpac__null_text(result, null);
	set(tree, root, "seed", seed ? json_incref(seed) : json_null());
	set(tree, root, "null", *null ? text(null) : json_null());
	set(tree, root, "parameters", asked);
	set(tree, root, "shape", shape_of(tree, result));
	for (size_t ch = 0; ch < shape->n_channels && !has_many; ch++)
		append(tree, channels, text(clpac_result_channel_name(result, ch)));
	for (size_t segment = 0; segment < shape->n_segments; segment++)
		append(tree, onsets, number(clpac_result_segment_onsets(result)[segment]));
	if (has_many)
		json_decref(channels);
	else
		set(tree, root, "channels", channels);
	set(tree, root, "segment_onsets_s", onsets);
	if (clpac_result_condition(result, 0)) {
		json_t *conditions = json_array();
		for (size_t segment = 0; segment < shape->n_segments; segment++) {
			const char *condition = clpac_result_condition(result, segment);
			append(tree, conditions, condition ? text(condition) : json_null());
		}
		set(tree, root, "segment_conditions", conditions);
	}
}

/* The two channels of each pair. */
static void add_pairs(struct tree *tree, json_t *root, const clpac_result *result)
{
	static const char *const keys[] = {[CLPAC_PHASE] = "phase_channels", [CLPAC_AMPLITUDE] = "amplitude_channels"};
	const size_t n = clpac_result_get_shape(result)->n_channels;
	for (clpac_band_use use = CLPAC_PHASE; use <= CLPAC_AMPLITUDE; use++) {
		if (!clpac__result_has_pairs(result))
			continue;
		json_t *names = json_array();
		for (size_t ch = 0; ch < n; ch++)
			append(tree, names, text(clpac_result_pair_channel(result, ch, use)));
		set(tree, root, keys[use], names);
	}
}

/* How much of each channel and segment its indices come from: a list for each channel. */
static void add_used(struct tree *tree, json_t *root, const clpac_result *result)
{
	const clpac_result_shape *shape = clpac_result_get_shape(result);
	json_t *seconds = json_array(), *stretches = json_array();
	for (size_t ch = 0; ch < shape->n_channels; ch++) {
		json_t *of_seconds = json_array(), *of_stretches = json_array();
		for (size_t segment = 0; segment < shape->n_segments; segment++) {
			const size_t series = ch * shape->n_segments + segment;
			append(tree, of_seconds, number(clpac_result_used_seconds(result)[series]));
			append(tree, of_stretches, count(clpac_result_n_stretches(result)[series]));
		}
		append(tree, seconds, of_seconds);
		append(tree, stretches, of_stretches);
	}
	set(tree, root, "used_s", seconds);
	set(tree, root, "n_stretches", stretches);
}

static void add_input(struct tree *tree, json_t *root, const clpac_write_options *options)
{
	json_t *input = json_object();
	if (options->input_name)
		set(tree, input, "name", text(options->input_name));
	if (options->input_checksum)
		set(tree, input, "checksum", text(options->input_checksum));
	set(tree, root, "input", input);
	if (!options->n_sources)
		return;
	json_t *sources = json_array();
	for (size_t i = 0; i < options->n_sources; i++)
		append(tree, sources, text(options->sources[i]));
	set(tree, root, "Sources", sources);
}

static clpac_status add_provenance(struct tree *tree, json_t *root, const char *object, clpac_error *err)
{
	json_error_t trouble;
	errno = 0;
	json_t *read = clpac__json_read(object, strlen(object), 0, &trouble);
	if (!read && errno == ENOMEM)
		RETURN_NO_MEMORY(strlen(object));
	if (!json_is_object(read)) {
		json_decref(read);
		RETURN_ERROR(CLPAC_ERROR_ARGUMENT, "provenance is no JSON object: %s", trouble.text);
	}
	set(tree, root, "provenance", read);
	return CLPAC_OK;
}

/* Strategies abandoned for lack of memory.  n_steps also counts those beyond the room in the report. */
static void add_steps(struct tree *tree, json_t *root, const clpac_report *report)
{
	json_t *steps = json_array();
	for (size_t i = 0; i < report->n_steps && i < CLPAC_MAX_STEPS; i++) {
		json_t *step = json_object();
		set(tree, step, "strategy", text(report->steps[i].strategy));
		set(tree, step, "backend", text(report->steps[i].backend));
		set(tree, step, "bytes", count(report->steps[i].bytes));
		set(tree, step, "reason", text(report->steps[i].reason));
		append(tree, steps, step);
	}
	set(tree, root, "n_steps", count(report->n_steps));
	set(tree, root, "steps", steps);
}

/* The work of each device that took part. */
static void add_devices(struct tree *tree, json_t *root, const clpac_report *report)
{
	json_t *devices = json_array();
	for (size_t i = 0; i < report->n_devices && i < CLPAC_MAX_DEVICES; i++) {
		const clpac_device_report *did = &report->devices[i];
		json_t *device = json_object();
		set(tree, device, "selection", text(did->selection));
		set(tree, device, "name", text(did->device));
		set(tree, device, "platform", text(did->platform));
		set(tree, device, "backend", text(did->backend));
		set(tree, device, "strategy", text(did->strategy));
		set(tree, device, "n_series", count(did->n_series));
		set(tree, device, "n_batches", count(did->n_batches));
		set(tree, device, "seconds", number(did->seconds));
		set(tree, device, "peak_bytes", count(did->peak_bytes));
		set(tree, device, "failure", text(did->failure));
		append(tree, devices, device);
	}
	set(tree, root, "devices", devices);
}

static void add_device(struct tree *tree, json_t *root, const clpac_report *report)
{
	json_t *device = json_object(), *layout = json_object(), *memory = json_object();
	set(tree, device, "name", text(report->device));
	set(tree, device, "platform", text(report->platform));
	set(tree, device, "driver", text(report->driver));
	set(tree, device, "backend", text(report->backend));
	set(tree, device, "instruction_set", text(report->instruction_set));
	set(tree, device, "n_threads", count(report->n_threads));
	set(tree, device, "vector_width", count(report->vector_width));
	set(tree, root, "device", device);
	add_devices(tree, root, report);
	set(tree, root, "fft_engine", text(report->fft_engine));
	set(tree, root, "strategy", text(report->strategy));
	set(tree, root, "strategy_wanted", text(report->strategy_wanted));
	add_steps(tree, root, report);

	set(tree, layout, "n_series", count(report->n_series));
	set(tree, layout, "batch_series", count(report->batch_series));
	set(tree, layout, "fft_length", count(report->fft_length));
	set(tree, layout, "extension_samples", count(report->extension_samples));
	set(tree, layout, "edge_samples", count(report->edge_samples));
	set(tree, layout, "kept_samples", count(report->kept_samples));
	set(tree, layout, "chunk_surrogates", count(report->chunk_surrogates));
	set(tree, layout, "n_cpu_fallbacks", count(report->n_cpu_fallbacks));
	set(tree, layout, "n_overflowing_series", count(report->n_overflowing_series));
	set(tree, root, "layout", layout);

	set(tree, memory, "estimate_bytes", count(report->estimate_bytes));
	set(tree, memory, "taken_bytes", count(report->taken_bytes));
	set(tree, memory, "peak_bytes", count(report->peak_bytes));
	set(tree, memory, "budget_bytes", count(report->budget_bytes));
	set(tree, memory, "n_phase_filterings", count(report->n_phase_filterings));
	set(tree, memory, "n_amplitude_filterings", count(report->n_amplitude_filterings));
	set(tree, memory, "channel_bytes", count(report->channel_bytes));
	set(tree, memory, "n_channel_moves", count(report->n_channel_moves));
	set(tree, memory, "n_channel_returns", count(report->n_channel_returns));
	set(tree, root, "memory", memory);
}

static void add_times(struct tree *tree, json_t *root, const clpac_report *report)
{
	json_t *stages = json_array();
	for (size_t i = 0; i < report->n_stages && i < CLPAC_MAX_STAGES; i++) {
		json_t *stage = json_object();
		set(tree, stage, "name", text(report->stages[i].name));
		set(tree, stage, "seconds", number(report->stages[i].seconds));
		append(tree, stages, stage);
	}
	set(tree, root, "seconds", number(report->seconds));
	set(tree, root, "stages", stages);
}

static void add_warnings(struct tree *tree, json_t *root, const clpac_report *report)
{
	json_t *warnings = json_array();
	for (size_t kind = 0; kind < CLPAC_WARN_KIND_COUNT; kind++) {
		if (!report->warnings[kind].count)
			continue;
		json_t *warning = json_object();
		set(tree, warning, "kind", text(clpac_warning_kind_text((clpac_warning_kind)kind)));
		set(tree, warning, "count", count(report->warnings[kind].count));
		set(tree, warning, "text", text(report->warnings[kind].text));
		append(tree, warnings, warning);
	}
	set(tree, root, "warnings", warnings);
}

/* The standardized statistic of a peak, its other corrected p, and what compares subjects: those that the result holds.
 */
static void add_others(struct tree *tree, json_t *object, const clpac_result *result, const clpac_peak *peak)
{
	static const clpac_array others[] = {
		CLPAC_STANDARDIZED, CLPAC_EXCESS,     CLPAC_EXCESS_LO,		 CLPAC_EXCESS_HI,    CLPAC_Q_BH,
		CLPAC_Q_BY,	    CLPAC_P_GAMMA,    CLPAC_P_CLUSTER,		 CLPAC_EFFECT,	     CLPAC_T,
		CLPAC_RATIO,	    CLPAC_N_SUBJECTS, CLPAC_PHASE_NONUNIFORMITY, CLPAC_PHASE_PEAK_DB};
	const clpac_result_shape *shape = clpac_result_get_shape(result);
	const size_t series = peak->channel * shape->n_segments + peak->segment;
	const size_t cell = (series * shape->n_phase_bands + peak->phase) * shape->n_amplitude_bands + peak->amplitude;
	for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
		const float *values = clpac_result_array(result, others[i], NULL);
		if (values)
			set(tree, object, clpac_array_name(others[i]),
			    number_of_float(
				    values[others[i] >= CLPAC_PHASE_NONUNIFORMITY ? cell / shape->n_amplitude_bands
										  : cell]));
	}
}

static int by_search(const void *a, const void *b)
{
	const float x = *(const float *)a, y = *(const float *)b;
	return (x < y) - (x > y);
}

/* How high a row's peak is: by z, where it has one. */
static float height_of(const clpac_result *result, size_t ch)
{
	const clpac_peak peak = clpac_result_peak(result, ch);
	return !peak.found ? -INFINITY : isnan(peak.z) ? peak.mi : peak.z;
}

/* The height from which peaks are listed: of many pairs the highest are. */
static float least_height(struct tree *tree, const clpac_result *result)
{
	const size_t n = clpac_result_get_shape(result)->n_channels;
	if (!has_many_pairs(result))
		return -INFINITY;
	float *heights = clpac__alloc_array(n, sizeof *heights), least = INFINITY;
	tree->failed |= !heights;
	for (size_t ch = 0; heights && ch < n; ch++)
		heights[ch] = height_of(result, ch);
	if (heights) {
		qsort(heights, n, sizeof *heights, by_search);
		least = heights[MOST_PAIRS - 1];
	}
	clpac__free(heights);
	return least;
}

/* The peak of each channel in one measure; of many pairs the highest. */
static json_t *peaks_of(struct tree *tree, const clpac_result *result)
{
	json_t *peaks = json_array();
	const bool has_pairs = clpac__result_has_pairs(result), has_many = has_many_pairs(result);
	const float least = least_height(tree, result);
	for (size_t ch = 0; ch < clpac_result_get_shape(result)->n_channels; ch++) {
		clpac_peak peak = clpac_result_peak(result, ch);
		if (!peak.found || (has_many && height_of(result, ch) < least))
			continue;
		json_t *object = json_object();
		set(tree, object, "channel", text(clpac_result_channel_name(result, ch)));
		if (has_pairs) {
			set(tree, object, "phase_channel", text(clpac_result_pair_channel(result, ch, CLPAC_PHASE)));
			set(tree, object, "amplitude_channel",
			    text(clpac_result_pair_channel(result, ch, CLPAC_AMPLITUDE)));
		}
		set(tree, object, "segment", count(peak.segment));
		set(tree, object, "phase_band_hz", band(clpac_result_phase_bands(result)[peak.phase]));
		set(tree, object, "amplitude_band_hz",
		    band(clpac_result_cell_band(result, peak.phase, peak.amplitude)));
		set(tree, object, clpac_measure_text(clpac_result_measure(result)), number_of_float(peak.mi));
		set(tree, object, "z", number_of_float(peak.z));
		set(tree, object, "p", number_of_float(peak.p));
		set(tree, object, "p_max", number_of_float(peak.p_max));
		set(tree, object, "preferred_phase_rad", number_of_float(peak.preferred_phase));
		set(tree, object, "mean_vector", number_of_float(peak.mean_vector));
		set(tree, object, "harmonic", isnan(peak.harmonic) ? json_null() : json_boolean(peak.harmonic > 0));
		set(tree, object, "asymmetry", number_of_float(peak.asymmetry));
		set(tree, object, "remaining", number_of_float(peak.remaining));
		add_others(tree, object, result, &peak);
		append(tree, peaks, object);
	}
	return peaks;
}

/* The peaks of the first measure, and those of further ones under their names. */
static void add_peaks(struct tree *tree, json_t *root, const clpac_result *result)
{
	clpac_measure measures[CLPAC_MEASURE_COUNT];
	const size_t n = clpac_result_measures(result, measures);
	json_t *names = json_array();
	for (size_t i = 0; i < n; i++)
		append(tree, names, text(clpac_measure_text(measures[i])));
	set(tree, root, "measures", names);
	set(tree, root, "peaks", peaks_of(tree, result));
	for (size_t i = 1; i < n; i++) {
		char key[32];
		snprintf(key, sizeof key, "peaks_%s", clpac_measure_text(measures[i]));
		set(tree, root, key, peaks_of(tree, clpac_result_of(result, measures[i])));
	}
}

/* The amplitude bands of tied cells: a list for each phase band. */
static void add_cell_bands(struct tree *tree, json_t *root, const clpac_result *result)
{
	const clpac_result_shape *shape = clpac_result_get_shape(result);
	if (!clpac_result_cell_bands(result))
		return;
	json_t *rows = json_array();
	for (size_t ph = 0; ph < shape->n_phase_bands; ph++) {
		json_t *row = json_array();
		for (size_t am = 0; am < shape->n_amplitude_bands; am++)
			append(tree, row, band(clpac_result_cell_band(result, ph, am)));
		append(tree, rows, row);
	}
	set(tree, root, "cell_bands_hz", rows);
}

/* Which cells are valid: a list for each phase band. */
static void add_valid(struct tree *tree, json_t *root, const clpac_result *result)
{
	const clpac_result_shape *shape = clpac_result_get_shape(result);
	const uint8_t *valid = clpac_result_valid(result);
	json_t *rows = json_array();
	for (size_t ph = 0; ph < shape->n_phase_bands; ph++) {
		json_t *row = json_array();
		for (size_t am = 0; am < shape->n_amplitude_bands; am++)
			append(tree, row, json_boolean(valid[ph * shape->n_amplitude_bands + am]));
		append(tree, rows, row);
	}
	set(tree, root, "valid", rows);
}

/* A value for each cell, by channel, segment, phase band and amplitude band: null for a result that does not hold it,
 * and for one of so many cells that only .npz and CSV serve. */
static void add_cells(struct tree *tree, json_t *root, const char *key, const clpac_result *result, clpac_array which)
{
	enum { MOST_CELLS = 100000 };
	const clpac_result_shape *shape = clpac_result_get_shape(result);
	size_t n;
	const float *value = clpac_result_array(result, which, &n);
	json_t *channels = value && n <= MOST_CELLS ? json_array() : json_null();
	for (size_t ch = 0; json_is_array(channels) && ch < shape->n_channels; ch++) {
		json_t *segments = json_array();
		for (size_t seg = 0; seg < shape->n_segments; seg++) {
			json_t *rows = json_array();
			for (size_t ph = 0; ph < shape->n_phase_bands; ph++) {
				json_t *row = json_array();
				for (size_t am = 0; am < shape->n_amplitude_bands; am++)
					append(tree, row, number_of_float(*value++));
				append(tree, rows, row);
			}
			append(tree, segments, rows);
		}
		append(tree, channels, segments);
	}
	set(tree, root, key, channels);
}

/* What the .npz holds for each cell. */
static void add_maps(struct tree *tree, json_t *root, const clpac_result *result)
{
	add_cell_bands(tree, root, result);
	add_valid(tree, root, result);
	add_cells(tree, root, "preferred_phase_rad", result, CLPAC_PREFERRED_PHASE);
	add_cells(tree, root, "mean_vector", result, CLPAC_MEAN_VECTOR);
}

/* @param has_taps whether each filter has its taps, too, which may be thousands. */
static void add_bands(struct tree *tree, json_t *root, const clpac_result *result, bool has_taps)
{
	size_t n;
	const clpac_band_report *reports = clpac_result_band_reports(result, &n);
	json_t *bands = json_array();
	for (size_t i = 0; i < n; i++) {
		json_t *object = json_object(), *taps = has_taps ? json_array() : NULL;
		for (size_t k = 0; has_taps && k < reports[i].n_taps; k++)
			append(tree, taps, number(reports[i].taps[k]));
		set(tree, object, "use", text(clpac_band_use_text(reports[i].use)));
		set(tree, object, "band_hz", band(reports[i].band));
		set(tree, object, "bandwidth_hz",
		    band((clpac_band){reports[i].bandwidth_lo_hz, reports[i].bandwidth_hi_hz}));
		set(tree, object, "edge_samples", count(reports[i].edge_samples));
		set(tree, object, "is_shortened", json_boolean(reports[i].is_shortened));
		set(tree, object, "n_taps", count(reports[i].n_taps));
		if (has_taps)
			set(tree, object, "taps", taps);
		append(tree, bands, object);
	}
	set(tree, root, "bands", bands);
}

static clpac_status write_text(clpac__output *output, const char *text, clpac_error *err)
{
	return clpac__output_write(output, text, strlen(text), err);
}

static clpac_status write_value(clpac__output *output, const json_t *value, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	char *line = clpac__json_text(value, JSON_ENCODE_ANY | JSON_REAL_PRECISION(DIGITS));
	if (!line)
		FAIL(CLPAC_ERROR_NO_MEMORY, "writing JSON: the host has no memory left");
	TRY(write_text(output, line, err));
done:
	clpac__free(line);
	return st;
}

/* One line per entry, and one per object in a list. */
static clpac_status write_tree(clpac__output *output, json_t *root, clpac_error *err)
{
	const char *key, *before = "{\n  \"";
	json_t *value, *item;
	size_t i;
	json_object_foreach(root, key, value)
	{
		RETURN_IF_ERROR(write_text(output, before, err));
		RETURN_IF_ERROR(write_text(output, key, err));
		RETURN_IF_ERROR(write_text(output, "\": ", err));
		before = ",\n  \"";
		if (!json_is_object(json_array_get(value, 0))) {
			RETURN_IF_ERROR(write_value(output, value, err));
			continue;
		}
		json_array_foreach(value, i, item)
		{
			RETURN_IF_ERROR(write_text(output, i ? ",\n    " : "[\n    ", err));
			RETURN_IF_ERROR(write_value(output, item, err));
		}
		RETURN_IF_ERROR(write_text(output, "\n  ]", err));
	}
	return write_text(output, "\n}\n", err);
}

clpac_status clpac_result_write_json(const clpac_result *result, const char *path, const clpac_write_options *options,
				     clpac_error *err)
{
	NEED(result, path);
	clpac_status st = CLPAC_OK;
	const clpac_report *report = clpac_result_report(result);
	clpac__output *output = NULL;
	struct tree tree = {.failed = false};
	char identity[CLPAC__IDENTITY_SIZE];
	json_t *root = json_object();
	clpac_write_options own;
	TRY(clpac__take_sized(&own, options, clpac_write_options, err));
	TRY(clpac__result_identity(result, identity, err));
	set(&tree, root, "program", text("clpac"));
	set(&tree, root, "version", text(CLPAC_VERSION_STRING));
	set(&tree, root, "format_version", json_integer(CLPAC__RESULT_FORMAT));
	set(&tree, root, "identity", text(identity));
	add_input(&tree, root, &own);
	const char *provenance = own.provenance ? own.provenance : clpac_result_provenance(result);
	if (*provenance)
		TRY(add_provenance(&tree, root, provenance, err));
	add_problem(&tree, root, result);
	TRY(clpac_cancel_check(err));
	if (!has_many_pairs(result)) {
		add_pairs(&tree, root, result);
		add_used(&tree, root, result);
	}
	add_device(&tree, root, report);
	add_times(&tree, root, report);
	add_warnings(&tree, root, report);
	add_peaks(&tree, root, result);
	TRY(clpac_cancel_check(err));
	if (own.json_full)
		add_maps(&tree, root, result);
	TRY(clpac_cancel_check(err));
	add_bands(&tree, root, result, own.json_full);
	TRY(clpac_cancel_check(err));
	if (tree.failed)
		FAIL(CLPAC_ERROR_NO_MEMORY, "writing %s: the host has no memory left", path);

	TRY(clpac__output_open_way(path, &(clpac__output_way){own.overwrite, own.set, own.write, own.write_user},
				   &output, err));
	TRY(write_tree(output, root, err));
	TRY(clpac__output_commit(output, err));
done:
	clpac__output_discard(output);
	json_decref(root);
	return st;
}
