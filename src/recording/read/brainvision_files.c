/* The files of a BrainVision recording that was renamed or copied from another system: what the header names is not
 * there, and a file beside it is. */
#include "recording/read/brainvision.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/ascii.h"
#include "base/error.h"
#include "base/memory.h"
#include "recording/file_text.h"

/* How near the name of a file is to that which is looked for. */
enum nearness {
	FAR = 0,
	SAME_ENDING,
	SAME_STEM, /* the header's own name, and the ending that is looked for */
	OTHER_CASE,
	SAME_NAME, /* in another folder, as of another system */
	THERE
};

/* Behind the last separator of a path of any system. */
static const char *name_in(const char *path)
{
	const char *slash = strrchr(path, '/'), *back = strrchr(path, '\\');
	const char *last = !slash || (back && back > slash) ? back : slash;
	return last ? last + 1 : path;
}

static size_t stem_length(const char *name)
{
	const char *dot = strrchr(name, '.');
	return dot ? (size_t)(dot - name) : strlen(name);
}

static enum nearness compare(const char *name, const char *wanted, const char *header)
{
	const size_t n = stem_length(name);
	if (strcmp(name, wanted) == 0)
		return SAME_NAME;
	if (clpac__same_word(name, wanted))
		return OTHER_CASE;
	if (!clpac__same_word(name + n, wanted + stem_length(wanted)))
		return FAR;
	return n == stem_length(header) && clpac__same_letters(name, header, n) ? SAME_STEM : SAME_ENDING;
}

/* The nearest of the files beside the header, of equal ones the first by its name.  NULL where there is none.
 * @param wanted the name that is looked for.  @param header the header's name, in this folder. */
static clpac_status find_nearest(const char *path, const char *wanted, char **out, enum nearness *near,
				 clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	const char *slash = strrchr(path, '/'), *header = slash ? slash + 1 : path;
	char *folder = clpac__strdup(slash ? path : "."), *best = NULL, *made = NULL;
	DIR *list = NULL;
	if (!folder)
		FAIL_NO_MEMORY(strlen(path) + 1);
	if (slash)
		folder[slash > path ? slash - path : 1] = 0;
	list = opendir(folder);
	*near = FAR;
	for (struct dirent *entry; list && (entry = readdir(list));) {
		const enum nearness this = compare(entry->d_name, wanted, header);
		if (this < *near || this == FAR || (this == *near && strcmp(entry->d_name, best) > 0))
			continue;
		*near = this;
		clpac__free(best);
		TRY(NEW_COPY(best, entry->d_name));
	}
	if (best) {
		const size_t n_folder = (size_t)(header - path), n = strlen(best) + 1;
		if (!(made = clpac__alloc(n_folder + n)))
			FAIL_NO_MEMORY(n_folder + n);
		memcpy(made, path, n_folder);
		memcpy(made + n_folder, best, n);
	}
	*out = made;
done:
	if (list)
		closedir(list);
	FREE_ALL(folder, best);
	return st;
}

/* Whether a file is as long as the header says, or, where it does not, holds whole samples. */
static bool fits(const char *path, const clpac__brainvision_header *header, uint64_t *bytes)
{
	struct stat facts;
	const uint64_t each = header->layout.encoding->bytes;
	*bytes = stat(path, &facts) == 0 && S_ISREG(facts.st_mode) ? (uint64_t)facts.st_size : 0;
	if (*bytes <= header->data_offset || header->layout.n_channels > (*bytes - header->data_offset) / each)
		return false;
	const uint64_t samples = (*bytes - header->data_offset) / (header->layout.n_channels * each);
	return (*bytes - header->data_offset) % (header->layout.n_channels * each) == 0 &&
	       (!header->n_points || samples == header->n_points);
}

static clpac_status warn_of(const char *key, const char *named, const char *taken, const char *why,
			    clpac_recording *recording, clpac_error *err)
{
	char shown[CLPAC__SHOWN_SIZE];
	clpac__show(named, strlen(named), shown);
	return clpac_recording_warn(recording, err,
				    "the header names its %s \"%s\", which is not there: %s beside it is read%s", key,
				    shown, name_in(taken), why);
}

clpac_status clpac__brainvision_find_data(const char *path, const char *named, clpac__brainvision_header *header,
					  clpac_recording *recording, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	char *found = NULL, shown[CLPAC__SHOWN_SIZE];
	enum nearness near;
	uint64_t bytes;
	if (access(header->data_path, F_OK) == 0)
		return CLPAC_OK;
	TRY(find_nearest(path, name_in(named), &found, &near, err));
	if (!found)
		goto done; /* opening it will say that it is not there */
	const bool does_fit = fits(found, header, &bytes);
	if (near >= OTHER_CASE || (near == SAME_STEM && does_fit)) {
		TRY(warn_of("DataFile", named, found, near == SAME_STEM ? ", whose size fits" : "", recording, err));
		clpac__free(header->data_path);
		header->data_path = found, found = NULL;
		goto done;
	}
	clpac__show(named, strlen(named), shown);
	st = clpac__fail_native(
		err, CLPAC_ERROR_IO, ENOENT,
		"%s names its DataFile \"%s\", which is not there; %s lies beside it, with %llu bytes that "
		"%s %zu channels of %zu bytes: if it is the data, write its name into the header",
		path, shown, name_in(found), (unsigned long long)bytes, does_fit ? "suit" : "are not those of",
		header->layout.n_channels, header->layout.encoding->bytes);
done:
	clpac__free(found);
	return st;
}

clpac_status clpac__brainvision_find_markers(const char *path, const char *named, clpac__brainvision_header *header,
					     clpac_recording *recording, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	char *found = NULL;
	enum nearness near;
	if (access(header->marker_path, F_OK) == 0)
		return CLPAC_OK;
	TRY(find_nearest(path, name_in(named), &found, &near, err));
	if (!found || near < SAME_STEM)
		goto done; /* the reader warns that they are missing */
	TRY(warn_of("MarkerFile", named, found, "", recording, err));
	clpac__free(header->marker_path);
	header->marker_path = found, found = NULL;
done:
	clpac__free(found);
	return st;
}

clpac_status clpac__brainvision_find_header(const char *path, char **out, clpac_error *err)
{
	static const char *const endings[] = {".vhdr", ".ahdr"};
	*out = NULL;
	for (size_t i = 0; i < sizeof endings / sizeof *endings && !*out; i++) {
		const char *name = name_in(path);
		const size_t n = stem_length(name);
		char *wanted = clpac__alloc(n + sizeof ".vhdr");
		enum nearness near;
		if (!wanted)
			RETURN_NO_MEMORY(n + sizeof ".vhdr");
		memcpy(wanted, name, n);
		strcpy(wanted + n, endings[i]);
		const clpac_status st = find_nearest(path, wanted, out, &near, err);
		clpac__free(wanted);
		RETURN_IF_ERROR(st);
		if (*out && near < SAME_STEM) {
			clpac__free(*out);
			*out = NULL;
		}
	}
	return CLPAC_OK;
}
