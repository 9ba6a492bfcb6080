#include "analysis/bids/bids.h"

#include <string.h>
#include "base/folder.h"
#include "base/memory.h"

/* --- Patterns ------------------------------------------------------------------------------------ */

/* The kinds of what stands in a pattern. */
typedef enum token_kind { LETTER = 0, ANY, CLASS, STAR, DEEP, FOLDERS } token_kind;

/* The token at the start of a pattern; *n bytes long. */
static token_kind next_token(const char *at, size_t *n)
{
	*n = 1;
	if (*at == '\\' && at[1])
		return *n = 2, LETTER;
	if (*at == '?')
		return ANY;
	if (*at == '*') {
		*n = strspn(at, "*");
		if (*n == 1)
			return STAR;
		if (at[*n] == '/')
			return ++*n, FOLDERS;
		return DEEP;
	}
	if (*at == '[') {
		const size_t mark = at[1] == '!' || at[1] == '^';
		const char *end = strchr(at + 1 + mark + (at[1 + mark] != 0), ']');
		if (end)
			return *n = (size_t)(end - at) + 1, CLASS;
	}
	return LETTER;
}

/* Whether a byte is one of a class, as "[a-z_]" of n bytes. */
static bool is_of_class(const char *text, size_t n, char byte)
{
	const bool is_not = text[1] == '!' || text[1] == '^';
	bool found = false;
	for (size_t i = 1 + is_not; i + 1 < n; i++) {
		const bool is_range = i + 3 < n && text[i + 1] == '-';
		found |= is_range ? text[i] <= byte && byte <= text[i + 2] : text[i] == byte;
		i += is_range ? 2 : 0;
	}
	return found != is_not && byte != '/';
}

/* Where in a pattern a part of a path may end.  INSIDE: in the name of a folder that is among any number of them,
 * behind which what follows cannot begin. */
enum { NOT = 0, REACHED, INSIDE };

/* Marks the places that are reached from a marked one without a byte of the path. */
static void spread(const char *pattern, char *at)
{
	size_t n;
	for (size_t i = 0; pattern[i]; i += n)
		if (next_token(pattern + i, &n) >= STAR && at[i] == REACHED)
			at[i + n] = REACHED;
}

/* Marks where a byte of the path leads. */
static void advance(const char *pattern, const char *at, char byte, char *to)
{
	size_t n;
	for (size_t i = 0; pattern[i]; i += n) {
		const token_kind kind = next_token(pattern + i, &n);
		if (at[i] == NOT)
			continue;
		if ((kind == LETTER && byte == pattern[i + n - 1]) || (kind == ANY && byte != '/') ||
		    (kind == CLASS && is_of_class(pattern + i, n, byte)))
			to[i + n] = REACHED;
		if ((kind == STAR && byte != '/') || kind == DEEP || (kind == FOLDERS && byte == '/'))
			to[i] = REACHED;
		else if (kind == FOLDERS && to[i] == NOT)
			to[i] = INSIDE;
	}
}

bool clpac__glob_matches(const char *pattern, const char *path)
{
	enum { LONGEST = 4096 };
	char marks[2][LONGEST] = {{REACHED}, {NOT}}, *at = marks[0], *to = marks[1];
	const size_t length = strlen(pattern);
	if (length >= LONGEST)
		return false;
	spread(pattern, at);
	for (; *path; path++) {
		memset(to, NOT, length + 1);
		advance(pattern, at, *path, to);
		spread(pattern, to);
		char *const before = at;
		at = to;
		to = before;
	}
	return at[length] == REACHED;
}

/* --- .bidsignore --------------------------------------------------------------------------------- */

/* A line without its end and the blanks before it, as a pattern. */
static clpac__ignored_pattern read_line(char *line)
{
	size_t n = strcspn(line, "\r");
	while (n && line[n - 1] == ' ' && !(n > 1 && line[n - 2] == '\\'))
		n--;
	clpac__ignored_pattern made = {.takes_back = *line == '!'};
	line += made.takes_back;
	n -= made.takes_back && n;
	made.is_folder = n && line[n - 1] == '/';
	line[n - made.is_folder] = 0;
	made.is_of_root = strchr(line, '/');
	made.text = line + (*line == '/');
	return made;
}

clpac_status clpac__ignored_take(const char *text, clpac__ignored *out, clpac_error *err)
{
	size_t capacity = 0;
	char *rest = NULL;
	*out = (clpac__ignored){0};
	RETURN_IF_ERROR(NEW_COPY(out->lines, text));
	for (char *line = strtok_r(out->lines, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest)) {
		const clpac__ignored_pattern pattern =
			*line == '#' ? (clpac__ignored_pattern){.text = ""} : read_line(line);
		if (!*pattern.text)
			continue;
		RETURN_IF_ERROR(ROOM_FOR_ONE(out->each, out->n, capacity, 8));
		out->each[out->n++] = pattern;
	}
	return CLPAC_OK;
}

bool clpac__ignored_has(const clpac__ignored *ignored, const char *path, bool is_folder)
{
	for (size_t i = ignored->n; i-- > 0;) {
		const clpac__ignored_pattern *pattern = &ignored->each[i];
		if ((is_folder || !pattern->is_folder) &&
		    clpac__glob_matches(pattern->text, pattern->is_of_root ? path : clpac__name_of_path(path)))
			return !pattern->takes_back;
	}
	return false;
}

void clpac__ignored_clear(clpac__ignored *ignored)
{
	FREE_ALL(ignored->lines, ignored->each);
	*ignored = (clpac__ignored){0};
}
