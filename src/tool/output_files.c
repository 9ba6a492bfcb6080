/* Names of output files. */
#include "tool/output_files.h"

#include <libgen.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "base/ascii.h"
#include "base/memory.h"

const char *const tool_picture_endings[TOOL_N_PICTURES] = {".png", ".svg", ".pdf"};

static bool ends_in(const char *path, const char *ending)
{
	size_t n = strlen(path), m = strlen(ending);
	return n > m && path[n - m - 1] != '/' && clpac__ends_with(path, ending);
}

clpac_status tool_folders_make(const char *path, tool_call *call, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	char *copy;
	TRY(NEW_COPY(copy, path));
	for (char *slash = strchr(copy + 1, '/'); *copy && slash; slash = strchr(slash + 1, '/')) {
		struct stat facts;
		*slash = 0;
		/* Some systems refuse to make a folder that is there with another number than EEXIST. */
		if (stat(copy, &facts) != 0 && mkdir(copy, 0777) != 0 && errno != EEXIST) {
			call->direction = TOOL_OUTPUT;
			FAIL_SYSTEM("making the folder %s", copy);
		}
		*slash = '/';
	}
done:
	clpac__free(copy);
	return st;
}

clpac_status tool_output_check(const char *path, const char *ending, const char *input, bool force, tool_call *call,
			       clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	char *copy = NULL;
	struct stat facts, input_facts;
	tool_direction before = call->direction;
	call->direction = TOOL_OUTPUT;
	bool exists = stat(path, &facts) == 0;
	if (exists && S_ISDIR(facts.st_mode)) {
		st = clpac__fail_system(err, EISDIR, "writing %s", path);
		goto done;
	}
	if (exists && !S_ISREG(facts.st_mode))
		goto done;
	if (ending && !ends_in(path, ending))
		FAIL(CLPAC_ERROR_ARGUMENT, "%s: the name of this file must end in %s", path, ending);
	if (exists && input && stat(input, &input_facts) == 0 && facts.st_dev == input_facts.st_dev &&
	    facts.st_ino == input_facts.st_ino)
		FAIL(CLPAC_ERROR_ARGUMENT, "%s would be written over the input; name another output", path);
	if (exists && !force) {
		st = clpac__fail_native(err, CLPAC_ERROR_IO, EEXIST, "%s exists already; --force replaces it", path);
		goto done;
	}
	TRY(tool_folders_make(path, call, err));
	TRY(NEW_COPY(copy, path));
	const char *folder = dirname(copy);
	if (stat(folder, &facts) != 0)
		FAIL_SYSTEM("writing %s: folder %s", path, folder);
	if (access(folder, W_OK | X_OK) != 0)
		FAIL_SYSTEM("writing %s: folder %s", path, folder);
done:
	if (st == CLPAC_OK)
		call->direction = before;
	clpac__free(copy);
	return st;
}

bool tool_output_is_device(const char *path)
{
	struct stat facts;
	return stat(path, &facts) == 0 && !S_ISREG(facts.st_mode) && !S_ISDIR(facts.st_mode);
}

clpac_status tool_output_is_file(const char *path, tool_call *call, clpac_error *err)
{
	if (tool_output_is_device(path)) {
		call->direction = TOOL_OUTPUT;
		RETURN_ERROR(
			CLPAC_ERROR_ARGUMENT,
			"%s is a device or a pipe, and the files of a run appear together: give the name of a file",
			path);
	}
	return CLPAC_OK;
}

char *tool_output_beside(const char *path, const char *ending)
{
	const char *name = strrchr(path, '/'), *dot = strrchr(name ? name : path, '.');
	size_t stem = dot && dot != (name ? name + 1 : path) ? (size_t)(dot - path) : strlen(path);
	char *out = clpac__alloc(stem + strlen(ending) + 1);
	if (out) {
		memcpy(out, path, stem);
		strcpy(out + stem, ending);
	}
	return out;
}

clpac_status tool_pictures_read(const char *list, bool wanted[TOOL_N_PICTURES], clpac_error *err)
{
	for (int i = 0; i < TOOL_N_PICTURES; i++)
		wanted[i] = false;
	for (const char *word = list; word;) {
		size_t n = strcspn(word, ",");
		int i = 0;
		while (i < TOOL_N_PICTURES && !(strlen(tool_picture_endings[i]) == n + 1 &&
						clpac__same_letters(tool_picture_endings[i] + 1, word, n)))
			i++;
		if (i == TOOL_N_PICTURES)
			return clpac__fail(err, CLPAC_ERROR_ARGUMENT, "--plot %s: give one or more of png,svg,pdf",
					   list);
		wanted[i] = true;
		word = word[n] ? word + n + 1 : NULL;
	}
	return CLPAC_OK;
}

clpac_status tool_output_print(const char *path, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	char block[65536];
	size_t n;
	FILE *file = fopen(path, "rb");
	if (!file)
		FAIL_SYSTEM("reading %s", path);
	while ((n = fread(block, 1, sizeof block, file)) > 0)
		if (fwrite(block, 1, n, stdout) != n)
			FAIL_SYSTEM("writing standard output");
	if (ferror(file))
		FAIL_SYSTEM("reading %s", path);
done:
	if (file)
		fclose(file);
	return st;
}
