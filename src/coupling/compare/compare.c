/* Two conditions of a result compared: epochs gathered channel by channel, tested, and made a result of their own. */
#include <clpac/compare.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/sized.h"
#include "base/text.h"
#include "coupling/signal/clusters.h"
#include "coupling/compare/compare_parts.h"

static const double usual_alpha = 0.05, significance = 0.05;

enum {
	ARRAYS = 1 << CLPAC_P | 1 << CLPAC_P_MAX | 1 << CLPAC_MAXIMA | 1 << CLPAC_Q_BH | 1 << CLPAC_Q_BY |
		 1 << CLPAC_P_CLUSTER | 1 << CLPAC_CLUSTER_MASS | 1 << CLPAC_CLUSTER_MAXIMA | 1 << CLPAC_EFFECT |
		 1 << CLPAC_T
};

typedef struct work {
	clpac__telling *telling;
	clpac__compared_epochs epochs;
	uint32_t *links;
	clpac_result *made;
} work;

/* --- Tests -------------------------------------------------------------------------------------- */

static float *rows_of(const work *w, clpac_array which, size_t i, size_t each)
{
	float *values = clpac_result_array(w->made, which, NULL);
	return values ? values + i * each : NULL;
}

/* The ratio of the means of indices; of z there is none. */
static void write_ratio(const work *w, size_t i)
{
	const clpac__epochs *own = &w->epochs.of_channels[i];
	float *ratio = rows_of(w, CLPAC_RATIO, i, w->epochs.map);
	const float *mi = clpac_result_array(w->epochs.asked->result, CLPAC_MI, NULL);
	for (size_t cell = 0; ratio && cell < w->epochs.map; cell++) {
		double sums[2] = {0, 0};
		for (size_t e = 0; e < own->n; e++)
			sums[e >= own->n_first] +=
				(double)mi[(w->epochs.channels[i] * w->epochs.shape->n_segments + own->segments[e]) *
						   w->epochs.map +
					   cell];
		ratio[cell] = (float)(sums[0] / (double)own->n_first / (sums[1] / (double)(own->n - own->n_first)));
	}
}

/* Tests the means of channels i .. i + n - 1, which have the same epochs. */
static clpac_status test_means(const work *w, size_t i, size_t n, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	const clpac_comparison *c = w->epochs.asked;
	const clpac__epochs *own = &w->epochs.of_channels[i];
	const size_t n_others = clpac_result_get_shape(w->made)->n_surrogates;
	const float *from = clpac_result_array(c->result, c->of_z ? CLPAC_Z : CLPAC_MI, NULL);
	size_t n_values;
	double *values = NULL;
	if (!clpac__size_mul(own->n, n * w->epochs.map, &n_values) ||
	    !(values = clpac__alloc_array(n_values, sizeof *values)))
		FAIL(CLPAC_ERROR_NO_MEMORY, "comparing %zu epochs in %zu cells: the host has no memory left", own->n,
		     n * w->epochs.map);
	for (size_t e = 0; e < own->n; e++)
		for (size_t k = 0; k < n; k++)
			for (size_t cell = 0; cell < w->epochs.map; cell++)
				values[(e * n + k) * w->epochs.map + cell] =
					(double)from[(w->epochs.channels[i + k] * w->epochs.shape->n_segments +
						      own->segments[e]) *
							     w->epochs.map +
						     cell];
	for (size_t k = 0; k < n; k++)
		write_ratio(w, i + k);
	TRY(clpac__group_test(
		&(clpac__group_cells){.n_maps = n,
				      .n_phase = w->epochs.shape->n_phase_bands,
				      .n_amplitude = w->epochs.shape->n_amplitude_bands,
				      .values = values,
				      .valid = clpac_result_valid(w->made),
				      .links = w->links},
		&(clpac__group_rule){.permutations = w->epochs.permutations[i],
				     .degrees = own->n - 2,
				     .side = c->side,
				     .is_one_family = c->family == CLPAC_FAMILY_RUN,
				     .cluster_alpha = c->cluster_alpha > 0 ? c->cluster_alpha : usual_alpha,
				     .telling = w->telling},
		&(clpac__group_outcome){.effect = rows_of(w, CLPAC_EFFECT, i, w->epochs.map),
					.t = rows_of(w, CLPAC_T, i, w->epochs.map),
					.p = rows_of(w, CLPAC_P, i, w->epochs.map),
					.p_max = rows_of(w, CLPAC_P_MAX, i, w->epochs.map),
					.mass = rows_of(w, CLPAC_CLUSTER_MASS, i, w->epochs.map),
					.p_cluster = rows_of(w, CLPAC_P_CLUSTER, i, w->epochs.map),
					.maxima = rows_of(w, CLPAC_MAXIMA, i, n_others),
					.heaviest = rows_of(w, CLPAC_CLUSTER_MAXIMA, i, n_others)},
		err));
done:
	clpac__free(values);
	return st;
}

