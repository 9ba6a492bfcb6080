/* HDF5 files: MATLAB's of version 7.3, and Neurodata Without Borders. */
#ifndef CLPAC_RECORDING_READ_HDF5_H
#define CLPAC_RECORDING_READ_HDF5_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <clpac/recording.h>

#include "recording/read/samples.h"

/* The parts of a file (HDF5 File Format Specification, The HDF Group, version 3.0) that MATLAB, h5py and PyNWB write
 * unless they are asked for newer ones: groups with a symbol table or with links in their header, arrays that lie in
 * one piece or in chunks found by a tree of version 1, and the filters deflate, shuffle and fletcher32.  Soft and
 * external links, external files and virtual arrays are not followed.  Every address and size is checked against the
 * file.  A file that leads in circles ends with an error: what stands in a tree ascends, and the rest of what is looked
 * at is counted.  The work follows what stands in a file and not its size, most of which may be a hole. */

enum {
	CLPAC__HDF5_MOST_DIMENSIONS = 3,
	CLPAC__HDF5_MOST_FILTERS = 3,
	CLPAC__HDF5_NAME_SIZE = 256, /* longer ones are passed over */
	CLPAC__HDF5_AHEAD_BYTES = 4096
};

/* A file whose parts are read as they are asked for. */
typedef struct clpac__hdf5 {
	clpac__source *file;	  /* not owned */
	uint64_t base;		  /* the byte from which addresses count */
	uint64_t root;		  /* address of the outermost group */
	uint64_t n_left;	  /* parts that may still be looked at, beside those of chunks' trees */
	uint64_t n_spent;	  /* parts that were looked at */
	uint64_t unpacked_left;	  /* bytes that whole small arrays may still unpack to */
	uint64_t letters_left;	  /* bytes that their texts may still have */
	uint64_t heap, heap_next; /* the heap where the last text was found, and the place behind it */
	uint64_t ahead_at;
	size_t ahead_bytes;
	unsigned char ahead[CLPAC__HDF5_AHEAD_BYTES];
} clpac__hdf5;

typedef enum clpac__hdf5_kind {
	CLPAC__HDF5_OTHER = 0,
	CLPAC__HDF5_NUMBERS,
	CLPAC__HDF5_REFERENCES, /* addresses of objects */
	CLPAC__HDF5_TEXT,	/* of equal length, ended by a zero or not */
	CLPAC__HDF5_TEXTS	/* of any length, in a heap */
} clpac__hdf5_kind;

typedef struct clpac__hdf5_type {
	clpac__hdf5_kind kind;
	size_t bytes;			 /* of an element */
	const clpac__encoding *encoding; /* of numbers */
	bool is_big_endian;
} clpac__hdf5_type;

typedef struct clpac__hdf5_space {
	size_t n_dimensions; /* 0: one element */
	bool is_readable;    /* it has no more dimensions than are read */
	size_t dimensions[CLPAC__HDF5_MOST_DIMENSIONS];
	size_t n; /* elements */
} clpac__hdf5_space;

/* A group or an array. */
typedef struct clpac__hdf5_object {
	uint64_t address;
	bool is_group, is_array;
	bool is_newer;	     /* it is laid out in a way that is not read */
	uint64_t tree, heap; /* of a group with a symbol table; tree 0: none */
	clpac__hdf5_type type;
	clpac__hdf5_space space;
	bool is_chunked;
	uint64_t at, bytes; /* of an array: its elements, or the tree of its chunks */
	size_t chunk[CLPAC__HDF5_MOST_DIMENSIONS];
	unsigned filters[CLPAC__HDF5_MOST_FILTERS]; /* in the order of writing */
	size_t n_filters;
	unsigned unknown_filter; /* 0: none */
} clpac__hdf5_object;

/* Reads the beginning of a file.  The source stays the caller's, and lives as long; *out is to be freed with
 * clpac__free.
 * Errors: CLPAC_ERROR_FORMAT, CLPAC_ERROR_IO, CLPAC_ERROR_NO_MEMORY. */
clpac_status clpac__hdf5_open(clpac__source *file, clpac__hdf5 **out, clpac_error *err);

/* Refuses what is no damage, and says what makes a file of it that is read. */
clpac_status clpac__hdf5_unread(const clpac__hdf5 *h5, const char *what, clpac_error *err);

