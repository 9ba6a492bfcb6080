#include "analysis/json_tree.h"

#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "base/clean.h"
#include "base/memory.h"
#include "base/text.h"
#include "base/utf8.h"

void clpac__json_tree_set(clpac__json_tree *json, json_t *object, const char *key, json_t *value)
{
	json->has_failed |= json_object_set_new(object, key, value) != 0;
}

void clpac__json_tree_append(clpac__json_tree *json, json_t *array, json_t *value)
{
	json->has_failed |= json_array_append_new(array, value) != 0;
}

void clpac__json_tree_number(clpac__json_tree *json, json_t *object, const char *key, double value)
{
	json_t *number;
	if (!isfinite(value))
		number = json_null();
	else if (value == floor(value) && fabs(value) < 0x1p53)
		number = json_integer((json_int_t)value);
	else
		number = json_real(value);
	clpac__json_tree_set(json, object, key, number);
}

static bool is_utf8(const char *text)
{
	size_t length = strlen(text), n;
	uint32_t point;
	for (; length && (n = clpac__utf8_decode(text, length, &point)) > 0; length -= n)
		text += n;
	return length == 0;
}

static json_t *from_latin1(const char *text)
{
	char *utf8 = clpac__alloc(2 * strlen(text) + 1);
	size_t n = 0;
	if (!utf8)
		return NULL;
	for (; *text; text++)
		n += clpac__utf8_encode((unsigned char)*text, utf8 + n);
	utf8[n] = 0;
	json_t *made = json_string(utf8);
	clpac__free(utf8);
	return made;
}

void clpac__json_tree_text(clpac__json_tree *json, json_t *object, const char *key, const char *text)
{
	clpac__json_tree_set(json, object, key,
			     !text	     ? json_null()
			     : is_utf8(text) ? json_string(text)
					     : from_latin1(text));
}

double clpac__json_number_at(const json_t *list, size_t i)
{
	const json_t *value = json_array_get(list, i);
	return json_is_number(value) ? json_number_value(value) : NAN;
}

clpac_status clpac__json_tree_text_of(clpac__json_tree *json, char **out, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	clpac__text text = {0};
	char *plain = NULL, *clean = NULL;
	if (json->root && !json->has_failed &&
	    json_dump_callback(json->root, clpac__text_append, &text, JSON_INDENT(2) | JSON_PRESERVE_ORDER) == 0)
		plain = clpac__text_take(&text);
	if (!plain || !(clean = clpac__cleaned_json(plain)))
		FAIL(CLPAC_ERROR_NO_MEMORY, "printing JSON: the host has no memory left for the text");
	*out = clean;
done:
	clpac__text_clear(&text);
	clpac__free(plain);
	return st;
}

/* --- From files --------------------------------------------------------------------------------- */

/* Jansson takes up to 128 bytes of host memory for each of a text; a pipe's length is not known. */
enum { ROOM_OF_A_BYTE = 128, ROOM_OF_A_PIPE = 4 << 20 };

/* A pipe whose writer is there, as a shell's <(...), is read; one that nobody has opened for writing is empty, and is
 * not waited for. */
static clpac_status open_text(const char *path, FILE **out, bool *is_pipe, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	struct stat facts;
	int file = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
	if (file < 0 || fstat(file, &facts) != 0)
		FAIL_SYSTEM("cannot open %s, check its name, folder and permissions", path);
	*is_pipe = S_ISFIFO(facts.st_mode);
	/* Jansson 2.14 writes beyond its buffer where it is refused memory, so it is entered only with room. */
	if (facts.st_size > (off_t)(PTRDIFF_MAX / ROOM_OF_A_BYTE - ROOM_OF_A_PIPE) ||
	    !clpac__has_room(ROOM_OF_A_PIPE + (size_t)facts.st_size * ROOM_OF_A_BYTE))
		FAIL(CLPAC_ERROR_NO_MEMORY, "reading %s: the host has no memory left for its content", path);
	if (fcntl(file, F_SETFL, fcntl(file, F_GETFL) & ~O_NONBLOCK) != 0 || !(*out = fdopen(file, "rb")))
		FAIL_SYSTEM("reading %s", path);
	file = -1;
done:
	if (file >= 0)
		close(file);
	return st;
}

clpac_status clpac__json_tree_load(const char *path, json_t **out, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	FILE *file = NULL;
	bool is_pipe = false;
	TRY(open_text(path, &file, &is_pipe, err));
	json_error_t trouble;
	errno = 0;
	json_t *root = json_loadf(file, JSON_REJECT_DUPLICATES, &trouble);
	/* Jansson's parser reports a failed allocation as wrong syntax; errno tells them apart. */
	if (!root && errno == ENOMEM)
		FAIL(CLPAC_ERROR_NO_MEMORY, "reading %s: the host has no memory left for its content", path);
	if (!root && ferror(file))
		FAIL_SYSTEM("reading %s", path);
	if (!root && is_pipe && trouble.position == 0)
		FAIL(CLPAC_ERROR_FORMAT, "%s is a pipe that nobody writes to: give the name of a file", path);
	if (!root) {
		st = clpac__fail(err, CLPAC_ERROR_FORMAT, "%s: line %d, column %d: %s", path, trouble.line,
				 trouble.column, trouble.text);
		TRY(clpac__of_line(err, st, trouble.line > 0 ? (uint64_t)trouble.line : 0));
	}
	*out = root;
done:
	if (file)
		fclose(file);
	return st;
}
