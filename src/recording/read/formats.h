/* The table of formats.  A new format is a file read_NAME.c with one exported reader, and one line in formats.c. */
#ifndef CLPAC_RECORDING_READ_FORMATS_H
#define CLPAC_RECORDING_READ_FORMATS_H

#include <stdbool.h>
#include <stddef.h>

#include <clpac/read.h>
#include <clpac/recording.h>

#include "recording/read/source.h"

/* Reads a whole recording from a source at its start.  Unknown rates stay 0: clpac_recording_read applies
 * options->rate_hz and compares it with the rates in the file. */
typedef clpac_status clpac__reader(clpac__source *source, const clpac_read_options *options, clpac_recording **out,
				   clpac_error *err);

/* Whether a file that begins with these n bytes has the format. */
typedef bool clpac__recogniser(const unsigned char *head, size_t n);

typedef struct clpac__format {
	const char *name;
	clpac__recogniser *is_content; /* NULL: by name only */
	const char *endings[4];	       /* of file names, with the dot; unused ones are NULL */
	clpac__reader *read;
} clpac__format;

enum { CLPAC__HEAD_BYTES = 512 };

/* The format by content, else by name; NULL: none fits. */
const clpac__format *clpac__format_find(const unsigned char *head, size_t n, const char *path);

enum { CLPAC__BRAINVISION_FILES = 3 };
/* The files of a BrainVision recording, whichever of them the source is: header, samples, markers (NULL: none).
 * @param[out] paths to be freed with clpac__free, also after an error. */
clpac_status clpac__brainvision_files(clpac__source *source, char *paths[CLPAC__BRAINVISION_FILES], clpac_error *err);

clpac__reader clpac__read_brainvision;
clpac__reader clpac__read_csv;
clpac__reader clpac__read_edf;
clpac__reader clpac__read_npy;
clpac__reader clpac__read_npz;
clpac__reader clpac__read_raw;

#endif
