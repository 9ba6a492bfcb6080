/* CSV: one column per channel, separated by comma, semicolon or tab; a first row of names; a column of times, which
 * gives the rate.  Lines that start with # are comments.  A cell without a value is NaN.
 *
 * The file is read twice, so that only the samples are kept in memory: once to count rows and to check their width,
 * once for the values. */
#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "base/cancel.h"
#include "base/ascii.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/number.h"
#include "recording/file_text.h"
#include "recording/read/samples.h"

/* The lines of a source, one at a time and of any length.  The buffer is at most twice as large as the longest line. */

/* Initialised with zeros and the source. */
typedef struct clpac__lines {
	clpac__source *source;
	char *buffer;
	size_t capacity, start, end; /* the buffer's capacity, and the part of it not yet handed out */
	size_t number;
	bool is_at_end;
} clpac__lines;

typedef struct clpac__line {
	/* Without its newline and not NUL-terminated; valid until the next call; NULL after the last line. */
	const char *text;
	size_t length, number; /* number counts from 1 */
} clpac__line;

enum { FIRST_CAPACITY = 1 << 16 };

static clpac_status fill_lines(clpac__lines *lines, clpac_error *err)
{
	if (lines->start > 0) {
		memmove(lines->buffer, lines->buffer + lines->start, lines->end - lines->start);
		lines->end -= lines->start;
		lines->start = 0;
	}
	if (lines->end == lines->capacity) {
		size_t capacity = lines->capacity ? 2 * lines->capacity : FIRST_CAPACITY;
		char *buffer = clpac__realloc_array(lines->buffer, capacity, 1);
		if (!buffer)
			RETURN_ERROR(CLPAC_ERROR_NO_MEMORY, "%s: the host has no memory left for a line of %zu bytes",
				     lines->source->path, capacity);
		lines->buffer = buffer;
		lines->capacity = capacity;
	}
	size_t n = 0;
	RETURN_IF_ERROR(clpac__source_read_upto(lines->source, lines->buffer + lines->end, lines->capacity - lines->end,
						&n, err));
	lines->is_at_end = n == 0;
	lines->end += n;
	return CLPAC_OK;
}

static clpac_status lines_next(clpac__lines *lines, clpac__line *out, clpac_error *err)
{
	size_t looked_at = 0;
	*out = (clpac__line){0};
	for (;;) {
		const char *text = lines->buffer ? lines->buffer + lines->start : NULL;
		size_t length = lines->end - lines->start;
		const char *newline = length > looked_at ? memchr(text + looked_at, '\n', length - looked_at) : NULL;
		if (newline || (lines->is_at_end && length)) {
			size_t n = newline ? (size_t)(newline - text) : length;
			lines->start += newline ? n + 1 : n;
			bool has_mark = ++lines->number == 1 && n >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0;
			*out = (clpac__line){text + 3 * has_mark, n - 3 * has_mark, lines->number};
			break;
		}
		if (lines->is_at_end)
			break;
		looked_at = length;
		RETURN_IF_ERROR(fill_lines(lines, err));
	}
	return CLPAC_OK;
}

/* Returns to the first line. */
static void lines_rewind(clpac__lines *lines)
{
	lines->start = lines->end = lines->number = 0;
	lines->is_at_end = false;
	clpac__source_seek(lines->source, 0);
}

static void lines_free(clpac__lines *lines)
{
	clpac__free(lines->buffer);
	lines->buffer = NULL;
}

typedef struct column {
	char *name;
	double *samples;	/* owned by the recording */
	size_t n_values;	/* cells with a value */
	bool is_time, is_index; /* neither becomes a channel */
} column;

/* The first column of a table, by the rows read so far: it may be an index. */
typedef struct first_column {
	bool has_name; /* that of an index all the same */
	bool counts;   /* 0, 1, 2, ... */
	bool rises;    /* from each row to the next */
	double last, step;
	size_t n_uneven; /* steps that are not the first one */
} first_column;

