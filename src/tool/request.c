#include "tool/request.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <clpac/io.h>
#include "base/memory.h"
#include "tool/arguments.h"
#include "analysis/channels/pairs.h"
#include "tool/json_input.h"
#include "tool/option_groups.h"

static const tool_group *const deciding[] = {&tool_group_read, &tool_group_take, &tool_group_reject, &tool_group_epochs,
					     &tool_group_method};

/* Options that do not change numbers. */
static const tool_group *const others[] = {
	&tool_group_compute, &tool_group_output, &tool_group_trials_output, &tool_group_comparison_output,
	&tool_group_json,    &tool_group_config, &tool_group_common};

static bool is_among(const tool_group *const *groups, size_t n, const tool_group *group)
{
	bool found = false;
	for (size_t i = 0; i < n; i++)
		found |= groups[i] == group;
	return found;
}

/* Whether one of the deciding groups has an option of this name. */
static bool is_shared(const char *name)
{
	for (size_t g = 0; g < sizeof deciding / sizeof *deciding; g++)
		for (size_t i = 0; i < deciding[g]->n_options; i++)
			if (strcmp(deciding[g]->options[i].name, name) == 0)
				return true;
	return false;
}

/* Adds an option that differs from its default. */
static void add_option(const tool_call *call, const tool_option *option, char *text, size_t size)
{
	const size_t length = strlen(text);
	const char *value = NULL;
	if (tool_option_origin(call, option->name, &value) == TOOL_FROM_DEFAULT ||
	    (value && option->standard && strcmp(value, option->standard) == 0))
		return;
	snprintf(text + length, size - length, "%s%s%s%s", length ? " " : "", option->name, value ? "=" : "",
		 value ? value : "");
}

clpac_status tool_request_text(const tool_call *call, char **text, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	char *made = NULL, pairs[65];
	const char *command = call->command->name;
	size_t bytes = 1 + strlen(command) + sizeof pairs + 20;
	for (size_t i = 0; i < call->n_given; i++)
		bytes += strlen(call->given[i].option->name) + (call->given[i].text ? strlen(call->given[i].text) : 0) +
			 2;
	if (!(made = clpac__alloc(bytes)))
		FAIL_NO_MEMORY(bytes);
	/* The results of another command answer another request. */
	snprintf(made, bytes, "%s", strcmp(command, "run") == 0 ? "" : command);
	for (size_t g = 0; g < sizeof deciding / sizeof *deciding; g++)
		for (size_t i = 0; i < deciding[g]->n_options; i++)
			add_option(call, &deciding[g]->options[i], made, bytes);
	for (const tool_group *const *own = call->command->groups; *own; own++)
		for (size_t i = 0; i < (*own)->n_options; i++)
			if (!is_among(others, sizeof others / sizeof *others, *own) &&
			    !is_shared((*own)->options[i].name))
				add_option(call, &(*own)->options[i], made, bytes);
	TRY(clpac__pairs_checksum(&call->values.analysis, pairs, err));
	if (*pairs) {
		const size_t length = strlen(made);
		snprintf(made + length, bytes - length, " pairs_checksum=%s", pairs);
	}
	*text = made;
	made = NULL;
done:
	clpac__free(made);
	return st;
}

/* A table that cannot be read is a warning of the reader.  Frees the path. */
static clpac_status take_checksum(char *path, char checksum[65], clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	if (path && access(path, R_OK) == 0)
		TRY(clpac_file_checksum(path, checksum, err));
done:
	clpac_text_free(path);
	return st;
}

clpac_status tool_request_sidecar(const char *input, char checksum[65], clpac_error *err)
{
	char *path = NULL;
	*checksum = 0;
	const clpac_status st = clpac_recording_sidecar(input, &path, err);
	return st ? st : take_checksum(path, checksum, err);
}

clpac_status tool_request_events(const char *input, char checksum[65], clpac_error *err)
{
	char *path = NULL;
	*checksum = 0;
	const clpac_status st = clpac_recording_events(input, &path, err);
	return st ? st : take_checksum(path, checksum, err);
}

static const char *text_at(const json_t *root, const char *object, const char *key)
{
	const char *text = json_string_value(json_object_get(json_object_get(root, object), key));
	return text ? text : "";
}

clpac_status tool_request_is_done(const tool_call *call, const char *input, const char *npz, const char *json,
				  bool *is_done, char why[400], clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	clpac_result *result = NULL;
	json_t *root = NULL;
	clpac_error trouble = {0};
	char *request = NULL, checksum[65];
	enum { SIZE = 400 };
	*is_done = false;
	*why = 0;
	/* Reading also completes a set that a killed run left half in place, and compares both files. */
	st = clpac_result_read_npz(npz, &result, &trouble);
	if (st == CLPAC_ERROR_NO_MEMORY) {
		st = clpac__fail(err, st, "%s", trouble.text);
		goto done;
	}
	if (st != CLPAC_OK && access(npz, F_OK) != 0) {
		st = CLPAC_OK;
		goto done;
	}
	if (st == CLPAC_OK)
		st = tool_json_load(json, &root, &trouble);
	if (st == CLPAC_ERROR_NO_MEMORY) {
		st = clpac__fail(err, st, "%s", trouble.text);
		goto done;
	}
	if (st != CLPAC_OK) {
		snprintf(why, SIZE, "cannot be told to be done (%.300s)", trouble.text);
		st = CLPAC_OK;
		goto done;
	}
	TRY(tool_request_text(call, &request, err));
	const json_t *recorded = json_object_get(json_object_get(root, "provenance"), "request");
	if (!json_is_string(recorded)) {
		snprintf(why, SIZE, "does not record its options");
		goto done;
	}
	if (strcmp(json_string_value(recorded), request) != 0) {
		const char *then = json_string_value(recorded);
		snprintf(why, SIZE, "was made with other options (%.150s; now %.150s)", *then ? then : "the defaults",
			 *request ? request : "the defaults");
		goto done;
	}
	if (!*text_at(root, "input", "checksum")) {
		snprintf(why, SIZE, "does not record the checksum of its recording (--no-checksum)");
		goto done;
	}
	TRY(clpac_recording_checksum(input, &(clpac_read_options){.raw = call->values.analysis.raw}, checksum, err));
	if (strcmp(text_at(root, "input", "checksum"), checksum) != 0) {
		snprintf(why, SIZE, "was made from another recording, or %.200s has changed since", input);
		goto done;
	}
	TRY(tool_request_sidecar(input, checksum, err));
	if (strcmp(text_at(root, "provenance", "channels_checksum"), checksum) != 0) {
		snprintf(why, SIZE, "was made with another table of channels beside the recording");
		goto done;
	}
	TRY(tool_request_events(input, checksum, err));
	if (strcmp(text_at(root, "provenance", "events_checksum"), checksum) != 0) {
		snprintf(why, SIZE, "was made with another table of events beside the recording");
		goto done;
	}
	*is_done = true;
done:
	clpac_result_destroy(result);
	json_decref(root);
	clpac__free(request);
	return st;
}
