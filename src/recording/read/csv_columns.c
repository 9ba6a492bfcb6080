#include "recording/read/csv.h"

#include <math.h>
#include <string.h>

#include "base/ascii.h"
#include "base/number.h"

/* --- Cells ------------------------------------------------------------------------------------ */

static bool is_one_of(const char *cell, size_t n, const char *const *words, size_t n_words)
{
	for (size_t i = 0; i < n_words; i++)
		if (strlen(words[i]) == n && clpac__same_letters(words[i], cell, n))
			return true;
	return false;
}

/* Words that R, pandas, BIDS, Excel, SPSS and databases write where there is no value. */
static bool is_missing(const char *cell, size_t n)
{
	static const char *const words[] = {"NA",      "N/A",  "#N/A",	   "<NA>",	"null",	 "none",
					    "missing", "-nan", "NaN(ind)", "-nan(ind)", "#NUM!", "#DIV/0!",
					    "#VALUE!", "?",    "-",	   "--",	"."};
	return n == 0 || is_one_of(cell, n, words, sizeof words / sizeof *words);
}

/* "1,5" where columns are not separated by commas. */
static bool read_with_comma(const char *cell, size_t n, double *value)
{
	char text[64];
	const char *comma = n < sizeof text ? memchr(cell, ',', n) : NULL;
	if (!comma || memchr(cell, '.', n) || comma == cell || comma + 1 == cell + n || !clpac__is_digit(comma[-1]) ||
	    !clpac__is_digit(comma[1]))
		return false;
	memcpy(text, cell, n);
	text[comma - cell] = '.';
	return clpac__parse_field(text, n, value);
}

static double two_digits(const char *at)
{
	return 10 * (at[0] - '0') + (at[1] - '0');
}

/* "13:05:59.25", also behind a date of digits, and before a time zone or "PM". */
static bool read_clock(const char *cell, size_t n, double *seconds)
{
	size_t at = 0, end;
	double fraction = 0, digit = 1;
	while (at + 8 <= n && !(cell[at + 2] == ':' && cell[at + 5] == ':'))
		if (!clpac__is_digit(cell[at]) && !strchr("-/. T", cell[at]))
			return false;
		else
			at++;
	if (at + 8 > n)
		return false;
	for (size_t i = 0; i < 8; i++)
		if (i % 3 != 2 && !clpac__is_digit(cell[at + i]))
			return false;
	for (end = at + 8; end < n && (clpac__is_digit(cell[end]) || (end == at + 8 && strchr(".,", cell[end]))); end++)
		if (clpac__is_digit(cell[end]))
			fraction += (digit /= 10) * (cell[end] - '0');
	*seconds = (two_digits(cell + at) * 60 + two_digits(cell + at + 3)) * 60 + two_digits(cell + at + 6) + fraction;
	for (; end < n; end++)
		if (cell[end] == 'P' || cell[end] == 'p')
			*seconds += two_digits(cell + at) < 12 ? 43200 : 0;
		else if (!clpac__is_digit(cell[end]) && !strchr(" +-:ZAMam", cell[end]))
			return false;
	return true;
}

clpac__cell_kind clpac__csv_cell(const char *cell, size_t n, char separator, double *value, bool *has_comma)
{
	*value = NAN;
	if (n && clpac__parse_field(cell, n, value))
		return CLPAC__CELL_NUMBER;
	if (is_missing(cell, n))
		return CLPAC__CELL_MISSING;
	if (separator != ',' && read_with_comma(cell, n, value)) {
		*has_comma = true;
		return CLPAC__CELL_NUMBER;
	}
	return read_clock(cell, n, value) ? CLPAC__CELL_CLOCK : CLPAC__CELL_TEXT;
}

/* --- Names ------------------------------------------------------------------------------------ */

static const struct {
	const char *word;
	double seconds;
} units[] = {{"s", 1},
	     {"sec", 1},
	     {"secs", 1},
	     {"second", 1},
	     {"seconds", 1},
	     {"ms", 1e-3},
	     {"msec", 1e-3},
	     {"millisecond", 1e-3},
	     {"milliseconds", 1e-3},
	     {"us", 1e-6},
	     {"usec", 1e-6},
	     {"microsecond", 1e-6},
	     {"microseconds", 1e-6},
	     {"\xc2\xb5s", 1e-6},
	     {"\xce\xbcs", 1e-6},
	     {"ns", 1e-9},
	     {"min", 60},
	     {"minutes", 60},
	     {"h", 3600},
	     {"hours", 3600}};

