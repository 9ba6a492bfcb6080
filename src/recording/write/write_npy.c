/* Samples as .npy: magic, version 1.0, length, a Python dictionary padded with blanks, and the values. */
#include "recording/write/npz_output.h"

#include <clpac/write.h>

#include <stdio.h>
#include <string.h>

#include "recording/output.h"

enum { PREFIX_BYTES = 10, ALIGNMENT = 64 };

size_t clpac__npy_head_build(unsigned char header[CLPAC__NPY_HEAD_ROOM], const char *type, const size_t *dimensions,
			     size_t n_dimensions)
{
	char *text = (char *)header + PREFIX_BYTES;
	size_t room = CLPAC__NPY_HEAD_ROOM - PREFIX_BYTES;
	size_t length = (size_t)snprintf(text, room, "{'descr': '%s', 'fortran_order': False, 'shape': (", type);
	for (size_t i = 0; i < n_dimensions; i++)
		length += (size_t)snprintf(text + length, room - length, "%zu%s", dimensions[i],
					   n_dimensions == 1	  ? ","
					   : i + 1 < n_dimensions ? ", "
								  : "");
	length += (size_t)snprintf(text + length, room - length, "), }");

	size_t bytes = (PREFIX_BYTES + length + 1 + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
	memset(text + length, ' ', bytes - PREFIX_BYTES - length - 1);
	header[bytes - 1] = '\n';
	memcpy(header, "\x93NUMPY\x01\x00", 8);
	header[8] = (unsigned char)((bytes - PREFIX_BYTES) & 0xff);
	header[9] = (unsigned char)((bytes - PREFIX_BYTES) >> 8);
	return bytes;
}

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
