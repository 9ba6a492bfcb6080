/* Settings of tests, for a plan and its runs, that no caller can ask for: short series then take the ways of long ones,
 * and this machine those of devices that it has not; bench/run sweeps some of them.  Zero is what a program has.  Set
 * while nothing else makes a plan.
 */
#ifndef CLPAC_COUPLING_LAYOUT_TEST_SETTINGS_H
#define CLPAC_COUPLING_LAYOUT_TEST_SETTINGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum clpac__ahead { CLPAC__AHEAD_USUALLY = 0, CLPAC__AHEAD_ALWAYS, CLPAC__AHEAD_NEVER };

typedef struct clpac__test_settings {
	size_t span;		 /* the span to take, in samples; 0: the usual one */
	uint64_t streamed_from;	 /* bytes of a series' prefix sums from which they are streamed; 0: the usual ones */
	uint64_t cache;		 /* bytes of a cache in which slabs of prefix sums stay; 0: the device's */
	uint64_t steps;		 /* the most steps of an item, as of a device with that limit; 0: the device's own */
	uint64_t places;	 /* the largest place in a buffer that kernels count in 32 bits; 0: UINT32_MAX */
	size_t row_groups;	 /* groups of bands that a sample has side by side; 0: the device's usual ones */
	size_t edge_tile;	 /* samples of a tile of edge lists; 0: as keeps the device's lanes busy */
	size_t gap;		 /* the largest gap between coarse values of the phase bands; 0: the usual one */
	bool banks_apart;	 /* no banks are joined */
	bool passes_apart;	 /* every pass has a launch of its own */
	enum clpac__ahead ahead; /* begins batches ahead on every device that has a queue of its own, or on none */
	/* Tensors of buffers (layout.h): no tensor lies in the buffer of another; those whose life begins or ends with
	 * a pass are filled with bytes of all ones, as floats NaN (clpac__pass_begins); 1 + the tensor whose life ends
	 * a pass too early. */
	bool are_tensors_apart, are_lives_marked;
	int life_cut;
} clpac__test_settings;

extern clpac__test_settings clpac__for_tests;

#endif
