/* Completion: reads a command line as far as it is written, by the tables of options that parsing and --help use. */
#include "tool/completion.h"

#include <stdio.h>
#include <string.h>
#include "tool/arguments.h"
#include "tool/console.h"

static void offer(const char *word, size_t length, const char *meaning, const char *prefix, const char *begun)
{
	if (strncmp(word, begun, strlen(begun)) != 0 || length < strlen(begun))
		return;
	tool_print(stdout, "%s%.*s%s%s\n", prefix, (int)length, word, meaning ? " " : "", meaning ? meaning : "");
}

static void offer_word(const char *word, const char *meaning, const char *begun)
{
	offer(word, strlen(word), meaning, "", begun);
}

static void offer_commands(const tool_command *const *commands, const char *begun)
{
	for (const tool_command *const *command = commands; *command; command++)
		offer_word((*command)->name, (*command)->summary, begun);
}

/* Offers the words among the values that --help shows, as "auto|clfft|SECONDS".  Capitals stand for something else. */
static void offer_values(const clpac__option *option, const char *prefix, const char *begun)
{
	const char *at = option->argument;
	while (at && *at) {
		const size_t whole = strcspn(at, "|");
		size_t length = 0;
		while (length < whole && !(at[length] >= 'A' && at[length] <= 'Z') && !strchr("[:/.", at[length]))
			length++;
		if (length && (length == whole || at[length] == '['))
			offer(at, length, NULL, prefix, begun);
		at += whole + (at[whole] == '|');
	}
}

static void offer_options(const tool_command *command, const char *begun)
{
	char name[64];
	for (const clpac__option_group *const *group = command->groups; *group; group++)
		for (size_t i = 0; i < (*group)->n_options; i++) {
			snprintf(name, sizeof name, "--%s", (*group)->options[i].name);
			offer_word(name, (*group)->options[i].meaning, begun);
		}
}

/* The option that a word names without a value beside it, "--rate" or "-o"; NULL for any other word. */
static const clpac__option *option_before_value(const tool_command *command, const char *word)
{
	const clpac__option *option = NULL;
	if (word[0] == '-' && word[1] == '-')
		option = clpac__option_find(command->groups, word + 2, NULL);
	else if (word[0] == '-' && word[1] && !word[2])
		option = tool_find_letter(command, word[1]);
	return option && option->kind != CLPAC__OPTION_FLAG ? option : NULL;
}

static void complete_command(const tool_command *command, int n_words, char *const *words)
{
	const char *begun = words[n_words - 1], *equals;
	const clpac__option *option = NULL;
	char name[64];
	for (int i = 0; i < n_words - 1; i++) {
		if (!option && strcmp(words[i], "--") == 0)
			return;
		option = option ? NULL : option_before_value(command, words[i]);
	}
	if (option) {
		offer_values(option, "", begun);
	} else if (strncmp(begun, "--", 2) == 0 && (equals = strchr(begun, '='))) {
		const int length = (int)(equals - begun) - 2;
		snprintf(name, sizeof name, "%.*s", length < 60 ? length : 60, begun + 2);
		option = clpac__option_find(command->groups, name, NULL);
		snprintf(name, sizeof name, "--%s=", option ? option->name : "");
		if (option)
			offer_values(option, name, equals + 1);
	} else if (begun[0] == '-') {
		offer_options(command, begun);
	}
}

void tool_complete(const tool_command *const *commands, int n_words, char *const *words)
{
	if (n_words == 0)
		return;
	const bool is_help = strcmp(words[0], "help") == 0 || strcmp(words[0], "--help") == 0;
	if (n_words == 1) {
		offer_commands(commands, words[0]);
		offer_word("help", "what a command does, and its options", words[0]);
		if (words[0][0] == '-') {
			offer_word("--help", "the commands", words[0]);
			offer_word("--version", "the version, the parts and the licence", words[0]);
		}
	} else if (is_help) {
		if (n_words == 2)
			offer_commands(commands, words[1]);
	} else {
		for (const tool_command *const *command = commands; *command; command++)
			if (strcmp((*command)->name, words[0]) == 0)
				complete_command(*command, n_words - 1, words + 1);
	}
}
