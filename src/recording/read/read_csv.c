/* CSV: one column per channel, separated by comma, semicolon, tab or blanks; a first row of names; columns of times,
 * which give the rate, of counters and of labels (csv.h).  Lines that start with # or % are comments.  A cell without a
 * value is NaN.
 *
 * The file is read twice, so that only the samples are kept in memory: once to count rows, to check their width and to
 * tell channels from the rest, once for the values. */
#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "base/cancel.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/number.h"
#include "recording/file_text.h"
#include "recording/read/csv.h"
#include "recording/read/samples.h"

/* The lines of a source, one at a time and of any length.  The buffer is at most twice as large as the longest line. */

/* Initialised with zeros and the source. */
typedef struct clpac__lines {
	clpac__source *source;
	char *buffer;
	size_t capacity, start, end; /* the buffer's capacity, and the part of it not yet handed out */
	size_t number;
	bool is_at_end;
	char newline; /* 0 until the first bytes are read */
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
	RETURN_IF_ERROR(clpac__source_check_text(lines->source, lines->buffer + lines->end, n, err));
	/* Lines of old programs of the Macintosh end with a return alone. */
	if (!lines->newline)
		lines->newline = !memchr(lines->buffer, '\n', n) && memchr(lines->buffer, '\r', n) ? '\r' : '\n';
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
		const char *newline =
			length > looked_at ? memchr(text + looked_at, lines->newline, length - looked_at) : NULL;
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

/* Rows that follow each other with one label. */
struct label {
	char *text; /* owned */
	size_t column, first, n;
};

typedef struct table {
	const char *path;
	char separator; /* 0 until the first row is read */
	bool has_names, has_comma, is_numbered;
	size_t n_columns, n_rows;
	clpac__csv_column *columns;
	clpac__csv_column *time; /* NULL: there is none */
	double *times;
	struct label *labels;
	size_t n_labels, most_labels;
	size_t text_line, text_column; /* of the first cell that is no number; 0: there is none */
	char text[CLPAC__SHOWN_SIZE];
} table;

static bool is_content(const clpac__line *line)
{
	/* Excel's words for no value begin as comments do. */
	static const char *const values[] = {"#N/A", "#NUM!", "#DIV/0!", "#VALUE!"};
	size_t blanks = 0;
	while (blanks < line->length && strchr(" \t\r", line->text[blanks]) && line->text[blanks])
		blanks++;
	if (blanks == line->length || line->text[blanks] == '%')
		return false;
	for (size_t i = 0; line->text[blanks] == '#' && i < sizeof values / sizeof *values; i++)
		if (line->length - blanks >= strlen(values[i]) &&
		    memcmp(line->text + blanks, values[i], strlen(values[i])) == 0)
			return true;
	return line->text[blanks] != '#';
}

/* The end of a line without the blanks, and the return, that stand there. */
static const char *end_of(const clpac__line *line)
{
	const char *end = line->text + line->length;
	while (end > line->text && strchr(" \r", end[-1]) && end[-1])
		end--;
	return end;
}

/* The cell at *at without its quotes; moves *at behind its separator.  False after the last cell. */
static bool next_cell(const char **at, const char *end, char separator, const char **cell, size_t *length)
{
	if (*at > end)
		return false;
	const char *start = *at, *stop;
	bool is_quoted = false;
	while (separator == ' ' && start < end && (*start == ' ' || *start == '\t'))
		start++;
	if (separator == ' ' && start == end)
		return false;
	stop = start;
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

static const char *end_of_row(const table *t, const clpac__line *line)
{
	return t->separator == ' ' ? end_of(line) : line->text + line->length;
}

static size_t count_cells(const clpac__line *line, char separator)
{
	const char *at = line->text, *cell;
	size_t n = 0, length;
	while (next_cell(&at, separator == ' ' ? end_of(line) : line->text + line->length, separator, &cell, &length))
		n++;
	return n;
}

/* Whether the row is numbers between blanks, as MATLAB and numpy write them. */
static bool has_blanks(const clpac__line *line)
{
	const char *at = line->text, *cell;
	size_t n = 0, length;
	double value;
	bool has_comma;
	for (; next_cell(&at, end_of(line), ' ', &cell, &length); n++)
		if (clpac__csv_cell(cell, length, ' ', &value, &has_comma) != CLPAC__CELL_NUMBER)
			return false;
	return n > 1;
}

/* Semicolons and tabs decide first: a comma may be part of a name. */
static char find_separator(const clpac__line *line)
{
	static const char separators[] = ";\t,";
	for (const char *s = separators; *s; s++)
		if (count_cells(line, *s) > 1 && !(*s == ',' && has_blanks(line)))
			return *s;
	return has_blanks(line) ? ' ' : ',';
}

/* Whether the row is "0,1,2,...", behind `first` that is not: the names that pandas gives columns without names. */
static bool is_numbered(const table *t, const clpac__line *line, size_t first)
{
	const char *at = line->text, *end = end_of_row(t, line), *cell;
	size_t length;
	double value;
	for (size_t i = 0; i < t->n_columns && next_cell(&at, end, t->separator, &cell, &length); i++)
		if (i < first ? length > 0 : !clpac__parse_field(cell, length, &value) || value != (double)(i - first))
			return false;
	return t->n_columns > first;
}

static void follow_row(table *t, const clpac__line *line)
{
	const char *at = line->text, *end = end_of_row(t, line), *cell;
	size_t length;
	for (size_t i = 0; i < t->n_columns && next_cell(&at, end, t->separator, &cell, &length); i++) {
		const size_t n_texts = t->columns[i].n_texts;
		clpac__csv_follow(&t->columns[i], t->n_rows, cell, length, t->separator, &t->has_comma);
		if (t->columns[i].n_texts > n_texts && !t->text_line) {
			t->text_line = line->number;
			t->text_column = i + 1;
			clpac__show(cell, length, t->text);
		}
	}
	t->n_rows++;
}

static clpac_status name_column(table *t, size_t i, const char *cell, size_t length, clpac_error *err)
{
	static const char again[] = "Unnamed: 0"; /* what pandas calls an index that it reads and writes once more */
	char number[24];
	const int n = snprintf(number, sizeof number, "%zu", i);
	const bool is_named = t->has_names && length > 0;
	clpac__csv_column *column = &t->columns[i];
	column->name = clpac__utf8(is_named ? cell : number, is_named ? length : (size_t)n, NULL);
	if (!column->name)
		RETURN_ERROR(CLPAC_ERROR_NO_MEMORY, "%s: the host has no memory left for a name of %zu bytes", t->path,
			     length);
	column->is_index_name = i == 0 && t->n_columns > 1 && t->has_names &&
				(!is_named || (length == strlen(again) && memcmp(cell, again, length) == 0));
	if (is_named)
		clpac__csv_take_name(column);
	return CLPAC_OK;
}

/* Examines the first row: separator, columns, and names, where a cell is neither a number nor missing. */
static clpac_status begin_table(table *t, const clpac__line *line, uint64_t file_bytes, clpac_error *err)
{
	const char *at = line->text, *cell;
	size_t length;
	double value;
	if (!t->separator)
		t->separator = find_separator(line);
	const char *end = end_of_row(t, line);
	t->n_columns = count_cells(line, t->separator);
	/* A row has a byte for each column or more. */
	RETURN_IF_ERROR(clpac__channels_check(t->path, t->n_columns, (size_t)((file_bytes + 1) / t->n_columns), err));
	t->columns = clpac__alloc_array(t->n_columns, sizeof *t->columns);
	if (!t->columns)
		RETURN_ERROR(CLPAC_ERROR_NO_MEMORY, "%s: the host has no memory left for %zu columns", t->path,
			     t->n_columns);
	while (next_cell(&at, end, t->separator, &cell, &length))
		t->has_names |= length > 0 &&
				clpac__csv_cell(cell, length, t->separator, &value, &t->has_comma) == CLPAC__CELL_TEXT;

	t->has_names |= is_numbered(t, line, 1);
	t->is_numbered = !t->has_names && t->n_columns > 2 && is_numbered(t, line, 0);

	at = line->text;
	for (size_t i = 0; i < t->n_columns && next_cell(&at, end, t->separator, &cell, &length); i++)
		RETURN_IF_ERROR(name_column(t, i, cell, length, err));
	if (!t->has_names)
		follow_row(t, line);
	return CLPAC_OK;
}

static void forget_columns(table *t)
{
	for (size_t i = 0; t->columns && i < t->n_columns; i++)
		clpac__free(t->columns[i].name);
	clpac__free(t->columns);
	t->columns = NULL;
	t->has_names = t->has_comma = t->is_numbered = false;
	t->n_rows = t->text_line = 0;
}

/* A second row whose numbers are not whole makes a first of 0, 1, 2, ... the names of its columns. */
static void decide_numbered(table *t, const clpac__line *line)
{
	const char *at = line->text, *end = end_of_row(t, line), *cell;
	size_t length;
	double value;
	bool is_fraction = false, has_comma;
	while (next_cell(&at, end, t->separator, &cell, &length))
		is_fraction |= clpac__csv_cell(cell, length, t->separator, &value, &has_comma) == CLPAC__CELL_NUMBER &&
			       value != floor(value);
	if (!is_fraction) {
		t->is_numbered = false;
		return;
	}
	for (size_t i = 0; i < t->n_columns; i++)
		t->columns[i] = (clpac__csv_column){.name = t->columns[i].name};
	t->has_names = true;
	t->n_rows = 0;
}

static clpac_status warn_of_index(const clpac__csv_column *column, bool is_row_number, clpac_recording *recording,
				  clpac_error *err)
{
	const char *name = strcmp(column->name, "0") == 0 ? "without a name" : "\"Unnamed: 0\"";
	if (is_row_number)
		return clpac_recording_warn(
			recording, err,
			"the first column, %s, numbers the rows (pandas writes such an index): it is no channel", name);
	return clpac_recording_warn(
		recording, err,
		"the first column, %s, rises from row to row, as an index of pandas or times do: it "
		"is no channel; times in seconds give the rate where it is called time",
		name);
}

/* Says why a column is no channel. */
static clpac_status warn_of_counter(const table *t, const clpac__csv_column *column, clpac_recording *recording,
				    clpac_error *err)
{
	const double mean = (column->last - column->first) / (double)(column->n_numbers - 1);
	const bool is_even = !column->n_falls && !column->n_repeats && !column->n_uneven;
	char name[CLPAC__SHOWN_SIZE], rate[64] = "";
	clpac__show(column->name, strlen(column->name), name);
	if (column->n_clocks)
		return clpac_recording_warn(recording, err, "column \"%s\" holds times of day%s: it is no channel%s",
					    name, column->n_repeats ? ", several rows of one time" : "",
					    t->time ? "" : ", and gives no rate");
	if (column->n_falls)
		return clpac_recording_warn(recording, err,
					    "column \"%s\" counts from row to row, again and again: it is no channel",
					    name);
	if (column->is_index_name)
		RETURN_IF_ERROR(warn_of_index(column, false, recording, err));
	else {
		if (is_even && !t->time && mean > 0 && (mean < 1 || column->unit_s > 0))
			snprintf(rate, sizeof rate, "; of %sseconds the rate would be %.6g Hz", mean < 1 ? "" : "milli",
				 (mean < 1 ? 1 : 1000) / mean);
		RETURN_IF_ERROR(clpac_recording_warn(
			recording, err,
			"column \"%s\" rises from row to row, as times and counters do: it is no channel%s", name,
			rate));
	}
	if (column->n_uneven && !column->n_repeats)
		return clpac_recording_warn(recording, err,
					    "that column has %zu step%s from its first, of %g: rows may be missing "
					    "there, and the samples are taken as if none were",
					    column->n_uneven, column->n_uneven == 1 ? " that differs" : "s that differ",
					    column->step);
	return CLPAC_OK;
}

/* Labels that change in each row or never are no events. */
static bool has_events(const table *t, const clpac__csv_column *column)
{
	return 2 * column->n_changes <= t->n_rows && !(column->n_changes == 1 && column->n_texts == t->n_rows);
}

static clpac_status fail_of_text(const table *t, size_t line, size_t column, const char *text, clpac_error *err)
{
	clpac__fail(
		err, CLPAC_ERROR_FORMAT,
		"%s: line %zu, column %zu: \"%s\" is not a number: columns are separated by comma, semicolon, tab or "
		"blanks, decimals by a point",
		t->path, line, column, text);
	return clpac__of_line(err, CLPAC_ERROR_FORMAT, line);
}

static clpac_status decide(table *t, clpac_recording *recording, clpac_error *err)
{
	size_t n_channels = 0, n_words = 0;
	if (clpac__csv_decide(t->columns, t->n_columns) && t->n_rows >= CLPAC__CSV_LEAST_RISING)
		RETURN_IF_ERROR(
			clpac_recording_warn(recording, err,
					     "every column rises from row to row, as times and counters do: what "
					     "could be a channel is taken as one"));
	for (size_t i = 0; i < t->n_columns; i++) {
		n_channels += t->columns[i].role == CLPAC__CSV_CHANNEL;
		n_words += t->columns[i].role == CLPAC__CSV_LABELS;
		if (t->columns[i].role == CLPAC__CSV_TIME)
			t->time = &t->columns[i];
	}
	if (!n_channels && t->time)
		RETURN_ERROR(CLPAC_ERROR_FORMAT, "%s holds a column of times (\"%.40s\") and nothing else", t->path,
			     t->time->name);
	if (!n_channels && !t->text_line)
		RETURN_ERROR(CLPAC_ERROR_FORMAT, "%s holds no column of samples", t->path);
	/* More words than numbers, and no times: a table of something else. */
	if (!n_channels || (n_words > n_channels && !t->time))
		return fail_of_text(t, t->text_line, t->text_column, t->text, err);
	return CLPAC_OK;
}

static clpac_status count(table *t, clpac__lines *lines, clpac_error *err)
{
	clpac__line line;
	bool is_second = false;
	for (;;) {
		RETURN_IF_ERROR(lines_next(lines, &line, err));
		if (!line.text)
			break;
		if (!is_content(&line))
			continue;
		if (!t->columns) {
			RETURN_IF_ERROR(begin_table(t, &line, lines->source->bytes, err));
			is_second = true;
			continue;
		}
		/* Names between blanks, which the numbers below tell. */
		if (is_second && t->has_names && t->n_columns == 1 && t->separator == ',' && has_blanks(&line)) {
			forget_columns(t);
			t->separator = ' ';
			lines_rewind(lines);
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
		if (is_second && t->is_numbered)
			decide_numbered(t, &line);
		is_second = false;
		follow_row(t, &line);
	}
	if (t->n_rows == 0)
		RETURN_ERROR(CLPAC_ERROR_FORMAT, "%s holds no row of samples", t->path);
	return clpac__channels_check(t->path, t->n_columns, t->n_rows, err);
}

static clpac_status add_label(table *t, size_t column, size_t row, const char *cell, size_t length, clpac_error *err)
{
	struct label *last = t->columns[column].n_values ? &t->labels[t->columns[column].n_values - 1] : NULL;
	char *text = clpac__utf8(cell, length, NULL);
	if (!text)
		RETURN_NO_MEMORY(length + 1);
	if (last && last->first + last->n == row && strcmp(last->text, text) == 0) {
		last->n++;
		clpac__free(text);
		return CLPAC_OK;
	}
	const clpac_status st = ROOM_FOR_ONE(t->labels, t->n_labels, t->most_labels, 16);
	if (st != CLPAC_OK) {
		clpac__free(text);
		return st;
	}
	t->labels[t->n_labels++] = (struct label){text, column, row, 1};
	t->columns[column].n_values = t->n_labels;
	return CLPAC_OK;
}

/* Takes the cell of a channel, of times or of labels. */
static clpac_status fill_cell(table *t, const clpac__line *line, size_t row, size_t i, const char *cell, size_t length,
			      clpac_recording *recording, clpac_error *err)
{
	clpac__csv_column *column = &t->columns[i];
	char shown[CLPAC__SHOWN_SIZE];
	double value;
	bool has_comma;
	if (column->role == CLPAC__CSV_TIME) {
		t->times[row] = clpac__csv_time(column, cell, length, t->separator);
		return CLPAC_OK;
	}
	if (column->role == CLPAC__CSV_LABELS && !has_events(t, column))
		return CLPAC_OK;
	const clpac__cell_kind kind = clpac__csv_cell(cell, length, t->separator, &value, &has_comma);
	if (column->role == CLPAC__CSV_LABELS)
		return kind == CLPAC__CELL_TEXT ? add_label(t, i, row, cell, length, err) : CLPAC_OK;
	if (kind == CLPAC__CELL_TEXT || kind == CLPAC__CELL_CLOCK) {
		clpac__show(cell, length, shown);
		return fail_of_text(t, line->number, i + 1, shown, err);
	}
	if (kind == CLPAC__CELL_MISSING)
		RETURN_IF_ERROR(clpac_recording_warn(recording, err, "a cell without a value is read as NaN"));
	column->n_values += kind == CLPAC__CELL_NUMBER;
	column->samples[row] = value;
	return CLPAC_OK;
}

static clpac_status fill_row(table *t, const clpac__line *line, size_t row, clpac_recording *recording,
			     clpac_error *err)
{
	const char *at = line->text, *end = end_of_row(t, line), *cell;
	size_t length;
	for (size_t i = 0; i < t->n_columns; i++) {
		if (!next_cell(&at, end, t->separator, &cell, &length))
			RETURN_ERROR(CLPAC_ERROR_IO, "%s changed while it was read: line %zu lost a column", t->path,
				     line->number);
		if (t->columns[i].role != CLPAC__CSV_INDEX && t->columns[i].role != CLPAC__CSV_COUNTER)
			RETURN_IF_ERROR(fill_cell(t, line, row, i, cell, length, recording, err));
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

/* The rate of a table: the one that was given, or that of its times. */
static clpac_status settle_rate(const table *t, double given_hz, clpac_recording *recording, double *rate_hz,
				clpac_error *err)
{
	clpac_error why = {0};
	*rate_hz = 0;
	if (t->time) {
		const clpac_status st = rate_of_times(t, recording, rate_hz, &why);
		if (st != CLPAC_OK && (st != CLPAC_ERROR_FORMAT || !(given_hz > 0)))
			return clpac__fail_as(err, &why);
		if (st != CLPAC_OK)
			RETURN_IF_ERROR(clpac_recording_warn(
				recording, err, "%s: the rate that was given, %g Hz, is taken", why.text, given_hz));
		else if (given_hz > 0 && fabs(*rate_hz - given_hz) > CLPAC__SAME_RATE * given_hz)
			RETURN_IF_ERROR(clpac_recording_warn(
				recording, err, "the times give %.9g Hz: the rate that was given, %g Hz, is taken",
				*rate_hz, given_hz));
		else if (!(given_hz > 0) && !t->time->has_unit && !t->time->n_clocks && *rate_hz > 0 && *rate_hz <= 1)
			RETURN_IF_ERROR(clpac_recording_warn(recording, err,
							     "the times rise by %g from row to row, which is taken as "
							     "seconds: of milliseconds, name "
							     "the column \"time (ms)\", or give the rate, %g Hz",
							     1 / *rate_hz, 1000 * *rate_hz));
	}
	if (given_hz > 0)
		*rate_hz = given_hz;
	return CLPAC_OK;
}

static clpac_status add_channels(table *t, clpac_recording *recording, clpac_error *err)
{
	if (t->is_numbered && t->has_names)
		RETURN_IF_ERROR(clpac_recording_warn(recording, err,
						     "the first row, 0, 1, 2, ..., names the columns, as pandas writes "
						     "names that it does not have"));
	if (t->has_comma)
		RETURN_IF_ERROR(clpac_recording_warn(recording, err, "decimal commas are read as points"));
	for (size_t i = 0; i < t->n_columns; i++) {
		clpac__csv_column *column = &t->columns[i];
		void *samples;
		if (column->role == CLPAC__CSV_INDEX)
			RETURN_IF_ERROR(warn_of_index(column, true, recording, err));
		if (column->role == CLPAC__CSV_COUNTER)
			RETURN_IF_ERROR(warn_of_counter(t, column, recording, err));
		if (column->role != CLPAC__CSV_CHANNEL)
			continue;
		RETURN_IF_ERROR(clpac_recording_add_channel(recording, column->name, "", 0, t->n_rows, CLPAC_FLOAT64,
							    &samples, err));
		column->samples = samples;
	}
	return CLPAC_OK;
}

/* Labels become annotations, which last as long as rows repeat them. */
static clpac_status add_events(const table *t, double rate_hz, clpac_recording *recording, clpac_error *err)
{
	for (size_t i = 0; i < t->n_columns; i++) {
		const clpac__csv_column *column = &t->columns[i];
		const bool are_events = column->role == CLPAC__CSV_LABELS && has_events(t, column) && rate_hz > 0;
		char name[CLPAC__SHOWN_SIZE];
		clpac__show(column->name, strlen(column->name), name);
		if (column->role == CLPAC__CSV_LABELS)
			RETURN_IF_ERROR(clpac_recording_warn(
				recording, err,
				are_events ? "column \"%s\" holds words: they are read as annotations"
				: rate_hz > 0
					? "column \"%s\" holds words that never change, or in most rows: it is left out"
					: "column \"%s\" holds words, whose times are unknown without a sampling rate: "
					  "it "
					  "is left out",
				name));
	}
	for (size_t i = 0; i < t->n_labels && rate_hz > 0; i++) {
		const struct label *label = &t->labels[i];
		RETURN_IF_ERROR(clpac_recording_add_annotation(recording, (double)label->first / rate_hz,
							       label->n > 1 ? (double)label->n / rate_hz : 0,
							       label->text, err));
	}
	return CLPAC_OK;
}

static clpac_status disable_empty(const table *t, clpac_recording *recording, clpac_error *err)
{
	size_t channel = 0;
	for (size_t i = 0; i < t->n_columns; i++) {
		if (t->columns[i].role != CLPAC__CSV_CHANNEL)
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
	TRY(count(&t, &lines, err));
	TRY(clpac_recording_create("CSV", &made, err));
	TRY(decide(&t, made, err));
	if (t.time && !(t.times = clpac__alloc_array(t.n_rows, sizeof *t.times)))
		FAIL(CLPAC_ERROR_NO_MEMORY, "%s: the host has no memory left for %zu times", t.path, t.n_rows);
	TRY(add_channels(&t, made, err));
	lines_rewind(&lines);
	TRY(fill(&t, &lines, made, err));
	TRY(disable_empty(&t, made, err));
	TRY(settle_rate(&t, options->rate_hz, made, &rate_hz, err));
	if (rate_hz > 0)
		TRY(clpac_recording_set_rate(made, rate_hz, err));
	TRY(add_events(&t, rate_hz, made, err));
	if (t.n_columns > t.n_rows)
		TRY(clpac_recording_warn(made, err,
					 "the table is read as %zu channels of %zu samples: if its rows are channels, "
					 "transpose it",
					 clpac_recording_n_channels(made), t.n_rows));
	*out = made, made = NULL;
done:
	clpac_recording_destroy(made);
	lines_free(&lines);
	for (size_t i = 0; i < t.n_labels; i++)
		clpac__free(t.labels[i].text);
	forget_columns(&t);
	FREE_ALL(t.times, t.labels);
	return st;
}
