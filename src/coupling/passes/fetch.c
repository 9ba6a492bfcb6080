/* Copies the results of a batch from the device to the host.
 *
 * Device rows are padded to whole vectors of bands and hold the series of one batch.  Result rows hold the bands of the
 * problem, and all series.
 */
#include "coupling/passes/fetch.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <clpac/memory/buffer.h>

#include "base/memory.h"
#include "coupling/problem/problem.h"
#include "coupling/signal/modulation_index.h"
#include "coupling/signal/statistics.h"
#include "coupling/stages/compute.h"

/* Reads the first n values of a tensor without waiting: they are there when a later tensor has been waited for. */
static clpac_status read_soon(const clpac__batch *batch, enum clpac__tensor tensor, size_t n, void *target,
			      clpac_error *err)
{
	return clpac_buffer_read_later(batch->tensors[tensor], 0, n * sizeof *batch->rows, target, NULL, err);
}

static void warn(clpac__run *run, clpac_warning_kind kind, size_t count, const char *format, ...) CLPAC__PRINTF(4, 5);
static void warn(clpac__run *run, clpac_warning_kind kind, size_t count, const char *format, ...)
{
	clpac_warning *warning = &run->report->warnings[kind];
	if (!warning->count) {
		va_list args;
		va_start(args, format);
		vsnprintf(warning->text, sizeof warning->text, format, args);
		va_end(args);
	}
	warning->count += count;
}

/* Room for a name in a message. */
typedef struct name_text {
	char text[64];
} name_text;

/* The name of a band: its edges, or its number if the caller supplied phases and amplitudes without bands. */
static name_text name_band(const clpac_plan *plan, clpac_band_use use, size_t number)
{
	name_text name;
	const clpac_band *bands = use == CLPAC_PHASE ? plan->problem->phase_bands : plan->problem->amplitude_bands;
	if (plan->layout.has_arrays)
		snprintf(name.text, sizeof name.text, "%s %zu", use == CLPAC_PHASE ? "phase" : "amplitude", number);
	else
		snprintf(name.text, sizeof name.text, "%g-%g Hz", bands[number].lo_hz, bands[number].hi_hz);
	return name;
}

/* The name of a series' channel, or its number if it has no name. */
static name_text name_channel(const clpac_plan *plan, const clpac__run *run, size_t series)
{
	name_text name;
	const size_t channel = series / plan->problem->n_segments;
	const clpac_pair pair = clpac__problem_pair(plan->problem, channel);
	const bool has_names = run->samples && run->samples->names;
	if (plan->problem->pairs && has_names)
		snprintf(name.text, sizeof name.text, "%.28s>%.28s", run->samples->names[pair.phase],
			 run->samples->names[pair.amplitude]);
	else if (plan->problem->pairs)
		snprintf(name.text, sizeof name.text, "%zu>%zu", pair.phase, pair.amplitude);
	else if (has_names)
		snprintf(name.text, sizeof name.text, "%.60s", run->samples->names[channel]);
	else
		snprintf(name.text, sizeof name.text, "%zu", channel);
	return name;
}

static bool is_fine(const clpac__batch *batch, size_t series)
{
	return batch->troubles[series] == CLPAC__FINE;
}

/* A phase counts as a pure line if its distance from even spacing, over 24 cycles or more, is below this many cycles.
 * White noise stays above: of 400 series in each of the ten default bands, 4 to 60 s long, the lowest value over 24
 * cycles was 0.105. */
const float clpac__line_jitter = 0.1f;

/* One or two blocks are a shift; other segments have lines of other phases, and noise has other amplitudes. */
bool clpac__lines_matter(const clpac__layout *layout)
{
	return layout->null <= CLPAC_NULL_ALL_SHIFTS || (layout->null == CLPAC_NULL_BLOCKS && layout->n_blocks <= 2);
}

