/* CSV: separators, names, a column of times, missing cells, and a refusal by name for each kind of fault. */
#include "runner.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "assertions.h"
#include "files.h"
#include "read_files.h"
#include "locales.h"

static clpac_recording *read_text(const char *text)
{
	return files_read(files_write_text("made.csv", text), NULL);
}

static const char *const same_tables[] = {
	"Fz,Cz\n1,-2.5\n3e1,0.125\n",
	"Fz;Cz\r\n1;-2.5\r\n3e1;0.125\r\n",
	"Fz\tCz\n1\t-2.5\n3e1\t0.125",
	"\xef\xbb\xbf\"Fz\",\"Cz\"\n 1 , -2.5 \n\n\"3e1\",\"0.125\"\n\n",
	"# comment, one\nFz,Cz\n1,-2.5\n# another\n3e1,0.125\n",
};

FIXTURE(files_begin, files_end);

TEST_EACH(every_separator_and_spelling_gives_the_same, COUNT(same_tables))
{
	clpac_recording *r = read_text(same_tables[_i]);
	ck_assert_str_eq(clpac_recording_format(r), "CSV");
	ck_assert_uint_eq(clpac_recording_n_channels(r), 2);
	ck_assert_uint_eq(clpac_recording_n_warnings(r), 0);
	ck_assert_str_eq(clpac_recording_channel(r, 0)->name, "Fz");
	ck_assert_str_eq(clpac_recording_channel(r, 1)->name, "Cz");
	ck_assert_uint_eq(clpac_recording_channel(r, 1)->n_samples, 2);
	ck_assert_int_eq(clpac_recording_channel(r, 1)->type, CLPAC_FLOAT64);
	ck_assert_double_eq(files_sample(r, 0, 0), 1);
	ck_assert_double_eq(files_sample(r, 0, 1), 30);
	ck_assert_double_eq(files_sample(r, 1, 0), -2.5);
	ck_assert_double_eq(files_sample(r, 1, 1), 0.125);
	clpac_recording_destroy(r);
}

TEST(a_table_without_names_numbers_its_channels)
{
	clpac_recording *r = read_text("1,2,3\n4,5,6\n");
	ck_assert_uint_eq(clpac_recording_n_channels(r), 3);
	ck_assert_str_eq(clpac_recording_channel(r, 2)->name, "2");
	ck_assert_uint_eq(clpac_recording_channel(r, 2)->n_samples, 2);
	clpac_recording_destroy(r);
	r = read_text("0.5\n0.25\n-1\n");
	ck_assert_uint_eq(clpac_recording_n_channels(r), 1);
	ck_assert_double_eq(files_sample(r, 0, 2), -1);
	clpac_recording_destroy(r);
}

TEST(names_may_hold_separators_and_any_script)
{
	clpac_recording *r = read_text("\"a,b\",,\xb5\n1,2,3\n");
	ck_assert_str_eq(clpac_recording_channel(r, 0)->name, "a,b");
	ck_assert_str_eq(clpac_recording_channel(r, 1)->name, "1");
	ck_assert_str_eq(clpac_recording_channel(r, 2)->name, "\xc2\xb5");
	clpac_recording_destroy(r);
}

