/* Makes a plan: filters, layout, buffers, transforms, and the spectra that every run uses. */
#include "coupling/plan/plan.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "base/sized.h"
#include "memory/pool/pool.h"
#include "coupling/plan/clusters.h"
#include "coupling/plan/enqueue.h"
#include "coupling/plan/exact.h"
#include "coupling/plan/launch.h"
#include "coupling/plan/linear.h"
#include "coupling/plan/place.h"
#include "coupling/problem/problem.h"
#include "coupling/plan/steps.h"
#include "coupling/plan/used_samples.h"
#include "coupling/plan/valid.h"
#include "coupling/plan/variants.h"
#include "coupling/signal/bands.h"
#include "coupling/registry/kernels.h"

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

/* The largest buffer not yet allocated.  Allocating in this order lets small buffers fill the gaps between large ones,
 * so that a pool with no bytes to spare suffices. */
static int largest_left(const clpac_plan *plan)
{
	int largest = CLPAC__PART_COUNT;
	uint64_t most = 0;
	for (int part = 0; part < CLPAC__PART_COUNT; part++)
		if (!plan->parts[part] && plan->layout.bytes[part] > most) {
			most = plan->layout.bytes[part];
			largest = part;
		}
	return largest;
}

static clpac_status allocate_parts(clpac_plan *plan, clpac_error *err)
{
	clpac__layout *layout = &plan->layout;
	for (int part = largest_left(plan); part < CLPAC__PART_COUNT; part = largest_left(plan))
		RETURN_IF_ERROR(clpac_pool_allocate(plan->context->pool, layout->bytes[part], clpac__part_text(part),
						    &plan->parts[part], err));
	/* No kernel writes the lanes beyond the last band; they must read as zero. */
	RETURN_IF_ERROR(
		clpac_buffer_fill(plan->parts[CLPAC__PART_AMPLITUDE], 0, layout->bytes[CLPAC__PART_AMPLITUDE], 0, err));
	for (int part = 0; part < CLPAC__PART_COUNT && layout->shifted.length; part++)
		if (clpac__part_kind(part) == CLPAC__PART_CHUNK && layout->bytes[part])
			RETURN_IF_ERROR(clpac_buffer_fill(plan->parts[part], 0, layout->bytes[part], 0, err));
	return CLPAC_OK;
}

