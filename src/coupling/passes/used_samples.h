/* The samples of a series that are used (coupling/problem/pieces.h), in a plan's buffers. */
#ifndef CLPAC_COUPLING_PASSES_USED_SAMPLES_H
#define CLPAC_COUPLING_PASSES_USED_SAMPLES_H

#include "coupling/passes/plan.h"
#include "coupling/problem/pieces.h"

/* Writes the plan's tables of stretches, and of used samples. */
clpac_status clpac__used_write(const clpac_plan *plan, clpac_error *err);

/* The samples first .. end - 1 of what is passed through the filters, counted from layout.begin on, among which are the
 * kept samples from .. from + count - 1. */
void clpac__used_range(const clpac_plan *plan, size_t from, size_t count, size_t *first, size_t *end);

/* The kept samples first .. end - 1, among from .. from + count - 1, that include all those at passed samples
 * passed .. passed_end - 1. */
void clpac__used_places(const clpac_plan *plan, size_t from, size_t count, size_t passed, size_t passed_end,
			size_t *first, size_t *end);

#endif
