/* Triggers of BDF's signal Status (www.biosemi.com/faq/trigger_signals.htm): bits 0 to 15 are the trigger's code, bits
 * 16 to 23 tell of the amplifier. */
#ifndef CLPAC_RECORDING_READ_EDF_STATUS_H
#define CLPAC_RECORDING_READ_EDF_STATUS_H

#include "recording/read/edf_header.h"

/* Reads the signals Status and Trigger of a BDF or BDF+ file, by name in any case, and adds an annotation for each
 * change of the code to another that is not 0: the code as text, without a duration.  A code that the file begins with
 * is none, as its onset is not known.  Without records that have a duration there are no times, and nothing is read.
 * @param source at any place; moved.  @param start of the first record.  @param recording has its stretches. */
clpac_status clpac__edf_status_read(clpac__source *source, uint64_t start, const clpac__edf_header *header,
				    clpac_recording *recording, clpac_error *err);

#endif
