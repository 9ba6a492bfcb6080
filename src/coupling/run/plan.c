/* Makes a plan: filters, layout, buffers, transforms, and the spectra that every run uses. */
#include "coupling/run/making.h"

#include <math.h>
#include <stdio.h>
#include <clpac/memory/buffer.h>

#include "base/memory.h"
#include "base/sized.h"
#include "memory/pool/pool.h"
#include "coupling/passes/clusters.h"
#include "coupling/run/enqueue.h"
#include "coupling/passes/exact.h"
#include "coupling/passes/linear.h"
#include "coupling/run/place.h"
#include "coupling/problem/problem.h"
#include "coupling/layout/steps.h"
#include "coupling/passes/used_samples.h"
#include "coupling/passes/valid.h"
#include "coupling/passes/variants.h"
#include "coupling/signal/bands.h"
#include "coupling/registry/registry.h"

static clpac_status design_filters(clpac_plan *plan, clpac_error *err)
{
	const clpac_problem *p = plan->problem;
	const size_t n = p->n_phase_bands + p->n_amplitude_bands;
	RETURN_IF_ERROR(NEW_ARRAY(plan->filters, n));
	for (size_t i = 0; i < n; i++) {
		const bool is_phase = i < p->n_phase_bands;
		const size_t at = is_phase ? i : i - p->n_phase_bands;
		const clpac_band band = is_phase ? p->phase_bands[at] : p->amplitude_bands[at];
		const clpac_taps *taps = is_phase ? &p->phase_taps : &p->amplitude_taps;
		if (taps->taps)
			RETURN_IF_ERROR(clpac__filter_from_taps(p->rate_hz, taps->taps + at * taps->n_taps,
								taps->n_taps, band, &plan->filters[i], err));
		else
			RETURN_IF_ERROR(clpac__filter_design(p->rate_hz, band,
							     is_phase ? p->phase_cycles : p->amplitude_cycles,
							     clpac__problem_shortest(p), &plan->filters[i], err));
		RETURN_IF_ERROR(clpac__filter_make_analytic(&plan->filters[i], err));
	}
	return CLPAC_OK;
}

/* Constants of the index: see cl/modulation_index.cl. */
static void set_constants(clpac_plan *plan)
{
	const double n = plan->problem->n_bins;
	plan->norm = (float)(1.0 / (n * log(n)));
	plan->mean_factor =
		plan->problem->average == CLPAC_AVERAGE_MEAN ? 1.0f : (float)((double)plan->layout.kept / n);
}

/* A shift joins the ends of a series, which do not fit: the phases of two slow signals keep to each other over all of a
 * short series, and over two parts of it in a surrogate, or more of blocks.  16 cycles are 8 s of 2 Hz, where no share
 * of false positives was off (doc/measurements/calibration.md). */
static void warn_of_cycles(clpac_plan *plan)
{
	enum { ENOUGH = 16 };
	const clpac_problem *p = plan->problem;
	const clpac__layout *l = &plan->layout;
	clpac_warning *few = &plan->report.warnings[CLPAC_WARN_SHORT_NULL];
	const clpac_band *slowest = p->phase_bands;
	for (size_t ph = 1; ph < p->n_phase_bands; ph++)
		if (p->phase_bands[ph].lo_hz + p->phase_bands[ph].hi_hz < slowest->lo_hz + slowest->hi_hz)
			slowest = &p->phase_bands[ph];
	const double cycles = (double)l->kept / p->rate_hz * (slowest->lo_hz + slowest->hi_hz) / 2;
	const bool are_joined = l->null <= CLPAC_NULL_ALL_SHIFTS || l->null == CLPAC_NULL_BLOCKS;
	if (p->n_surrogates && !p->windows && cycles < ENOUGH && are_joined && l->has_locking && !few->count++)
		snprintf(few->text, sizeof few->text,
			 "a series has %.3g cycles at %g-%g Hz: below %d p of plv is too small with %s, as of 2 s with "
			 "4 "
			 "cycles 8 to 9 %% of maps without coupling have p_max <= 0.05; give longer series, or trials",
			 cycles, slowest->lo_hz, slowest->hi_hz, ENOUGH,
			 l->null == CLPAC_NULL_BLOCKS ? "blocks" : "shifts");
}

