/* Copies of a problem that own their arrays and have every default filled in. */
#include "coupling/problem/problem.h"

#include <math.h>
#include <string.h>
#include "base/memory.h"
#include "base/sized.h"
#include "base/text.h"
#include "coupling/signal/bands.h"

enum {
	DEFAULT_BINS = 18,
	DEFAULT_PHASE_CYCLES = 3,
	DEFAULT_AMPLITUDE_CYCLES = 6,
	DEFAULT_MIN_SHIFT = 1,
	DEFAULT_BLOCKS = 5
};

static const clpac_measure modulation_index = CLPAC_MEASURE_MI;

void clpac__problem_fill(clpac_problem *problem)
{
	if (!problem->n_channels)
		problem->n_channels = 1;
	if (!problem->n_segments)
		problem->n_segments = problem->separate_windows && problem->windows ? problem->n_windows : 1;
	if (problem->phase_cycles == 0)
		problem->phase_cycles = DEFAULT_PHASE_CYCLES;
	if (problem->amplitude_cycles == 0)
		problem->amplitude_cycles = DEFAULT_AMPLITUDE_CYCLES;
	if (!problem->n_bins)
		problem->n_bins = DEFAULT_BINS;
	if (!problem->min_shift)
		problem->min_shift = DEFAULT_MIN_SHIFT;
	if (!problem->shift_step)
		problem->shift_step = 1;
	if (!problem->measures && !problem->n_measures) {
		problem->measures = &modulation_index;
		problem->n_measures = 1;
	}
	if (!problem->n_blocks)
		problem->n_blocks = DEFAULT_BLOCKS;
	if (problem->null == CLPAC_NULL_ALL_SHIFTS && !problem->n_surrogates)
		problem->n_surrogates = clpac__problem_all_shifts(problem);
}

const clpac_problem *clpac_problem_get(const clpac_problem_copy *copy)
{
	return copy ? &copy->problem : NULL;
}

const char *clpac_problem_left_out(const clpac_problem_copy *copy)
{
	return copy ? copy->left_out : NULL;
}

void clpac_problem_destroy(clpac_problem_copy *copy)
{
	if (!copy)
		return;
	for (int use = 0; use < 2; use++) {
		clpac_bands_free(copy->bands[use]);
		FREE_ALL(copy->taps[use], copy->ranges[use]);
	}
	for (int which = 0; which < CLPAC__LIST_COUNT; which++)
		clpac__free(copy->lists[which]);
	for (int which = 0; which < CLPAC__WINDOW_LISTS; which++)
		clpac__free(copy->windows[which]);
	FREE_ALL(copy->measures, copy->pairs, copy->left_out, copy);
}

/* Copies n values; refuses more than memory can hold.  NULL stays NULL. */
static clpac_status duplicate(const void *values, size_t n, size_t each, const char *name, void *out, clpac_error *err)
{
	size_t bytes;
	if (!values)
		return CLPAC_OK;
	if (!clpac__size_mul(n, each, &bytes) || bytes > PTRDIFF_MAX)
		return clpac__fail(err, CLPAC_ERROR_ARGUMENT, "%s: %zu values are more than any memory holds", name, n);
	void *made = clpac__alloc(bytes);
	if (!made)
		return clpac__fail(err, CLPAC_ERROR_NO_MEMORY, "%s: the host has no memory left for %zu bytes", name,
				   bytes);
	memcpy(made, values, bytes);
	memcpy(out, &made, sizeof made);
	return CLPAC_OK;
}

/* Copies the bands of one use; NULL stays NULL. */
static clpac_status own_bands(clpac_problem_copy *copy, clpac_band_use use, const clpac_band **bands, size_t n,
			      clpac_error *err)
{
	const char *name = clpac_band_use_text(use);
	if (!*bands && n)
		RETURN_ERROR(CLPAC_ERROR_ARGUMENT,
			     "n_%s_bands is %zu and %s_bands is NULL: give the bands, or 0 for the default ones", name,
			     n, name);
	if (*bands && !n)
		RETURN_ERROR(CLPAC_ERROR_ARGUMENT,
			     "there are 0 %s bands: give at least one, or NULL for the default ones", name);
	if (n > CLPAC__MAX_BANDS)
		RETURN_ERROR(CLPAC_ERROR_ARGUMENT, "n_%s_bands is %zu: at most %d", name, n, CLPAC__MAX_BANDS);
	RETURN_IF_ERROR(duplicate(*bands, n, sizeof **bands, name, &copy->bands[use], err));
	*bands = copy->bands[use];
	return CLPAC_OK;
}

