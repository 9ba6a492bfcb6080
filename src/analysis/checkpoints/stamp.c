#include "analysis/checkpoints/stamp.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include "base/hash.h"

static uint64_t add_text(uint64_t sum, const char *text)
{
	return clpac__hash(sum, text ? text : "", text ? strlen(text) + 1 : 1);
}

/* All arrays of all measures. */
static uint64_t add_arrays(uint64_t sum, const clpac_result *result)
{
	clpac_measure measures[CLPAC_MEASURE_COUNT];
	const size_t n_measures = clpac_result_measures(result, measures);
	for (size_t i = 0; i < n_measures; i++)
		for (int which = 0; which < CLPAC_ARRAY_COUNT; which++) {
			size_t n = 0;
			const clpac_result *of = clpac_result_of(result, measures[i]);
			const float *values = clpac_result_array(of, (clpac_array)which, &n);
			sum = clpac__hash(sum, &n, sizeof n);
			if (values)
				sum = clpac__hash(sum, values, n * sizeof *values);
		}
	return sum;
}

static uint64_t add_series(uint64_t sum, const clpac_result *result)
{
	const clpac_result_shape *shape = clpac_result_get_shape(result);
	const size_t n_series = shape->n_channels * shape->n_segments;
	sum = clpac__hash(sum, clpac_result_empty_bins(result), n_series * shape->n_phase_bands * sizeof(uint32_t));
	sum = clpac__hash(sum, clpac_result_valid(result), shape->n_phase_bands * shape->n_amplitude_bands);
	sum = clpac__hash(sum, clpac_result_phase_bands(result), shape->n_phase_bands * sizeof(clpac_band));
	sum = clpac__hash(sum, clpac_result_amplitude_bands(result), shape->n_amplitude_bands * sizeof(clpac_band));
	sum = clpac__hash(sum, clpac_result_used_seconds(result), n_series * sizeof(double));
	sum = clpac__hash(sum, clpac_result_n_stretches(result), n_series * sizeof(uint32_t));
	for (size_t c = 0; c < shape->n_channels; c++)
		sum = add_text(sum, clpac_result_channel_name(result, c));
	return sum;
}

static uint64_t add_filters(uint64_t sum, const clpac_result *result)
{
	size_t n;
	const clpac_band_report *reports = clpac_result_band_reports(result, &n);
	for (size_t i = 0; i < n; i++) {
		const clpac_band_report *filter = &reports[i];
		const double hz[] = {filter->band.lo_hz, filter->band.hi_hz, filter->bandwidth_lo_hz,
				     filter->bandwidth_hi_hz};
		const uint64_t counts[] = {filter->use, filter->edge_samples, filter->is_shortened, filter->n_taps};
		sum = clpac__hash(clpac__hash(sum, hz, sizeof hz), counts, sizeof counts);
		sum = clpac__hash(sum, filter->taps, filter->n_taps * sizeof *filter->taps);
	}
	return sum;
}

void clpac__checkpoint_stamp(const clpac__checkpoint_place *place, const clpac_result *result, const char *problem,
			     const char *report, char stamp[CLPAC__STAMP_SIZE])
{
	uint64_t sum = add_text(add_text(CLPAC__HASH_START, problem), report);
	sum = add_filters(add_series(add_arrays(sum, result), result), result);
	snprintf(stamp, CLPAC__STAMP_SIZE, "place %zu/%zu/%zu/%zu/%zu content %016" PRIx64, place->part, place->channel,
		 place->n_channels, place->segment, place->n_segments, sum);
}
