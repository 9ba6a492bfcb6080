/* One line per cell, in the order of the arrays, with numbers that read back as the same floats. */
#include "runner.h"
#include "assertions.h"
#include "made_result.h"

#include <clpac/write.h>

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

/* In the place of the C library's: the write of this number fails; 0: none. */
static unsigned writes_until_failure;

ssize_t write(int file, const void *bytes, size_t n)
{
	if (writes_until_failure && --writes_until_failure == 0) {
		errno = EIO;
		return -1;
	}
	return syscall(SYS_write, file, bytes, n);
}

static char *write_table(unsigned arrays)
{
	clpac_error err;
	clpac_result *result = make_result(arrays);
	assert_works(clpac_result_write_csv(result, scratch_path("a.csv"), NULL, &err), err);
	clpac_result_destroy(result);
	return scratch_read("a.csv", NULL);
}

FIXTURE(make_scratch, remove_scratch);

TEST(there_is_a_line_for_every_cell_below_the_names)
{
	char *table = write_table(MADE_MAPS);
	const char *header =
		"channel,segment,phase_lo_hz,phase_hi_hz,amplitude_lo_hz,amplitude_hi_hz,mi,z,p,p_max,"
		"preferred_phase_rad,mean_vector,valid,harmonic,q_bh,q_by,p_gamma,p_cluster,null,used_s,n_stretches\n";
	ck_assert_int_eq(strncmp(table, header, strlen(header)), 0);
	size_t n_lines = 0;
	for (const char *c = table; *c; c++)
		n_lines += *c == '\n';
	ck_assert_uint_eq(n_lines, 1 + MADE_CHANNELS * MADE_SEGMENTS * MADE_PHASE_BANDS * MADE_AMPLITUDE_BANDS);
	ck_assert_int_eq(table[strlen(table) - 1], '\n');
	free(table);
}

TEST(values_stand_in_the_line_of_their_cell)
{
	char *table = write_table(MADE_MAPS), *rest = NULL;
	size_t i = 0;
	strtok_r(table, "\n", &rest);
	/* Channel 0 has a name without commas: its lines can be split at them. */
	for (char *line = strtok_r(NULL, "\n", &rest); i < MADE_SEGMENTS * MADE_PHASE_BANDS * MADE_AMPLITUDE_BANDS;
	     line = strtok_r(NULL, "\n", &rest), i++) {
		size_t segment;
		char name[8];
		double phase_lo, phase_hi, amplitude_lo, amplitude_hi;
		float mi, z, p, p_max;
		ck_assert_int_eq(sscanf(line, "%7[^,],%zu,%lf,%lf,%lf,%lf,%f,%f,%f,%f", name, &segment, &phase_lo,
					&phase_hi, &amplitude_lo, &amplitude_hi, &mi, &z, &p, &p_max),
				 10);
		size_t amplitude = i % MADE_AMPLITUDE_BANDS, phase = i / MADE_AMPLITUDE_BANDS % MADE_PHASE_BANDS;
		ck_assert_str_eq(name, "C3");
		ck_assert_uint_eq(segment, i / (MADE_AMPLITUDE_BANDS * MADE_PHASE_BANDS));
		ck_assert(phase_lo == 2.1 + 2 * (double)phase && phase_hi == 4.3 + 2 * (double)phase);
		ck_assert(amplitude_lo == 60 + 10 * (double)amplitude && amplitude_hi == 80.7 + 10 * (double)amplitude);
		ck_assert(mi == made_value(CLPAC_MI, i));
		ck_assert(z == made_value(CLPAC_Z, i));
		ck_assert(p == made_value(CLPAC_P, i));
		ck_assert(p_max == made_value(CLPAC_P_MAX, i));
		char expected[40];
		snprintf(expected, sizeof expected, ",%d,,,,,,shift,%g,%zu",
			 i % (MADE_AMPLITUDE_BANDS * MADE_PHASE_BANDS) != 1, 1.7 + (double)segment, 1 + segment % 3);
		ck_assert_str_eq(line + strlen(line) - strlen(expected), expected);
	}
	free(table);
}

TEST(a_name_with_commas_and_quotes_is_quoted)
{
	char *table = write_table(MADE_MAPS);
	ck_assert_ptr_nonnull(strstr(table, "\n\"a \"\"\u00b5V\"\", \U0001d6fc\",0,2.1,4.3,60,80.7,"));
	free(table);
}

TEST(what_is_not_defined_is_nan)
{
	char *table = write_table(MADE_MAPS);
	const char *end = ",2,8.1,10.3,100,120.7,NaN,NaN,NaN,NaN,,,1,,,,,,shift,6.7,3\n";
	ck_assert_uint_gt(strlen(table), strlen(end));
	ck_assert_str_eq(table + strlen(table) - strlen(end), end);
	free(table);
}

