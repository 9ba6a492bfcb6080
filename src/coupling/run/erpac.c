/* Event-related coupling across trials: windows are filtered by plans, channel after channel, and their phases and
 * amplitudes are correlated at each point in time. */
#include <clpac/erpac.h>
#include <clpac/memory/pool.h>
#include <clpac/memory/statistics.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/memory.h"
#include "base/sized.h"
#include "base/text.h"
#include "memory/context/context.h"
#include "coupling/data/result.h"
#include "coupling/run/erpac_signals.h"
#include "coupling/passes/erpac_sums.h"
#include "coupling/problem/problem.h"
#include "coupling/signal/draws.h"
#include "coupling/stages/pulse.h"

enum { FEW_TRIALS = 30 };
static const size_t signals_bytes = (size_t)256 << 20; /* of the channels that are on the host at once */

struct job {
	clpac_context *const *contexts;
	size_t n_contexts;
	const clpac_erpac *asked;
	clpac_plan_options options; /* with the job's own progress */
	const clpac_samples *samples;
	clpac_problem given;	   /* as the caller has it, with permutations of windows and without pairs */
	clpac_problem_copy *whole; /* with pairs and without surrogates, which a problem does not have both */
	const clpac_problem *problem;
	size_t n_orders, step, n_times, n_rows, map;
	clpac__signals signals;
	size_t first_channel; /* whose signals are the first */
	clpac_result *result;
	/* Progress of the whole. */
	clpac_progress_function *progress;
	void *progress_user;
	double told;	     /* the share of the last progress */
	double before, part; /* shares of the whole: done before, and of the work that runs */
	/* Of a row. */
	const float **vectors, **amplitudes;
	size_t *numbers;
	uint32_t *orders;
	float *maxima;
	clpac__trial_sums sums;
	uint64_t taken_bytes;
	double correlating_s;
};

/* --- The problem ------------------------------------------------------------------------------ */

static clpac_status check_members(const clpac_problem *p, clpac_error *err)
{
	const char *member = p->tied_amplitudes			   ? "tied_amplitudes"
			     : p->hilbert == CLPAC_HILBERT_TRIMMED ? "CLPAC_HILBERT_TRIMMED"
			     : p->shifts			   ? "shifts"
			     : p->min_shift			   ? "min_shift"
			     : p->cluster_alpha > 0		   ? "cluster_alpha"
			     : p->gamma_tail			   ? "gamma_tail"
			     : p->keep_surrogates		   ? "keep_surrogates"
			     : p->keep_distributions		   ? "keep_distributions"
			     : p->joined_windows		   ? "joined_windows"
			     : p->family == CLPAC_FAMILY_RUN	   ? "CLPAC_FAMILY_RUN"
								   : NULL;
	if (member)
		RETURN_ERROR(CLPAC_ERROR_ARGUMENT, "%s: coupling across trials does not have it; leave it out", member);
	if (p->null != CLPAC_NULL_TRIALS && p->null != CLPAC_NULL_SHIFTS)
		RETURN_ERROR(CLPAC_ERROR_ARGUMENT,
			     "null is %d: coupling across trials permutes them: give CLPAC_NULL_TRIALS, or 0",
			     (int)p->null);
	if (p->n_windows < CLPAC_ERPAC_LEAST_TRIALS)
		RETURN_ERROR(CLPAC_ERROR_ARGUMENT,
			     "%zu trials: coupling across trials needs %d or more, as windows; phases explain any "
			     "amplitudes "
			     "of fewer",
			     p->n_windows, CLPAC_ERPAC_LEAST_TRIALS);
	return CLPAC_OK;
}

static int by_start(const void *a, const void *b)
{
	const clpac_window *x = a, *y = b;
	return (x->start > y->start) - (x->start < y->start);
}

/* Counts trials that overlap the one before. */
static clpac_status look_at_trials(const clpac_problem *p, size_t *n_overlapping, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	clpac_window *sorted;
	TRY(NEW_ARRAY(sorted, p->n_windows));
	memcpy(sorted, p->windows, p->n_windows * sizeof *sorted);
	qsort(sorted, p->n_windows, sizeof *sorted, by_start);
	*n_overlapping = 0;
	for (size_t i = 1; i < p->n_windows; i++) {
		if (sorted[i].start == sorted[i - 1].start)
			FAIL(CLPAC_ERROR_ARGUMENT,
			     "two of the windows begin with sample %zu: give each trial once, and all of one length",
			     sorted[i].start);
		*n_overlapping += sorted[i].start < sorted[i - 1].start + sorted[i - 1].n_samples;
	}
done:
	clpac__free(sorted);
	return st;
}

