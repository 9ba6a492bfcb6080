/* The header of a BrainVision recording, and the files of sections and keys that it is one of. */
#ifndef CLPAC_RECORDING_READ_BRAINVISION_H
#define CLPAC_RECORDING_READ_BRAINVISION_H

#include <stddef.h>

#include <clpac/recording.h>
#include <clpac/status.h>

#include "recording/read/samples.h"

/* The header of a BrainVision recording (.vhdr; BrainVision Core Data Format 1.0, Brain Products): the paths of data
 * and markers, the layout of the samples, and the channels. */

typedef struct clpac__brainvision_channel {
	char *name, *unit; /* owned; NULL until its line is found */
	double resolution; /* physical units per digit; 0 or not finite: unusable */
} clpac__brainvision_channel;

typedef struct clpac__brainvision_header {
	char *data_path, *marker_path;	      /* owned; marker_path NULL: no markers */
	clpac__sample_layout layout;	      /* all but n_samples; of an .ahdr with one channel more than are named */
	size_t n_channels;		      /* that are named */
	size_t n_points;		      /* samples per channel; 0 where the header does not say */
	uint64_t data_offset;		      /* bytes before the first sample */
	double rate_hz;			      /* 0 unknown */
	clpac__brainvision_channel *channels; /* owned; NULL until clpac__brainvision_channels_read */
} clpac__brainvision_header;

/* Reads all but the channels.  CLPAC_ERROR_FORMAT for faults that make samples unreadable; others become warnings. */
clpac_status clpac__brainvision_header_read(const char *path, clpac__brainvision_header *out,
					    clpac_recording *recording, clpac_error *err);
/* Reads the channels.  Called once the size of the data has shown that there can be so many. */
clpac_status clpac__brainvision_channels_read(const char *path, clpac__brainvision_header *header,
					      clpac_recording *recording, clpac_error *err);
/* Looks for the data, or the markers, where the path of the header's members leads nowhere: the same name without the
 * folders of another system, in another case, or that of the header.  Takes a file of the header's name as data only
 * where its size fits.
 * @param named by the header.
 * Errors: CLPAC_ERROR_IO where a file is there that may be meant, and is not taken. */
clpac_status clpac__brainvision_find_data(const char *path, const char *named, clpac__brainvision_header *header,
					  clpac_recording *recording, clpac_error *err);
clpac_status clpac__brainvision_find_markers(const char *path, const char *named, clpac__brainvision_header *header,
					     clpac_recording *recording, clpac_error *err);
/* The header beside a file of data or markers, in any case of letters.  To be freed with clpac__free; NULL: there is
 * none. */
clpac_status clpac__brainvision_find_header(const char *path, char **out, clpac_error *err);
/* A zeroed one is fine. */
void clpac__brainvision_header_clear(clpac__brainvision_header *header);

/* The i-th of the comma-separated fields of a value as UTF-8, with "\1" read as a comma; "" where there is none.  To
 * be freed with clpac__free; NULL: no memory left. */
char *clpac__brainvision_field(const char *value, size_t i, unsigned *oddities);

/* Texts of sections and keys, such as BrainVision headers: "[Section]", "key=value", ";" before a comment. */

typedef struct clpac__ini_entry {
	const char *section, *key, *value; /* point into the text; never NULL */
} clpac__ini_entry;

typedef struct clpac__ini {
	char *text;		   /* owned, and cut into strings */
	clpac__ini_entry *entries; /* owned; in the file's order */
	size_t n_entries;
	const char *first_line;
} clpac__ini;

/* Reads a file. */
clpac_status clpac__ini_read(const char *path, clpac__ini *out, clpac_error *err);
/* A zeroed one is fine. */
void clpac__ini_clear(clpac__ini *ini);
/* The first value of a key, ignoring case; NULL: no such key, or an empty value. */
const char *clpac__ini_get(const clpac__ini *ini, const char *section, const char *key);

#endif
