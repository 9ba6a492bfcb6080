/* Events of a recording: those of its file, of a table in their place, of a channel of triggers, and of an annotation
 * file beside it. */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <clpac/read.h>

#include "base/ascii.h"
#include "base/cancel.h"
#include "base/error.h"
#include "base/memory.h"
#include "recording/read/samples.h"
#include "recording/read/tables.h"
#include "recording/recording.h"

/* --- Tables ------------------------------------------------------------------------------------ */

/* Events of BIDS: an onset and a duration in seconds from the recording's first sample, and a name, which is the
 * trial_type, or where a table has none the value. */

clpac_status clpac_recording_events(const char *path, char **out, clpac_error *err)
{
	NEED(path, out);
	return clpac__tsv_beside(path, "_events.tsv", out, err);
}

enum { ONSET = 0, DURATION, TRIAL_TYPE, VALUE, CHOSEN, N_EVENT_COLUMNS };

static bool is_there(clpac__cell cell)
{
	return cell.n && !clpac__cell_says(cell, "n/a");
}

static clpac_status add_event(const clpac__cell cells[N_EVENT_COLUMNS], bool is_chosen, clpac_recording *recording,
			      size_t *n_wrong, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	double onset_s, seconds = 0;
	const clpac__cell name = is_chosen		       ? cells[CHOSEN]
				 : is_there(cells[TRIAL_TYPE]) ? cells[TRIAL_TYPE]
							       : cells[VALUE];
	char *text = NULL;
	if (!clpac__cell_number(cells[ONSET], &onset_s) ||
	    (is_there(cells[DURATION]) && (!clpac__cell_number(cells[DURATION], &seconds) || seconds < 0))) {
		++*n_wrong;
		goto done;
	}
	if (!(text = clpac__cell_text(is_there(name) ? name : (clpac__cell){"", 0, false})))
		FAIL_NO_MEMORY(name.n + 1);
	TRY(clpac_recording_add_annotation(recording, onset_s + clpac_recording_first_seconds(recording), seconds, text,
					   err));
done:
	clpac__free(text);
	return st;
}

/* The names of a table's columns for an error: "onset, duration, stim_type". */
static void list_columns(const char *text, size_t n, char list[200])
{
	size_t to = 0;
	for (size_t i = 0; i < n && text[i] != '\n' && to + 3 < 200; i++) {
		list[to++] = text[i] == '\t' ? ',' : text[i];
		if (text[i] == '\t')
			list[to++] = ' ';
	}
	list[to] = 0;
}

clpac_status clpac__events_table_apply(const char *path, const char *text, size_t n, const char *column,
				       clpac_recording *recording, bool *is_table, clpac_error *err)
{
	const char *const names[N_EVENT_COLUMNS] = {"onset", "duration", "trial_type", "value", column};
	size_t at[N_EVENT_COLUMNS], n_wrong = 0;
	clpac__cell cells[N_EVENT_COLUMNS];
	clpac__tsv table = clpac__tsv_open(text, n, names, N_EVENT_COLUMNS, at);
	*is_table = at[ONSET] != SIZE_MAX;
	if (!*is_table)
		return CLPAC_OK;
	if (column && at[CHOSEN] == SIZE_MAX) {
		char list[200];
		list_columns(text, n, list);
		RETURN_ERROR(CLPAC_ERROR_ARGUMENT,
			     "%.300s has no column \"%.60s\" that could name its events; there are %s", path, column,
			     list);
	}
	while (clpac__tsv_next(&table, cells))
		RETURN_IF_ERROR(add_event(cells, column, recording, &n_wrong, err));
	if (n_wrong)
		return clpac_recording_warn(
			recording, err,
			"%s: %zu events are left out, whose onset is no number, or whose duration is none of 0 or more",
			path, n_wrong);
	return CLPAC_OK;
}

/* --- Which of them ----------------------------------------------------------------------------- */

/* Whether run leaves out the time of an annotation unless it is told otherwise. */
static bool is_bad(const char *text)
{
	const char *slash = strchr(text, '/');
	return clpac__same_letters(text, "BAD", 3) || (slash && clpac__same_letters(slash + 1, "BAD", 3));
}

