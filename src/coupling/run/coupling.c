/* The modulation index of phases and amplitudes that the caller supplies: the second half of a plan, run once. */
#include <clpac/signal.h>
#include <clpac/memory/buffer.h>

#include "base/memory.h"
#include "base/sized.h"
#include "coupling/run/execute.h"
#include "coupling/passes/load.h"
#include "coupling/run/place.h"
#include "coupling/problem/problem.h"

static const clpac_measure modulation_index = CLPAC_MEASURE_MI;

static clpac_status check(const clpac_coupling *coupling, clpac_values phase, clpac_values amplitude, clpac_error *err)
{
	const clpac_coupling *c = coupling;
	if (!c->n_series || !c->n_phase || !c->n_amplitude)
		RETURN_ERROR(CLPAC_ERROR_ARGUMENT, "%zu series, %zu phases and %zu amplitudes: each must be 1 or more",
			     c->n_series, c->n_phase, c->n_amplitude);
	if (c->n_bins && (c->n_bins < CLPAC_MIN_BINS || c->n_bins > CLPAC_MAX_BINS))
		RETURN_ERROR(CLPAC_ERROR_ARGUMENT, "n_bins is %u: it must be %d to %d", c->n_bins, CLPAC_MIN_BINS,
			     CLPAC_MAX_BINS);
	const unsigned n_bins = c->n_bins ? c->n_bins : 18;
	if (c->n_samples < n_bins)
		RETURN_ERROR(CLPAC_ERROR_ARGUMENT,
			     "n_samples is %zu: fewer than the %u phase bins; give more samples or fewer bins",
			     c->n_samples, n_bins);
	if (c->n_surrogates && !c->shifts && c->n_samples < 2 * (c->min_shift ? c->min_shift : 1))
		RETURN_ERROR(
			CLPAC_ERROR_ARGUMENT,
			"min_shift is %zu and n_samples is %zu: no shift is possible; give at most half the samples",
			c->min_shift, c->n_samples);
	for (size_t k = 0; c->shifts && k < c->n_surrogates; k++)
		if (c->shifts[k] >= c->n_samples)
			RETURN_ERROR(
				CLPAC_ERROR_ARGUMENT,
				"shifts: number %zu of the list is %zu samples, and a series has %zu: give 0 to %zu",
				k + 1, c->shifts[k], c->n_samples, c->n_samples - 1);
	if (c->ddof > 1)
		RETURN_ERROR(CLPAC_ERROR_ARGUMENT, "ddof is %u: it must be 0 or 1", c->ddof);
	if ((unsigned)c->average > CLPAC_AVERAGE_SUM)
		RETURN_ERROR(CLPAC_ERROR_ARGUMENT, "average is %d: it is CLPAC_AVERAGE_MEAN or CLPAC_AVERAGE_SUM",
			     (int)c->average);
	if (!phase.host == !phase.buffer || !amplitude.host == !amplitude.buffer)
		RETURN_ERROR(CLPAC_ERROR_ARGUMENT,
			     "phases and amplitudes must each be given either on the host or in a buffer");
	const size_t bands = c->n_phase > c->n_amplitude ? c->n_phase : c->n_amplitude;
	size_t values;
	if (!clpac__size_mul(c->n_series, bands, &values) || !clpac__size_mul(values, c->n_samples, &values) ||
	    !clpac__size_mul(values, sizeof(float), &values) || c->n_surrogates >= UINT32_MAX)
		RETURN_ERROR(CLPAC_ERROR_ARGUMENT,
			     "%zu series of %zu samples with %zu bands are more than memory can address", c->n_series,
			     c->n_samples, bands);
	const size_t each = c->n_series * c->n_samples * sizeof(float);
	if (phase.buffer && clpac_buffer_bytes(phase.buffer) < each * c->n_phase)
		RETURN_ERROR(CLPAC_ERROR_ARGUMENT, "the phase buffer holds %zu bytes, %zu are needed",
			     clpac_buffer_bytes(phase.buffer), each * c->n_phase);
	if (amplitude.buffer && clpac_buffer_bytes(amplitude.buffer) < each * c->n_amplitude)
		RETURN_ERROR(CLPAC_ERROR_ARGUMENT, "the amplitude buffer holds %zu bytes, %zu are needed",
			     clpac_buffer_bytes(amplitude.buffer), each * c->n_amplitude);
	return CLPAC_OK;
}

