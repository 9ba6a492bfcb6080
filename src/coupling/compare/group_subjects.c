/* Results of several subjects, checked against each other and gathered. */
#include "coupling/compare/compare_parts.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/ascii.h"
#include "base/memory.h"
#include "base/number.h"

/* The name of a result in errors. */
static const char *name_of(const clpac_group *group, size_t i, char text[CLPAC__SUBJECT_NAME_SIZE])
{
	const bool is_first = i < group->n_first;
	const char *const *names = is_first ? group->first_names : group->second_names;
	const size_t number = is_first ? i : i - group->n_first;
	if (names && names[number])
		snprintf(text, CLPAC__SUBJECT_NAME_SIZE, "%s", names[number]);
	else
		snprintf(text, CLPAC__SUBJECT_NAME_SIZE, "%s[%zu]", is_first ? "first" : "second", number);
	return text;
}

static clpac_array compared(const clpac_group *group)
{
	return group->of_index ? CLPAC_MI : group->of_excess ? CLPAC_EXCESS : CLPAC_Z;
}

static clpac_status check_members(const clpac_group *group, clpac_error *err)
{
	if ((unsigned)group->design >= CLPAC_DESIGN_COUNT)
		RETURN_ERROR(CLPAC_ERROR_ARGUMENT, "design is %d: it must be one of clpac_design", (int)group->design);
	if ((unsigned)group->side >= CLPAC_SIDE_COUNT)
		RETURN_ERROR(CLPAC_ERROR_ARGUMENT, "side is %d: it must be one of clpac_side", (int)group->side);
	if ((unsigned)group->family > CLPAC_FAMILY_RUN)
		RETURN_ERROR(CLPAC_ERROR_ARGUMENT, "family is %d: it must be one of clpac_family", (int)group->family);
	if (!(group->cluster_alpha >= 0 && group->cluster_alpha <= 0.25))
		RETURN_ERROR(CLPAC_ERROR_ARGUMENT,
			     "cluster_alpha is %g: the share of t that enters clusters is above 0 and at most 0.25",
			     group->cluster_alpha);
	if (group->n_permutations == 1 || group->n_permutations >= UINT32_MAX)
		RETURN_ERROR(CLPAC_ERROR_ARGUMENT,
			     "n_permutations is %llu: give 2 to %u, the given order among them, or 0 for 10000",
			     (unsigned long long)group->n_permutations, UINT32_MAX - 1);
	if ((group->design == CLPAC_ONE_SAMPLE) != (group->n_second == 0))
		RETURN_ERROR(CLPAC_ERROR_ARGUMENT, "n_second is %zu: %s", group->n_second,
			     group->n_second ? "one sample has no second group" : "this design compares two groups");
	if (group->n_first < 2 || group->n_second == 1)
		RETURN_ERROR(
			CLPAC_ERROR_ARGUMENT,
			"%s is 1 or less: statistics over subjects need at least two in each group; give more results",
			group->n_first < 2 ? "n_first" : "n_second");
	if (group->n_second > UINT32_MAX - 1 || group->n_first > UINT32_MAX - 1 - group->n_second)
		RETURN_ERROR(CLPAC_ERROR_ARGUMENT, "n_first and n_second are %zu and %zu: give at most %u subjects",
			     group->n_first, group->n_second, UINT32_MAX - 1);
	if (group->design == CLPAC_PAIRED && group->n_first != group->n_second)
		RETURN_ERROR(CLPAC_ERROR_ARGUMENT, "n_first is %zu and n_second is %zu: pairs need as many of both",
			     group->n_first, group->n_second);
	if (!group->first || (group->n_second && !group->second) || (group->n_channels && !group->channels))
		RETURN_ERROR(CLPAC_ERROR_ARGUMENT, "%s is NULL",
			     !group->first			 ? "first"
			     : group->n_second && !group->second ? "second"
								 : "channels");
	return CLPAC_OK;
}

/* The mean time of the series of a result that use any; 0 where none is known. */
static double used_of(const clpac_result *result)
{
	const clpac_result_shape *shape = clpac_result_get_shape(result);
	const double *used_s = clpac_result_used_seconds((clpac_result *)result); /* read only */
	double sum = 0;
	size_t n = 0;
	for (size_t i = 0; i < shape->n_channels * shape->n_segments; i++) {
		sum += used_s[i] > 0 ? used_s[i] : 0;
		n += used_s[i] > 0;
	}
	return n ? sum / (double)n : 0;
}