/* Sums and counts of the phase bins of a channel's epochs. */
static void take_sums(const work *w, size_t i, float *sums, float *counts)
{
	const clpac__epochs *own = &w->epochs.of_channels[i];
	const size_t n_bins = w->epochs.shape->n_bins, n_am = w->epochs.shape->n_amplitude_bands,
		     n_ph = w->epochs.shape->n_phase_bands;
	const float *means = clpac_result_array(w->epochs.asked->result, CLPAC_DISTRIBUTION, NULL);
	const float *kept = clpac_result_array(w->epochs.asked->result, CLPAC_BIN_COUNTS, NULL);
	for (size_t e = 0; e < own->n; e++) {
		const size_t series = w->epochs.channels[i] * w->epochs.shape->n_segments + own->segments[e];
		for (size_t k = 0; k < n_ph * n_bins; k++)
			counts[e * n_ph * n_bins + k] = kept[series * n_ph * n_bins + k];
		for (size_t k = 0; k < w->epochs.map * n_bins; k++) {
			const size_t ph = k / n_bins / n_am, bin = k % n_bins;
			const float n = kept[(series * n_ph + ph) * n_bins + bin];
			sums[e * w->epochs.map * n_bins + k] =
				n > 0 ? n * means[series * w->epochs.map * n_bins + k] : 0;
		}
	}
}

static bool are_sums(const clpac_result *result)
{
	const char *word = strstr(clpac_result_problem(result), "average=sum");
	return word && (word == clpac_result_problem(result) || word[-1] == ' ');
}

static clpac_status test_pooled(const work *w, size_t i, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	const clpac_comparison *c = w->epochs.asked;
	const clpac__epochs *own = &w->epochs.of_channels[i];
	const size_t n_others = clpac_result_get_shape(w->made)->n_surrogates, n_bins = w->epochs.shape->n_bins;
	float *sums = clpac__alloc_array(own->n, w->epochs.map * n_bins * sizeof *sums);
	float *counts = clpac__alloc_array(own->n, w->epochs.shape->n_phase_bands * n_bins * sizeof *counts);
	if (!sums || !counts)
		FAIL(CLPAC_ERROR_NO_MEMORY, "comparing %zu epochs of %zu cells: the host has no memory left", own->n,
		     w->epochs.map);
	take_sums(w, i, sums, counts);
	TRY(clpac__pooled_test(
		&(clpac__pooled_map){.n_phase = w->epochs.shape->n_phase_bands,
				     .n_amplitude = w->epochs.shape->n_amplitude_bands,
				     .n_bins = n_bins,
				     .sums = sums,
				     .counts = counts,
				     .valid = clpac_result_valid(w->made),
				     .links = w->links,
				     .measure = clpac_result_measure(c->result),
				     .average = are_sums(c->result) ? CLPAC_AVERAGE_SUM : CLPAC_AVERAGE_MEAN},
		&(clpac__pooled_rule){.permutations = w->epochs.permutations[i],
				      .side = c->side,
				      .cluster_alpha = c->cluster_alpha > 0 ? c->cluster_alpha : usual_alpha,
				      .telling = w->telling},
		&(clpac__pooled_outcome){.effect = rows_of(w, CLPAC_EFFECT, i, w->epochs.map),
					 .ratio = rows_of(w, CLPAC_RATIO, i, w->epochs.map),
					 .statistic = rows_of(w, CLPAC_T, i, w->epochs.map),
					 .p = rows_of(w, CLPAC_P, i, w->epochs.map),
					 .mass = rows_of(w, CLPAC_CLUSTER_MASS, i, w->epochs.map),
					 .maxima = rows_of(w, CLPAC_MAXIMA, i, n_others),
					 .heaviest = rows_of(w, CLPAC_CLUSTER_MAXIMA, i, n_others)},
		err));
done:
	FREE_ALL(sums, counts);
	return st;
}

