/* Which passes of a plan are fused: where the parts of a row are so few that each pass would be a launch for which a
 * GPU waits longer than it computes.
 *
 * A fused kernel (cl/prelude.cl) takes each row through all passes, in one work-group on a GPU.  Longer rows keep a
 * launch for each pass, since their parts would be computed one after the other there.  No number depends on it: the
 * passes are the same functions.
 */
#ifndef CLPAC_COUPLING_LAYOUT_FUSED_H
#define CLPAC_COUPLING_LAYOUT_FUSED_H

#include "coupling/layout/layout.h"

/* Edge lists: those of rows whose tiles one work-group counts at once. */
bool clpac__fuses_edges(const clpac__layout *layout);

/* Decides the tiles of edge lists, which nothing but time depends on: those of everything else, shorter ones where the
 * rows of all series are so few that a GPU's lanes would wait for each other, or longer ones on a CPU. */
void clpac__decide_edge_tiles(clpac__layout *layout, const clpac_device *device);

/* Levels, scales and prefix sums: those of panels whose tiles one work-group takes at once. */
bool clpac__fuses_sums(const clpac__layout *layout);

/* The noise of phase bands: of sections whose bands all come at once. */
bool clpac__fuses_noise(const clpac__layout *layout);

/* Moments, spreads and maxima: those of maps whose cells one work-group takes at once, and whose surrogates are all in
 * one chunk. */
bool clpac__fuses_statistics(const clpac__layout *layout);

/* The parts of a row in the pass that has most of them. */
size_t clpac__lanes_of_edges(const clpac__layout *layout);
size_t clpac__lanes_of_sums(const clpac__layout *layout);
size_t clpac__lanes_of_noise(const clpac__layout *layout);
size_t clpac__lanes_of_statistics(const clpac__layout *layout);

/* Most steps (steps.h) of an item of a fused stage; 0 where the plan does not fuse its passes. */
uint64_t clpac__fused_steps(const clpac__layout *layout, enum clpac__stage stage);

#endif
