/* The compute backends and FFT engines of this build, and the choice between those. */
#ifndef CLPAC_COUPLING_REGISTRY_REGISTRY_H
#define CLPAC_COUPLING_REGISTRY_REGISTRY_H

#include "coupling/fft/engine.h"
#include "coupling/stages/compute.h"

/* The FFT engines of this build, and the choice between them. */

/* The engines of this build, in order of preference, ended by NULL (registry.c). */
extern const clpac__fft_engine *const clpac__fft_engines[];

/* Whether a name leaves the choice to clpac: NULL, "" or "auto". */
bool clpac__fft_is_auto(const char *name);

/* The best engine for a queue's device at a length (choice.c); length 0: at most lengths.  NULL if none accepts it.
 * Engines of one backend that are chosen by length have the same next_length. */
const clpac__fft_engine *clpac__fft_choose(const clpac__queue *queue, size_t length);

/* Finds the engine with this name, or chooses one.  Errors: CLPAC_ERROR_ARGUMENT if this build has no such engine for
 * the queue's backend, with a list of those it has; CLPAC_ERROR_UNSUPPORTED if the engine cannot serve the device, with
 * the reason. */
clpac_status clpac__fft_engine_find(const char *name, const clpac__queue *queue, const clpac__fft_engine **out,
				    clpac_error *err);

/* The kernels of a queue, whatever its backend. */

/* clpac__compute_attach with the backend that serves the queue. */
clpac_status clpac__compute_get(clpac__queue *queue, clpac__compute **out, clpac_error *err);

/* Put a stage into a queue, and prepare its kernels; both make the kernels first if the queue has none. */
clpac_status clpac__compute_launch(clpac__queue *queue, const clpac__launch *launch, clpac_error *err);
clpac_status clpac__compute_prepare(clpac__queue *queue, unsigned n_bins, clpac_error *err);

#endif
