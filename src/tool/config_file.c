/* --config FILE.json: an object whose keys are long option names.  A value is text or a number as on the command line,
 * true or false for an option without an argument, or a list for an option that takes commas. */
#include "tool/commands.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include "analysis/json_tree.h"
#include "tool/arguments.h"

enum { MAX_TEXT = 4096 };

static bool add_scalar(char *text, size_t size, const json_t *value)
{
	size_t length = strlen(text);
	int n = -1;
	if (json_is_string(value))
		n = snprintf(text + length, size - length, "%s", json_string_value(value));
	else if (json_is_integer(value))
		n = snprintf(text + length, size - length, "%" PRId64, (int64_t)json_integer_value(value));
	else if (json_is_real(value))
		n = snprintf(text + length, size - length, "%.17g", json_real_value(value));
	return n >= 0 && (size_t)n < size - length;
}

/* Writes a value as it would stand on the command line. */
static clpac_status value_text(const char *path, const char *key, const json_t *value, char *text, size_t size,
			       clpac_error *err)
{
	*text = 0;
	size_t n = json_is_array(value) ? json_array_size(value) : 1;
	for (size_t i = 0; i < n; i++) {
		if (i && strlen(text) + 1 < size)
			strcat(text, ",");
		if (!add_scalar(text, size, json_is_array(value) ? json_array_get(value, i) : value))
			RETURN_ERROR(CLPAC_ERROR_FORMAT,
				     "%s: \"%s\": give text, a number, or a list of them, of less than %zu characters",
				     path, key, size);
	}
	return CLPAC_OK;
}

static clpac_status set_key(tool_call *call, const char *path, const char *key, json_t *value, json_t *texts,
			    clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	const clpac__option_group *group = NULL;
	const clpac__option *option = clpac__option_find(call->command->groups, key, &group);
	if (!option || group->is_not_for_files)
		RETURN_ERROR(CLPAC_ERROR_ARGUMENT, "%s: \"%s\" is no option of clpac %s (keys are long option names)",
			     path, key, call->command->name);
	if (option->kind == CLPAC__OPTION_FLAG) {
		if (!json_is_boolean(value))
			RETURN_ERROR(CLPAC_ERROR_FORMAT, "%s: \"%s\" is either true or false", path, key);
		if (json_is_true(value))
			RETURN_IF_ERROR(tool_set(call, option, NULL, TOOL_FROM_FILE, err));
	} else {
		char text[MAX_TEXT];
		RETURN_IF_ERROR(value_text(path, key, value, text, sizeof text, err));
		json_t *kept = json_string(text);
		if (!kept || json_array_append_new(texts, kept) != 0)
			RETURN_NO_MEMORY(strlen(text));
		st = tool_set(call, option, json_string_value(kept), TOOL_FROM_FILE, err);
		if (st != CLPAC_OK)
			clpac__fail_context(err, st, "%s", path);
	}
	return st;
}

clpac_status tool_read_config(tool_call *call, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	const char *path = call->values.config, *key;
	json_t *root = NULL, *texts = NULL, *value;
	if (!path)
		goto done;
	TRY(clpac__json_tree_load(path, &root, err));
	if (!json_is_object(root))
		FAIL(CLPAC_ERROR_FORMAT, "%s: not an object; give {\"option\": value, ...}", path);
	texts = json_array();
	if (!texts)
		FAIL_NO_MEMORY(sizeof *texts);
	json_object_foreach(root, key, value) TRY(set_key(call, path, key, value, texts, err));
	call->config = texts, texts = NULL;
done:
	json_decref(texts);
	json_decref(root);
	return st;
}

void tool_forget_config(tool_call *call)
{
	json_decref(call->config);
	call->config = NULL;
}
