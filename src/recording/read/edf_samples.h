/* The samples of an EDF or BDF file, loaded on demand: of each record only the parts of the signals asked for.
 *
 * Values are physical ones in double precision, (digital - digital_min) * gain + physical_min.  They are never
 * clipped: converters do exceed their own limits, and a clipped peak would falsify phase and amplitude. */
#ifndef CLPAC_RECORDING_READ_EDF_SAMPLES_H
#define CLPAC_RECORDING_READ_EDF_SAMPLES_H

#include "recording/read/edf_header.h"

/* Adds the channels of a header, which are all signals but annotations, and gives the recording their samples, which
 * begin at byte `start`.  The source may be closed afterwards. */
clpac_status clpac__edf_samples_attach(const clpac__source *source, uint64_t start, const clpac__edf_header *header,
				       clpac_recording *recording, clpac_error *err);

#endif
