/* Results of pieces, some channels in some segments, and of parts, put together to that of all. */
#ifndef CLPAC_ANALYSIS_RUN_RESULTS_H
#define CLPAC_ANALYSIS_RUN_RESULTS_H

#include "analysis/run/job.h"
#include "analysis/json_tree.h"

/* A result of consecutive channels and consecutive segments of a part. */
typedef struct clpac__job_piece {
	clpac_result *result;
	size_t channel, segment; /* its first ones */
} clpac__job_piece;

/* Puts pieces together, which cover the whole.  Warnings that follow from the problem alone are those of the first
 * piece, others and times are sums, so that the outcome does not depend on how the whole was cut; filters, layout and
 * device are those of the first piece.  p_max and the other corrections are made anew where the family is the run.
 * @param whole the problem of all channels and segments.
 * Errors: CLPAC_ERROR_FORMAT for pieces that differ in shape or arrays; CLPAC_ERROR_NO_MEMORY. */
clpac_status clpac__job_pieces_join(const clpac__job_piece *pieces, size_t n_pieces, const clpac_problem *whole,
				    clpac_result **out, clpac_error *err);

/* Puts the results of all parts of a job into one of all channels and segments.  Those of which nothing is used are
 * NaN.
 * @param[in,out] results of the parts, in their order; that of a part which is the whole job is taken, and NULL then.
 * Errors: CLPAC_ERROR_FORMAT for results that differ in shape or arrays; CLPAC_ERROR_NO_MEMORY. */
clpac_status clpac__part_results_join(const clpac__job *job, clpac_result **results, clpac_result **out,
				      clpac_error *err);

/* A result without a value yet, with measures, arrays, bands, filters and valid cells of the model.
 * @param text of its problem. */
clpac_status clpac__result_like(const clpac_result *model, const char *text, size_t n_channels, size_t n_segments,
				clpac_result **out, clpac_error *err);

/* Where the channels and segments of a result go in another: to those of the lists, in which the first channel of the
 * other is number `channel`, or, where these are NULL, one after the other from `channel` and `segment` on. */
typedef struct clpac__result_place {
	const size_t *channels, *segments;
	size_t channel, segment;
} clpac__result_place;

/* Copies the values of a result, but no names, into a larger one like it. */
void clpac__result_put(const clpac_result *from, clpac_result *to, const clpac__result_place *at);

/* Sums the reports of results as clpac_result_stack does, but for warnings that all have alike. */
clpac_status clpac__reports_join(clpac_result *const *groups, size_t n_groups, clpac_report *out, clpac_error *err);

/* How a result came about: what nobody can tell from its numbers. */

/* A JSON object: the words that asked for it, the request (checkpoints/request.h), the part of the recording, the
 * computer, and the parts of this build.
 * @param[out] text to be freed with clpac__free. */
clpac_status clpac__provenance_write(const clpac__job *job, char **text, clpac_error *err);

/* Adds sentence and warnings of a result to a record that keeps them (`told`); a sentence that is NULL is left out. */
void clpac__provenance_tell(clpac__json_tree *json, const clpac__analysis_settings *settings, const char *sentence);

/* Adds what every result records: the words that asked for it, the computer, and the parts of this build. */
clpac_status clpac__provenance_add(clpac__json_tree *json, const clpac__analysis_settings *settings, clpac_error *err);

#endif
