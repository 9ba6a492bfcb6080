/* The engine that a plan takes: the one that was named, or else the first of the table in registry.c that accepts,
 * among those that are wide where the first that serves the device is, since a plan is laid out for either.  The table
 * begins with what is taken by default (decisions 0012 and 0136). */
#include "coupling/registry/registry.h"

#include <string.h>

#include "base/memory.h"
#include "base/text.h"

static bool accepts(const clpac__fft_engine *engine, const clpac__queue *queue, size_t length)
{
	const clpac__fft_shape shape = {CLPAC__FFT_FORWARD, length, 1, length, length / 2 + 1};
	return strcmp(engine->backend, queue->device.backend) == 0 &&
	       (!engine->accepts || engine->accepts(queue, length ? &shape : NULL, NULL) == CLPAC_OK);
}

const clpac__fft_engine *clpac__fft_choose(const clpac__queue *queue, size_t length)
{
	const clpac__fft_engine *first = NULL;
	for (const clpac__fft_engine *const *engine = clpac__fft_engines; *engine; engine++) {
		if (!first && accepts(*engine, queue, 0))
			first = *engine;
		if (first && (*engine)->is_wide == first->is_wide && accepts(*engine, queue, length))
			return *engine;
	}
	return NULL;
}

bool clpac__fft_is_auto(const char *name)
{
	return !name || !*name || strcmp(name, "auto") == 0;
}

static bool serves(const clpac__fft_engine *engine, const clpac__queue *queue)
{
	return strcmp(engine->backend, queue->device.backend) == 0;
}

/* The engines for the queue as text, "vkfft, clfft".  The caller frees it; NULL if memory ran out. */
static char *engines_for(const clpac__queue *queue)
{
	clpac__text names = {0};
	for (const clpac__fft_engine *const *engine = clpac__fft_engines; *engine; engine++)
		if (serves(*engine, queue))
			clpac__text_add(&names, "%s%s", names.length ? ", " : "", (*engine)->name);
	if (!names.length)
		clpac__text_add(&names, "none");
	return clpac__text_take(&names);
}

clpac_status clpac__fft_engine_find(const char *name, const clpac__queue *queue, const clpac__fft_engine **out,
				    clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	const bool is_auto = clpac__fft_is_auto(name);
	const clpac__fft_engine *found = is_auto ? clpac__fft_choose(queue, 0) : NULL;
	char *names = NULL;

	for (const clpac__fft_engine *const *engine = clpac__fft_engines; *engine && !is_auto; engine++)
		if (serves(*engine, queue) && strcmp((*engine)->name, name) == 0)
			found = *engine;
	if (found && found->accepts)
		TRY(found->accepts(queue, NULL, err));
	if (found) {
		*out = found;
		goto done;
	}
	names = engines_for(queue);
	if (is_auto)
		FAIL(CLPAC_ERROR_UNSUPPORTED,
		     "no FFT engine of this build can serve %s, of the %s devices: there are %s", queue->device.name,
		     queue->device.backend, names ? names : "(no memory left to list them)");
	FAIL(CLPAC_ERROR_ARGUMENT, "fft \"%s\" is no FFT engine of this build for %s devices: those are %s", name,
	     queue->device.backend, names ? names : "(no memory left to list them)");
done:
	clpac__free(names);
	return st;
}
