#include "analysis/channels/pairs.h"

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <clpac/read.h>
#include "base/memory.h"
#include "base/number.h"
#include "base/regular_file.h"

static bool are_given(const clpac__analysis_settings *settings)
{
	const clpac__analysis_settings *v = settings;
	return v->pairs || v->phase_channels || v->amplitude_channels;
}

/* Whether pairs are named, by a table or one by one. */
static bool are_named(const clpac__analysis_settings *settings)
{
	return settings->pairs && strcmp(settings->pairs, "all") != 0;
}

static bool is_list(const clpac__analysis_settings *settings)
{
	return are_named(settings) && strchr(settings->pairs, '>');
}

clpac_status clpac__pairs_check(const clpac__analysis_settings *settings, const clpac_problem *problem,
				clpac_error *err)
{
	const clpac__analysis_settings *v = settings;
	if (!are_given(settings))
		return CLPAC_OK;
	if (v->pairs && (v->phase_channels || v->amplitude_channels))
		RETURN_ERROR(CLPAC_ERROR_ARGUMENT, "--pairs %.100s and --%s-channels: give one of them", v->pairs,
			     v->phase_channels ? "phase" : "amplitude");
	if (v->channels && (are_named(settings) || (v->phase_channels && v->amplitude_channels)))
		RETURN_ERROR(CLPAC_ERROR_ARGUMENT, "--channels %.100s: %s names the channels; leave --channels out",
			     v->channels,
			     is_list(settings)	   ? "--pairs"
			     : are_named(settings) ? "the table of --pairs"
						   : "--phase-channels and --amplitude-channels");
	for (size_t i = 0; i < problem->n_measures; i++)
		if (problem->measures[i] == CLPAC_MEASURE_PLV)
			RETURN_ERROR(CLPAC_ERROR_UNSUPPORTED,
				     "--measure plv: it filters the amplitude of each pair once more, "
				     "in the phase bands, and is "
				     "not computed of pairs of channels; leave it out");
	if (problem->null == CLPAC_NULL_TRIALS || problem->null == CLPAC_NULL_PHASES)
		RETURN_ERROR(CLPAC_ERROR_UNSUPPORTED,
			     "--null %s: it filters other amplitudes for each pair, and is not computed of pairs of "
			     "channels; "
			     "give shift, shift=all or blocks",
			     problem->null == CLPAC_NULL_TRIALS ? "trials" : "phases");
	return CLPAC_OK;
}

/* --- Lists -------------------------------------------------------------------------------------- */

/* Chooses channels as --channels does, from the list of another option, which its errors name. */
static clpac_status choose_of(const clpac_recording *recording, const clpac__analysis_settings *settings,
			      const char *list, const char *option, clpac__chosen_channels *out, clpac_error *err)
{
	clpac__analysis_settings one = *settings;
	one.channels = list;
	return clpac__channels_choose_for(recording, &one, option, out, err);
}

/* The place of each channel of the recording among chosen ones; their number for one that is not there.
 * @param[out] out to be freed with clpac__free. */
static clpac_status find_places(const clpac_recording *recording, const clpac__chosen_channels *channels, size_t **out,
				clpac_error *err)
{
	const size_t n = clpac_recording_n_channels(recording);
	RETURN_IF_ERROR(NEW_ARRAY(*out, n));
	for (size_t i = 0; i < n; i++)
		(*out)[i] = channels->n;
	for (size_t i = channels->n; i-- > 0;)
		(*out)[channels->numbers[i]] = i;
	return CLPAC_OK;
}

/* Adds channels to chosen ones, each once. */
static clpac_status add_channels(const clpac_recording *recording, clpac__chosen_channels *to,
				 const clpac__chosen_channels *more, clpac_error *err)
{
	size_t *places;
	if (to->rate_hz != more->rate_hz)
		RETURN_ERROR(CLPAC_ERROR_ARGUMENT,
			     "--phase-channels have %g Hz and --amplitude-channels %g Hz: give channels of one rate",
			     to->rate_hz, more->rate_hz);
	RETURN_IF_ERROR(GROW(to->numbers, to->n + more->n));
	RETURN_IF_ERROR(find_places(recording, to, &places, err));
	const size_t n_before = to->n;
	for (size_t i = 0; i < more->n; i++)
		if (places[more->numbers[i]] == n_before) {
			places[more->numbers[i]] = SIZE_MAX;
			to->numbers[to->n++] = more->numbers[i];
		}
	clpac__free(places);
	to->n_samples = more->n_samples < to->n_samples ? more->n_samples : to->n_samples;
	return CLPAC_OK;
}

