/* Running a plan: batch after batch into one result. */
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/memory.h"
#include "plan/execute.h"
#include "plan/place.h"
#include "plan/store.h"

static clpac_status make_result(const clpac_plan *plan, clpac_result **out, clpac_error *err)
{
	const clpac_problem *p = plan->problem;
	const clpac_result_shape shape = {
		.n_channels = p->n_channels,
		.n_segments = p->n_segments,
		.n_phase_bands = p->n_phase_bands,
		.n_amplitude_bands = p->n_amplitude_bands,
		.n_bins = p->n_bins,
		.n_surrogates = p->n_surrogates,
	};
	unsigned arrays = 1u << CLPAC_MI | 1u << CLPAC_PEAK_DISTRIBUTION;
	if (p->n_surrogates)
		arrays |= 1u << CLPAC_Z | 1u << CLPAC_P | 1u << CLPAC_SURROGATE_MEAN | 1u << CLPAC_SURROGATE_STD;
	if (p->n_surrogates && p->keep_surrogates)
		arrays |= 1u << CLPAC_SURROGATES;
	if (p->keep_distributions)
		arrays |= 1u << CLPAC_DISTRIBUTION;
	return clpac_result_create(&shape, arrays, out, err);
}

static clpac_status describe(const clpac_plan *plan, clpac_result *result, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	const clpac_problem *p = plan->problem;
	const size_t n = p->n_phase_bands + p->n_amplitude_bands;
	clpac_band_report *bands = clpac__alloc_array(n, sizeof *bands);
	if (!bands)
		FAIL_NO_MEMORY(n * sizeof *bands);
	memcpy(clpac_result_phase_bands(result), p->phase_bands, p->n_phase_bands * sizeof *p->phase_bands);
	memcpy(clpac_result_amplitude_bands(result), p->amplitude_bands,
	       p->n_amplitude_bands * sizeof *p->amplitude_bands);
	for (size_t i = 0; i < n; i++) {
		const bool is_phase = i < p->n_phase_bands;
		const clpac__filter *filter = &plan->filters[i];
		bands[i] = (clpac_band_report){
			.use = is_phase ? CLPAC_PHASE : CLPAC_AMPLITUDE,
			.band = is_phase ? p->phase_bands[i] : p->amplitude_bands[i - p->n_phase_bands],
			.n_taps = filter->n_taps,
			.taps = filter->taps,
			.bandwidth_lo_hz = filter->bandwidth_lo_hz,
			.bandwidth_hi_hz = filter->bandwidth_hi_hz,
			.edge_samples = clpac__filter_edge(filter->n_taps),
			.is_shortened = filter->is_shortened,
		};
	}
	TRY(clpac_result_set_band_reports(result, bands, n, err));
	TRY(clpac_result_set_problem(result, plan->problem_text, err));
done:
	clpac__free(bands);
	return st;
}

static void keep_peak(const clpac_plan *plan, clpac_report *report)
{
	clpac_pool_statistics statistics;
	clpac_pool_measure(plan->context->pool, &statistics);
	if (statistics.peak_in_use_bytes > report->peak_bytes)
		report->peak_bytes = statistics.peak_in_use_bytes;
}

/* Goes on with a smaller layout after a batch was refused memory, as if the batch had not been tried. */
static clpac_status go_down(clpac_plan *plan, clpac__run *run, const clpac_report *before, const char *why,
			    clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	clpac_report *report = run->report;
	keep_peak(plan, report);
	const uint64_t peak = report->peak_bytes;
	TRY(clpac__plan_go_down(plan, why, err));
	*report = plan->report;
	report->peak_bytes = peak;
	report->n_cpu_fallbacks = before->n_cpu_fallbacks;
	report->n_overflowing_series = before->n_overflowing_series;
	report->n_stages = before->n_stages;
	memcpy(report->stages, before->stages, sizeof report->stages);
	for (int kind = 0; kind < CLPAC_WARN_KIND_COUNT; kind++)
		if (kind != CLPAC_WARN_STRATEGY)
			report->warnings[kind] = before->warnings[kind];
	clpac_pool_reset_peaks(plan->context->pool);
done:
	return st;
}

static clpac_status run_batches(clpac_plan *plan, clpac__run *run, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	const clpac__layout *layout = &plan->layout;
	for (size_t first = 0; first < layout->n_series;) {
		const size_t n = layout->n_series - first < layout->batch ? layout->n_series - first : layout->batch;
		const clpac_report before = *run->report;
		const size_t done = run->done;
		clpac_error why = {0};
		st = clpac__execute_batch(plan, run, first, n, &why);
		if (st == CLPAC_ERROR_NO_DEVICE_MEMORY) {
			TRY(go_down(plan, run, &before, why.text, err));
			run->done = done;
			continue;
		}
		if (st != CLPAC_OK) {
			if (err)
				*err = why;
			break;
		}
		run->report->n_cpu_fallbacks += plan->fallback != NULL;
		first += n;
	}
done:
	return st;
}

clpac_status clpac__run_plan(clpac_plan *plan, const clpac_samples *samples, const struct clpac__arrays *arrays,
			     clpac_result **out, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	const double started = clpac__clock_seconds();
	const clpac__layout *layout = &plan->layout;
	clpac_result *result = NULL;
	TRY(make_result(plan, &result, err));
	if (plan->filters)
		TRY(describe(plan, result, err));
	clpac__run run = {
		.result = result,
		.report = clpac_result_report(result),
		.samples = samples,
		.arrays = arrays,
		.total = layout->n_series * (1 + layout->n_surrogates),
	};
	*run.report = plan->report;
	run.report->n_cpu_fallbacks = 0; /* counted as they come */
	clpac_pool_reset_peaks(plan->context->pool);
	TRY(run_batches(plan, &run, err));
	clpac__store_troubles(plan, &run);
	for (size_t ch = 0; samples && samples->names && ch < plan->problem->n_channels; ch++)
		TRY(clpac_result_set_channel_name(result, ch, samples->names[ch], err));
	keep_peak(plan, run.report);
	run.report->seconds = clpac__clock_seconds() - started;
	*out = result;
	result = NULL;
done:
	clpac_result_destroy(result);
	return st;
}

clpac_status clpac_plan_run_samples(clpac_plan *plan, const clpac_samples *samples, clpac_result **out,
				    clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	if (!samples || !samples->channels)
		FAIL(CLPAC_ERROR_ARGUMENT, "clpac_plan_run_samples: no samples were given");
	TRY(clpac__run_plan(plan, samples, NULL, out, err));
done:
	return st;
}

clpac_status clpac_plan_run(clpac_plan *plan, const float *samples, clpac_result **out, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	const clpac_problem *p = plan->problem;
	const void **channels = NULL;
	if (!samples)
		FAIL(CLPAC_ERROR_ARGUMENT, "clpac_plan_run: no samples were given");
	channels = clpac__alloc_array(p->n_channels, sizeof *channels);
	if (!channels)
		FAIL_NO_MEMORY(p->n_channels * sizeof *channels);
	for (size_t ch = 0; ch < p->n_channels; ch++)
		channels[ch] = samples + ch * p->n_segments * p->n_samples;
	const clpac_samples view = {.type = CLPAC_FLOAT32, .channels = channels};
	TRY(clpac_plan_run_samples(plan, &view, out, err));
done:
	clpac__free(channels);
	return st;
}