/* Takes out the n events that the file has itself, in whose place others came. */
static clpac_status supersede(clpac_recording *recording, size_t n, const char *by, bool is_asked, clpac_error *err)
{
	size_t n_bad = 0;
	char bad[60] = "";
	for (size_t i = 0; i < n; i++)
		n_bad += is_bad(clpac_recording_annotation(recording, i)->text);
	if (n_bad)
		snprintf(bad, sizeof bad, ", %zu of which begin with BAD", n_bad);
	if (n && !is_asked)
		RETURN_IF_ERROR(clpac_recording_warn(
			recording, err,
			"%s supersedes the events of the recording's own file (BIDS): %zu of the table are taken, and "
			"%zu of the file are not%s; events from the file alone can be asked for",
			by, clpac_recording_n_annotations(recording) - n, n, bad));
	clpac__recording_drop_annotations(recording, n);
	return CLPAC_OK;
}

/* Takes the events of a table in place of the file's own.  One that lies beside the recording by chance and cannot be
 * read is left, with a warning. */
static clpac_status take_table(const char *path, const clpac_read_options *options, clpac_recording *recording,
			       clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	const size_t n_own = clpac_recording_n_annotations(recording);
	const bool is_asked = options->events_from;
	char *text = NULL;
	size_t n = 0;
	bool is_table;
	clpac_error why = {0};
	st = clpac__source_read_text(path, &text, &n, &why);
	if (st != CLPAC_OK && (st == CLPAC_ERROR_NO_MEMORY || is_asked))
		TRY(clpac__fail_as(err, &why));
	if (st != CLPAC_OK) {
		st = clpac_recording_warn(recording, err, "events are left out: %s", why.text);
		goto done;
	}
	TRY(clpac__events_table_apply(path, text, n, options->event_column, recording, &is_table, err));
	if (!is_table && is_asked)
		FAIL(CLPAC_ERROR_FORMAT, "%s has no column \"onset\": it is no table of events", path);
	if (!is_table) {
		st = clpac_recording_warn(recording, err, "%s has no column \"onset\": its events are left out", path);
		goto done;
	}
	TRY(supersede(recording, n_own, path, is_asked, err));
	TRY(clpac__recording_add_table(recording, "events", path, err));
done:
	clpac__free(text);
	return st;
}

/* --- Triggers ---------------------------------------------------------------------------------- */

enum { LEAST_SAMPLES_EACH = 4 }; /* of a trigger: what changes more often is a counter, or noise */

static double value_of(const clpac_channel *channel, size_t i)
{
	const size_t at = i * channel->stride;
	const double value = channel->type == CLPAC_FLOAT32 ? (double)((const float *)channel->samples)[at]
							    : ((const double *)channel->samples)[at];
	return isfinite(value) ? value : 0;
}

/* The value between triggers: 0, or of a channel that never has it the value of most of its samples. */
static double rest_of(const clpac_channel *channel)
{
	double most = 0;
	size_t votes = 0, n = 0;
	for (size_t i = 0; i < channel->n_samples; i++) {
		const double value = value_of(channel, i);
		if (value == 0)
			return 0;
		if (!votes)
			most = value;
		votes = value == most ? votes + 1 : votes - 1;
	}
	for (size_t i = 0; i < channel->n_samples; i++)
		n += value_of(channel, i) == most;
	return 2 * n > channel->n_samples ? most : 0;
}

/* Whether the reader of BDF has told of a channel already, by the lower 16 bits of its numbers. */
static bool is_status(const clpac_recording *recording, const clpac_channel *channel)
{
	return strstr(clpac_recording_format(recording), "BDF") &&
	       (clpac__same_word(channel->name, "Status") || clpac__same_word(channel->name, "Trigger"));
}

static bool is_trigger(const clpac_channel *channel, size_t i, double rest)
{
	return i && value_of(channel, i) != value_of(channel, i - 1) && value_of(channel, i) != rest;
}

/* Adds an event for each change of a channel's value to another that is not the one at rest: the value as text.  A
 * value that it begins with is none, as its onset is not known.
 * @param[out] are_too_many the channel is no trigger, and nothing is added. */