/* An index of noise falls as its time grows, so that two groups of indices, or pairs of them, have one length: a
 * hundredth more is less than a thirtieth of the deviation of such an index. */
static clpac_status check_lengths(const clpac_group *group, clpac_error *err)
{
	static const double most = 1.02;
	char name[CLPAC__SUBJECT_NAME_SIZE], with[CLPAC__SUBJECT_NAME_SIZE];
	for (size_t i = 1; i < clpac__group_n(group) && group->of_index && group->design != CLPAC_ONE_SAMPLE; i++) {
		const size_t other = group->design == CLPAC_TWO_SAMPLE ? 0 : i % group->n_first;
		const double own_s = used_of(clpac__group_result(group, i));
		const double other_s = used_of(clpac__group_result(group, other));
		if (own_s > 0 && other_s > 0 && (own_s > most * other_s || other_s > most * own_s))
			RETURN_ERROR(
				CLPAC_ERROR_ARGUMENT,
				"%s uses %.4g s where %s uses %.4g s, and an index of less time is higher by chance: "
				"compare z, or indices of one length, as --start and --stop of clpac run cut it",
				name_of(group, i, name), own_s, name_of(group, other, with), other_s);
	}
	return CLPAC_OK;
}

static bool are_close(double a, double b)
{
	return fabs(a - b) <= 1e-9 * fmax(fabs(a), fabs(b));
}

/* Whether bands are the same; lists of bands that are computed from one text may differ by roundings. */
static bool are_same(clpac_band a, clpac_band b)
{
	return are_close(a.lo_hz, b.lo_hz) && are_close(a.hi_hz, b.hi_hz);
}

static clpac_status bands_differ(const char *name, const char *with, const char *kind, clpac_band own, clpac_band other,
				 clpac_error *err)
{
	return clpac__fail(err, CLPAC_ERROR_ARGUMENT,
			   "%s has the %s band %.6g-%.6g Hz where %s has %.6g-%.6g Hz: results of one comparison "
			   "have the same bands",
			   name, kind, own.lo_hz, own.hi_hz, with, other.lo_hz, other.hi_hz);
}

static clpac_status check_bands(const clpac_result *own, const char *name, const clpac_result *other, const char *with,
				clpac_error *err)
{
	const clpac_result_shape *a = clpac_result_get_shape(own), *b = clpac_result_get_shape(other);
	if (a->n_phase_bands != b->n_phase_bands || a->n_amplitude_bands != b->n_amplitude_bands)
		RETURN_ERROR(
			CLPAC_ERROR_ARGUMENT,
			"%s has %zu x %zu bands where %s has %zu x %zu: results of one comparison have the same bands",
			name, a->n_phase_bands, a->n_amplitude_bands, with, b->n_phase_bands, b->n_amplitude_bands);
	for (size_t ph = 0; ph < a->n_phase_bands; ph++) {
		const clpac_band mine = clpac_result_phase_bands(own)[ph], theirs = clpac_result_phase_bands(other)[ph];
		if (!are_same(mine, theirs))
			RETURN_IF_ERROR(bands_differ(name, with, "phase", mine, theirs, err));
	}
	for (size_t ph = 0; ph < a->n_phase_bands; ph++)
		for (size_t am = 0; am < a->n_amplitude_bands; am++) {
			const clpac_band mine = clpac_result_cell_band(own, ph, am);
			const clpac_band theirs = clpac_result_cell_band(other, ph, am);
			if (!are_same(mine, theirs))
				RETURN_IF_ERROR(bands_differ(name, with, "amplitude", mine, theirs, err));
		}
	return CLPAC_OK;
}

