
#include <stdio.h>
#include <string.h>
#include "base/memory.h"
#include "tool/arguments.h"
#include "tool/commands.h"

static const clpac__option_group *const deciding[] = {CLPAC__OPTIONS_OF_NUMBERS};

/* Options that do not change numbers. */
static const clpac__option_group *const others[] = {&clpac__options_compute,
						    &tool_group_shard,
						    &tool_group_output,
						    &tool_group_trials_output,
						    &tool_group_comparison_output,
						    &tool_group_study_output,
						    &tool_group_dataset,
						    &tool_group_json,
						    &tool_group_config,
						    &tool_group_common};

static bool is_among(const clpac__option_group *const *groups, size_t n, const clpac__option_group *group)
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
static void add_option(const tool_call *call, const clpac__option *option, char *text, size_t size)
{
	const size_t length = strlen(text);
	const char *value = NULL;
	if (tool_option_origin(call, option->name, &value) == TOOL_FROM_DEFAULT ||
	    (value && option->standard && strcmp(value, option->standard) == 0))
		return;
	snprintf(text + length, size - length, "%s%s%s%s", length ? " " : "", option->name, value ? "=" : "",
		 value ? value : "");
}

clpac_status tool_request_make(tool_call *call, clpac_error *err)
{
	char *made;
	const char *command = call->command->name;
	size_t bytes = 1 + strlen(command);
	if (call->request)
		return CLPAC_OK;
	for (size_t i = 0; i < call->n_given; i++)
		bytes += strlen(call->given[i].option->name) + (call->given[i].text ? strlen(call->given[i].text) : 0) +
			 2;
	RETURN_IF_ERROR(NEW_BYTES(made, bytes));
	/* The results of another command answer another request. */
	snprintf(made, bytes, "%s", strcmp(command, "run") == 0 ? "" : command);
	for (size_t g = 0; g < sizeof deciding / sizeof *deciding; g++)
		for (size_t i = 0; i < deciding[g]->n_options; i++)
			add_option(call, &deciding[g]->options[i], made, bytes);
	for (const clpac__option_group *const *own = call->command->groups; *own; own++)
		for (size_t i = 0; i < (*own)->n_options; i++)
			if (!is_among(others, sizeof others / sizeof *others, *own) &&
			    !is_shared((*own)->options[i].name))
				add_option(call, &(*own)->options[i], made, bytes);
	call->values.analysis.request = call->request = made;
	return CLPAC_OK;
}
