/* The header of a BrainVision recording (.vhdr; BrainVision Core Data Format 1.0, Brain Products): where the data
 * and the markers are, how samples are stored, and what the channels are. */
#ifndef CLPAC_IO_BRAINVISION_HEADER_H
#define CLPAC_IO_BRAINVISION_HEADER_H

#include <clpac/recording.h>

#include "io/samples.h"

typedef struct clpac__brainvision_channel {
	char *name, *unit; /* owned; NULL until its line was met */
	double resolution; /* physical units in a digit; not finite, or 0: unusable */
} clpac__brainvision_channel;

typedef struct clpac__brainvision_header {
	char *data_path, *marker_path;	      /* owned; marker_path NULL: no markers */
	clpac__layout layout;		      /* but for n_samples */
	size_t n_points;		      /* samples a channel, 0 where the header does not say */
	uint64_t data_offset;		      /* bytes before the first sample */
	double rate_hz;			      /* 0 unknown */
	clpac__brainvision_channel *channels; /* owned; NULL until clpac__brainvision_channels_read */
} clpac__brainvision_header;

/* Reads all but the channels; what makes samples unreadable is CLPAC_ERROR_FORMAT, anything else a warning. */
clpac_status clpac__brainvision_header_read(const char *path, clpac__brainvision_header *out,
					    clpac_recording *recording, clpac_error *err);
/* Reads the channels: to be called once the size of the data has shown that there may be so many. */
clpac_status clpac__brainvision_channels_read(const char *path, clpac__brainvision_header *header,
					      clpac_recording *recording, clpac_error *err);
/* A zeroed one is fine. */
void clpac__brainvision_header_clear(clpac__brainvision_header *header);

/* The i-th of the comma-separated fields of a value as UTF-8, "\1" in it made a comma; "" where there is none.  To
 * be freed with clpac__free; NULL: no memory left. */
char *clpac__brainvision_field(const char *value, size_t i, unsigned *oddities);

#endif
