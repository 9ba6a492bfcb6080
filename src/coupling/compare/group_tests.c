/* Permutation tests of many cells at once.
 *
 * A cell's values, centred where there are two groups, and scaled to a sum of squares of 1, have with the weights of a
 * permutation the correlation r = c sum w_i y_i, whose scale c is the same for all cells and permutations.  t rises
 * with r, so that permutations are counted by r, which has no variance to compute anew and no rounding that depends on
 * the cell. */
#include "coupling/compare/compare_parts.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "coupling/signal/clusters.h"
#include "coupling/signal/statistics.h"
#include "shared/clusters.h"

typedef struct work {
	const clpac__group_cells *cells;
	const clpac__group_rule *rule;
	size_t n, map;	     /* cells of all maps, and of one */
	uint64_t n_others;   /* permutations beside the given order */
	double *scaled;	     /* (subject, cell); 0 in cells without t */
	double *r;	     /* (cell) of one permutation */
	double *observed;    /* (cell); NaN: no t */
	double *highest;     /* (map, n_others): the side's highest r */
	uint32_t *reached;   /* (cell) */
	double *weights;     /* (subject) */
	uint32_t *members;   /* (subject): which of a subject's indices a draw takes */
	float *standardized; /* one map */
	uint32_t *words;     /* one map */
	double scale, reach; /* reach: differences of r below it are rounding */
	double limit;	     /* r beyond which cells enter clusters */
} work;

/* What a cell's r is called in a result: t, or, of scores, whose spread is known and not estimated, their sum itself.
 */
static double t_of(const work *w, double r)
{
	return w->cells->scores ? r : clpac__t_of_correlation(r, w->rule->degrees);
}

/* A correlation as the chosen side ranks it. */
static double sided(clpac_side side, double r)
{
	return side == CLPAC_SIDE_BOTH ? fabs(r) : side == CLPAC_SIDE_LESS ? -r : r;
}

static bool counts(const work *w, size_t cell)
{
	return w->cells->valid[cell % w->map] && !isnan(w->observed[cell]);
}

/* Centres and scales the values of a cell.  Effects are those of its values as they are. */
static void scale_cell(work *w, size_t cell, float *effect)
{
	const clpac__permutations *p = &w->rule->permutations;
	const double *values = w->cells->values + cell;
	double *scaled = w->scaled + cell, first = 0, second = 0, squares = 0, r = 0, largest = 0;
	for (size_t i = 0; i < p->n; i++) {
		*(i < p->n_first ? &first : &second) += values[i * w->n];
		largest = fmax(largest, fabs(values[i * w->n]));
	}
	const double mean = (first + second) / (double)p->n;
	*effect = (float)(p->are_labels ? first / (double)p->n_first - second / (double)(p->n - p->n_first) : mean);
	for (size_t i = 0; i < p->n; i++) {
		scaled[i * w->n] = values[i * w->n] - (p->are_labels ? mean : 0);
		squares += scaled[i * w->n] * scaled[i * w->n];
	}
	const double norm = sqrt(squares);
	for (size_t i = 0; i < p->n; i++) {
		scaled[i * w->n] = norm > 0 ? scaled[i * w->n] / norm : 0;
		r += w->weights[i] * scaled[i * w->n];
	}
	w->observed[cell] = r * w->scale;
	/* Values that do not differ but for rounding have no t. */
	const bool has_t = isfinite(mean) && norm > (double)p->n * DBL_EPSILON * largest &&
			   1 - w->observed[cell] * w->observed[cell] > 4 * w->reach;
	if (has_t)
		return;
	w->observed[cell] = NAN;
	*effect = isfinite(mean) ? *effect : NAN;
	for (size_t i = 0; i < p->n; i++)
		scaled[i * w->n] = 0;
}

/* The sum of the drawn scores of all cells, over the root of their number.  NaN where a subject has no rank. */
static void add_scores(work *w)
{
	const clpac__group_scores *scores = w->cells->scores;
	memset(w->r, 0, w->n * sizeof *w->r);
	for (size_t i = 0; i < scores->n; i++) {
		const uint16_t *ranks = scores->ranks[i] + w->members[i] * w->n;
		for (size_t cell = 0; cell < w->n; cell++)
			w->r[cell] += ranks[cell] == CLPAC__NOT_RANKED
					      ? (double)NAN
					      : w->scale * (double)scores->score_of[i][ranks[cell]];
	}
}

