/* A result: the index maps, their statistics, and their bands and names.  Its report is in result_report.c, its peak in
 * result_peak.c. */
#include "coupling/data/result.h"
#include "base/memory.h"
#include "coupling/data/file_array.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const struct {
	const char *name, *axes; /* by the letters of clpac_array's comments */
	bool is_shared;
} arrays_of[] = {
	[CLPAC_MI] = {"mi", "cspa", false},
	[CLPAC_Z] = {"z", "cspa", false},
	[CLPAC_P] = {"p", "cspa", false},
	[CLPAC_SURROGATE_MEAN] = {"surrogate_mean", "cspa", false},
	[CLPAC_SURROGATE_STD] = {"surrogate_std", "cspa", false},
	[CLPAC_SURROGATES] = {"surrogates", "cskpa", false},
	[CLPAC_DISTRIBUTION] = {"distribution", "cspaj", true},
	[CLPAC_PEAK_DISTRIBUTION] = {"peak_distribution", "csj", true},
	[CLPAC_P_MAX] = {"p_max", "cspa", false},
	[CLPAC_MAXIMA] = {"maxima", "csk", false},
	[CLPAC_PREFERRED_PHASE] = {"preferred_phase_rad", "cspa", true},
	[CLPAC_MEAN_VECTOR] = {"mean_vector", "cspa", true},
	[CLPAC_HARMONIC] = {"harmonic", "cspa", true},
	[CLPAC_ASYMMETRY] = {"asymmetry", "csp", true},
	[CLPAC_Q_BH] = {"q_bh", "cspa", false},
	[CLPAC_Q_BY] = {"q_by", "cspa", false},
	[CLPAC_P_GAMMA] = {"p_gamma", "cspa", false},
	[CLPAC_P_CLUSTER] = {"p_cluster", "cspa", false},
	[CLPAC_CLUSTER_MASS] = {"cluster_mass", "cspa", false},
	[CLPAC_CLUSTER_MAXIMA] = {"cluster_maxima", "csk", false},
	[CLPAC_EFFECT] = {"effect", "cspa", false},
	[CLPAC_T] = {"t", "cspa", false},
	[CLPAC_BIN_COUNTS] = {"bin_counts", "cspj", true},
	[CLPAC_RATIO] = {"ratio", "cspa", false},
	[CLPAC_STANDARDIZED] = {"standardized", "cspa", false},
	[CLPAC_N_SUBJECTS] = {"n_subjects", "cspa", false},
	[CLPAC_REMAINING] = {"remaining", "cspa", true},
	[CLPAC_EXCESS] = {"excess", "cspa", false},
	[CLPAC_EXCESS_LO] = {"excess_lo", "cspa", false},
	[CLPAC_EXCESS_HI] = {"excess_hi", "cspa", false},
	[CLPAC_PHASE_NONUNIFORMITY] = {"phase_nonuniformity", "csp", true},
	[CLPAC_PHASE_PEAK_DB] = {"phase_peak_db", "csp", true},
};
_Static_assert(sizeof arrays_of / sizeof *arrays_of == CLPAC_ARRAY_COUNT, "one row per array");
_Static_assert(CLPAC_ARRAY_COUNT == 32, "every bit of a set of arrays stands for one");

bool clpac__array_is_shared(clpac_array which)
{
	return (unsigned)which < CLPAC_ARRAY_COUNT && arrays_of[which].is_shared;
}

const char *clpac_array_name(clpac_array which)
{
	return (unsigned)which < CLPAC_ARRAY_COUNT ? arrays_of[which].name : "unknown array";
}

static size_t axis_length(const clpac_result_shape *shape, char axis)
{
	const struct {
		char axis;
		size_t length;
	} axes[] = {
		{'c', shape->n_channels},	 {'s', shape->n_segments}, {'p', shape->n_phase_bands},
		{'a', shape->n_amplitude_bands}, {'j', shape->n_bins},	   {'k', shape->n_surrogates},
	};
	for (size_t i = 0; i < sizeof axes / sizeof *axes; i++)
		if (axes[i].axis == axis)
			return axes[i].length;
	return 0;
}

size_t clpac_array_dimensions(const clpac_result_shape *shape, clpac_array which, size_t dimensions[5])
{
	if (!shape || !dimensions)
		return 0;
	if ((unsigned)which >= CLPAC_ARRAY_COUNT)
		return 0;
	size_t n = strlen(arrays_of[which].axes);
	for (size_t i = 0; i < n; i++)
		dimensions[i] = axis_length(shape, arrays_of[which].axes[i]);
	return n;
}