/* Rows from which on a column that only rises is an index: noise of as many rises once in 16! tables. */
enum { LEAST_RISING = 16 };

typedef struct table {
	const char *path;
	first_column first;
	char separator;
	bool has_names;
	size_t n_columns, n_rows;
	column *columns;
	column *time; /* NULL: there is none */
	double *times;
} table;

static bool is_content(const clpac__line *line)
{
	size_t blanks = 0;
	while (blanks < line->length && strchr(" \t\r", line->text[blanks]) && line->text[blanks])
		blanks++;
	return blanks < line->length && line->text[blanks] != '#';
}

/* The cell at *at without its quotes; moves *at behind its separator.  False after the last cell. */
static bool next_cell(const char **at, const char *end, char separator, const char **cell, size_t *length)
{
	if (*at > end)
		return false;
	const char *start = *at, *stop = *at;
	bool is_quoted = false;
	for (; stop < end && (is_quoted || *stop != separator); stop++)
		is_quoted ^= *stop == '"';
	*at = stop + 1;
	while (start < stop && *start == ' ')
		start++;
	while (stop > start && (stop[-1] == ' ' || stop[-1] == '\r'))
		stop--;
	if (stop - start >= 2 && *start == '"' && stop[-1] == '"') {
		start++;
		stop--;
	}
	*cell = start;
	*length = (size_t)(stop - start);
	return true;
}

static size_t count_cells(const clpac__line *line, char separator)
{
	const char *at = line->text, *cell;
	size_t n = 0, length;
	while (next_cell(&at, line->text + line->length, separator, &cell, &length))
		n++;
	return n;
}

/* Semicolons and tabs decide first: a comma may be part of a name. */
static char find_separator(const clpac__line *line)
{
	static const char separators[] = ";\t";
	for (const char *s = separators; *s; s++)
		if (count_cells(line, *s) > 1)
			return *s;
	return ',';
}

static bool is_time_name(const char *name)
{
	static const char *const names[] = {"time", "t", "seconds", "time_s", "time (s)", "time [s]"};
	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		if (clpac__same_word(name, names[i]))
			return true;
	return false;
}

/* Whether the first row is ",0,1,2,...": the names that pandas gives columns without names, behind that of its index.
 */
static bool is_numbered_header(const table *t, const clpac__line *line)
{
	const char *at = line->text, *end = line->text + line->length, *cell;
	size_t length;
	double value;
	for (size_t i = 0; i < t->n_columns && next_cell(&at, end, t->separator, &cell, &length); i++)
		if (i ? !clpac__parse_field(cell, length, &value) || value != (double)(i - 1) : length > 0)
			return false;
	return t->n_columns > 1;
}

/* The names of the index in tables of pandas: none, and the one that reading and writing such a table once more gives
 * it. */
static bool is_index_name(const char *name, size_t length)
{
	static const char again[] = "Unnamed: 0";
	return length == 0 || (length == strlen(again) && memcmp(name, again, length) == 0);
}