static bool is_of_word(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (unsigned char)c >= 0x80;
}

/* Names of times in English, German, French and Spanish. */
static bool is_time_word(const char *word, size_t n)
{
	static const char *const words[] = {"time", "times", "t", "timestamp", "timestamps", "zeit", "temps", "tiempo"};
	return is_one_of(word, n, words, sizeof words / sizeof *words) ||
	       (n > 9 && clpac__same_letters(word + n - 9, "timestamp", 9));
}

void clpac__csv_take_name(clpac__csv_column *column)
{
	static const char *const whole[] = {"time", "t", "seconds"};
	size_t n_words = 0, n_others = 0;
	bool tells = false;
	double unit_s = 0;
	for (const char *at = column->name; *at;) {
		size_t n = 0;
		while (is_of_word(at[n]))
			n++;
		const bool is_time = n && is_time_word(at, n);
		bool is_unit = false;
		for (size_t i = 0; n && !is_unit && i < sizeof units / sizeof *units; i++)
			if (strlen(units[i].word) == n && clpac__same_letters(units[i].word, at, n)) {
				is_unit = true;
				unit_s = units[i].seconds;
				/* Units that are whole words tell of times: "milliseconds". */
				tells = tells || n > 5;
			}
		tells = tells || is_time;
		n_words += n > 0;
		n_others += n && !is_time && !is_unit;
		at += n ? n : 1;
	}
	column->has_unit = tells && unit_s > 0;
	column->unit_s = !tells ? 0 : unit_s > 0 ? unit_s : 1;
	column->has_time_name = is_one_of(column->name, strlen(column->name), whole, sizeof whole / sizeof *whole) ||
				(tells && n_words == 2 && n_others == 0 && column->has_unit);
}

/* --- Rows ------------------------------------------------------------------------------------- */

static bool may_count(const clpac__csv_column *c)
{
	return !c->is_fraction && c->step >= 0 && (c->n_other + c->n_falls) * 8 <= c->n_numbers + 128;
}

static void follow_number(clpac__csv_column *c, size_t row, double value)
{
	const double step = value - c->last;
	if (c->n_numbers++ == 0) {
		c->first = value;
		c->is_zero = true;
	} else {
		if (c->n_numbers == 2)
			c->step = step;
		c->n_falls += !(step >= 0);
		c->n_repeats += step == 0;
		c->n_uneven += fabs(step - c->step) > 0.5 * c->step;
		c->n_other += step != c->step && step >= 0;
	}
	c->last = value;
	c->is_zero = c->is_zero && value == 0;
	c->is_fraction = c->is_fraction || value != floor(value);
	c->is_other_than_rows = c->is_other_than_rows || value != (double)row;
}

/* FNV-1a, and never 0. */
static uint64_t hash(const char *text, size_t n)
{
	uint64_t h = 0xcbf29ce484222325u;
	for (size_t i = 0; i < n; i++)
		h = (h ^ (unsigned char)text[i]) * 0x100000001b3u;
	return h | 1;
}

/* Whether a cell that is not read any further looks like a number. */
static bool looks_like_number(const char *cell, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (!clpac__is_digit(cell[i]) && cell[i] != '.' && cell[i] != '-' && cell[i] != '+' && cell[i] != 'e' &&
		    cell[i] != 'E')
			return false;
	return n > 1 || (n == 1 && clpac__is_digit(*cell));
}

static double unwrapped(clpac__csv_column *c, double clock_s)
{
	if (clock_s < c->last_clock_s - 43200)
		c->days_s += 86400;
	c->last_clock_s = clock_s;
	return c->days_s + clock_s;
}

void clpac__csv_follow(clpac__csv_column *c, size_t row, const char *cell, size_t n, char separator, bool *has_comma)
{
	double value;
	if (c->n_falls && !c->is_zero && !may_count(c) && looks_like_number(cell, n)) {
		c->n_numbers++;
		c->text = 0;
		return;
	}
	const clpac__cell_kind kind = clpac__csv_cell(cell, n, separator, &value, has_comma);
	if (kind == CLPAC__CELL_TEXT) {
		const uint64_t text = hash(cell, n);
		c->n_texts++;
		c->n_changes += text != c->text;
		c->text = text;
	} else {
		c->text = 0;
	}
	c->n_clocks += kind == CLPAC__CELL_CLOCK;
	if (kind == CLPAC__CELL_CLOCK)
		value = unwrapped(c, value);
	if ((kind == CLPAC__CELL_NUMBER || kind == CLPAC__CELL_CLOCK) && isfinite(value))
		follow_number(c, row, value);
	else
		c->has_gap = true;
}