static bool count_values(const size_t *dimensions, size_t n_dimensions, size_t *out)
{
	size_t n = 1;
	for (size_t i = 0; i < n_dimensions; i++)
		if (!clpac__size_mul(n, dimensions[i], &n))
			return false;
	*out = n;
	return true;
}

static clpac_status check_shape(const clpac_result_shape *shape, unsigned arrays, clpac_error *err)
{
	const struct {
		const char *name;
		size_t value;
		bool is_needed;
	} counts[] = {
		{"n_channels", shape->n_channels, true},
		{"n_segments", shape->n_segments, true},
		{"n_phase_bands", shape->n_phase_bands, true},
		{"n_amplitude_bands", shape->n_amplitude_bands, true},
		{"n_bins", shape->n_bins,
		 arrays & (1u << CLPAC_DISTRIBUTION | 1u << CLPAC_PEAK_DISTRIBUTION | 1u << CLPAC_BIN_COUNTS)},
		{"n_surrogates", shape->n_surrogates,
		 arrays & (1u << CLPAC_SURROGATES | 1u << CLPAC_MAXIMA | 1u << CLPAC_CLUSTER_MAXIMA)},
	};
	for (size_t i = 0; i < sizeof counts / sizeof *counts; i++)
		if (counts[i].is_needed && !counts[i].value)
			RETURN_ERROR(CLPAC_ERROR_ARGUMENT, "result: %s is 0: the arrays asked for need at least 1",
				     counts[i].name);
	return CLPAC_OK;
}

/* Adds an array of NaN, the value of a cell that nobody has computed yet. */
clpac_status clpac__result_add_array(clpac_result *result, clpac_array which, clpac_error *err)
{
	size_t dimensions[5], n, bytes;
	size_t n_dimensions = clpac_array_dimensions(&result->shape, which, dimensions);
	if (!count_values(dimensions, n_dimensions, &n) || !clpac__size_mul(n, sizeof(float), &bytes))
		RETURN_ERROR(CLPAC_ERROR_ARGUMENT, "result: array %s has more values than this computer can address",
			     clpac_array_name(which));
	const char *folder = clpac__result_whole(result)->folder;
	if (!result->arrays[which] && folder)
		RETURN_IF_ERROR(clpac__file_array_make(folder, bytes, &result->arrays[which], err));
	else if (!result->arrays[which] && !(result->arrays[which] = clpac__alloc(bytes)))
		RETURN_NO_MEMORY(bytes);
	result->n_values[which] = n;
	for (size_t i = 0; i < n; i++)
		result->arrays[which][i] = NAN;
	return CLPAC_OK;
}

static clpac_status name_channels(clpac_result *result, clpac_error *err)
{
	char number[32];
	for (size_t i = 0; i < result->shape.n_channels; i++) {
		snprintf(number, sizeof number, "%zu", i);
		RETURN_IF_ERROR(clpac_result_set_channel_name(result, i, number, err));
	}
	return CLPAC_OK;
}

clpac_status clpac_result_create(const clpac_result_shape *shape, unsigned arrays, clpac_result **out, clpac_error *err)
{
	NEED(shape, out);
	return clpac_result_create_in(shape, arrays, NULL, out, err);
}

clpac_status clpac_result_create_in(const clpac_result_shape *shape, unsigned arrays, const char *folder,
				    clpac_result **out, clpac_error *err)
{
	NEED(shape, out);
	clpac_status st = CLPAC_OK;
	clpac_result *made = NULL;
	size_t n_series, n_rows;
	TRY(check_shape(shape, arrays, err));
	if (!clpac__size_mul(shape->n_channels, shape->n_segments, &n_series) ||
	    !clpac__size_mul(n_series, shape->n_phase_bands, &n_rows))
		FAIL(CLPAC_ERROR_ARGUMENT,
		     "result: %zu channels x %zu segments x %zu phase bands are more than this computer "
		     "can address",
		     shape->n_channels, shape->n_segments, shape->n_phase_bands);
	TRY(NEW(made));
	made->shape = *shape;
	if (folder)
		TRY(NEW_COPY(made->folder, folder));
	for (unsigned which = 0; which < CLPAC_ARRAY_COUNT; which++)
		if (arrays & 1u << which)
			TRY(clpac__result_add_array(made, (clpac_array)which, err));
	TRY(NEW_ARRAY(made->empty_bins, n_rows));
	if (!(made->valid = clpac__alloc_array(shape->n_phase_bands, shape->n_amplitude_bands)))
		FAIL_NO_MEMORY(shape->n_phase_bands * shape->n_amplitude_bands);
	memset(made->valid, 1, shape->n_phase_bands * shape->n_amplitude_bands);
	TRY(NEW_ARRAY(made->phase_bands, shape->n_phase_bands));
	TRY(NEW_ARRAY(made->amplitude_bands, shape->n_amplitude_bands));
	TRY(NEW_ARRAY(made->segment_onsets, shape->n_segments));
	if (!(made->used_seconds = clpac__alloc_array(shape->n_channels, shape->n_segments * sizeof(double))))
		FAIL_NO_MEMORY(shape->n_channels * shape->n_segments * sizeof(double));
	if (!(made->n_stretches = clpac__alloc_array(shape->n_channels, shape->n_segments * sizeof(uint32_t))))
		FAIL_NO_MEMORY(shape->n_channels * shape->n_segments * sizeof(uint32_t));
	TRY(NEW_ARRAY(made->channel_names, shape->n_channels));
	TRY(name_channels(made, err));
	*out = made, made = NULL;
done:
	clpac_result_destroy(made);
	return st;
}

