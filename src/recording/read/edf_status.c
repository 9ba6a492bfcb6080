#include "recording/read/edf_status.h"

#include <stdio.h>

#include "base/ascii.h"
#include "base/error.h"
#include "recording/read/pieces.h"

enum { SAMPLE_BYTES = 3, NO_CODE = -1 };

typedef struct following {
	const clpac__edf_header *header;
	const clpac__edf_signal *signal;
	clpac_recording *recording;
	long code;	/* of the sample before */
	size_t stretch; /* in which the record before lies */
} following;

/* The time of a record on the recording's clock. */
static double onset_of(following *to, size_t record)
{
	const double seconds = to->header->record_seconds, at = (double)record * seconds;
	const size_t n = clpac_recording_n_stretches(to->recording);
	if (!n)
		return at;
	while (to->stretch + 1 < n &&
	       clpac_recording_stretch(to->recording, to->stretch + 1)->first_seconds < at + seconds / 2)
		to->stretch++;
	const clpac_stretch *in = clpac_recording_stretch(to->recording, to->stretch);
	return in->onset_seconds + (at - in->first_seconds);
}

static clpac_status take_codes(void *user, const clpac__span *span, clpac_error *err)
{
	following *to = user;
	const size_t n = to->signal->samples_per_record;
	for (size_t r = 0; r < span->n_records; r++) {
		const unsigned char *from = span->bytes + r * span->stride;
		const double onset_s = onset_of(to, span->record + r);
		for (size_t i = 0; i < n; i++, from += SAMPLE_BYTES) {
			const long code = from[0] | (long)from[1] << 8;
			const bool is_trigger = code != 0 && code != to->code && to->code != NO_CODE;
			to->code = code;
			if (!is_trigger)
				continue;
			char text[8];
			snprintf(text, sizeof text, "%ld", code);
			RETURN_IF_ERROR(clpac_recording_add_annotation(
				to->recording, onset_s + (double)i * to->header->record_seconds / (double)n, 0, text,
				err));
		}
	}
	return CLPAC_OK;
}

static bool has_triggers(const clpac__edf_signal *signal)
{
	static const char *const names[] = {"Status", "Trigger"};
	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		if (clpac__same_word(names[i], signal->name))
			return !signal->is_annotations && signal->samples_per_record;
	return false;
}

clpac_status clpac__edf_status_read(clpac__source *source, uint64_t start, const clpac__edf_header *header,
				    clpac_recording *recording, clpac_error *err)
{
	if (!header->is_bdf || !(header->record_seconds > 0))
		return CLPAC_OK;
	for (size_t i = 0; i < header->n_signals; i++) {
		const clpac__edf_signal *signal = &header->signals[i];
		if (!has_triggers(signal))
			continue;
		const clpac__piece piece = {signal->offset, signal->samples_per_record * SAMPLE_BYTES};
		const clpac__records records = {.start = start,
						.bytes = header->record_bytes,
						.n = header->n_records,
						.pieces = &piece,
						.n_pieces = 1};
		following to = {.header = header, .signal = signal, .recording = recording, .code = NO_CODE};
		RETURN_IF_ERROR(clpac__pieces_read(source, &records, take_codes, &to, err));
	}
	return CLPAC_OK;
}
