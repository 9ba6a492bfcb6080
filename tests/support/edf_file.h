/* EDF and BDF files made by tests.  Every field is a text, so that any of them can be made wrong. */
#ifndef CLPAC_TESTS_EDF_FILE_H
#define CLPAC_TESTS_EDF_FILE_H

#include "files.h"

typedef struct edf_signal {
	const char *label, *unit, *physical_min, *physical_max, *digital_min, *digital_max, *samples;
	size_t n; /* samples per record in the file, whatever the header says */
} edf_signal;

typedef struct edf_file {
	int is_bdf;
	const char *version; /* 8 bytes */
	const char *start;   /* 8 bytes each: date and time */
	const char *head_bytes, *reserved, *n_records, *seconds, *n_signals;
	edf_signal signals[4]; /* the entries that have a label; a label that ends in "Annotations" marks the annotation
				  lists */
	const char *lists[8];  /* annotation bytes of record k; their lengths follow */
	size_t list_bytes[8];
	size_t records; /* records in the file, whatever the header says */
} edf_file;

/* A correct EDF+ or BDF+ file of 3 records of 1 s: two signals of 4 and 2 samples, and the annotations "start" at 0.5 s
 * for 0.25 s and "end" at 2.5 s. */
edf_file edf_good(int is_bdf);
/* Digital value of sample i of a signal in such a file. */
int edf_digital(size_t signal, size_t i);
bytes edf_bytes(const edf_file *file);
/* Writes the file as "made.edf" or "made.bdf" and returns its path. */
const char *edf_write(const edf_file *file);
/* The bytes of an annotation list of record k, from a literal that may hold NULs. */
#define EDF_LIST(file, k, literal) ((file)->lists[k] = (literal), (file)->list_bytes[k] = sizeof(literal))

#endif
