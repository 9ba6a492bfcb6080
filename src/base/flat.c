#include "base/flat.h"

#include <math.h>
#include "base/memory.h"

/* The samples that runs beside one of n samples have where a slow wave turns: two, and more than an eighth of it, since
 * at the top of a parabola the next step takes (sqrt(2) - 1) / 2, a fifth.  Beside missing data one of them is as short
 * as the signal makes it. */
static size_t turning(size_t n)
{
	return n < 8 ? 2 : n / 8 + 1;
}

/* An end is clipped where it has this many samples, this many times those of the next value inside, and one sample in
 * this many of all.  Of a signal that is not clipped each further step has fewer samples. */
enum { LEAST_CLIPPED = 10, CLIPPED_TIMES = 4, CLIPPED_IN = 2000 };

enum { FEW = 8 }; /* runs, which tell nothing of how often others go on */

const double clpac__flat_chance = 1e-3;

clpac__flat_lengths clpac__flat_lengths_of(double rate_hz, double lowest_hz, double highest_hz)
{
	const double least = floor(rate_hz / 2 / highest_hz) + 1, longest = ceil(rate_hz / 2 / lowest_hz);
	return (clpac__flat_lengths){.least = least > 4 ? (size_t)least : 4,
				     .longest_clip = longest < 0x1p50 ? (size_t)longest : (size_t)1 << 50};
}

/* Of two samples in turn, half of `least` apart, a run of `least` has both, and all between them. */
#define DEFINE_REPEATS(type)                                                                                           \
	static bool repeats_##type(const type *x, size_t stride, size_t n, size_t least)                               \
	{                                                                                                              \
		const size_t step = least / 2;                                                                         \
		for (size_t t = 0; n > step && t < n - step; t += step) {                                              \
			size_t first = t, end = t + 1;                                                                 \
			if (x[t * stride] != x[(t + step) * stride])                                                   \
				continue;                                                                              \
			while (end < n && end - first < least && x[end * stride] == x[t * stride])                     \
				end++;                                                                                 \
			while (first && end - first < least && x[(first - 1) * stride] == x[t * stride])               \
				first--;                                                                               \
			if (end - first >= least)                                                                      \
				return true;                                                                           \
		}                                                                                                      \
		return false;                                                                                          \
	}
DEFINE_REPEATS(float)
DEFINE_REPEATS(double)

bool clpac__flat_is_possible(const void *values, bool are_double, size_t stride, size_t n, size_t least)
{
	return are_double ? repeats_double(values, stride, n, least) : repeats_float(values, stride, n, least);
}

static void count_level(clpac__flat_level end[2], double value, bool is_further, bool is_further_than_next)
{
	if (is_further) {
		end[1] = end[0];
		end[0] = (clpac__flat_level){value, 1};
	} else if (value == end[0].value) {
		end[0].n++;
	} else if (is_further_than_next) {
		end[1] = (clpac__flat_level){value, 1};
	} else if (value == end[1].value) {
		end[1].n++;
	}
}

static void count_levels(clpac__flat_search *s, double value)
{
	count_level(s->highest, value, !s->highest[0].n || value > s->highest[0].value,
		    !s->highest[1].n || value > s->highest[1].value);
	count_level(s->lowest, value, !s->lowest[0].n || value < s->lowest[0].value,
		    !s->lowest[1].n || value < s->lowest[1].value);
}

static size_t half_of(const clpac__flat_search *s)
{
	return clpac__larger(s->least / 2, 2);
}

/* Counts a run of n samples, or with -1 takes it out. */
static void count_half(clpac__flat_search *s, size_t n, int sign)
{
	const size_t half = half_of(s), seen = clpac__smaller(n, s->least);
	const size_t continued = n >= half ? seen - half : 0, tried = continued + (n < s->least);
	if (n < half)
		return;
	s->n_half = sign > 0 ? s->n_half + 1 : s->n_half - 1;
	s->n_continued = sign > 0 ? s->n_continued + continued : s->n_continued - continued;
	s->n_tried = sign > 0 ? s->n_tried + tried : s->n_tried - tried;
}

/* The run that goes on has ended before sample `end`. */
static clpac_status end_run(clpac__flat_search *s, size_t end, clpac_error *err)
{
	const size_t n = end - s->since;
	if (s->is_followed) {
		clpac__flat_run *last = &s->runs[s->n_runs - 1];
		last->is_turn = last->is_turn && n >= turning(last->n);
	}
	count_half(s, n, 1);
	s->is_followed = n >= s->least && !isnan(s->value);
	if (s->is_followed) {
		RETURN_IF_ERROR(ROOM_FOR_ONE(s->runs, s->n_runs, s->most_runs, 16));
		s->runs[s->n_runs++] = (clpac__flat_run){
			.first = s->since, .n = n, .value = s->value, .is_turn = s->before >= turning(n)};
	}
	s->before = n;
	return CLPAC_OK;
}

