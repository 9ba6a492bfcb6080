/* The common ground of comparisons of conditions and of subjects, and their parts. */
#ifndef CLPAC_COUPLING_COMPARE_COMPARE_PARTS_H
#define CLPAC_COUPLING_COMPARE_COMPARE_PARTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <clpac/compare.h>
#include <clpac/group.h>
#include <clpac/problem.h>
#include <clpac/result.h>

#include "base/error.h"
#include "coupling/signal/draws.h"

/* How far permutations are: told some twenty times a second, and at the end. */
typedef struct clpac__telling {
	clpac_progress_function *progress; /* NULL: nobody listens */
	void *user;
	uint64_t done, total; /* permutations; of pooled indices, twice as many */
	double told_s;
} clpac__telling;

/* Adds what is done, and asks whether to go on: CLPAC_ERROR_CANCELLED if not, or where the call was cancelled.
 * @param telling NULL: nobody listens. */
clpac_status clpac__tell(clpac__telling *telling, uint64_t more, clpac_error *err);

/* Channels that a comparison of conditions takes from a result, and the epochs of each that have values. */

/* The epochs of one channel that have values, those of the first condition first. */
typedef struct clpac__epochs {
	size_t *segments;
	size_t n_first, n; /* n 0: a condition has fewer than two */
} clpac__epochs;

typedef struct clpac__compared_epochs {
	const clpac_comparison *asked;
	const clpac_result_shape *shape; /* of the epochs */
	size_t map;			 /* cells */
	size_t *channels, n_channels;
	clpac__epochs *of_channels;
	clpac__permutations *permutations; /* of each channel */
} clpac__compared_epochs;

/* Checks the comparison, and finds channels and epochs.
 * @param asked complete; must live as long.
 * @param[out] out to be cleared in any case. */
clpac_status clpac__compared_find(const clpac_comparison *asked, clpac__compared_epochs *out, clpac_error *err);
void clpac__compared_clear(clpac__compared_epochs *epochs);

/* The permutation test of pooled indices: bin sums of epochs, added up anew for each way to deal out two labels. */

/* One map of epochs, those of the first condition first. */
typedef struct clpac__pooled_map {
	size_t n_phase, n_amplitude, n_bins;
	const float *sums;     /* (epoch, phase, amplitude, bin): of amplitudes */
	const float *counts;   /* (epoch, phase, bin): of samples */
	const uint8_t *valid;  /* (phase, amplitude): those that count for maxima and clusters */
	const uint32_t *links; /* (phase, amplitude): neighbours */
	clpac_measure measure; /* a binned one */
	clpac_average average;
} clpac__pooled_map;

typedef struct clpac__pooled_rule {
	clpac__permutations permutations;
	clpac_side side;
	double cluster_alpha;
	clpac__telling *telling; /* NULL: nobody listens */
} clpac__pooled_rule;

/* Outputs, the caller's: (phase, amplitude), and n_choices - 1 maxima and heaviest.  statistic is where the difference
 * stands among those of all permutations: (d - mean) / deviation. */
typedef struct clpac__pooled_outcome {
	float *effect, *ratio, *statistic, *p, *mass, *maxima, *heaviest;
} clpac__pooled_outcome;

clpac_status clpac__pooled_test(const clpac__pooled_map *map, const clpac__pooled_rule *rule,
				const clpac__pooled_outcome *outcome, clpac_error *err);

/* p_max of n cells by the maxima of n_others permutations; NaN where a cell does not count. */
void clpac__pooled_p_max(const float *statistic, const uint8_t *valid, size_t n_cells, size_t n, clpac_side side,
			 const float *maxima, size_t n_others, float *p_max);

/* The subjects of a comparison: whether their results agree, and their values. */

enum { CLPAC__SUBJECT_NAME_SIZE = 320 };

/* The results of both groups, one after the other. */
static inline size_t clpac__group_n(const clpac_group *group)
{
	return group->n_first + group->n_second;
}
static inline const clpac_result *clpac__group_result(const clpac_group *group, size_t i)
{
	return i < group->n_first ? group->first[i] : group->second[i - group->n_first];
}

/* Checks members and results, all but the channels. */
clpac_status clpac__group_check(const clpac_group *group, clpac_error *err);

