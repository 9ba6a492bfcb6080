/* The tables of FFT engines and of compute backends.  A new one is one line here, and one file or folder with its one
 * exported object. */
#include "config.h"

#include <string.h>

#include "base/sized.h"
#include "coupling/opencl/clfft_cache.h"
#include "coupling/registry/registry.h"

/* --- FFT engines ------------------------------------------------------------------------------ */

/* The table of FFT engines.  A new engine is one file, its one exported object, and one line here. */

extern const clpac__fft_engine clpac__fft_lanes;
#ifdef HAVE_OPENCL
extern const clpac__fft_engine clpac__fft_lanes_opencl;
#endif
#ifdef HAVE_CLFFT
extern const clpac__fft_engine clpac__fft_clfft;
#endif
#ifdef HAVE_VKFFT
extern const clpac__fft_engine clpac__fft_vkfft;
#endif

const clpac__fft_engine *const clpac__fft_engines[] = {
	&clpac__fft_lanes,
#ifdef HAVE_OPENCL
	&clpac__fft_lanes_opencl,
#endif
#ifdef HAVE_VKFFT
	&clpac__fft_vkfft,
#endif
#ifdef HAVE_CLFFT
	&clpac__fft_clfft,
#endif
	NULL,
};

clpac_status clpac_options_to_environment(const clpac_options *options, clpac_error *err)
{
	NEED(options);
	clpac_options own;
	clpac_status st = clpac__take_sized(&own, options, clpac_options, err);
#ifdef HAVE_CLFFT
	if (!st)
		st = clpac__clfft_cache_name(&own, err);
#endif
	return st;
}

/* --- Compute backends ------------------------------------------------------------------------- */

/* The table of compute backends, and the kernels of a queue.  A new backend is one folder, its one exported object, and
 * one line here. */

extern const clpac__compute_backend clpac__compute_native;
#ifdef HAVE_OPENCL
extern const clpac__compute_backend clpac__compute_opencl;
#endif

static const clpac__compute_backend *const backends[] = {
	&clpac__compute_native,
#ifdef HAVE_OPENCL
	&clpac__compute_opencl,
#endif
};

clpac_status clpac__compute_get(clpac__queue *queue, clpac__compute **out, clpac_error *err)
{
	*out = clpac__compute_of(queue);
	if (*out)
		return CLPAC_OK;
	for (size_t i = 0; i < sizeof backends / sizeof *backends; i++)
		if (strcmp(backends[i]->name, queue->device.backend) == 0)
			return clpac__compute_attach(queue, backends[i], out, err);
	RETURN_ERROR(CLPAC_ERROR_UNSUPPORTED, "this build has no kernels for the \"%s\" device %s",
		     queue->device.backend, queue->device.name);
}

clpac_status clpac__compute_launch(clpac__queue *queue, const clpac__launch *launch, clpac_error *err)
{
	clpac__compute *compute;
	clpac_status st = clpac__compute_get(queue, &compute, err);
	return st == CLPAC_OK ? compute->operations->launch(compute, launch, err) : st;
}

clpac_status clpac__compute_prepare(clpac__queue *queue, unsigned n_bins, clpac_error *err)
{
	clpac__compute *compute;
	clpac_status st = clpac__compute_get(queue, &compute, err);
	return st == CLPAC_OK ? compute->operations->prepare(compute, n_bins, err) : st;
}
