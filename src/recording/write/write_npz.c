/* A result as .npz: its arrays under their names, and everything needed to read them without clpac. */
#include <clpac/write.h>

#include "recording/write/npz_output.h"
#include "recording/result_words.h"
#include "recording/result_identity.h"
#include "base/sized.h"
#include "base/utf8.h"
#include "base/memory.h"

#include <stdio.h>
#include <string.h>

_Static_assert(sizeof(clpac_band) == 2 * sizeof(double), "an array of bands is an (n, 2) array of doubles");

static const uint32_t result_format = CLPAC__RESULT_FORMAT;

/* n texts as one array, as wide as the longest and at least 1 wide, since NumPy takes '<U0' for "any". */
static clpac_status add_texts(clpac__npz_output *npz, const char *name, const char *const *texts, size_t n,
			      bool is_scalar, uint32_t **points, clpac_error *err)
{
	char type[32];
	size_t width = 1;
	for (size_t i = 0; i < n; i++) {
		size_t count = clpac__utf8_count(texts[i]);
		width = count > width ? count : width;
	}
	if (!(*points = clpac__alloc_array(n, width * sizeof **points)))
		RETURN_ERROR(CLPAC_ERROR_NO_MEMORY, "%s: the host has no memory left for %zu texts of %zu characters",
			     name, n, width);
	for (size_t i = 0; i < n; i++)
		clpac__utf8_to_code_points(texts[i], *points + i * width, width);
	snprintf(type, sizeof type, CLPAC__NPY_ORDER "U%zu", width);
	return clpac__npz_output_add(npz,
				     &(clpac__npz_array){.name = name,
							 .type = type,
							 .item_bytes = width * sizeof **points,
							 .dimensions = {n},
							 .n_dimensions = is_scalar ? 0 : 1,
							 .data = *points},
				     err);
}

/* The arrays of one measure.  Those that are of no measure stand with the first. */
static clpac_status add_measure(clpac__npz_output *npz, const clpac_result *result, const clpac_result *of_measure,
				clpac_error *err)
{
	const bool is_first = of_measure == result;
	for (int which = 0; which < CLPAC_ARRAY_COUNT; which++) {
		char name[CLPAC__ARRAY_NAME_SIZE];
		clpac__npz_array array = {.name = name,
					  .type = CLPAC__NPY_ORDER "f4",
					  .item_bytes = sizeof(float),
					  .data = clpac_result_array(of_measure, (clpac_array)which, NULL)};
		clpac__array_name_of(clpac_result_measure(of_measure), is_first, (clpac_array)which, name);
		array.n_dimensions =
			clpac_array_dimensions(clpac_result_get_shape(result), (clpac_array)which, array.dimensions);
		if (array.data && (is_first || array.data != clpac_result_array(result, (clpac_array)which, NULL)))
			RETURN_IF_ERROR(clpac__npz_output_add(npz, &array, err));
	}
	return CLPAC_OK;
}

