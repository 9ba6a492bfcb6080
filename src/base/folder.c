#include "base/folder.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/memory.h"

static int by_name(const void *a, const void *b)
{
	const clpac__name *x = a, *y = b;
	return strcmp(x->text, y->text);
}

clpac_status clpac__folder_list(const char *path, clpac__names *out, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	size_t capacity = 0;
	DIR *folder = opendir(path);
	if (!folder)
		FAIL_SYSTEM("cannot search the folder %s", path);
	for (struct dirent *entry; (errno = 0, entry = readdir(folder));) {
		if (*entry->d_name == '.')
			continue;
		TRY(ROOM_FOR_ONE(out->each, out->n, capacity, 32));
		TRY(NEW_COPY(out->each[out->n].text, entry->d_name));
#ifdef DT_REG
		out->each[out->n].is_file = entry->d_type == DT_REG;
#else
		out->each[out->n].is_file = false;
#endif
		out->n++;
	}
	if (errno)
		FAIL_SYSTEM("cannot search the folder %s", path);
	if (out->n)
		qsort(out->each, out->n, sizeof *out->each, by_name);
done:
	if (folder)
		closedir(folder);
	return st;
}

void clpac__names_clear(clpac__names *names)
{
	for (size_t i = 0; i < names->n; i++)
		clpac__free(names->each[i].text);
	clpac__free(names->each);
	*names = (clpac__names){0};
}

clpac_status clpac__path_join(const char *folder, const char *name, char **out, clpac_error *err)
{
	const size_t length = strlen(folder);
	const size_t bytes = length + strlen(name) + 2;
	char *made;
	RETURN_IF_ERROR(NEW_BYTES(made, bytes));
	snprintf(made, bytes, "%s%s%s", folder, length && folder[length - 1] == '/' ? "" : "/", name);
	*out = made;
	return CLPAC_OK;
}

const char *clpac__name_of_path(const char *path)
{
	const char *slash = strrchr(path, '/');
	return slash ? slash + 1 : path;
}