TEST(a_column_of_times_gives_the_rate)
{
	static const char *const names[] = {"time", "T", "Seconds", "time (s)"};
	for (size_t i = 0; i < COUNT(names); i++) {
		char text[200];
		snprintf(text, sizeof text, "x,%s\n1,10.000000\n2,10.003906\n3,10.007813\n4,10.011719\n5,10.015625\n",
			 names[i]);
		clpac_recording *r = read_text(text);
		ck_assert_uint_eq(clpac_recording_n_channels(r), 1);
		/* 4 / 0.015625 s; decimals cut off in between do not change the rate. */
		ck_assert_double_eq(clpac_recording_channel(r, 0)->rate_hz, 256);
		ck_assert_double_eq(files_sample(r, 0, 4), 5);
		ck_assert_uint_eq(clpac_recording_n_warnings(r), 0);
		clpac_recording_destroy(r);
	}
	clpac_recording *r = read_text("time,x\n0,1\n0.4,2\n0.8,3\n");
	ck_assert_double_eq_tol(clpac_recording_channel(r, 0)->rate_hz, 2.5,
				2.5 * 4 * 2.3e-16); /* a difference and two quotients */
	clpac_recording_destroy(r);
	/* Written with six decimals a rate of 256 is off by 10^-5 at most; one that is further off is another. */
	static const double rates[][2] = {{256.002, 256}, {255.998, 256}, {256.004, 256.004}, {255.996, 255.996}};
	for (size_t i = 0; i < COUNT(rates); i++) {
		char text[200];
		snprintf(text, sizeof text, "time,x\n0,1\n%.15f,2\n%.15f,3\n", 1 / rates[i][0], 2 / rates[i][0]);
		r = read_text(text);
		ck_assert_double_eq_tol(clpac_recording_channel(r, 0)->rate_hz, rates[i][1], 1e-9);
		clpac_recording_destroy(r);
	}
	r = read_text("time,x\n0,1\n");
	ck_assert_double_eq(clpac_recording_channel(r, 0)->rate_hz, 0);
	clpac_recording_destroy(r);
}

TEST(a_rate_that_is_given_comes_before_the_times)
{
	const char *path = files_write_text("made.csv", "time,x\n0,1\n0.01,2\n0.02,3\n");
	clpac_recording *r = files_read(path, &(clpac_read_options){.rate_hz = 100});
	ck_assert_double_eq(clpac_recording_channel(r, 0)->rate_hz, 100);
	clpac_recording_destroy(r);
	ck_assert_uint_eq(clpac_recording_n_warnings(r = files_read(path, &(clpac_read_options){.rate_hz = 100.0005})),
			  0);
	clpac_recording_destroy(r);
	r = files_read(path, &(clpac_read_options){.rate_hz = 250});
	ck_assert_double_eq(clpac_recording_channel(r, 0)->rate_hz, 250);
	ck_assert_uint_eq(files_warned(r, "the times give 100 Hz: the rate that was given, 250 Hz, is taken"), 1);
	clpac_recording_destroy(r);
	r = files_read(files_write_text("made.csv", "time,x\n0,1\n0.02,2\n0.01,3\n"),
		       &(clpac_read_options){.rate_hz = 250});
	ck_assert_double_eq(clpac_recording_channel(r, 0)->rate_hz, 250);
	ck_assert_uint_eq(files_warned(r, "times must rise"), 1);
	clpac_recording_destroy(r);
}

TEST(uneven_times_are_warned_of_and_falling_ones_refused)
{
	clpac_recording *r = read_text("t,x\n0,1\n1,2\n2,3\n3,4\n9,5\n10,6\n");
	ck_assert_uint_eq(files_warned(r, "times are uneven"), 1);
	clpac_recording_destroy(r);
	r = read_text("t,x\n0,1\n4,2\n8,3\n");
	ck_assert_double_eq(clpac_recording_channel(r, 0)->rate_hz, 0.25);
	ck_assert_uint_eq(
		files_warned(r, "the times rise by 4 from row to row, which is taken as seconds: of milliseconds, "
				"name the column \"time (ms)\", or give the rate, 250 Hz"),
		1);
	clpac_recording_destroy(r);
	files_refuse(files_write_text("a.csv", "t,x\n0,1\n2,2\n1,3\n"), NULL, CLPAC_ERROR_FORMAT,
		     "is 1 after 2: times must rise");
	files_refuse(files_write_text("a.csv", "t,x\n0,1\n,2\n2,3\n"), NULL, CLPAC_ERROR_FORMAT, "times must rise");
	files_refuse(files_write_text("a.csv", "t,x\n5,1\n5,2\n"), NULL, CLPAC_ERROR_FORMAT, "times must rise");
	files_refuse(files_write_text("a.csv", "t,x\n0,1\n1e-320,2\n"), NULL, CLPAC_ERROR_FORMAT, "no sampling rate");
}

