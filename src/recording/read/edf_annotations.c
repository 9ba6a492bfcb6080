/* Time-stamped annotation lists of EDF+ and BDF+. */
#include "recording/read/edf_annotations.h"

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/number.h"
#include "recording/file_text.h"

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
