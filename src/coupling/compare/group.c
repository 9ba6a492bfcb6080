/* Results of subjects compared: checked, tested, and made a result of their own. */
#include <clpac/group.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/sized.h"
#include "base/text.h"
#include "coupling/compare/compare_parts.h"

static const uint64_t usual_permutations = 10000;
static const double usual_alpha = 0.05, significance = 0.05;

enum {
	ARRAYS = 1 << CLPAC_P | 1 << CLPAC_P_MAX | 1 << CLPAC_MAXIMA | 1 << CLPAC_Q_BH | 1 << CLPAC_Q_BY |
		 1 << CLPAC_P_CLUSTER | 1 << CLPAC_CLUSTER_MASS | 1 << CLPAC_CLUSTER_MAXIMA | 1 << CLPAC_EFFECT |
		 1 << CLPAC_T
};

static clpac__permutations choose(clpac_design design, size_t n_first, size_t n_second, uint64_t wanted, uint64_t seed)
{
	const bool are_labels = design == CLPAC_TWO_SAMPLE;
	return clpac__permutations_choose(are_labels, n_first, are_labels ? n_first + n_second : n_first,
					  wanted ? wanted : usual_permutations, seed);
}

uint64_t clpac_group_permutations(clpac_design design, size_t n_first, size_t n_second, uint64_t wanted, bool *is_exact)
{
	const clpac__permutations chosen = choose(design, n_first, n_second, wanted, 0);
	if (is_exact)
		*is_exact = chosen.is_exact;
	return chosen.n_choices;
}

static clpac__group_rule rule_of(const clpac_group *group)
{
	clpac__group_rule rule = {
		.permutations =
			choose(group->design, group->n_first, group->n_second, group->n_permutations, group->seed),
		.side = group->side,
		.is_one_family = group->family == CLPAC_FAMILY_RUN,
		.cluster_alpha = group->cluster_alpha > 0 ? group->cluster_alpha : usual_alpha,
	};
	rule.degrees = rule.permutations.n - (rule.permutations.are_labels ? 2 : 1);
	return rule;
}

/* The time of all results together, and its stretches. */
static void add_used(const clpac_group *group, const size_t *places, clpac_result *result)
{
	const clpac_result_shape *shape = clpac_result_get_shape(result);
	const size_t n_channels = shape->n_channels, n_segments = shape->n_segments;
	for (size_t i = 0; i < clpac__group_n(group); i++) {
		clpac_result *one = (clpac_result *)clpac__group_result(group, i); /* read only */
		for (size_t series = 0; series < n_channels * n_segments; series++) {
			const size_t channel = places[i * n_channels + series / n_segments];
			const size_t from = channel * n_segments + series % n_segments;
			clpac_result_used_seconds(result)[series] += clpac_result_used_seconds(one)[from];
			clpac_result_n_stretches(result)[series] += clpac_result_n_stretches(one)[from];
		}
	}
}

/* Names, bands and segments of the first subject; cells that are valid in every one. */
static clpac_status fill_frame(const clpac_group *group, const size_t *places, clpac_result *result, clpac_error *err)
{
	const clpac_result *model = group->first[0];
	const clpac_result_shape *shape = clpac_result_get_shape(result);
	const size_t map = shape->n_phase_bands * shape->n_amplitude_bands;
	RETURN_IF_ERROR(clpac_result_set_measure(result, clpac_result_measure(model), err));
	RETURN_IF_ERROR(clpac_result_set_cell_bands(result, clpac_result_cell_bands(model), err));
	memcpy(clpac_result_phase_bands(result), clpac_result_phase_bands(model),
	       shape->n_phase_bands * sizeof(clpac_band));
	memcpy(clpac_result_amplitude_bands(result), clpac_result_amplitude_bands(model),
	       shape->n_amplitude_bands * sizeof(clpac_band));
	memcpy(clpac_result_segment_onsets(result), clpac_result_segment_onsets(model),
	       shape->n_segments * sizeof(double));
	memset(clpac_result_empty_bins(result), 0,
	       shape->n_channels * shape->n_segments * shape->n_phase_bands * sizeof(uint32_t));
	for (size_t ch = 0; ch < shape->n_channels; ch++) {
		const char *phase = clpac_result_pair_channel(model, places[ch], CLPAC_PHASE);
		const char *amplitude = clpac_result_pair_channel(model, places[ch], CLPAC_AMPLITUDE);
		if (phase && amplitude)
			RETURN_IF_ERROR(clpac_result_set_pair(result, ch, phase, amplitude, err));
		else
			RETURN_IF_ERROR(clpac_result_set_channel_name(
				result, ch, clpac_result_channel_name(model, places[ch]), err));
	}
	for (size_t i = 0; i < clpac__group_n(group); i++)
		for (size_t cell = 0; cell < map; cell++)
			if (!clpac_result_valid(clpac__group_result(group, i))[cell])
				clpac_result_valid(result)[cell] = 0;
	add_used(group, places, result);
	return CLPAC_OK;
}