/* The highest of all channels in each permutation, for each of them. */
static void share_maxima(float *maxima, size_t n_channels, size_t n_others)
{
	for (size_t k = 0; k < n_others; k++) {
		float highest = NAN;
		for (size_t i = 0; i < n_channels; i++)
			highest = fmaxf(highest, maxima[i * n_others + k]);
		for (size_t i = 0; i < n_channels; i++)
			maxima[i * n_others + k] = highest;
	}
}

/* p_max and p of clusters of pooled differences, over each map or all of them. */
static clpac_status correct_pooled(const work *w, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	const size_t n_others = clpac_result_get_shape(w->made)->n_surrogates;
	static const clpac_array both[] = {CLPAC_MAXIMA, CLPAC_CLUSTER_MAXIMA};
	float *rows[2] = {NULL, NULL};
	for (int i = 0; i < 2; i++) {
		size_t n;
		const float *own = clpac_result_array(w->made, both[i], &n);
		TRY(NEW_ARRAY(rows[i], n));
		memcpy(rows[i], own, n * sizeof *own);
		if (w->epochs.asked->family == CLPAC_FAMILY_RUN)
			share_maxima(rows[i], w->epochs.n_channels, n_others);
	}
	for (size_t i = 0; i < w->epochs.n_channels; i++) {
		const size_t own = w->epochs.of_channels[i].n ? (size_t)w->epochs.permutations[i].n_choices - 1 : 0;
		if (!own)
			continue;
		clpac__pooled_p_max(rows_of(w, CLPAC_T, i, w->epochs.map), clpac_result_valid(w->made), w->epochs.map,
				    w->epochs.map, w->epochs.asked->side, rows[0] + i * n_others, own,
				    rows_of(w, CLPAC_P_MAX, i, w->epochs.map));
		clpac__p_of_clusters(rows_of(w, CLPAC_CLUSTER_MASS, i, w->epochs.map), w->epochs.map,
				     rows[1] + i * n_others, own, rows_of(w, CLPAC_P_CLUSTER, i, w->epochs.map));
	}
done:
	FREE_ALL(rows[0], rows[1]);
	return st;
}

/* The permutations of all channels: of pooled indices each counts twice. */
static uint64_t count_permutations(const work *w)
{
	const clpac_comparison *c = w->epochs.asked;
	uint64_t n = 0;
	for (size_t i = 0; i < w->epochs.n_channels; i++)
		if (w->epochs.of_channels[i].n && (c->is_pooled || c->family != CLPAC_FAMILY_RUN || i == 0))
			n += (c->is_pooled ? 2 : 1) * (w->epochs.permutations[i].n_choices - 1);
	return n;
}

static clpac_status test(const work *w, clpac_error *err)
{
	const bool is_one_family = w->epochs.asked->family == CLPAC_FAMILY_RUN;
	for (size_t i = 0; i < w->epochs.n_channels; i++) {
		if (!w->epochs.of_channels[i].n)
			continue;
		if (w->epochs.asked->is_pooled)
			RETURN_IF_ERROR(test_pooled(w, i, err));
		else if (!is_one_family || i == 0)
			RETURN_IF_ERROR(test_means(w, i, is_one_family ? w->epochs.n_channels : 1, err));
	}
	if (w->epochs.asked->is_pooled)
		RETURN_IF_ERROR(correct_pooled(w, err));
	return clpac__map_discoveries(w->made, w->epochs.asked->family, err);
}

