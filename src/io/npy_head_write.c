/* The head of an .npy file: magic, version 1.0, length, and a Python dictionary filled up with blanks. */
#include "io/npy_head_write.h"

#include <stdio.h>
#include <string.h>

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
