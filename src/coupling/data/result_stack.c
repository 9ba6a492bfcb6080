/* Stacks results along their segments.  A map has the same shape whatever the length of its segment, so that results of
 * plans for different lengths fit into one. */
#include "coupling/data/result.h"
#include "base/memory.h"

#include <string.h>

/* Number in the whole of segment k, which is counted through all parts. */
static size_t place_of(const size_t *places, size_t k)
{
	return places ? places[k] : k;
}

static clpac_status check_shapes(const clpac_result *first, const clpac_result *part, size_t i, clpac_error *err)
{
	const clpac_result_shape *a = &first->shape, *b = &part->shape;
	const struct {
		const char *name;
		size_t first, other;
	} counts[] = {
		{"channels", a->n_channels, b->n_channels},
		{"phase bands", a->n_phase_bands, b->n_phase_bands},
		{"amplitude bands", a->n_amplitude_bands, b->n_amplitude_bands},
		{"phase bins", a->n_bins, b->n_bins},
		{"surrogates", a->n_surrogates, b->n_surrogates},
	};
	for (size_t k = 0; k < sizeof counts / sizeof *counts; k++)
		if (counts[k].first != counts[k].other)
			RETURN_ERROR(CLPAC_ERROR_ARGUMENT,
				     "stacking results: part %zu has %zu %s, part 0 has %zu; parts may differ in "
				     "segments only",
				     i, counts[k].other, counts[k].name, counts[k].first);
	if (first->measure != part->measure || !first->next != !part->next)
		RETURN_ERROR(
			CLPAC_ERROR_ARGUMENT,
			"stacking results: the measures of part %zu are not those of part 0; give parts of one problem",
			i);
	for (int which = 0; which < CLPAC_ARRAY_COUNT; which++)
		if (!first->arrays[which] != !part->arrays[which])
			RETURN_ERROR(CLPAC_ERROR_ARGUMENT,
				     "stacking results: part %zu holds array %s, part %zu does not; give parts with "
				     "the same "
				     "arrays",
				     part->arrays[which] ? i : 0, clpac_array_name((clpac_array)which),
				     part->arrays[which] ? 0 : i);
	return CLPAC_OK;
}

static clpac_status check_bands(const char *use, const clpac_band *first, const clpac_band *other, size_t n, size_t i,
				clpac_error *err)
{
	for (size_t k = 0; k < n; k++)
		if (first[k].lo_hz != other[k].lo_hz || first[k].hi_hz != other[k].hi_hz)
			RETURN_ERROR(CLPAC_ERROR_ARGUMENT,
				     "stacking results: %s band %zu is %g-%g Hz in part %zu and %g-%g Hz in part 0; "
				     "give parts "
				     "of the same bands",
				     use, k, other[k].lo_hz, other[k].hi_hz, i, first[k].lo_hz, first[k].hi_hz);
	return CLPAC_OK;
}

static clpac_status check_part(const clpac_result *first, const clpac_result *part, size_t i, clpac_error *err)
{
	for (const clpac_result *a = first, *b = part; a && b; a = a->next, b = b->next)
		RETURN_IF_ERROR(check_shapes(a, b, i, err));
	RETURN_IF_ERROR(
		check_bands("phase", first->phase_bands, part->phase_bands, first->shape.n_phase_bands, i, err));
	RETURN_IF_ERROR(check_bands("amplitude", first->amplitude_bands, part->amplitude_bands,
				    first->shape.n_amplitude_bands, i, err));
	if (!first->cell_bands != !part->cell_bands)
		RETURN_ERROR(CLPAC_ERROR_ARGUMENT,
			     "stacking results: the amplitudes of part %zu are tied to the phases, those of part %zu "
			     "are not; "
			     "give parts of the same bands",
			     part->cell_bands ? i : 0, part->cell_bands ? 0 : i);
	if (first->cell_bands)
		RETURN_IF_ERROR(check_bands("cell", first->cell_bands, part->cell_bands,
					    first->shape.n_phase_bands * first->shape.n_amplitude_bands, i, err));
	if (memcmp(first->valid, part->valid, first->shape.n_phase_bands * first->shape.n_amplitude_bands) != 0)
		RETURN_ERROR(
			CLPAC_ERROR_ARGUMENT,
			"stacking results: other cells are valid in part %zu than in part 0; give parts of one problem",
			i);
	for (size_t c = 0; c < first->shape.n_channels; c++)
		if (strcmp(first->channel_names[c], part->channel_names[c]) != 0)
			RETURN_ERROR(CLPAC_ERROR_ARGUMENT,
				     "stacking results: channel %zu is \"%.100s\" in part %zu and \"%.100s\" in part "
				     "0; give "
				     "parts of the same channels",
				     c, part->channel_names[c], i, first->channel_names[c]);
	return CLPAC_OK;
}

/* Refuses a list that does not hold each of 0 .. n - 1 once. */
static clpac_status check_places(const size_t *places, size_t n, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	bool *is_taken;
	TRY(NEW_ARRAY(is_taken, n));
	for (size_t k = 0; k < n; k++) {
		if (places[k] >= n)
			FAIL(CLPAC_ERROR_ARGUMENT,
			     "stacking results: places[%zu] is %zu, but the parts have %zu segments, numbered from 0",
			     k, places[k], n);
		if (is_taken[places[k]])
			FAIL(CLPAC_ERROR_ARGUMENT,
			     "stacking results: places[%zu] is %zu, which another segment has already", k, places[k]);
		is_taken[places[k]] = true;
	}
done:
	clpac__free(is_taken);
	return st;
}

