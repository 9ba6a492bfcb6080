/* The header of an .npy file as written (numpy.lib.format, version 1): type, C order, shape. */
#ifndef CLPAC_RECORDING_WRITE_WRITE_NPY_H
#define CLPAC_RECORDING_WRITE_WRITE_NPY_H

#include <stddef.h>

/* The byte order of this computer as the start of a NumPy type: CLPAC__NPY_ORDER "f4". */
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
#define CLPAC__NPY_ORDER ">"
#else
#define CLPAC__NPY_ORDER "<"
#endif

/* Room for a header of at most 5 dimensions. */
enum { CLPAC__NPY_HEAD_ROOM = 256 };

/* Writes the header of a C-ordered array.  Returns its size in bytes, a multiple of 64 so that the data can be
 * mapped. */
size_t clpac__npy_head_build(unsigned char header[CLPAC__NPY_HEAD_ROOM], const char *type, const size_t *dimensions,
			     size_t n_dimensions);

#endif
