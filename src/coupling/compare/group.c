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
	/* A subject's surrogates can be drawn in more ways than anybody asks for. */
	rule.is_drawn = clpac__group_has_surrogates(group);
	if (rule.is_drawn) {
		rule.permutations.n_choices = group->n_permutations ? group->n_permutations : usual_permutations;
		rule.permutations.is_exact = false;
	}
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

/* Names, bands and segments of the first subject; cells that are valid in every one.
 * @param whole the group that this one is of. */
static clpac_status fill_frame(const clpac_group *group, const clpac_group *whole, const size_t *places,
			       clpac_result *result, clpac_error *err)
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
	for (size_t i = 0; i < clpac__group_n(whole); i++)
		for (size_t cell = 0; cell < map; cell++)
			if (!clpac_result_valid(clpac__group_result(whole, i))[cell])
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
			group->of_index	   ? clpac_measure_text(clpac_result_measure(result))
			: group->of_excess ? "excess"
					   : "z",
			group->n_first);
	if (group->design == CLPAC_TWO_SAMPLE)
		clpac__text_add(&text, "+%zu", group->n_second);
	if (rule->is_drawn)
		clpac__text_add(&text, " null=surrogates");
	clpac__text_add(&text, " df=%zu side=%s permutations=%llu exact=%d seed=%llu clusters=", rule->degrees,
			clpac_side_text(group->side), (unsigned long long)p->n_choices, p->is_exact,
			(unsigned long long)group->seed);
	clpac__text_add_number(&text, rule->cluster_alpha);
	clpac__text_add(&text, " family=%s", clpac_family_text(group->family));
	TRY(clpac__text_give(&text, "a line of text", &line, err));
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
	clpac__group_scores scores = {0};
	size_t n, n_values;
	clpac_result_array(result, CLPAC_T, &n);
	if (!clpac__size_mul(n, rule->permutations.n, &n_values) ||
	    !(values = clpac__alloc_array(n_values, sizeof *values)) ||
	    !(links = clpac__alloc_array(map, sizeof *links)))
		FAIL(CLPAC_ERROR_NO_MEMORY, "comparing %zu subjects in %zu cells: the host has no memory left",
		     rule->permutations.n, n);
	clpac__map_links(result, links);
	clpac__group_values(group, places, values);
	if (rule->is_drawn)
		TRY(clpac__group_scores_find(group, places, &scores, err));
	TRY(clpac__group_test(
		&(clpac__group_cells){
			.n_maps = shape->n_channels * shape->n_segments,
			.n_phase = shape->n_phase_bands,
			.n_amplitude = shape->n_amplitude_bands,
			.values = values,
			.valid = clpac_result_valid(result),
			.links = links,
			.scores = rule->is_drawn ? &scores : NULL,
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
	clpac__group_scores_clear(&scores);
	return st;
}

/* Compares subjects that all have the channels.
 * @param whole the group that this one is of.  @param places (result, channel), n_channels of each. */
static clpac_status compare_alike(const clpac_group *group, const clpac_group *whole, const size_t *places,
				  clpac__telling *telling, clpac_result **out, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	clpac_result *made = NULL;
	clpac__group_rule rule = rule_of(group);
	rule.telling = telling;
	clpac_result_shape shape = *clpac_result_get_shape(group->first[0]);
	shape.n_channels = group->n_channels;
	shape.n_surrogates = (size_t)rule.permutations.n_choices - 1;
	shape.n_bins = 0;
	TRY(clpac_result_create(&shape, ARRAYS, &made, err));
	TRY(fill_frame(group, whole, places, made, err));
	TRY(test(group, &rule, places, made, err));
	TRY(clpac__map_discoveries(made, group->family, err));
	*out = made, made = NULL;
done:
	clpac_result_destroy(made);
	return st;
}

/* --- Channels that some subjects lack ----------------------------------------------------------- */

static bool have_the_same_subjects(const clpac__group_frame *frame, size_t n_results, size_t a, size_t b)
{
	for (size_t i = 0; i < n_results; i++)
		if ((frame->places[i * frame->n + a] == SIZE_MAX) != (frame->places[i * frame->n + b] == SIZE_MAX))
			return false;
	return true;
}

/* The subjects that have one channel, and the channels that they alone have, too. */
typedef struct subset {
	clpac_group group;
	const clpac_result **results;
	size_t *channels, *places; /* of the frame, and (result, channel) here */
} subset;

static void choose_subset(const clpac_group *whole, const clpac__group_frame *frame, size_t model, subset *out)
{
	const size_t n_results = clpac__group_n(whole);
	size_t n = 0;
	out->group = *whole;
	out->group.n_first = out->group.n_second = out->group.n_channels = 0;
	for (size_t ch = model; ch < frame->n; ch++)
		if (have_the_same_subjects(frame, n_results, model, ch))
			out->channels[out->group.n_channels++] = ch;
	for (size_t i = 0; i < n_results; i++) {
		if (frame->places[i * frame->n + model] == SIZE_MAX)
			continue;
		*(i < whole->n_first ? &out->group.n_first : &out->group.n_second) += 1;
		for (size_t k = 0; k < out->group.n_channels; k++)
			out->places[n * out->group.n_channels + k] = frame->places[i * frame->n + out->channels[k]];
		out->results[n++] = clpac__group_result(whole, i);
	}
	out->group.first = out->results;
	out->group.second = out->group.n_second ? out->results + out->group.n_first : NULL;
}

/* Puts the channels of a part into the whole. */
static clpac_status put_part(const clpac_result *from, const subset *of, clpac_result *to, clpac_error *err)
{
	const clpac_result_shape *shape = clpac_result_get_shape(to);
	const size_t map = shape->n_phase_bands * shape->n_amplitude_bands, each = shape->n_segments * map;
	clpac_result *part = (clpac_result *)from; /* read only */
	for (size_t k = 0; k < of->group.n_channels; k++) {
		const size_t ch = of->channels[k];
		const char *phase = clpac_result_pair_channel(from, k, CLPAC_PHASE);
		const char *amplitude = clpac_result_pair_channel(from, k, CLPAC_AMPLITUDE);
		RETURN_IF_ERROR(phase && amplitude ? clpac_result_set_pair(to, ch, phase, amplitude, err)
						   : clpac_result_set_channel_name(
							     to, ch, clpac_result_channel_name(from, k), err));
		for (int which = 0; which < CLPAC_ARRAY_COUNT; which++) {
			float *values = clpac_result_array(to, (clpac_array)which, NULL);
			const float *own = clpac_result_array(part, (clpac_array)which, NULL);
			if (values && own)
				memcpy(values + ch * each, own + k * each, each * sizeof *values);
		}
		float *n_subjects = clpac_result_array(to, CLPAC_N_SUBJECTS, NULL);
		for (size_t i = 0; i < each; i++)
			n_subjects[ch * each + i] =
				(float)(of->group.design == CLPAC_PAIRED ? of->group.n_first
									 : clpac__group_n(&of->group));
		for (size_t s = 0; s < shape->n_segments; s++) {
			clpac_result_used_seconds(to)[ch * shape->n_segments + s] =
				clpac_result_used_seconds(part)[k * shape->n_segments + s];
			clpac_result_n_stretches(to)[ch * shape->n_segments + s] =
				clpac_result_n_stretches(part)[k * shape->n_segments + s];
		}
	}
	return CLPAC_OK;
}

/* The frame of the whole, from any part. */
static clpac_status create_whole(const clpac_group *group, size_t n_channels, const clpac_result *part,
				 clpac_result **out, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	clpac_result *made = NULL;
	clpac_result_shape shape = *clpac_result_get_shape(part);
	shape.n_channels = n_channels;
	shape.n_surrogates = (size_t)rule_of(group).permutations.n_choices - 1;
	/* The maxima of each channel are of as many permutations as its subjects have. */
	TRY(clpac_result_create(&shape,
				(ARRAYS & ~(1u << CLPAC_MAXIMA | 1u << CLPAC_CLUSTER_MAXIMA)) | 1u << CLPAC_N_SUBJECTS,
				&made, err));
	TRY(clpac_result_set_measure(made, clpac_result_measure(part), err));
	TRY(clpac_result_set_cell_bands(made, clpac_result_cell_bands(part), err));
	memcpy(clpac_result_phase_bands(made), clpac_result_phase_bands((clpac_result *)part),
	       shape.n_phase_bands * sizeof(clpac_band));
	memcpy(clpac_result_amplitude_bands(made), clpac_result_amplitude_bands((clpac_result *)part),
	       shape.n_amplitude_bands * sizeof(clpac_band));
	memcpy(clpac_result_segment_onsets(made), clpac_result_segment_onsets((clpac_result *)part),
	       shape.n_segments * sizeof(double));
	memcpy(clpac_result_valid(made), clpac_result_valid((clpac_result *)part),
	       shape.n_phase_bands * shape.n_amplitude_bands);
	memset(clpac_result_empty_bins(made), 0,
	       n_channels * shape.n_segments * shape.n_phase_bands * sizeof(uint32_t));
	*out = made, made = NULL;
done:
	clpac_result_destroy(made);
	return st;
}

/* Compares each channel among the subjects that have it: channels of the same subjects together.  The first pass counts
 * the permutations. */
static clpac_status compare_parts(const clpac_group *group, const clpac__group_frame *frame, clpac__telling *telling,
				  clpac_result **out, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	const size_t n_results = clpac__group_n(group);
	clpac_result *made = NULL, *part = NULL;
	subset of = {.results = clpac__alloc_array(n_results, sizeof *of.results),
		     .channels = clpac__alloc_array(frame->n, sizeof *of.channels),
		     .places = clpac__alloc_array(n_results, frame->n * sizeof *of.places)};
	if (!of.results || !of.channels || !of.places)
		FAIL_NO_MEMORY(n_results * frame->n * sizeof *of.places);
	if (group->family == CLPAC_FAMILY_RUN)
		FAIL(CLPAC_ERROR_ARGUMENT,
		     "family is the run, and some subjects lack channels that others have: name the channels that all "
		     "have, or correct over each map");
	telling->total = 0;
	for (int pass = 0; pass < 2; pass++)
		for (size_t ch = 0; ch < frame->n; ch++) {
			bool is_done = false;
			for (size_t before = 0; before < ch && !is_done; before++)
				is_done = have_the_same_subjects(frame, n_results, before, ch);
			if (is_done)
				continue;
			choose_subset(group, frame, ch, &of);
			telling->total += pass ? 0 : rule_of(&of.group).permutations.n_choices - 1;
			if (!pass)
				continue;
			TRY(compare_alike(&of.group, group, of.places, telling, &part, err));
			if (!made)
				TRY(create_whole(group, frame->n, part, &made, err));
			TRY(put_part(part, &of, made, err));
			clpac_result_destroy(part);
			part = NULL;
		}
	*out = made, made = NULL;
done:
	clpac_result_destroy(part);
	clpac_result_destroy(made);
	FREE_ALL(of.results, of.channels, of.places);
	return st;
}

clpac_status clpac_result_group(const clpac_group *given, clpac_result **out, clpac_error *err)
{
	NEED_AS(given, "group");
	NEED(out);
	clpac_status st = CLPAC_OK;
	clpac_group own, *group = &own;
	clpac_result *made = NULL;
	clpac__group_frame frame = {0};
	TRY(clpac__take_sized(&own, given, clpac_group, err));
	TRY(clpac__group_check(group, err));
	const clpac__group_rule rule = rule_of(group);
	clpac__telling telling = {
		.progress = group->progress, .user = group->progress_user, .total = rule.permutations.n_choices - 1};
	TRY(clpac__group_channels(group, &frame, err));
	group->n_channels = frame.n;
	TRY(frame.is_whole ? compare_alike(group, group, frame.places, &telling, &made, err)
			   : compare_parts(group, &frame, &telling, &made, err));
	TRY(write_text(group, &rule, made, err));
	warn(group, &rule, made);
	*out = made, made = NULL;
done:
	clpac_result_destroy(made);
	clpac__free(frame.places);
	return st;
}