static clpac_status own_taps(clpac_problem_copy *copy, clpac_band_use use, size_t n_bands, clpac_taps *taps,
			     clpac_error *err)
{
	const char *name = clpac_band_use_text(use);
	size_t n_taps;
	if (!taps->taps != !taps->n_taps)
		RETURN_ERROR(CLPAC_ERROR_ARGUMENT,
			     "%s_taps has %zu taps per band and %s: give both, or neither for designed filters", name,
			     taps->n_taps, taps->taps ? "an array" : "no array");
	if (!clpac__size_mul(n_bands, taps->n_taps, &n_taps))
		RETURN_ERROR(CLPAC_ERROR_ARGUMENT,
			     "%s_taps: %zu taps for each of %zu bands are more than any memory holds", name,
			     taps->n_taps, n_bands);
	RETURN_IF_ERROR(duplicate(taps->taps, n_taps, sizeof *taps->taps, name, &copy->taps[use], err));
	taps->taps = copy->taps[use];
	return CLPAC_OK;
}

static clpac_status own_list(clpac_problem_copy *copy, int which, const size_t **list, size_t n, const char *name,
			     clpac_error *err)
{
	clpac_status st = duplicate(*list, n, sizeof **list, name, &copy->lists[which], err);
	*list = copy->lists[which];
	return st;
}

static clpac_status own_measures(clpac_problem_copy *copy, clpac_error *err)
{
	clpac_problem *p = &copy->problem;
	if (!p->measures || !p->n_measures)
		RETURN_ERROR(CLPAC_ERROR_ARGUMENT,
			     "measures is %s and n_measures is %zu: give both, or neither for the modulation index",
			     p->measures ? "given" : "NULL", p->n_measures);
	if (p->n_measures > CLPAC_MEASURE_COUNT)
		RETURN_ERROR(CLPAC_ERROR_ARGUMENT, "n_measures is %zu: there are %d, each of which can be given once",
			     p->n_measures, CLPAC_MEASURE_COUNT);
	RETURN_IF_ERROR(duplicate(p->measures, p->n_measures, sizeof *p->measures, "measures", &copy->measures, err));
	p->measures = copy->measures;
	return CLPAC_OK;
}

static clpac_status own_windows(clpac_problem_copy *copy, int which, const clpac_window **windows, size_t n,
				const char *name, clpac_error *err)
{
	if (!*windows != !n)
		RETURN_ERROR(CLPAC_ERROR_ARGUMENT, "%s is %s and n_%s is %zu: give both, or neither", name,
			     *windows ? "given" : "NULL", name, n);
	RETURN_IF_ERROR(duplicate(*windows, n, sizeof **windows, name, &copy->windows[which], err));
	*windows = copy->windows[which];
	return CLPAC_OK;
}

static clpac_status own_pairs(clpac_problem_copy *copy, clpac_error *err)
{
	clpac_problem *p = &copy->problem;
	if (!p->pairs != !p->n_pairs)
		RETURN_ERROR(CLPAC_ERROR_ARGUMENT, "pairs is %s and n_pairs is %zu: give both, or neither",
			     p->pairs ? "given" : "NULL", p->n_pairs);
	RETURN_IF_ERROR(duplicate(p->pairs, p->n_pairs, sizeof *p->pairs, "pairs", &copy->pairs, err));
	p->pairs = copy->pairs;
	return CLPAC_OK;
}

clpac_bands_rule clpac__problem_bands_rule(const clpac_problem *problem, clpac_band_use use, bool *is_tied)
{
	const clpac_taps *taps = use == CLPAC_PHASE ? &problem->phase_taps : &problem->amplitude_taps;
	clpac_bands_rule rule = {.size = sizeof rule};
	/* A wrong rate is reported by clpac__problem_check.  The caller's taps belong to all bands. */
	if (problem->rate_hz > 0 && isfinite(problem->rate_hz) && !taps->taps)
		rule.rate_hz = problem->rate_hz;
	rule.phase_bands = problem->phase_bands;
	rule.n_phase_bands = problem->n_phase_bands;
	rule.is_tied = is_tied;
	return rule;
}

