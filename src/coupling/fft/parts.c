/* The parts of this build of libclpac, for records of results and for --version. */
#include "config.h"

#include <clpac/plan.h>

#include "base/text.h"

clpac_status clpac_parts(char **text, clpac_error *err)
{
	NEED(text);
	clpac__text made = {0};
	clpac__text_add(&made, "native kernels: baseline");
#ifdef HAVE_ISA_AVX2
	clpac__text_add(&made, ", AVX2");
#endif
#ifdef HAVE_ISA_AVX512
	clpac__text_add(&made, ", AVX-512");
#endif
#ifdef HAVE_OPENCL
	clpac__text_add(&made, "\nOpenCL");
#endif
#ifdef HAVE_CLFFT
	clpac__text_add(&made, "\nFFT on OpenCL: clFFT");
#endif
#ifdef HAVE_VKFFT
	clpac__text_add(&made, "\nFFT on OpenCL: VkFFT");
#endif
	return clpac__text_give(&made, "the list of parts", text, err);
}
