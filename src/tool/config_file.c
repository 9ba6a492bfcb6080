/* --config FILE.json: an object whose keys are long option names.  A value is text or a number as on the command line,
 * true or false for an option without an argument, or a list for an option that takes commas. */
#include "tool/config_file.h"

#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <jansson.h>
#include "base/memory.h"
#include "tool/arguments.h"

/* Jansson takes up to 128 bytes of host memory for each of a text; a pipe's length is not known. */
enum { MAX_TEXT = 4096, ROOM_OF_A_BYTE = 128, ROOM_OF_A_PIPE = 4 << 20 };

static bool add_scalar(char *text, size_t size, const json_t *value)
{
	size_t length = strlen(text);
	int n = -1;
	if (json_is_string(value))
		n = snprintf(text + length, size - length, "%s", json_string_value(value));
	else if (json_is_integer(value))
		n = snprintf(text + length, size - length, "%" JSON_INTEGER_FORMAT, json_integer_value(value));
	else if (json_is_real(value))
		n = snprintf(text + length, size - length, "%.17g", json_real_value(value));
	return n >= 0 && (size_t)n < size - length;
}

/* Writes a value as it would stand on the command line. */
static clpac_status value_text(const char *path, const char *key, const json_t *value, char *text, size_t size,
			       clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	*text = 0;
	size_t n = json_is_array(value) ? json_array_size(value) : 1;
	for (size_t i = 0; i < n; i++) {
		if (i && strlen(text) + 1 < size)
			strcat(text, ",");
		if (!add_scalar(text, size, json_is_array(value) ? json_array_get(value, i) : value))
			FAIL(CLPAC_ERROR_FORMAT,
			     "%s: \"%s\": give text, a number, or a list of them, of less than %zu characters", path,
			     key, size);
	}
done:
	return st;
}

static clpac_status set_key(tool_call *call, const char *path, const char *key, json_t *value, json_t *texts,
			    clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	const tool_group *group = NULL;
	const tool_option *option = tool_option_find(call->command, key, &group);
	if (!option || group->is_not_for_files)
		FAIL(CLPAC_ERROR_ARGUMENT, "%s: \"%s\" is no option of clpac %s (keys are long option names)", path,
		     key, call->command->name);
	if (option->kind == TOOL_FLAG) {
		if (!json_is_boolean(value))
			FAIL(CLPAC_ERROR_FORMAT, "%s: \"%s\" is either true or false", path, key);
		if (json_is_true(value))
			TRY(tool_set(call, option, NULL, TOOL_FROM_FILE, err));
	} else {
		char text[MAX_TEXT];
		TRY(value_text(path, key, value, text, sizeof text, err));
		json_t *kept = json_string(text);
		if (!kept || json_array_append_new(texts, kept) != 0)
			FAIL_NO_MEMORY(strlen(text));
		st = tool_set(call, option, json_string_value(kept), TOOL_FROM_FILE, err);
		if (st != CLPAC_OK)
			clpac__fail_context(err, st, "%s", path);
	}
done:
	return st;
}

/* A pipe whose writer is there, as a shell's <(...), is read; one that nobody has opened for writing is empty, and is
 * not waited for. */
static clpac_status open_config(const char *path, FILE **out, bool *is_pipe, clpac_error *err)
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

clpac_status tool_read_config(tool_call *call, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	const char *path = call->values.config, *key;
	json_t *root = NULL, *texts = NULL, *value;
	FILE *file = NULL;
	bool is_pipe = false;
	if (!path)
		goto done;
	TRY(open_config(path, &file, &is_pipe, err));
	json_error_t trouble;
	errno = 0;
	root = json_loadf(file, JSON_REJECT_DUPLICATES, &trouble);
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
	if (!json_is_object(root))
		FAIL(CLPAC_ERROR_FORMAT, "%s: not an object; give {\"option\": value, ...}", path);
	texts = json_array();
	if (!texts)
		FAIL_NO_MEMORY(sizeof *texts);
	json_object_foreach(root, key, value) TRY(set_key(call, path, key, value, texts, err));
	call->config = texts;
	texts = NULL;
done:
	if (file)
		fclose(file);
	json_decref(texts);
	json_decref(root);
	return st;
}

void tool_forget_config(tool_call *call)
{
	json_decref(call->config);
	call->config = NULL;
}
