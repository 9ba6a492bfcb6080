/* How many bins and edges one work-item of a GPU takes at a time, and statements written out for each of them.
 *
 * A compiler keeps an array in registers only where every index is a constant.  A loop has constant indices if the
 * compiler unrolls it, which none promises, and its passes count on devices that give up long loops (doc/devices.md);
 * statements that are written out have them always.
 *
 * Valid as C11 and as OpenCL C.
 */
#ifndef CLPAC_SHARED_EACH_BIN_H
#define CLPAC_SHARED_EACH_BIN_H

/* Sums of bins in registers: all of up to 36 bins, else those of tiles of 16.  Tiles of 32 would pass a thirtieth fewer
 * entries of edge lists; AMD's and Intel's compilers then spill in kernels that hold more beside the sums. */
#define CLPAC_MOST_BINS 36
#define CLPAC_TILE_BINS(n_bins) ((n_bins) <= CLPAC_MOST_BINS ? (n_bins) : 16)

/* Counters of edge lists, three for each edge. */
#define CLPAC_MOST_EDGES 18
#define CLPAC_EDGE_TILES(n_bins) (((n_bins) + CLPAC_MOST_EDGES - 1) / CLPAC_MOST_EDGES)
#define CLPAC_TILE_EDGES(n_bins) (((n_bins) + CLPAC_EDGE_TILES(n_bins) - 1) / CLPAC_EDGE_TILES(n_bins))

/* Entries of edge lists from one cycle to the next: an entry for each edge, the least and the largest of them, and as
 * many more as make it a multiple of 16 bytes. */
#define CLPAC_CYCLE_STRIDE(n_bins) (((n_bins) + 5) / 4 * 4)

/* step(0) step(1) ... step(8), step(17), step(35), step(36). */
#define CLPAC_EACH_6(step, i) step(i) step((i) + 1) step((i) + 2) step((i) + 3) step((i) + 4) step((i) + 5)
#define CLPAC_EACH_9(step) CLPAC_EACH_6(step, 0) step(6) step(7) step(8)
#define CLPAC_EACH_18(step) CLPAC_EACH_6(step, 0) CLPAC_EACH_6(step, 6) CLPAC_EACH_6(step, 12)
#define CLPAC_EACH_36(step) CLPAC_EACH_18(step) CLPAC_EACH_6(step, 18) CLPAC_EACH_6(step, 24) CLPAC_EACH_6(step, 30)
#define CLPAC_EACH_37(step) CLPAC_EACH_36(step) step(36)

#endif