static clpac_status add_triggers(clpac_recording *recording, size_t number, bool *are_too_many, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	const clpac_channel *channel = clpac_recording_channel(recording, number);
	const bool is_there = channel->samples;
	size_t n = 0;
	RETURN_IF_ERROR(clpac_recording_load(recording, &number, 1, err));
	channel = clpac_recording_channel(recording, number);
	const double rest = rest_of(channel);
	for (size_t i = 0; i < channel->n_samples; i++)
		n += is_trigger(channel, i, rest);
	*are_too_many = n > channel->n_samples / LEAST_SAMPLES_EACH;
	for (size_t i = 0; i < channel->n_samples && !*are_too_many; i++) {
		char text[32];
		TRY(clpac__cancel_check_at(i, err));
		if (!is_trigger(channel, i, rest))
			continue;
		snprintf(text, sizeof text, "%.6g", value_of(channel, i));
		TRY(clpac_recording_add_annotation(
			recording, clpac__recording_time_of(recording, (double)i / channel->rate_hz), 0, text, err));
	}
done:
	if (!is_there)
		clpac_recording_unload(recording, &number, 1);
	return st;
}

/* The events of the channel that was named for them, in place of the file's own. */
static clpac_status take_channel(const char *path, const char *name, clpac_recording *recording, clpac_error *err)
{
	const size_t n_own = clpac_recording_n_annotations(recording);
	for (size_t i = 0; i < clpac_recording_n_channels(recording); i++) {
		const clpac_channel *channel = clpac_recording_channel(recording, i);
		bool are_too_many;
		if (!clpac__same_word(channel->name, name))
			continue;
		if (is_status(recording, channel))
			return CLPAC_OK;
		if (!(channel->rate_hz > 0))
			RETURN_ERROR(CLPAC_ERROR_ARGUMENT,
				     "%.300s: the sampling rate is not known, so its channel %.60s has no times for "
				     "events: give the rate",
				     path, channel->name);
		RETURN_IF_ERROR(add_triggers(recording, i, &are_too_many, err));
		if (are_too_many)
			RETURN_ERROR(CLPAC_ERROR_ARGUMENT,
				     "%.300s: channel %.60s changes more than once in %d samples: it has no triggers",
				     path, channel->name, (int)LEAST_SAMPLES_EACH);
		clpac__recording_drop_annotations(recording, n_own);
		return CLPAC_OK;
	}
	RETURN_ERROR(CLPAC_ERROR_ARGUMENT,
		     "%.300s has no table of events, and no channel \"%.60s\": name a channel of triggers", path, name);
}

static bool is_trigger_format(const char *format)
{
	return strstr(format, "EDF") || strstr(format, "BDF") || strcmp(format, "CSV") == 0;
}

/* The triggers of a file that tells of no events otherwise. */
static clpac_status find_triggers(clpac_recording *recording, clpac_error *err)
{
	if (clpac_recording_n_annotations(recording) || !is_trigger_format(clpac_recording_format(recording)))
		return CLPAC_OK;
	for (size_t i = 0; i < clpac_recording_n_channels(recording); i++) {
		const clpac_channel *channel = clpac_recording_channel(recording, i);
		bool are_too_many;
		if (channel->kind == CLPAC_KIND_TRIGGER && !channel->unusable && channel->rate_hz > 0 &&
		    !is_status(recording, channel))
			RETURN_IF_ERROR(add_triggers(recording, i, &are_too_many, err));
	}
	return CLPAC_OK;
}

/* --- Annotation files -------------------------------------------------------------------------- */

clpac_status clpac_recording_annotations(const char *path, char **out, clpac_error *err)
{
	NEED(path, out);
	static const char psg[] = "-PSG.edf", hypnogram[] = "-Hypnogram.edf";
	static const char scorers[] = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ";
	const size_t n = strlen(path), stem = n - (sizeof psg - 1);
	char *made;
	*out = NULL;
	if (n < sizeof psg || !clpac__ends_with(path, psg) || path[stem - 1] == '/')
		return CLPAC_OK;
	RETURN_IF_ERROR(NEW_BYTES(made, stem + sizeof hypnogram));
	memcpy(made, path, stem);
	memcpy(made + stem, hypnogram, sizeof hypnogram);
	/* SC4001E0-PSG.edf has SC4001EC-Hypnogram.edf: the letter of who scored it. */
	for (const char *s = scorers; access(made, F_OK) != 0 && *s; s++)
		made[stem - 1] = *s;
	if (access(made, F_OK) == 0)
		*out = made;
	else
		clpac__free(made);
	return CLPAC_OK;
}

/* Adds what another recording has annotated: its clock is brought to this one's by the dates and times of both, or
 * where there are none by their first samples. */
