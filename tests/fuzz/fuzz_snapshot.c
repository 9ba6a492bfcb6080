/* Fuzzer's target: snapshots of pools.  The input is the file.  One that can be read is told as clean text, and drawn
 * where this build draws. */
#include <string.h>

#include "fuzz/fuzz_input.h"
#include "recording/snapshot.h"

static void check_sums(const clpac_snapshot *snapshot)
{
	uint64_t n = 0;
	for (size_t i = 0; i < snapshot->n_segments; i++) {
		const clpac__snapshot_segment *segment = &snapshot->segments[i];
		FUZZ_LAW(segment->free_bytes <= segment->bytes);
		FUZZ_LAW(segment->largest_free_bytes <= segment->free_bytes);
		FUZZ_LAW(segment->largest_free_offset + segment->largest_free_bytes <= segment->bytes);
		FUZZ_LAW(segment->first_piece + segment->n_pieces <= snapshot->n_pieces);
	}
	for (size_t i = 0; i < snapshot->n_pieces; i++)
		FUZZ_LAW(snapshot->pieces[i].state != CLPAC__SNAPSHOT_IN_USE ||
			 strcmp(snapshot->holders[snapshot->pieces[i].holder].tag, snapshot->pieces[i].tag) == 0);
	for (size_t i = 0; i < snapshot->n_holders; i++)
		n += snapshot->holders[i].n_buffers;
	FUZZ_LAW(n <= snapshot->n_pieces + snapshot->n_blocks);
}

int FUZZ_TARGET(snapshot)(const uint8_t *data, size_t size)
{
	clpac_snapshot *snapshot = NULL;
	clpac_error err = {0};
	char *text = NULL;
	clpac_status st = clpac_snapshot_read(fuzz_write("x.json", data, size), &snapshot, &err);
	fuzz_outcome(st, &err, snapshot != NULL);
	if (!snapshot)
		return 0;
	check_sums(snapshot);
	st = clpac_snapshot_text(snapshot, &text, &err);
	fuzz_outcome(st, &err, text != NULL);
	for (const char *c = text; c && *c; c++)
		FUZZ_LAW(*c == '\n' || ((unsigned char)*c >= ' ' && *c != 127));
	if (clpac_plots_are_available()) {
		const clpac_plot_options options = {.overwrite = true};
		st = clpac_snapshot_plot(snapshot, fuzz_path("x.svg"), &options, &err);
		fuzz_outcome(st, &err, st == CLPAC_OK);
		FUZZ_LAW(st == CLPAC_OK);
	}
	clpac_text_free(text);
	clpac_snapshot_destroy(snapshot);
	return 0;
}