/* --- The result --------------------------------------------------------------------------------- */

/* The first channel that has epochs. */
static size_t model_of(const work *w)
{
	size_t i = 0;
	while (!w->epochs.of_channels[i].n)
		i++;
	return i;
}

static clpac_status fill_frame(work *w, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	const clpac_comparison *c = w->epochs.asked;
	clpac_result *from = (clpac_result *)c->result; /* read only */
	char *condition = NULL;
	clpac__text text = {0};
	TRY(clpac_result_set_measure(w->made, clpac_result_measure(from), err));
	TRY(clpac_result_set_cell_bands(w->made, clpac_result_cell_bands(from), err));
	memcpy(clpac_result_phase_bands(w->made), clpac_result_phase_bands(from),
	       w->epochs.shape->n_phase_bands * sizeof(clpac_band));
	memcpy(clpac_result_amplitude_bands(w->made), clpac_result_amplitude_bands(from),
	       w->epochs.shape->n_amplitude_bands * sizeof(clpac_band));
	memcpy(clpac_result_valid(w->made), clpac_result_valid(from), w->epochs.map);
	clpac_result_segment_onsets(w->made)[0] = NAN;
	for (size_t i = 0; i < w->epochs.n_channels; i++) {
		const size_t channel = w->epochs.channels[i];
		const char *phase = clpac_result_pair_channel(from, channel, CLPAC_PHASE);
		const char *amplitude = clpac_result_pair_channel(from, channel, CLPAC_AMPLITUDE);
		TRY(phase && amplitude
			    ? clpac_result_set_pair(w->made, i, phase, amplitude, err)
			    : clpac_result_set_channel_name(w->made, i, clpac_result_channel_name(from, channel), err));
		for (size_t e = 0; e < w->epochs.of_channels[i].n; e++) {
			const size_t series = w->epochs.channels[i] * w->epochs.shape->n_segments +
					      w->epochs.of_channels[i].segments[e];
			clpac_result_used_seconds(w->made)[i] += clpac_result_used_seconds(from)[series];
			clpac_result_n_stretches(w->made)[i] += clpac_result_n_stretches(from)[series];
		}
	}
	clpac__text_add(&text, "%s - %s", c->first, c->second);
	TRY(clpac__text_give(&text, "a line of text", &condition, err));
	TRY(clpac_result_set_condition(w->made, 0, condition, err));
done:
	clpac__free(condition);
	return st;
}

static clpac_status write_text(const work *w, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	const clpac_comparison *c = w->epochs.asked;
	const size_t model = model_of(w);
	const clpac__epochs *own = &w->epochs.of_channels[model];
	const clpac__permutations *p = &w->epochs.permutations[model];
	clpac__text text = {0};
	char *line = NULL;
	clpac__text_add(&text, "compare=%s value=%s epochs=%zu+%zu", c->is_pooled ? "pooled" : "mean",
			c->of_z ? "z" : clpac_measure_text(clpac_result_measure(c->result)), own->n_first,
			own->n - own->n_first);
	if (!c->is_pooled)
		clpac__text_add(&text, " df=%zu", own->n - 2);
	clpac__text_add(&text, " side=%s permutations=%llu exact=%d seed=%llu clusters=", clpac_side_text(c->side),
			(unsigned long long)p->n_choices, p->is_exact, (unsigned long long)c->seed);
	clpac__text_add_number(&text, c->cluster_alpha > 0 ? c->cluster_alpha : usual_alpha);
	clpac__text_add(&text, " family=%s", clpac_family_text(c->family));
	TRY(clpac__text_give(&text, "a line of text", &line, err));
	TRY(clpac_result_set_problem(w->made, line, err));
done:
	clpac__free(line);
	return st;
}