TEST(missing_cells_are_nan_and_an_empty_column_is_unusable)
{
	clpac_recording *r = read_text("a,b,c\n1,,\n,3,\nnan,inf,\n");
	ck_assert(isnan(files_sample(r, 1, 0)) && isnan(files_sample(r, 0, 1)) && isnan(files_sample(r, 0, 2)));
	ck_assert(isinf(files_sample(r, 1, 2)));
	ck_assert_uint_eq(files_warned(r, "without a value"), 5);
	ck_assert_ptr_null(clpac_recording_channel(r, 0)->unusable);
	ck_assert_str_eq(clpac_recording_channel(r, 2)->unusable, "the column holds no value");
	clpac_recording_destroy(r);
}

TEST_EACH_UNLESS(locale_missing(), a_locale_changes_nothing, N_LOCALES)
{
	locale_begin(locale_languages[_i]);
	clpac_recording *r = read_text("x;y\n0.5;0.12345678901234567890\n");
	ck_assert_double_eq(files_sample(r, 0, 0), 0.5);
	ck_assert_double_eq(files_sample(r, 1, 0), 0.12345678901234568);
	clpac_recording_destroy(r);
	locale_end();
}

static const struct {
	const char *text, *error;
} wrong[] = {
	{"a,b\n1,2\n3\n", "line 3 has 1 columns, the first row 2"},
	{"a,b\n1,2\n3,4,5\n", "line 3 has 3 columns"},
	{"a,b\n", "no row of samples"},
	{"# nothing\n\n", "no row of samples"},
	{"a;b\n1,5;2\n1.234,5;2\n", "line 3, column 1: \"1.234,5\" is not a number"},
	{"a;b\n1,;2\n3;4\n5;6\n", "line 2, column 1: \"1,\" is not a number"},
	{"name,cutoff,kind\nFp1,5,x\nFp2,6,y\nFp1,5,y\n", "line 2, column 1: \"Fp1\" is not a number"},
	{"a,b\nx,y\nz,w\n", "line 2, column 1: \"x\" is not a number"},
	{"a,b\n1,2\n3,x\x1b[1m\n", "line 3, column 2: \"x?[1m\" is not a number"},
	{"1.0 2.0\n3.0 4.0 5.0\n", "line 2 has 3 columns, the first row 2"},
	{"x\nFz 2.0\n", "separated by comma, semicolon, tab or blanks"},
	{"time\n0\n1\n", "a column of times (\"time\") and nothing else"},
};

TEST_EACH(each_thing_wrong_is_named_with_its_line, COUNT(wrong))
{
	const char *path = files_write_text("made.csv", wrong[_i].text);
	clpac_recording *recording;
	clpac_error err;
	unsigned long line = 0;
	files_refuse(path, NULL, CLPAC_ERROR_FORMAT, wrong[_i].error);
	ck_assert_int_eq(clpac_recording_read(path, NULL, &recording, &err), CLPAC_ERROR_FORMAT);
	if (sscanf(wrong[_i].error, "line %lu", &line) == 1)
		ck_assert_uint_eq(err.line, line);
}

/* No text has a zero byte.  One of zeros alone, which takes no room on a disk, has no line that ends. */
TEST_EACH(a_zero_byte_is_no_text, 2)
{
	bytes text = {0};
	bytes_add(&text, "a,b\n1,2\n3,\0004\n", 13);
	const char *path = files_write("made.csv", text.data, text.n);
	if (_i) {
		ck_assert_int_eq(truncate(path, 0), 0);
		ck_assert_int_eq(truncate(path, (off_t)1 << 33), 0);
	}
	files_refuse(path, NULL, CLPAC_ERROR_FORMAT,
		     _i ? "has a zero byte at byte 0: " : "has a zero byte at byte 10: ");
	bytes_free(&text);
}

/* A wide first row must not reserve memory for as many columns in all rows. */
TEST(a_wide_first_row_claims_nothing)
{
	enum { WIDE = 100000 };
	bytes text = {0};
	char *commas = malloc(WIDE), *newlines = malloc(2 * WIDE);
	memset(commas, ',', WIDE);
	for (size_t i = 0; i < WIDE; i++)
		memcpy(newlines + 2 * i, "1\n", 2);
	bytes_add(&text, "1", 1);
	bytes_add(&text, commas, WIDE);
	bytes_add(&text, "1\n", 2);
	bytes_add(&text, newlines, 2 * WIDE);
	files_refuse(files_write("wide.csv", text.data, text.n), NULL, CLPAC_ERROR_FORMAT, "claims 100001 channels");
	bytes_free(&text);
	free(commas);
	free(newlines);
}

