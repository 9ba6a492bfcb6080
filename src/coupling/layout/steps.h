/* Steps of loops: how many an item of each stage takes at most in one launch.
 *
 * Some devices give up an item's loops after a number of steps without a word (clpac__compute,
 * coupling/stages/compute.h), and others reset themselves when an item takes too long.  A layout therefore has one
 * limit, most_steps, and keeps every launch within it: tiles, spans and lists are cut shorter, bands come in several
 * launches, and what cannot be cut is refused.  doc/devices.md has the bounds as a table.
 *
 * A step is one pass of a loop, the pass in which it ends included.  Devices run up to CLPAC__LANES neighbouring items
 * in step, so that a loop takes the passes of the item that needs most, and inner loops the sum of what the slowest
 * item of each outer pass needs; the bounds hold for that.
 */
#ifndef CLPAC_COUPLING_LAYOUT_STEPS_H
#define CLPAC_COUPLING_LAYOUT_STEPS_H

#include "coupling/layout/context_engine.h"
#include "coupling/layout/layout.h"

enum { CLPAC__LANES = 16 };

/* Most steps of an item of a stage in a launch of this layout; 0 for stages without loops. */
uint64_t clpac__steps_of(const clpac__layout *layout, enum clpac__stage stage);

/* The stage of runs on the host's memory that takes most steps, and how many; with is_enqueued, of runs on the
 * device's. */
enum clpac__stage clpac__steps_longest(const clpac__layout *layout, bool is_enqueued, uint64_t *n_steps);

/* Shows that the device of a plan, with buffers and kernels, takes as many steps as its runs need: an item counts them,
 * beside which a run is long.  CLPAC_ERROR_UNSUPPORTED: it gives up earlier; most_steps of its kernels then says when,
 * and another layout may do. */
clpac_status clpac__steps_prove(const clpac_context *context, const clpac__layout *layout,
				clpac_buffer *const tensors[CLPAC__TENSOR_COUNT], clpac_error *err);

/* CLPAC_ERROR_UNSUPPORTED if a stage takes more than the layout's most_steps. */
clpac_status clpac__steps_check(const clpac__layout *layout, bool is_enqueued, const char *device, clpac_error *err);

/* Surrogates that a launch of surrogate_moments takes, at least one where there are any: chunks are no longer. */
size_t clpac__steps_surrogates(const clpac__layout *layout);

/* Phase bands that a launch of surrogate_maxima takes, at least one. */
size_t clpac__steps_phases(const clpac__layout *layout);

/* Samples of a row of settle_bins: as many as the lanes of a group take at once, where there are several times as
 * many. */
size_t clpac__steps_settle_tile(const clpac__layout *layout);

/* Most steps of an item that passes all crossings of a series at once, of one that passes two spans of so many samples,
 * of one that counts the crossings of a tile, and of one that decides the scale of a band from so many tiles. */
uint64_t clpac__steps_of_whole(const clpac__layout *layout);
uint64_t clpac__steps_of_spans(const clpac__layout *layout, size_t span);
uint64_t clpac__steps_of_count(const clpac__layout *layout, size_t tile);
uint64_t clpac__steps_of_scale(const clpac__layout *layout, size_t n_tiles);

#endif
