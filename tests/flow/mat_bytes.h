/* Files of MATLAB, version 5, put together element by element. */
#ifndef CLPAC_TESTS_MAT_BYTES_H
#define CLPAC_TESTS_MAT_BYTES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "files.h"

/* Classes of matrices, and types of elements. */
enum { MAT_CELL = 1, MAT_STRUCT = 2, MAT_CHAR = 4, MAT_CLASS_DOUBLE = 6, MAT_CLASS_SINGLE = 7, MAT_CLASS_INT16 = 10 };
enum {
	MAT_I1 = 1,
	MAT_I2 = 3,
	MAT_U2 = 4,
	MAT_I4 = 5,
	MAT_U4 = 6,
	MAT_F4 = 7,
	MAT_F8 = 9,
	MAT_MATRIX = 14,
	MAT_PACKED = 15,
	MAT_U8 = 16
};

/* Begins a file.  Its order of bytes is that of all numbers in it. */
void mat_head(bytes *to, bool is_big_endian);
/* An element with its padding; one of four bytes or less stands in its tag. */
void mat_element(bytes *to, unsigned type, const void *data, size_t n);
/* Begins a matrix of two dimensions, or of three where `trials` is not 0; returns the place for mat_end. */
size_t mat_begin(bytes *to, const char *name, unsigned kind, size_t rows, size_t columns, size_t trials);
void mat_end(bytes *to, size_t place);
/* A real array; values in MATLAB's order, stored as MAT_I2, MAT_F4 or MAT_F8. */
void mat_array(bytes *to, const char *name, unsigned kind, unsigned stored, size_t rows, size_t columns, size_t trials,
	       const double *values);
void mat_number(bytes *to, const char *name, double value);
void mat_text(bytes *to, const char *name, const char *text);
/* The names of a struct's fields, behind its mat_begin. */
void mat_fields(bytes *to, const char *const *names, size_t n);
/* Appends a variable compressed, and frees it. */
void mat_packed(bytes *to, bytes *variable);

#endif