/* Lines longer than the first buffer of 64 KiB, and a file of several buffers. */
TEST(long_lines_and_long_files_are_read_whole)
{
	enum { COLUMNS = 4000, ROWS = 7 };
	bytes text = {0};
	for (unsigned row = 0; row < ROWS; row++) {
		char cells[COLUMNS * 21 + 1], *at = cells;
		for (unsigned c = 0; c < COLUMNS; c++)
			at += sprintf(at, "%s%020u", c ? "," : "", (row * 31 + c) % 9973);
		bytes_add(&text, cells, (size_t)(at - cells));
		bytes_add(&text, "\n", 1);
	}
	clpac_recording *r = files_read(files_write("long.csv", text.data, text.n), NULL);
	ck_assert_uint_eq(clpac_recording_n_channels(r), COLUMNS);
	for (size_t c = 0; c < COLUMNS; c++)
		for (size_t row = 0; row < ROWS; row++)
			if (files_sample(r, c, row) != (double)((row * 31 + c) % 9973))
				ck_abort_msg("row %zu, column %zu", row, c);
	clpac_recording_destroy(r);
	bytes_free(&text);
}

TEST(a_table_is_recognised_without_an_ending)
{
	clpac_recording *r = files_read(files_write_text("table", "a,b\n1,2\n"), NULL);
	ck_assert_uint_eq(clpac_recording_n_channels(r), 2);
	clpac_recording_destroy(r);
}

TEST(the_index_of_pandas_is_no_channel)
{
	static const char *const tables[] = {",Fz,Cz\n0,5,6\n1,7,8\n2,9,9\n", "\"\",Fz,Cz\n0,5,6\n1,7,8\n2,9,9\n",
					     ",0,1\n0,5,6\n1,7,8\n2,9,9\n"};
	for (size_t i = 0; i < COUNT(tables); i++) {
		clpac_recording *r = read_text(tables[i]);
		ck_assert_uint_eq(clpac_recording_n_channels(r), 2);
		ck_assert_str_eq(clpac_recording_channel(r, 0)->name, i < 2 ? "Fz" : "0");
		ck_assert_uint_eq(clpac_recording_channel(r, 0)->n_samples, 3);
		ck_assert_double_eq(files_sample(r, 0, 1), 7);
		ck_assert_double_eq(files_sample(r, 1, 2), 9);
		ck_assert_uint_eq(files_warned(r, "pandas writes such an index"), 1);
		clpac_recording_destroy(r);
	}
	clpac_recording *r = read_text(",time,Fz\n0,0,5\n1,0.5,7\n2,1,9\n");
	ck_assert_uint_eq(clpac_recording_n_channels(r), 1);
	ck_assert_double_eq(clpac_recording_channel(r, 0)->rate_hz, 2);
	clpac_recording_destroy(r);
}

/* Tables of 20 rows behind a first column of `first`, `first + step`, ...; row 10 jumps. */
static const char *write_rising(const char *name, double first, double step, double jump)
{
	static char text[2000];
	int n = snprintf(text, sizeof text, "%s,Fz,Cz\n", name);
	for (int i = 0; i < 20; i++)
		n += snprintf(text + n, sizeof text - (size_t)n, "%.4f,%d,%d\n", first + step * i + (i >= 10) * jump,
			      i % 7, i % 5);
	return text;
}

