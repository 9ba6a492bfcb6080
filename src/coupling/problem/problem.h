/* A plan's copy of a problem: it owns its arrays, and has defaults, checks and a text form. */
#ifndef CLPAC_COUPLING_PROBLEM_PROBLEM_H
#define CLPAC_COUPLING_PROBLEM_PROBLEM_H

#include <clpac/problem.h>
#include <clpac/result.h>
#include "base/error.h"
#include "base/keys.h"

/* The lists of whole numbers in a problem. */
enum { CLPAC__SHIFTS, CLPAC__CHANNEL_NUMBERS, CLPAC__SEGMENT_NUMBERS, CLPAC__LIST_COUNT };

/* The lists of windows in a problem. */
enum { CLPAC__STRETCHES, CLPAC__WINDOWS, CLPAC__WINDOW_LISTS };

struct clpac_problem_copy {
	clpac_problem problem; /* its pointers are the arrays below */
	clpac_band *bands[2];  /* indexed by clpac_band_use */
	double *taps[2];
	size_t *lists[CLPAC__LIST_COUNT];
	clpac_window *windows[CLPAC__WINDOW_LISTS];
	clpac_measure *measures;
	clpac_pair *pairs;
	bool has_all_pairs; /* a text asks for them, and its channels are not counted yet */
	/* Set while a text is read: the lists' lengths in it, and the texts of bands that are ranges. */
	size_t list_lengths[CLPAC__LIST_COUNT];
	char *ranges[2];
	char *left_out; /* one line on bands that do not fit the rate, or NULL */
};

/* Devices count samples in 32 bits: twice the samples, plus the extension, must fit. */
enum { CLPAC__MAX_SAMPLES = 1 << 30 };

/* Fills in the defaults that need no allocation: all but the bands. */
void clpac__problem_fill(clpac_problem *problem);

/* Whether there are measures that follow from Fourier transforms of all shifts, such that follow from bins, and the
 * phase locking. */
bool clpac__problem_has_linear(const clpac_problem *problem);
bool clpac__problem_has_binned(const clpac_problem *problem);
bool clpac__problem_has_locking(const clpac_problem *problem);

/* Gives a problem without bands the default ones, which fit its rate and carry its phase bands.
 * @param[in,out] made the new bands by use, for the caller to free; those given stay as they are.
 * @param[in,out] left_out NULL: not wanted.  Otherwise a line to which the bands left out are added, in new memory. */
clpac_status clpac__problem_default_bands(clpac_problem *problem, clpac_band *made[2], char **left_out,
					  clpac_error *err);

/* The rule by which a problem's ranges of bands are completed; is_tied as in clpac_bands_rule. */
clpac_bands_rule clpac__problem_bands_rule(const clpac_problem *problem, clpac_band_use use, bool *is_tied);

/* The amplitude band of a cell.  False: the cell has no value, since its tied band does not fit the rate. */
bool clpac__problem_cell_band(const clpac_problem *problem, size_t phase, size_t amplitude, clpac_band *band);

/* The order of the filter that a tied cell has; 0 for a cell without a value. */
size_t clpac__problem_cell_order(const clpac_problem *problem, size_t phase, size_t amplitude, clpac_band *band);

/* clpac_problem_part of a complete problem and a phase band that exists. */
clpac_status clpac__problem_part(const clpac_problem *whole, size_t phase, clpac_problem_copy **out, clpac_error *err);

/* Appends a line of clpac_bands_read to another, which may be NULL, as "one; two".  Frees line. */
clpac_status clpac__problem_join(char **lines, char *line, clpac_error *err);

/* Checks a problem with its defaults filled in, each member by name and number, and converts CLPAC_EDGE_AUTO to
 * samples.  The kept samples must
 *   - hold one period of every phase band's lower edge: less than a cycle has no distribution over phase.  (Three
 *     periods or more are good practice; filters shortened by a short series cause a warning, not an error.)
 *   - be at least as many as phase bins.
 */
clpac_status clpac__problem_check(clpac_problem *problem, clpac_error *err);

/* The part of the check that stretches need, before the filters' and behind the edges'. */
clpac_status clpac__problem_check_stretches(const clpac_problem *problem, clpac_error *err);
clpac_status clpac__problem_check_windows(const clpac_problem *problem, clpac_error *err);

/* The number of all shifts; 0 where there are none, or while the edges are CLPAC_EDGE_AUTO. */
size_t clpac__problem_all_shifts(const clpac_problem *problem);

/* The stretches of a problem; without any, the segment is one. */
static inline clpac_window clpac__problem_stretch(const clpac_problem *problem, size_t number)
{
	return problem->stretches ? problem->stretches[number] : (clpac_window){0, problem->n_samples};
}

static inline size_t clpac__problem_n_stretches(const clpac_problem *problem)
{
	return problem->stretches ? problem->n_stretches : 1;
}

/* The samples of the shortest stretch, for which filters are designed. */
size_t clpac__problem_shortest(const clpac_problem *problem);

/* T: the samples that are kept of a series, and used.  Stretches, windows and edges that do not fit give 0; edges that
 * are CLPAC_EDGE_AUTO count as 0. */
size_t clpac__problem_kept(const clpac_problem *problem);

/* Whether the windows, two or more, are one row whose null is their own, in place of that of the joined row: a shift
 * for each of them, or permutations. */
bool clpac__problem_has_own_null(const clpac_problem *problem);
bool clpac__problem_shifts_windows(const clpac_problem *problem);
bool clpac__problem_permutes_windows(const clpac_problem *problem);

/* The first of all shifts: the smallest multiple of the step that is not below the shortest shift. */
size_t clpac__problem_first_shift(const clpac_problem *problem);

/* The number of taps of the longest filter, designed or given, that of tied cells included.  Bands and cycles must be
 * filled in and valid. */
size_t clpac__problem_longest_filter(const clpac_problem *problem);

/* The channels of the result: those of the problem, or its pairs. */
size_t clpac__problem_rows(const clpac_problem *problem);
/* The channels that row number `row` couples, by default one and the same. */
clpac_pair clpac__problem_pair(const clpac_problem *problem, size_t row);
/* Refuses pairs of channels that do not exist, and what pairs cannot have. */
clpac_status clpac__problem_check_pairs(const clpac_problem *problem, clpac_error *err);
/* Makes the pairs that a text calls "all", every phase with every amplitude, once its channels are known. */
clpac_status clpac__problem_complete_pairs(clpac_problem_copy *copy, clpac_error *err);
/* The key "pairs" of a problem's text. */
extern const clpac__key_kind clpac__problem_pairs_key;

/* Whether indices of a measure are in the unit of the samples. */
bool clpac__measure_has_unit(clpac_measure measure);

/* The arrays that a result of the problem holds (bits 1 << clpac_array), and its shape. */
unsigned clpac__problem_arrays(const clpac_problem *problem, clpac_result_shape *shape);

/* A result of the problem, with all its measures, without a value yet; the caller's to destroy. */
clpac_status clpac__problem_result(const clpac_problem *problem, clpac_result **out, clpac_error *err);

#endif
