#include "base/inherited.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include "base/folder.h"
#include "base/memory.h"

/* Whether one of the words between the underscores of a name is this one. */
static bool has_word(const char *name, const char *word, size_t n)
{
	for (const char *at = name;; at++) {
		const size_t length = strcspn(at, "_");
		if (length == n && memcmp(at, word, n) == 0)
			return true;
		at += length;
		if (!*at)
			return false;
	}
}

/* Whether a word of a name is the space of electrodes' positions, which recordings do not name. */
static bool is_space(const char *what, const char *word)
{
	return strcmp(what, "electrodes.tsv") == 0 && strncmp(word, "space-", 6) == 0;
}

/* Whether a file of this name describes the one of the other name: it ends in `what`, and its entities are among those
 * of the other. */
static bool describes(const char *name, const char *what, const char *described)
{
	const size_t n = strlen(name), m = strlen(what);
	if (n < m || strcmp(name + n - m, what) != 0 || (n > m && name[n - m - 1] != '_') ||
	    strcmp(name, described) == 0)
		return false;
	for (const char *at = name; at < name + n - m;) {
		const size_t length = strcspn(at, "_");
		if (!has_word(described, at, length) && !is_space(what, at))
			return false;
		at += length + 1;
	}
	return true;
}

static size_t count_entities(const char *path)
{
	size_t n = 0;
	for (const char *at = clpac__name_of_path(path); *at; at++)
		n += *at == '_';
	return n;
}

/* The more entities the nearer; else by name, so that the order of the folder does not matter. */
static int by_nearness(const void *a, const void *b)
{
	const char *const *x = a, *const *y = b;
	const size_t n = count_entities(*x), m = count_entities(*y);
	return n != m ? (n < m) - (n > m) : strcmp(*x, *y);
}

/* Adds the files of the folder that the first `length` bytes of the path name. */
static clpac_status search(const char *path, size_t length, const char *what, clpac__inherited *out, size_t *capacity,
			   clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	const size_t before = out->n;
	clpac__names names = {0};
	char *folder;
	if (!(folder = clpac__strndup(path, length ? length : 1)))
		RETURN_NO_MEMORY(length + 1);
	TRY(clpac__folder_list(folder, &names, err));
	for (size_t i = 0; i < names.n; i++) {
		if (!describes(names.each[i].text, what, clpac__name_of_path(path)))
			continue;
		TRY(ROOM_FOR_ONE(out->paths, out->n, *capacity, 4));
		TRY(clpac__path_join(folder, names.each[i].text, &out->paths[out->n], err));
		out->n++;
	}
	if (out->n > before)
		qsort(out->paths + before, out->n - before, sizeof *out->paths, by_nearness);
done:
	clpac__free(folder);
	clpac__names_clear(&names);
	return st;
}

clpac_status clpac__inherited_find(const char *path, const char *root, const char *what, clpac__inherited *out,
				   clpac_error *err)
{
	size_t top = strlen(root), capacity = 0;
	while (top > 1 && root[top - 1] == '/')
		top--;
	if (!top || strncmp(path, root, top) != 0 || (path[top] != '/' && root[top - 1] != '/'))
		RETURN_ERROR(CLPAC_ERROR_ARGUMENT, "%s does not lie in the dataset %s: its path begins with that", path,
			     root);
	if (strcmp(root, "/") == 0)
		top = 0;
	for (size_t length = strlen(path); length > top;) {
		do
			length--;
		while (length > top && path[length] != '/');
		RETURN_IF_ERROR(search(path, length, what, out, &capacity, err));
	}
	return CLPAC_OK;
}

void clpac__inherited_clear(clpac__inherited *files)
{
	for (size_t i = 0; i < files->n; i++)
		clpac__free(files->paths[i]);
	clpac__free(files->paths);
	*files = (clpac__inherited){0};
}

void clpac__path_entity(const char *path, const char *key, char *out, size_t size)
{
	*out = 0;
	for (const char *at = path; (at = strstr(at, key)); at++) {
		const size_t n = strcspn(at, "/_.");
		if ((at == path || at[-1] == '/' || at[-1] == '_') && n > strlen(key) && n < size) {
			memcpy(out, at, n);
			out[n] = 0;
		}
	}
}
