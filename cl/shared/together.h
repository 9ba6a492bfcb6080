/* Shifts and samples that one work-item takes at once, by vector width.  The kernels lay out their private memory by
 * it, and the host counts work-items by it.
 *
 * Valid as C11 and as OpenCL C.
 */
#ifndef CLPAC_SHARED_TOGETHER_H
#define CLPAC_SHARED_TOGETHER_H

/* Shifts of modulation_index.  On a CPU they share cached rows; on a GPU, whose vectors are single numbers, registers
 * are scarcer. */
#define CLPAC_TOGETHER(vector_width) ((vector_width) == 1 ? 1 : 4)

/* Samples of amplitude, which turns bands by samples into samples by bands. */
#define CLPAC_ABREAST(vector_width) ((vector_width) == 1 ? 1 : 16)

/* Edges whose sums slab_sums keeps in registers: the usual 18 bins where there are 32 registers. */
#define CLPAC_EDGES(vector_width) ((vector_width) == 16 ? 18 : 6)

/* Surrogates of surrogate_maxima.  On a CPU they share the root and the division of a cell's deviation, and follow each
 * other in memory. */
#define CLPAC_RANKED(vector_width) ((vector_width) == 1 ? 1 : 64)

/* Groups of bands of surrogate_moments.  On a CPU the sums of one group are added while those of another are not yet
 * ready to be added to, and lines of the cache are read once. */
#define CLPAC_MOMENT_GROUPS(vector_width) ((vector_width) == 1 ? 1 : 4)

/* Tiles of amplitude_moments and quantise.  On a CPU a sum of one waits for its last sample while those of others go
 * on. */
#define CLPAC_TILES(vector_width) ((vector_width) == 1 ? 1 : 4)

/* Lanes of a fused kernel, at most, whose items have arrays that all of them see; and those of settle_bins, for filters
 * of so many taps. */
#define CLPAC_SHARING_LANES 128
#define CLPAC_SETTLING_LANES(taps) ((taps) > 4096 ? CLPAC_SHARING_LANES : 64)

/* Commands of settle_bins, at most, for one batch. */
#define CLPAC_SETTLING_COMMANDS 256

#endif
