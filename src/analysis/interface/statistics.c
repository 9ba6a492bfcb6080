/* Computations on results: conditions of epochs, and statistics over subjects. */
#include <stdio.h>
#include <clpac/analysis.h>
#include "analysis/group/comparison.h"
#include "analysis/group/subjects.h"
#include "analysis/interface/analysis.h"
#include "analysis/interface/call.h"
#include "analysis/merge/merge.h"
#include "analysis/run/results.h"
#include "analysis/options/words.h"
#include "analysis/sentences/sentences.h"
#include "analysis/table/table.h"
#include "base/memory.h"
#include "base/error.h"
#include "base/sized.h"

/* Gives a result its sentence, which is freed, and what every result records. */
static clpac_status describe(clpac_result *result, char *sentence, clpac__json_tree *json, const clpac__call *call,
			     clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	char *provenance = NULL;
	if (!sentence)
		FAIL(CLPAC_ERROR_NO_MEMORY, "the host has no memory left for the sentence of a result");
	TRY(clpac_result_set_sentence(result, sentence, err));
	TRY(clpac__provenance_add(json, &call->settings, err));
	clpac__json_tree_text(json, json->root, "request", call->request);
	TRY(clpac__json_tree_text_of(json, &provenance, err));
	TRY(clpac_result_set_provenance(result, provenance, err));
done:
	FREE_ALL(sentence, provenance);
	return st;
}

/* --- Conditions --------------------------------------------------------------------------------- */

static clpac_status check_options_of_epochs(const clpac_analysis *analysis, clpac_error *err)
{
	for (size_t i = 0; i < analysis->n; i++) {
		const char *name = analysis->items[i].option->name;
		if (clpac__comparison_is_about_recordings(name))
			RETURN_ERROR(CLPAC_ERROR_ARGUMENT,
				     "%s is about a recording, and the epochs are computed already; leave it out",
				     name);
	}
	return CLPAC_OK;
}

clpac_status clpac_analysis_compare_epochs(const clpac_analysis *analysis, const clpac_result *epochs,
					   const clpac_analysis_call *call, clpac_result **out, clpac_error *err)
{
	NEED(analysis, epochs, out);
	clpac_status st = CLPAC_OK;
	clpac__call own = {0};
	clpac__comparison c = {0};
	clpac__json_tree json = {.root = json_object()};
	TRY(clpac__call_open(&own, analysis, CLPAC_ANALYSIS_COMPARE, call, err));
	TRY(check_options_of_epochs(analysis, err));
	TRY(clpac__comparison_check(&own.settings, err));
	TRY(clpac__comparison_prepare(&c, &own.settings, err));
	c.epochs = epochs;
	TRY(clpac__comparison_make(&c, err));
	TRY(clpac__comparison_tell_signals(&c, &json, err));
	TRY(describe(c.made, clpac__comparison_sentence(&c), &json, &own, err));
	*out = c.made, c.made = NULL;
done:
	json_decref(json.root);
	clpac__comparison_close(&c);
	return clpac__call_close(&own, st, err);
}

/* --- Shards ------------------------------------------------------------------------------------- */

clpac_status clpac_analysis_merge(const char *const *paths, size_t n, const char *folder,
				  const clpac_analysis_call *call, clpac_result **out, clpac_error *err)
{
	NEED(paths, out);
	clpac_status st = CLPAC_OK;
	clpac__call own = {0};
	clpac__merged merged = {0};
	TRY(clpac__call_listen(&own, call, err));
	TRY(clpac__merge(&own.settings, paths, n, folder, &merged, err));
	*out = merged.result, merged.result = NULL;
done:
	clpac__merged_clear(&merged);
	return clpac__call_close(&own, st, err);
}

/* --- Subjects ----------------------------------------------------------------------------------- */

/* The results of both groups in one row, with names. */
typedef struct everybody {
	const clpac_result **results;
	const char **names;
	char *numbers; /* owns the names that the caller left out */
	size_t n, n_first;
} everybody;

enum { NAME_SIZE = 24 };

