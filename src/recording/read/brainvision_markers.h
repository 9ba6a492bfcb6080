/* The markers of a BrainVision recording (.vmrk): annotations and interruptions. */
#ifndef CLPAC_RECORDING_READ_BRAINVISION_MARKERS_H
#define CLPAC_RECORDING_READ_BRAINVISION_MARKERS_H

#include <stddef.h>

#include <clpac/recording.h>

/* Adds an annotation "type/description" per marker, and stretches where a "New Segment" lies after the first
 * sample.  rate_hz is above 0; a missing file is a warning. */
clpac_status clpac__brainvision_markers_read(const char *path, double rate_hz, size_t n_samples,
					     clpac_recording *recording, clpac_error *err);

#endif
