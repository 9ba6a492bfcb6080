/* Command-line parser, driven by the option tables: --name VALUE, --name=VALUE, -n VALUE, -nVALUE; -- ends the options.
 * Names cannot be abbreviated, so that a script keeps its meaning when options are added. */
#include "tool/arguments.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include "base/memory.h"
#include "base/number.h"

static clpac_status set_flag(const tool_option *option, const char *text, void *value, clpac_error *err)
{
	(void)option, (void)text, (void)err;
	*(bool *)value = true;
	return CLPAC_OK;
}

static clpac_status set_text(const tool_option *option, const char *text, void *value, clpac_error *err)
{
	(void)option, (void)err;
	*(const char **)value = text;
	return CLPAC_OK;
}

static clpac_status set_number(const tool_option *option, const char *text, void *value, clpac_error *err)
{
	if (clpac__parse_number(text, value, NULL))
		return CLPAC_OK;
	return clpac__fail(err, CLPAC_ERROR_ARGUMENT, "--%s %s: not a number; give one such as 2.5", option->name,
			   text);
}

static clpac_status set_count(const tool_option *option, const char *text, void *value, clpac_error *err)
{
	if (clpac__parse_count(text, value, NULL))
		return CLPAC_OK;
	if (errno == ERANGE)
		return clpac__fail(err, CLPAC_ERROR_ARGUMENT,
				   "--%s %s: too large; the largest number that fits is %llu", option->name, text,
				   (unsigned long long)UINT64_MAX);
	return clpac__fail(err, CLPAC_ERROR_ARGUMENT, "--%s %s: not a whole number; give 0 or more", option->name,
			   text);
}

static clpac_status set_choice(const tool_option *option, const char *text, void *value, clpac_error *err)
{
	size_t length = strlen(text);
	unsigned which = 0;
	for (const char *word = option->argument; word; which++) {
		size_t n = strcspn(word, "|");
		if (n == length && memcmp(word, text, n) == 0) {
			*(unsigned *)value = which;
			return CLPAC_OK;
		}
		word = word[n] ? word + n + 1 : NULL;
	}
	return clpac__fail(err, CLPAC_ERROR_ARGUMENT, "--%s %s: no such choice; give one of %s", option->name, text,
			   option->argument);
}

static clpac_status (*const setters[])(const tool_option *, const char *, void *, clpac_error *) = {
	[TOOL_FLAG] = set_flag,	  [TOOL_TEXT] = set_text,     [TOOL_NUMBER] = set_number,
	[TOOL_COUNT] = set_count, [TOOL_CHOICE] = set_choice,
};
_Static_assert(sizeof setters / sizeof *setters == TOOL_KIND_COUNT, "one setter per kind");

clpac_status tool_set(tool_call *call, const tool_option *option, const char *text, tool_origin origin,
		      clpac_error *err)
{
	struct tool_given *given = call->given;
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
	RETURN_IF_ERROR(setters[option->kind](option, text, (char *)&call->values + option->offset, err));
	if (given == call->given + call->n_given) {
		call->values.analysis.given[call->values.analysis.n_given++] = option->name;
		call->n_given++;
	}
	*given = (struct tool_given){option, origin, text};
	return CLPAC_OK;
}

const tool_option *tool_option_find(const tool_command *command, const char *name, const tool_group **group)
{
	for (const tool_group *const *g = command->groups; *g; g++)
		for (size_t i = 0; i < (*g)->n_options; i++)
			if (strcmp((*g)->options[i].name, name) == 0) {
				if (group)
					*group = *g;
				return &(*g)->options[i];
			}
	return NULL;
}

static const tool_option *find_letter(const tool_command *command, char letter)
{
	for (const tool_group *const *g = command->groups; *g; g++)
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

/* Edit distance: insertions, removals and exchanges that turn one word into the other.  Option names are short. */
static unsigned word_distance(const char *a, const char *b)
{
	enum { LONGEST = 31 };
	unsigned row[LONGEST + 1];
	size_t n = strlen(b);
	if (n > LONGEST || strlen(a) > LONGEST)
		return LONGEST;
	for (size_t j = 0; j <= n; j++)
		row[j] = (unsigned)j;
	for (size_t i = 1; a[i - 1]; i++) {
		unsigned diagonal = row[0];
		row[0] = (unsigned)i;
		for (size_t j = 1; j <= n; j++) {
			unsigned best = diagonal + (a[i - 1] != b[j - 1]);
			diagonal = row[j];
			if (row[j - 1] + 1 < best)
				best = row[j - 1] + 1;
			if (diagonal + 1 < best)
				best = diagonal + 1;
			row[j] = best;
		}
	}
	return row[n];
}

static clpac_status unknown_option(const tool_command *command, const char *name, clpac_error *err)
{
	const char *nearest = NULL;
	unsigned distance = 4;
	for (const tool_group *const *g = command->groups; *g; g++)
		for (size_t i = 0; i < (*g)->n_options; i++) {
			unsigned d = word_distance(name, (*g)->options[i].name);
			if (d < distance && d < strlen(name)) {
				distance = d;
				nearest = (*g)->options[i].name;
			}
		}
	if (nearest)
		return clpac__fail(err, CLPAC_ERROR_ARGUMENT, "no option --%s; did you mean --%s?", name, nearest);
	return clpac__fail(err, CLPAC_ERROR_ARGUMENT, "no option --%s; clpac %s --help lists the options", name,
			   command->name);
}

/* Reads arguments[*i] as an option.  A value in the next argument is read too, and *i moves to it. */
static clpac_status parse_option(tool_call *call, int n, char **arguments, int *i, clpac_error *err)
{
	const char *word = arguments[*i], *value = NULL;
	const tool_option *option;
	char name[64];
	if (word[1] == '-') {
		size_t length = strcspn(word + 2, "=");
		value = word[2 + length] ? word + 2 + length + 1 : NULL;
		snprintf(name, sizeof name, "%.*s", (int)(length < 60 ? length : 60), word + 2);
		option = tool_option_find(call->command, name, NULL);
		if (!option)
			RETURN_IF_ERROR(unknown_option(call->command, name, err));
	} else {
		option = find_letter(call->command, word[1]);
		if (!option)
			RETURN_ERROR(CLPAC_ERROR_ARGUMENT, "no option -%c; clpac %s --help lists the options", word[1],
				     call->command->name);
		value = word[2] ? word + 2 : NULL;
	}
	if (option->kind == TOOL_FLAG && value)
		RETURN_ERROR(CLPAC_ERROR_ARGUMENT, "--%s takes no value; leave out \"%s\"", option->name, value);
	if (option->kind != TOOL_FLAG && !value) {
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
			RETURN_ERROR(CLPAC_ERROR_ARGUMENT, "\"%s\" is one too many; clpac %s takes one %s", word,
				     command->name, command->operand);
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