static clpac_status read_problem(struct job *job, const clpac_problem *given, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	clpac_problem own;
	clpac_problem_copy *checked = NULL;
	TRY(clpac__take_sized(&own, given, clpac_problem, err));
	own.size = sizeof own;
	TRY(check_members(&own, err));
	job->n_orders = own.n_surrogates;
	own.separate_windows = true;
	own.n_segments = own.n_windows;
	own.measures = NULL;
	own.n_measures = 0;
	job->given = own;
	job->given.null = CLPAC_NULL_TRIALS;
	job->given.n_surrogates = own.n_surrogates ? own.n_surrogates : 1; /* so that trials are checked */
	job->given.pairs = NULL;
	job->given.n_pairs = 0;
	TRY(clpac_problem_complete(&job->given, &checked, err));
	job->given.n_surrogates = job->n_orders;
	own.null = CLPAC_NULL_SHIFTS;
	own.n_surrogates = 0;
	TRY(clpac_problem_complete(&own, &job->whole, err));
	job->problem = clpac_problem_get(job->whole);
	job->step = job->asked->step ? job->asked->step : 1;
	job->n_times = (job->problem->windows[0].n_samples - 1) / job->step + 1;
	job->n_rows = clpac__problem_rows(job->problem);
	job->map = job->problem->n_phase_bands * job->problem->n_amplitude_bands;
done:
	clpac_problem_destroy(checked);
	return st;
}

/* --- Progress ----------------------------------------------------------------------------------- */

enum { UNITS = 1 << 20 };

static bool tell(struct job *job, double share)
{
	job->told = share;
	const double done = job->before + job->part * share;
	return !job->progress ||
	       clpac__pulse_tell(job->progress, job->progress_user, (size_t)(done * UNITS + 0.5), UNITS);
}

static bool pass_on(void *user, size_t done, size_t total)
{
	return tell(user, (double)done / (double)total);
}

/* While trials are correlated: as far as they were. */
static bool hear(void *user, double share)
{
	(void)share;
	return tell(user, ((struct job *)user)->told);
}

static clpac_status advance(void *user, double done, clpac_error *err)
{
	struct job *job = user;
	if (tell(job, done))
		return CLPAC_OK;
	return clpac__fail(err, CLPAC_ERROR_CANCELLED, "stopped after %.0f %% of the work, as asked",
			   100 * (job->before + job->part * done));
}

/* --- The result --------------------------------------------------------------------------------- */

static clpac_status write_text(struct job *job, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	const clpac_problem *p = job->problem;
	clpac__text text = {0};
	char *problem = NULL, *line = NULL;
	TRY(clpac_problem_write(&job->given, &problem, err));
	clpac__text_add(&text, "erpac=%zu from_s=", p->n_windows);
	clpac__text_add_number(&text, job->asked->from_s);
	clpac__text_add(&text, " step=%zu", job->step);
	for (size_t i = 0; p->pairs && i < p->n_pairs; i++)
		clpac__text_add(&text, "%s%zu:%zu", i ? "," : " pairs=", p->pairs[i].phase, p->pairs[i].amplitude);
	clpac__text_add(&text, " %s", problem);
	TRY(clpac__text_give(&text, "a line of text", &line, err));
	TRY(clpac_result_set_problem(job->result, line, err));
done:
	clpac_text_free(problem);
	clpac__free(line);
	return st;
}

static clpac_status create_result(struct job *job, clpac_error *err)
{
	const clpac_problem *p = job->problem;
	const clpac_result_shape shape = {.n_channels = job->n_rows,
					  .n_segments = job->n_times,
					  .n_phase_bands = p->n_phase_bands,
					  .n_amplitude_bands = p->n_amplitude_bands,
					  .n_surrogates = job->n_orders};
	const unsigned of_orders = 1u << CLPAC_P | 1u << CLPAC_P_MAX;
	RETURN_IF_ERROR(
		clpac_result_create(&shape, 1u << CLPAC_MI | (job->n_orders ? of_orders : 0), &job->result, err));
	RETURN_IF_ERROR(clpac_result_set_measure(job->result, CLPAC_MEASURE_RHO, err));
	for (size_t t = 0; t < job->n_times; t++) {
		clpac_result_segment_onsets(job->result)[t] =
			(job->asked->from_s * p->rate_hz + (double)(t * job->step)) / p->rate_hz;
		if (job->asked->condition)
			RETURN_IF_ERROR(clpac_result_set_condition(job->result, t, job->asked->condition, err));
	}
	return write_text(job, err);
}

