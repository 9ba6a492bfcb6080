/* The recordings that the operands of `run` name, files and folders, and the result of each. */
#ifndef CLPAC_ANALYSIS_INPUTS_H
#define CLPAC_ANALYSIS_INPUTS_H

#include <stdbool.h>

#include <clpac/recording.h>

#include "base/error.h"
#include "analysis/json_tree.h"
#include "analysis/settings.h"

typedef struct clpac__input_file {
	char *path;    /* owned */
	char *output;  /* OUT.npz, owned */
	char *failure; /* why it has no result, owned; NULL: nobody found one */
} clpac__input_file;

typedef struct clpac__inputs {
	clpac__input_file *each;
	size_t n;
	bool are_several; /* several operands or a folder were given: results go to `folder` */
	char *folder;	  /* owned; NULL: -o names the file */
} clpac__inputs;

/* Finds the recordings, those of an operand after the other and those of a folder by name, and names their results.
 * A folder is searched with its subfolders, whose names the results' paths repeat.  Hidden files, results of clpac,
 * EDF+ files of annotations alone and the folder of results are passed over.
 * Errors: CLPAC_ERROR_ARGUMENT where -o does not suit, or two recordings would have one result; CLPAC_ERROR_IO for
 * a folder that cannot be searched or holds no recording (ENOENT); CLPAC_ERROR_NO_MEMORY.
 * @param output a file or folder, as -o names it; NULL: none is named. @param[out] out to be cleared. */
clpac_status clpac__inputs_find(const char *const *operands, size_t n, const char *output, clpac__inputs *out,
				clpac_error *err);
/* Refuses two recordings that would have one result.  Errors: CLPAC_ERROR_ARGUMENT, CLPAC_ERROR_NO_MEMORY. */
clpac_status clpac__inputs_check(const clpac__inputs *inputs, clpac_error *err);
/* A zeroed one is fine. */
void clpac__inputs_clear(clpac__inputs *inputs);

/* The recording that an analysis is of. */

/* Opens the input, by `rate_hz`, `raw` and `array`; its samples are read when they are asked for. */
clpac_status clpac__input_read(const clpac__analysis_settings *settings, clpac_recording **out, clpac_error *err);
/* Tells the reader's warnings. */
void clpac__input_warn(const clpac__analysis_settings *settings, const clpac_recording *recording);
/* The tables that were read with it: an array of objects with "use" and "path". */
json_t *clpac__input_tables_json(clpac__json_tree *json, const clpac_recording *recording);

#endif
