/* The members of an .npz archive as sources of bytes. */
#ifndef CLPAC_RECORDING_READ_NPZ_MEMBER_H
#define CLPAC_RECORDING_READ_NPZ_MEMBER_H

#include <zip.h>

#include "recording/read/npz_archive.h"

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

#endif
