/* The kernels of a queue, whatever its backend. */
#ifndef CLPAC_COUPLING_REGISTRY_KERNELS_H
#define CLPAC_COUPLING_REGISTRY_KERNELS_H

#include "coupling/stages/compute.h"

/* clpac__compute_attach with the backend that serves the queue. */
clpac_status clpac__compute_get(clpac__queue *queue, clpac__compute **out, clpac_error *err);

/* Put a stage into a queue, and prepare its kernels; both make the kernels first if the queue has none. */
clpac_status clpac__compute_launch(clpac__queue *queue, const clpac__launch *launch, clpac_error *err);
clpac_status clpac__compute_prepare(clpac__queue *queue, unsigned n_bins, clpac_error *err);

#endif
