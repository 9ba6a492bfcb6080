/* Analyses as lines of text: made, changed, written. */
#include "analysis/interface/analysis.h"

#include <string.h>
#include "analysis/options/tables.h"
#include "analysis/options/words.h"
#include "analysis/settings.h"
#include "base/memory.h"
#include "base/error.h"
#include "base/sized.h"
#include "base/text.h"

const char *clpac_analysis_kind_name(clpac_analysis_kind kind)
{
	static const char *const names[] = {"run", "erpac", "compare", "group"};
	return (unsigned)kind < CLPAC_ANALYSIS_KIND_COUNT ? names[kind] : "";
}

bool clpac_analysis_option_get(clpac_analysis_kind kind, size_t i, clpac_analysis_option *out)
{
	if (!out || (unsigned)kind >= CLPAC_ANALYSIS_KIND_COUNT)
		return false;
	const clpac__option_group *const *groups = clpac__options_of(kind);
	for (; *groups && i >= (*groups)->n_options; groups++)
		i -= (*groups)->n_options;
	if (!*groups)
		return false;
	const clpac__option *option = &(*groups)->options[i];
	const clpac_analysis_option own = {.name = option->name,
					   .type = (clpac_option_type)option->kind,
					   .argument = option->argument ? option->argument : "",
					   .standard = option->standard ? option->standard : "",
					   .meaning = option->meaning};
	clpac__sized_give(out, out->size ? out->size : sizeof own, &own, sizeof own);
	return true;
}
_Static_assert((int)CLPAC_OPTION_FLAG == CLPAC__OPTION_FLAG && (int)CLPAC_OPTION_TEXT == CLPAC__OPTION_TEXT &&
		       (int)CLPAC_OPTION_NUMBER == CLPAC__OPTION_NUMBER &&
		       (int)CLPAC_OPTION_COUNT == CLPAC__OPTION_COUNT &&
		       (int)CLPAC_OPTION_CHOICE == CLPAC__OPTION_CHOICE && CLPAC__OPTION_KIND_COUNT == 5,
	       "types of options");

/* --- One option --------------------------------------------------------------------------------- */

static const clpac__option *find(const char *name)
{
	const clpac__option *option = NULL;
	for (int kind = 0; kind < CLPAC_ANALYSIS_KIND_COUNT && !option; kind++)
		option = clpac__option_find(clpac__options_of((clpac_analysis_kind)kind), name, NULL);
	return option;
}

static clpac_status fail_to_find(const char *name, clpac_error *err)
{
	const char *nearest = NULL;
	for (int kind = 0; kind < CLPAC_ANALYSIS_KIND_COUNT && !nearest; kind++)
		nearest = clpac__option_nearest(clpac__options_of((clpac_analysis_kind)kind), name);
	clpac__fail(err, CLPAC_ERROR_ARGUMENT, "an analysis has no option %.60s%s%s", name,
		    nearest ? "; did you mean " : "; clpac_analysis_option_get lists them", nearest ? nearest : "");
	return clpac__of_member(err, CLPAC_ERROR_ARGUMENT, name);
}

/* Whether a flag is set by its text. */
static clpac_status read_flag(const clpac__option *option, const char *value, bool *is_set, clpac_error *err)
{
	*is_set = strcmp(value, "yes") == 0;
	if (!*is_set && strcmp(value, "no") != 0)
		return clpac__of_member(
			err, clpac__fail(err, CLPAC_ERROR_ARGUMENT, "%s=%.60s: give yes or no", option->name, value),
			option->name);
	return CLPAC_OK;
}

static void take_out(clpac_analysis *analysis, const clpac__option *option)
{
	for (size_t i = 0; i < analysis->n; i++)
		if (strcmp(analysis->items[i].option->name, option->name) == 0) {
			clpac__free(analysis->items[i].text);
			memmove(&analysis->items[i], &analysis->items[i + 1],
				(analysis->n - i - 1) * sizeof *analysis->items);
			analysis->n--;
			return;
		}
}

static clpac_status make_room(clpac_analysis *analysis, clpac_error *err)
{
	clpac__analysis_item *items;
	const size_t capacity = analysis->capacity ? 2 * analysis->capacity : 8;
	if (analysis->n < analysis->capacity)
		return CLPAC_OK;
	RETURN_IF_ERROR(NEW_ARRAY(items, capacity));
	if (analysis->n)
		memcpy(items, analysis->items, analysis->n * sizeof *items);
	clpac__free(analysis->items);
	analysis->items = items;
	analysis->capacity = capacity;
	return CLPAC_OK;
}