static clpac_status pair_all(const clpac_recording *recording, const clpac__chosen_channels *channels,
			     const clpac__chosen_channels *phases, const clpac__chosen_channels *amplitudes,
			     clpac__pairs *out, clpac_error *err)
{
	size_t n, *places;
	if (!clpac__size_mul(phases->n, amplitudes->n, &n) || !(out->each = clpac__alloc_array(n, sizeof *out->each)))
		RETURN_ERROR(CLPAC_ERROR_NO_MEMORY, "the host has no memory left for the pairs of %zu and %zu channels",
			     phases->n, amplitudes->n);
	RETURN_IF_ERROR(find_places(recording, channels, &places, err));
	for (size_t i = 0; i < n; i++)
		out->each[i] = (clpac_pair){places[phases->numbers[i / amplitudes->n]],
					    places[amplitudes->numbers[i % amplitudes->n]]};
	clpac__free(places);
	out->n = n;
	return CLPAC_OK;
}

static clpac_status choose_lists(const clpac_recording *recording, const clpac__analysis_settings *settings,
				 clpac__chosen_channels *channels, clpac__pairs *out, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	const clpac__analysis_settings *v = settings;
	clpac__chosen_channels phases = {0}, amplitudes = {0};
	TRY(choose_of(recording, settings, v->phase_channels ? v->phase_channels : v->channels,
		      v->phase_channels ? "phase-channels" : "channels", &phases, err));
	if (!v->pairs)
		TRY(choose_of(recording, settings, v->amplitude_channels ? v->amplitude_channels : v->channels,
			      v->amplitude_channels ? "amplitude-channels" : "channels", &amplitudes, err));
	*channels = phases;
	TRY(NEW_ARRAY(channels->numbers, phases.n));
	memcpy(channels->numbers, phases.numbers, phases.n * sizeof *phases.numbers);
	if (!v->pairs)
		TRY(add_channels(recording, channels, &amplitudes, err));
	TRY(pair_all(recording, channels, &phases, v->pairs ? &phases : &amplitudes, out, err));
done:
	clpac__channels_clear(&phases);
	clpac__channels_clear(&amplitudes);
	return st;
}

/* --- A table ------------------------------------------------------------------------------------ */

/* A channel of the recording. */
typedef struct named {
	const char *name;
	size_t number;
} named;

/* A table that is read line by line.  Its cells are parts of the line. */
struct table {
	const char *path;
	FILE *file;
	char *line;
	size_t room, number;   /* of the line, from 1 on */
	size_t columns[2];     /* by clpac_band_use */
	clpac_pair *pairs;     /* by numbers in the recording */
	size_t n, n_allocated; /* of pairs */
	named *names;	       /* the recording's channels, by name and number */
};

static void close_table(struct table *table)
{
	if (table->file)
		fclose(table->file);
	FREE_ALL(table->line, table->pairs, table->names);
}

static clpac_status fail_to_read(const struct table *table, clpac_error *err)
{
	return clpac__fail_native(err, CLPAC_ERROR_IO, errno, "--pairs %.300s: %s", table->path, strerror(errno));
}

/* Reads the next line without its end; *is_there false at the end of the file. */
static clpac_status next_line(struct table *table, bool *is_there, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	size_t length = 0;
	*is_there = false;
	table->number++;
	for (;;) {
		if (table->room - length < 2) {
			const size_t room = table->room ? 2 * table->room : 256;
			RETURN_IF_ERROR(GROW(table->line, room));
			table->room = room;
		}
		errno = 0;
		const int c = getc(table->file);
		if (c == EOF && ferror(table->file)) {
			st = fail_to_read(table, err);
			return st;
		}
		if (c == 0)
			return clpac__of_line(err,
					      clpac__fail(err, CLPAC_ERROR_FORMAT,
							  "--pairs %.300s: line %zu holds a byte of 0: it is no text",
							  table->path, table->number),
					      table->number);
		*is_there |= c != EOF;
		if (c == EOF || c == '\n')
			break;
		table->line[length++] = (char)c;
	}
	if (length && table->line[length - 1] == '\r')
		length--;
	table->line[length] = 0;
	return st;
}

/* Cell number `column` of the line, as a text of its own in *cell; false where the line has fewer.  The line is cut. */
static bool cell_of(const char *line, size_t column, char *cell, size_t size)
{
	while (column && line) {
		line = strchr(line, '\t');
		line = line ? line + 1 : NULL;
		column--;
	}
	if (!line)
		return false;
	const size_t length = strcspn(line, "\t");
	snprintf(cell, size, "%.*s", (int)(length < size ? length : size - 1), line);
	return true;
}

