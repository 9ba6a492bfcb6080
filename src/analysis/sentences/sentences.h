/* Sentences about a result, for people: where its peak is, what was used, what speaks against it.
 * All are to be freed with clpac__free; NULL: no memory is left. */
#ifndef CLPAC_ANALYSIS_SENTENCES_SENTENCES_H
#define CLPAC_ANALYSIS_SENTENCES_SENTENCES_H

#include <clpac/result.h>

#include "analysis/group/comparison.h"
#include "analysis/group/subjects.h"
#include "analysis/run/job.h"
#include "base/text.h"

/* @param seconds that computing took. */
char *clpac__run_sentence(const clpac__job *job, const clpac_result *result, double seconds);
char *clpac__trials_sentence(const clpac__job *job, const clpac_result *result, double seconds);
char *clpac__subjects_sentence(const clpac_group *group, const clpac_result *result);
char *clpac__comparison_sentence(const clpac__comparison *c);

/* Parts of sentences about the peak of a result, and the cells beside it. */

#endif
