/* Names in folders, and paths. */
#ifndef CLPAC_BASE_FOLDER_H
#define CLPAC_BASE_FOLDER_H

#include <stdbool.h>
#include <stddef.h>
#include "base/error.h"

typedef struct clpac__name {
	char *text;   /* owned */
	bool is_file; /* the folder says that it is a regular file; else nothing is known */
} clpac__name;

typedef struct clpac__names {
	clpac__name *each; /* owned */
	size_t n;
} clpac__names;

/* The names in a folder, sorted; hidden ones are left out.  @param[out] out zeroed; to be cleared in any case. */
clpac_status clpac__folder_list(const char *path, clpac__names *out, clpac_error *err);
void clpac__names_clear(clpac__names *names);

/* "folder/name", to be freed with clpac__free. */
clpac_status clpac__path_join(const char *folder, const char *name, char **out, clpac_error *err);
/* The file's name behind its folders. */
const char *clpac__name_of_path(const char *path);

#endif