double clpac__csv_time(clpac__csv_column *c, const char *cell, size_t n, char separator)
{
	double value;
	bool has_comma;
	const clpac__cell_kind kind = clpac__csv_cell(cell, n, separator, &value, &has_comma);
	return kind == CLPAC__CELL_CLOCK    ? unwrapped(c, value)
	       : kind == CLPAC__CELL_NUMBER ? value * (c->unit_s > 0 ? c->unit_s : 1)
					    : (double)NAN;
}

/* --- Roles ------------------------------------------------------------------------------------ */

/* Rises all along, but for rows that share a value. */
static bool is_rising(const clpac__csv_column *c)
{
	return c->n_falls == 0 && c->n_numbers >= c->n_repeats + CLPAC__CSV_LEAST_RISING;
}

/* Counts in whole steps to a number and begins anew, as of packets from 0 to 255.  Packets may be missing; a saw of a
 * few samples is a wave. */
static bool is_counter(const clpac__csv_column *c)
{
	enum { LEAST_PERIOD = 32 };
	return c->n_numbers >= CLPAC__CSV_LEAST_RISING && !c->is_fraction && c->step > 0 &&
	       c->n_other * 8 <= c->n_numbers && c->n_falls * LEAST_PERIOD <= c->n_numbers;
}

static bool is_labels(const clpac__csv_column *c)
{
	return c->n_texts && (c->n_texts > c->n_numbers || c->is_zero);
}

/* Whether the column can give the rate: a time in each row, each after the last, of a unit that is known.  Whole
 * seconds, and more, from row to row would be milliseconds of which nothing is said. */
static bool is_time(const clpac__csv_column *c)
{
	return (c->has_unit || c->n_clocks || (c->unit_s > 0 && c->step < 1)) && c->n_falls == 0 && c->n_repeats == 0 &&
	       !c->has_gap;
}

static clpac__csv_role role_of(const clpac__csv_column *c)
{
	if (c->is_index_name && !c->is_other_than_rows && !c->has_gap && c->n_numbers)
		return CLPAC__CSV_INDEX;
	if (is_labels(c))
		return CLPAC__CSV_LABELS;
	return is_rising(c) || is_counter(c) || c->n_clocks > c->n_numbers / 2 ? CLPAC__CSV_COUNTER
									       : CLPAC__CSV_CHANNEL;
}

/* The column of times: one whose name says nothing else, else one that tells of times and holds them, numbers before
 * times of day. */
static clpac__csv_column *find_time(clpac__csv_column *columns, size_t n)
{
	clpac__csv_column *found = NULL;
	for (size_t i = 0; i < n; i++)
		if (columns[i].has_time_name)
			return &columns[i];
	for (size_t i = 0; i < n; i++)
		if (columns[i].role == CLPAC__CSV_COUNTER && is_time(&columns[i]) &&
		    (!found || (found->n_clocks && !columns[i].n_clocks)))
			found = &columns[i];
	return found;
}

bool clpac__csv_decide(clpac__csv_column *columns, size_t n)
{
	size_t n_channels = 0, n_restored = 0;
	for (size_t i = 0; i < n; i++)
		columns[i].role = role_of(&columns[i]);
	clpac__csv_column *time = find_time(columns, n);
	if (time) {
		time->role = CLPAC__CSV_TIME;
		time->days_s = time->last_clock_s = 0;
	}
	for (size_t i = 0; i < n; i++)
		n_channels += columns[i].role == CLPAC__CSV_CHANNEL;
	for (size_t i = 0; i < n && !n_channels; i++)
		if (columns[i].role == CLPAC__CSV_COUNTER || columns[i].role == CLPAC__CSV_INDEX) {
			if (columns[i].n_clocks)
				continue;
			columns[i].role = CLPAC__CSV_CHANNEL;
			n_restored++;
		}
	return n_restored > 0;
}
