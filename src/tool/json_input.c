/* JSON from files. */
#include "tool/json_input.h"

#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>
#include "base/error.h"
#include "base/memory.h"

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
		FAIL_SYSTEM("reading %s", path);
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

clpac_status tool_json_load(const char *path, json_t **out, clpac_error *err)
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
	if (!root)
		FAIL(CLPAC_ERROR_FORMAT, "%s: line %d, column %d: %s", path, trouble.line, trouble.column,
		     trouble.text);
	*out = root;
done:
	if (file)
		fclose(file);
	return st;
}