static void warn_of_lines(const clpac_plan *plan, clpac__batch *batch, clpac__run *run, size_t first, size_t n,
			  const float *jitter)
{
	const clpac__layout *l = &plan->layout;
	for (size_t i = 0; i < n; i++)
		for (size_t ph = 0; ph < l->n_phase; ph++) {
			const float cycles = jitter[i * l->n_phase + ph];
			if (cycles < 0 || cycles >= clpac__line_jitter || !is_fine(batch, first + i))
				continue;
			warn(run, CLPAC_WARN_PURE_LINE, 1,
			     "the phase at %s of channel %s is a pure line (its jitter is %.3f cycles): circular "
			     "shifts "
			     "cannot break its coupling, so its z and p say nothing",
			     name_band(plan, CLPAC_PHASE, ph).text, name_channel(plan, run, first + i).text,
			     (double)cycles);
		}
}

/* Half of what the shares of n bins are away from 1/n, all together. */
static float nonuniformity_of(const uint32_t *counts, size_t n)
{
	double all = 0, away = 0;
	for (size_t bin = 0; bin < n; bin++)
		all += counts[bin];
	for (size_t bin = 0; bin < n; bin++)
		away += fabs(counts[bin] / all - 1 / (double)n);
	return (float)(away / 2);
}

clpac_status clpac__store_counts(const clpac_plan *plan, clpac__batch *batch, clpac__run *run, size_t first, size_t n,
				 bool *overflow, clpac_error *err)
{
	const clpac__layout *l = &plan->layout;
	const size_t n_counts = n * l->n_phase * 3 * l->n_bins;
	uint32_t *counts = (uint32_t *)batch->rows;
	float *jitter = batch->rows + n_counts;
	const bool has_lines = l->n_surrogates && clpac__lines_matter(l);
	uint32_t *n_empty = clpac_result_empty_bins(run->result) + first * l->n_phase;
	*overflow = false;
	if (has_lines)
		RETURN_IF_ERROR(read_soon(batch, CLPAC__TENSOR_JITTER, n * l->n_phase, jitter, err));
	RETURN_IF_ERROR(
		clpac_buffer_read(batch->tensors[CLPAC__TENSOR_COUNTS], 0, n_counts * sizeof *counts, counts, err));
	for (size_t i = 0; i < n; i++) {
		bool overflows = false;
		for (size_t ph = 0; ph < l->n_phase; ph++) {
			const uint32_t *row = counts + (i * l->n_phase + ph) * 3 * l->n_bins;
			uint64_t entries = 0;
			for (size_t list = 0; list < 2 * l->n_bins; list++)
				entries += row[list];
			overflows |= entries > l->capacity;
			float *kept = clpac_result_array(run->result, CLPAC_BIN_COUNTS, NULL);
			float *uneven = clpac_result_array(run->result, CLPAC_PHASE_NONUNIFORMITY, NULL);
			if (uneven && is_fine(batch, first + i))
				uneven[(first + i) * l->n_phase + ph] =
					nonuniformity_of(row + 2 * l->n_bins, l->n_bins);
			for (size_t bin = 0; kept && bin < l->n_bins; bin++)
				kept[((first + i) * l->n_phase + ph) * l->n_bins + bin] =
					is_fine(batch, first + i) ? (float)row[2 * l->n_bins + bin] : NAN;
			uint32_t empty = 0;
			for (size_t bin = 0; bin < l->n_bins; bin++)
				empty += row[2 * l->n_bins + bin] == 0;
			n_empty[i * l->n_phase + ph] = empty;
			if (empty && is_fine(batch, first + i))
				warn(run, CLPAC_WARN_EMPTY_BINS, 1,
				     "%u of %zu phase bins at %s of channel %s hold no sample and count as zero: the "
				     "series is short for that band",
				     empty, l->n_bins, name_band(plan, CLPAC_PHASE, ph).text,
				     name_channel(plan, run, first + i).text);
		}
		run->report->n_overflowing_series += overflows;
		*overflow |= overflows;
	}
	if (has_lines)
		warn_of_lines(plan, batch, run, first, n, jitter);
	return CLPAC_OK;
}

