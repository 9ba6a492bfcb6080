#include "analysis/interface/call.h"

#include <stdio.h>
#include <string.h>
#include "analysis/interface/analysis.h"
#include "analysis/options/tables.h"
#include "analysis/options/words.h"
#include "base/memory.h"
#include "base/sized.h"

/* --- The sink ----------------------------------------------------------------------------------- */

enum { LONGEST_TEXT = 8192 };

static const char *plain(const char *text, char copy[LONGEST_TEXT])
{
	snprintf(copy, LONGEST_TEXT, "%s", text);
	clpac__unmark_options(copy);
	return copy;
}

static void warn(void *user, size_t count, const char *text)
{
	const clpac_analysis_sink *outer = &((clpac__call *)user)->outer;
	char copy[LONGEST_TEXT];
	if (outer->warn)
		outer->warn(outer->user, count, plain(text, copy));
}

static void note(void *user, const char *text)
{
	const clpac_analysis_sink *outer = &((clpac__call *)user)->outer;
	char copy[LONGEST_TEXT];
	if (outer->note)
		outer->note(outer->user, plain(text, copy));
}

static void phase(void *user, const char *text)
{
	const clpac_analysis_sink *outer = &((clpac__call *)user)->outer;
	if (outer->phase)
		outer->phase(outer->user, text);
}

static bool progress(void *user, const clpac_analysis_progress *at)
{
	const clpac_analysis_sink *outer = &((clpac__call *)user)->outer;
	return !outer->progress || outer->progress(outer->user, at);
}

static void keeps_parts(void *user, bool keeps)
{
	const clpac_analysis_sink *outer = &((clpac__call *)user)->outer;
	if (outer->keeps_parts)
		outer->keeps_parts(outer->user, keeps);
}

static void has_finished(void *user, bool has)
{
	const clpac_analysis_sink *outer = &((clpac__call *)user)->outer;
	if (outer->has_finished)
		outer->has_finished(outer->user, has);
}

/* --- The options -------------------------------------------------------------------------------- */

/* An option that is refused itself: the error is about it, whatever its text names first. */
static clpac_status refuse(clpac__call *call, const char *option, clpac_status st, clpac_error *err)
{
	call->is_refused = true;
	return clpac__of_member(err, st, option);
}

static clpac_status give(clpac__call *call, const clpac__option *option, const char *text, clpac_error *err)
{
	if (call->settings.n_given == CLPAC__MOST_GIVEN)
		RETURN_ERROR(CLPAC_ERROR_INTERNAL, "more than %d options were given; please report it",
			     CLPAC__MOST_GIVEN);
	const clpac_status st = clpac__option_set(option, text, &call->settings, err);
	if (st != CLPAC_OK)
		return refuse(call, option->name, st, err);
	call->settings.given[call->settings.n_given++] = option->name;
	return CLPAC_OK;
}

static clpac_status set_option(clpac__call *call, const clpac__analysis_item *item, clpac_analysis_kind kind,
			       clpac_error *err)
{
	const char *name = item->option->name;
	const clpac__option *option = clpac__option_find(clpac__options_of(kind), name, NULL);
	static const char *const of_devices[] = {"device", "memory", "fft", "probe", "threads"};
	if (!option)
		return refuse(call, name,
			      clpac__fail(err, CLPAC_ERROR_ARGUMENT, "%s is no option of %s; leave it out", name,
					  clpac_analysis_kind_name(kind)),
			      err);
	for (size_t i = 0; i < sizeof of_devices / sizeof *of_devices; i++)
		if (call->given.n_contexts && strcmp(name, of_devices[i]) == 0)
			return refuse(call, name,
				      clpac__fail(err, CLPAC_ERROR_ARGUMENT,
						  "%s and contexts: an open device is what it is; give one of them",
						  name),
				      err);
	return give(call, option, item->text, err);
}

clpac_status clpac__call_take(clpac__call *call, const clpac_analysis *analysis, const clpac__option_group *group,
			      clpac_error *err)
{
	const clpac__option_group *const groups[] = {group, NULL};
	for (size_t i = 0; i < analysis->n; i++) {
		const clpac__option *option = clpac__option_find(groups, analysis->items[i].option->name, NULL);
		if (option)
			RETURN_IF_ERROR(give(call, option, analysis->items[i].text, err));
	}
	return CLPAC_OK;
}

static clpac_status take_contexts(clpac__call *call, clpac_error *err)
{
	const clpac_analysis_call *given = &call->given;
	if (given->n_contexts && !given->contexts)
		RETURN_ERROR(CLPAC_ERROR_ARGUMENT, "contexts is NULL, and n_contexts %zu", given->n_contexts);
	if (given->n_contexts > CLPAC_MAX_DEVICES)
		RETURN_ERROR(CLPAC_ERROR_ARGUMENT, "%zu contexts: give %d at most", given->n_contexts,
			     CLPAC_MAX_DEVICES);
	for (size_t i = 0; i < given->n_contexts; i++) {
		if (!given->contexts[i])
			RETURN_ERROR(CLPAC_ERROR_ARGUMENT, "contexts[%zu] is NULL", i);
		call->contexts.each[i] = given->contexts[i];
	}
	call->contexts.n = given->n_contexts;
	call->contexts.settings = &call->settings;
	return CLPAC_OK;
}

clpac_status clpac__call_listen(clpac__call *call, const clpac_analysis_call *given, clpac_error *err)
{
	RETURN_IF_ERROR(clpac__take_sized(&call->given, given, clpac_analysis_call, err));
	RETURN_IF_ERROR(clpac__take_sized(&call->outer, call->given.sink, clpac_analysis_sink, err));
	call->inner = (clpac_analysis_sink){.user = call,
					    .warn = warn,
					    .note = note,
					    .phase = phase,
					    .progress = progress,
					    .keeps_parts = keeps_parts,
					    .has_finished = has_finished};
	call->settings.sink = &call->inner;
	call->settings.input = call->given.name ? call->given.name : "the recording";
	call->settings.no_cautions = call->given.no_cautions;
	call->settings.keep_spectra = call->given.keep_spectra;
	return CLPAC_OK;
}

clpac_status clpac__call_open(clpac__call *call, const clpac_analysis *analysis, clpac_analysis_kind kind,
			      const clpac_analysis_call *given, clpac_error *err)
{
	RETURN_IF_ERROR(clpac__call_listen(call, given, err));
	RETURN_IF_ERROR(take_contexts(call, err));
	for (size_t i = 0; i < analysis->n; i++)
		RETURN_IF_ERROR(set_option(call, &analysis->items[i], kind, err));
	RETURN_IF_ERROR(clpac_analysis_text(analysis, &call->request, err));
	call->settings.request = call->request;
	return CLPAC_OK;
}

clpac_status clpac__call_close(clpac__call *call, clpac_status st, clpac_error *err)
{
	clpac__free(call->request);
	if (st != CLPAC_OK && err) {
		if (st == CLPAC_ERROR_ARGUMENT)
			clpac__name_options(err);
		if (!call->is_refused)
			clpac__find_option(err);
		clpac__unmark_options(err->text);
	}
	return st;
}