/* Takes what the filters' result says of bands, cells and its run. */
static clpac_status take_frame(struct job *job, const clpac_result *of_filters, clpac_error *err)
{
	const clpac_problem *p = job->problem;
	size_t n;
	const clpac_band_report *bands = clpac_result_band_reports(of_filters, &n);
	if (job->first_channel) {
		clpac__report_add(clpac_result_report(job->result), clpac_result_report(of_filters));
		return CLPAC_OK;
	}
	*clpac_result_report(job->result) = *clpac_result_report(of_filters);
	memcpy(clpac_result_valid(job->result), clpac_result_valid(of_filters), job->map);
	memcpy(clpac_result_phase_bands(job->result), p->phase_bands, p->n_phase_bands * sizeof(clpac_band));
	memcpy(clpac_result_amplitude_bands(job->result), p->amplitude_bands,
	       p->n_amplitude_bands * sizeof(clpac_band));
	return clpac_result_set_band_reports(job->result, bands, n, err);
}

static clpac_status name_row(struct job *job, size_t row, clpac_error *err)
{
	const clpac_pair pair = clpac__problem_pair(job->problem, row);
	const char *const *names = job->samples->names;
	char phase[24], amplitude[24];
	snprintf(phase, sizeof phase, "%zu", pair.phase);
	snprintf(amplitude, sizeof amplitude, "%zu", pair.amplitude);
	if (job->problem->pairs)
		RETURN_IF_ERROR(clpac_result_set_pair(job->result, row, names ? names[pair.phase] : phase,
						      names ? names[pair.amplitude] : amplitude, err));
	else if (names)
		RETURN_IF_ERROR(clpac_result_set_channel_name(job->result, row, names[row], err));
	return CLPAC_OK;
}

/* --- Filters ------------------------------------------------------------------------------------ */

/* Filters n channels from job->first_channel on. */
static clpac_status filter(struct job *job, size_t n, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	static const clpac_measure linear[] = {CLPAC_MEASURE_NDPAC}; /* its plans have vectors of phases */
	clpac_problem_copy *copy = NULL;
	clpac_result *result = NULL;
	clpac_problem p = *job->problem;
	clpac_samples samples = *job->samples;
	p.n_channels = n;
	p.channel_numbers = p.segment_numbers = NULL;
	p.pairs = NULL;
	p.n_pairs = 0;
	p.null = CLPAC_NULL_SHIFTS;
	p.n_surrogates = 0;
	p.measures = linear;
	p.n_measures = 1;
	samples.channels += job->first_channel;
	samples.names = samples.names ? samples.names + job->first_channel : NULL;
	TRY(clpac_problem_complete(&p, &copy, err));
	TRY(clpac__signals_filter(job->contexts, job->n_contexts, clpac_problem_get(copy), &job->options, &samples,
				  &job->signals, &result, err));
	TRY(take_frame(job, result, err));
done:
	clpac_result_destroy(result);
	clpac_problem_destroy(copy);
	return st;
}

/* --- Correlations ------------------------------------------------------------------------------- */

/* The bytes that correlations may take: as plans have it. */
static clpac_status decide_budget(const struct job *job, uint64_t *out, clpac_error *err)
{
	const clpac_context *context = job->contexts[0];
	const clpac_strategy strategy = job->options.strategy;
	clpac_pool_statistics now;
	RETURN_IF_ERROR(clpac__context_budget(context,
					      strategy == CLPAC_STRATEGY_CONSERVATIVE ? "0.6"
					      : strategy == CLPAC_STRATEGY_AGGRESSIVE ? "0.95"
										      : context->options.memory,
					      out, err));
	clpac_pool_measure(context->pool, &now, sizeof now);
	const uint64_t pool = clpac_pool_budget(context->pool), used = now.in_use_bytes;
	const uint64_t left = pool > used ? pool - used : 0;
	if (job->options.memory_bytes)
		*out = job->options.memory_bytes;
	*out = *out < left ? *out : left;
	return CLPAC_OK;
}