static void free_names(char **names, size_t n)
{
	for (size_t i = 0; names && i < n; i++)
		clpac__free(names[i]);
	clpac__free(names);
}

void clpac_result_destroy(clpac_result *result)
{
	if (!result)
		return;
	clpac_result_destroy(result->next);
	for (size_t i = 0; i < CLPAC_ARRAY_COUNT; i++)
		if (clpac__result_whole(result)->folder)
			clpac__file_array_free(result->arrays[i], result->n_values[i] * sizeof(float));
		else
			clpac__free(result->arrays[i]);
	free_names(result->channel_names, result->shape.n_channels);
	free_names(result->pair_names[CLPAC_PHASE], result->shape.n_channels);
	free_names(result->pair_names[CLPAC_AMPLITUDE], result->shape.n_channels);
	free_names(result->conditions, result->shape.n_segments);
	FREE_ALL(result->empty_bins, result->valid, result->phase_bands, result->amplitude_bands, result->cell_bands,
		 result->segment_onsets, result->used_seconds, result->n_stretches, result->band_reports, result->taps,
		 result->problem, result->sentence, result->provenance, result->folder, result);
}

const clpac_result_shape *clpac_result_get_shape(const clpac_result *result)
{
	return result ? &result->shape : NULL;
}

float *clpac_result_array(const clpac_result *result, clpac_array which, size_t *n)
{
	if (!result) {
		if (n)
			*n = 0;
		return NULL;
	}
	bool is_known = (unsigned)which < CLPAC_ARRAY_COUNT;
	if (clpac__array_is_shared(which))
		result = clpac__result_whole(result);
	if (n)
		*n = is_known ? result->n_values[which] : 0;
	return is_known ? result->arrays[which] : NULL;
}

uint32_t *clpac_result_empty_bins(const clpac_result *result)
{
	return result ? clpac__result_whole(result)->empty_bins : NULL;
}

uint8_t *clpac_result_valid(const clpac_result *result)
{
	return result ? clpac__result_whole(result)->valid : NULL;
}

clpac_band *clpac_result_phase_bands(const clpac_result *result)
{
	return result ? clpac__result_whole(result)->phase_bands : NULL;
}

clpac_band *clpac_result_amplitude_bands(const clpac_result *result)
{
	return result ? clpac__result_whole(result)->amplitude_bands : NULL;
}

clpac_band *clpac_result_cell_bands(const clpac_result *result)
{
	return result ? clpac__result_whole(result)->cell_bands : NULL;
}

clpac_status clpac_result_set_cell_bands(clpac_result *result, const clpac_band *bands, clpac_error *err)
{
	NEED(result);
	clpac_band *copies = NULL;
	size_t n;
	result = (clpac_result *)clpac__result_whole(result);
	if (!clpac__size_mul(result->shape.n_phase_bands, result->shape.n_amplitude_bands, &n))
		RETURN_ERROR(CLPAC_ERROR_ARGUMENT,
			     "result: %zu phase bands x %zu amplitude bands are more than this computer can address",
			     result->shape.n_phase_bands, result->shape.n_amplitude_bands);
	if (bands && !(copies = clpac__alloc_array(n, sizeof *copies)))
		RETURN_NO_MEMORY(n * sizeof *copies);
	if (bands)
		memcpy(copies, bands, n * sizeof *copies);
	clpac__free(result->cell_bands);
	result->cell_bands = copies;
	return CLPAC_OK;
}

