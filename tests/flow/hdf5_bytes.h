/* Files of HDF5, put together part by part: addresses and headers of objects of version 2, links in the headers of
 * groups, arrays in one piece or in chunks.  Their checksums are zeros, which nothing reads. */
#ifndef CLPAC_TESTS_HDF5_BYTES_H
#define CLPAC_TESTS_HDF5_BYTES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "files.h"

/* 'f', 'i', 'u': numbers; 't': texts of `bytes` letters; 'v': texts in a heap; 'r': references to objects */
typedef struct hdf5_type {
	char kind;
	size_t bytes;
	bool is_big_endian;
} hdf5_type;

typedef struct hdf5_attribute {
	const char *name, *text; /* text NULL: a number */
	double number;
} hdf5_attribute;

typedef struct hdf5_array {
	hdf5_type type;
	size_t n_dimensions, dimensions[4];
	const void *elements;
	size_t chunk[3]; /* zeros: in one piece */
	bool is_packed, is_shuffled, is_summed;
	unsigned filter; /* another filter's number, which does nothing */
	hdf5_attribute attributes[4];
} hdf5_array;

/* Begins a file, with MATLAB's text in front of it or without; addresses are behind that. */
typedef struct hdf5_file {
	bytes all;
	size_t base;
} hdf5_file;
void hdf5_begin(hdf5_file *to, bool is_matlab);
/* Write an object and return its address. */
uint64_t hdf5_write_array(hdf5_file *to, const hdf5_array *array);
uint64_t hdf5_write_group(hdf5_file *to, size_t n, const char *const *names, const uint64_t *members,
			  const hdf5_attribute *attributes, size_t n_attributes);
/* Texts in a heap, as elements of an array of 16 bytes each. */
void hdf5_write_texts(hdf5_file *to, size_t n, const char *const *texts, unsigned char *elements);
void hdf5_end(hdf5_file *to, uint64_t root);

/* A variable of MATLAB of this class. */
hdf5_array hdf5_variable(hdf5_type type, const char *class, size_t rows, size_t columns, const void *elements);
/* A char array, as MATLAB keeps it. */
uint64_t hdf5_write_letters(hdf5_file *to, const char *text);

#endif
