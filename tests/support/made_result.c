#include "made_result.h"

#include "test_thread.h"
#include <dirent.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Test values: distinct, of both signs where the array allows it, not representable in a few decimal digits. */
float made_value(clpac_array which, size_t i)
{
	float value = ((float)i + 1) / (3.0f + (float)which * 500.0f);
	return which == CLPAC_Z ? value - 2 : value;
}

static void fill(clpac_result *result)
{
	clpac_error err;
	for (int which = 0; which < CLPAC_ARRAY_COUNT; which++) {
		size_t n;
		float *values = clpac_result_array(result, (clpac_array)which, &n);
		for (size_t i = 0; i < n; i++)
			values[i] = made_value((clpac_array)which, i);
		if (values && (which <= CLPAC_P || which == CLPAC_P_MAX))
			values[n - 1] = NAN;
	}
	for (size_t i = 0; i < MADE_PHASE_BANDS; i++)
		clpac_result_phase_bands(result)[i] = (clpac_band){2.1 + 2 * (double)i, 4.3 + 2 * (double)i};
	for (size_t i = 0; i < MADE_AMPLITUDE_BANDS; i++)
		clpac_result_amplitude_bands(result)[i] = (clpac_band){60 + 10 * (double)i, 80.7 + 10 * (double)i};
	for (size_t i = 0; i < MADE_CHANNELS * MADE_SEGMENTS * MADE_PHASE_BANDS; i++)
		clpac_result_empty_bins(result)[i] = (uint32_t)(70000 * i);
	clpac_result_valid(result)[1] = 0;
	for (size_t i = 0; i < MADE_SEGMENTS; i++)
		clpac_result_segment_onsets(result)[i] = 0.1 * (double)i;
	for (size_t i = 0; i < MADE_CHANNELS * MADE_SEGMENTS; i++) {
		clpac_result_used_seconds(result)[i] = 1.7 + (double)i;
		clpac_result_n_stretches(result)[i] = (uint32_t)(1 + i % 3);
	}
	ck_assert_int_eq(clpac_result_set_channel_name(result, 0, "C3", &err), CLPAC_OK);
	ck_assert_int_eq(clpac_result_set_channel_name(result, 1, "a \"\u00b5V\", \U0001d6fc", &err), CLPAC_OK);
	ck_assert_int_eq(clpac_result_set_problem(result,
						  "rate=512.5 channels=2 samples=2048 phase=2.1-4.3,4.1-6.3 bins=6 "
						  "surrogates=7 seed=42 hilbert=local",
						  &err),
			 CLPAC_OK);
}

clpac_result *make_result(unsigned arrays)
{
	clpac_result *result = NULL;
	clpac_error err = {.text = ""};
	clpac_status st = clpac_result_create(&(clpac_result_shape){MADE_CHANNELS, MADE_SEGMENTS, MADE_PHASE_BANDS,
								    MADE_AMPLITUDE_BANDS, MADE_BINS, MADE_SURROGATES},
					      arrays, &result, &err);
	ck_assert_msg(st == CLPAC_OK, "%s", err.text);
	fill(result);
	return result;
}

clpac_band made_cell_band(size_t phase, size_t amplitude)
{
	return (clpac_band){30.1 + 10 * (double)amplitude - (double)phase,
			    50.3 + 10 * (double)amplitude + (double)phase};
}

void tie_result(clpac_result *result)
{
	clpac_error err;
	clpac_band bands[MADE_PHASE_BANDS * MADE_AMPLITUDE_BANDS];
	for (size_t ph = 0; ph < MADE_PHASE_BANDS; ph++)
		for (size_t am = 0; am < MADE_AMPLITUDE_BANDS; am++)
			bands[ph * MADE_AMPLITUDE_BANDS + am] = made_cell_band(ph, am);
	ck_assert_int_eq(clpac_result_set_cell_bands(result, bands, &err), CLPAC_OK);
}

static char folder[200];

static void make_scratch_in(const char *place)
{
	snprintf(folder, sizeof folder, "%.150s/clpac-test-XXXXXX", place && *place ? place : "/tmp");
	ck_assert_ptr_nonnull(mkdtemp(folder));
}

void make_scratch(void)
{
	make_scratch_in(getenv("TMPDIR"));
}

void make_scratch_in_memory(void)
{
	static const char memory[] = "/dev/shm"; /* of Linux */
	const char *place = getenv("TMPDIR");
	make_scratch_in((!place || !*place) && access(memory, W_OK | X_OK) == 0 ? memory : place);
}

/* Tests leave folders of one level at most. */
static void empty_folder(const char *path)
{
	DIR *entries = opendir(path);
	ck_assert_ptr_nonnull(entries);
	for (struct dirent *entry = readdir(entries); entry; entry = readdir(entries)) {
		char name[600];
		snprintf(name, sizeof name, "%s/%s", path, entry->d_name);
		if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0 && unlink(name) != 0)
			rmdir(name);
	}
	closedir(entries);
}

void remove_scratch(void)
{
	empty_folder(folder);
	rmdir(folder);
}

const char *scratch_path(const char *name)
{
	static char paths[8][400];
	static unsigned next;
	char *path = paths[next++ % 8];
	snprintf(path, sizeof paths[0], "%s%s%s", folder, *name ? "/" : "", name);
	return path;
}

size_t scratch_count(void)
{
	size_t n = 0;
	DIR *entries = opendir(folder);
	ck_assert_ptr_nonnull(entries);
	for (struct dirent *entry = readdir(entries); entry; entry = readdir(entries))
		n += strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0;
	closedir(entries);
	return n;
}

void scratch_write(const char *name, const void *data, size_t bytes)
{
	FILE *file = fopen(scratch_path(name), "wb");
	ck_assert_ptr_nonnull(file);
	ck_assert_uint_eq(fwrite(data, 1, bytes, file), bytes);
	ck_assert_int_eq(fclose(file), 0);
}

char *scratch_read(const char *name, size_t *bytes)
{
	struct stat facts;
	FILE *file = fopen(scratch_path(name), "rb");
	ck_assert_msg(file != NULL, "%s cannot be opened", name);
	ck_assert_int_eq(fstat(fileno(file), &facts), 0);
	char *data = malloc((size_t)facts.st_size + 1);
	ck_assert_ptr_nonnull(data);
	ck_assert_uint_eq(fread(data, 1, (size_t)facts.st_size, file), (size_t)facts.st_size);
	data[facts.st_size] = 0;
	fclose(file);
	if (bytes)
		*bytes = (size_t)facts.st_size;
	return data;
}
