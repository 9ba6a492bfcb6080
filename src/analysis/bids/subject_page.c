/* The page of a subject: a section for each of its results, whatever labels they have. */
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include "analysis/bids/bids.h"
#include "analysis/pages/page.h"
#include "base/ascii.h"
#include "base/folder.h"
#include "base/memory.h"
#include "base/system.h"
#include "base/whole_file.h"

enum { MOST_FOLDERS_DEEP = 3 }; /* sub-01/ses-a/eeg */

/* Paths of results, in the order of their folders. */
typedef struct found {
	char **each; /* owned */
	size_t n, capacity;
	struct timespec newest; /* of their last changes */
} found;

static void clear(found *list)
{
	for (size_t i = 0; i < list->n; i++)
		clpac__free(list->each[i]);
	clpac__free(list->each);
	*list = (found){0};
}

static bool is_later(struct timespec a, struct timespec b)
{
	return a.tv_sec != b.tv_sec ? a.tv_sec > b.tv_sec : a.tv_nsec > b.tv_nsec;
}

static clpac_status find_results(const char *folder, int depth, found *out, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	clpac__names names = {0};
	char *path = NULL;
	struct stat facts;
	TRY(clpac__folder_list(folder, &names, err));
	for (size_t i = 0; i < names.n; i++) {
		const bool is_result = clpac__ends_with(names.each[i].text, "_pac.npz");
		if (!is_result && strchr(names.each[i].text, '.'))
			continue;
		clpac__free(path);
		path = NULL;
		TRY(clpac__path_join(folder, names.each[i].text, &path, err));
		if (!is_result && depth < MOST_FOLDERS_DEEP && stat(path, &facts) == 0 && S_ISDIR(facts.st_mode))
			TRY(find_results(path, depth + 1, out, err));
		if (!is_result || stat(path, &facts) != 0)
			continue;
		out->newest = is_later(facts.st_mtim, out->newest) ? facts.st_mtim : out->newest;
		TRY(ROOM_FOR_ONE(out->each, out->n, out->capacity, 8));
		out->each[out->n++] = path;
		path = NULL;
	}
done:
	clpac__free(path);
	clpac__names_clear(&names);
	return st;
}

static clpac_status write_page(const char *path, const char *subject, const found *results, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	clpac__text page = {0};
	char *text = NULL;
	clpac__page_begin(&page, subject);
	for (size_t i = 0; i < results->n; i++)
		TRY(clpac__page_add_file(&page, results->each[i], i, err));
	clpac__page_end(&page);
	TRY(clpac__text_give(&page, "a page", &text, err));
	TRY(clpac__whole_file_write(path, text, strlen(text), err));
done:
	clpac__text_clear(&page);
	clpac__free(text);
	return st;
}

clpac_status clpac__bids_write_page(const char *out_folder, const char *subject, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	found results = {0};
	char *folder = NULL, *path = NULL, name[300];
	struct stat facts;
	snprintf(name, sizeof name, "%.250s.html", subject);
	TRY(clpac__path_join(out_folder, subject, &folder, err));
	TRY(clpac__path_join(out_folder, name, &path, err));
	if (stat(folder, &facts) == 0)
		TRY(find_results(folder, 1, &results, err));
	for (bool is_old = results.n && (stat(path, &facts) != 0 || !is_later(facts.st_mtim, results.newest));
	     is_old;) {
		const struct timespec shown = results.newest;
		TRY(write_page(path, subject, &results, err));
		/* Another process may have finished a result meanwhile: whoever writes looks once more. */
		clear(&results);
		TRY(find_results(folder, 1, &results, err));
		is_old = is_later(results.newest, shown);
	}
done:
	clear(&results);
	FREE_ALL(folder, path);
	return st;
}
