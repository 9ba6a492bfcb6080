/* The table of FFT engines.  A new engine is one file, its one exported object, and one line here. */
#include "config.h"

#include "base/sized.h"
#include "coupling/registry/engines.h"

#include "coupling/opencl/clfft_cache.h"

#ifdef HAVE_FFTW
extern const clpac__fft_engine clpac__fft_fftw;
#endif
#ifdef HAVE_KISSFFT
extern const clpac__fft_engine clpac__fft_kissfft;
#endif
#ifdef HAVE_CLFFT
extern const clpac__fft_engine clpac__fft_clfft;
#endif
#ifdef HAVE_VKFFT
extern const clpac__fft_engine clpac__fft_vkfft;
#endif

const clpac__fft_engine *const clpac__fft_engines[] = {
#ifdef HAVE_FFTW
	&clpac__fft_fftw,
#endif
#ifdef HAVE_KISSFFT
	&clpac__fft_kissfft,
#endif
#ifdef HAVE_CLFFT
	&clpac__fft_clfft,
#endif
#ifdef HAVE_VKFFT
	&clpac__fft_vkfft,
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
