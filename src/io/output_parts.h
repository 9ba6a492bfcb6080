/* The members of an output, for output.c and output_set.c alone. */
#ifndef CLPAC_IO_OUTPUT_PARTS_H
#define CLPAC_IO_OUTPUT_PARTS_H

#include <sys/types.h>

#include "io/live_files.h"
#include "io/output.h"

struct clpac__output {
	char *path;	  /* as the caller gave it, for messages */
	char *target;	  /* the same with symbolic links followed */
	const char *name; /* last part of target */
	int folder;	  /* descriptor of the folder that holds target; -1 when written directly */
	int file;
	int lock;	   /* second descriptor of the file, whose lock shows that its writer lives; -1: none yet */
	uint64_t position; /* of the next byte, the kept ones included */
	size_t n_kept;	   /* bytes in kept, not yet written */
	bool may_replace, is_direct, is_open;
	bool replaces; /* there is a file already, with the permissions in mode */
	mode_t mode;
	clpac__live_file *live; /* the temporary file, while there is one */
	clpac_output_set *set;	/* the set that it appears with; NULL: it appears by itself */
	bool is_in_set;		/* complete, and owned by the set */
	char kept[1 << 14];
};

/* Frees an output and removes its temporary file, though it is in a set. */
void clpac__output_destroy(clpac__output *output);

/* Takes over a complete output. */
clpac_status clpac__output_set_add(clpac_output_set *set, clpac__output *output, clpac_error *err);

#endif