/* The values of a cell by scores: the effect is that of its values all the same. */
static void take_scores(work *w, float *effects)
{
	memset(w->members, 0, w->rule->permutations.n * sizeof *w->members);
	add_scores(w);
	for (size_t cell = 0; cell < w->n; cell++) {
		double sum = 0;
		for (size_t i = 0; i < w->rule->permutations.n; i++)
			sum += w->cells->values[i * w->n + cell];
		effects[cell] = (float)(sum / (double)w->rule->permutations.n);
		w->observed[cell] = isfinite(sum) ? w->r[cell] : (double)NAN;
	}
}

/* r of all cells with the present weights. */
static void correlate(work *w)
{
	memset(w->r, 0, w->n * sizeof *w->r);
	for (size_t i = 0; i < w->rule->permutations.n; i++) {
		const double weight = w->weights[i] * w->scale, *scaled = w->scaled + i * w->n;
		if (weight == 0)
			continue;
		for (size_t cell = 0; cell < w->n; cell++)
			w->r[cell] += weight * scaled[cell];
	}
}

/* Labels the cells of a map whose r, times the sign, is beyond the limit; returns the mass of the heaviest cluster. */
static float label(work *w, const double *r, size_t map, double sign)
{
	const size_t first = map * w->map;
	bool is_empty = true;
	for (size_t i = 0; i < w->map; i++) {
		const double own = sign * r[first + i];
		const bool is_in = counts(w, first + i) && own > w->limit;
		w->standardized[i] = is_in ? (float)t_of(w, own) : 0;
		is_empty = is_empty && !is_in;
	}
	if (is_empty) {
		memset(w->words, 0, w->map * sizeof *w->words);
		return 0;
	}
	return clpac__label_clusters(w->standardized, w->cells->links, w->cells->n_phase, w->cells->n_amplitude,
				     w->words);
}

/* The heaviest cluster of a map, of the signs that the side looks for; their masses where these are wanted. */
static float find_clusters(work *w, const double *r, size_t map, float *mass)
{
	float heaviest = 0;
	for (int sign = 1; sign >= -1; sign -= 2) {
		if (w->rule->side == (sign > 0 ? CLPAC_SIDE_LESS : CLPAC_SIDE_GREATER))
			continue;
		heaviest = fmaxf(heaviest, label(w, r, map, sign));
		for (size_t i = 0; mass && i < w->map; i++)
			mass[map * w->map + i] = counts(w, map * w->map + i) ? fmaxf(mass[map * w->map + i],
										     clpac__cluster_mass(w->words, i))
									     : NAN;
	}
	return heaviest;
}

/* Counts one permutation. */
static void count_permutation(work *w, const clpac__group_outcome *out, uint64_t k)
{
	const clpac_side side = w->rule->side;
	if (w->cells->scores) {
		clpac__draw_members(w->rule->permutations.seed, k, w->cells->scores->n_of, w->cells->scores->n,
				    w->members);
		add_scores(w);
	} else {
		clpac__permutation(&w->rule->permutations, k, w->weights);
		correlate(w);
	}
	for (size_t map = 0; map < w->cells->n_maps; map++) {
		double highest = -INFINITY;
		for (size_t cell = map * w->map; cell < (map + 1) * w->map; cell++) {
			const double own = sided(side, w->r[cell]);
			w->reached[cell] += own >= sided(side, w->observed[cell]) - w->reach;
			if (counts(w, cell))
				highest = fmax(highest, own);
		}
		const size_t at = map * w->n_others + (k - 1);
		w->highest[at] = highest;
		out->maxima[at] = isfinite(highest) ? (float)t_of(w, highest) : NAN;
		out->heaviest[at] = isfinite(highest) ? find_clusters(w, w->r, map, NULL) : NAN;
	}
}