static void warn_of_bands(clpac_plan *plan)
{
	const clpac_problem *p = plan->problem;
	const char *left_out = clpac_problem_left_out(plan->copy);
	if (left_out)
		clpac__context_log(plan->context, CLPAC_LOG_INFO, "%s", left_out);
	clpac_warning *narrow = &plan->report.warnings[CLPAC_WARN_NARROW_AMPLITUDE];
	clpac_warning *overlap = &plan->report.warnings[CLPAC_WARN_OVERLAP];
	for (size_t am = 0; am < p->n_amplitude_bands; am++)
		for (size_t ph = 0; ph < p->n_phase_bands; ph++) {
			const clpac_band *a = &p->amplitude_bands[am], *f = &p->phase_bands[ph];
			const char *kept = p->allow_narrow ? "" : "; it is no peak and not in p_max (--allow-narrow)";
			if (!clpac__band_carries(*f, *a) && !narrow->count++)
				snprintf(narrow->text, sizeof narrow->text,
					 "amplitude band %g-%g Hz is too narrow to carry a modulation at %g-%g Hz: its "
					 "half-width should be at least the phase frequency%s",
					 a->lo_hz, a->hi_hz, f->lo_hz, f->hi_hz, kept);
			if (clpac__bands_overlap(*f, *a) && !overlap->count++)
				snprintf(overlap->text, sizeof overlap->text,
					 "amplitude band %g-%g Hz overlaps phase band %g-%g Hz, and a signal is "
					 "coupled with itself%s",
					 a->lo_hz, a->hi_hz, f->lo_hz, f->hi_hz, kept);
		}
	/* Of 8 s with a minimum of 1 s, a quarter of all shifts is left out: twice as many p <= 0.01 as there should
	 * be. */
	size_t shifted = plan->layout.kept;
	for (size_t i = 0; i < p->n_windows && clpac__problem_shifts_windows(p); i++)
		if (p->windows[i].n_samples < shifted)
			shifted = p->windows[i].n_samples;
	const double left_out_part = 2 * (double)p->min_shift / (double)shifted;
	clpac_warning *min_shift = &plan->report.warnings[CLPAC_WARN_MIN_SHIFT];
	if (p->n_surrogates && !p->shifts && left_out_part >= 0.1 && p->min_shift > 1 && !min_shift->count++)
		snprintf(
			min_shift->text, sizeof min_shift->text,
			"a least shift of %g s leaves out %.0f %% of the shifts of %g s: p is too small then, at 25 %% "
			"twice as often below 0.01 as it should; give less, or longer segments",
			(double)p->min_shift / p->rate_hz, 100 * left_out_part, (double)shifted / p->rate_hz);
	/* Of S segments each meets S amplitudes, its own among them, so that none has p below about 1/S. */
	clpac_warning *few = &plan->report.warnings[CLPAC_WARN_FEW_SEGMENTS];
	if (plan->layout.null == CLPAC_NULL_TRIALS && p->n_segments < 20 && !few->count++)
		snprintf(few->text, sizeof few->text,
			 "%zu segments have few permutations (%zu!): a segment meets %zu amplitudes, so that its p is "
			 "about %.2g at best, however many surrogates are drawn; give 20 segments or more",
			 p->n_segments, p->n_segments, p->n_segments, 1 / (double)p->n_segments);
	/* Pooled windows meet in n! ways: of 5 windows 120, of 4 windows 24. */
	if (clpac__problem_permutes_windows(p) && p->n_windows < 6 && !few->count++)
		snprintf(few->text, sizeof few->text,
			 "%zu windows have few permutations (%zu!), the windows as they are among them, so that p "
			 "cannot become small, however many surrogates are drawn; give 6 windows or more",
			 p->n_windows, p->n_windows);
	warn_of_cycles(plan);
	const size_t shortest = clpac__problem_shortest(p);
	clpac_warning *is_short = &plan->report.warnings[CLPAC_WARN_SHORT_SERIES];
	for (size_t i = 0; i < p->n_phase_bands + p->n_amplitude_bands; i++) {
		if (!plan->filters[i].is_shortened || is_short->count++)
			continue;
		const clpac_band band =
			i < p->n_phase_bands ? p->phase_bands[i] : p->amplitude_bands[i - p->n_phase_bands];
		snprintf(is_short->text, sizeof is_short->text,
			 "a %s of %zu samples is shorter than three orders of the filter for %g-%g Hz; its order "
			 "became %zu",
			 p->stretches ? "stretch" : "series", shortest, band.lo_hz, band.hi_hz,
			 plan->filters[i].n_taps - 1);
	}
}

