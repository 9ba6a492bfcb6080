/* The samples of a file of one layout, channel by channel or sample by sample, loaded on demand. */
#ifndef CLPAC_RECORDING_READ_LAYOUT_FILE_H
#define CLPAC_RECORDING_READ_LAYOUT_FILE_H

#include "recording/read/samples.h"

/* How the numbers of a channel become values. */
typedef struct clpac__channel_scale {
	clpac_sample_type type;
	double scale; /* only of CLPAC_FLOAT64 */
} clpac__channel_scale;

/* Gives a recording, whose channels are there, the samples behind byte `start` of a source.  The source may be
 * closed afterwards.
 * @param scales of each channel. */
clpac_status clpac__layout_file_attach(const clpac__source *source, uint64_t start, const clpac__layout *layout,
				       const clpac__channel_scale *scales, clpac_recording *recording,
				       clpac_error *err);

#endif