/* p_max of each cell: by the highest r of its map, or of all maps. */
static void correct(work *w, const clpac__group_outcome *out)
{
	const size_t n_maps = w->cells->n_maps, n_others = w->n_others;
	if (w->rule->is_one_family)
		for (uint64_t k = 0; k < n_others; k++) {
			for (size_t map = 1; map < n_maps; map++)
				w->highest[k] = fmax(w->highest[k], w->highest[map * n_others + k]);
			for (size_t map = 1; map < n_maps; map++)
				w->highest[map * n_others + k] = w->highest[k];
		}
	for (size_t cell = 0; cell < w->n; cell++) {
		const double *highest = w->highest + cell / w->map * n_others;
		const double least = sided(w->rule->side, w->observed[cell]) - w->reach;
		size_t reached = 0;
		out->p_max[cell] = NAN;
		if (!counts(w, cell))
			continue;
		for (uint64_t k = 0; k < n_others; k++)
			reached += highest[k] >= least;
		out->p_max[cell] = (float)clpac__p_value(reached, n_others);
	}
}

static clpac_status correct_clusters(const work *w, const clpac__group_outcome *out, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	const size_t n_maps = w->cells->n_maps;
	float *of_all = NULL;
	if (!w->rule->is_one_family) {
		for (size_t map = 0; map < n_maps; map++)
			clpac__p_of_clusters(out->mass + map * w->map, w->map, out->heaviest + map * w->n_others,
					     w->n_others, out->p_cluster + map * w->map);
		goto done;
	}
	TRY(NEW_ARRAY(of_all, w->n_others));
	for (size_t i = 0; i < n_maps * w->n_others; i++)
		of_all[i % w->n_others] = fmaxf(of_all[i % w->n_others], out->heaviest[i]);
	clpac__p_of_clusters(out->mass, w->n, of_all, w->n_others, out->p_cluster);
done:
	clpac__free(of_all);
	return st;
}

/* Room for n x of values; NULL where there is none. */
static void *room(size_t n, size_t of, size_t each, bool *has_failed)
{
	size_t values;
	void *made = clpac__size_mul(n, of, &values) ? clpac__alloc_array(values, each) : NULL;
	*has_failed = *has_failed || !made;
	return made;
}

static clpac_status make_room(work *w, clpac_error *err)
{
	const size_t n_subjects = w->rule->permutations.n;
	bool has_failed = false;
	w->scaled = room(w->n, n_subjects, sizeof *w->scaled, &has_failed);
	w->r = room(w->n, 1, sizeof *w->r, &has_failed);
	w->observed = room(w->n, 1, sizeof *w->observed, &has_failed);
	w->highest = room(w->cells->n_maps, w->n_others, sizeof *w->highest, &has_failed);
	w->reached = room(w->n, 1, sizeof *w->reached, &has_failed);
	w->weights = room(n_subjects, 1, sizeof *w->weights, &has_failed);
	w->members = room(n_subjects, 1, sizeof *w->members, &has_failed);
	w->standardized = room(w->map, 1, sizeof *w->standardized, &has_failed);
	w->words = room(w->map, 1, sizeof *w->words, &has_failed);
	if (has_failed)
		RETURN_ERROR(CLPAC_ERROR_NO_MEMORY,
			     "comparing %zu subjects in %zu cells with %zu permutations: the host has no memory left",
			     n_subjects, w->n, (size_t)w->n_others);
	return CLPAC_OK;
}

static void free_room(work *w)
{
	void *const rooms[] = {w->scaled,  w->r,       w->observed,	w->highest, w->reached,
			       w->weights, w->members, w->standardized, w->words};
	for (size_t i = 0; i < sizeof rooms / sizeof *rooms; i++)
		clpac__free(rooms[i]);
}

/* The scale of r: weights 1 and -1 have n squares; labels have n_first n_second / n around their mean. */
static double scale_of(const clpac__permutations *p)
{
	const double n = (double)p->n, n_first = (double)p->n_first;
	return p->are_labels ? sqrt(n / (n_first * (n - n_first))) : 1 / sqrt(n);
}

