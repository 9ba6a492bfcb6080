/* The recordings that the operands of `run` name, files and folders, and the result of each. */
#ifndef CLPAC_TOOL_INPUTS_H
#define CLPAC_TOOL_INPUTS_H

#include "tool/tool.h"

typedef struct tool_input_file {
	char *path;   /* owned */
	char *output; /* OUT.npz, owned */
} tool_input_file;

typedef struct tool_inputs {
	tool_input_file *each;
	size_t n;
	bool are_several; /* several operands or a folder were given: results go to `folder` */
	char *folder;	  /* owned; NULL: -o names the file */
} tool_inputs;

/* The folder of results where several recordings are given without -o. */
extern const char tool_default_folder[];

/* Finds the recordings, those of an operand after the other and those of a folder by name, and names their results.
 * A folder is searched with its subfolders, whose names the results' paths repeat.  Hidden files, results of clpac and
 * the folder of results are passed over.
 * Errors: CLPAC_ERROR_ARGUMENT where -o does not suit, or two recordings would have one result; CLPAC_ERROR_IO for
 * a folder that cannot be searched or holds no recording (ENOENT); CLPAC_ERROR_NO_MEMORY.
 * @param[out] out to be cleared. */
clpac_status tool_inputs_find(tool_call *call, tool_inputs *out, clpac_error *err);
/* A zeroed one is fine. */
void tool_inputs_clear(tool_inputs *inputs);

/* Makes the folders on the way to a file where they are missing. */
clpac_status tool_folders_make(const char *path, tool_call *call, clpac_error *err);

#endif
