/* clpac config: lists every option and every CLPAC_* variable with its value and origin. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "tool/arguments.h"
#include "tool/commands.h"
#include "tool/console.h"

static const clpac__option_group *const groups[] = {
	CLPAC__OPTIONS_OF_RUNS, &tool_group_shard, &tool_group_output, &tool_group_config, &tool_group_common, NULL,
};

enum { NAME_WIDTH = 20, VALUE_WIDTH = 40 };

static void print_line(const char *name, const char *value, const char *from)
{
	tool_print(stdout, "  ");
	tool_print_column(stdout, name, NAME_WIDTH);
	tool_print_column(stdout, *value ? value : "-", VALUE_WIDTH);
	tool_print(stdout, "  %s\n", from);
}

static void write_origin(const tool_call *call, tool_origin origin, char *text, size_t size)
{
	if (origin == TOOL_FROM_COMMAND_LINE)
		snprintf(text, size, "command line");
	else if (origin == TOOL_FROM_FILE)
		snprintf(text, size, "file %s", call->values.config);
	else
		snprintf(text, size, "default");
}

static clpac_status print_setting(const tool_call *call, const clpac_options *options, const clpac_option_facts *facts,
				  clpac_error *err)
{
	char value[600], from[600];
	tool_origin origin = tool_option_origin(call, facts->name, NULL);
	RETURN_IF_ERROR(clpac_options_text(options, facts->name, value, sizeof value, err));
	if (origin != TOOL_FROM_DEFAULT)
		write_origin(call, origin, from, sizeof from);
	else if (getenv(facts->variable))
		snprintf(from, sizeof from, "environment %s", facts->variable);
	else if (*value && strcmp(facts->name, "cache") == 0) /* only the cache has a second variable */
		snprintf(from, sizeof from, "environment XDG_CACHE_HOME");
	else
		snprintf(from, sizeof from, "default (%s is not set)", facts->variable);
	print_line(facts->name, *value ? value : facts->default_text, from);
	return CLPAC_OK;
}

static bool is_setting(const char *name)
{
	for (size_t i = 0; i < clpac_options_count(); i++)
		if (strcmp(clpac_options_get(i)->name, name) == 0)
			return true;
	return false;
}

static void print_group(const tool_call *call, const clpac__option_group *group)
{
	bool has_title = false;
	for (size_t i = 0; i < group->n_options; i++) {
		const clpac__option *option = &group->options[i];
		const char *text = NULL;
		char from[600];
		tool_origin origin = tool_option_origin(call, option->name, &text);
		if (is_setting(option->name) || strcmp(option->name, "help") == 0)
			continue;
		if (!has_title && group->title)
			tool_print(stdout, "\n%s\n", group->title);
		has_title = true;
		write_origin(call, origin, from, sizeof from);
		if (option->kind == CLPAC__OPTION_FLAG)
			text = origin == TOOL_FROM_DEFAULT ? "no" : "yes";
		else if (origin == TOOL_FROM_DEFAULT)
			text = option->standard ? option->standard : "";
		print_line(option->name, text, from);
	}
}

static clpac_status config(tool_call *call, clpac_error *err)
{
	clpac_options options;
	RETURN_IF_ERROR(tool_settings(call, &options, err));
	tool_print(stdout, "Settings of the library\n");
	for (size_t i = 0; i < clpac_options_count(); i++)
		RETURN_IF_ERROR(print_setting(call, &options, clpac_options_get(i), err));
	for (const clpac__option_group *const *group = groups; *group; group++)
		print_group(call, *group);
	return CLPAC_OK;
}

const tool_command tool_command_config = {
	.name = "config",
	.usage = "[OPTIONS of clpac run]",
	.summary = "list every option with its value and origin",
	.help = "Lists every option and variable that clpac run would use with the same command line and\n"
		"environment, with its value and its origin.\n",
	.examples = {"--surrogates 500", "--config options.json", "--device native --threads 2"},
	.groups = groups,
	.run = config,
};