static const clpac__fft_engine *fft_engine(const clpac_plan *plan)
{
	return plan->engine ? plan->engine : clpac__context_engine(plan->context);
}

static void write_report(clpac_plan *plan)
{
	clpac_report *report = &plan->report;
	const clpac__queue *queue = plan->context->queue;
	const clpac__layout *layout = &plan->layout;
	snprintf(report->device, sizeof report->device, "%s", queue->device.name);
	snprintf(report->platform, sizeof report->platform, "%s", queue->device.platform_name);
	snprintf(report->driver, sizeof report->driver, "%s", queue->device.driver);
	snprintf(report->backend, sizeof report->backend, "%s", queue->device.backend);
	snprintf(report->instruction_set, sizeof report->instruction_set, "%s",
		 clpac__compute_of(queue)->instruction_set);
	snprintf(report->fft_engine, sizeof report->fft_engine, "%s", fft_engine(plan)->name);
	report->n_threads = queue->n_threads;
	report->vector_width = clpac__compute_of(queue)->vector_width;
	report->n_series = layout->n_series;
	report->batch_series = layout->batch;
	report->fft_length = layout->banks[CLPAC_PHASE].length;
	report->extension_samples = layout->banks[CLPAC_PHASE].pad;
	report->edge_samples = layout->edge;
	report->kept_samples = layout->kept;
	report->chunk_surrogates = layout->n_surrogates ? layout->chunk : 0;
	snprintf(report->strategy, sizeof report->strategy, "%s", clpac_strategy_text(plan->search.found));
	report->estimate_bytes = clpac__layout_total(layout);
	report->taken_bytes = clpac__layout_taken(layout, plan->context);
	report->n_cpu_fallbacks = plan->fallback ? (layout->n_series + layout->batch - 1) / layout->batch : 0;
}

/* Makes the transforms, whose workspace is the last unknown size of the layout. */
static clpac_status make_transforms(clpac_plan *plan, clpac__transforms *out, clpac_error *err)
{
	clpac__layout *layout = &plan->layout;
	bool is_exact = false;
	plan->engine = NULL;
	layout->bytes[CLPAC__TENSOR_FFT] = clpac__transforms_workspace(plan->context, layout, &is_exact);
	if ((layout->has_arrays && !layout->shifted.length) || (is_exact && plan->is_estimate))
		return CLPAC_OK;
	plan->has_made_transforms = true;
	RETURN_IF_ERROR(clpac__transforms_create(plan->context, layout, out, err));
	plan->engine = out->engine;
	layout->bytes[CLPAC__TENSOR_FFT] = out->workspace_bytes;
	const uint64_t taken = clpac__layout_taken(layout, plan->context);
	if (taken > plan->search.budget)
		RETURN_ERROR(CLPAC_ERROR_NO_DEVICE_MEMORY,
			     "with the FFT's workspace of %.3f MiB it needs %.3f MiB, and %.3f MiB may be used",
			     (double)out->workspace_bytes / 1048576, (double)taken / 1048576,
			     (double)plan->search.budget / 1048576);
	return CLPAC_OK;
}

