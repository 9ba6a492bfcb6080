/* S13: a miss finds its segment: a piece is cut from one of many segments that are nearly full, and given back. */
#include "bench/pool_bench.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/clock.h"
#include "memory/pool/blocks/handle.h"
#include "memory/pool/blocks/segments.h"

enum { UNIT = 64, UNITS = 1 << 14 /* segments of 1 MiB */, MOST = 4096, N_CUTS = 1000, N_BATCHES = 301 };

static clpac__segment *add_segment(clpac__segments *segments, clpac__pool_queue *home)
{
	clpac_error err;
	clpac__segment *made;
	end_if(clpac__segment_create((size_t)UNIT * UNITS, UNIT, &made, &err), &err);
	made->home = home;
	made->is_small = true;
	clpac__segments_add(segments, made);
	return made;
}

static clpac_piece cut(clpac__segments *segments, clpac__pool_queue *home, size_t units, clpac__segment **found)
{
	clpac_piece piece;
	if (!clpac__segments_cut(segments, units * UNIT, true, home, found, &piece))
		end("no segment has room");
	return piece;
}

static int compare(const void *a, const void *b)
{
	const double x = *(const double *)a, y = *(const double *)b;
	return (x > y) - (x < y);
}

/* Seconds of a cut with its giving back, among n segments of which each has a different rest free: the median of many
 * batches, each too short for a busy machine to interrupt. */
static double time_cuts(size_t n)
{
	clpac__pool_queue *home = get_memory(1, sizeof *home);
	clpac__segments segments = {.unit = UNIT};
	clpac__segment **made = get_memory(n, sizeof *made), *found;
	clpac_piece *held = get_memory(n, sizeof *held);
	uint64_t seed = 13;
	for (size_t i = 0; i < n; i++) {
		made[i] = add_segment(&segments, home);
		held[i] = cut(&segments, home, UNITS - 1 - next_random(&seed) % (UNITS / 8), &made[i]);
	}
	double seconds[N_BATCHES];
	for (size_t batch = 0; batch < N_BATCHES; batch++) {
		const double begin = clpac__clock_seconds();
		for (size_t i = 0; i < N_CUTS; i++) {
			const clpac_piece piece = cut(&segments, home, 1 + next_random(&seed) % (UNITS / 16), &found);
			clpac__segments_give(&segments, found, piece);
		}
		seconds[batch] = (clpac__clock_seconds() - begin) / N_CUTS;
	}
	qsort(seconds, N_BATCHES, sizeof *seconds, compare);
	for (size_t i = 0; i < n; i++)
		clpac__segments_give(&segments, made[i], held[i]);
	while ((found = clpac__segments_take_empty(&segments)))
		clpac__segment_destroy(found);
	free(made);
	free(held);
	free(home);
	return seconds[N_BATCHES / 2];
}

void scenario_segments(const bench *b)
{
	for (size_t n = 16; n <= MOST; n *= 16) {
		char what[32];
		snprintf(what, sizeof what, "%zu segments", n);
		if (!is_wanted(b, "S13", what, L0, "nanoseconds"))
			continue;
		line l = line_make("S13", what, L0, "nanoseconds");
		l.found = l.ours_ns = 1e9 * time_cuts(n);
		l.wanted = 2000;
		l.is_at_most = true;
		line_print(b, &l);
	}
}
