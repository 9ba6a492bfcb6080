/* An .npz archive (a zip of .npy files) written through a clpac__output, so that it too appears whole or not at all. */
#ifndef CLPAC_RECORDING_WRITE_NPZ_OUTPUT_H
#define CLPAC_RECORDING_WRITE_NPZ_OUTPUT_H

#include <stdbool.h>
#include <stddef.h>

#include <clpac/write.h>

#include "base/error.h"
#include "recording/output.h"

typedef struct clpac__npz_output clpac__npz_output;

/* The member that holds a text beside the arrays. */
#define CLPAC__REPORT_MEMBER "report.json"

/* The file that arrays go into: an .npz, or MATLAB's of version 5 (mat_output.h). */
typedef enum clpac__array_format { CLPAC__ARRAYS_NPZ = 0, CLPAC__ARRAYS_MAT } clpac__array_format;

clpac_status clpac__npz_output_open(const char *path, const clpac__output_way *way, clpac__array_format format,
				    clpac__npz_output **out, clpac_error *err);

/* An array in C order: items of item_bytes each, of the NumPy type ("<f4").  data is not copied and must stay until
 * commit. */
typedef struct clpac__npz_array {
	const char *name, *type;
	size_t item_bytes, dimensions[5], n_dimensions;
	const void *data;
} clpac__npz_array;

/* Adds NAME.npy, uncompressed so that NumPy can map it.  Every member is dated 1 January 1980, so that equal results
 * give equal files. */
clpac_status clpac__npz_output_add(clpac__npz_output *npz, const clpac__npz_array *array, clpac_error *err);

/* Adds a text under a name with its ending; it must stay until commit. */
clpac_status clpac__npz_output_add_text(clpac__npz_output *npz, const char *name, const char *text, clpac_error *err);

/* Writes everything.  Afterwards the archive can only be discarded. */
clpac_status clpac__npz_output_commit(clpac__npz_output *npz, clpac_error *err);
/* NULL is fine. */
void clpac__npz_output_discard(clpac__npz_output *npz);

/* The header of an .npy file as written (numpy.lib.format, version 1): type, C order, shape. */

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
