/* The stamp of a checkpoint: where it belongs, and a hash of what it holds, so that neither another name nor a changed
 * number passes. */
#ifndef CLPAC_ANALYSIS_CHECKPOINTS_STAMP_H
#define CLPAC_ANALYSIS_CHECKPOINTS_STAMP_H

#include <clpac/result.h>
#include "analysis/checkpoints/checkpoints.h"

enum { CLPAC__STAMP_SIZE = 160 };

/* Writes a line without its end: "place 0/3/1/0/1 content 1f...".
 * @param problem the result's own problem text. @param report the text of its report. */
void clpac__checkpoint_stamp(const clpac__checkpoint_place *place, const clpac_result *result, const char *problem,
			     const char *report, char stamp[CLPAC__STAMP_SIZE]);

#endif