/* Computes the filters' responses and the Hilbert kernel, which every run uses. */
static clpac_status make_spectra(const clpac_plan *plan, clpac__batch *batch, clpac_error *err)
{
	clpac_context *context = plan->context;
	const clpac__layout *layout = &plan->layout;
	RETURN_IF_ERROR(
		clpac__transform_responses(context, &batch->transforms, layout, batch->tensors, plan->filters, err));
	RETURN_IF_ERROR(clpac__exact_write(layout, plan->tensors, plan->filters, err));
	RETURN_IF_ERROR(clpac__used_write(plan, err));
	if (layout->is_trimmed)
		RETURN_IF_ERROR(
			clpac__transform_hilbert_kernel(context, &batch->transforms, layout, batch->tensors, err));
	return context->queue->operations->finish(context->queue, err);
}

/* Fills the buffers of a plan and its first batch, which are there. */
static clpac_status fill(clpac_plan *plan, clpac__batch *batch, clpac_error *err)
{
	RETURN_IF_ERROR(clpac__batch_reach(plan, batch, err));
	RETURN_IF_ERROR(clpac__compute_prepare(plan->context->queue, plan->problem->n_bins, err));
	RETURN_IF_ERROR(clpac__steps_prove(plan->context, &plan->layout, batch->tensors, err));
	RETURN_IF_ERROR(clpac__valid_write(plan, err));
	RETURN_IF_ERROR(clpac__variants_prepare(plan, batch, err));
	set_constants(plan);
	if (plan->filters)
		RETURN_IF_ERROR(make_spectra(plan, batch, err));
	else if (plan->layout.shifted.length) /* no filters, but the transforms' tables */
		RETURN_IF_ERROR(clpac__transform_responses(plan->context, &batch->transforms, &plan->layout,
							   batch->tensors, NULL, err));
	RETURN_IF_ERROR(clpac__clusters_write_links(plan, err));
	return clpac__linear_write(plan, err);
}

clpac_status clpac__plan_equip(clpac_plan *plan, clpac__batch *batch, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	clpac__transforms of_estimate = {0};
	TRY(make_transforms(plan, batch ? &batch->transforms : &of_estimate, err));
	if (batch) {
		TRY(clpac__batch_allocate(plan, batch, err));
		for (int tensor = 0; tensor < CLPAC__TENSOR_COUNT; tensor++)
			plan->tensors[tensor] = clpac__tensor_is_constant(tensor) ? batch->tensors[tensor] : NULL;
		/* Held, since other threads may defragment the pool. */
		clpac__buffers_hold(batch->tensors, CLPAC__TENSOR_COUNT);
		st = fill(plan, batch, err);
		clpac__buffers_let_go(batch->tensors, CLPAC__TENSOR_COUNT);
		TRY(st);
	}
	write_report(plan);
done:
	clpac__transforms_destroy(&of_estimate);
	return st;
}

void clpac__plan_dismiss(clpac_plan *plan, clpac__batch *batch)
{
	if (batch)
		clpac__batch_dismiss(plan, batch);
	clpac_buffer_release_batch(plan->tensors, CLPAC__TENSOR_COUNT);
}

/* Which stretches at one value the plan looks for. */
static clpac__flat_lengths flat_of(const clpac_plan *plan)
{
	const clpac_problem *p = plan->problem;
	double lowest_hz = INFINITY, highest_hz = 0;
	for (size_t b = 0; b < p->n_phase_bands; b++) {
		lowest_hz = fmin(lowest_hz, p->phase_bands[b].lo_hz);
		highest_hz = fmax(highest_hz, p->phase_bands[b].hi_hz);
	}
	if (plan->options.keep_flat || !(highest_hz > 0))
		return (clpac__flat_lengths){0};
	return clpac__flat_lengths_of(p->rate_hz, lowest_hz, highest_hz);
}