/* The measures and nulls that phases and amplitudes alone can have. */
static clpac_status check_options(const clpac_coupling *c, const clpac_coupling_options *o, clpac_error *err)
{
	if (o->n_measures > CLPAC_MEASURE_COUNT || !o->measures != !o->n_measures)
		RETURN_ERROR(CLPAC_ERROR_ARGUMENT,
			     "n_measures is %zu, and measures is %s: give the measures and their number", o->n_measures,
			     o->measures ? "given" : "NULL");
	for (size_t i = 0; i < o->n_measures; i++) {
		if ((unsigned)o->measures[i] >= CLPAC_MEASURE_COUNT)
			RETURN_ERROR(CLPAC_ERROR_ARGUMENT, "measures[%zu] is %d: it must be one of clpac_measure", i,
				     (int)o->measures[i]);
		if (o->measures[i] == CLPAC_MEASURE_PLV)
			RETURN_ERROR(
				CLPAC_ERROR_UNSUPPORTED,
				"measures[%zu] is plv, which filters amplitudes in the phase bands, and phases of the "
				"caller's own come without bands: give another measure, or run a plan",
				i);
		if (o->measures[i] == CLPAC_MEASURE_PAC_GLM)
			RETURN_ERROR(CLPAC_ERROR_UNSUPPORTED,
				     "measures[%zu] is pac-glm, which needs the amplitudes of phase bands, and phases "
				     "of the "
				     "caller's own come without them: give another measure, or run a plan",
				     i);
		for (size_t k = 0; k < i; k++)
			if (o->measures[k] == o->measures[i])
				RETURN_ERROR(CLPAC_ERROR_ARGUMENT,
					     "measures[%zu] and measures[%zu] are both %s: give each once", k, i,
					     clpac_measure_text(o->measures[i]));
	}
	if ((unsigned)o->null >= CLPAC_NULL_COUNT)
		RETURN_ERROR(CLPAC_ERROR_ARGUMENT, "null is %d: it is one of clpac_null", (int)o->null);
	if (o->null == CLPAC_NULL_TRIALS || o->null == CLPAC_NULL_PHASES)
		RETURN_ERROR(
			CLPAC_ERROR_UNSUPPORTED,
			"null is %s, which needs %s: run a plan, or take CLPAC_NULL_SHIFTS, CLPAC_NULL_ALL_SHIFTS or "
			"CLPAC_NULL_BLOCKS",
			o->null == CLPAC_NULL_TRIALS ? "CLPAC_NULL_TRIALS" : "CLPAC_NULL_PHASES",
			o->null == CLPAC_NULL_TRIALS ? "segments" : "samples to filter");
	if (o->null != CLPAC_NULL_SHIFTS && c->shifts)
		RETURN_ERROR(CLPAC_ERROR_ARGUMENT, "shifts are given, and null takes none: leave one of them out");
	if (o->null == CLPAC_NULL_BLOCKS && c->min_shift > 1)
		RETURN_ERROR(CLPAC_ERROR_ARGUMENT,
			     "min_shift is %zu and null is CLPAC_NULL_BLOCKS, which shifts nothing: leave "
			     "one of them out",
			     c->min_shift);
	if (o->n_blocks > CLPAC_MAX_BLOCKS || o->n_blocks > c->n_samples)
		RETURN_ERROR(CLPAC_ERROR_ARGUMENT, "n_blocks is %zu: give 1 to %zu blocks", o->n_blocks,
			     c->n_samples < CLPAC_MAX_BLOCKS ? c->n_samples : (size_t)CLPAC_MAX_BLOCKS);
	return CLPAC_OK;
}