static clpac_status write_text(const clpac_group *group, const clpac__group_rule *rule, clpac_result *result,
			       clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	clpac__text text = {0};
	char *line = NULL;
	const clpac__permutations *p = &rule->permutations;
	clpac__text_add(&text, "group=%s value=%s subjects=%zu", clpac_design_text(group->design),
			group->of_index ? clpac_measure_text(clpac_result_measure(result)) : "z", group->n_first);
	if (group->design == CLPAC_TWO_SAMPLE)
		clpac__text_add(&text, "+%zu", group->n_second);
	clpac__text_add(&text, " df=%zu side=%s permutations=%llu exact=%d seed=%llu clusters=", rule->degrees,
			clpac_side_text(group->side), (unsigned long long)p->n_choices, p->is_exact,
			(unsigned long long)group->seed);
	clpac__text_add_number(&text, rule->cluster_alpha);
	clpac__text_add(&text, " family=%s", clpac_family_text(group->family));
	if (!(line = clpac__text_take(&text)))
		FAIL_NO_MEMORY(1);
	TRY(clpac_result_set_problem(result, line, err));
done:
	clpac__free(line);
	return st;
}

static void warn(const clpac_group *group, const clpac__group_rule *rule, clpac_result *result)
{
	clpac_report *report = clpac_result_report(result);
	const clpac_result_shape *shape = clpac_result_get_shape(result);
	const size_t map = shape->n_phase_bands * shape->n_amplitude_bands;
	size_t n, n_missing = 0, n_not_valid = 0, first = SIZE_MAX;
	const float *t = clpac_result_array(result, CLPAC_T, &n);
	for (size_t i = 0; i < n; i++) {
		const bool is_missing = isnan(t[i]);
		first = is_missing && !n_missing ? i : first;
		n_missing += is_missing;
		n_not_valid += !is_missing && !clpac_result_valid(result)[i % map];
	}
	report->warnings[CLPAC_WARN_MISSING].count = n_missing;
	report->warnings[CLPAC_WARN_NOT_VALID].count = n_not_valid;
	if (n_missing)
		snprintf(report->warnings[CLPAC_WARN_MISSING].text, sizeof report->warnings->text,
			 "%zu of %zu cells have no t, as some subject has no value there or values do not differ; the "
			 "first is in channel %.60s, phase band %zu, amplitude band %zu",
			 n_missing, n, clpac_result_channel_name(result, first / map / shape->n_segments),
			 first % map / shape->n_amplitude_bands, first % shape->n_amplitude_bands);
	if (n_not_valid)
		snprintf(report->warnings[CLPAC_WARN_NOT_VALID].text, sizeof report->warnings->text,
			 "%zu of %zu cells are not valid in some subject: they have p, but no p_max, and are no peaks",
			 n_not_valid, n);
	/* Signs of all subjects flipped, and two labels of equal groups exchanged, give the same magnitude. */
	const bool is_twice = group->side == CLPAC_SIDE_BOTH && rule->permutations.is_exact &&
			      (group->design != CLPAC_TWO_SAMPLE || group->n_first == group->n_second);
	const double least = (is_twice ? 2 : 1) / (double)rule->permutations.n_choices;
	if (least <= significance)
		return;
	report->warnings[CLPAC_WARN_FEW_SUBJECTS].count = 1;
	snprintf(report->warnings[CLPAC_WARN_FEW_SUBJECTS].text, sizeof report->warnings->text,
		 "no p can be below %.3g: %llu permutations are too few for p <= %g; give more %s", least,
		 (unsigned long long)rule->permutations.n_choices, significance,
		 rule->permutations.is_exact ? "subjects" : "permutations");
}