TEST(tied_cells_have_their_own_amplitude_band)
{
	clpac_error err;
	clpac_result *result = make_result(1u << CLPAC_MI);
	tie_result(result);
	assert_works(clpac_result_write_csv(result, scratch_path("a.csv"), NULL, &err), err);
	clpac_result_destroy(result);
	char *table = scratch_read("a.csv", NULL);
	ck_assert_ptr_nonnull(strstr(table, "\nC3,0,2.1,4.3,30.1,50.3,0.33333334,,,,,,1,,,,,,,1.7,1\n"));
	ck_assert_ptr_nonnull(strstr(table, "\nC3,0,4.1,6.3,49.1,71.3,"));
	free(table);
}

TEST(z_and_p_are_empty_without_surrogates)
{
	char *table = write_table(1u << CLPAC_MI);
	ck_assert_ptr_nonnull(strstr(table, "\nC3,0,2.1,4.3,60,80.7,0.33333334,,,,,,1,,,,,,,1.7,1\n"));
	ck_assert_ptr_nonnull(strstr(table, ",NaN,,,,,,1,,,,,,,6.7,3\n"));
	free(table);
}

TEST(names_longer_than_any_buffer_are_written_whole)
{
	enum { LENGTH = 40000 };
	clpac_error err;
	clpac_result *result = make_result(1);
	char *name = malloc(LENGTH + 1);
	ck_assert_ptr_nonnull(name);
	memset(name, 'n', LENGTH);
	name[LENGTH] = 0;
	assert_works(clpac_result_set_channel_name(result, 1, name, &err), err);
	assert_works(clpac_result_write_csv(result, scratch_path("a.csv"), NULL, &err), err);
	char *table = scratch_read("a.csv", NULL), *start = strstr(table, "\nn");
	ck_assert_ptr_nonnull(start);
	ck_assert_uint_eq(strspn(start + 1, "n"), LENGTH);
	ck_assert_int_eq(strncmp(start + 1 + LENGTH, ",0,2.1", 6), 0);
	free(table);
	free(name);
	clpac_result_destroy(result);
}

/* Long names fill the writer's buffers many times, and one of them fits: one write of all fails, whichever it is, and
 * no table is left. */
TEST(a_write_that_fails_in_the_middle_is_an_error)
{
	enum { LENGTH = 6000 };
	clpac_error err;
	clpac_result *result = make_result(1);
	char *name = malloc(LENGTH + 1);
	ck_assert_ptr_nonnull(name);
	memset(name, 'n', LENGTH);
	name[LENGTH] = 0;
	for (size_t ch = 0; ch < MADE_CHANNELS; ch++)
		assert_works(clpac_result_set_channel_name(result, ch, name, &err), err);
	clpac_status st = CLPAC_ERROR_IO;
	unsigned n_failed = 0;
	for (; st != CLPAC_OK; n_failed++) {
		writes_until_failure = n_failed + 1;
		st = clpac_result_write_csv(result, scratch_path("a.csv"), NULL, &err);
		const bool has_failed = writes_until_failure == 0;
		writes_until_failure = 0;
		ck_assert_int_eq(st, has_failed ? CLPAC_ERROR_IO : CLPAC_OK);
		ck_assert_uint_eq(scratch_count(), st == CLPAC_OK);
	}
	ck_assert_uint_gt(n_failed, 5);
	free(name);
	clpac_result_destroy(result);
}

/* Rows that end anywhere in the writer's buffer: names of all lengths, up to one that fills it by itself. */
TEST(names_of_any_length_are_written_whole)
{
	static const size_t lengths[] = {1, 100, 2700, 5000, 8191, 8192, 16383, 16384, 16385, 32768};
	for (size_t k = 0; k < COUNT(lengths); k++) {
		clpac_error err;
		clpac_result *result = make_result(1);
		char *name = calloc(lengths[k] + 1, 1);
		ck_assert_ptr_nonnull(name);
		memset(name, 'n', lengths[k]);
		assert_works(clpac_result_set_channel_name(result, 0, name, &err), err);
		assert_works(clpac_result_write_csv(result, scratch_path("a.csv"),
						    &(clpac_write_options){.overwrite = true}, &err),
			     err);
		char *table = scratch_read("a.csv", NULL);
		size_t n_rows = 0, n_lines = 0;
		for (const char *line = table; *line; line = strchr(line, '\n') + 1, n_lines++) {
			const size_t n = strspn(line, "n");
			if (n == lengths[k] && line[n] == ',')
				n_rows++;
		}
		ck_assert_uint_eq(n_rows, MADE_SEGMENTS * MADE_PHASE_BANDS * MADE_AMPLITUDE_BANDS);
		ck_assert_uint_eq(n_lines, 1 + MADE_CHANNELS * n_rows);
		free(table);
		free(name);
		clpac_result_destroy(result);
	}
}