static clpac_status count_shifts(clpac_problem *problem, clpac_error *err)
{
	if (problem->null != CLPAC_NULL_ALL_SHIFTS)
		return CLPAC_OK;
	const size_t n = clpac__problem_all_shifts(problem);
	if (!n)
		RETURN_ERROR(CLPAC_ERROR_ARGUMENT,
			     "min_shift is %zu and shift_step %zu samples, and a series has %zu: no multiple of the "
			     "step lies "
			     "in [min_shift, %zu - min_shift]; give smaller ones",
			     problem->min_shift, problem->shift_step, problem->n_samples, problem->n_samples);
	if (problem->n_surrogates && problem->n_surrogates != n)
		RETURN_ERROR(CLPAC_ERROR_ARGUMENT,
			     "n_surrogates is %zu and null is CLPAC_NULL_ALL_SHIFTS, of which there are %zu: give that "
			     "number, "
			     "or 0",
			     problem->n_surrogates, n);
	problem->n_surrogates = n;
	return CLPAC_OK;
}

clpac_status clpac_signal_coupling(clpac_context *context, const clpac_coupling *coupling,
				   const clpac_coupling_options *options, clpac_values phase, clpac_values amplitude,
				   clpac_result **out, clpac_error *err)
{
	NEED(context, coupling, out);
	NEED_CONTEXT(context);
	clpac_status st = CLPAC_OK;
	clpac_plan *plan = NULL;
	clpac_coupling_options own;
	enum { USUAL_BLOCKS = 5 };
	TRY(clpac__take_sized(&own, options, clpac_coupling_options, err));
	TRY(check(coupling, phase, amplitude, err));
	TRY(check_options(coupling, &own, err));
	const size_t most_blocks = coupling->n_samples < USUAL_BLOCKS ? coupling->n_samples : USUAL_BLOCKS;
	clpac_problem problem = {
		.n_channels = coupling->n_series,
		.n_segments = 1,
		.n_samples = coupling->n_samples,
		.n_phase_bands = coupling->n_phase,
		.n_amplitude_bands = coupling->n_amplitude,
		.n_bins = coupling->n_bins ? coupling->n_bins : 18,
		.average = coupling->average,
		.n_surrogates = coupling->n_surrogates,
		.shifts = coupling->shifts,
		.min_shift = coupling->min_shift ? coupling->min_shift : 1,
		.seed = coupling->seed,
		.share_shifts = coupling->share_shifts,
		.ddof = coupling->ddof,
		.keep_surrogates = coupling->keep_surrogates,
		.keep_distributions = coupling->keep_distributions,
		.measures = own.n_measures ? own.measures : &modulation_index,
		.n_measures = own.n_measures ? own.n_measures : 1,
		.null = own.null,
		.shift_step = own.shift_step ? own.shift_step : 1,
		.n_blocks = own.n_blocks ? own.n_blocks : most_blocks,
	};
	TRY(count_shifts(&problem, err));
	TRY(NEW(plan));
	plan->process = clpac__process;
	plan->problem = &problem;
	TRY(clpac__plan_settle(plan, context, err));
	const clpac__loaded_arrays arrays = {.phase = phase, .amplitude = amplitude};
	TRY(clpac__plans_run(&plan, 1, &(clpac__input){.arrays = &arrays}, out, err));
done:
	clpac_plan_destroy(plan);
	return st;
}

clpac_status clpac_signal_modulation_index(clpac_context *context, const clpac_coupling *coupling, clpac_values phase,
					   clpac_values amplitude, clpac_result **out, clpac_error *err)
{
	NEED(context, coupling, out);
	NEED_CONTEXT(context);
	return clpac_signal_coupling(context, coupling, NULL, phase, amplitude, out, err);
}
