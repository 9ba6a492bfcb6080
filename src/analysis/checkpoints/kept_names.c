#include "analysis/checkpoints/kept_names.h"

#include <dirent.h>
#include <string.h>
#include "base/error.h"
#include "base/memory.h"

void clpac__kept_names_clear(clpac__kept_names *names)
{
	for (size_t i = 0; i < names->n; i++)
		clpac__free(names->each[i]);
	FREE_ALL(names->each, names->folder);
	*names = (clpac__kept_names){0};
}

clpac_status clpac__kept_names_list(clpac__kept_names *names, const char *folder, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	size_t room = 0;
	if (names->folder && strcmp(names->folder, folder) == 0)
		return CLPAC_OK;
	clpac__kept_names_clear(names);
	DIR *open = opendir(folder);
	for (struct dirent *entry; open && (entry = readdir(open));) {
		if (*entry->d_name != '.' || !strstr(entry->d_name, CLPAC__KEPT_MIDDLE))
			continue;
		TRY(ROOM_FOR_ONE(names->each, names->n, room, 16));
		TRY(NEW_COPY(names->each[names->n], entry->d_name));
		names->n++;
	}
	TRY(NEW_COPY(names->folder, folder));
done:
	if (open)
		closedir(open);
	if (st != CLPAC_OK)
		clpac__kept_names_clear(names);
	return st;
}
