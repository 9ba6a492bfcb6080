/* Command-line parser, driven by the option tables: --name VALUE, --name=VALUE, -n VALUE, -nVALUE; -- ends the options.
 * Names cannot be abbreviated, so that a script keeps its meaning when options are added. */
#include "tool/arguments.h"

#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "tool/commands.h"
#include "tool/console.h"

clpac_status tool_set(tool_call *call, const clpac__option *option, const char *text, tool_origin origin,
		      clpac_error *err)
{
	struct tool_given *given = call->given;
	if (option->kind != CLPAC__OPTION_FLAG && !*text)
		RETURN_ERROR(CLPAC_ERROR_ARGUMENT, "--%s: its value is empty; give --%s %s", option->name, option->name,
			     option->argument);
	while (given < call->given + call->n_given && given->option != option)
		given++;
	if (given < call->given + call->n_given) {
		if (given->origin > origin)
			return CLPAC_OK;
		if (given->origin == origin && option->once)
			RETURN_ERROR(CLPAC_ERROR_ARGUMENT, "--%s is given twice (%s, %s): %s", option->name,
				     given->text, text, option->once);
	} else if (call->n_given == TOOL_MAX_GIVEN) {
		RETURN_ERROR(CLPAC_ERROR_INTERNAL, "more than %d options were given; please report it", TOOL_MAX_GIVEN);
	}
	RETURN_IF_ERROR(clpac__option_set(option, text, &call->values, err));
	if (given == call->given + call->n_given) {
		call->values.analysis.given[call->values.analysis.n_given++] = option->name;
		call->n_given++;
	}
	*given = (struct tool_given){option, origin, text};
	return CLPAC_OK;
}

const clpac__option *tool_find_letter(const tool_command *command, char letter)
{
	for (const clpac__option_group *const *g = command->groups; *g; g++)
		for (size_t i = 0; i < (*g)->n_options; i++)
			if ((*g)->options[i].letter == letter)
				return &(*g)->options[i];
	return NULL;
}

tool_origin tool_option_origin(const tool_call *call, const char *name, const char **text)
{
	for (size_t i = 0; i < call->n_given; i++)
		if (strcmp(call->given[i].option->name, name) == 0) {
			if (text)
				*text = call->given[i].text;
			return call->given[i].origin;
		}
	return TOOL_FROM_DEFAULT;
}

bool tool_is_given(const tool_call *call, const char *name)
{
	return clpac__analysis_is_given(&call->values.analysis, name);
}

static clpac_status unknown_option(const tool_command *command, const char *name, clpac_error *err)
{
	const char *nearest = clpac__option_nearest(command->groups, name);
	if (nearest)
		return clpac__fail(err, CLPAC_ERROR_ARGUMENT, "no option --%s; did you mean --%s?", name, nearest);
	return clpac__fail(err, CLPAC_ERROR_ARGUMENT, "no option --%s; clpac %s --help lists the options", name,
			   command->name);
}

/* Reads arguments[*i] as an option.  A value in the next argument is read too, and *i moves to it. */
static clpac_status parse_option(tool_call *call, int n, char **arguments, int *i, clpac_error *err)
{
	const char *word = arguments[*i], *value = NULL;
	const clpac__option *option;
	char name[64];
	if (word[1] == '-') {
		size_t length = strcspn(word + 2, "=");
		value = word[2 + length] ? word + 2 + length + 1 : NULL;
		snprintf(name, sizeof name, "%.*s", (int)(length < 60 ? length : 60), word + 2);
		option = clpac__option_find(call->command->groups, name, NULL);
		if (!option)
			RETURN_IF_ERROR(unknown_option(call->command, name, err));
	} else {
		option = tool_find_letter(call->command, word[1]);
		if (!option)
			RETURN_ERROR(CLPAC_ERROR_ARGUMENT, "no option -%c; clpac %s --help lists the options", word[1],
				     call->command->name);
		value = word[2] ? word + 2 : NULL;
	}
	if (option->kind == CLPAC__OPTION_FLAG && value)
		RETURN_ERROR(CLPAC_ERROR_ARGUMENT, "--%s takes no value; leave out \"%s\"", option->name, value);
	if (option->kind != CLPAC__OPTION_FLAG && !value) {
		if (*i + 1 >= n)
			RETURN_ERROR(CLPAC_ERROR_ARGUMENT, "--%s needs a value: --%s %s", option->name, option->name,
				     option->argument);
		value = arguments[++*i];
	}
	return tool_set(call, option, value, TOOL_FROM_COMMAND_LINE, err);
}