clpac_status clpac_analysis_set(clpac_analysis *analysis, const char *name, const char *value, clpac_error *err)
{
	NEED(analysis, name);
	const clpac__option *option = find(name);
	clpac__analysis_settings unused = {0};
	char *text = NULL;
	bool is_set = value != NULL;
	if (!option)
		return fail_to_find(name, err);
	if (value && option->kind == CLPAC__OPTION_FLAG) {
		RETURN_IF_ERROR(read_flag(option, value, &is_set, err));
	} else if (value) {
		const clpac_status st = clpac__option_set(option, value, &unused, err);
		if (st != CLPAC_OK && err)
			clpac__unmark_options(err->text);
		if (st != CLPAC_OK)
			return clpac__of_member(err, st, name);
		RETURN_IF_ERROR(NEW_COPY(text, value));
	}
	if (is_set) {
		const clpac_status st = make_room(analysis, err);
		if (st != CLPAC_OK)
			clpac__free(text);
		RETURN_IF_ERROR(st);
	}
	take_out(analysis, option);
	if (is_set)
		analysis->items[analysis->n++] = (clpac__analysis_item){option, text};
	return CLPAC_OK;
}

/* --- Lines of text ------------------------------------------------------------------------------ */

/* Sets the option of one word: `key`, `key=value`, `key="a value"`.  The word is changed. */
static clpac_status read_word(clpac_analysis *analysis, char *word, clpac_error *err)
{
	char *value = strchr(word, '=');
	if (value)
		*value++ = 0;
	if (!*word)
		RETURN_ERROR(CLPAC_ERROR_ARGUMENT, "=%.60s: a key is missing before it", value);
	const clpac__option *option = find(word);
	if (!option)
		return fail_to_find(word, err);
	if (!value && option->kind != CLPAC__OPTION_FLAG)
		return clpac__of_member(
			err,
			clpac__fail(err, CLPAC_ERROR_ARGUMENT, "%s needs a value: %s=%s", word, word, option->argument),
			word);
	for (size_t i = 0; i < analysis->n; i++)
		if (strcmp(analysis->items[i].option->name, word) == 0)
			return clpac__of_member(err,
						clpac__fail(err, CLPAC_ERROR_ARGUMENT,
							    "%s is there twice; leave one of them out", word),
						word);
	return clpac_analysis_set(analysis, word, value ? value : "yes", err);
}

clpac_status clpac__next_word(char **rest, char **word, clpac_error *err)
{
	static const char blanks[] = " \t\r\n";
	char *from = *rest + strspn(*rest, blanks), *to = from;
	bool is_quoted = false;
	*word = *from ? from : NULL;
	for (; *from && (is_quoted || !strchr(blanks, *from)); from++)
		if (*from == '"')
			is_quoted = !is_quoted;
		else
			*to++ = *from;
	if (is_quoted)
		RETURN_ERROR(CLPAC_ERROR_ARGUMENT, "%.60s: a quote is not closed", *word);
	*rest = *from ? from + 1 : from;
	*to = 0;
	return CLPAC_OK;
}

clpac_status clpac_analysis_read(const char *text, clpac_analysis **out, clpac_error *err)
{
	NEED(text, out);
	clpac_status st = CLPAC_OK;
	clpac_analysis *made = NULL;
	char *copy = NULL, *rest, *word;
	TRY(NEW_COPY(copy, text));
	TRY(NEW(made));
	rest = copy;
	TRY(clpac__next_word(&rest, &word, err));
	while (word) {
		TRY(read_word(made, word, err));
		TRY(clpac__next_word(&rest, &word, err));
	}
	*out = made, made = NULL;
done:
	clpac_analysis_destroy(made);
	clpac__free(copy);
	return st;
}

clpac_status clpac_analysis_text(const clpac_analysis *analysis, char **text, clpac_error *err)
{
	NEED(analysis, text);
	clpac__text line = {0};
	clpac__text_add(&line, "%s", "");
	for (size_t i = 0; i < analysis->n; i++) {
		const clpac__analysis_item *item = &analysis->items[i];
		clpac__text_add(&line, "%s%s", i ? " " : "", item->option->name);
		if (item->text) {
			const char *quote = strpbrk(item->text, " \t\r\n") || !*item->text ? "\"" : "";
			clpac__text_add(&line, "=%s", quote);
			clpac__text_add(&line, "%s%s", item->text, quote);
		}
	}
	return clpac__text_give(&line, "the text of an analysis", text, err);
}

void clpac_analysis_destroy(clpac_analysis *analysis)
{
	if (!analysis)
		return;
	for (size_t i = 0; i < analysis->n; i++)
		clpac__free(analysis->items[i].text);
	FREE_ALL(analysis->items, analysis);
}