static clpac_status add_values(clpac__npz_output *npz, const clpac_result *result, clpac_error *err)
{
	const clpac_result_shape *shape = clpac_result_get_shape(result);
	clpac_measure measures[CLPAC_MEASURE_COUNT];
	const size_t n_measures = clpac_result_measures(result, measures);
	for (size_t i = 0; i < n_measures; i++)
		RETURN_IF_ERROR(add_measure(npz, result, clpac_result_of(result, measures[i]), err));
	const clpac__npz_array others[] = {
		{"format_version", CLPAC__NPY_ORDER "u4", sizeof result_format, {0}, 0, &result_format},
		{"n_empty_bins",
		 CLPAC__NPY_ORDER "u4",
		 sizeof(uint32_t),
		 {shape->n_channels, shape->n_segments, shape->n_phase_bands},
		 3,
		 clpac_result_empty_bins(result)},
		{"valid",
		 "|b1",
		 sizeof(uint8_t),
		 {shape->n_phase_bands, shape->n_amplitude_bands},
		 2,
		 clpac_result_valid(result)},
		{"phase_bands_hz",
		 CLPAC__NPY_ORDER "f8",
		 sizeof(double),
		 {shape->n_phase_bands, 2},
		 2,
		 clpac_result_phase_bands(result)},
		{"amplitude_bands_hz",
		 CLPAC__NPY_ORDER "f8",
		 sizeof(double),
		 {shape->n_amplitude_bands, 2},
		 2,
		 clpac_result_amplitude_bands(result)},
		{"segment_onsets_s",
		 CLPAC__NPY_ORDER "f8",
		 sizeof(double),
		 {shape->n_segments},
		 1,
		 clpac_result_segment_onsets(result)},
		{"used_s",
		 CLPAC__NPY_ORDER "f8",
		 sizeof(double),
		 {shape->n_channels, shape->n_segments},
		 2,
		 clpac_result_used_seconds(result)},
		{"n_stretches",
		 CLPAC__NPY_ORDER "u4",
		 sizeof(uint32_t),
		 {shape->n_channels, shape->n_segments},
		 2,
		 clpac_result_n_stretches(result)},
	};
	for (size_t i = 0; i < sizeof others / sizeof *others; i++)
		RETURN_IF_ERROR(clpac__npz_output_add(npz, &others[i], err));
	if (clpac_result_cell_bands(result))
		RETURN_IF_ERROR(
			clpac__npz_output_add(npz,
					      &(clpac__npz_array){"cell_bands_hz",
								  CLPAC__NPY_ORDER "f8",
								  sizeof(double),
								  {shape->n_phase_bands, shape->n_amplitude_bands, 2},
								  3,
								  clpac_result_cell_bands(result)},
					      err));
	return CLPAC_OK;
}

/* The names of the measures, where they are not the modulation index alone. */
static clpac_status add_measures(clpac__npz_output *npz, const clpac_result *result, uint32_t **points,
				 clpac_error *err)
{
	clpac_measure measures[CLPAC_MEASURE_COUNT];
	const char *names[CLPAC_MEASURE_COUNT];
	const size_t n = clpac_result_measures(result, measures);
	for (size_t i = 0; i < n; i++)
		names[i] = clpac_measure_text(measures[i]);
	return n == 1 && measures[0] == CLPAC_MEASURE_MI ? CLPAC_OK
							 : add_texts(npz, "measures", names, n, false, points, err);
}

/* The two channels of each pair. */
static clpac_status add_pairs(clpac__npz_output *npz, const clpac_result *result, clpac_band_use use, uint32_t **points,
			      clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	const size_t n = clpac_result_get_shape(result)->n_channels;
	const char **names = NULL;
	if (!clpac__result_has_pairs(result))
		goto done;
	TRY(NEW_ARRAY(names, n));
	for (size_t ch = 0; ch < n; ch++)
		names[ch] = clpac_result_pair_channel(result, ch, use);
	TRY(add_texts(npz, use == CLPAC_PHASE ? "phase_channels" : "amplitude_channels", names, n, false, points, err));
done:
	clpac__free(names);
	return st;
}

/* What the arrays of the filters are made of; it must stay until commit. */
struct filters {
	double *hz;
	uint64_t *counts;
};

/* The filters, where the result has any: the edges of each band and of its effective bandwidth; its use, the samples of
 * its edge, whether it was shortened and its number of taps; and the taps of all, one filter after the other. */
static clpac_status add_filters(clpac__npz_output *npz, const clpac_result *result, struct filters *room,
				clpac_error *err)
{
	size_t n, n_taps = 0;
	const clpac_band_report *reports = clpac_result_band_reports(result, &n);
	if (!n)
		return CLPAC_OK;
	RETURN_IF_ERROR(NEW_ARRAY(room->hz, 4 * n));
	RETURN_IF_ERROR(NEW_ARRAY(room->counts, 4 * n));
	for (size_t i = 0; i < n; i++) {
		const clpac_band_report *filter = &reports[i];
		const double hz[] = {filter->band.lo_hz, filter->band.hi_hz, filter->bandwidth_lo_hz,
				     filter->bandwidth_hi_hz};
		const uint64_t counts[] = {filter->use, filter->edge_samples, filter->is_shortened, filter->n_taps};
		memcpy(room->hz + 4 * i, hz, sizeof hz);
		memcpy(room->counts + 4 * i, counts, sizeof counts);
		n_taps += filter->n_taps;
	}
	/* A result has the taps of its filters in one array, those of the first at its beginning. */
	const clpac__npz_array arrays[] = {
		{"filters_hz", CLPAC__NPY_ORDER "f8", sizeof *room->hz, {n, 4}, 2, room->hz},
		{"filters", CLPAC__NPY_ORDER "u8", sizeof *room->counts, {n, 4}, 2, room->counts},
		{"taps", CLPAC__NPY_ORDER "f8", sizeof(double), {n_taps}, 1, reports[0].taps},
	};
	for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
		if (arrays[i].dimensions[0])
			RETURN_IF_ERROR(clpac__npz_output_add(npz, &arrays[i], err));
	return CLPAC_OK;
}