clpac_status clpac__group_test(const clpac__group_cells *cells, const clpac__group_rule *rule,
			       const clpac__group_outcome *out, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	const clpac__permutations *p = &rule->permutations;
	work w = {.cells = cells,
		  .rule = rule,
		  .map = cells->n_phase * cells->n_amplitude,
		  .n_others = p->n_choices - 1,
		  .scale = scale_of(p)};
	w.n = cells->n_maps * w.map;
	/* A sum of n products, each rounded thrice, of a vector of length 1: twice n + 3 roundings, of two sums. */
	w.reach = 2 * ((double)p->n + 3) * DBL_EPSILON;
	w.limit = clpac__correlation_of_t(
		clpac__student_deviate(rule->side == CLPAC_SIDE_BOTH ? rule->cluster_alpha / 2 : rule->cluster_alpha,
				       rule->degrees),
		rule->degrees);
	TRY(make_room(&w, err));
	if (cells->scores) {
		/* Scores are rounded and added in one order whatever is drawn, so that equal ones have equal sums. */
		w.reach = 0;
		w.limit = clpac__t_of_correlation(w.limit, rule->degrees);
		take_scores(&w, out->effect);
	} else {
		clpac__permutation(p, 0, w.weights);
		for (size_t cell = 0; cell < w.n; cell++)
			scale_cell(&w, cell, &out->effect[cell]);
	}
	for (size_t cell = 0; cell < w.n; cell++) {
		out->t[cell] = (float)t_of(&w, w.observed[cell]);
		out->mass[cell] = 0;
	}
	for (size_t map = 0; map < cells->n_maps; map++)
		find_clusters(&w, w.observed, map, out->mass);
	for (uint64_t k = 1; k <= w.n_others; k++) {
		TRY(clpac__tell(rule->telling, 1, err));
		count_permutation(&w, out, k);
	}
	for (size_t cell = 0; cell < w.n; cell++)
		out->p[cell] = isnan(w.observed[cell]) ? NAN : (float)clpac__p_value(w.reached[cell], w.n_others);
	correct(&w, out);
	TRY(correct_clusters(&w, out, err));
done:
	free_room(&w);
	return st;
}

/* --- Families of a map ------------------------------------------------------------------------ */

void clpac__map_links(const clpac_result *result, uint32_t *links)
{
	const clpac_result_shape *shape = clpac_result_get_shape(result);
	const clpac_band *phases = clpac_result_phase_bands(result);
	for (size_t ph = 0; ph < shape->n_phase_bands; ph++)
		for (size_t am = 0; am < shape->n_amplitude_bands; am++) {
			const bool has_left = am && clpac__bands_adjoin(clpac_result_cell_band(result, ph, am - 1),
									clpac_result_cell_band(result, ph, am));
			const bool has_up = ph && clpac__bands_adjoin(phases[ph - 1], phases[ph]);
			links[ph * shape->n_amplitude_bands + am] =
				(has_left ? CLPAC_LINK_LEFT : 0) | (has_up ? CLPAC_LINK_UP : 0);
		}
}

/* q of each family; NaN outside. */
static clpac_status adjust(clpac_result *result, clpac_family family, clpac_array which, clpac_discovery rule,
			   clpac_error *err)
{
	const clpac_result_shape *shape = clpac_result_get_shape(result);
	size_t n, each = shape->n_phase_bands * shape->n_amplitude_bands;
	const float *p = clpac_result_array(result, CLPAC_P, &n);
	const float *p_max = clpac_result_array(result, CLPAC_P_MAX, NULL);
	float *q = clpac_result_array(result, which, NULL);
	for (size_t i = 0; i < n; i++)
		q[i] = isnan(p_max[i]) ? NAN : p[i];
	if (family == CLPAC_FAMILY_RUN)
		each = n;
	for (size_t i = 0; i < n; i += each)
		RETURN_IF_ERROR(clpac__false_discovery(q + i, each, rule, q + i, err));
	return CLPAC_OK;
}

clpac_status clpac__map_discoveries(clpac_result *result, clpac_family family, clpac_error *err)
{
	RETURN_IF_ERROR(adjust(result, family, CLPAC_Q_BH, CLPAC_DISCOVERY_BH, err));
	return adjust(result, family, CLPAC_Q_BY, CLPAC_DISCOVERY_BY, err);
}