/* The trials of a row that can be used, with their phases and amplitudes. */
static size_t find_trials(struct job *job, clpac_pair pair)
{
	const clpac__signals *s = &job->signals;
	const size_t phase = (pair.phase - job->first_channel) * s->n_windows;
	const size_t amplitude = (pair.amplitude - job->first_channel) * s->n_windows;
	size_t n = 0;
	for (size_t w = 0; w < s->n_windows; w++) {
		if (!s->are_fine[phase + w] || !s->are_fine[amplitude + w])
			continue;
		job->vectors[n] = s->vectors + (phase + w) * 2 * s->n_phase * s->n_times;
		job->amplitudes[n] = s->amplitudes + (amplitude + w) * s->n_amplitude * s->n_times;
		job->numbers[n++] = job->problem->segment_numbers ? job->problem->segment_numbers[w] : w;
	}
	return n;
}

static clpac_status draw_orders(struct job *job, clpac_pair pair, size_t n, clpac_error *err)
{
	const clpac_problem *p = job->problem;
	const size_t number = p->share_shifts	   ? 0
			      : p->channel_numbers ? p->channel_numbers[pair.amplitude]
						   : pair.amplitude;
	for (size_t k = 0; k < job->n_orders; k++)
		RETURN_IF_ERROR(clpac__draw_order(p->seed, (uint32_t)number, job->numbers, n, (uint32_t)k,
						  job->orders + k * n, err));
	return CLPAC_OK;
}

static int by_value(const void *a, const void *b)
{
	const float x = *(const float *)a, y = *(const float *)b;
	return (x > y) - (x < y);
}

/* How many of n ascending maxima reach a square. */
static size_t count_maxima(const float *maxima, size_t n, float square)
{
	const float least = square * clpac__trials_reach;
	size_t from = 0, to = n;
	while (from < to) {
		const size_t middle = from + (to - from) / 2;
		if (maxima[middle] >= least)
			to = middle;
		else
			from = middle + 1;
	}
	return n - from;
}

/* Makes rho and p of the squares and counts, which are in the places of rho and p. */
static void store_row(struct job *job, size_t row)
{
	const size_t n = job->n_times * job->map;
	float *rho = clpac_result_array(job->result, CLPAC_MI, NULL) + row * n;
	float *p = clpac_result_array(job->result, CLPAC_P, NULL),
	      *p_max = clpac_result_array(job->result, CLPAC_P_MAX, NULL);
	const uint8_t *valid = clpac_result_valid(job->result);
	const float all = (float)job->n_orders + 1;
	if (job->n_orders)
		qsort(job->maxima, job->n_orders, sizeof *job->maxima, by_value);
	for (size_t i = 0; i < n; i++) {
		const float square = rho[i];
		rho[i] = sqrtf(square);
		if (!job->n_orders)
			continue;
		p[row * n + i] = isnan(square) ? NAN : (1 + p[row * n + i]) / all;
		if (!isnan(square) && valid[i % job->map])
			p_max[row * n + i] = (1 + (float)count_maxima(job->maxima, job->n_orders, square)) / all;
	}
}

static void warn_of_trials(struct job *job, size_t row, size_t n)
{
	clpac_warning *warning = &clpac_result_report(job->result)->warnings[CLPAC_WARN_FEW_SEGMENTS];
	if (n >= FEW_TRIALS)
		return;
	if (!warning->count++)
		snprintf(warning->text, sizeof warning->text,
			 "channel %.60s has %zu trials: %s%.2g, and a few trials decide; %d or more are advisable",
			 clpac_result_channel_name(job->result, row), n,
			 n < CLPAC_ERPAC_LEAST_TRIALS ? "too few for a correlation; with five it is "
						      : "without coupling rho is about ",
			 sqrt(2.0 / (double)((n < CLPAC_ERPAC_LEAST_TRIALS ? CLPAC_ERPAC_LEAST_TRIALS : n) - 1)),
			 FEW_TRIALS);
}