clpac_status clpac__flat_look_at(clpac__flat_search *s, const void *values, bool are_double, size_t stride, size_t n,
				 clpac_error *err)
{
	if (n && !s->n_samples)
		s->value = NAN;
	for (size_t i = 0; i < n; i++) {
		const double given =
			are_double ? ((const double *)values)[i * stride] : (double)((const float *)values)[i * stride];
		const double value = isfinite(given) ? given : (double)NAN;
		if (value == s->value) {
			s->n_repeats++;
		} else {
			RETURN_IF_ERROR(end_run(s, s->n_samples, err));
			s->value = value;
			s->since = s->n_samples;
		}
		if (!isnan(value))
			count_levels(s, value);
		s->n_samples++;
	}
	return CLPAC_OK;
}

/* Whether waves were cut at this end.  Long runs there are no waves. */
static bool is_clipped(const clpac__flat_search *s, const clpac__flat_level end[2], size_t *n)
{
	*n = end[0].n;
	for (size_t i = 0; i < s->n_runs; i++)
		if (s->runs[i].value == end[0].value && s->runs[i].n >= s->longest_clip)
			*n -= s->runs[i].n;
	return *n >= LEAST_CLIPPED && *n / CLIPPED_TIMES >= end[1].n && *n >= s->n_samples / CLIPPED_IN;
}

/* Drops runs that are waves which were cut. */
static void take_clipped(clpac__flat_search *s)
{
	size_t n_high, n_low, n_kept = 0;
	const bool is_high = is_clipped(s, s->highest, &n_high), is_low = is_clipped(s, s->lowest, &n_low);
	s->n_clipped = (is_high ? n_high : 0) + (is_low ? n_low : 0);
	for (size_t i = 0; i < s->n_runs; i++) {
		const clpac__flat_run *run = &s->runs[i];
		const bool is_cut =
			(is_high && run->value == s->highest[0].value) || (is_low && run->value == s->lowest[0].value);
		if (!is_cut || run->n >= s->longest_clip)
			s->runs[n_kept++] = *run;
	}
	s->n_runs = n_kept;
}

/* Marks what is longer than chance allows, where samples repeat as often as those outside what is marked so far. */
static bool mark_longer(clpac__flat_search *s, size_t *n_marked, size_t *n_repeats)
{
	const double n = (double)(s->n_samples - *n_marked), p = (double)(s->n_repeats - *n_repeats) / n;
	const double longest = p >= 1 ? INFINITY : p > 0 ? 1 + log(clpac__flat_chance / n) / log(p) : 1;
	bool has_marked = false;
	for (size_t i = 0; i < s->n_runs; i++) {
		clpac__flat_run *run = &s->runs[i];
		if (run->is_missing || run->is_turn || !((double)run->n > longest))
			continue;
		run->is_missing = has_marked = true;
		*n_marked += run->n;
		*n_repeats += run->n - 1;
		count_half(s, run->n, -1);
	}
	return has_marked;
}

/* Takes back what values that repeat often make of themselves, as the runs that are not marked tell. */
static void unmark_frequent(clpac__flat_search *s)
{
	const double q = ((double)s->n_continued + 0.5) / ((double)s->n_tried + 1);
	const double longest = (double)half_of(s) + log(clpac__flat_chance / (double)s->n_half) / log(q);
	for (size_t i = 0; i < s->n_runs && s->n_half >= FEW; i++)
		s->runs[i].is_missing = s->runs[i].is_missing && (double)s->runs[i].n > longest;
}

clpac_status clpac__flat_end(clpac__flat_search *s, clpac_error *err)
{
	size_t n_marked = 0, n_repeats = 0, n_kept = 0;
	RETURN_IF_ERROR(end_run(s, s->n_samples, err));
	if (s->is_followed)
		s->runs[s->n_runs - 1].is_turn = false;
	if (s->n_runs == 1 && s->runs[0].n == s->n_samples) {
		s->n_runs = 0;
		return CLPAC_OK;
	}
	take_clipped(s);
	while (n_marked < s->n_samples && mark_longer(s, &n_marked, &n_repeats))
		;
	unmark_frequent(s);
	for (size_t i = 0; i < s->n_runs; i++)
		if (s->runs[i].is_missing)
			s->runs[n_kept++] = s->runs[i];
	s->n_runs = n_kept;
	return CLPAC_OK;
}

void clpac__flat_clear(clpac__flat_search *s)
{
	clpac__free(s->runs);
	*s = (clpac__flat_search){0};
}
