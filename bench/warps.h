/* A model of how a GPU's warps read prefix sums through the first-level cache of one multiprocessor.
 *
 * A warp is 32 neighbouring work-items that load in step.  A load takes a pass through the cache for each line of 128
 * bytes in which its addresses lie; the sectors of 32 bytes that are not there come from the second level.  Lines are
 * replaced where they were used the longest ago, among 16 that may hold the same address.
 *
 * The multiprocessor holds as many work-groups as its threads allow, and its warps take turns: in a turn a warp loads a
 * cycle of its edge list, since those loads wait for nothing, or a few entries behind the cycles.  Times are not
 * modelled, nor is the second level.
 */
#ifndef CLPAC_BENCH_WARPS_H
#define CLPAC_BENCH_WARPS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { LANES = 32, LINE_BYTES = 128, SECTOR_BYTES = 32 };

/* Edge list of a (series, phase band) as cl/phase_edges.cl makes it, for a series of one span; entries are samples. */
typedef struct edge_list {
	const uint32_t *entries; /* n_cycles x n_bins, then the others */
	size_t n_cycles, n_bins, n_others;
} edge_list;

/* How work-items are laid over shifts and amplitude bands, and prefix sums over memory. */
typedef struct mapping {
	const char *name;
	bool is_panel;	 /* each shift walks from row 0 of a single copy; else from its own row of two copies */
	bool is_padded;	 /* rows of 32 bands, 16 or 8, panels of 32; else rows of as many bands as there are */
	size_t group;	 /* work-items of a work-group */
	size_t of_entry; /* entries of the edge list that come with a load: 1 or 4 */
} mapping;

/* The series of a batch whose shifts are summed. */
typedef struct traced {
	const edge_list *lists; /* (n_series, n_phase) */
	const uint32_t *shifts; /* (n_series, n_shifts), ascending in each series */
	size_t n_series, n_phase, n_amplitude, n_shifts, n_samples;
} traced;

typedef struct processor {
	size_t cache_bytes, n_threads; /* of a multiprocessor */
	size_t n_processors, number;   /* group i runs on processor i modulo n_processors; the one that is modelled */
} processor;

/* What the loads of a processor came to. */
typedef struct traffic {
	uint64_t loads, lines;		 /* of prefix sums, by warps */
	uint64_t list_loads, list_lines; /* of edge lists */
	uint64_t sectors, missed;	 /* of both */
	uint64_t useful_bytes;		 /* of prefix sums that some work-item adds */
} traffic;

/* Bands in a row of a mapping's prefix sums. */
size_t bands_of_row(const mapping *of, size_t n_amplitude);

/* Adds what a processor loads for all series to *out.  Returns false without memory. */
bool add_traffic(const traced *what, const mapping *how, const processor *where, traffic *out);

#endif
