/* Texts of sections and keys. */
#include "recording/read/ini.h"

#include <string.h>

#include "base/ascii.h"
#include "base/error.h"
#include "base/memory.h"
#include "recording/read/source.h"

/* Cuts the blanks off both ends, in place. */
static char *trim(char *start, char *end)
{
	while (start < end && strchr(" \t\r", *start) && *start)
		start++;
	while (end > start && strchr(" \t\r", end[-1]) && end[-1])
		end--;
	*end = 0;
	return start;
}

static clpac_status add(clpac__ini *ini, const char *path, clpac__ini_entry entry, clpac_error *err)
{
	size_t n = ini->n_entries;
	if ((n & (n - 1)) == 0) {
		clpac__ini_entry *entries = clpac__realloc_array(ini->entries, n ? 2 * n : 1, sizeof *entries);
		if (!entries)
			RETURN_ERROR(CLPAC_ERROR_NO_MEMORY, "%s: the host has no memory left for %zu lines", path,
				     n + 1);
		ini->entries = entries;
	}
	ini->entries[ini->n_entries++] = entry;
	return CLPAC_OK;
}

clpac_status clpac__ini_read(const char *path, clpac__ini *out, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	clpac__ini ini = {0};
	const char *section = "";
	size_t length = 0;
	TRY(clpac__source_read_text(path, &ini.text, &length, err));
	char *at = ini.text, *end = ini.text + length;
	if (length >= 3 && memcmp(at, "\xef\xbb\xbf", 3) == 0)
		at += 3;
	while (at < end) {
		char *newline = memchr(at, '\n', (size_t)(end - at));
		char *stop = newline ? newline : end;
		char *line = trim(at, stop);
		at = stop + 1;
		if (!ini.first_line)
			ini.first_line = line;
		char *equals = strchr(line, '='), *bracket = strchr(line, ']');
		if (*line == ';')
			continue;
		if (*line == '[' && bracket) {
			*bracket = 0;
			section = line + 1;
		} else if (equals) {
			char *value = equals + 1;
			clpac__ini_entry entry = {section, trim(line, equals), trim(value, value + strlen(value))};
			TRY(add(&ini, path, entry, err));
		}
	}
	if (!ini.first_line)
		ini.first_line = ini.text;
	*out = ini;
	ini = (clpac__ini){0};
done:
	clpac__ini_clear(&ini);
	return st;
}

void clpac__ini_clear(clpac__ini *ini)
{
	clpac__free(ini->text);
	clpac__free(ini->entries);
	*ini = (clpac__ini){0};
}

const char *clpac__ini_get(const clpac__ini *ini, const char *section, const char *key)
{
	for (size_t i = 0; i < ini->n_entries; i++) {
		const clpac__ini_entry *entry = &ini->entries[i];
		if (clpac__same_word(entry->section, section) && clpac__same_word(entry->key, key))
			return *entry->value ? entry->value : NULL;
	}
	return NULL;
}