clpac_status clpac__hdf5_object_read(clpac__hdf5 *h5, uint64_t address, clpac__hdf5_object *out, clpac_error *err);

/* Takes a member of a group. */
typedef clpac_status clpac__hdf5_take(void *user, clpac__hdf5 *h5, const char *name, uint64_t address,
				      clpac_error *err);
/* Hands over the members of a group, but for links that lead elsewhere. */
clpac_status clpac__hdf5_each(clpac__hdf5 *h5, const clpac__hdf5_object *group, clpac__hdf5_take *take, void *user,
			      clpac_error *err);
/* Finds a member of a group and reads it; *is_there is false where it has none of this name. */
clpac_status clpac__hdf5_find(clpac__hdf5 *h5, const clpac__hdf5_object *group, const char *name,
			      clpac__hdf5_object *out, bool *is_there, clpac_error *err);

/* Attributes of an object.
 * @param[out] out a text of UTF-8, to be freed with clpac__free; NULL: there is no such attribute of a text. */
clpac_status clpac__hdf5_text_attribute(clpac__hdf5 *h5, uint64_t address, const char *name, char **out,
					clpac_error *err);
/* @param[out] out NAN: there is no such attribute of a number.  Of several numbers, the first. */
clpac_status clpac__hdf5_number_attribute(clpac__hdf5 *h5, uint64_t address, const char *name, double *out,
					  clpac_error *err);

/* Reads n bytes at an address; CLPAC_ERROR_FORMAT where the file does not have them. */
clpac_status clpac__hdf5_bytes(clpac__hdf5 *h5, uint64_t address, void *to, size_t n, clpac_error *err);
/* Counts a part that is looked at; CLPAC_ERROR_FORMAT for more than a file of its size can have, or any file has. */
clpac_status clpac__hdf5_spend(clpac__hdf5 *h5, clpac_error *err);
/* Counts bytes that are made of the file; CLPAC_ERROR_FORMAT for more than are left, which names what they are.  An
 * array or a text counts as often as it is referred to: a few bytes could stand for any number of them otherwise. */
clpac_status clpac__hdf5_use_up(const clpac__hdf5 *h5, uint64_t *left, uint64_t n, const char *what, clpac_error *err);
/* A number of up to eight bytes, least significant first. */
static inline uint64_t clpac__hdf5_number(const unsigned char *at, size_t bytes)
{
	uint64_t value = 0;
	for (size_t i = 0; i < bytes; i++)
		value |= (uint64_t)at[i] << 8 * i;
	return value;
}

/* Whole small arrays: all their elements in order.
 * @param[out] out of space.n, to be freed with clpac__free; NULL where the array has none of this kind. */
clpac_status clpac__hdf5_numbers_read(clpac__hdf5 *h5, const clpac__hdf5_object *array, double **out, clpac_error *err);
clpac_status clpac__hdf5_references_read(clpac__hdf5 *h5, const clpac__hdf5_object *array, uint64_t **out,
					 clpac_error *err);
/* @param[out] out texts, each to be freed as well. */
clpac_status clpac__hdf5_texts_read(clpac__hdf5 *h5, const clpac__hdf5_object *array, char ***out, clpac_error *err);
/* The text of an element.  @param[out] out to be freed with clpac__free. */
clpac_status clpac__hdf5_text_of(clpac__hdf5 *h5, const clpac__hdf5_type *type, const unsigned char *element,
				 char **out, clpac_error *err);

/* Refuses an array that claims more elements than the file's bytes can unpack to, or many channels of few samples, with
 * CLPAC_ERROR_FORMAT.  To be called before anything is made for each channel. */
clpac_status clpac__hdf5_claim_check(const clpac__hdf5 *h5, const clpac__hdf5_object *array, size_t n_channels,
				     clpac_error *err);
/* Adds the channels of an array whose last dimension is the channels', and which loads them later.
 * @param names NULL: "0", "1", ...  @param scales of each channel.
 * @param[in,out] layout of the samples: the channels and epochs are given, the rest is found. */
clpac_status clpac__hdf5_channels_add(clpac__hdf5 *h5, const clpac__hdf5_object *array, clpac__sample_layout *layout,
				      const char *const *names, const char *unit, double rate_hz,
				      const clpac__channel_scale *scales, clpac_recording *recording, clpac_error *err);

#endif
