/* Samples out as .npy. */
#include <clpac/io.h>

#include "base/need.h"
#include "io/npy_head_write.h"
#include "io/output.h"

clpac_status clpac_npy_write(const char *path, const float *samples, size_t n_channels, size_t n_samples,
			     bool overwrite, clpac_error *err)
{
	NEED(path);
	NEED_AS(samples || !n_channels || !n_samples, "samples");
	clpac_status st = CLPAC_OK;
	clpac__output *output = NULL;
	unsigned char header[CLPAC__NPY_HEAD_ROOM];
	if (n_samples && n_channels > SIZE_MAX / sizeof(float) / n_samples)
		FAIL(CLPAC_ERROR_ARGUMENT,
		     "writing %s: %zu channels x %zu samples are more than this computer can address", path, n_channels,
		     n_samples);
	size_t bytes = clpac__npy_head_build(header, CLPAC__NPY_ORDER "f4", (size_t[]){n_channels, n_samples}, 2);
	TRY(clpac__output_open(path, overwrite, &output, err));
	TRY(clpac__output_write(output, header, bytes, err));
	TRY(clpac__output_write(output, samples, n_channels * n_samples * sizeof(float), err));
	TRY(clpac__output_commit(output, err));
done:
	clpac__output_discard(output);
	return st;
}