static clpac_status correlate_row(struct job *job, size_t row, clpac_error *err)
{
	const clpac_problem *p = job->problem;
	const clpac_pair pair = clpac__problem_pair(p, row);
	const size_t n = find_trials(job, pair), n_values = job->n_times * job->map;
	const double started_s = clpac__clock_seconds();
	uint64_t budget;
	float *counts = clpac_result_array(job->result, CLPAC_P, NULL);
	RETURN_IF_ERROR(name_row(job, row, err));
	warn_of_trials(job, row, n);
	if (n < CLPAC_ERPAC_LEAST_TRIALS) {
		return advance(job, 1, err);
	}
	for (size_t t = 0; t < job->n_times; t++) {
		clpac_result_n_stretches(job->result)[row * job->n_times + t] = (uint32_t)n;
		clpac_result_used_seconds(job->result)[row * job->n_times + t] = (double)n / p->rate_hz;
	}
	RETURN_IF_ERROR(draw_orders(job, pair, n, err));
	RETURN_IF_ERROR(decide_budget(job, &budget, err));
	job->sums = (clpac__trial_sums){.squares = clpac_result_array(job->result, CLPAC_MI, NULL) + row * n_values,
					.counts = counts ? counts + row * n_values : NULL,
					.maxima = job->maxima};
	clpac__pulse pulse = {.beat = hear, .user = job, .told_s = started_s};
	clpac__pulse *before = clpac__pulse_use(job->progress ? &pulse : NULL);
	const clpac_status st = clpac__trials_sum(job->contexts[0], budget,
						  &(clpac__trials){.n = n,
								   .n_phase = p->n_phase_bands,
								   .n_amplitude = p->n_amplitude_bands,
								   .n_times = job->n_times,
								   .n_orders = job->n_orders,
								   .vectors = job->vectors,
								   .amplitudes = job->amplitudes,
								   .orders = job->orders,
								   .valid = clpac_result_valid(job->result),
								   .advance = advance,
								   .user = job},
						  &job->sums, err);
	clpac__pulse_use(before);
	RETURN_IF_ERROR(st);
	store_row(job, row);
	job->taken_bytes = job->sums.taken_bytes > job->taken_bytes ? job->sums.taken_bytes : job->taken_bytes;
	job->correlating_s += clpac__clock_seconds() - started_s;
	return CLPAC_OK;
}

/* --- The whole ---------------------------------------------------------------------------------- */

static clpac_status make_room(struct job *job, clpac_error *err)
{
	const size_t n = job->problem->n_windows;
	size_t n_orders = 0;
	job->vectors = clpac__alloc_array(n, sizeof *job->vectors);
	job->amplitudes = clpac__alloc_array(n, sizeof *job->amplitudes);
	job->numbers = clpac__alloc_array(n, sizeof *job->numbers);
	job->maxima = clpac__alloc_array(job->n_orders, sizeof *job->maxima);
	if (!job->vectors || !job->amplitudes || !job->numbers || !job->maxima ||
	    !clpac__size_mul(job->n_orders, n, &n_orders) ||
	    !(job->orders = clpac__alloc_array(n_orders, sizeof *job->orders)))
		RETURN_ERROR(CLPAC_ERROR_NO_MEMORY,
			     "n_surrogates is %zu: %zu permutations of %zu trials are more than the host has "
			     "memory for",
			     job->n_orders, job->n_orders, n);
	return CLPAC_OK;
}

/* Channels whose signals are on the host at once. */
static size_t channels_at_once(const struct job *job)
{
	size_t bytes;
	if (job->problem->pairs || !clpac__signals_bytes(&job->signals, &bytes))
		return job->problem->n_channels;
	const size_t n = bytes < signals_bytes ? signals_bytes / bytes : 1;
	return n < job->problem->n_channels ? n : job->problem->n_channels;
}

static clpac_status run_channels(struct job *job, clpac_error *err)
{
	const clpac_problem *p = job->problem;
	const size_t at_once = channels_at_once(job);
	for (size_t first = 0; first < p->n_channels; first += at_once) {
		const size_t n = p->n_channels - first < at_once ? p->n_channels - first : at_once;
		const size_t n_rows = p->pairs ? job->n_rows : n;
		const double share = (double)n / (double)p->n_channels, before = (double)first / (double)p->n_channels;
		job->first_channel = first;
		job->before = before;
		job->part = share / 2; /* whatever the work: filters and correlations take half the way each */
		RETURN_IF_ERROR(clpac__signals_create(&job->signals, n, err));
		RETURN_IF_ERROR(filter(job, n, err));
		for (size_t i = 0; i < n_rows; i++) {
			job->part = share / 2 / (double)n_rows;
			job->before = before + share / 2 + (double)i * job->part;
			RETURN_IF_ERROR(correlate_row(job, (p->pairs ? 0 : first) + i, err));
		}
		clpac__signals_clear(&job->signals);
	}
	return CLPAC_OK;
}