/* Examines the first row: separator, columns, and names, where a cell is neither a number nor empty. */
static clpac_status begin_table(table *t, const clpac__line *line, uint64_t file_bytes, clpac_error *err)
{
	const char *at = line->text, *end = line->text + line->length, *cell;
	size_t length;
	double value;
	t->separator = find_separator(line);
	t->n_columns = count_cells(line, t->separator);
	/* A row has a byte for each column or more. */
	RETURN_IF_ERROR(clpac__channels_check(t->path, t->n_columns, (size_t)((file_bytes + 1) / t->n_columns), err));
	t->columns = clpac__alloc_array(t->n_columns, sizeof *t->columns);
	if (!t->columns)
		RETURN_ERROR(CLPAC_ERROR_NO_MEMORY, "%s: the host has no memory left for %zu columns", t->path,
			     t->n_columns);
	while (next_cell(&at, end, t->separator, &cell, &length))
		t->has_names |= length > 0 && !clpac__parse_field(cell, length, &value);

	t->has_names |= is_numbered_header(t, line);

	at = line->text;
	for (size_t i = 0; i < t->n_columns && next_cell(&at, end, t->separator, &cell, &length); i++) {
		char number[24];
		int n = snprintf(number, sizeof number, "%zu", i);
		bool is_named = t->has_names && length > 0;
		t->columns[i].name = clpac__utf8(is_named ? cell : number, is_named ? length : (size_t)n, NULL);
		if (!t->columns[i].name)
			RETURN_ERROR(CLPAC_ERROR_NO_MEMORY, "%s: the host has no memory left for a name of %zu bytes",
				     t->path, length);
		if (!t->time && is_named && is_time_name(t->columns[i].name)) {
			t->time = &t->columns[i];
			t->time->is_time = true;
		}
		/* pandas writes the numbers of rows as a first column without a name, unless told not to. */
		t->columns[i].is_index = i == 0 && t->n_columns > 1 && t->has_names && is_index_name(cell, length);
		if (i == 0)
			t->first = (first_column){.has_name = length > 0, .counts = true, .rises = true};
	}
	t->n_rows = t->has_names ? 0 : 1;
	return CLPAC_OK;
}

/* Looks at the first number of a row: an index counts the rows, or rises with them, as times do and the numbers of rows
 * of which some were taken out. */
static void follow_index(table *t, const clpac__line *line)
{
	const char *at = line->text, *cell;
	size_t length;
	double value;
	first_column *first = &t->first;
	if (!t->columns[0].is_index || (!first->counts && !first->rises))
		return;
	if (!next_cell(&at, line->text + line->length, t->separator, &cell, &length) ||
	    !clpac__parse_field(cell, length, &value))
		value = NAN;
	const double step = value - first->last;
	first->counts = first->counts && value == (double)t->n_rows;
	if (t->n_rows) {
		first->rises = first->rises && step > 0;
		if (t->n_rows == 1)
			first->step = step;
		first->n_uneven += fabs(step - first->step) > 0.5 * first->step;
	}
	first->last = value;
}

static void decide_index(table *t)
{
	const first_column *first = &t->first;
	t->columns[0].is_index = t->columns[0].is_index &&
				 (first->counts || (first->rises && t->n_rows >= LEAST_RISING)) &&
				 !(t->time && t->n_columns == 2);
}

static clpac_status warn_of_index(const table *t, clpac_recording *recording, clpac_error *err)
{
	const size_t n_uneven = t->first.n_uneven;
	const char *name = t->first.has_name ? "\"Unnamed: 0\"" : "without a name";
	if (t->first.counts) {
		return clpac_recording_warn(
			recording, err,
			"the first column, %s, numbers the rows (pandas writes such an index): it is no channel", name);
	}
	RETURN_IF_ERROR(clpac_recording_warn(
		recording, err,
		"the first column, %s, rises from row to row, as an index of pandas or times do: it "
		"is no channel; times in seconds give the rate where it is called time",
		name));
	if (n_uneven)
		RETURN_IF_ERROR(clpac_recording_warn(
			recording, err,
			"that column has %zu step%s from its first, of %g: rows may be missing "
			"there, and the samples are taken as if none were",
			n_uneven, n_uneven == 1 ? " that differs" : "s that differ", t->first.step));
	return CLPAC_OK;
}

