/* The filters of the phase bands as integers, with which cl/settle_bins.cl decides bins exactly. */
#ifndef CLPAC_COUPLING_PASSES_EXACT_H
#define CLPAC_COUPLING_PASSES_EXACT_H

#include <clpac/memory/handles.h>
#include "coupling/layout/layout.h"
#include "coupling/signal/filter.h"

/* Writes taps, orders and the directions of the bin edges to the plan's buffers.  The filters' analytic taps must be
 * there. */
clpac_status clpac__exact_write(const clpac__layout *layout, clpac_buffer *const tensors[CLPAC__TENSOR_COUNT],
				const clpac__filter *filters, clpac_error *err);

#endif