static clpac_status add_annotations(const char *path, const clpac_recording *other, clpac_recording *recording,
				    clpac_error *err)
{
	const bool has_times = other->has_start && recording->has_start;
	const double shift_s =
		has_times ? other->start_s - recording->start_s
			  : clpac_recording_first_seconds(recording) - clpac_recording_first_seconds(other);
	const double end_s = clpac__recording_time_of(recording, clpac_recording_seconds(recording));
	size_t n_inside = 0;
	for (size_t i = 0; i < other->n_annotations; i++) {
		const clpac_annotation *a = &other->annotations[i];
		const double onset_s = a->onset_seconds + shift_s;
		n_inside += onset_s < end_s && onset_s + a->seconds >= clpac_recording_first_seconds(recording);
		RETURN_IF_ERROR(clpac_recording_add_annotation(recording, onset_s, a->seconds, a->text, err));
	}
	if (!n_inside)
		return clpac_recording_warn(
			recording, err,
			"none of the %zu annotations of %s lies in the recording: by its date and time it begins %g s "
			"after the recording",
			other->n_annotations, path, shift_s);
	return CLPAC_OK;
}

/* Joins the annotations of a file: EDF+, BDF+, BrainVision, or a table of events. */
static clpac_status join_file(const char *path, const clpac_read_options *options, clpac_recording *recording,
			      clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	clpac__source source = {0};
	clpac_recording *other = NULL;
	unsigned char head[CLPAC__HEAD_BYTES];
	size_t n = 0, count;
	char *text = NULL;
	bool is_table = true, is_by_content;
	TRY(clpac__source_open(path, &source, err));
	TRY(clpac__source_read_upto(&source, head, sizeof head, &n, err));
	const clpac__format *format = clpac__format_find(head, n, path, &is_by_content);
	clpac__source_seek(&source, 0);
	if (format && (format->read == clpac__read_edf || format->read == clpac__read_brainvision)) {
		TRY(format->read(&source, &(clpac_read_options){.size = sizeof *options}, &other, err));
		TRY(add_annotations(path, other, recording, err));
		for (size_t i = 0; i < clpac_recording_n_warnings(other); i++)
			TRY(clpac_recording_warn(recording, err, "%s: %s", path,
						 clpac_recording_warning(other, i, &count)));
	} else {
		TRY(clpac__source_read_text(path, &text, &n, err));
		TRY(clpac__events_table_apply(path, text, n, options->event_column, recording, &is_table, err));
	}
	if (!is_table)
		FAIL(CLPAC_ERROR_FORMAT,
		     "%s has no annotations to join: it is no EDF+, BDF+ or BrainVision file, and no table with a "
		     "column \"onset\"",
		     path);
	TRY(clpac__recording_add_table(recording, "annotations", path, err));
done:
	clpac_recording_destroy(other);
	clpac__source_close(&source);
	clpac__free(text);
	return st;
}

static clpac_status join_annotations(const char *path, const clpac_read_options *options, clpac_recording *recording,
				     clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	char *beside = NULL;
	if (options->annotations && strcmp(options->annotations, "none") == 0)
		return CLPAC_OK;
	if (!options->annotations)
		TRY(clpac_recording_annotations(path, &beside, err));
	if (options->annotations || beside)
		TRY(join_file(options->annotations ? options->annotations : beside, options, recording, err));
done:
	clpac_text_free(beside);
	return st;
}

/* --- All of them ------------------------------------------------------------------------------- */

clpac_status clpac__events_settle(const char *path, const clpac_read_options *options, clpac_recording *recording,
				  clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	const char *from = options->events_from;
	const bool is_file = from && strcmp(from, "file") == 0, is_table = from && strcmp(from, "table") == 0;
	clpac__inherited tables = {0};
	if (!from || is_table)
		TRY(clpac__tables_find(path, options->bids_root, "events.tsv", &tables, err));
	if (is_table && !tables.n)
		FAIL(CLPAC_ERROR_ARGUMENT,
		     "no table of events lies beside %.300s: its name is that of the recording, with _events.tsv in "
		     "place of the ending",
		     path);
	const char *table = is_file ? NULL : tables.n ? tables.paths[0] : from;
	if (table)
		TRY(take_table(table, options, recording, err));
	else if (options->event_column)
		TRY(take_channel(path, options->event_column, recording, err));
	else
		TRY(find_triggers(recording, err));
	TRY(join_annotations(path, options, recording, err));
done:
	clpac__inherited_clear(&tables);
	return st;
}