/* Tests all cells of a result whose frame is filled. */
static clpac_status test(const clpac_group *group, const clpac__group_rule *rule, const size_t *places,
			 clpac_result *result, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	const clpac_result_shape *shape = clpac_result_get_shape(result);
	const size_t map = shape->n_phase_bands * shape->n_amplitude_bands;
	double *values = NULL;
	uint32_t *links = NULL;
	size_t n, n_values;
	clpac_result_array(result, CLPAC_T, &n);
	if (!clpac__size_mul(n, rule->permutations.n, &n_values) ||
	    !(values = clpac__alloc_array(n_values, sizeof *values)) ||
	    !(links = clpac__alloc_array(map, sizeof *links)))
		FAIL(CLPAC_ERROR_NO_MEMORY, "comparing %zu subjects in %zu cells: the host has no memory left",
		     rule->permutations.n, n);
	clpac__map_links(result, links);
	clpac__group_values(group, places, values);
	TRY(clpac__group_test(
		&(clpac__group_cells){
			.n_maps = shape->n_channels * shape->n_segments,
			.n_phase = shape->n_phase_bands,
			.n_amplitude = shape->n_amplitude_bands,
			.values = values,
			.valid = clpac_result_valid(result),
			.links = links,
		},
		rule,
		&(clpac__group_outcome){
			.effect = clpac_result_array(result, CLPAC_EFFECT, NULL),
			.t = clpac_result_array(result, CLPAC_T, NULL),
			.p = clpac_result_array(result, CLPAC_P, NULL),
			.p_max = clpac_result_array(result, CLPAC_P_MAX, NULL),
			.mass = clpac_result_array(result, CLPAC_CLUSTER_MASS, NULL),
			.p_cluster = clpac_result_array(result, CLPAC_P_CLUSTER, NULL),
			.maxima = clpac_result_array(result, CLPAC_MAXIMA, NULL),
			.heaviest = clpac_result_array(result, CLPAC_CLUSTER_MAXIMA, NULL),
		},
		err));
done:
	FREE_ALL(values, links);
	return st;
}

clpac_status clpac_result_group(const clpac_group *given, clpac_result **out, clpac_error *err)
{
	NEED_AS(given, "group");
	NEED(out);
	clpac_status st = CLPAC_OK;
	clpac_group own, *group = &own;
	clpac_result *made = NULL;
	size_t *places = NULL;
	TRY(clpac__take_sized(&own, given, clpac_group, err));
	TRY(clpac__group_check(group, err));
	clpac__group_rule rule = rule_of(group);
	clpac__telling telling = {
		.progress = group->progress, .user = group->progress_user, .total = rule.permutations.n_choices - 1};
	rule.telling = &telling;
	const size_t n_channels = clpac__group_n_channels(group), n_results = clpac__group_n(group);
	size_t n_places;
	if (!clpac__size_mul(n_channels, n_results, &n_places) ||
	    !(places = clpac__alloc_array(n_places, sizeof *places)))
		FAIL(CLPAC_ERROR_NO_MEMORY, "comparing %zu results of %zu channels: the host has no memory left",
		     n_results, n_channels);
	TRY(clpac__group_channels(group, places, err));
	clpac_result_shape shape = *clpac_result_get_shape(group->first[0]);
	shape.n_channels = n_channels;
	shape.n_surrogates = (size_t)rule.permutations.n_choices - 1;
	shape.n_bins = 0;
	TRY(clpac_result_create(&shape, ARRAYS, &made, err));
	TRY(fill_frame(group, places, made, err));
	TRY(test(group, &rule, places, made, err));
	TRY(clpac__map_discoveries(made, group->family, err));
	TRY(write_text(group, &rule, made, err));
	warn(group, &rule, made);
	*out = made, made = NULL;
done:
	clpac_result_destroy(made);
	clpac__free(places);
	return st;
}
