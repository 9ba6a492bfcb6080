#include "recording/read/tsv.h"

#include <stdint.h>
#include <string.h>
#include <unistd.h>

#include "base/ascii.h"
#include "base/memory.h"

bool clpac__cell_says(clpac__cell cell, const char *word)
{
	return strlen(word) == cell.n && clpac__same_letters(word, cell.text, cell.n);
}

/* Takes one line; *n is its length without its end. */
static const char *take_line(clpac__tsv *table, size_t *n)
{
	const char *line = table->next, *newline = memchr(line, '\n', (size_t)(table->end - line));
	*n = (size_t)((newline ? newline : table->end) - line);
	table->next = newline ? newline + 1 : table->end;
	return line;
}

/* Finds the columns in the line of names. */
static void find_columns(clpac__tsv *table, const char *line, size_t n)
{
	size_t column = 0;
	for (const char *from = line, *end = line + n; from <= end; column++) {
		const char *tab = memchr(from, '\t', (size_t)(end - from)), *to = tab ? tab : end;
		clpac__cell cell = {from, (size_t)(to - from)};
		cell.text = clpac__trim(from, &cell.n);
		for (size_t c = 0; c < table->n_columns; c++)
			if (table->at[c] == SIZE_MAX && clpac__cell_says(cell, table->names[c]))
				table->at[c] = column;
		from = to + 1;
	}
}

clpac__tsv clpac__tsv_open(const char *text, size_t n, const char *const *names, size_t n_columns, size_t *at)
{
	const size_t mark = n >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0 ? 3 : 0;
	clpac__tsv made = {.next = text + mark, .end = text + n, .names = names, .n_columns = n_columns, .at = at};
	size_t length;
	for (size_t c = 0; c < n_columns; c++)
		at[c] = SIZE_MAX;
	if (made.next == made.end)
		return made;
	const char *line = take_line(&made, &length);
	find_columns(&made, line, length);
	return made;
}

/* Cuts a line at its tabs. */
static void cut_line(const clpac__tsv *table, const char *line, size_t n, clpac__cell *cells)
{
	size_t column = 0;
	for (size_t c = 0; c < table->n_columns; c++)
		cells[c] = (clpac__cell){"", 0};
	for (const char *from = line, *end = line + n; from <= end; column++) {
		const char *tab = memchr(from, '\t', (size_t)(end - from)), *to = tab ? tab : end;
		for (size_t c = 0; c < table->n_columns; c++)
			if (table->at[c] == column) {
				cells[c].n = (size_t)(to - from);
				cells[c].text = clpac__trim(from, &cells[c].n);
			}
		from = to + 1;
	}
}

bool clpac__tsv_next(clpac__tsv *table, clpac__cell *cells)
{
	while (table->next < table->end) {
		size_t n, content;
		const char *line = take_line(table, &n);
		content = n;
		clpac__trim(line, &content);
		if (!content)
			continue;
		cut_line(table, line, n, cells);
		return true;
	}
	return false;
}

clpac_status clpac__tsv_beside(const char *path, const char *ending, char **out, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
	const char *dot = strrchr(name, '.'), *suffix = strrchr(name, '_');
	char *made = NULL;
	*out = NULL;
	if (!dot || !suffix || suffix > dot)
		goto done;
	const size_t stem = (size_t)(suffix - path), bytes = strlen(ending) + 1;
	if (!(made = clpac__alloc(stem + bytes)))
		FAIL_NO_MEMORY(stem + bytes);
	memcpy(made, path, stem);
	memcpy(made + stem, ending, bytes);
	if (strcmp(made, path) != 0 && access(made, F_OK) == 0) {
		*out = made;
		made = NULL;
	}
done:
	clpac__free(made);
	return st;
}
