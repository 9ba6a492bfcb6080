/* The transforms of cl/transform_rows.cl, for engines of devices whose vectors have several floats: their lengths,
 * tables and launches.
 *
 * Bits depend on the length alone: not on the vectors, the device, the other rows or who takes which.  The tables are
 * rounded once from double.
 *
 * An item of a launch takes some rows, one after the other, in four planes of its own, so that they stay in a core's
 * caches.  Cost: for each value of a row 32 bytes a pass, of which 4096 values take six (cl/transform_rows.cl).
 */
#ifndef CLPAC_COUPLING_FFT_LANES_H
#define CLPAC_COUPLING_FFT_LANES_H

#include "coupling/fft/engine.h"
#include "coupling/stages/compute.h"

/* The numbers of an engine's own next_length and cost. */
size_t clpac__lanes_next_length(size_t n);
double clpac__lanes_cost(const clpac__queue *queue, size_t length);

/* Whether a length is a multiple of 16.  Factors above 5 cost as many steps for each value. */
bool clpac__lanes_takes(size_t length);

/* Bytes of the planes of a shape's items, at most n_items, and of its table; a wanted size that no size_t holds is
 * SIZE_MAX. */
size_t clpac__lanes_planes_bytes(const clpac__fft_shape *shape, size_t n_items);
size_t clpac__lanes_table_bytes(const clpac__fft_shape *shape);

/* Writes the table of a shape into a workspace, at a multiple of 64 bytes. */
clpac_status clpac__lanes_write_table(clpac__queue *queue, const clpac__fft_shape *shape, clpac__block *workspace,
				      size_t offset, clpac_error *err);

/* Transforms rows, 1 or more, whose blocks were checked, on as many items as planes were made for; the table lies at
 * `offset` in the workspace. */
clpac_status clpac__lanes_launch(clpac__compute *compute, const clpac__fft_shape *shape, size_t n_items, size_t offset,
				 clpac__block *input, clpac__block *output, clpac__block *workspace, size_t rows,
				 clpac_error *err);

/* The same of products. */
clpac_status clpac__lanes_launch_bands(clpac__compute *compute, const clpac__fft_shape *shape, size_t n_items,
				       size_t offset, const clpac__fft_bands *bands, clpac__block *workspace,
				       clpac_error *err);

#endif