clpac_status clpac__plan_ask(clpac_plan *plan, const clpac_problem *problem, const clpac_plan_options *options,
			     clpac_error *err)
{
	RETURN_IF_ERROR(clpac__take_sized(&plan->options, options, clpac_plan_options, err));
	if ((unsigned)plan->options.strategy >= CLPAC_STRATEGY_COUNT)
		RETURN_ERROR(CLPAC_ERROR_ARGUMENT, "strategy is %d: it must be one of clpac_strategy, 0 (auto) or more",
			     (int)plan->options.strategy);
	RETURN_IF_ERROR(clpac_problem_complete(problem, &plan->copy, err));
	plan->problem = clpac_problem_get(plan->copy);
	plan->flat = flat_of(plan);
	if (plan->problem->separate_windows)
		RETURN_ERROR(CLPAC_ERROR_ARGUMENT,
			     "separate_windows: a plan has segments of one kind; give the problem to "
			     "clpac_problem_run, or plan "
			     "its parts (clpac_problem_of_windows)");
	if (plan->problem->tied_amplitudes)
		RETURN_ERROR(CLPAC_ERROR_ARGUMENT,
			     "tied_amplitudes: a plan has one list of amplitude bands for all phase bands; give the "
			     "problem to "
			     "clpac_problem_run, or plan each phase band's part (clpac_problem_part)");
	return CLPAC_OK;
}

clpac_status clpac_plan_create(clpac_context *context, const clpac_problem *problem, const clpac_plan_options *options,
			       clpac_plan **out, clpac_error *err)
{
	NEED(context, problem, out);
	NEED_CONTEXT(context);
	clpac_status st = CLPAC_OK;
	clpac_plan *plan;
	TRY(NEW(plan));
	plan->process = clpac__process;
	TRY(clpac__plan_ask(plan, problem, options, err));
	TRY(clpac_problem_write(plan->problem, &plan->problem_text, err));
	TRY(design_filters(plan, err));
	plan->given = clpac__context_hold(context);
	TRY(clpac__plan_settle(plan, context, err));
	warn_of_bands(plan);
	*out = plan, plan = NULL;
done:
	clpac_plan_destroy(plan);
	return st;
}

/* Frees what a plan that took another's place does not share with it. */
static void destroy_own(clpac_plan *plan)
{
	clpac__plan_dismiss(plan, NULL);
	clpac_context_close(plan->fallback);
}

static void destroy_runs(clpac__runs *runs)
{
	if (!runs)
		return;
	for (clpac__batch *batch = runs->batches, *next; batch; batch = next) {
		next = batch->next;
		if (batch->plan)
			clpac__batch_dismiss(batch->plan, batch);
		clpac__batch_destroy(batch);
	}
	pthread_mutex_destroy(&runs->lock);
	clpac__free(runs);
}

void clpac_plan_destroy(clpac_plan *plan)
{
	if (!plan || clpac__is_foreign(plan->process))
		return;
	destroy_runs(plan->runs);
	for (clpac_plan *smaller = plan->smaller, *next; smaller; smaller = next) {
		next = smaller->smaller;
		destroy_own(smaller);
		clpac__free(smaller);
	}
	destroy_own(plan);
	if (plan->filters)
		for (size_t i = 0; i < plan->problem->n_phase_bands + plan->problem->n_amplitude_bands; i++)
			clpac__filter_clear(&plan->filters[i]);
	clpac__free(plan->filters);
	clpac_text_free(plan->problem_text);
	clpac_problem_destroy(plan->copy);
	clpac_context_close(plan->given);
	clpac__free(plan);
}

const clpac_problem *clpac_plan_problem(const clpac_plan *plan)
{
	return plan ? plan->problem : NULL;
}

const clpac_report *clpac_plan_report(const clpac_plan *plan)
{
	return plan ? &clpac__plan_now(plan)->report : NULL;
}
