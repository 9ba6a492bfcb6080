/* Families of cells in a comparison: which cells are neighbours, and p adjusted for false discoveries. */
#ifndef CLPAC_COUPLING_COMPARE_MAP_FAMILIES_H
#define CLPAC_COUPLING_COMPARE_MAP_FAMILIES_H

#include <stdint.h>
#include <clpac/problem.h>
#include <clpac/result.h>
#include "base/error.h"

/* Neighbours to the left and above of each cell, for clpac__label_clusters.
 * @param[out] links (phase, amplitude). */
void clpac__map_links(const clpac_result *result, uint32_t *links);

/* Fills CLPAC_Q_BH and CLPAC_Q_BY from the p of the cells that have a p_max. */
clpac_status clpac__map_discoveries(clpac_result *result, clpac_family family, clpac_error *err);

#endif