/* The host's memory of a batch. */
static clpac_status reach_parts(clpac_plan *plan, clpac_error *err)
{
	const clpac__layout *layout = &plan->layout;
	clpac__queue *queue = plan->context->queue;
	/* Parts of a row are there together; the distributions stay while others are read. */
	static const enum clpac__part read_back[][3] = {
		{CLPAC__PART_OBSERVED, CLPAC__PART_MOMENTS, CLPAC__PART_MAXIMA},
		{CLPAC__PART_COUNTS, CLPAC__PART_WANDER, CLPAC__PART_COUNT},
		{CLPAC__PART_CHUNK, CLPAC__PART_COUNT, CLPAC__PART_COUNT},
		{CLPAC__PART_CLUSTERS, CLPAC__PART_COUNT, CLPAC__PART_COUNT},
		{CLPAC__PART_HEAVIEST, CLPAC__PART_COUNT, CLPAC__PART_COUNT},
	};
	uint64_t largest = 0;
	for (size_t i = 0; i < sizeof read_back / sizeof *read_back; i++) {
		uint64_t together = 0;
		for (size_t k = 0; k < 3 && read_back[i][k] < CLPAC__PART_COUNT; k++)
			together += layout->bytes[read_back[i][k]];
		largest = together > largest ? together : largest;
	}
	plan->rows = clpac__alloc(largest + layout->bytes[CLPAC__PART_DISTRIBUTION]);
	plan->distributions = plan->rows ? plan->rows + largest / sizeof *plan->rows : NULL;
	plan->exponents = clpac__alloc_array(layout->batch, sizeof *plan->exponents);
	plan->ahead.exponents = clpac__alloc_array(layout->batch, sizeof *plan->ahead.exponents);
	if (!plan->troubles) /* entries of finished series must survive a change of layout */
		plan->troubles = clpac__alloc_array(layout->n_series, sizeof *plan->troubles);
	plan->shifts = clpac__alloc_array(layout->batch * (layout->n_surrogates + 1), sizeof *plan->shifts);
	const enum clpac__part staged = layout->has_arrays ? CLPAC__PART_ARRAY : CLPAC__PART_SAMPLES;
	const bool is_reachable =
		queue->operations->host_pointer(queue, clpac__buffer_block(plan->parts[staged])) != NULL;
	if (!is_reachable)
		plan->samples = clpac__alloc(layout->bytes[staged]);
	if (!plan->rows || !plan->exponents || !plan->ahead.exponents || !plan->troubles || !plan->shifts ||
	    (!is_reachable && !plan->samples))
		RETURN_NO_MEMORY(largest + layout->bytes[CLPAC__PART_DISTRIBUTION] + layout->bytes[staged]);
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
		snprintf(min_shift->text, sizeof min_shift->text,
			 "min_shift of %g s leaves out %.0f %% of the shifts of %g s: p is too small then, at 25 %% "
			 "twice as "
			 "often below 0.01 as it should; give less, or longer segments",
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
	return plan->transforms.engine ? plan->transforms.engine : clpac__context_engine(plan->context);
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
	snprintf(report->strategy, sizeof report->strategy, "%s", clpac_strategy_text(plan->descent.rung));
	report->estimate_bytes = clpac__layout_total(layout);
	report->taken_bytes = clpac__layout_taken(layout, plan->context);
	report->n_cpu_fallbacks = plan->fallback ? (layout->n_series + layout->batch - 1) / layout->batch : 0;
}

/* Makes the transforms, whose workspace is the last unknown size of the layout. */
static clpac_status make_transforms(clpac_plan *plan, clpac_error *err)
{
	clpac__layout *layout = &plan->layout;
	bool is_exact = false;
	layout->bytes[CLPAC__PART_FFT] = clpac__transforms_workspace(plan->context, layout, &is_exact);
	if ((layout->has_arrays && !layout->shifted.length) || (is_exact && plan->is_estimate))
		return CLPAC_OK;
	plan->has_made_transforms = true;
	RETURN_IF_ERROR(clpac__transforms_create(plan->context, layout, &plan->transforms, err));
	layout->bytes[CLPAC__PART_FFT] = plan->transforms.workspace_bytes;
	const uint64_t taken = clpac__layout_taken(layout, plan->context);
	if (taken > plan->descent.budget)
		RETURN_ERROR(CLPAC_ERROR_NO_DEVICE_MEMORY,
			     "with the FFT's workspace of %.3f MiB it needs %.3f MiB, and %.3f MiB may be used",
			     (double)plan->transforms.workspace_bytes / 1048576, (double)taken / 1048576,
			     (double)plan->descent.budget / 1048576);
	return CLPAC_OK;
}

/* Computes the filters' responses and the Hilbert kernel, which every run uses. */
static clpac_status make_spectra(clpac_plan *plan, clpac_error *err)
{
	clpac_context *context = plan->context;
	const clpac__layout *layout = &plan->layout;
	RETURN_IF_ERROR(
		clpac__transform_responses(context, &plan->transforms, layout, plan->parts, plan->filters, err));
	RETURN_IF_ERROR(clpac__exact_write(layout, plan->parts, plan->filters, err));
	RETURN_IF_ERROR(clpac__used_write(plan, err));
	if (layout->is_trimmed)
		RETURN_IF_ERROR(clpac__transform_hilbert_kernel(context, &plan->transforms, layout, plan->parts, err));
	return context->queue->operations->finish(context->queue, err);
}

clpac_status clpac__plan_equip(clpac_plan *plan, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	clpac__queue *queue = plan->context->queue;
	bool is_held = false; /* the parts, since other threads may defragment the pool */
	TRY(make_transforms(plan, err));
	if (!plan->is_estimate) {
		TRY(allocate_parts(plan, err));
		clpac__buffers_hold(plan->parts, CLPAC__PART_COUNT);
		is_held = true;
		TRY(reach_parts(plan, err));
		TRY(clpac__compute_prepare(queue, plan->problem->n_bins, err));
		TRY(clpac__steps_prove(plan->context, &plan->layout, plan->parts, err));
		TRY(clpac__valid_write(plan, err));
		TRY(clpac__variants_prepare(plan, err));
		set_constants(plan);
		if (plan->filters)
			TRY(make_spectra(plan, err));
		else if (plan->layout.shifted.length) /* no filters, but the transforms' tables */
			TRY(clpac__transform_responses(plan->context, &plan->transforms, &plan->layout, plan->parts,
						       NULL, err));
		TRY(clpac__clusters_write_links(plan, err));
		TRY(clpac__linear_write(plan, err));
	}
	write_report(plan);
done:
	if (is_held)
		clpac__buffers_let_go(plan->parts, CLPAC__PART_COUNT);
	return st;
}

uint64_t clpac__plan_taken(const clpac_plan *plan)
{
	uint64_t bytes = 0;
	for (int part = 0; part < CLPAC__PART_COUNT; part++)
		bytes += plan->parts[part] ? clpac_buffer_class(plan->parts[part]) : 0;
	return bytes;
}

void clpac__plan_dismiss(clpac_plan *plan)
{
	clpac__plan_forget_enqueued(plan);
	clpac__transforms_destroy(&plan->transforms);
	clpac_buffer_release_batch(plan->parts, CLPAC__PART_COUNT);
	clpac__variants_dismiss(plan);
	clpac__free(plan->rows);
	clpac__free(plan->exponents);
	clpac__free(plan->ahead.exponents);
	clpac__free(plan->shifts);
	clpac__free(plan->samples);
	plan->rows = plan->distributions = plan->samples = NULL;
	plan->exponents = plan->ahead.exponents = NULL;
	plan->shifts = NULL;
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
	NEED(context);
	NEED(problem);
	NEED(out);
	clpac_status st = CLPAC_OK;
	clpac_plan *plan;
	TRY(NEW(plan));
	TRY(clpac__plan_ask(plan, problem, options, err));
	TRY(clpac_problem_write(plan->problem, &plan->problem_text, err));
	TRY(design_filters(plan, err));
	plan->given = clpac__context_hold(context);
	TRY(clpac__plan_settle(plan, context, err));
	warn_of_bands(plan);
	*out = plan;
	plan = NULL;
done:
	clpac_plan_destroy(plan);
	return st;
}

void clpac_plan_destroy(clpac_plan *plan)
{
	if (!plan)
		return;
	clpac__plan_dismiss(plan);
	if (plan->filters)
		for (size_t i = 0; i < plan->problem->n_phase_bands + plan->problem->n_amplitude_bands; i++)
			clpac__filter_clear(&plan->filters[i]);
	clpac__free(plan->filters);
	clpac__free(plan->troubles);
	clpac_text_free(plan->problem_text);
	clpac_problem_destroy(plan->copy);
	clpac_context_close(plan->fallback);
	clpac_context_close(plan->given);
	clpac__free(plan);
}

const clpac_problem *clpac_plan_problem(const clpac_plan *plan)
{
	if (!plan)
		return NULL;
	return plan->problem;
}

const clpac_report *clpac_plan_report(const clpac_plan *plan)
{
	if (!plan)
		return NULL;
	return &plan->report;
}
