/* The FFT engines of this build, and the choice between them. */
#ifndef CLPAC_COUPLING_REGISTRY_ENGINES_H
#define CLPAC_COUPLING_REGISTRY_ENGINES_H

#include "coupling/fft/engine.h"

/* The engines of this build, in order of preference, ended by NULL (engines.c). */
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

#endif