/* The conditions of the segments, where one has any. */
static clpac_status add_conditions(clpac__npz_output *npz, const clpac_result *result, uint32_t **points,
				   clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	const size_t n = clpac_result_get_shape(result)->n_segments;
	bool has_any = false;
	const char **names;
	TRY(NEW_ARRAY(names, n));
	for (size_t s = 0; s < n; s++) {
		names[s] = clpac_result_condition(result, s);
		has_any |= names[s] != NULL;
		names[s] = names[s] ? names[s] : "";
	}
	if (has_any)
		TRY(add_texts(npz, "conditions", names, n, false, points, err));
done:
	clpac__free(names);
	return st;
}

static clpac_status write_arrays(const clpac_result *result, const char *path, const clpac_write_options *options,
				 clpac__array_format format, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	clpac_write_options own;
	clpac__npz_output *npz = NULL;
	uint32_t *pair_points[2] = {NULL, NULL};
	uint32_t *name_points = NULL, *identity_points = NULL, *problem_points = NULL, *measure_points = NULL,
		 *condition_points = NULL;
	struct filters filters = {NULL, NULL};
	char identity_text[CLPAC__IDENTITY_SIZE];
	const char *identity = identity_text;
	size_t n_channels = clpac_result_get_shape(result)->n_channels;
	const char *problem = clpac_result_problem(result);
	const char **names = clpac__alloc_array(n_channels, sizeof *names);
	if (!names)
		FAIL(CLPAC_ERROR_NO_MEMORY, "writing %s: the host has no memory left for %zu names", path, n_channels);
	for (size_t ch = 0; ch < n_channels; ch++)
		names[ch] = clpac_result_channel_name(result, ch);

	TRY(clpac__take_sized(&own, options, clpac_write_options, err));
	TRY(clpac__npz_output_open(path, &(clpac__output_way){own.overwrite, own.set, own.write, own.write_user},
				   format, &npz, err));
	TRY(add_values(npz, result, err));
	TRY(add_measures(npz, result, &measure_points, err));
	TRY(add_conditions(npz, result, &condition_points, err));
	TRY(add_texts(npz, "channels", names, n_channels, false, &name_points, err));
	for (clpac_band_use use = CLPAC_PHASE; use <= CLPAC_AMPLITUDE; use++)
		TRY(add_pairs(npz, result, use, &pair_points[use], err));
	TRY(add_filters(npz, result, &filters, err));
	TRY(clpac__result_identity(result, identity_text, err));
	TRY(add_texts(npz, "identity", &identity, 1, true, &identity_points, err));
	if (*problem)
		TRY(add_texts(npz, "problem", &problem, 1, true, &problem_points, err));
	if (own.report)
		TRY(clpac__npz_output_add_text(npz, CLPAC__REPORT_MEMBER, own.report, err));
	TRY(clpac__npz_output_commit(npz, err));
done:
	clpac__npz_output_discard(npz);
	FREE_ALL(pair_points[CLPAC_PHASE], pair_points[CLPAC_AMPLITUDE], names, name_points, identity_points,
		 problem_points, measure_points, condition_points, filters.hz, filters.counts);
	return st;
}

clpac_status clpac_result_write_npz(const clpac_result *result, const char *path, const clpac_write_options *options,
				    clpac_error *err)
{
	NEED(result, path);
	return write_arrays(result, path, options, CLPAC__ARRAYS_NPZ, err);
}

clpac_status clpac_result_write_mat(const clpac_result *result, const char *path, const clpac_write_options *options,
				    clpac_error *err)
{
	NEED(result, path);
	return write_arrays(result, path, options, CLPAC__ARRAYS_MAT, err);
}