TEST_EACH(an_index_that_rises_is_no_channel, 6)
{
	static const struct {
		const char *name;
		double first, step, jump;
		const char *warning;
	} cases[] = {{"", 0, 0.004, 0, "where it is called time"},
		     {"\"\"", 5, 1, 0, "where it is called time"},
		     {"", 0, 1, 10, "1 step that differs from its first, of 1: rows may be missing there"},
		     {"", -3, 0.1, 0, "where it is called time"},
		     {"Unnamed: 0", 0, 1, 0,
		      "the first column, \"Unnamed: 0\", numbers the rows (pandas writes such an index)"},
		     {"Unnamed: 0", 7, 2, 0, "the first column, \"Unnamed: 0\", rises from row to row"}};
	clpac_recording *r = read_text(write_rising(cases[_i].name, cases[_i].first, cases[_i].step, cases[_i].jump));
	ck_assert_uint_eq(clpac_recording_n_channels(r), 2);
	ck_assert_str_eq(clpac_recording_channel(r, 0)->name, "Fz");
	ck_assert_double_eq(files_sample(r, 1, 3), 3);
	ck_assert_uint_eq(files_warned(r, cases[_i].warning), 1);
	ck_assert_uint_eq(clpac_recording_n_warnings(r), cases[_i].jump > 0 ? 2 : 1);
	clpac_recording_destroy(r);
}

/* Fewer rows may rise by chance. */
TEST(an_index_has_sixteen_rows)
{
	for (size_t n_rows = 15; n_rows <= 16; n_rows++) {
		char text[400];
		int n = snprintf(text, sizeof text, ",Fz,Cz\n");
		for (size_t i = 0; i < n_rows; i++)
			n += snprintf(text + n, sizeof text - (size_t)n, "%zu,%zu,%zu\n", 3 + 2 * i, i % 7, i % 5);
		clpac_recording *r = read_text(text);
		ck_assert_uint_eq(clpac_recording_n_channels(r), n_rows < 16 ? 3 : 2);
		clpac_recording_destroy(r);
	}
}

TEST(columns_that_all_rise_are_told_of_from_sixteen_rows_on)
{
	for (size_t n_rows = 15; n_rows <= 16; n_rows++) {
		char text[400];
		int n = snprintf(text, sizeof text, "Fz,Cz\n");
		for (size_t i = 0; i < n_rows; i++)
			n += snprintf(text + n, sizeof text - (size_t)n, "%g,%g\n", 0.5 + (double)(i * i),
				      0.25 + (double)(i * i * i));
		clpac_recording *r = read_text(text);
		if (n_rows < 16)
			ck_assert_uint_eq(clpac_recording_n_warnings(r), 0);
		else
			files_warned(r, "every column rises from row to row");
		clpac_recording_destroy(r);
	}
}

/* Steps of an index and of times are even within half of one. */
TEST(steps_that_differ_by_half_are_even)
{
	static const struct {
		double jump;
		size_t n_warnings;
	} cases[] = {{0.5, 1}, {0.5625, 2}, {-0.5, 1}, {-0.5625, 2}};
	for (size_t i = 0; i < COUNT(cases); i++) {
		clpac_recording *r = read_text(write_rising("", 3, 1, cases[i].jump));
		ck_assert_uint_eq(clpac_recording_n_warnings(r), cases[i].n_warnings);
		clpac_recording_destroy(r);
	}
	/* The mean step of both is 1. */
	clpac_recording *r = read_text("time (s),x\n0,1\n1,2\n1.5,3\n3,4\n4,5\n");
	ck_assert_uint_eq(clpac_recording_n_warnings(r), 0);
	clpac_recording_destroy(r);
	r = read_text("time (s),x\n0,1\n1,2\n1.4375,3\n3,4\n4,5\n");
	ck_assert_uint_eq(files_warned(r, "times are uneven: 2 steps"), 1);
	clpac_recording_destroy(r);
}

/* Values that fall, or stay. */
TEST_EACH(a_column_that_does_not_only_rise_is_a_channel, 4)
{
	static const struct {
		const char *name;
		double step, jump;
	} cases[] = {{"", 0.004, -0.008}, {"", 1, -5}, {"", -1, 0}, {"", 0, 0}};
	clpac_recording *r = read_text(write_rising(cases[_i].name, 0, cases[_i].step, cases[_i].jump));
	ck_assert_uint_eq(clpac_recording_n_channels(r), 3);
	clpac_recording_destroy(r);
}