/* The unit of the indices of series i of the batch, as a number in the unit of the samples; NaN for a series without
 * one. Series are scaled by powers of two, of which measures in the unit of the samples know. */
static float unit_of(const clpac__batch *batch, clpac_measure measure, size_t first, size_t i)
{
	if (!is_fine(batch, first + i))
		return NAN;
	return clpac__measure_has_unit(measure) ? ldexpf(1, batch->exponents[i]) : 1;
}

/* Copies one device row, padded, to one result row. */
static void copy_row(float *to, const float *from, size_t n, float unit)
{
	for (size_t am = 0; am < n; am++)
		to[am] = unit * from[am];
}

clpac_status clpac__store_surrogates(const clpac_plan *plan, clpac__batch *batch, clpac__run *run,
				     clpac_measure measure, size_t first, size_t n, size_t k, size_t n_shifts,
				     clpac_error *err)
{
	const clpac__layout *l = &plan->layout;
	float *out = clpac_result_array(clpac_result_of(run->result, measure), CLPAC_SURROGATES, NULL);
	RETURN_IF_ERROR(clpac_buffer_read(batch->tensors[CLPAC__TENSOR_CHUNK], 0,
					  n * l->n_phase * n_shifts * l->padded * sizeof *batch->rows, batch->rows,
					  err));
	for (size_t i = 0; i < n; i++)
		for (size_t ph = 0; ph < l->n_phase; ph++)
			for (size_t s = 0; s < n_shifts; s++) {
				const size_t number = batch->shifts[i * (l->n_surrogates + 1) + 1 + k + s].number;
				copy_row(out + (((first + i) * l->n_surrogates + number - 1) * l->n_phase + ph) *
							 l->n_amplitude,
					 batch->rows + ((i * l->n_phase + ph) * n_shifts + s) * l->padded,
					 l->n_amplitude, unit_of(batch, measure, first, i));
			}
	return CLPAC_OK;
}

/* A batch that is stored, one series or one row by a call of one of the functions below (clpac__compute_share): rows,
 * series x phase bands, where a batch of a single series is work for several threads. */
typedef struct storing {
	const clpac_plan *plan;
	clpac__batch *batch;
	clpac__run *run;
	clpac_measure measure;
	clpac_result *result; /* of the measure */
	size_t first;	      /* series of the batch */
	const float *from;    /* what was read of the device */
	double *room;	      /* for the map of each series; maxima only */
	const clpac__directions *directions;
} storing;

static void store_statistics(void *context, size_t row)
{
	const storing *job = context;
	const clpac_plan *plan = job->plan;
	const clpac_result *result = job->result;
	const clpac__layout *l = &plan->layout;
	const double unit = unit_of(job->batch, job->measure, job->first, row / l->n_phase);
	const size_t K = l->n_surrogates, from = (job->first * l->n_phase + row) * l->n_amplitude;
	const float *mi = clpac_result_array(result, CLPAC_MI, NULL) + from;
	float *z = clpac_result_array(result, CLPAC_Z, NULL) + from;
	float *p = clpac_result_array(result, CLPAC_P, NULL) + from;
	float *mean = clpac_result_array(result, CLPAC_SURROGATE_MEAN, NULL) + from;
	float *std = clpac_result_array(result, CLPAC_SURROGATE_STD, NULL) + from;
	const float *of_row = job->from + row * 3 * l->padded;
	const uint32_t *rank = (const uint32_t *)(of_row + 2 * l->padded);
	for (size_t am = 0; am < l->n_amplitude; am++) {
		const bool is_defined = !isnan(mi[am]);
		const double deviation = unit * clpac__moments_std(of_row[l->padded + am], K, plan->problem->ddof);
		mean[am] = is_defined ? (float)(unit * of_row[am]) : NAN;
		std[am] = is_defined ? (float)deviation : NAN;
		z[am] = (float)clpac__z_score(mi[am], unit * of_row[am], deviation);
		p[am] = is_defined ? (float)clpac__p_value(rank[am], K) : NAN;
	}
}

