/** @file group.h
 *  Statistics over subjects: results of several recordings against zero, in pairs, or one group against another, by
 *  permutations.
 *
 *  NULL where a pointer is required, and forked processes: clpac/status.h has the rules.
 */
#ifndef CLPAC_GROUP_H
#define CLPAC_GROUP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <clpac/problem.h>
#include <clpac/plan.h>
#include <clpac/result.h>
#include <clpac/status.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Designs of a comparison. */
typedef enum clpac_design {
	CLPAC_ONE_SAMPLE = 0, /**< The mean of the first group against 0; signs of subjects are flipped. */
	CLPAC_PAIRED,	      /**< First less second of each subject, against 0; signs of differences are flipped. */
	CLPAC_TWO_SAMPLE,     /**< Mean of the first group less that of the second; labels of subjects are permuted. */
	CLPAC_DESIGN_COUNT
} clpac_design;

/** "one-sample", "paired", "two-sample".  Never NULL; "" for an unknown number.  Any thread. */
const char *clpac_design_text(clpac_design design);

/** The differences that are looked for. */
typedef enum clpac_side {
	CLPAC_SIDE_BOTH = 0, /**< Of either sign. */
	CLPAC_SIDE_GREATER,  /**< Above 0, or the first group's above the second's. */
	CLPAC_SIDE_LESS,     /**< Below. */
	CLPAC_SIDE_COUNT
} clpac_side;

/** "both", "greater", "less".  Never NULL; "" for an unknown number.  Any thread. */
const char *clpac_side_text(clpac_side side);

/** A comparison.  Zero means default. */
typedef struct clpac_group {
	size_t size; /**< sizeof(clpac_group), or 0: the members of clpac 0.1. */
	clpac_design design;
	/** For one sample without surrogates ask for CLPAC_SIDE_GREATER: values without coupling are skewed, and
	 * flipped signs found cells below 0 in 32 of 120 studies of noise, above 0 in none. */
	clpac_side side;
	/** The subjects: results, or further measures of results (clpac_result_of), all of one measure, with the same
	 *  bands and number of segments.  Only read, and still the caller's. */
	const clpac_result *const *first;
	size_t n_first;
	const clpac_result *const *second; /**< NULL with CLPAC_ONE_SAMPLE; with CLPAC_PAIRED the same subjects. */
	size_t n_second;
	/** Names of the subjects in errors, such as their files, n_first and n_second of them; NULL: they are numbered.
	 */
	const char *const *first_names, *const *second_names;
	/** The channels to compare, by name, in another case where none is written so, or by number from 0 in a result
	 *  that has none of this name.  NULL: every channel that two subjects have, of two groups two of each.  One
	 * that some subjects lack is compared among the others, of pairs those that have it twice, with as many degrees
	 * of freedom and permutations as they give; the result then has CLPAC_N_SUBJECTS, and no maxima. */
	const char *const *channels;
	size_t n_channels;
	bool of_index; /**< Compare the indices, of pairs or groups of one length; otherwise their z, or excess. */
	/** The cells that p_max, q and clusters are corrected over: those of each map, or of all maps, whose channels
	 *  every subject then has. */
	clpac_family family;
	/** Permutations to use, the given order among them; 0: 10000.  Where there are no more than that, each of them
	 *  is used once, and p is exact. */
	uint64_t n_permutations;
	uint64_t seed; /**< Of permutations that are drawn; any value. */
	/** The share of the t distribution beyond which cells enter clusters, above 0 and at most 0.25; half of it at
	 *  each end with CLPAC_SIDE_BOTH.  0: 0.05.  p is right with any. */
	double cluster_alpha;
	/** Called some twenty times a second with the permutations that are done and all of them, and at the end; false
	 * ends the call with CLPAC_ERROR_CANCELLED.  NULL: nobody listens. */
	clpac_progress_function *progress;
	void *progress_user;
	/** Compare what the indices are above the means of their surrogates (CLPAC_EXCESS), in place of z: in their own
	 *  unit, as an index, and 0 on average without coupling, whatever the length of a recording. */
	bool of_excess;
} clpac_group;