clpac_status tool_parse(tool_call *call, int n_arguments, char **arguments, clpac_error *err)
{
	const tool_command *command = call->command;
	bool options_ended = false;
	if (command->max_operands > 1) {
		RETURN_IF_ERROR(NEW_ARRAY(call->every_operand, (size_t)n_arguments + 1));
	}
	for (int i = 0; i < n_arguments; i++) {
		const char *word = arguments[i];
		if (!options_ended && strcmp(word, "--") == 0) {
			options_ended = true;
		} else if (!options_ended && word[0] == '-' && word[1]) {
			RETURN_IF_ERROR(parse_option(call, n_arguments, arguments, &i, err));
		} else if (call->n_operands == command->max_operands) {
			if (command->max_operands == 0)
				RETURN_ERROR(CLPAC_ERROR_ARGUMENT,
					     "\"%s\" is not understood: clpac %s takes options only", word,
					     command->name);
			RETURN_ERROR(CLPAC_ERROR_ARGUMENT, "\"%s\" is one too many; clpac %s takes %s %s", word,
				     command->name, command->max_operands == 1 ? "one" : "at most two, each a",
				     command->operand);
		} else if (!*word) {
			RETURN_ERROR(CLPAC_ERROR_ARGUMENT, "argument %zu is empty; usage: clpac %s %s",
				     call->n_operands + 1, command->name, command->usage);
		} else {
			if (!call->n_operands)
				call->values.analysis.input = word;
			if (call->every_operand)
				call->every_operand[call->n_operands] = word;
			call->n_operands++;
		}
	}
	if (!call->values.help && call->n_operands < command->min_operands)
		RETURN_ERROR(CLPAC_ERROR_ARGUMENT, "which %s?  usage: clpac %s %s", command->operand, command->name,
			     command->usage);
	return CLPAC_OK;
}

void tool_forget_operands(tool_call *call)
{
	clpac__free(call->every_operand);
	call->every_operand = NULL;
	clpac__free(call->request);
	call->request = NULL;
}

/* --- --help ----------------------------------------------------------------------------------- */

/* --help, from the tables. */

enum { NAME_WIDTH = 27 };

void tool_help(const tool_command *const *commands)
{
	tool_print(stdout, "clpac - phase-amplitude coupling of recordings, on any OpenCL device and on plain CPUs\n\n"
			   "usage: clpac COMMAND [ARGUMENTS]\n\n");
	for (const tool_command *const *command = commands; *command; command++)
		tool_print(stdout, "  %-8s %s\n", (*command)->name, (*command)->summary);
	tool_print(stdout, "\n  clpac COMMAND --help   the command's purpose and options (also: clpac help COMMAND)\n"
			   "  clpac --version        the version\n\n"
			   "A first try:\n"
			   "  clpac synth try.npy --rate 512 --seconds 60\n"
			   "  clpac run try.npy --rate 512 -o try_pac.npz --plot png\n");
}

/* Writes "  -o, --output OUT.npz". */
static void print_name(const clpac__option *option, char *name, size_t size)
{
	int n = option->letter ? snprintf(name, size, "  -%c, --%s", option->letter, option->name)
			       : snprintf(name, size, "  --%s", option->name);
	if (option->argument && n > 0 && (size_t)n < size)
		snprintf(name + n, size - (size_t)n, " %s", option->argument);
}

static void print_option(const clpac__option *option)
{
	char name[160];
	print_name(option, name, sizeof name);
	if (strlen(name) + 2 > NAME_WIDTH)
		tool_print(stdout, "%s\n%*s", name, NAME_WIDTH, "");
	else
		tool_print(stdout, "%-*s", NAME_WIDTH, name);
	tool_print(stdout, "%s", option->meaning);
	if (option->standard)
		tool_print(stdout, " [%s]", option->standard);
	tool_print(stdout, "\n");
}

void tool_help_command(const tool_command *command)
{
	tool_print(stdout, "usage: clpac %s %s\n\n", command->name, command->usage);
	tool_print_lines(stdout, command->help);
	const char *title = NULL;
	for (const clpac__option_group *const *group = command->groups; *group; group++) {
		if ((*group)->title && (!title || strcmp(title, (*group)->title) != 0)) {
			title = (*group)->title;
			tool_print(stdout, "\n%s:\n", title);
		} else if (!(*group)->title && title) {
			title = NULL;
			tool_print(stdout, "\nOther options:\n");
		} else if (group == command->groups) {
			tool_print(stdout, "\nOptions:\n");
		}
		for (size_t i = 0; i < (*group)->n_options; i++)
			print_option(&(*group)->options[i]);
	}
	tool_print(stdout, "\nExamples:\n");
	for (size_t i = 0; i < TOOL_N_EXAMPLES; i++)
		tool_print(stdout, "  clpac %s %s\n", command->name, command->examples[i]);
}
