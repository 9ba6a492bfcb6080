/* The laws of the FFT engines of OpenCL devices. */
#include "runner.h"

#include "fft_laws.h"
#include "targets.h"

const int runner_no_fork = 1;

const char *skip_reason(void)
{
	size_t n = targets_find("opencl");
	if (!n)
		return "no OpenCL device that can be used (clpac devices says why)";
	return fft_pairs_find("opencl", n) ? NULL : "this build has no FFT engine for OpenCL devices";
}

Suite *suite(void)
{
	Suite *s = suite_create("OpenCL FFT engines");
	/* One length: a driver compiles each transform for some seconds. */
	fft_add_laws(s, fft_pairs_find("opencl", targets_find("opencl")), 1);
	return s;
}
