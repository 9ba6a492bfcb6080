/* The header of an EDF, EDF+, BDF or BDF+ file (Kemp et al. 1992, Electroencephalogr Clin Neurophysiol 82:391; Kemp
 * and Olivan 2003, Clin Neurophysiol 114:1755; www.edfplus.info; BDF: www.biosemi.com): 256 bytes on the recording,
 * 256 on each signal, all text in fields of fixed width. */
#ifndef CLPAC_RECORDING_READ_EDF_HEADER_H
#define CLPAC_RECORDING_READ_EDF_HEADER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <clpac/recording.h>

#include "recording/read/source.h"

typedef struct clpac__edf_signal {
	char *name, *unit; /* owned */
	double physical_min, physical_max, digital_min, digital_max;
	size_t samples_per_record;
	size_t offset;	     /* of its bytes within a record */
	bool is_annotations; /* holds text; becomes no channel */
	char unusable[96];   /* why its samples are meaningless; "" where they are not */
} clpac__edf_signal;

typedef struct clpac__edf_header {
	bool is_bdf, is_plus, is_discontinuous;
	size_t sample_bytes;		/* 2; 3 in BDF */
	double record_seconds;		/* 0 in a file of annotations only, or where the rate is unknown */
	size_t record_bytes, n_records; /* complete records in the file */
	size_t n_signals;
	clpac__edf_signal *signals; /* owned */
} clpac__edf_header;

/* Reads up to the first record.  CLPAC_ERROR_FORMAT, naming the field, only for faults that make samples unreadable;
 * others become warnings of the recording, one per kind. */
clpac_status clpac__edf_header_read(clpac__source *source, clpac__edf_header *out, clpac_recording *recording,
				    clpac_error *err);
/* A zeroed one is fine. */
void clpac__edf_header_clear(clpac__edf_header *header);
/* "EDF", "EDF+", "BDF", "BDF+". */
const char *clpac__edf_format(const unsigned char head[256]);

#endif
