/* Pairs of channels in a problem: the phase of one with the amplitude of another. */
#include <string.h>

#include "base/memory.h"
#include "coupling/problem/problem.h"

size_t clpac__problem_rows(const clpac_problem *problem)
{
	return problem->pairs ? problem->n_pairs : problem->n_channels;
}

clpac_pair clpac__problem_pair(const clpac_problem *problem, size_t row)
{
	return problem->pairs ? problem->pairs[row] : (clpac_pair){row, row};
}

clpac_status clpac__problem_check_pairs(const clpac_problem *p, clpac_error *err)
{
	if (!p->pairs)
		return CLPAC_OK;
	for (size_t i = 0; i < p->n_pairs; i++) {
		const clpac_pair pair = p->pairs[i];
		const bool is_phase = pair.phase >= p->n_channels;
		if (is_phase || pair.amplitude >= p->n_channels)
			RETURN_ERROR(CLPAC_ERROR_ARGUMENT,
				     "pairs[%zu] has the %s of channel %zu, and there are %zu channels, counted from 0",
				     i, is_phase ? "phase" : "amplitude", is_phase ? pair.phase : pair.amplitude,
				     p->n_channels);
	}
	if (clpac__problem_has_locking(p))
		RETURN_ERROR(CLPAC_ERROR_UNSUPPORTED, "measures and pairs: plv filters the amplitude of each pair once "
						      "more, in the phase bands; leave "
						      "plv out, or give no pairs");
	if (p->null == CLPAC_NULL_TRIALS && p->n_surrogates && !clpac__problem_permutes_windows(p))
		RETURN_ERROR(CLPAC_ERROR_UNSUPPORTED,
			     "null is CLPAC_NULL_TRIALS, and pairs are given: segments of pairs are not "
			     "permuted; take CLPAC_NULL_SHIFTS or CLPAC_NULL_BLOCKS, or give no pairs");
	if (p->null == CLPAC_NULL_PHASES && p->n_surrogates)
		RETURN_ERROR(CLPAC_ERROR_UNSUPPORTED,
			     "null is CLPAC_NULL_PHASES, and pairs are given: random phases would be filtered anew for "
			     "every "
			     "pair; take CLPAC_NULL_SHIFTS or CLPAC_NULL_BLOCKS, or give no pairs");
	return CLPAC_OK;
}

/* --- Text --------------------------------------------------------------------------------------- */

/* Whether the pairs are every phase with every amplitude, phase by phase. */
static bool are_all(const clpac_problem *p)
{
	const size_t n = p->n_channels;
	bool are_in_order = n && p->n_pairs / n == n && p->n_pairs % n == 0;
	for (size_t i = 0; are_in_order && i < p->n_pairs; i++)
		are_in_order = p->pairs[i].phase == i / n && p->pairs[i].amplitude == i % n;
	return are_in_order;
}

static void write_pairs(clpac__text *text, const clpac__key *key, const void *object)
{
	const clpac_problem *p = object;
	(void)key;
	if (are_all(p)) {
		clpac__text_add(text, "all");
		return;
	}
	for (size_t i = 0; i < p->n_pairs; i++)
		clpac__text_add(text, "%s%zu:%zu", i ? "," : "", p->pairs[i].phase, p->pairs[i].amplitude);
}

static clpac_status read_pairs(const clpac__keys_reading *reading, const clpac__key *key, const char *value,
			       void *object, clpac_error *err)
{
	clpac_problem_copy *copy = object;
	clpac_status st = CLPAC_OK;
	size_t n = 1;
	if (strcmp(value, "all") == 0) {
		copy->has_all_pairs = true;
		return st;
	}
	for (const char *comma = strchr(value, ','); comma; comma = strchr(comma + 1, ','))
		n++;
	clpac_pair *made = copy->pairs = clpac__alloc_array(n, sizeof *made);
	if (!made)
		RETURN_NO_MEMORY(n * sizeof *made);
	const char *rest = value;
	for (size_t i = 0; i < n; i++, rest++) {
		uint64_t phase, amplitude;
		if (!clpac__keys_parse_whole(rest, SIZE_MAX, &phase, &rest) || *rest++ != ':' ||
		    !clpac__keys_parse_whole(rest, SIZE_MAX, &amplitude, &rest) || *rest != (i + 1 < n ? ',' : '\0')) {
			st = clpac__keys_refuse(reading, key, value,
						"all, or channels of phase and amplitude, as 0:1,0:2", err);
			return st;
		}
		made[i] = (clpac_pair){(size_t)phase, (size_t)amplitude};
	}
	copy->problem.pairs = made;
	copy->problem.n_pairs = n;
	return st;
}

const clpac__key_kind clpac__problem_pairs_key = {read_pairs, write_pairs};

clpac_status clpac__problem_complete_pairs(clpac_problem_copy *copy, clpac_error *err)
{
	const size_t n = copy->problem.n_channels ? copy->problem.n_channels : 1;
	size_t n_pairs;
	if (!copy->has_all_pairs)
		return CLPAC_OK;
	if (!clpac__size_mul(n, n, &n_pairs) || !(copy->pairs = clpac__alloc_array(n_pairs, sizeof *copy->pairs)))
		RETURN_ERROR(CLPAC_ERROR_NO_MEMORY,
			     "problem text: the host has no memory left for all pairs of %zu channels", n);
	for (size_t i = 0; i < n_pairs; i++)
		copy->pairs[i] = (clpac_pair){i / n, i % n};
	copy->problem.pairs = copy->pairs;
	copy->problem.n_pairs = n_pairs;
	return CLPAC_OK;
}