static clpac_status read_head(struct table *table, clpac_error *err)
{
	static const char *const names[] = {[CLPAC_PHASE] = "phase", [CLPAC_AMPLITUDE] = "amplitude"};
	bool is_there;
	char cell[300];
	RETURN_IF_ERROR(next_line(table, &is_there, err));
	const char *line = table->line;
	if (is_there && strncmp(line, "\xef\xbb\xbf", 3) == 0)
		line += 3;
	for (int use = CLPAC_PHASE; use <= CLPAC_AMPLITUDE; use++) {
		size_t column = 0;
		while (is_there && cell_of(line, column, cell, sizeof cell) && strcasecmp(cell, names[use]) != 0)
			column++;
		if (!is_there || !cell_of(line, column, cell, sizeof cell))
			RETURN_ERROR(CLPAC_ERROR_FORMAT,
				     "--pairs %.300s: its first line names no column \"%s\"; a table of pairs has the "
				     "columns "
				     "phase and amplitude, between tabs",
				     table->path, names[use]);
		table->columns[use] = column;
	}
	return CLPAC_OK;
}

static int by_name(const void *a, const void *b)
{
	const named *x = a, *y = b;
	const int order = strcmp(x->name, y->name);
	return order ? order : (x->number > y->number) - (x->number < y->number);
}

static clpac_status sort_names(const clpac_recording *recording, struct table *table, clpac_error *err)
{
	const size_t n = clpac_recording_n_channels(recording);
	RETURN_IF_ERROR(NEW_ARRAY(table->names, n));
	for (size_t i = 0; i < n; i++)
		table->names[i] = (named){clpac_recording_channel(recording, i)->name, i};
	if (n)
		qsort(table->names, n, sizeof *table->names, by_name);
	return CLPAC_OK;
}

/* The first channel of a name; false where there is none. */
static bool find_name(const struct table *table, size_t n, const char *name, size_t *number)
{
	size_t first = 0, end = n;
	while (first < end) {
		const size_t middle = first + (end - first) / 2;
		if (strcmp(table->names[middle].name, name) < 0)
			first = middle + 1;
		else
			end = middle;
	}
	if (first == n || strcmp(table->names[first].name, name) != 0)
		return false;
	*number = table->names[first].number;
	return true;
}

/* The channel that a cell names, or whose number it is. */
static clpac_status find_channel(const clpac_recording *recording, const struct table *table, const char *cell,
				 size_t *number, clpac_error *err)
{
	const size_t n = clpac_recording_n_channels(recording);
	uint64_t value;
	if (find_name(table, n, cell, number))
		return CLPAC_OK;
	if (!clpac__parse_count(cell, &value, NULL) || value >= n) {
		char line[40] = "it";
		if (table->number)
			snprintf(line, sizeof line, "line %zu", table->number);
		return clpac__of_line(err,
				      clpac__fail(err, table->number ? CLPAC_ERROR_FORMAT : CLPAC_ERROR_ARGUMENT,
						  "--pairs %.300s: %s names channel \"%.100s\", which the "
						  "recording does not have; it has %zu, numbered from 0 (0 is %.60s)",
						  table->path, line, cell, n,
						  clpac_recording_channel(recording, 0)->name),
				      table->number);
	}
	*number = (size_t)value;
	return CLPAC_OK;
}

static clpac_status add_pair(struct table *table, const size_t numbers[2], clpac_error *err)
{
	RETURN_IF_ERROR(ROOM_FOR_ONE(table->pairs, table->n, table->n_allocated, 64));
	table->pairs[table->n++] = (clpac_pair){numbers[CLPAC_PHASE], numbers[CLPAC_AMPLITUDE]};
	return CLPAC_OK;
}

static clpac_status read_pairs(const clpac_recording *recording, struct table *table, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	bool is_there;
	char cell[300];
	size_t numbers[2];
	RETURN_IF_ERROR(clpac__regular_file_open(table->path, "--pairs", &table->file, err));
	RETURN_IF_ERROR(sort_names(recording, table, err));
	RETURN_IF_ERROR(read_head(table, err));
	for (;;) {
		RETURN_IF_ERROR(next_line(table, &is_there, err));
		if (!is_there)
			break;
		if (!*table->line)
			continue;
		for (int use = CLPAC_PHASE; use <= CLPAC_AMPLITUDE; use++) {
			if (!cell_of(table->line, table->columns[use], cell, sizeof cell))
				return clpac__of_line(err,
						      clpac__fail(err, CLPAC_ERROR_FORMAT,
								  "--pairs %.300s: line %zu has no column %zu",
								  table->path, table->number, table->columns[use] + 1),
						      table->number);
			RETURN_IF_ERROR(find_channel(recording, table, cell, &numbers[use], err));
		}
		RETURN_IF_ERROR(add_pair(table, numbers, err));
	}
	if (!table->n)
		RETURN_ERROR(CLPAC_ERROR_FORMAT, "--pairs %.300s: the table has no pair below its first line",
			     table->path);
	return st;
}

