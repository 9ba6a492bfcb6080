/* The engine that a plan takes if the caller names none: data, from measurements
 * (doc/decisions/0012-two-opencl-engines.md). */
#include "coupling/fft/engine.h"

#include <string.h>

/* Preferences by kind of device and length: the first matching row counts.  Without a row, or if its engine is not
 * built or refuses, the choice is the first engine of the table in engines.c that accepts. */
static const struct row {
	clpac_device_kind kind;
	size_t shortest, longest;
	const char *engine;
} rows[] = {
	{CLPAC_DEVICE_OPENCL_CPU, 1, SIZE_MAX, "vkfft"},
};

static bool accepts(const clpac__fft_engine *engine, const clpac__queue *queue, size_t length)
{
	const clpac__fft_shape shape = {CLPAC__FFT_FORWARD, length, 1, length, length / 2 + 1};
	return strcmp(engine->backend, queue->device.backend) == 0 &&
	       (!engine->accepts || engine->accepts(queue, length ? &shape : NULL, NULL) == CLPAC_OK);
}

const clpac__fft_engine *clpac__fft_choose(const clpac__queue *queue, size_t length)
{
	const clpac__fft_engine *first = NULL;
	const char *wanted = "";
	for (size_t i = 0; i < sizeof rows / sizeof *rows && !*wanted; i++)
		if (rows[i].kind == queue->device.kind && length >= rows[i].shortest && length <= rows[i].longest)
			wanted = rows[i].engine;
	for (const clpac__fft_engine *const *engine = clpac__fft_engines; *engine; engine++) {
		if (!accepts(*engine, queue, length))
			continue;
		if (strcmp((*engine)->name, wanted) == 0)
			return *engine;
		first = first ? first : *engine;
	}
	return first;
}