static clpac_status gather(const clpac_subjects *group, everybody *to, clpac_error *err)
{
	for (size_t i = 0; i < group->n; i++, to->n++) {
		if (!group->results[i])
			RETURN_ERROR(CLPAC_ERROR_ARGUMENT, "results[%zu] is NULL", i);
		to->results[to->n] = group->results[i];
		char *number = to->numbers + to->n * NAME_SIZE;
		snprintf(number, NAME_SIZE, "%zu", i + 1);
		to->names[to->n] = group->names ? group->names[i] : number;
		for (size_t k = 0; k < to->n; k++)
			if (to->results[k] == to->results[to->n])
				RETURN_ERROR(CLPAC_ERROR_ARGUMENT,
					     "%.200s and %.200s are one result: a subject counts "
					     "once",
					     to->names[k], to->names[to->n]);
	}
	return CLPAC_OK;
}

static clpac_status gather_all(const clpac_subjects groups[2], everybody *to, clpac_error *err)
{
	const size_t n = groups[0].n + groups[1].n;
	for (int g = 0; g < 2; g++)
		if (groups[g].n && !groups[g].results)
			RETURN_ERROR(CLPAC_ERROR_ARGUMENT, "results is NULL, and n %zu", groups[g].n);
	RETURN_IF_ERROR(NEW_ARRAY(to->results, n));
	RETURN_IF_ERROR(NEW_ARRAY(to->names, n));
	RETURN_IF_ERROR(NEW_ARRAY(to->numbers, n * NAME_SIZE));
	RETURN_IF_ERROR(gather(&groups[0], to, err));
	to->n_first = to->n;
	return gather(&groups[1], to, err);
}

clpac_status clpac_analysis_group(const clpac_analysis *analysis, const clpac_subjects *first,
				  const clpac_subjects *second, const clpac_analysis_call *call, clpac_result **out,
				  clpac_error *err)
{
	NEED(analysis, first, out);
	clpac_status st = CLPAC_OK;
	clpac__call own = {0};
	clpac_subjects groups[2] = {{0}};
	everybody all = {0};
	clpac__subjects subjects = {0};
	clpac_group group;
	clpac_result *made = NULL;
	clpac__json_tree json = {.root = json_object()};
	TRY(clpac__take_sized(&groups[0], first, clpac_subjects, err));
	TRY(clpac__take_sized(&groups[1], second, clpac_subjects, err));
	TRY(clpac__call_open(&own, analysis, CLPAC_ANALYSIS_GROUP, call, err));
	own.settings.with = second != NULL;
	TRY(gather_all(groups, &all, err));
	TRY(clpac__subjects_find(&own.settings, all.names, all.n, all.n_first, &subjects, err));
	TRY(clpac__subjects_take(&own.settings, &subjects, all.results, err));
	TRY(clpac__subjects_compare(&own.settings, &subjects, &group, &made, err));
	TRY(clpac__subjects_tell_signals(&subjects, made, &json, err));
	TRY(describe(made, clpac__subjects_sentence(&group, made), &json, &own, err));
	*out = made, made = NULL;
done:
	json_decref(json.root);
	clpac_result_destroy(made);
	clpac__subjects_clear(&subjects);
	FREE_ALL(all.results, all.names, all.numbers);
	return clpac__call_close(&own, st, err);
}

/* --- Tables ------------------------------------------------------------------------------------- */

clpac_status clpac_analysis_table(const clpac_subjects *results, const char *regions, double alpha, char **csv,
				  clpac_error *err)
{
	NEED(results, csv);
	clpac_status st = CLPAC_OK;
	clpac_subjects group = {0};
	everybody all = {0};
	clpac__regions read = {0};
	clpac__text text = {0};
	TRY(clpac__take_sized(&group, results, clpac_subjects, err));
	TRY(gather_all((const clpac_subjects[2]){group}, &all, err));
	TRY(clpac__regions_read(regions, alpha, &read, err));
	clpac__table_begin(&read, &text);
	for (size_t i = 0; i < all.n; i++)
		TRY(clpac__table_add(all.results[i], all.names[i], &read, &text, err));
	TRY(clpac__text_give(&text, "a table", csv, err));
done:
	clpac__text_clear(&text);
	clpac__regions_clear(&read);
	FREE_ALL(all.results, all.names, all.numbers);
	if (st != CLPAC_OK && err)
		clpac__unmark_options(err->text);
	return st;
}
