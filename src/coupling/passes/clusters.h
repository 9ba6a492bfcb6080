/* Clusters of cells (cl/surrogate_clusters.cl): their steps in a plan's batch, and for tied amplitudes, whose maps come
 * row by row, the same on the host. */
#ifndef CLPAC_COUPLING_PASSES_CLUSTERS_H
#define CLPAC_COUPLING_PASSES_CLUSTERS_H

#include "coupling/passes/run_state.h"

/* Writes the links of a plan to its device, if it has clusters. */
clpac_status clpac__clusters_write_links(const clpac_plan *plan, clpac_error *err);

/* Finds the clusters of n series' observed maps, whose moments are complete. */
clpac_status clpac__clusters_of_maps(const clpac_plan *plan, clpac__batch *batch, size_t n, clpac_error *err);

/* Finds the heaviest clusters of surrogates number k .. k + n_shifts - 1 of n series, whose indices are in the chunk's
 * buffer.  The labels take the place of the indices. */
clpac_status clpac__clusters_of_surrogates(const clpac_plan *plan, clpac__batch *batch, size_t n, size_t k,
					   size_t n_shifts, clpac_error *err);

/* Stores, for a measure, the masses of the cells' clusters and the heaviest of each surrogate. */
clpac_status clpac__store_clusters(const clpac_plan *plan, clpac__batch *batch, clpac__run *run, clpac_measure measure,
				   size_t first, size_t n, clpac_error *err);

/* The clusters of a result whose indices and moments are complete.
 * @param surrogates every surrogate's indices, (c, s, k, p, a) as CLPAC_SURROGATES. */
clpac_status clpac__clusters_of_result(const clpac_problem *problem, clpac_result *result, const float *surrogates,
				       clpac_error *err);

#endif
