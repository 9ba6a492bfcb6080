/* The parts of EDF and BDF files: header, samples, annotations, and BDF's status channel. */
#ifndef CLPAC_RECORDING_READ_EDF_H
#define CLPAC_RECORDING_READ_EDF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <clpac/recording.h>

#include "recording/read/samples.h"

/* The header of an EDF, EDF+, BDF or BDF+ file (Kemp et al. 1992, Electroencephalogr Clin Neurophysiol 82:391; Kemp
 * and Olivan 2003, Clin Neurophysiol 114:1755; www.edfplus.info; BDF: www.biosemi.com): 256 bytes on the recording,
 * 256 on each signal, all text in fields of fixed width. */

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

/* Time-stamped annotation lists (TALs) of EDF+ and BDF+: "+12.5\x15" "0.25\x14text\x14" and a NUL, one list after
 * the other. */

/* Adds every text of the n bytes to the recording.  An unreadable list is a warning, and reading goes on after the
 * next NUL.  *onset_seconds (nullable) becomes the time of the first list, the start of the record; untouched where
 * there is none. */
clpac_status clpac__edf_annotations_read(const char *bytes, size_t n, clpac_recording *recording, double *onset_seconds,
					 clpac_error *err);

/* The samples of an EDF or BDF file, loaded on demand: of each record only the parts of the signals asked for.
 *
 * Values are physical ones in double precision, (digital - digital_min) * gain + physical_min.  They are never
 * clipped: converters do exceed their own limits, and a clipped peak would falsify phase and amplitude. */

/* Adds the channels of a header, which are all signals but annotations, and gives the recording their samples, which
 * begin at byte `start`.  The source may be closed afterwards. */
clpac_status clpac__edf_samples_attach(const clpac__source *source, uint64_t start, const clpac__edf_header *header,
				       clpac_recording *recording, clpac_error *err);

/* Triggers of BDF's signal Status (www.biosemi.com/faq/trigger_signals.htm): bits 0 to 15 are the trigger's code, bits
 * 16 to 23 tell of the amplifier. */

/* Reads the signals Status and Trigger of a BDF or BDF+ file, by name in any case, and adds an annotation for each
 * change of the code to another that is not 0: the code as text, without a duration.  A code that the file begins with
 * is none, as its onset is not known.  Without records that have a duration there are no times, and nothing is read.
 * @param source at any place; moved.  @param start of the first record.  @param recording has its stretches. */
clpac_status clpac__edf_status_read(clpac__source *source, uint64_t start, const clpac__edf_header *header,
				    clpac_recording *recording, clpac_error *err);

#endif
