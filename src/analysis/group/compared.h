/* The common ground of comparisons of conditions and of subjects: their options, and the part of a result that they
 * compare. */
#ifndef CLPAC_ANALYSIS_GROUP_COMPARED_H
#define CLPAC_ANALYSIS_GROUP_COMPARED_H

#include <clpac/group.h>
#include <clpac/result.h>
#include "analysis/settings.h"

enum { CLPAC__COMPARISON_SEED = 42 };

/* Refuses --permutations and --clusters that are out of range. */
clpac_status clpac__compared_check(const clpac__analysis_settings *settings, clpac_error *err);

/* Refuses more permutations than this computer has memory for; n_maps of n_cells are compared. */
clpac_status clpac__compared_room(const clpac__analysis_settings *settings, clpac_design design, size_t n_first,
				  size_t n_second, double n_maps, double n_cells, clpac_error *err);

/* The seed of the permutations. */
uint64_t clpac__compared_seed(const clpac__analysis_settings *settings);

/* The measure of a result that is compared.
 * @param path of the result, for the error. @param name of the measure; NULL: the result's first.
 * Errors: CLPAC_ERROR_ARGUMENT where the result does not hold it. */
clpac_status clpac__compared_measure(const clpac_result *result, const char *path, const char *name,
				     const clpac_result **out, clpac_error *err);

/* The names of a list, between commas; none of NULL.
 * @param[out] text owns the texts. @param[out] names array of n texts.  Both to be freed with clpac__free. */
clpac_status clpac__compared_names(const char *list, char **text, const char ***names, size_t *n, clpac_error *err);

/* Tells the warnings of a comparison, and fails where no cell has a value: "WHAT, so nothing is written: why". */
clpac_status clpac__compared_end(const clpac__analysis_settings *settings, const clpac_result *made, const char *what,
				 clpac_error *err);

#endif
