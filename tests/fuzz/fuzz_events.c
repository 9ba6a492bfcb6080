/* Fuzzer's target: the table of events beside a recording (BIDS). */
#include <math.h>

#include "fuzz/fuzz_input.h"
#include "recording/read/tables.h"

int FUZZ_TARGET(events)(const uint8_t *data, size_t size)
{
	clpac_error err = {0};
	clpac_recording *made = NULL;
	if (clpac_recording_create("made", &made, &err) != CLPAC_OK)
		return 0;
	bool is_table;
	const clpac_status st =
		clpac__events_table_apply("x_events.tsv", (const char *)data, size, NULL, made, &is_table, &err);
	fuzz_outcome(st, &err, st == CLPAC_OK);
	FUZZ_LAW(st == CLPAC_OK || st == CLPAC_ERROR_NO_MEMORY);
	/* An event is a line. */
	size_t n_lines = 0;
	for (size_t i = 0; i < size; i++)
		n_lines += data[i] == '\n';
	FUZZ_LAW(clpac_recording_n_annotations(made) <= n_lines);
	for (size_t i = 0; i < clpac_recording_n_annotations(made); i++) {
		const clpac_annotation *event = clpac_recording_annotation(made, i);
		FUZZ_LAW(isfinite(event->onset_seconds));
		FUZZ_LAW(isfinite(event->seconds) && event->seconds >= 0);
		FUZZ_LAW(event->text);
	}
	clpac_recording_destroy(made);
	return 0;
}