TEST_EACH(a_column_that_is_no_index_is_a_channel, 7)
{
	static const char *const tables[] = {",Fz\n0,5\n1,7\n3,9\n",  ",Fz\n1,5\n2,7\n3,9\n", ",Fz\n0,5\n,7\n2,9\n",
					     "x,Fz\n0,5\n1,7\n2,9\n", "0,5\n1,7\n2,9\n",      "Fz,\n0,0\n1,1\n2,2\n",
					     ",time\n0,0\n1,1\n2,2\n"};
	clpac_recording *r = read_text(tables[_i]);
	ck_assert_uint_eq(clpac_recording_n_channels(r), _i == 6 ? 1 : 2);
	ck_assert_uint_eq(clpac_recording_channel(r, 0)->n_samples, 3);
	clpac_recording_destroy(r);
}

TEST(a_table_that_lies_on_its_side_is_noticed)
{
	clpac_recording *r = read_text("1,2,3,4\n5,6,7,8\n");
	files_warned(r, "read as 4 channels of 2 samples: if its rows are channels, transpose it");
	clpac_recording_destroy(r);
}

/* Tables of 1024 rows: a first column as `write` writes it, and two channels. */
typedef void write_cell(char *to, size_t i);

static bytes table_of(const char *names, write_cell *write)
{
	bytes text = {0};
	bytes_add(&text, names, strlen(names));
	for (size_t i = 0; i < 1024; i++) {
		char cell[64], row[128];
		write(cell, i);
		bytes_add(&text, row,
			  (size_t)snprintf(row, sizeof row, "%s,%.4f,%zu\n", cell, sin(0.3 * (double)(i * i)),
					   i * i % 11));
	}
	return text;
}

static void ms_of_250(char *to, size_t i)
{
	sprintf(to, "%zu", 4 * i);
}
static void us_of_1000(char *to, size_t i)
{
	sprintf(to, "%zu", 5000000 + 1000 * i);
}
static void seconds_of_1970(char *to, size_t i)
{
	sprintf(to, "%.6f", 1700000000 + (double)i / 256);
}
static void repeating(char *to, size_t i)
{
	sprintf(to, "%.3f", 1700000000 + 0.03 * (double)(i / 8));
}
static void modulo_256(char *to, size_t i)
{
	sprintf(to, "%zu", (i + i / 500) % 256);
}
static void samples(char *to, size_t i)
{
	sprintf(to, "%zu", 17 + i);
}
static void dates(char *to, size_t i)
{
	const size_t ms = 86398000 + 4 * i;
	sprintf(to, "2024-02-%02zu %02zu:%02zu:%02zu.%03zu", 28 + ms / 86400000, ms / 3600000 % 24, ms / 60000 % 60,
		ms / 1000 % 60, ms % 1000);
}
static void whole_seconds(char *to, size_t i)
{
	sprintf(to, "\"12:%02zu:%02zu\"", i / 256 / 60, i / 256 % 60);
}

static const struct {
	const char *names;
	write_cell *write;
	double rate_hz;
	const char *warning; /* NULL: there is none */
} timed[] = {
	{"Time (ms),a,b\n", ms_of_250, 250, NULL},
	{"time_ms,a,b\n", ms_of_250, 250, NULL},
	{"Time [us],a,b\n", us_of_1000, 1000, NULL},
	{"t (\xc2\xb5s),a,b\n", us_of_1000, 1000, NULL},
	{"milliseconds,a,b\n", ms_of_250, 250, NULL},
	{"timestamps,a,b\n", seconds_of_1970, 256, NULL},
	{"lsl_timestamp,a,b\n", seconds_of_1970, 256, NULL},
	{"Timestamp (Formatted),a,b\n", dates, 250, NULL},
	{"date,a,b\n", dates, 250, NULL},
	{"timestamp,a,b\n", ms_of_250, 0, "of milliseconds the rate would be 250 Hz"},
	{"x,a,b\n", seconds_of_1970, 0, "of seconds the rate would be 256 Hz"},
	{"Sample,a,b\n", samples, 0,
	 "column \"Sample\" rises from row to row, as times and counters do: it is no channel"},
	{"Timestamp,a,b\n", repeating, 0, "column \"Timestamp\" rises from row to row"},
	{"Sample Index,a,b\n", modulo_256, 0, "column \"Sample Index\" counts from row to row, again and again"},
	{"clock,a,b\n", whole_seconds, 0,
	 "holds times of day, several rows of one time: it is no channel, and gives no rate"},
	{"", samples, 0, "column \"0\" rises from row to row"},
};