static void warn_of_deviations(const clpac_plan *plan, clpac__run *run, const clpac_result *result, size_t first,
			       size_t n)
{
	const clpac__layout *l = &plan->layout;
	const size_t cells = l->n_phase * l->n_amplitude;
	const float *mi = clpac_result_array(result, CLPAC_MI, NULL) + first * cells;
	const float *z = clpac_result_array(result, CLPAC_Z, NULL) + first * cells;
	for (size_t at = 0; at < n * cells; at++)
		if (isnan(z[at]) && !isnan(mi[at]))
			warn(run, CLPAC_WARN_NO_DEVIATION, 1,
			     "all surrogates of a cell are equal (first: channel %s, phase at %s): its z is NaN",
			     name_channel(plan, run, first + at / cells).text,
			     name_band(plan, CLPAC_PHASE, at % cells / l->n_amplitude).text);
}

/* Stores the highest standardized statistic of each surrogate, and the standardized statistics. */
static void store_maxima(void *context, size_t i)
{
	const storing *job = context;
	const clpac_plan *plan = job->plan;
	const clpac_result *result = job->result;
	const clpac__layout *l = &plan->layout;
	const size_t cells = l->n_phase * l->n_amplitude, K = l->n_surrogates;
	const size_t series = job->first + i, at = series * cells;
	const float *mi = clpac_result_array(result, CLPAC_MI, NULL);
	const float *mean = clpac_result_array(result, CLPAC_SURROGATE_MEAN, NULL);
	const float *std = clpac_result_array(result, CLPAC_SURROGATE_STD, NULL);
	float *own = clpac_result_array(result, CLPAC_MAXIMA, NULL) + series * K;
	float *standardized = clpac_result_array(result, CLPAC_STANDARDIZED, NULL) + at;
	const clpac__map map = {.mi = mi + at,
				.mean = mean + at,
				.std = std + at,
				.valid = clpac_result_valid(result),
				.n_phase = l->n_phase,
				.n_amplitude = l->n_amplitude,
				.n_surrogates = K,
				.ddof = plan->problem->ddof};
	for (size_t k = 0; k < K; k++)
		own[k] = is_fine(job->batch, series) ? clpac__maximum_or_nan(job->from[i * K + k]) : NAN;
	clpac__standardize(&map, job->room + i * clpac__standardize_room(l->n_phase, l->n_amplitude), standardized);
}

/* Stores p corrected by the maxima and standardized statistics that are stored. */
static void store_p_max(void *context, size_t row)
{
	const storing *job = context;
	const clpac__layout *l = &job->plan->layout;
	const size_t K = l->n_surrogates, series = job->first + row / l->n_phase;
	const size_t at = (job->first * l->n_phase + row) * l->n_amplitude;
	clpac__p_of_maxima(clpac_result_array(job->result, CLPAC_STANDARDIZED, NULL) + at, l->n_amplitude,
			   clpac_result_array(job->result, CLPAC_MAXIMA, NULL) + series * K, K,
			   clpac_result_array(job->result, CLPAC_P_MAX, NULL) + at);
}

static void store_preferred_phases(const storing *job, size_t i)
{
	const clpac__layout *l = &job->plan->layout;
	const size_t series = job->first + i;
	float *phase = clpac_result_array(job->run->result, CLPAC_PREFERRED_PHASE, NULL);
	float *length = clpac_result_array(job->run->result, CLPAC_MEAN_VECTOR, NULL);
	for (size_t ph = 0; ph < l->n_phase && is_fine(job->batch, series); ph++)
		for (size_t am = 0; am < l->n_amplitude; am++) {
			const size_t cell = (series * l->n_phase + ph) * l->n_amplitude + am;
			clpac__preferred_phase(job->directions,
					       job->from + (i * l->n_phase + ph) * l->n_bins * l->padded + am,
					       l->padded, phase + cell, length + cell);
		}
}