static clpac_status count(table *t, clpac__lines *lines, clpac_error *err)
{
	clpac__line line;
	for (;;) {
		RETURN_IF_ERROR(lines_next(lines, &line, err));
		if (!line.text)
			break;
		if (!is_content(&line))
			continue;
		if (!t->columns) {
			RETURN_IF_ERROR(begin_table(t, &line, lines->source->bytes, err));
			continue;
		}
		size_t n = count_cells(&line, t->separator);
		if (n != t->n_columns)
			return clpac__of_line(err,
					      clpac__fail(err, CLPAC_ERROR_FORMAT,
							  "%s: line %zu has %zu columns, the first row %zu: rows must "
							  "be equally wide",
							  t->path, line.number, n, t->n_columns),
					      line.number);
		follow_index(t, &line);
		t->n_rows++;
	}
	if (t->n_rows == 0)
		RETURN_ERROR(CLPAC_ERROR_FORMAT, "%s holds no row of samples", t->path);
	RETURN_IF_ERROR(clpac__channels_check(t->path, t->n_columns, t->n_rows, err));
	decide_index(t);
	if (t->time && t->n_columns == 1)
		RETURN_ERROR(CLPAC_ERROR_FORMAT, "%s holds a column of times (\"%.40s\") and nothing else", t->path,
			     t->time->name);
	return CLPAC_OK;
}

static clpac_status fill_row(table *t, const clpac__line *line, size_t row, clpac_recording *recording,
			     clpac_error *err)
{
	const char *at = line->text, *cell;
	char shown[CLPAC__SHOWN_SIZE];
	size_t length;
	for (size_t i = 0; i < t->n_columns; i++) {
		double value = NAN;
		if (!next_cell(&at, line->text + line->length, t->separator, &cell, &length))
			RETURN_ERROR(CLPAC_ERROR_IO, "%s changed while it was read: line %zu lost a column", t->path,
				     line->number);
		if (length > 0) {
			if (!clpac__parse_field(cell, length, &value)) {
				clpac__show(cell, length, shown);
				clpac__fail(
					err, CLPAC_ERROR_FORMAT,
					"%s: line %zu, column %zu: \"%s\" is not a number: columns are separated by "
					"comma, semicolon or tab, decimals by a point",
					t->path, line->number, i + 1, shown);
				return clpac__of_line(err, CLPAC_ERROR_FORMAT, line->number);
			}
			t->columns[i].n_values++;
		} else if (!t->columns[i].is_time) {
			RETURN_IF_ERROR(clpac_recording_warn(recording, err, "a cell without a value is read as NaN"));
		}
		if (!t->columns[i].is_index)
			t->columns[i].samples[row] = value;
	}
	return CLPAC_OK;
}

static clpac_status fill(table *t, clpac__lines *lines, clpac_recording *recording, clpac_error *err)
{
	clpac__line line;
	size_t row = 0;
	bool is_name_row = t->has_names;
	for (;;) {
		RETURN_IF_ERROR(lines_next(lines, &line, err));
		if (!line.text)
			break;
		if (!is_content(&line))
			continue;
		if (is_name_row) {
			is_name_row = false;
			continue;
		}
		if (row == t->n_rows)
			break;
		RETURN_IF_ERROR(fill_row(t, &line, row++, recording, err));
	}
	if (row != t->n_rows)
		RETURN_ERROR(CLPAC_ERROR_IO, "%s changed while it was read: it had %zu rows and now has %zu", t->path,
			     t->n_rows, row);
	return CLPAC_OK;
}

/* The rate that a column of times gives; rounded to whole hertz where that is within the 10 parts in a million that
 * decimals lose.  0 for fewer than two rows. */
