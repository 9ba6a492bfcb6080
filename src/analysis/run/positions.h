/* Where the channels of a job are, for those who look at its result. */
#ifndef CLPAC_ANALYSIS_RUN_POSITIONS_H
#define CLPAC_ANALYSIS_RUN_POSITIONS_H

#include "analysis/json_tree.h"
#include "analysis/run/job.h"

/* Adds the member "positions" for a recording of EEG in a dataset of BIDS that a table of electrodes describes: of each
 * channel that the table has, by name, the direction from the middle of the head [x, y, z] (clpac_position).  A table
 * that cannot be read is a warning, and so is one that says nothing.
 * Errors: CLPAC_ERROR_NO_MEMORY; those of clpac__inherited_find. */
clpac_status clpac__positions_add(const clpac__job *job, clpac__json_tree *json, clpac_error *err);

#endif