clpac_status clpac__group_check(const clpac_group *group, clpac_error *err)
{
	char name[CLPAC__SUBJECT_NAME_SIZE], with[CLPAC__SUBJECT_NAME_SIZE];
	RETURN_IF_ERROR(check_members(group, err));
	for (size_t i = 0; i < clpac__group_n(group); i++) {
		const clpac_result *own = clpac__group_result(group, i), *other = group->first[0];
		name_of(group, i, name);
		name_of(group, 0, with);
		if (!own)
			RETURN_ERROR(CLPAC_ERROR_ARGUMENT, "%s is NULL", name);
		if (!clpac_result_array(own, compared(group), NULL))
			RETURN_ERROR(CLPAC_ERROR_ARGUMENT, "%s holds no %s to compare: %s", name,
				     group->of_index ? "index" : clpac_array_name(compared(group)),
				     group->of_index ? "it may be a comparison itself"
						     : "compute it with surrogates, or compare indices");
		for (size_t k = 0; k < i; k++)
			if (clpac__group_result(group, k) == own)
				RETURN_ERROR(CLPAC_ERROR_ARGUMENT, "%s and %s are one result: a subject counts once",
					     name_of(group, k, with), name);
		if (clpac_result_measure(own) != clpac_result_measure(other))
			RETURN_ERROR(CLPAC_ERROR_ARGUMENT, "%s holds the measure %s where %s holds %s", name,
				     clpac_measure_text(clpac_result_measure(own)), with,
				     clpac_measure_text(clpac_result_measure(other)));
		const size_t n_own = clpac_result_get_shape(own)->n_segments;
		const size_t n_other = clpac_result_get_shape(other)->n_segments;
		if (n_own != n_other)
			RETURN_ERROR(
				CLPAC_ERROR_ARGUMENT,
				"%s has %zu segments where %s has %zu: results of one comparison have as many, as with "
				"one each",
				name, n_own, with, n_other);
		RETURN_IF_ERROR(check_bands(own, name, other, with, err));
	}
	return check_lengths(group, err);
}

size_t clpac__group_n_channels(const clpac_group *group)
{
	return group->n_channels ? group->n_channels : clpac_result_get_shape(group->first[0])->n_channels;
}

/* Names may stand several times in a result: the one at the same place is meant, else the first.  One that is written
 * in another case is taken where none is written so. */
static size_t find_name(const clpac_result *result, const char *name, size_t expected)
{
	const size_t n = clpac_result_get_shape(result)->n_channels;
	if (expected < n && strcmp(clpac_result_channel_name(result, expected), name) == 0)
		return expected;
	for (size_t ch = 0; ch < n; ch++)
		if (strcmp(clpac_result_channel_name(result, ch), name) == 0)
			return ch;
	for (size_t ch = 0; ch < n; ch++)
		if (clpac__same_word(clpac_result_channel_name(result, ch), name))
			return ch;
	return SIZE_MAX;
}

/* A channel by which results are searched: its name, and where the result that it was met in has it. */
typedef struct wanted {
	const char *name;
	size_t expected;
} wanted;

static bool is_known(const wanted *list, size_t n, const char *name)
{
	for (size_t i = 0; i < n; i++)
		if (clpac__same_word(list[i].name, name))
			return true;
	return false;
}

/* Those that are asked for, or those of the first result, and of each further one those that are not known yet.
 * @param[out] out to be freed with clpac__free. */
static clpac_status list_wanted(const clpac_group *group, wanted **out, size_t *n, clpac_error *err)
{
	size_t most = group->n_channels;
	for (size_t i = 0; i < clpac__group_n(group) && !group->n_channels; i++)
		most += clpac_result_get_shape(clpac__group_result(group, i))->n_channels;
	*n = 0;
	RETURN_IF_ERROR(NEW_ARRAY(*out, most + 1));
	for (size_t ch = 0; ch < group->n_channels; ch++) {
		if (!group->channels[ch])
			RETURN_ERROR(CLPAC_ERROR_ARGUMENT, "channels[%zu] is NULL", ch);
		(*out)[(*n)++] = (wanted){group->channels[ch], SIZE_MAX};
	}
	for (size_t i = 0; i < clpac__group_n(group) && !group->n_channels; i++) {
		const clpac_result *result = clpac__group_result(group, i);
		const size_t n_before = *n;
		for (size_t ch = 0; ch < clpac_result_get_shape(result)->n_channels; ch++) {
			const char *name = clpac_result_channel_name(result, ch);
			if (i == 0 || !is_known(*out, n_before, name))
				(*out)[(*n)++] = (wanted){name, ch};
		}
	}
	return CLPAC_OK;
}

/* Where a result has a channel, which may be asked for by its number. */
static size_t find_wanted(const clpac_group *group, const clpac_result *result, const wanted *of)
{
	uint64_t number;
	const size_t at = find_name(result, of->name, of->expected);
	if (at == SIZE_MAX && group->n_channels && clpac__parse_count(of->name, &number, NULL) &&
	    number < clpac_result_get_shape(result)->n_channels)
		return (size_t)number;
	return at;
}