static void warn(const work *w)
{
	clpac_warning *warnings = clpac_result_report(w->made)->warnings;
	size_t n, n_missing = 0, n_not_valid = 0, first = SIZE_MAX;
	const float *t = clpac_result_array(w->made, CLPAC_T, &n);
	for (size_t i = 0; i < n; i++) {
		first = isnan(t[i]) && !n_missing ? i : first;
		n_missing += isnan(t[i]);
		n_not_valid += !isnan(t[i]) && !clpac_result_valid(w->made)[i % w->epochs.map];
	}
	warnings[CLPAC_WARN_MISSING].count = n_missing;
	warnings[CLPAC_WARN_NOT_VALID].count = n_not_valid;
	if (n_missing)
		snprintf(
			warnings[CLPAC_WARN_MISSING].text, sizeof warnings->text,
			"%zu of %zu cells cannot be compared, as some epoch has no value there, values do not differ, "
			"or a "
			"condition has fewer than two epochs; the first is in channel %.60s, phase band %zu, amplitude "
			"band %zu",
			n_missing, n, clpac_result_channel_name(w->made, first / w->epochs.map),
			first % w->epochs.map / w->epochs.shape->n_amplitude_bands,
			first % w->epochs.shape->n_amplitude_bands);
	if (n_not_valid)
		snprintf(warnings[CLPAC_WARN_NOT_VALID].text, sizeof warnings->text,
			 "%zu of %zu cells are not valid: they have p, but no p_max, and are no peaks", n_not_valid, n);
	const size_t model = model_of(w);
	const clpac__permutations *p = &w->epochs.permutations[model];
	const bool is_twice = w->epochs.asked->side == CLPAC_SIDE_BOTH && p->is_exact && 2 * p->n_first == p->n;
	const double least = (is_twice ? 2 : 1) / (double)p->n_choices;
	if (least <= significance)
		return;
	warnings[CLPAC_WARN_FEW_SUBJECTS].count = 1;
	snprintf(warnings[CLPAC_WARN_FEW_SUBJECTS].text, sizeof warnings->text,
		 "no p can be below %.3g: %llu permutations are too few for p <= %g; give more %s", least,
		 (unsigned long long)p->n_choices, significance, p->is_exact ? "epochs" : "permutations");
}

static clpac_status create(work *w, clpac_error *err)
{
	clpac_result_shape shape = *w->epochs.shape;
	shape.n_channels = w->epochs.n_channels;
	shape.n_segments = 1;
	shape.n_bins = 0;
	shape.n_surrogates = 0;
	for (size_t i = 0; i < w->epochs.n_channels; i++) {
		const uint64_t n = w->epochs.of_channels[i].n ? w->epochs.permutations[i].n_choices - 1 : 0;
		shape.n_surrogates = n > shape.n_surrogates ? (size_t)n : shape.n_surrogates;
	}
	const unsigned arrays = ARRAYS | (w->epochs.asked->of_z ? 0 : 1u << CLPAC_RATIO);
	RETURN_IF_ERROR(clpac_result_create(&shape, arrays, &w->made, err));
	RETURN_IF_ERROR(NEW_ARRAY(w->links, w->epochs.map));
	RETURN_IF_ERROR(fill_frame(w, err));
	clpac__map_links(w->made, w->links);
	return CLPAC_OK;
}

clpac_status clpac_result_compare(const clpac_comparison *given, clpac_result **out, clpac_error *err)
{
	NEED_AS(given, "comparison");
	NEED(out);
	clpac_status st = CLPAC_OK;
	clpac_comparison own;
	clpac__telling telling;
	work w = {.telling = &telling};
	TRY(clpac__take_sized(&own, given, clpac_comparison, err));
	TRY(clpac__compared_find(&own, &w.epochs, err));
	telling =
		(clpac__telling){.progress = own.progress, .user = own.progress_user, .total = count_permutations(&w)};
	TRY(create(&w, err));
	TRY(test(&w, err));
	TRY(write_text(&w, err));
	warn(&w);
	*out = w.made, w.made = NULL;
done:
	clpac_result_destroy(w.made);
	clpac__compared_clear(&w.epochs);
	clpac__free(w.links);
	return st;
}