TEST_EACH(times_and_counters_are_no_channels_whatever_their_name, COUNT(timed))
{
	bytes text = table_of(timed[_i].names, timed[_i].write);
	clpac_recording *r = files_read(files_write("made.csv", text.data, text.n), NULL);
	ck_assert_uint_eq(clpac_recording_n_channels(r), 2);
	ck_assert_str_eq(clpac_recording_channel(r, 0)->name, *timed[_i].names ? "a" : "1");
	ck_assert_uint_eq(clpac_recording_channel(r, 0)->n_samples, 1024);
	ck_assert_double_eq(files_sample(r, 1, 5), 25 % 11);
	ck_assert_double_eq(clpac_recording_channel(r, 0)->rate_hz, timed[_i].rate_hz);
	ck_assert_uint_eq(clpac_recording_n_warnings(r), timed[_i].warning ? 1 : 0);
	if (timed[_i].warning)
		files_warned(r, timed[_i].warning);
	clpac_recording_destroy(r);
	bytes_free(&text);
}

/* Noise, a saw of seven samples, what rises in part, and fifteen rows stay channels. */
TEST(what_does_not_count_is_a_channel)
{
	bytes text = {0};
	for (size_t i = 0; i < 256; i++) {
		char row[128];
		bytes_add(&text, row,
			  (size_t)snprintf(row, sizeof row, "%zu,%.3f,%zu,%zu\n", i % 7, sin((double)i),
					   i < 200 ? i : 400 - i, i / 20));
	}
	clpac_recording *r = files_read(files_write("made.csv", text.data, text.n), NULL);
	ck_assert_uint_eq(clpac_recording_n_channels(r), 4);
	ck_assert_uint_eq(clpac_recording_n_warnings(r), 0);
	clpac_recording_destroy(r);
	bytes_free(&text);
	r = read_text("0.1,5\n0.2,6\n0.3,7\n0.4,8\n");
	ck_assert_uint_eq(clpac_recording_n_channels(r), 2);
	clpac_recording_destroy(r);
}

TEST(the_numbers_that_pandas_takes_for_names_are_no_samples)
{
	clpac_recording *r = read_text("0,1,2\n0.5,0.25,1\n-1,2,3\n");
	ck_assert_uint_eq(clpac_recording_channel(r, 0)->n_samples, 2);
	ck_assert_double_eq(files_sample(r, 1, 0), 0.25);
	ck_assert_uint_eq(files_warned(r, "the first row, 0, 1, 2, ..., names the columns"), 1);
	clpac_recording_destroy(r);
	static const char *const data[] = {"0,1,2\n3,4,5\n6,7,8\n", "0,1\n0.1,0.99\n0.2,0.96\n",
					   "0,1,3\n0.5,0.5,0.5\n1,2,3\n"};
	for (size_t i = 0; i < COUNT(data); i++) {
		r = read_text(data[i]);
		ck_assert_uint_eq(clpac_recording_channel(r, 0)->n_samples, 3);
		ck_assert_uint_eq(clpac_recording_n_warnings(r), 0);
		clpac_recording_destroy(r);
	}
}

