/* Arrays of NumPy, alone (.npy) or as members of an archive (.npz). */
#ifndef CLPAC_RECORDING_READ_NPY_H
#define CLPAC_RECORDING_READ_NPY_H

#include <stdbool.h>
#include <stddef.h>
#include <zip.h>

#include "recording/read/samples.h"

/* The header of an .npy file (numpy.lib.format, versions 1, 2 and 3): encoding, order and shape. */

enum { CLPAC__NPY_MAX_DIMENSIONS = 32 };

typedef struct clpac__npy_head {
	char type[64];			 /* as written, "<f8" */
	const clpac__encoding *encoding; /* NULL: not real numbers */
	bool is_big_endian, is_fortran;
	size_t n_dimensions;
	size_t dimensions[CLPAC__NPY_MAX_DIMENSIONS];
} clpac__npy_head;

/* Reads up to the first sample.  CLPAC_ERROR_FORMAT names the unreadable part. */
clpac_status clpac__npy_head_read(clpac__source *source, clpac__npy_head *out, clpac_error *err);

/* An .npz archive of which libzip reads through a clpac__source, so that a call of the system that fails is told from a
 * damaged archive. */

typedef struct clpac__npz_archive {
	zip_t *zip;
	clpac__source *file;
	clpac_status st; /* of the file; libzip only reports that its source failed */
	clpac_error failure;
	zip_error_t error; /* the error that libzip asks a failed source for */
} clpac__npz_archive;

/* Opens the archive in a file, which it uses until it is closed; it may not be moved in memory.
 * CLPAC_ERROR_FORMAT for a file that is no archive. */
clpac_status clpac__npz_open(clpac__source *file, clpac__npz_archive *archive, clpac_error *err);
/* A zeroed one is fine. */
void clpac__npz_close(clpac__npz_archive *archive);

/* To be called before a call of libzip whose failure clpac__npz_explain is to explain. */
void clpac__npz_begin(clpac__npz_archive *archive);
/* Says why a call of libzip failed with `error`: the file could not be read, the host has no memory, or the archive is
 * damaged.  `path` and `what` begin the text. */
clpac_status clpac__npz_explain(clpac__npz_archive *archive, zip_error_t *error, const char *path, const char *what,
				clpac_error *err);

/* The members of an .npz archive as sources of bytes. */

typedef struct clpac__npz_member {
	clpac__npz_archive *archive; /* not owned */
	zip_file_t *file;
	char *path;	      /* "a.npz:mi.npy", for messages */
	clpac__source source; /* its bytes in order; uses file and path above */
} clpac__npz_member;

/* Opens member i.  Its claimed size is checked against the bytes in the archive, so that a caller may allocate
 * source.bytes: at most 1032 times the archive. */
clpac_status clpac__npz_member_open(clpac__npz_archive *archive, zip_uint64_t i, clpac__npz_member *out,
				    clpac_error *err);
/* Reads the rest, at whose end libzip compares the checksum. */
clpac_status clpac__npz_member_finish(clpac__npz_member *member, clpac_error *err);
/* A zeroed one is fine. */
void clpac__npz_member_close(clpac__npz_member *member);

/* The samples of an .npy array, of a file or of a member of an archive. */

/* Facts that other arrays of an archive tell. */
typedef struct clpac__npy_facts {
	double rate_hz;		  /* 0 unknown */
	const char *const *names; /* NULL: none */
	size_t n_names;
} clpac__npy_facts;

/* Reads header and samples into channels of the recording.  Names are taken where their number is that of the
 * channels, else they become a warning.
 * @param rate_hz given by the caller, for the times of epochs; 0 where it is not. */
clpac_status clpac__npy_samples_read(clpac__source *source, const clpac__npy_facts *facts, double rate_hz,
				     clpac_recording *recording, clpac_error *err);

#endif
