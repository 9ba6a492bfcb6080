/* Time-stamped annotation lists of EDF+ and BDF+. */
#include "recording/read/edf.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/ascii.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/number.h"
#include "recording/file_text.h"
#include "recording/read/samples.h"

enum { BEFORE_DURATION = 0x15, BEHIND_TEXT = 0x14 };

/* Reads the bytes before `stop` as a number and moves *at behind it.  False: no such byte before end, or no number. */
static bool eat_number(const char **at, const char *end, char stop, double *out)
{
	const char *found = memchr(*at, stop, (size_t)(end - *at));
	if (!found || !clpac__parse_field(*at, (size_t)(found - *at), out) || !isfinite(*out))
		return false;
	*at = found + 1;
	return true;
}

static clpac_status add_text(const char *bytes, size_t n, double onset, double seconds, clpac_recording *recording,
			     clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	unsigned oddities = 0;
	char *text = clpac__utf8(bytes, n, &oddities);
	if (!text)
		FAIL(CLPAC_ERROR_NO_MEMORY, "the host has no memory left for an annotation of %zu bytes", n);
	if (oddities & CLPAC__WAS_LATIN1)
		TRY(clpac_recording_warn(recording, err,
					 "an annotation is not UTF-8, which EDF+ demands: it is read as Latin-1"));
	TRY(clpac_recording_add_annotation(recording, onset, seconds, text, err));
done:
	clpac__free(text);
	return st;
}

/* One list without its NUL.  An empty text marks the time of a record and is no annotation. */
static clpac_status read_list(const char *at, const char *end, clpac_recording *recording, double *onset_seconds,
			      bool *is_well_formed, clpac_error *err)
{
	double onset, seconds = 0;
	*is_well_formed = false;
	const char *text = memchr(at, BEHIND_TEXT, (size_t)(end - at));
	if (!text || (*at != '+' && *at != '-'))
		return CLPAC_OK;
	if (memchr(at, BEFORE_DURATION, (size_t)(text - at))) {
		if (!eat_number(&at, text, BEFORE_DURATION, &onset) || !eat_number(&at, end, BEHIND_TEXT, &seconds) ||
		    seconds < 0)
			return CLPAC_OK;
	} else if (!eat_number(&at, end, BEHIND_TEXT, &onset)) {
		return CLPAC_OK;
	}
	if (onset_seconds)
		*onset_seconds = onset;
	while (at < end) {
		const char *stop = memchr(at, BEHIND_TEXT, (size_t)(end - at));
		if (!stop)
			return CLPAC_OK;
		if (stop > at)
			RETURN_IF_ERROR(add_text(at, (size_t)(stop - at), onset, seconds, recording, err));
		at = stop + 1;
	}
	*is_well_formed = true;
	return CLPAC_OK;
}

clpac_status clpac__edf_annotations_read(const char *bytes, size_t n, clpac_recording *recording, double *onset_seconds,
					 clpac_error *err)
{
	const char *at = bytes, *end = bytes + n;
	bool is_first = true;
	while (at < end) {
		const char *stop = memchr(at, 0, (size_t)(end - at));
		if (stop == at) {
			at++;
			continue;
		}
		bool is_well_formed;
		RETURN_IF_ERROR(read_list(at, stop ? stop : end, recording, is_first ? onset_seconds : NULL,
					  &is_well_formed, err));
		if (!is_well_formed || !stop)
			RETURN_IF_ERROR(clpac_recording_warn(
				recording, err,
				"an annotation list does not follow EDF+, or does not end: its readable part is used"));
		is_first = false;
		at = stop ? stop + 1 : end;
	}
	return CLPAC_OK;
}

/* --- The status channel of BDF ---------------------------------------------------------------- */

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

static clpac_status take_codes(void *user, const clpac__file_span *span, clpac_error *err)
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
		const clpac__file_piece piece = {signal->offset, signal->samples_per_record * SAMPLE_BYTES};
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