clpac_band clpac_result_cell_band(const clpac_result *result, size_t phase, size_t amplitude)
{
	if (!result || phase >= result->shape.n_phase_bands || amplitude >= result->shape.n_amplitude_bands)
		return (clpac_band){0, 0};
	result = clpac__result_whole(result);
	if (result->cell_bands)
		return result->cell_bands[phase * result->shape.n_amplitude_bands + amplitude];
	return result->amplitude_bands[amplitude];
}

double *clpac_result_segment_onsets(const clpac_result *result)
{
	return result ? clpac__result_whole(result)->segment_onsets : NULL;
}

double *clpac_result_used_seconds(const clpac_result *result)
{
	return result ? clpac__result_whole(result)->used_seconds : NULL;
}

uint32_t *clpac_result_n_stretches(const clpac_result *result)
{
	return result ? clpac__result_whole(result)->n_stretches : NULL;
}

clpac_status clpac_result_set_channel_name(clpac_result *result, size_t channel, const char *name, clpac_error *err)
{
	NEED(result, name);
	result = (clpac_result *)clpac__result_whole(result);
	if (channel >= result->shape.n_channels)
		RETURN_ERROR(CLPAC_ERROR_ARGUMENT, "result: channel %zu does not exist: there are %zu, counted from 0",
			     channel, result->shape.n_channels);
	char *copy;
	RETURN_IF_ERROR(NEW_COPY(copy, name));
	clpac__free(result->channel_names[channel]);
	result->channel_names[channel] = copy;
	return CLPAC_OK;
}

const char *clpac_result_channel_name(const clpac_result *result, size_t channel)
{
	if (!result)
		return NULL;
	return channel < result->shape.n_channels ? clpac__result_whole(result)->channel_names[channel] : NULL;
}

/* Sets one of n names, in a list that is made when its first name is. */
static clpac_status set_name(char ***names, size_t n, size_t number, const char *name, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	char *copy;
	TRY(NEW_COPY(copy, name));
	if (!*names && !(*names = clpac__alloc_array(n, sizeof **names)))
		FAIL_NO_MEMORY(n * sizeof **names);
	clpac__free((*names)[number]);
	(*names)[number] = copy, copy = NULL;
done:
	clpac__free(copy);
	return st;
}

clpac_status clpac_result_set_pair(clpac_result *result, size_t channel, const char *phase, const char *amplitude,
				   clpac_error *err)
{
	NEED(result, phase, amplitude);
	clpac_status st = CLPAC_OK;
	const size_t bytes = strlen(phase) + strlen(amplitude) + 2, n = result->shape.n_channels;
	char *both;
	TRY(NEW_BYTES(both, bytes));
	snprintf(both, bytes, "%s>%s", phase, amplitude);
	TRY(clpac_result_set_channel_name(result, channel, both, err));
	result = (clpac_result *)clpac__result_whole(result);
	TRY(set_name(&result->pair_names[CLPAC_PHASE], n, channel, phase, err));
	TRY(set_name(&result->pair_names[CLPAC_AMPLITUDE], n, channel, amplitude, err));
done:
	clpac__free(both);
	return st;
}

const char *clpac_result_pair_channel(const clpac_result *result, size_t channel, clpac_band_use use)
{
	if (!result || channel >= result->shape.n_channels || (unsigned)use > CLPAC_AMPLITUDE)
		return NULL;
	char *const *names = clpac__result_whole(result)->pair_names[use];
	return names ? names[channel] : NULL;
}

clpac_status clpac__result_copy_name(clpac_result *to, size_t at, const clpac_result *from, size_t channel,
				     clpac_error *err)
{
	const char *phase = clpac_result_pair_channel(from, channel, CLPAC_PHASE);
	const char *amplitude = clpac_result_pair_channel(from, channel, CLPAC_AMPLITUDE);
	if (phase && amplitude)
		return clpac_result_set_pair(to, at, phase, amplitude, err);
	return clpac_result_set_channel_name(to, at, clpac_result_channel_name(from, channel), err);
}

clpac_status clpac_result_set_condition(clpac_result *result, size_t segment, const char *name, clpac_error *err)
{
	NEED(result, name);
	result = (clpac_result *)clpac__result_whole(result);
	const size_t n = result->shape.n_segments;
	if (segment >= n)
		RETURN_ERROR(CLPAC_ERROR_ARGUMENT, "result: segment %zu does not exist: there are %zu, counted from 0",
			     segment, n);
	return set_name(&result->conditions, n, segment, name, err);
}

const char *clpac_result_condition(const clpac_result *result, size_t segment)
{
	if (!result || segment >= result->shape.n_segments || !clpac__result_whole(result)->conditions)
		return NULL;
	return clpac__result_whole(result)->conditions[segment];
}