static void complete_report(struct job *job, size_t n_overlapping, double started_s)
{
	clpac_report *report = clpac_result_report(job->result);
	clpac_warning *warning = &report->warnings[CLPAC_WARN_FEW_SEGMENTS];
	size_t n_missing = 0, n;
	const float *rho = clpac_result_array(job->result, CLPAC_MI, &n);
	for (size_t i = 0; i < n; i++)
		n_missing += isnan(rho[i]) != 0;
	report->chunk_surrogates = job->sums.orders_at_once;
	report->peak_bytes = job->taken_bytes > report->peak_bytes ? job->taken_bytes : report->peak_bytes;
	if (report->n_stages < CLPAC_MAX_STAGES) {
		snprintf(report->stages[report->n_stages].name, sizeof report->stages->name, "correlations");
		report->stages[report->n_stages++].seconds = job->correlating_s;
	}
	report->seconds = clpac__clock_seconds() - started_s;
	if (n_missing) {
		report->warnings[CLPAC_WARN_MISSING].count = n_missing;
		snprintf(report->warnings[CLPAC_WARN_MISSING].text, sizeof report->warnings->text,
			 "%zu of %zu cells at points in time have no value: too few trials, or phases or amplitudes "
			 "that do "
			 "not vary between them",
			 n_missing, n);
	}
	if (n_overlapping) {
		warning->count += n_overlapping;
		snprintf(warning->text, sizeof warning->text,
			 "%zu of %zu trials overlap the one before: they share samples, are fewer than they look, and "
			 "p is "
			 "too small",
			 n_overlapping, job->problem->n_windows);
	}
}

static void clear(struct job *job)
{
	clpac__signals_clear(&job->signals);
	clpac_problem_destroy(job->whole);
	clpac_result_destroy(job->result);
	FREE_ALL(job->vectors, job->amplitudes, job->numbers, job->orders, job->maxima);
}

static clpac_status check_contexts(clpac_context *const *contexts, size_t n, clpac_error *err)
{
	if (!n || n > CLPAC_MAX_DEVICES)
		RETURN_ERROR(CLPAC_ERROR_ARGUMENT, "clpac_erpac_run: n_contexts is %zu: give 1 to %d contexts", n,
			     CLPAC_MAX_DEVICES);
	for (size_t i = 0; i < n; i++)
		if (!contexts[i])
			RETURN_ERROR(CLPAC_ERROR_ARGUMENT, "clpac_erpac_run: context %zu is NULL", i);
	for (size_t i = 0; i < n; i++)
		RETURN_IF_ERROR(clpac__context_enter(contexts[i], "clpac_erpac_run", err));
	return CLPAC_OK;
}

clpac_status clpac_erpac_run(clpac_context *const *contexts, size_t n_contexts, const clpac_erpac *erpac,
			     const clpac_plan_options *options, const clpac_samples *samples, clpac_result **out,
			     clpac_error *err)
{
	NEED(contexts, erpac, samples, out);
	clpac_status st = CLPAC_OK;
	const double started_s = clpac__clock_seconds();
	clpac_erpac own;
	size_t n_overlapping = 0;
	struct job job = {.contexts = contexts, .n_contexts = n_contexts, .asked = &own, .samples = samples};
	TRY(clpac__take_sized(&own, erpac, clpac_erpac, err));
	TRY(clpac__take_sized(&job.options, options, clpac_plan_options, err));
	TRY(check_contexts(contexts, n_contexts, err));
	if (!own.problem)
		FAIL(CLPAC_ERROR_ARGUMENT, "clpac_erpac_run: problem is NULL");
	if (!samples->channels)
		FAIL(CLPAC_ERROR_ARGUMENT, "clpac_erpac_run: no samples were given");
	if (!isfinite(own.from_s))
		FAIL(CLPAC_ERROR_ARGUMENT, "from_s is %g: give seconds", own.from_s);
	TRY(read_problem(&job, own.problem, err));
	TRY(look_at_trials(job.problem, &n_overlapping, err));
	job.signals = (clpac__signals){.n_windows = job.problem->n_windows,
				       .n_phase = job.problem->n_phase_bands,
				       .n_amplitude = job.problem->n_amplitude_bands,
				       .n_times = job.n_times,
				       .step = job.step};
	job.progress = job.options.progress;
	job.progress_user = job.options.progress_user;
	job.options.progress = pass_on;
	job.options.progress_user = &job;
	TRY(make_room(&job, err));
	TRY(create_result(&job, err));
	TRY(run_channels(&job, err));
	complete_report(&job, n_overlapping, started_s);
	*out = job.result, job.result = NULL;
done:
	clear(&job);
	return st;
}