static void store_distributions(void *context, size_t i)
{
	const storing *job = context;
	const clpac_plan *plan = job->plan;
	const clpac__layout *l = &plan->layout;
	const float *means = job->from;
	const size_t series = job->first + i;
	float *all = clpac_result_array(job->run->result, CLPAC_DISTRIBUTION, NULL);
	float *peak = clpac_result_array(job->run->result, CLPAC_PEAK_DISTRIBUTION, NULL);
	const double unit = is_fine(job->batch, series) ? ldexp(1.0, job->batch->exponents[i]) : NAN;
	const size_t n_segments = plan->problem->n_segments;
	const clpac_peak found = clpac_result_series_peak(job->run->result, series / n_segments, series % n_segments);
	store_preferred_phases(job, i);
	for (size_t bin = 0; bin < l->n_bins; bin++)
		peak[series * l->n_bins + bin] =
			found.found
				? (float)(unit * means[((i * l->n_phase + found.phase) * l->n_bins + bin) * l->padded +
						       found.amplitude])
				: NAN;
	for (size_t ph = 0; all && ph < l->n_phase; ph++)
		for (size_t bin = 0; bin < l->n_bins; bin++)
			for (size_t am = 0; am < l->n_amplitude; am++)
				all[((series * l->n_phase + ph) * l->n_amplitude + am) * l->n_bins + bin] =
					(float)(unit *
						means[((i * l->n_phase + ph) * l->n_bins + bin) * l->padded + am]);
}

/* The arrays that are read of a measure, in batch->rows. */
typedef struct rows_read {
	float *observed, *moments, *maxima;
} rows_read;

static rows_read where_read(const clpac_plan *plan, clpac__batch *batch, size_t n)
{
	const size_t values = n * plan->layout.n_phase * plan->layout.padded;
	return (rows_read){batch->rows, batch->rows + values, batch->rows + 4 * values};
}

clpac_status clpac__fetch_indices(const clpac_plan *plan, clpac__batch *batch, size_t n, clpac_event **there,
				  clpac_error *err)
{
	const clpac__layout *l = &plan->layout;
	const rows_read read = where_read(plan, batch, n);
	const size_t values = n * l->n_phase * l->padded, bytes = values * sizeof *batch->rows;
	if (l->n_surrogates) {
		RETURN_IF_ERROR(read_soon(batch, CLPAC__TENSOR_MOMENTS, 3 * values, read.moments, err));
		RETURN_IF_ERROR(read_soon(batch, CLPAC__TENSOR_MAXIMA, n * l->n_surrogates, read.maxima, err));
	}
	if (there)
		RETURN_IF_ERROR(clpac_buffer_read_later(batch->tensors[CLPAC__TENSOR_OBSERVED], 0, bytes, read.observed,
							there, err));
	else
		RETURN_IF_ERROR(
			clpac_buffer_read(batch->tensors[CLPAC__TENSOR_OBSERVED], 0, bytes, read.observed, err));
	return CLPAC_OK;
}

clpac_status clpac__store_indices(const clpac_plan *plan, clpac__batch *batch, clpac__run *run, clpac_measure measure,
				  size_t first, size_t n, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	const clpac__layout *l = &plan->layout;
	const size_t rows = n * l->n_phase;
	clpac_result *result = clpac_result_of(run->result, measure);
	const bool is_first = result == run->result;
	const rows_read read = where_read(plan, batch, n);
	storing job = {plan, batch, run, measure, result, first, read.moments, NULL, NULL};
	clpac__queue *queue = plan->context->queue;
	float *mi = clpac_result_array(result, CLPAC_MI, NULL) + first * l->n_phase * l->n_amplitude;
	for (size_t row = 0; row < rows; row++) {
		const size_t i = row / l->n_phase;
		copy_row(mi + row * l->n_amplitude, read.observed + row * l->padded, l->n_amplitude,
			 unit_of(batch, measure, first, i));
		for (size_t am = 0; am < l->n_amplitude && is_fine(batch, first + i) && is_first; am++)
			if (isnan(mi[row * l->n_amplitude + am]))
				warn(run, CLPAC_WARN_NO_AMPLITUDE, 1,
				     "channel %s has no amplitude at %s: its indices there are NaN",
				     name_channel(plan, run, first + i).text,
				     name_band(plan, CLPAC_AMPLITUDE, am).text);
	}
	if (l->n_surrogates) {
		clpac__compute_share(queue, rows, store_statistics, &job);
		warn_of_deviations(plan, run, result, first, n);
		job.from = read.maxima;
		const size_t each = clpac__standardize_room(l->n_phase, l->n_amplitude) * sizeof *job.room;
		if (!(job.room = clpac__alloc_array(n, each)))
			FAIL_NO_MEMORY(n * each);
		clpac__compute_share(queue, n, store_maxima, &job);
		clpac__compute_share(queue, rows, store_p_max, &job);
	}
done:
	clpac__free(job.room);
	return st;
}

