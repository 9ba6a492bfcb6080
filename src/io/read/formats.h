/* The table of formats.  A new one is a file with one exported reader, and one line in formats.c. */
#ifndef CLPAC_IO_READ_FORMATS_H
#define CLPAC_IO_READ_FORMATS_H

#include <stdbool.h>
#include <stddef.h>

#include <clpac/io.h>

#include "io/read/source.h"

/* Reads a whole recording from a source at its start.  Channels of unknown rate keep the rate 0: options->rate_hz is
 * applied, and compared with what the file says, by clpac_recording_read. */
typedef clpac_status clpac__reader(clpac__source *source, const clpac_read_options *options, clpac_recording **out,
				   clpac_error *err);

/* Whether the first n bytes of a file are those of the format. */
typedef bool clpac__recogniser(const unsigned char *head, size_t n);

typedef struct clpac__format {
	const char *name;
	clpac__recogniser *is_content; /* NULL: by name only */
	const char *endings[4];	       /* of file names, with the dot, unused ones NULL */
	clpac__reader *read;
} clpac__format;

enum { CLPAC__HEAD_BYTES = 512 };

/* By content, then by name; NULL: no format fits. */
const clpac__format *clpac__format_find(const unsigned char *head, size_t n, const char *path);

clpac__reader clpac__read_brainvision;
clpac__reader clpac__read_csv;
clpac__reader clpac__read_edf;
clpac__reader clpac__read_npy;
clpac__reader clpac__read_npz;
clpac__reader clpac__read_raw;

#endif