clpac_status clpac__problem_join(char **lines, char *line, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	clpac__text text = {0};
	if (!line)
		goto done;
	clpac__text_add(&text, "%s%s%s", *lines ? *lines : "", *lines ? "; " : "", line);
	char *made = clpac__text_take(&text);
	if (!made)
		FAIL(CLPAC_ERROR_NO_MEMORY, "the host has no memory left for a line of text");
	clpac__free(*lines);
	*lines = made;
done:
	clpac__free(line);
	return st;
}

clpac_status clpac__problem_default_bands(clpac_problem *problem, clpac_band *made[2], char **left_out,
					  clpac_error *err)
{
	for (int use = CLPAC_PHASE; use <= CLPAC_AMPLITUDE; use++) {
		const clpac_band **bands = use == CLPAC_PHASE ? &problem->phase_bands : &problem->amplitude_bands;
		size_t *n = use == CLPAC_PHASE ? &problem->n_phase_bands : &problem->n_amplitude_bands;
		bool is_tied = use == CLPAC_AMPLITUDE && problem->tied_amplitudes;
		const char *text = is_tied ? clpac__bands_default_tied : NULL;
		const clpac_bands_rule rule = clpac__problem_bands_rule(problem, (clpac_band_use)use, &is_tied);
		char *line = NULL;
		if (*bands)
			continue;
		RETURN_IF_ERROR(clpac_bands_read(text, (clpac_band_use)use, &rule, &made[use], n,
						 left_out ? &line : NULL, err));
		*bands = made[use];
		RETURN_IF_ERROR(clpac__problem_join(left_out, line, err));
	}
	return CLPAC_OK;
}

/* Adds to the copy's line how many tied cells have no value. */
static clpac_status note_empty_cells(clpac_problem_copy *copy, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	const clpac_problem *p = &copy->problem;
	clpac__text text = {0};
	clpac__bands_add_empty_cells(&text, p->phase_bands, p->n_phase_bands, p->amplitude_bands, p->n_amplitude_bands,
				     p->rate_hz);
	if (!text.length && !text.failed)
		goto done;
	char *line = clpac__text_take(&text);
	if (!line)
		FAIL(CLPAC_ERROR_NO_MEMORY, "the host has no memory left for a line of text");
	TRY(clpac__problem_join(&copy->left_out, line, err));
done:
	clpac__text_clear(&text);
	return st;
}

clpac_status clpac_problem_complete(const clpac_problem *problem, clpac_problem_copy **out, clpac_error *err)
{
	NEED(problem, out);
	clpac_status st = CLPAC_OK;
	clpac_problem_copy *made;
	TRY(NEW(made));
	clpac_problem *p = &made->problem;
	TRY(clpac__take_sized(p, problem, clpac_problem, err));
	/* The line of default bands counts their cells itself. */
	const bool has_own_bands = p->amplitude_bands != NULL;
	TRY(own_bands(made, CLPAC_PHASE, &p->phase_bands, p->n_phase_bands, err));
	TRY(own_bands(made, CLPAC_AMPLITUDE, &p->amplitude_bands, p->n_amplitude_bands, err));
	TRY(clpac__problem_default_bands(p, made->bands, &made->left_out, err));
	TRY(own_taps(made, CLPAC_PHASE, p->n_phase_bands, &p->phase_taps, err));
	TRY(own_taps(made, CLPAC_AMPLITUDE, p->n_amplitude_bands, &p->amplitude_taps, err));
	if (p->shifts && !p->n_surrogates)
		FAIL(CLPAC_ERROR_ARGUMENT,
		     "shifts are given and n_surrogates is 0: set n_surrogates to the number of shifts");
	TRY(own_windows(made, CLPAC__STRETCHES, &p->stretches, p->n_stretches, "stretches", err));
	TRY(own_windows(made, CLPAC__WINDOWS, &p->windows, p->n_windows, "windows", err));
	clpac__problem_fill(p);
	TRY(own_list(made, CLPAC__SHIFTS, &p->shifts, p->n_surrogates, "shifts", err));
	TRY(own_list(made, CLPAC__CHANNEL_NUMBERS, &p->channel_numbers, p->n_channels, "channel_numbers", err));
	TRY(own_measures(made, err));
	TRY(own_pairs(made, err));
	TRY(own_list(made, CLPAC__SEGMENT_NUMBERS, &p->segment_numbers, p->n_segments, "segment_numbers", err));
	TRY(clpac__problem_check(p, err));
	if (p->tied_amplitudes && has_own_bands)
		TRY(note_empty_cells(made, err));
	*out = made, made = NULL;
done:
	clpac_problem_destroy(made);
	return st;
}
