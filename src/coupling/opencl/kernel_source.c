/* The kernels' text for a driver: the embedded files in order, each once, with #line marks.
 *
 * Drivers have no folder to search, so an #include of another file of cl/ is resolved here.  A kernel that a program
 * goes without is left out, from its first line, which begins with __kernel, to the brace that ends it at the beginning
 * of a line.  Functions that only it calls stay: compilers drop them after reading them.
 */
#include "coupling/opencl/opencl_compute.h"

#include <string.h>

#include "base/text.h"

/* The kernels as the build embeds them: for each file of cl/ an array of lines, ended by NULL
 * (build-aux/embed-cl.sh). */

/* The files in the order of cl/local.mk: the prelude and shared functions first, and each file after those it uses.
 * Both arrays end with NULL. */
extern const char *const clpac__cl_names[];	   /* "cl/prelude.cl", ... */
extern const char *const *const clpac__cl_files[]; /* the lines of each */

enum { MAX_FILES = 128 };

/* The number of the embedded file that an `#include "..."` names; -1 for any other line. */
static int included_file(const char *line)
{
	const char *at = line + strspn(line, " \t");
	if (*at != '#')
		return -1;
	at += 1 + strspn(at + 1, " \t");
	if (strncmp(at, "include", 7) != 0)
		return -1;
	at += 7 + strspn(at + 7, " \t");
	if (*at != '"')
		return -1;
	size_t length = strcspn(++at, "\"");
	for (int i = 0; clpac__cl_names[i] && i < MAX_FILES; i++) {
		const char *name = clpac__cl_names[i];
		size_t whole = strlen(name);
		if (whole > length && name[whole - length - 1] == '/' &&
		    strncmp(name + whole - length, at, length) == 0)
			return i;
	}
	return -1;
}

/* Whether a line begins a kernel that is not in a part. */
static bool begins_other(const char *line, clpac__opencl_part part)
{
	static const char word[] = "__kernel void ";
	if (part == CLPAC__OPENCL_ALL || strncmp(line, word, sizeof word - 1) != 0)
		return false;
	const char *name = line + sizeof word - 1;
	const size_t length = strcspn(name, "(");
	for (unsigned stage = 0; stage < CLPAC__STAGE_COUNT; stage++) {
		const char *of_stage = clpac__stage_get(stage)->name;
		if (strlen(of_stage) == length && strncmp(name, of_stage, length) == 0)
			return clpac__opencl_part_of(stage) != part;
	}
	return false;
}

static void add_file(clpac__text *text, int file, clpac__opencl_part part, bool *is_added)
{
	bool is_left_out = false;
	if (is_added[file])
		return;
	is_added[file] = true;
	clpac__text_add(text, "#line 1 \"%s\"\n", clpac__cl_names[file]);
	for (size_t i = 0; clpac__cl_files[file][i]; i++) {
		const char *line = clpac__cl_files[file][i];
		int other = included_file(line);
		is_left_out = is_left_out || begins_other(line, part);
		if (is_left_out) {
			clpac__text_add(text, "\n");
			is_left_out = *line != '}';
		} else if (other < 0) {
			clpac__text_add(text, "%s", line);
		} else {
			add_file(text, other, part, is_added);
			clpac__text_add(text, "#line %zu \"%s\"\n", i + 2, clpac__cl_names[file]);
		}
	}
}

clpac_status clpac__opencl_source(clpac__opencl_part part, char **out, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	clpac__text text = {0};
	bool is_added[MAX_FILES] = {false};
	char *source;

	for (int i = 0; clpac__cl_names[i]; i++) {
		if (i == MAX_FILES)
			FAIL(CLPAC_ERROR_INTERNAL, "more than %d kernel files: raise MAX_FILES", MAX_FILES);
		add_file(&text, i, part, is_added);
	}
	TRY(clpac__text_give(&text, "the text of the kernels", &source, err));
	*out = source;
done:
	clpac__text_clear(&text);
	return st;
}
