/** @file compare.h
 *  Two conditions of one recording compared, with the labels of epochs permuted.
 *
 *  NULL where a pointer is required, and forked processes: clpac/status.h has the rules.
 */
#ifndef CLPAC_COMPARE_H
#define CLPAC_COMPARE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <clpac/group.h>
#include <clpac/problem.h>
#include <clpac/plan.h>
#include <clpac/result.h>
#include <clpac/status.h>

#ifdef __cplusplus
extern "C" {
#endif

/** A comparison of conditions.  Zero means default. */
typedef struct clpac_comparison {
	size_t size; /**< sizeof(clpac_comparison), or 0: the members of clpac 0.1. */
	/** The epochs: segments with conditions (clpac_result_condition), as of a problem with separate_windows; or a
	 *  further measure of such a result.  Only read. */
	const clpac_result *result;
	const char *first, *second; /**< The conditions to compare. */
	/** Compare pooled indices: those of the bin sums over all epochs of a condition.  Needs CLPAC_DISTRIBUTION and
	 *  CLPAC_BIN_COUNTS (keep_distributions), and a binned measure.  Otherwise means of the epochs' indices. */
	bool is_pooled;
	bool of_z; /**< Compare means of z in place of indices; not pooled. */
	clpac_side side;
	/** Channels by name, or by number from 0 where none has this name.  NULL: all. */
	const char *const *channels;
	size_t n_channels;
	clpac_family family;	 /**< The cells that p_max, q and clusters are corrected over. */
	uint64_t n_permutations; /**< As in clpac_group; 0: 10000. */
	uint64_t seed;
	double cluster_alpha; /**< As in clpac_group; 0: 0.05. */
	/** Called some twenty times a second with the permutations that are done and all of them, and at the end; false
	 * ends the call with CLPAC_ERROR_CANCELLED.  Of pooled indices a permutation counts twice.  NULL: nobody
	 * listens. */
	clpac_progress_function *progress;
	void *progress_user;
} clpac_comparison;

/** Compares two conditions cell by cell, and corrects for the number of cells.
 *
 *  If the conditions do not differ, their labels could have fallen on the epochs in any other way: p is
 *  (1 + #{d_k >= d}) / (1 + K) over K other ways to deal n_first + n_second labels out, all of them where there are at
 *  most n_permutations, so that no distribution is assumed (Maris & Oostenveld 2007, J Neurosci Methods 164:177).  All
 *  cells share their permutations; p_max, p_cluster and q are those of clpac_result_group.
 *
 *  Means: the difference of the means of epochs' indices, as t with a pooled variance.  An index of few cycles is
 * mostly bias, the same in both conditions, and the difference of means is blind to what only many epochs together
 * show.
 *
 *  Pooled: the sums and counts of each phase bin are added up over the epochs of a condition, in the order given and
 *  in every permutation, and the indices of the two sums are subtracted.  A pooled index is biased by the number of
 *  its samples.  So CLPAC_T is (d - m) / s there, with m and s the mean and deviation of the difference over all
 *  permutations, the given one among them: what unequal numbers of epochs make of it is in m.  CLPAC_EFFECT is d
 *  itself.
 *
 *  CLPAC_RATIO is the first condition's index over the second's, of means or pooled; it has no p of its own, since a
 *  difference and a ratio are tests of one hypothesis.  Not with of_z.
 *
 *  An epoch without a value in a channel is left out there, and with CLPAC_FAMILY_RUN in all channels.  A cell that is
 *  NaN in an epoch that counts is NaN and in no family; cells that are not valid have p, but are in no family.
 *
 *  @param[out] out a result with one segment, whose condition is "FIRST - SECOND", and the arrays of
 *         clpac_result_group, with CLPAC_RATIO.  Its problem text names the comparison: "compare=pooled value=mi
 *         epochs=40+38 side=both permutations=10000 exact=0 seed=0 clusters=0.05 family=map".  The caller's to destroy.
 *  Errors: CLPAC_ERROR_ARGUMENT: a condition that the result does not have (with those that it has), fewer than two
 *  epochs of one in a channel, no values or sums of the kind; CLPAC_ERROR_NO_MEMORY.
 *  Any thread, several at once, while nobody writes the result.
 *  Cost: means as clpac_result_group; pooled, for each channel, permutations x cells x bins x epochs / 2 additions,
 *  and 4 bytes x permutations x cells. */
clpac_status clpac_result_compare(const clpac_comparison *comparison, clpac_result **out, clpac_error *err);

#ifdef __cplusplus
}
#endif
#endif