/* How many channels are compared. */
size_t clpac__group_n_channels(const clpac_group *group);

/* The channels that are compared, and where each result has them. */
typedef struct clpac__group_frame {
	size_t n;
	size_t *places; /* (result, channel); SIZE_MAX: it lacks the channel */
	bool is_whole;	/* no result lacks any */
} clpac__group_frame;

/* Finds the channels that are asked for, or each that enough subjects have: two, and of two groups two in each.  Of
 * pairs both have a channel, or neither.
 * @param[out] out places to be freed with clpac__free. */
clpac_status clpac__group_channels(const clpac_group *group, clpac__group_frame *out, clpac_error *err);

/* Takes the values of all subjects, differences where they are pairs.
 * @param places as from clpac__group_channels.
 * @param[out] values (subject, channel, segment, phase, amplitude). */
void clpac__group_values(const clpac_group *group, const size_t *places, double *values);

/* Whether subjects are compared with their own surrogates: one sample, all of whose results hold some. */
bool clpac__group_has_surrogates(const clpac_group *group);

/* The indices of each subject, those of the recording and of its surrogates, as normal scores of their ranks in a cell.
 * Scores are the same for a subject whichever of his indices is called the recording's, which makes draws exact; and
 * they are symmetric and bounded, so that both signs are alike and no subject outweighs all others. */
typedef struct clpac__group_scores {
	size_t n;	/* subjects */
	uint32_t *n_of; /* indices of each: 1 + its surrogates */
	uint16_t *
		*ranks; /* of each subject (index, cell), twice the mean rank; NOT_RANKED where a value is no number */
	float **score_of; /* by such a rank, of each subject */
} clpac__group_scores;

enum { CLPAC__NOT_RANKED = UINT16_MAX, CLPAC__MOST_RANKED = 32000 };

/* @param places as from clpac__group_channels.
 * @param[out] out to be cleared in any case.  Errors: CLPAC_ERROR_NO_MEMORY. */
clpac_status clpac__group_scores_find(const clpac_group *group, const size_t *places, clpac__group_scores *out,
				      clpac_error *err);
void clpac__group_scores_clear(clpac__group_scores *scores);

/* The permutation tests of a comparison, on values of subjects. */

/* Maps of cells, one after the other, all with the same bands. */
typedef struct clpac__group_cells {
	size_t n_maps, n_phase, n_amplitude;
	const double *values;		   /* (subject, map, phase, amplitude); not finite: the cell has no t */
	const uint8_t *valid;		   /* (phase, amplitude): those that count for p_max, q and clusters */
	const uint32_t *links;		   /* (phase, amplitude): neighbours, as for surrogate_clusters */
	const clpac__group_scores *scores; /* of the same cells, drawn from in place of permutations; NULL: none */
} clpac__group_cells;

typedef struct clpac__group_rule {
	clpac__permutations permutations;
	size_t degrees; /* of freedom */
	clpac_side side;
	bool is_one_family; /* all maps together; otherwise each is one */
	bool is_drawn;	    /* permutations are draws of subjects' surrogates */
	double cluster_alpha;
	clpac__telling *telling; /* NULL: nobody listens */
} clpac__group_rule;

/* Outputs, the caller's; (map, phase, amplitude), and (map, n_choices - 1) for maxima and heaviest. */
typedef struct clpac__group_outcome {
	float *effect, *t, *p, *p_max, *mass, *p_cluster, *maxima, *heaviest;
} clpac__group_outcome;

clpac_status clpac__group_test(const clpac__group_cells *cells, const clpac__group_rule *rule,
			       const clpac__group_outcome *outcome, clpac_error *err);

/* Families of cells in a comparison: which cells are neighbours, and p adjusted for false discoveries. */

/* Neighbours to the left and above of each cell, for clpac__label_clusters.
 * @param[out] links (phase, amplitude). */
void clpac__map_links(const clpac_result *result, uint32_t *links);

/* Fills CLPAC_Q_BH and CLPAC_Q_BY from the p of the cells that have a p_max. */
clpac_status clpac__map_discoveries(clpac_result *result, clpac_family family, clpac_error *err);

#endif