TEST(labels_become_annotations_or_are_left_out)
{
	clpac_recording *r = read_text("time,Fz,marker,phase,subject,note\n"
				       "0,1,,rest,s1,a\n0.5,3,go,rest,s1,b\n1,2,0,task,s1,c\n1.5,1,0,task,s1,d\n"
				       "2,5,stop,task,s1,e\n2.5,1,NA,NA,s1,f\n");
	static const struct {
		double onset, seconds;
		const char *text;
	} events[] = {{0, 1, "rest"}, {0.5, 0, "go"}, {1, 1.5, "task"}, {2, 0, "stop"}};
	ck_assert_uint_eq(clpac_recording_n_channels(r), 1);
	ck_assert_uint_eq(clpac_recording_n_annotations(r), COUNT(events));
	for (size_t i = 0; i < COUNT(events); i++) {
		size_t k = 0;
		while (k < COUNT(events) && strcmp(clpac_recording_annotation(r, k)->text, events[i].text) != 0)
			k++;
		ck_assert_uint_lt(k, COUNT(events));
		ck_assert_double_eq(clpac_recording_annotation(r, k)->onset_seconds, events[i].onset);
		ck_assert_double_eq(clpac_recording_annotation(r, k)->seconds, events[i].seconds);
	}
	files_warned(r, "column \"marker\" holds words: they are read as annotations");
	files_warned(r, "column \"subject\" holds words that never change, or in most rows: it is left out");
	files_warned(r, "column \"note\" holds words that never change");
	clpac_recording_destroy(r);
	r = read_text("Fz,marker\n1,go\n3,go\n2,\n4,\n");
	ck_assert_uint_eq(clpac_recording_n_annotations(r), 0);
	ck_assert_uint_eq(files_warned(r, "whose times are unknown without a sampling rate"), 1);
	clpac_recording_destroy(r);
	r = files_read(files_path("made.csv"), &(clpac_read_options){.rate_hz = 2});
	ck_assert_uint_eq(clpac_recording_n_annotations(r), 1);
	ck_assert_double_eq(clpac_recording_annotation(r, 0)->seconds, 1);
	clpac_recording_destroy(r);
}

/* The same two channels as other programs write them. */
TEST_EACH(spellings_of_other_programs_are_read, 9)
{
	static const struct {
		const char *text;
		size_t n_warnings;
	} spelled[] = {
		{"% a comment of OpenBCI\n%Sample Rate = 250 Hz\nFz,Cz\n1,-2.5\n30,0.125\n", 0},
		{"Fz\tCz\n1\t-2,5\n3e1\t0,125\n", 1},
		{"Fz;Cz\n1,0;-2,5\n30;0,125\n", 1},
		{"  1.0e+00  -2.50e+00\n  3.0e+01   1.25e-01\n", 0},
		{"Fz Cz\n1 -2.5\n30 0.125\n", 0},
		{"Fz  Cz \r\n1 -2,5 \r\n30 0,125 \r\n", 1},
		{"Fz,Cz\r1,-2.5\r30,0.125\r", 0},
		{"\"Fz\",\"Cz\"\n\"1\",\"-2.5\"\n\"30\",\"0.125\"\n", 0},
		{"\"Fz\";\"Cz\"\n\"1\";\"-2,5\"\n\"30\";\"0,125\"\n", 1},
	};
	clpac_recording *r = read_text(spelled[_i].text);
	ck_assert_uint_eq(clpac_recording_n_channels(r), 2);
	ck_assert_uint_eq(clpac_recording_channel(r, 0)->n_samples, 2);
	ck_assert_double_eq(files_sample(r, 0, 0), 1);
	ck_assert_double_eq(files_sample(r, 0, 1), 30);
	ck_assert_double_eq(files_sample(r, 1, 0), -2.5);
	ck_assert_double_eq(files_sample(r, 1, 1), 0.125);
	ck_assert_uint_eq(clpac_recording_n_warnings(r), spelled[_i].n_warnings);
	if (spelled[_i].n_warnings)
		files_warned(r, "decimal commas are read as points");
	clpac_recording_destroy(r);
}

TEST(words_for_no_value_are_nan)
{
	clpac_recording *r = read_text("a,b\nNA,1\nn/a,2\nnull,1\nNone,4\n#N/A,0\n-,1\n5,1\n");
	for (size_t i = 0; i < 6; i++)
		ck_assert(isnan(files_sample(r, 0, i)));
	ck_assert_double_eq(files_sample(r, 0, 6), 5);
	ck_assert_uint_eq(files_warned(r, "a cell without a value is read as NaN"), 6);
	clpac_recording_destroy(r);
}
