/* The header of an .npy file: 6 bytes of magic, 2 of version, the length, and a Python dictionary as text, such as
 * {'descr': '<f8', 'fortran_order': False, 'shape': (3, 1000), } */
#include "recording/read/npy.h"

#include <string.h>

#include "base/error.h"
#include "base/memory.h"

/* A parser that consumes the text from the front.  The text ends with NUL, so that *at can always be read. */
static void skip_blanks(const char **at)
{
	*at += strspn(*at, " \t\r\n");
}

static bool eat(const char **at, const char *word)
{
	skip_blanks(at);
	size_t n = strlen(word);
	if (strncmp(*at, word, n) != 0)
		return false;
	*at += n;
	return true;
}

/* 'text' or "text".  False also for a text longer than the room, or with bytes unfit for an error message. */
static bool eat_string(const char **at, char *text, size_t size)
{
	skip_blanks(at);
	char quote = **at;
	if (quote != '\'' && quote != '"')
		return false;
	const char *end = strchr(*at + 1, quote);
	size_t n = end ? (size_t)(end - *at) - 1 : size;
	if (n >= size)
		return false;
	for (size_t i = 1; i <= n; i++)
		if ((*at)[i] < ' ' || (*at)[i] > '~')
			return false;
	memcpy(text, *at + 1, n);
	text[n] = 0;
	*at = end + 1;
	return true;
}

/* (3, 1000), (5,), (); Python 2 wrote 5L. */
static bool eat_shape(const char **at, clpac__npy_head *header)
{
	if (!eat(at, "("))
		return false;
	header->n_dimensions = 0;
	while (!eat(at, ")")) {
		if (header->n_dimensions == CLPAC__NPY_MAX_DIMENSIONS || **at < '0' || **at > '9')
			return false;
		size_t value = 0;
		for (; **at >= '0' && **at <= '9'; ++*at) {
			size_t digit = (size_t)(**at - '0');
			if (value > (SIZE_MAX - digit) / 10)
				return false;
			value = 10 * value + digit;
		}
		if (**at == 'L')
			++*at;
		header->dimensions[header->n_dimensions++] = value;
		if (!eat(at, ",")) {
			if (!eat(at, ")"))
				return false;
			break;
		}
	}
	return true;
}

static bool host_is_big_endian(void)
{
	const uint16_t one = 1;
	unsigned char first;
	memcpy(&first, &one, 1);
	return first == 0;
}

/* Byte order and encoding of a type such as "<f8". */
static void read_type(clpac__npy_head *header)
{
	const char *type = header->type, *encoding = strchr("<>=|", *type) && *type ? type + 1 : type;
	header->is_big_endian = *type == '>' || (*type != '<' && host_is_big_endian());
	header->encoding = clpac__encoding_find(encoding);
}

static clpac_status read_dictionary(const char *path, const char *text, clpac__npy_head *header, clpac_error *err)
{
	bool has_type = false, has_order = false, has_shape = false;
	const char *at = text;
	char key[24];
	if (!eat(&at, "{"))
		RETURN_ERROR(CLPAC_ERROR_FORMAT, "%s: its .npy header does not start with '{': it is damaged", path);
	while (!eat(&at, "}")) {
		if (!eat_string(&at, key, sizeof key) || !eat(&at, ":"))
			RETURN_ERROR(CLPAC_ERROR_FORMAT,
				     "%s: its .npy header cannot be read at byte %td: it is damaged", path, at - text);
		if (strcmp(key, "descr") == 0) {
			if (eat(&at, "["))
				RETURN_ERROR(CLPAC_ERROR_FORMAT,
					     "%s holds records of several fields: save one field by itself", path);
			if (!eat_string(&at, header->type, sizeof header->type))
				RETURN_ERROR(CLPAC_ERROR_FORMAT, "%s: the type of its numbers ('descr') cannot be read",
					     path);
			read_type(header);
			has_type = true;
		} else if (strcmp(key, "fortran_order") == 0) {
			header->is_fortran = eat(&at, "True");
			if (!header->is_fortran && !eat(&at, "False"))
				RETURN_ERROR(CLPAC_ERROR_FORMAT,
					     "%s: its order ('fortran_order') is neither True nor False", path);
			has_order = true;
		} else if (strcmp(key, "shape") == 0) {
			if (!eat_shape(&at, header))
				RETURN_ERROR(
					CLPAC_ERROR_FORMAT,
					"%s: its shape cannot be read, or is too large or of more than %d dimensions",
					path, CLPAC__NPY_MAX_DIMENSIONS);
			has_shape = true;
		} else {
			RETURN_ERROR(CLPAC_ERROR_FORMAT, "%s: its .npy header has the unknown key \"%s\"", path, key);
		}
		if (!eat(&at, ",")) {
			if (!eat(&at, "}"))
				RETURN_ERROR(CLPAC_ERROR_FORMAT,
					     "%s: its .npy header cannot be read at byte %td: it is damaged", path,
					     at - text);
			break;
		}
	}
	if (!has_type || !has_order || !has_shape)
		RETURN_ERROR(CLPAC_ERROR_FORMAT, "%s: its .npy header lacks \"%s\"", path,
			     !has_type	  ? "descr"
			     : !has_order ? "fortran_order"
					  : "shape");
	return CLPAC_OK;
}

clpac_status clpac__npy_head_read(clpac__source *source, clpac__npy_head *out, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	unsigned char head[12];
	char *text = NULL;
	clpac__npy_head header = {0};
	TRY(clpac__source_read(source, head, 8, err));
	if (memcmp(head, "\x93NUMPY", 6) != 0)
		FAIL(CLPAC_ERROR_FORMAT,
		     "%s does not start as an .npy file does: another kind of file under this name?", source->path);
	if (head[6] < 1 || head[6] > 3)
		FAIL(CLPAC_ERROR_FORMAT, "%s is of .npy version %d.%d: 1, 2 and 3 are read", source->path, head[6],
		     head[7]);
	size_t length_bytes = head[6] == 1 ? 2 : 4;
	TRY(clpac__source_read(source, head + 8, length_bytes, err));
	size_t length = head[8] | (size_t)head[9] << 8;
	if (length_bytes == 4)
		length |= (size_t)head[10] << 16 | (size_t)head[11] << 24;
	if (length > source->bytes - source->position)
		FAIL(CLPAC_ERROR_FORMAT,
		     "%s claims a header of %zu bytes, but ends %llu bytes behind its start: it is cut short",
		     source->path, length, (unsigned long long)(source->bytes - source->position));

	text = clpac__alloc(length + 1);
	if (!text)
		FAIL(CLPAC_ERROR_NO_MEMORY, "%s: the host has no memory left for %zu bytes", source->path, length + 1);
	TRY(clpac__source_read(source, text, length, err));
	text[length] = 0;
	TRY(read_dictionary(source->path, text, &header, err));
	*out = header;
done:
	clpac__free(text);
	return st;
}