clpac_status clpac__fetch_distributions(const clpac_plan *plan, clpac__batch *batch, size_t n, clpac_error *err)
{
	const clpac__layout *l = &plan->layout;
	return read_soon(batch, CLPAC__TENSOR_DISTRIBUTION, n * l->n_phase * l->n_bins * l->padded,
			 batch->distributions, err);
}

void clpac__store_distributions(const clpac_plan *plan, clpac__batch *batch, clpac__run *run, size_t first, size_t n)
{
	clpac__directions directions;
	storing job = {plan, batch,	 run, plan->problem->measures[0], run->result, first, batch->distributions,
		       NULL, &directions};
	clpac__directions_of_bins(plan->layout.n_bins, &directions);
	clpac__compute_share(plan->context->queue, n, store_distributions, &job);
}

static void warn_of_channels(const clpac_plan *plan, clpac__batch *batch, clpac__run *run, enum clpac__trouble trouble,
			     clpac_warning_kind kind, const char *what)
{
	const size_t n_segments = plan->problem->n_segments;
	clpac_warning *warning = &run->report->warnings[kind];
	int length = snprintf(warning->text, sizeof warning->text, "%s; NaN for channel", what);
	size_t last = SIZE_MAX;
	for (size_t series = 0; series < plan->layout.n_series; series++) {
		if (batch->troubles[series] != trouble)
			continue;
		warning->count++;
		const size_t channel = series / n_segments;
		const name_text name = name_channel(plan, run, series);
		const size_t room = sizeof warning->text - (size_t)length;
		if (channel != last && strlen(name.text) + sizeof ", ..." < room)
			length +=
				snprintf(warning->text + length, room, "%s %s", last == SIZE_MAX ? "" : ",", name.text);
		else if (channel != last && room > sizeof "...")
			length += snprintf(warning->text + length, room, "...");
		last = channel;
	}
	if (!warning->count)
		warning->text[0] = 0;
}

/* How much of each series its indices come from. */
static void store_used(const clpac_plan *plan, clpac__batch *batch, clpac__run *run)
{
	const clpac_problem *p = plan->problem;
	double *seconds = clpac_result_used_seconds(run->result);
	uint32_t *n_stretches = clpac_result_n_stretches(run->result);
	for (size_t series = 0; series < plan->layout.n_series; series++) {
		const bool has_values = batch->troubles[series] == CLPAC__FINE;
		seconds[series] = has_values && p->rate_hz > 0 ? (double)plan->layout.kept / p->rate_hz : 0;
		n_stretches[series] = has_values ? (uint32_t)plan->layout.n_stretches : 0;
	}
}

void clpac__store_troubles(const clpac_plan *plan, clpac__batch *batch, clpac__run *run)
{
	store_used(plan, batch, run);
	warn_of_channels(plan, batch, run, CLPAC__NOT_FINITE, CLPAC_WARN_NOT_FINITE,
			 "samples that are NaN or infinite");
	warn_of_channels(plan, batch, run, CLPAC__CONSTANT, CLPAC_WARN_CONSTANT, "a constant series");
	warn_of_channels(plan, batch, run, CLPAC__FLAT, CLPAC_WARN_FLAT,
			 "a stretch at one value, as where data is missing: leave it out with stretches, or compute it "
			 "with keep_flat");
}