static clpac_status rate_of_times(const table *t, clpac_recording *recording, double *rate_hz, clpac_error *err)
{
	size_t n = t->n_rows, n_uneven = 0, first_uneven = 0;
	*rate_hz = 0;
	if (n < 2)
		return CLPAC_OK;
	double step = (t->times[n - 1] - t->times[0]) / (double)(n - 1);
	for (size_t i = 1; i < n; i++) {
		RETURN_IF_ERROR(clpac__cancel_check_at(i, err));
		double this_step = t->times[i] - t->times[i - 1];
		if (!(this_step > 0) || !isfinite(this_step))
			RETURN_ERROR(CLPAC_ERROR_FORMAT,
				     "%s: the time in row %zu of samples is %g after %g: times must rise (or name the "
				     "column "
				     "otherwise and give the rate)",
				     t->path, i + 1, t->times[i], t->times[i - 1]);
		if (fabs(this_step - step) > 0.5 * step && n_uneven++ == 0)
			first_uneven = i;
	}
	double rate = 1 / step, whole = round(rate);
	if (!isfinite(rate) || rate <= 0)
		RETURN_ERROR(CLPAC_ERROR_FORMAT, "%s: times from %g to %g in %zu rows give no sampling rate", t->path,
			     t->times[0], t->times[n - 1], n);
	*rate_hz = whole > 0 && fabs(rate - whole) < 1e-5 * rate ? whole : rate;
	if (n_uneven)
		RETURN_IF_ERROR(clpac_recording_warn(
			recording, err,
			"times are uneven: %zu steps are not within half of the mean one of %g s, the "
			"first before row %zu (%g s); the samples are taken as evenly spaced",
			n_uneven, step, first_uneven + 1, t->times[first_uneven] - t->times[first_uneven - 1]));
	return CLPAC_OK;
}

static clpac_status add_channels(table *t, clpac_recording *recording, clpac_error *err)
{
	for (size_t i = 0; i < t->n_columns; i++) {
		void *samples;
		if (t->columns[i].is_time) {
			t->columns[i].samples = t->times;
			continue;
		}
		if (t->columns[i].is_index) {
			RETURN_IF_ERROR(warn_of_index(t, recording, err));
			continue;
		}
		RETURN_IF_ERROR(clpac_recording_add_channel(recording, t->columns[i].name, "", 0, t->n_rows,
							    CLPAC_FLOAT64, &samples, err));
		t->columns[i].samples = samples;
	}
	return CLPAC_OK;
}

static clpac_status disable_empty(const table *t, clpac_recording *recording, clpac_error *err)
{
	size_t channel = 0;
	for (size_t i = 0; i < t->n_columns; i++) {
		if (t->columns[i].is_time || t->columns[i].is_index)
			continue;
		if (t->columns[i].n_values == 0)
			RETURN_IF_ERROR(
				clpac_recording_disable_channel(recording, channel, "the column holds no value", err));
		channel++;
	}
	return CLPAC_OK;
}

clpac_status clpac__read_csv(clpac__source *source, const clpac_read_options *options, clpac_recording **out,
			     clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	clpac_recording *made = NULL;
	clpac__lines lines = {.source = source};
	table t = {.path = source->path};
	double rate_hz = 0;
	(void)options;
	TRY(count(&t, &lines, err));
	if (t.time && !(t.times = clpac__alloc_array(t.n_rows, sizeof *t.times)))
		FAIL(CLPAC_ERROR_NO_MEMORY, "%s: the host has no memory left for %zu times", t.path, t.n_rows);
	TRY(clpac_recording_create("CSV", &made, err));
	TRY(add_channels(&t, made, err));
	lines_rewind(&lines);
	TRY(fill(&t, &lines, made, err));
	TRY(disable_empty(&t, made, err));
	if (t.time)
		TRY(rate_of_times(&t, made, &rate_hz, err));
	if (rate_hz > 0)
		TRY(clpac_recording_set_rate(made, rate_hz, err));
	if (t.n_columns > t.n_rows)
		TRY(clpac_recording_warn(made, err,
					 "the table is read as %zu channels of %zu samples: if its rows are channels, "
					 "transpose it",
					 clpac_recording_n_channels(made), t.n_rows));
	*out = made, made = NULL;
done:
	clpac_recording_destroy(made);
	lines_free(&lines);
	for (size_t i = 0; t.columns && i < t.n_columns; i++)
		clpac__free(t.columns[i].name);
	FREE_ALL(t.columns, t.times);
	return st;
}