static clpac_status fail_to_find(const clpac_group *group, const wanted *of, const size_t *places, clpac_error *err)
{
	char subject[CLPAC__SUBJECT_NAME_SIZE];
	size_t i = 0;
	while (i + 1 < clpac__group_n(group) && places[i] != SIZE_MAX)
		i++;
	const clpac_result *result = clpac__group_result(group, i);
	const size_t n_there = clpac_result_get_shape(result)->n_channels;
	return clpac__fail(
		err, CLPAC_ERROR_ARGUMENT,
		"%s has no channel %.100s: it has %zu, the first of them %.100s; a channel is compared where two "
		"subjects of each group have it",
		name_of(group, i, subject), of->name, n_there, n_there ? clpac_result_channel_name(result, 0) : "-");
}

/* Finds one channel in each result.
 * @param[out] places of each result.  @param[out] is_whole false where some result lacks it.
 * Returns whether enough subjects have it. */
static bool find_channel(const clpac_group *group, const wanted *of, size_t *places, bool *is_whole)
{
	const bool are_pairs = group->design == CLPAC_PAIRED;
	size_t n[2] = {0, 0};
	for (size_t i = 0; i < clpac__group_n(group); i++)
		places[i] = find_wanted(group, clpac__group_result(group, i), of);
	for (size_t i = 0; i < group->n_first && are_pairs; i++)
		if (places[i] == SIZE_MAX || places[group->n_first + i] == SIZE_MAX)
			places[i] = places[group->n_first + i] = SIZE_MAX;
	for (size_t i = 0; i < clpac__group_n(group); i++)
		n[i >= group->n_first] += places[i] != SIZE_MAX;
	*is_whole = n[0] + n[1] == clpac__group_n(group);
	return n[0] >= 2 && (n[1] >= 2 || group->design == CLPAC_ONE_SAMPLE);
}

clpac_status clpac__group_channels(const clpac_group *group, clpac__group_frame *out, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	const size_t n_results = clpac__group_n(group);
	wanted *list = NULL;
	size_t n, n_places, *places = NULL; /* (channel, result) */
	clpac__group_frame made = {.is_whole = true};
	TRY(list_wanted(group, &list, &n, err));
	if (!clpac__size_mul(n + 1, n_results, &n_places) || !(places = clpac__alloc_array(n_places, sizeof *places)) ||
	    !(made.places = clpac__alloc_array(n_places, sizeof *made.places)))
		FAIL(CLPAC_ERROR_NO_MEMORY, "comparing %zu results of %zu channels: the host has no memory left",
		     n_results, n);
	for (size_t ch = 0; ch < n; ch++) {
		bool is_whole;
		size_t *own = places + made.n * n_results;
		const bool are_enough = find_channel(group, &list[ch], own, &is_whole);
		if (!are_enough && group->n_channels)
			TRY(fail_to_find(group, &list[ch], own, err));
		made.n += are_enough;
		made.is_whole = made.is_whole && (is_whole || !are_enough);
	}
	if (!made.n)
		TRY(fail_to_find(group, &list[0], places, err));
	for (size_t i = 0; i < n_results; i++)
		for (size_t ch = 0; ch < made.n; ch++)
			made.places[i * made.n + ch] = places[ch * n_results + i];
	*out = made;
	made.places = NULL;
done:
	FREE_ALL(list, places, made.places);
	return st;
}

/* Adds, or subtracts, the values of a result. */
static void add_values(const clpac_group *group, size_t i, const size_t *places, double sign, double *values)
{
	const clpac_result *result = clpac__group_result(group, i);
	const clpac_result_shape *shape = clpac_result_get_shape(result);
	const size_t of_channel = shape->n_segments * shape->n_phase_bands * shape->n_amplitude_bands;
	const size_t n = clpac__group_n_channels(group);
	const float *all = clpac_result_array(result, compared(group), NULL);
	for (size_t ch = 0; ch < n; ch++)
		for (size_t cell = 0; cell < of_channel; cell++)
			values[ch * of_channel + cell] += sign * (double)all[places[i * n + ch] * of_channel + cell];
}

void clpac__group_values(const clpac_group *group, const size_t *places, double *values)
{
	const clpac_result_shape *shape = clpac_result_get_shape(group->first[0]);
	const size_t each =
		clpac__group_n_channels(group) * shape->n_segments * shape->n_phase_bands * shape->n_amplitude_bands;
	const bool are_pairs = group->design == CLPAC_PAIRED;
	const size_t n = are_pairs ? group->n_first : clpac__group_n(group);
	memset(values, 0, n * each * sizeof *values);
	for (size_t i = 0; i < n; i++) {
		add_values(group, i, places, 1, values + i * each);
		if (are_pairs)
			add_values(group, group->n_first + i, places, -1, values + i * each);
	}
}