/* Reads pairs that stand in the option itself: Fp1>Cz,0>2. */
static clpac_status read_list(const clpac_recording *recording, struct table *table, clpac_error *err)
{
	size_t numbers[2];
	RETURN_IF_ERROR(sort_names(recording, table, err));
	for (const char *at = table->path, *next; at; at = next) {
		const size_t length = strcspn(at, ",");
		char phase[300], *amplitude;
		next = at[length] ? at + length + 1 : NULL;
		snprintf(phase, sizeof phase, "%.*s", (int)(length < sizeof phase ? length : sizeof phase - 1), at);
		if (!(amplitude = strchr(phase, '>')))
			RETURN_ERROR(CLPAC_ERROR_ARGUMENT,
				     "--pairs %.300s: \"%.100s\" is no pair; one is PHASE>AMPLITUDE, two channels by "
				     "name or number",
				     table->path, phase);
		*amplitude++ = 0;
		RETURN_IF_ERROR(find_channel(recording, table, phase, &numbers[CLPAC_PHASE], err));
		RETURN_IF_ERROR(find_channel(recording, table, amplitude, &numbers[CLPAC_AMPLITUDE], err));
		RETURN_IF_ERROR(add_pair(table, numbers, err));
	}
	return CLPAC_OK;
}

/* The channels of a table as a list for --channels, by number, each once. */
static clpac_status list_of(const clpac_recording *recording, const struct table *table, char **list, clpac_error *err)
{
	enum { DIGITS = 21 };
	clpac_status st = CLPAC_OK;
	const size_t n = clpac_recording_n_channels(recording);
	size_t length = 0;
	bool *is_in = clpac__alloc_array(n, sizeof *is_in);
	char *made = clpac__alloc_array(n, DIGITS);
	if (!is_in || !made)
		FAIL_NO_MEMORY(n * (DIGITS + sizeof *is_in));
	for (size_t i = 0; i < 2 * table->n; i++) {
		const clpac_pair pair = table->pairs[i / 2];
		const size_t number = i % 2 ? pair.amplitude : pair.phase;
		if (!is_in[number])
			length += (size_t)snprintf(made + length, n * DIGITS - length, "%s%zu", length ? "," : "",
						   number);
		is_in[number] = true;
	}
	*list = made, made = NULL;
done:
	FREE_ALL(made, is_in);
	return st;
}

static clpac_status choose_table(const clpac_recording *recording, const clpac__analysis_settings *settings,
				 clpac__chosen_channels *channels, clpac__pairs *out, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	struct table table = {.path = settings->pairs};
	char *list = NULL;
	size_t *places = NULL;
	TRY((is_list(settings) ? read_list : read_pairs)(recording, &table, err));
	TRY(list_of(recording, &table, &list, err));
	TRY(choose_of(recording, settings, list, "pairs: channel", channels, err));
	TRY(find_places(recording, channels, &places, err));
	for (size_t i = 0; i < 2 * table.n; i++) {
		size_t *number = i % 2 ? &table.pairs[i / 2].amplitude : &table.pairs[i / 2].phase;
		const size_t place = places[*number];
		if (place == channels->n)
			FAIL(CLPAC_ERROR_FORMAT, "--pairs %.300s: pair %zu has channel %zu %.60s, which cannot be used",
			     table.path, i / 2 + 1, *number, clpac_recording_channel(recording, *number)->name);
		*number = place;
	}
	out->each = table.pairs;
	out->n = table.n;
	table.pairs = NULL;
done:
	FREE_ALL(places, list);
	close_table(&table);
	return st;
}

/* --- Both --------------------------------------------------------------------------------------- */

clpac_status clpac__pairs_choose(const clpac_recording *recording, const clpac__analysis_settings *settings,
				 clpac__chosen_channels *channels, clpac__pairs *out, clpac_error *err)
{
	if (!are_given(settings))
		return clpac__channels_choose(recording, settings, channels, err);
	return are_named(settings) ? choose_table(recording, settings, channels, out, err)
				   : choose_lists(recording, settings, channels, out, err);
}

void clpac__pairs_clear(clpac__pairs *pairs)
{
	clpac__free(pairs->each);
	*pairs = (clpac__pairs){0};
}

clpac_status clpac__pairs_copy_name(clpac_result *to, size_t at, const clpac_result *from, size_t channel,
				    clpac_error *err)
{
	const char *phase = clpac_result_pair_channel(from, channel, CLPAC_PHASE);
	const char *amplitude = clpac_result_pair_channel(from, channel, CLPAC_AMPLITUDE);
	if (phase && amplitude)
		return clpac_result_set_pair(to, at, phase, amplitude, err);
	return clpac_result_set_channel_name(to, at, clpac_result_channel_name(from, channel), err);
}

clpac_status clpac__pairs_checksum(const clpac__analysis_settings *settings, char checksum[65], clpac_error *err)
{
	*checksum = 0;
	return are_named(settings) && !is_list(settings) ? clpac_file_checksum(settings->pairs, checksum, err)
							 : CLPAC_OK;
}
