/* Cells and columns of a table of text, and what each column is: a channel, times, a counter, labels. */
#ifndef CLPAC_RECORDING_READ_CSV_H
#define CLPAC_RECORDING_READ_CSV_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum clpac__cell_kind {
	CLPAC__CELL_MISSING = 0, /* empty, or a word for no value */
	CLPAC__CELL_NUMBER,
	CLPAC__CELL_CLOCK, /* a time of day, with or without a date; its value is in seconds, and falls at midnight */
	CLPAC__CELL_TEXT
} clpac__cell_kind;

/* What a cell of a table holds.  Between tabs, semicolons and blanks numbers may have a decimal comma.
 * @param[in,out] has_comma becomes true where one has. */
clpac__cell_kind clpac__csv_cell(const char *cell, size_t n, char separator, double *value, bool *has_comma);

typedef enum clpac__csv_role {
	CLPAC__CSV_CHANNEL = 0,
	CLPAC__CSV_INDEX,   /* the numbers of rows, as pandas writes them in a first column without a name */
	CLPAC__CSV_COUNTER, /* what rises from row to row, or counts to a number again and again */
	CLPAC__CSV_TIME,
	CLPAC__CSV_LABELS
} clpac__csv_role;

/* A column, as far as its rows have been seen.  Begins as zeros but for name and unit_s. */
typedef struct clpac__csv_column {
	char *name; /* owned */
	clpac__csv_role role;
	bool is_index_name; /* that of an index of pandas: a first column without a name */
	bool has_time_name; /* one that stands for times alone: it must rise */
	double unit_s;	    /* seconds of one, by a name that tells of times; 0: it does not */
	bool has_unit;	    /* the name says it */
	double *samples;    /* owned by the recording */
	size_t n_values;    /* of a channel, cells with a value; of labels, those so far of all columns at its last */
	size_t n_numbers, n_clocks, n_texts, n_falls, n_repeats;
	size_t n_uneven;  /* steps that are not within half of the first one */
	size_t n_other;	  /* steps that are not the first one, nor falls */
	size_t n_changes; /* texts that are not the one of the row before */
	double first, last, step, last_clock_s, days_s;
	uint64_t text;		 /* hash of that of the row before; 0: none */
	bool is_fraction;	 /* a number is not whole */
	bool has_gap;		 /* a cell has no number */
	bool is_other_than_rows; /* it does not count 0, 1, 2, ... with them */
	bool is_zero;		 /* so are all numbers so far; as n_numbers */
} clpac__csv_column;

/* Rows from which on a column that only rises is no channel: noise of as many rises once in 16! tables. */
enum { CLPAC__CSV_LEAST_RISING = 16 };

/* Takes what the name of a column says. */
void clpac__csv_take_name(clpac__csv_column *column);
/* Looks at the cell of the next row. */
void clpac__csv_follow(clpac__csv_column *column, size_t row, const char *cell, size_t n, char separator,
		       bool *has_comma);
/* The time of a cell, on from that of the row before; NAN where it holds none. */
double clpac__csv_time(clpac__csv_column *column, const char *cell, size_t n, char separator);

/* Decides what each column is, once all rows have been seen.  At most one is TIME.
 * @param[in,out] columns n of them.
 * @return whether columns that rise stay channels, since nothing else would be one. */
bool clpac__csv_decide(clpac__csv_column *columns, size_t n);

#endif