/** Compares results of several subjects cell by cell, and corrects for the number of cells.
 *
 *  t is Student's: of the values, of their differences, or of two groups with a pooled variance.  p compares it with
 *  the t of permutations of the data: signs of subjects flipped (values that are as likely as their negatives if there
 *  is no difference: symmetric about 0), or labels permuted (subjects that are exchangeable if there is none).  No
 *  distribution of t is assumed.  p is (1 + #{t_k >= t}) / (1 + K) with K permutations beside the given order (Phipson
 *  & Smyth 2010, Stat Appl Genet Mol Biol 9:39), which is exact where all are used.  p_max compares t with the highest
 *  of all valid cells of each permutation (Nichols & Holmes 2002, Human Brain Mapping 15:1-25); p_cluster the mass of
 *  the cell's cluster, neighbours (clpac_problem, cluster_alpha) beyond one t of the same sign, with the heaviest one's
 *  (Maris & Oostenveld 2007, J Neurosci Methods 164:177).  With CLPAC_SIDE_BOTH magnitudes are compared, with
 *  CLPAC_SIDE_LESS negatives.  All cells, segments and channels share their permutations.
 *
 *  One sample whose results all hold CLPAC_SURROGATES is compared with these: the indices of a subject, that of the
 *  recording and those of its surrogates, become normal scores of their ranks in the cell, CLPAC_T is the sum of the
 *  subjects' scores over the root of their number, and permutation k takes one index of each subject, drawn among all
 * of his (after Stelzer, Chen & Turner 2013, NeuroImage 65:69).  p is exact but for the draws if no subject has
 * coupling, for either side; z and indices have the same p.  There are always n_permutations draws, and the problem
 * text has null=surrogates.
 *
 *  A cell that is NaN or infinite in any subject, or where t is not defined because values do not differ between
 *  subjects, is NaN and in no family; so are the cells that are not valid in some subject, though they have t and p.
 *  The report warns of both, and of too few subjects for p <= 0.05.
 *
 *  z of an index without coupling has mean 0 but is skewed to the right, so that signs flipped are conservative for a
 *  high z and the opposite for a low one; differences of pairs are symmetric.  An index itself is above 0 without
 *  coupling: a one-sample design of indices shows nothing.
 *
 *  @param[out] out a result of the measure compared, with CLPAC_EFFECT (the mean, or difference of means), CLPAC_T, P,
 *         P_MAX, Q_BH, Q_BY, P_CLUSTER, CLUSTER_MASS (a sum of magnitudes of t), MAXIMA and CLUSTER_MAXIMA (those of
 *         each permutation beside the given order).  Its problem text names the comparison: "group=paired value=z
 *         subjects=12 df=11 side=both permutations=4096 exact=1 seed=0 clusters=0.05 family=map".  Bands, names and
 *         segments are those of first[0]; used seconds and stretches are sums over all results.  The caller's to
 *         destroy.
 *  Errors: CLPAC_ERROR_ARGUMENT, naming the subject: fewer than two subjects in a group, pairs that are not, the same
 *  result twice, other bands, measures, segments or channels, indices of times that differ by more than 2 %, no values
 *  of the kind; CLPAC_ERROR_NO_MEMORY.
 *  Any thread, several at once, while nobody writes the results.
 *  Cost: permutations x subjects x cells multiplications, some 1e9 in a second; n_subjects x cells doubles of memory.
 */
clpac_status clpac_result_group(const clpac_group *group, clpac_result **out, clpac_error *err);

/** The number of permutations that a comparison of so many subjects uses, the given order among them: all, where they
 *  are at most `wanted`, and else `wanted`.  No p is below its reciprocal, with CLPAC_SIDE_BOTH and all signs flipped,
 *  or two groups of one size, below twice that.
 *  @param wanted 0: 10000.
 *  @param[out] is_exact whether all are used; nullable.
 *  Any thread. */
uint64_t clpac_group_permutations(clpac_design design, size_t n_first, size_t n_second, uint64_t wanted,
				  bool *is_exact);

#ifdef __cplusplus
}
#endif
#endif
