/* MATLAB's files of version 5, from MATLAB, GNU Octave, SciPy and EEGLAB. */
#ifndef CLPAC_RECORDING_READ_MAT_H
#define CLPAC_RECORDING_READ_MAT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <zlib.h>

#include <clpac/recording.h>

#include "recording/read/samples.h"

/* The elements of a file (MAT-File Format, The MathWorks, "Level 5"): a header of 128 bytes, and variables one after
 * the other, plain or each compressed by zlib.  A variable is a matrix: class, dimensions, name, and its content, which
 * of cells and structs are matrices again. */

enum {
	CLPAC__MAT_HEAD_BYTES = 128,
	CLPAC__MAT_MOST_DIMENSIONS = 8,
	CLPAC__MAT_NAME_SIZE = 64, /* MATLAB's names have 63 letters at most */
	CLPAC__MAT_AHEAD_BYTES = 4096,
	CLPAC__MAT_PACKED_BYTES = 16384
};

/* Classes of matrices; those from MAT_DOUBLE to MAT_UINT64 hold numbers. */
enum {
	CLPAC__MAT_NONE = 0, /* an empty one without a class, or one of more dimensions than are read */
	CLPAC__MAT_CELL = 1,
	CLPAC__MAT_STRUCT = 2,
	CLPAC__MAT_CHAR = 4,
	CLPAC__MAT_DOUBLE = 6,
	CLPAC__MAT_UINT64 = 15,
	CLPAC__MAT_OPAQUE = 17 /* objects, which have no dimensions */
};

typedef struct clpac__mat_array {
	char name[CLPAC__MAT_NAME_SIZE]; /* "" within structs and cells, and where it is longer */
	unsigned kind;			 /* its class */
	bool is_complex;
	size_t n_dimensions, dimensions[CLPAC__MAT_MOST_DIMENSIONS];
	size_t n;     /* elements: the product of the dimensions */
	uint64_t end; /* the byte behind it */
} clpac__mat_array;

/* A file whose variables are read in order. */
typedef struct clpac__mat {
	clpac__source *file; /* not owned */
	bool is_big_endian;
	uint64_t place, next;		/* of the variable that is being read, and of the one behind it, in the file */
	clpac__source *bytes;		/* of the variable that is being read: one of the next two */
	clpac__source plain;		/* the file, read in parts that are read ahead */
	clpac__source packed;		/* a compressed variable, unpacked */
	uint64_t packed_at, packed_end; /* what is left of it in the file */
	bool has_inflater, is_unpacked; /* its end was reached, and its checksum is right */
	z_stream inflater;
	uint64_t ahead_at;
	size_t ahead_bytes;
	unsigned char ahead[CLPAC__MAT_AHEAD_BYTES], input[CLPAC__MAT_PACKED_BYTES];
} clpac__mat;

/* Reads the header.  The source stays the caller's, and lives as long.
 * Errors: CLPAC_ERROR_FORMAT, CLPAC_ERROR_IO, CLPAC_ERROR_NO_MEMORY. */
clpac_status clpac__mat_open(clpac__source *file, clpac__mat **out, clpac_error *err);
/* NULL is fine. */
void clpac__mat_close(clpac__mat *mat);

/* Reads the next variable up to its content; *is_there is false behind the last.  What a compressed variable claims is
 * checked against the bytes in the file: they unpack to 1032 times as many at most. */
clpac_status clpac__mat_next(clpac__mat *mat, clpac__mat_array *out, bool *is_there, clpac_error *err);
/* Goes back to the variable at a place of the file, or to the first: the next one that is read. */
void clpac__mat_go_to(clpac__mat *mat, uint64_t place);
/* Reads the rest of the present variable, at whose end zlib compares the checksum. */
clpac_status clpac__mat_finish(clpac__mat *mat, clpac_error *err);

/* The content of an array, right behind the call that read it up to there. */

static inline bool clpac__mat_is_numeric(const clpac__mat_array *array)
{
	return array->kind >= CLPAC__MAT_DOUBLE && array->kind <= CLPAC__MAT_UINT64;
}

/* Goes to the samples of an array whose content begins at a byte of a variable, and tells their encoding.
 * @param place of the variable.  @param[out] from what they are read: the file itself where they are not compressed. */
clpac_status clpac__mat_samples_find(clpac__mat *mat, uint64_t place, uint64_t at, const clpac__mat_array *array,
				     clpac__sample_layout *layout, clpac__source **from, clpac_error *err);
/* Reads an array of one number; *out is NAN where it is none. */
clpac_status clpac__mat_number_read(clpac__mat *mat, const clpac__mat_array *array, double *out, clpac_error *err);
/* Reads the letters of a char array in order.
 * @param[out] out UTF-8, to be freed with clpac__free; NULL where it is no char array, or an empty one. */
clpac_status clpac__mat_text_read(clpac__mat *mat, const clpac__mat_array *array, char **out, clpac_error *err);

/* Joins the halves of UTF-16 in place.  Returns the number of code points. */
size_t clpac__mat_join_halves(uint32_t *points, size_t n);

/* Takes a field of an element of a struct array, or a cell; what it does not read of it is passed over.
 * @param element from 0, in MATLAB's order.  @param field its place among the wanted ones; 0 of a cell. */
typedef clpac_status clpac__mat_take(void *user, clpac__mat *mat, size_t element, size_t field,
				     const clpac__mat_array *value, clpac_error *err);
/* Reads a struct array, element by element, and hands over the fields of these names; or a cell array, where n_wanted
 * is 0. */
clpac_status clpac__mat_each(clpac__mat *mat, const clpac__mat_array *array, const char *const *wanted, size_t n_wanted,
			     clpac__mat_take *take, void *user, clpac_error *err);

#endif
