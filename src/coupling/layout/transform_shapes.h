/* The shapes of a layout's transforms, before they are made. */
#ifndef CLPAC_COUPLING_LAYOUT_TRANSFORM_SHAPES_H
#define CLPAC_COUPLING_LAYOUT_TRANSFORM_SHAPES_H

#include "coupling/layout/context_engine.h"
#include "coupling/layout/layout.h"

enum { CLPAC__TRANSFORMS = 9 };

/* The shapes of the transforms that a layout needs; length 0: not needed. */
void clpac__transforms_describe(const clpac__layout *layout, clpac__fft_shape shapes[CLPAC__TRANSFORMS]);

/* The first of these shapes that equals shape number i: transforms of one shape are one. */
size_t clpac__first_of_shape(const clpac__fft_shape shapes[CLPAC__TRANSFORMS], size_t i);

/* The rows of the layout's largest transform. */
size_t clpac__transforms_rows(const clpac__layout *layout);

/* The place of a table behind so many bytes of the workspace. */
size_t clpac__tables_at(const clpac__queue *queue, size_t bytes);

/* The workspace of a layout's transforms with their tables, before they are made.  If only a finished transform can
 * tell (*is_exact false), it is an upper bound for a driver's FFT: as much as its data, or twice that where real rows
 * become complex ones. */
uint64_t clpac__transforms_workspace(const clpac_context *context, const clpac__layout *layout, bool *is_exact);

#endif
