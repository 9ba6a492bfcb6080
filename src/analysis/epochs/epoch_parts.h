/* The parts of a job of epochs: channels that use the same stretches and epochs are one problem, whose filters see the
 * stretches and whose indices come from the epochs. */
#ifndef CLPAC_ANALYSIS_EPOCHS_EPOCH_PARTS_H
#define CLPAC_ANALYSIS_EPOCHS_EPOCH_PARTS_H

#include "analysis/epochs/epochs.h"
#include "analysis/stretches/parts.h"

typedef struct clpac__epoch_source {
	const clpac_recording *recording;
	const clpac__chosen_channels *channels;
	const clpac__stretches *gaps;	   /* of each channel */
	const clpac__job_segments *pieces; /* of the recording, which filters may see */
	const clpac_problem *problem;	   /* the method */
	const clpac__analysis_settings *settings;
} clpac__epoch_source;

/* Finds the parts, and what becomes of each epoch.
 * @param[out] segments of the result: epochs, or conditions.  @param[out] parts as clpac__job_parts_find has them.
 * Errors: those of clpac__job_parts_find; CLPAC_ERROR_FORMAT where no epoch is left. */
clpac_status clpac__epoch_parts_find(clpac__job_epochs *epochs, const clpac__epoch_source *source,
				     clpac__job_segments *segments, clpac__job_parts *parts, clpac_error *err);

/* The problem of all parts together, as far as one problem can tell of them.  It points into the arguments. */
clpac_problem clpac__epoch_parts_problem(const clpac__job_parts *parts, const clpac__chosen_channels *channels,
					 const clpac__job_segments *segments, const clpac_problem *of_job);

#endif