/* Copies a part's rows, one of `bytes` per channel and segment, to their places in the whole. */
static void copy_rows(const clpac_result *whole, const clpac_result *part, const size_t *places, size_t first, void *to,
		      const void *from, size_t bytes)
{
	const size_t n_channels = part->shape.n_channels, n_segments = part->shape.n_segments;
	for (size_t c = 0; c < n_channels; c++)
		for (size_t s = 0; s < n_segments; s++) {
			size_t place = place_of(places, first + s);
			memcpy((char *)to + (c * whole->shape.n_segments + place) * bytes,
			       (const char *)from + (c * n_segments + s) * bytes, bytes);
		}
}

/* Copies a part's segments.  The first of them is number `first`, counted through all parts. */
static void copy_segments(clpac_result *whole, const clpac_result *part, const size_t *places, size_t first)
{
	const size_t n_series = part->shape.n_channels * part->shape.n_segments;
	const clpac_result *to = whole;
	for (const clpac_result *from = part; from; from = from->next, to = to->next)
		for (int which = 0; which < CLPAC_ARRAY_COUNT; which++)
			if (from->arrays[which])
				copy_rows(whole, part, places, first, to->arrays[which], from->arrays[which],
					  from->n_values[which] / n_series * sizeof(float));
	copy_rows(whole, part, places, first, whole->empty_bins, part->empty_bins,
		  part->shape.n_phase_bands * sizeof *part->empty_bins);
	copy_rows(whole, part, places, first, whole->used_seconds, part->used_seconds, sizeof *part->used_seconds);
	copy_rows(whole, part, places, first, whole->n_stretches, part->n_stretches, sizeof *part->n_stretches);
	for (size_t s = 0; s < part->shape.n_segments; s++)
		whole->segment_onsets[place_of(places, first + s)] = part->segment_onsets[s];
}

static clpac_status copy_conditions(clpac_result *whole, const clpac_result *part, const size_t *places, size_t first,
				    clpac_error *err)
{
	for (size_t s = 0; part->conditions && s < part->shape.n_segments; s++)
		if (part->conditions[s])
			RETURN_IF_ERROR(clpac_result_set_condition(whole, place_of(places, first + s),
								   part->conditions[s], err));
	return CLPAC_OK;
}

static unsigned arrays_of(const clpac_result *result)
{
	unsigned arrays = 0;
	for (int which = 0; which < CLPAC_ARRAY_COUNT; which++)
		if (result->arrays[which])
			arrays |= 1u << which;
	return arrays;
}

/* Creates a result like the first part, with its bands, names, filters and problem, but with n_segments segments. */
static clpac_status create_like(const clpac_result *first, size_t n_segments, clpac_result **out, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	clpac_result *made = NULL;
	clpac_result_shape shape = first->shape;
	shape.n_segments = n_segments;
	TRY(clpac_result_create(&shape, arrays_of(first), &made, err));
	TRY(clpac_result_set_measure(made, first->measure, err));
	for (const clpac_result *part = first->next; part; part = part->next)
		TRY(clpac_result_add_measure(made, part->measure, arrays_of(part), NULL, err));
	memcpy(made->phase_bands, first->phase_bands, shape.n_phase_bands * sizeof(clpac_band));
	memcpy(made->amplitude_bands, first->amplitude_bands, shape.n_amplitude_bands * sizeof(clpac_band));
	memcpy(made->valid, first->valid, shape.n_phase_bands * shape.n_amplitude_bands);
	TRY(clpac_result_set_cell_bands(made, first->cell_bands, err));
	for (size_t c = 0; c < shape.n_channels; c++)
		TRY(clpac__result_copy_name(made, c, first, c, err));
	TRY(clpac_result_set_band_reports(made, first->band_reports, first->n_band_reports, err));
	TRY(clpac_result_set_problem(made, clpac_result_problem(first), err));
	made->report = first->report;
	*out = made, made = NULL;
done:
	clpac_result_destroy(made);
	return st;
}

clpac_status clpac_result_stack(clpac_result *const *parts, size_t n_parts, const size_t *places, clpac_result **out,
				clpac_error *err)
{
	NEED(parts, out);
	clpac_status st = CLPAC_OK;
	clpac_result *made = NULL;
	size_t n_segments = 0, first = 0;
	if (!parts || !out)
		FAIL(CLPAC_ERROR_ARGUMENT, "clpac_result_stack: %s is NULL", parts ? "out" : "parts");
	if (n_parts == 0)
		FAIL(CLPAC_ERROR_ARGUMENT, "clpac_result_stack: n_parts is 0: at least one result is needed");
	for (size_t i = 0; i < n_parts; i++) {
		if (!parts[i])
			FAIL(CLPAC_ERROR_ARGUMENT, "clpac_result_stack: parts[%zu] is NULL", i);
		if (i)
			TRY(check_part(parts[0], parts[i], i, err));
		if (!clpac__size_add(n_segments, parts[i]->shape.n_segments, &n_segments))
			FAIL(CLPAC_ERROR_ARGUMENT,
			     "stacking results: the segments of %zu parts are more than this computer can address",
			     n_parts);
	}
	if (places)
		TRY(check_places(places, n_segments, err));
	TRY(create_like(parts[0], n_segments, &made, err));
	for (size_t i = 0; i < n_parts; i++) {
		copy_segments(made, parts[i], places, first);
		TRY(copy_conditions(made, parts[i], places, first, err));
		first += parts[i]->shape.n_segments;
		if (i)
			clpac__report_add(&made->report, &parts[i]->report);
	}
	*out = made, made = NULL;
done:
	clpac_result_destroy(made);
	return st;
}
