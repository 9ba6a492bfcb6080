/* The members of an output, for output.c and output_set.c alone. */
#ifndef CLPAC_RECORDING_OUTPUT_PARTS_H
#define CLPAC_RECORDING_OUTPUT_PARTS_H

#include <sys/types.h>

#include "recording/temporary_files.h"
#include "recording/output.h"

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
	clpac__live_file *live;	     /* the temporary file, while there is one */
	clpac_output_set *set;	     /* the set that it appears with; NULL: it appears by itself */
	bool is_in_set;		     /* owned by the set; complete, unless it is written by others */
	clpac_write_function *write; /* where the file goes; NULL: to the file system */
	void *write_user;
	unsigned char *whole; /* the file so far, where it goes to a function: n_whole bytes, room for more */
	size_t n_whole, room;
	char *written_at; /* path of the temporary file, where others write it; NULL: it is written here */
	char kept[1 << 14];
};

/* Frees an output and removes its temporary file, though it is in a set. */
void clpac__output_destroy(clpac__output *output);

/* Gives others the path to write at; lives as long as the output. */
clpac_status clpac__output_lend(clpac__output *output, const char **path, clpac_error *err);

/* Syncs and closes the file, and keeps its lock until it has its name. */
clpac_status clpac__output_finish(clpac__output *output, clpac_error *err);

/* Takes over an output. */
clpac_status clpac__output_set_add(clpac_output_set *set, clpac__output *output, clpac_error *err);

#endif
