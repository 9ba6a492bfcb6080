/* Every reader, by the length of every list in its files: each doubling of entries doubles time and memory. */
#include "runner.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zip.h>
#include <clpac/devices.h>
#include <clpac/read.h>
#include <clpac/recording.h>
#include <clpac/write.h>
#include <clpac/memory/device.h>
#include <clpac/memory/trace.h>
#include <clpac/problem.h>

#include "assertions.h"
#include "files.h"
#include "read_files.h"
#include "growth.h"
#include "hdf5_bytes.h"
#include "mat_bytes.h"
#include "recording/recording.h"

/* The samples of a channel, where channels are what grows. */
enum { SAMPLES = 64 };

static size_t write_as(bytes *content, const char *stem, const char *ending, char *path, size_t size)
{
	char name[64];
	snprintf(name, sizeof name, "%s%s", stem, ending);
	snprintf(path, size, "%s", files_write(name, content->data, content->n));
	const size_t n = content->n;
	bytes_free(content);
	return n;
}

static void add_text(bytes *to, const char *text)
{
	bytes_add(to, text, strlen(text));
}

/* n copies of a text. */
static void add_repeated(bytes *to, const char *text, size_t n)
{
	for (size_t i = 0; i < n; i++)
		add_text(to, text);
}

static void add_zeros(bytes *to, size_t n)
{
	static const char zeros[4096];
	for (; n > sizeof zeros; n -= sizeof zeros)
		bytes_add(to, zeros, sizeof zeros);
	bytes_add(to, zeros, n);
}

static void read_it(const char *path, size_t n)
{
	(void)n;
	clpac_recording_destroy(files_read(path, NULL));
}

/* --- .npy, .npz, raw --------------------------------------------------------------------------- */

static void add_npy(bytes *to, const char *type, size_t rows, size_t columns, bool is_fortran)
{
	char head[119];
	snprintf(head, sizeof head, "{'descr': '%s', 'fortran_order': %s, 'shape': (%zu, %zu), }", type,
		 is_fortran ? "True" : "False", rows, columns);
	bytes_add(to, "\x93NUMPY\1\0\x76\0", 10);
	bytes_add_field(to, head, 117);
	bytes_add(to, "\n", 1);
	add_zeros(to, rows * columns * (size_t)(type[1] - '0'));
}

static size_t npy_channels(size_t n, const char *stem, char *path, size_t size)
{
	bytes content = {0};
	add_npy(&content, "i1", n, SAMPLES, false);
	return write_as(&content, stem, ".npy", path, size);
}

static size_t npy_samples(size_t n, const char *stem, char *path, size_t size)
{
	bytes content = {0};
	add_npy(&content, "i1", 1, n, false);
	return write_as(&content, stem, ".npy", path, size);
}

static size_t npy_by_sample(size_t n, const char *stem, char *path, size_t size)
{
	bytes content = {0};
	add_npy(&content, "i1", n, SAMPLES, true);
	return write_as(&content, stem, ".npy", path, size);
}

/* An archive with `n_before` small arrays and one called data. */
static size_t write_npz(bytes *data, size_t n_before, const char *stem, char *path, size_t size)
{
	char name[64];
	bytes small = {0};
	int code = 0;
	add_npy(&small, "i1", 1, 8, false);
	snprintf(name, sizeof name, "%s.npz", stem);
	snprintf(path, size, "%s", files_path(name));
	zip_t *archive = zip_open(path, ZIP_CREATE | ZIP_TRUNCATE, &code);
	ck_assert_ptr_nonnull(archive);
	for (size_t i = 0; i <= n_before; i++) {
		const bytes *content = i < n_before ? &small : data;
		zip_source_t *source = zip_source_buffer(archive, content->data, content->n, 0);
		ck_assert_ptr_nonnull(source);
		snprintf(name, sizeof name, i < n_before ? "array%zu.npy" : "data.npy", i);
		ck_assert_int_ge((int)zip_file_add(archive, name, source, 0), 0);
		if (i < n_before)
			zip_set_file_compression(archive, i, ZIP_CM_STORE, 0);
	}
	ck_assert_int_eq(zip_close(archive), 0);
	const size_t held = data->n + n_before * small.n;
	bytes_free(&small);
	bytes_free(data);
	return held;
}

static size_t npz_channels(size_t n, const char *stem, char *path, size_t size)
{
	bytes data = {0};
	add_npy(&data, "i1", n, SAMPLES, false);
	return write_npz(&data, 0, stem, path, size);
}

static size_t npz_members(size_t n, const char *stem, char *path, size_t size)
{
	bytes data = {0};
	add_npy(&data, "i1", 1, SAMPLES, false);
	return write_npz(&data, n, stem, path, size);
}

static size_t raw_samples(size_t n, const char *stem, char *path, size_t size)
{
	bytes content = {0};
	add_zeros(&content, 2 * n);
	return write_as(&content, stem, ".bin", path, size);
}

static void read_one_raw(const char *path, size_t n)
{
	(void)n;
	clpac_recording_destroy(files_read(path, &(clpac_read_options){.raw = "i2:1"}));
}

static size_t raw_channels(size_t n, const char *stem, char *path, size_t size)
{
	bytes content = {0};
	add_zeros(&content, n * SAMPLES);
	return write_as(&content, stem, ".bin", path, size);
}

static void read_many_raw(const char *path, size_t n)
{
	char raw[32];
	snprintf(raw, sizeof raw, "i1:%zu", n);
	clpac_recording_destroy(files_read(path, &(clpac_read_options){.raw = raw}));
}

/* --- CSV --------------------------------------------------------------------------------------- */

static size_t csv_rows(size_t n, const char *stem, char *path, size_t size)
{
	bytes content = {0};
	add_text(&content, "a,b\n");
	add_repeated(&content, "1,2\n", n);
	return write_as(&content, stem, ".csv", path, size);
}

static size_t csv_columns(size_t n, const char *stem, char *path, size_t size)
{
	bytes content = {0};
	for (size_t row = 0; row < SAMPLES; row++) {
		add_repeated(&content, "1,", n - 1);
		add_text(&content, "1\n");
	}
	return write_as(&content, stem, ".csv", path, size);
}

static size_t csv_comments(size_t n, const char *stem, char *path, size_t size)
{
	bytes content = {0};
	add_repeated(&content, "# nothing\n\n", n);
	add_text(&content, "1\n2\n");
	return write_as(&content, stem, ".csv", path, size);
}

static size_t csv_name(size_t n, const char *stem, char *path, size_t size)
{
	bytes content = {0};
	add_repeated(&content, "\"n\"", n);
	add_text(&content, ",b\n1,2\n");
	return write_as(&content, stem, ".csv", path, size);
}

static size_t csv_empty_cells(size_t n, const char *stem, char *path, size_t size)
{
	bytes content = {0};
	add_text(&content, "a,b,c\n");
	add_repeated(&content, ",,\n", n);
	return write_as(&content, stem, ".csv", path, size);
}

static size_t csv_labels(size_t n, const char *stem, char *path, size_t size)
{
	bytes content = {0};
	add_text(&content, "time (ms),a,label\n");
	for (size_t i = 0; i < n; i++) {
		char row[64];
		bytes_add(&content, row,
			  (size_t)snprintf(row, sizeof row, "%zu,%zu,%s\n", i, i * i % 13, i % 4 ? "" : "go"));
	}
	return write_as(&content, stem, ".csv", path, size);
}

static size_t csv_times(size_t n, const char *stem, char *path, size_t size)
{
	bytes content = {0};
	char row[64];
	add_text(&content, "time,a\n");
	for (size_t i = 0; i < n; i++) {
		snprintf(row, sizeof row, "%zu.%03zu,1\n", i / 1000, i % 1000);
		add_text(&content, row);
	}
	return write_as(&content, stem, ".csv", path, size);
}

/* --- EDF --------------------------------------------------------------------------------------- */

/* The header of n_signals signals of one width, in samples per record; the first is a list of annotations where
 * `lists` is its width. */
static void add_edf_head(bytes *to, const char *kind, size_t n_records, size_t lists, size_t n_signals, size_t width)
{
	static const struct {
		size_t width;
		const char *text;
	} fields[] = {{80, ""}, {8, "uV"}, {8, "-100"}, {8, "100"}, {8, "-1000"}, {8, "1000"}, {80, ""}};
	char text[32];
	bytes_add_field(to, "0", 8);
	bytes_add_field(to, "", 88);
	bytes_add_field(to, "", 88);
	snprintf(text, sizeof text, "%zu", 256 * (n_signals + 1));
	bytes_add_field(to, text, 8);
	bytes_add_field(to, kind, 44);
	snprintf(text, sizeof text, "%zu", n_records);
	bytes_add_field(to, text, 8);
	bytes_add_field(to, "1", 8);
	snprintf(text, sizeof text, "%zu", n_signals);
	bytes_add_field(to, text, 4);
	for (size_t i = 0; i < n_signals; i++) {
		snprintf(text, sizeof text, "s%zu", i);
		bytes_add_field(to, lists && i == 0 ? "EDF Annotations" : text, 16);
	}
	for (size_t f = 0; f < COUNT(fields); f++)
		for (size_t i = 0; i < n_signals; i++)
			bytes_add_field(to, fields[f].text, fields[f].width);
	for (size_t i = 0; i < n_signals; i++) {
		snprintf(text, sizeof text, "%zu", lists && i == 0 ? lists : width);
		bytes_add_field(to, text, 8);
	}
	for (size_t i = 0; i < n_signals; i++)
		bytes_add_field(to, "", 32);
}

/* One record of n samples, each a trigger. */
static size_t bdf_triggers(size_t n, const char *stem, char *path, size_t size)
{
	bytes content = {0};
	add_edf_head(&content, "", 1, 0, 1, n);
	memcpy(content.data,
	       "\xff"
	       "BIOSEMI",
	       8);
	memcpy(content.data + 256, "Status", 6);
	for (size_t i = 0; i < n; i++)
		bytes_add_number(&content, 1 + i % 2, 3, 0);
	return write_as(&content, stem, ".bdf", path, size);
}

static size_t edf_signals(size_t n, const char *stem, char *path, size_t size)
{
	bytes content = {0};
	add_edf_head(&content, "", 2, 0, n, SAMPLES);
	add_zeros(&content, 2 * 2 * n * SAMPLES);
	return write_as(&content, stem, ".edf", path, size);
}

static size_t edf_records(size_t n, const char *stem, char *path, size_t size)
{
	bytes content = {0};
	add_edf_head(&content, "", n, 0, 2, 4);
	add_zeros(&content, n * 2 * 2 * 4);
	return write_as(&content, stem, ".edf", path, size);
}

/* Many records, and as many signals, of which each record holds one. */
static size_t edf_signals_and_records(size_t n, const char *stem, char *path, size_t size)
{
	bytes content = {0};
	add_edf_head(&content, "EDF+C", 64 * n, 8, n, 0);
	for (size_t i = 0; i < 64 * n; i++)
		bytes_add(&content, "+0\x14\x14\0\0\0\0\0\0\0\0\0\0\0\0", 16);
	return write_as(&content, stem, ".edf", path, size);
}

/* Texts of one onset, in one record. */
static size_t edf_annotations(size_t n, const char *stem, char *path, size_t size)
{
	bytes content = {0};
	add_edf_head(&content, "EDF+C", 1, n + 4, 2, 4);
	bytes_add(&content, "+0\x14\x14\0+0\x14", 8);
	add_repeated(&content, "a\x14", n);
	add_zeros(&content, 2 * 4);
	return write_as(&content, stem, ".edf", path, size);
}

/* A gap after every record. */
static size_t edf_gaps(size_t n, const char *stem, char *path, size_t size)
{
	bytes content = {0};
	char list[32];
	add_edf_head(&content, "EDF+D", n, 16, 2, 4);
	for (size_t i = 0; i < n; i++) {
		memset(list, 0, sizeof list);
		snprintf(list, sizeof list, "+%zu\x14\x14", 3 * i);
		bytes_add(&content, list, sizeof list);
		add_zeros(&content, 2 * 4);
	}
	return write_as(&content, stem, ".edf", path, size);
}

/* --- MATLAB ------------------------------------------------------------------------------------ */

static const double no_samples[SAMPLES];

/* A data set of n_channels with names, and n_events. */
static size_t write_set(size_t n_channels, size_t n_events, size_t n_samples, const char *stem, char *path, size_t size)
{
	static const char *const names[] = {"srate", "data", "chanlocs", "event"}, *const of_channel[] = {"labels"},
				 *const of_event[] = {"type", "latency"};
	bytes content = {0};
	double *samples = calloc(n_channels * n_samples, sizeof *samples);
	ck_assert_ptr_nonnull(samples);
	mat_head(&content, false);
	const size_t place = mat_begin(&content, "EEG", MAT_STRUCT, 1, 1, 0);
	mat_fields(&content, names, COUNT(names));
	mat_number(&content, "", 100);
	mat_array(&content, "", MAT_CLASS_INT16, MAT_I2, n_channels, n_samples, 0, samples);
	size_t part = mat_begin(&content, "", MAT_STRUCT, 1, n_channels, 0);
	mat_fields(&content, of_channel, 1);
	for (size_t i = 0; i < n_channels; i++)
		mat_text(&content, "", "c");
	mat_end(&content, part);
	part = mat_begin(&content, "", MAT_STRUCT, 1, n_events, 0);
	mat_fields(&content, of_event, 2);
	for (size_t i = 0; i < n_events; i++) {
		mat_text(&content, "", i % 2 ? "a" : "boundary");
		mat_number(&content, "", (double)(n_events - i));
	}
	mat_end(&content, part);
	mat_end(&content, place);
	free(samples);
	return write_as(&content, stem, ".set", path, size);
}

static size_t set_channels(size_t n, const char *stem, char *path, size_t size)
{
	return write_set(n, 1, SAMPLES, stem, path, size);
}

static size_t set_events(size_t n, const char *stem, char *path, size_t size)
{
	return write_set(1, n, n, stem, path, size);
}

static size_t set_trials(size_t n, const char *stem, char *path, size_t size)
{
	bytes content = {0};
	double *samples = calloc(n, sizeof *samples);
	ck_assert_ptr_nonnull(samples);
	mat_head(&content, false);
	mat_number(&content, "srate", 100);
	mat_array(&content, "data", MAT_CLASS_INT16, MAT_I2, 1, 1, n, samples);
	free(samples);
	return write_as(&content, stem, ".set", path, size);
}

static size_t add_variables(size_t n, bool is_packed, const char *stem, char *path, size_t size)
{
	bytes content = {0};
	mat_head(&content, false);
	for (size_t i = 0; i < n; i++) {
		bytes variable = {0};
		if (i)
			mat_text(&variable, "x", "text");
		else
			mat_array(&variable, "data", MAT_CLASS_INT16, MAT_I2, 1, 4, 0, no_samples);
		if (is_packed)
			mat_packed(&content, &variable);
		else
			bytes_add(&content, variable.data, variable.n);
		bytes_free(&variable);
	}
	return write_as(&content, stem, ".mat", path, size);
}

static size_t mat_variables(size_t n, const char *stem, char *path, size_t size)
{
	return add_variables(n, false, stem, path, size);
}

static size_t mat_packed_variables(size_t n, const char *stem, char *path, size_t size)
{
	return add_variables(n, true, stem, path, size);
}

/* Cells of names that are left out. */
static size_t mat_cells(size_t n, const char *stem, char *path, size_t size)
{
	bytes content = {0};
	mat_head(&content, false);
	const size_t place = mat_begin(&content, "labels", MAT_CELL, 1, n, 0);
	for (size_t i = 0; i < n; i++)
		mat_text(&content, "", "a");
	mat_end(&content, place);
	mat_array(&content, "data", MAT_CLASS_INT16, MAT_I2, 1, 4, 0, no_samples);
	return write_as(&content, stem, ".mat", path, size);
}

/* --- BrainVision ------------------------------------------------------------------------------- */

/* Writes the three files; the header's path goes to `path`. */
static size_t write_brainvision(bytes *channels, size_t n_channels, bytes *markers, size_t n_samples, const char *stem,
				char *path, size_t size)
{
	char start[600], name[64];
	bytes header = {0}, data = {0}, all_markers = {0};
	snprintf(start, sizeof start,
		 "Brain Vision Data Exchange Header File Version 1.0\n[Common Infos]\nDataFile=%s.eeg\n"
		 "MarkerFile=%s.vmrk\nDataFormat=BINARY\nDataOrientation=MULTIPLEXED\nNumberOfChannels=%zu\n"
		 "SamplingInterval=1000\n[Binary Infos]\nBinaryFormat=INT_16\n[Channel Infos]\n",
		 stem, stem, n_channels);
	add_text(&header, start);
	bytes_add(&header, channels->data, channels->n);
	bytes_free(channels);
	add_zeros(&data, n_channels * n_samples * 2);
	add_text(&all_markers, "Brain Vision Data Exchange Marker File Version 1.0\n[Marker Infos]\n");
	bytes_add(&all_markers, markers->data, markers->n);
	bytes_free(markers);
	snprintf(name, sizeof name, "%s.eeg", stem);
	files_write(name, data.data, data.n);
	snprintf(name, sizeof name, "%s.vmrk", stem);
	files_write(name, all_markers.data, all_markers.n);
	const size_t others = data.n + all_markers.n;
	bytes_free(&data);
	bytes_free(&all_markers);
	return others + write_as(&header, stem, ".vhdr", path, size);
}

static size_t brainvision_channels(size_t n, const char *stem, char *path, size_t size)
{
	bytes channels = {0}, markers = {0};
	char line[64];
	for (size_t i = 1; i <= n; i++) {
		snprintf(line, sizeof line, "Ch%zu=c%zu,,0.5,uV\n", i, i);
		add_text(&channels, line);
	}
	add_text(&markers, "Mk1=New Segment,,1,1,0\n");
	return write_brainvision(&channels, n, &markers, SAMPLES, stem, path, size);
}

static size_t brainvision_unnamed(size_t n, const char *stem, char *path, size_t size)
{
	bytes channels = {0}, markers = {0};
	add_text(&channels, ";\n");
	add_text(&markers, ";\n");
	return write_brainvision(&channels, n, &markers, SAMPLES, stem, path, size);
}

/* A name of commas alone, each written as "\1". */
static size_t brainvision_escapes(size_t n, const char *stem, char *path, size_t size)
{
	bytes channels = {0}, markers = {0};
	add_text(&channels, "Ch1=");
	add_repeated(&channels, "\\1", n);
	add_text(&channels, ",,1,uV\n");
	add_text(&markers, "Mk1=Stimulus,");
	add_repeated(&markers, "\\1", n);
	add_text(&markers, ",1,1,0\n");
	return write_brainvision(&channels, 1, &markers, SAMPLES, stem, path, size);
}

/* Events of a table beside the file. */
static size_t events_beside(size_t n, const char *stem, char *path, size_t size)
{
	bytes table = {0}, samples = {0};
	char name[64];
	add_text(&table, "onset\tduration\ttrial_type\n");
	add_repeated(&table, "1.5\t0.25\tgo\n", n);
	snprintf(name, sizeof name, "%s_events.tsv", stem);
	files_write(name, table.data, table.n);
	const size_t n_table = table.n;
	bytes_free(&table);
	add_text(&samples, "time,a\n0,1\n0.01,2\n0.02,3\n");
	return n_table + write_as(&samples, stem, "_eeg.csv", path, size);
}

static size_t brainvision_keys(size_t n, const char *stem, char *path, size_t size)
{
	bytes channels = {0}, markers = {0};
	add_repeated(&channels, "x=1\nno key\n[s]\n[Channel Infos]\n", n);
	add_text(&markers, ";\n");
	return write_brainvision(&channels, 1, &markers, SAMPLES, stem, path, size);
}

static size_t brainvision_markers(size_t n, const char *stem, char *path, size_t size)
{
	bytes channels = {0}, markers = {0};
	char line[64];
	add_text(&channels, "Ch1=a,,1,uV\n");
	for (size_t i = 1; i <= n; i++) {
		snprintf(line, sizeof line, "Mk%zu=S,%zu,%zu,1,0\n", i, i, i);
		add_text(&markers, line);
	}
	return write_brainvision(&channels, 1, &markers, n, stem, path, size);
}

/* Segments first, then markers that lie in the first of them. */
static size_t brainvision_segments(size_t n, const char *stem, char *path, size_t size)
{
	bytes channels = {0}, markers = {0};
	char line[64];
	add_text(&channels, "Ch1=a,,1,uV\n");
	for (size_t i = 1; i <= n; i++) {
		snprintf(line, sizeof line, "Mk%zu=New Segment,,%zu,1,0\n", i, 2 * i - 1);
		add_text(&markers, line);
	}
	add_repeated(&markers, "Mk=S,1,1,1,0\n", n);
	return write_brainvision(&channels, 1, &markers, 2 * n, stem, path, size);
}

/* --- Results ----------------------------------------------------------------------------------- */

/* A result of one phase band and two amplitude bands, of this many channels and segments. */
static size_t write_result(size_t n_channels, size_t n_segments, size_t n_letters, const char *stem, char *path,
			   size_t size)
{
	char name[64];
	clpac_error err = {0};
	clpac_result *result = NULL;
	const clpac_result_shape shape = {.n_channels = n_channels,
					  .n_segments = n_segments,
					  .n_phase_bands = 1,
					  .n_amplitude_bands = 2,
					  .n_bins = 18};
	ck_assert_msg(clpac_result_create(&shape, 1 << CLPAC_MI, &result, &err) == CLPAC_OK, "%s", err.text);
	bytes letters = {0};
	add_repeated(&letters, "n", n_letters);
	bytes_add(&letters, "", 1);
	for (size_t c = 0; c < n_channels; c++)
		ck_assert_msg(clpac_result_set_channel_name(result, c, (const char *)letters.data, &err) == CLPAC_OK,
			      "%s", err.text);
	bytes_free(&letters);
	snprintf(name, sizeof name, "%s.npz", stem);
	snprintf(path, size, "%s", files_path(name));
	ck_assert_msg(clpac_result_write_npz(result, path, NULL, &err) == CLPAC_OK, "%s", err.text);
	clpac_result_destroy(result);
	/* Indices, empty bins and names; onsets. */
	return n_channels * (n_segments * 12 + 4 * n_letters) + 8 * n_segments;
}

static size_t result_channels(size_t n, const char *stem, char *path, size_t size)
{
	return write_result(n, 1, 4, stem, path, size);
}

static size_t result_segments(size_t n, const char *stem, char *path, size_t size)
{
	return write_result(1, n, 4, stem, path, size);
}

static size_t result_name(size_t n, const char *stem, char *path, size_t size)
{
	return write_result(1, 1, n, stem, path, size);
}

static void read_result(const char *path, size_t n)
{
	(void)n;
	clpac_error err = {0};
	clpac_result *result = NULL;
	ck_assert_msg(clpac_result_read_npz(path, &result, &err) == CLPAC_OK, "%s", err.text);
	clpac_result_destroy(result);
}

/* --- Traces, texts ----------------------------------------------------------------------------- */

/* n buffers that are allocated, then released in the same order. */
static size_t trace_events(size_t n, const char *stem, char *path, size_t size)
{
	bytes content = {0};
	char line[64];
	add_text(&content, "operation,id,bytes,tag\n");
	for (size_t i = 0; i < 2 * n; i++) {
		snprintf(line, sizeof line, "%s,%zu,64,\"a\"\"b\"\n", i < n ? "allocate" : "release", i % n);
		add_text(&content, line);
	}
	return write_as(&content, stem, ".csv", path, size);
}

static void read_trace(const char *path, size_t n)
{
	clpac_error err = {0};
	clpac_trace trace;
	ck_assert_msg(clpac_trace_read(path, &trace, &err) == CLPAC_OK, "%s", err.text);
	ck_assert_uint_eq(trace.n, 2 * n);
	clpac_trace_free(&trace);
}

/* The description of a recording, as a store keeps it, with n entries in each list. */
static size_t description(size_t n, const char *stem, char *path, size_t size)
{
	bytes content = {0};
	char entry[128];
	add_text(&content, "{\"format\":\"x\",\"channels\":[");
	for (size_t i = 0; i < n; i++) {
		snprintf(entry, sizeof entry, "%s[\"c%zu\",\"uV\",null,100.0,1,0]", i ? "," : "", i);
		add_text(&content, entry);
	}
	add_text(&content, "],\"stretches\":[[0.0,0.0,1.0]");
	add_repeated(&content, ",[0.0,0.0,1.0]", n);
	add_text(&content, "],\"annotations\":[[0.0,0.0,\"a\"]");
	add_repeated(&content, ",[0.0,0.0,\"a\"]", n);
	add_text(&content, "],\"warnings\":[[\"a\",1]");
	for (size_t i = 0; i < n; i++) {
		snprintf(entry, sizeof entry, ",[\"w%zu\",%zu]", i, i + 1);
		add_text(&content, entry);
	}
	add_text(&content, "]}");
	return write_as(&content, stem, ".txt", path, size);
}

static void read_description(const char *path, size_t n)
{
	clpac_error err = {0};
	clpac_recording *recording = NULL;
	bytes content = files_content(path);
	bytes_add(&content, "", 1);
	ck_assert_msg(clpac__recording_from_text("x", (const char *)content.data, &recording, &err) == CLPAC_OK, "%s",
		      err.text);
	ck_assert_uint_eq(clpac_recording_n_warnings(recording), n + 1);
	size_t count = 0;
	ck_assert_ptr_nonnull(clpac_recording_warning(recording, n, &count));
	ck_assert_uint_eq(count, n);
	clpac_recording_destroy(recording);
	bytes_free(&content);
}

static size_t problem_bands(size_t n, const char *stem, char *path, size_t size)
{
	bytes content = {0};
	add_text(&content, "rate=512 samples=4096 surrogates=3 amplitude=60-80 phase=4-8");
	add_repeated(&content, ",4-8", n - 1);
	return write_as(&content, stem, ".txt", path, size);
}

static size_t problem_shifts(size_t n, const char *stem, char *path, size_t size)
{
	bytes content = {0};
	add_text(&content, "rate=512 samples=4096 amplitude=60-80 phase=4-8 shifts=1");
	add_repeated(&content, ",7", n - 1);
	return write_as(&content, stem, ".txt", path, size);
}

static void read_problem(const char *path, size_t n)
{
	clpac_error err = {0};
	clpac_problem_copy *copy = NULL;
	bytes content = files_content(path);
	bytes_add(&content, "", 1);
	OK(clpac_problem_read((const char *)content.data, &copy, &err));
	const clpac_problem *problem = clpac_problem_get(copy);
	ck_assert_uint_eq(problem->shifts ? problem->n_surrogates : problem->n_phase_bands, n);
	clpac_problem_destroy(copy);
	bytes_free(&content);
}

/* Devices of one platform. */
static size_t devices(size_t n, const char *stem, char *path, size_t size)
{
	bytes content = {0};
	char entry[256];
	add_text(&content, "{\"format\": \"clpac devices\", \"format_version\": 1, \"platforms\": [{\"backend\": "
			   "\"opencl\", \"index\": 0, \"n_devices\": 1, \"status\": 0, \"name\": \"p\"}], "
			   "\"devices\": [");
	for (size_t i = 0; i < n; i++) {
		snprintf(entry, sizeof entry,
			 "%s{\"backend\": \"opencl\", \"platform\": 0, \"index\": %zu, \"platform_name\": \"p\", "
			 "\"is_available\": true, \"name\": \"d\"}",
			 i ? ", " : "", i);
		add_text(&content, entry);
	}
	add_text(&content, "]}");
	return write_as(&content, stem, ".json", path, size);
}

static void read_devices(const char *path, size_t n)
{
	clpac_error err = {0};
	clpac_device_list *list = NULL;
	(void)n;
	OK(clpac_devices_read(path, &list, &err));
	clpac_devices_destroy(list);
}

/* --- HDF5 --------------------------------------------------------------------------------------- */

static size_t write_hdf5(hdf5_file *file, uint64_t root, const char *stem, const char *ending, char *path, size_t size)
{
	hdf5_end(file, root);
	return write_as(&file->all, stem, ending, path, size);
}

static void *zeros_of(size_t n)
{
	void *made = calloc(n, 1);
	ck_assert_ptr_nonnull(made);
	return made;
}

static void *repeated(size_t n, const void *what, size_t bytes)
{
	char *made = zeros_of(n * bytes + 1);
	for (size_t i = 0; i < n; i++)
		memcpy(made + i * bytes, what, bytes);
	return made;
}

/* Channels and a name for each.  @param are_one all names are one array, of n letters. */
static size_t write_labels(size_t n, bool are_one, const char *stem, char *path, size_t size)
{
	static const char *const names[] = {"x", "labels"};
	hdf5_file file;
	uint64_t members[2], letters = 0;
	void *samples = zeros_of(n * SAMPLES), *references = zeros_of(8 * n);
	char *text = repeated(are_one ? n : 2, "a", 1);
	hdf5_begin(&file, true);
	for (size_t i = 0; i < n; i++) {
		if (!i || !are_one)
			letters = hdf5_write_letters(&file, text);
		memcpy((char *)references + 8 * i, &letters, 8);
	}
	const hdf5_array x = hdf5_variable((hdf5_type){'i', 1, false}, "int8", n, SAMPLES, samples),
			 cell = hdf5_variable((hdf5_type){'r', 8, false}, "cell", n, 1, references);
	members[0] = hdf5_write_array(&file, &x);
	members[1] = hdf5_write_array(&file, &cell);
	free(samples);
	free(references);
	free(text);
	return write_hdf5(&file, hdf5_write_group(&file, 2, names, members, NULL, 0), stem, ".mat", path, size);
}

static size_t hdf5_labels(size_t n, const char *stem, char *path, size_t size)
{
	return write_labels(n, false, stem, path, size);
}

static size_t hdf5_one_label(size_t n, const char *stem, char *path, size_t size)
{
	return write_labels(n, true, stem, path, size);
}

/* Channels in chunks of one, and a table of their electrodes whose texts are in one heap.
 * @param are_one all texts are the same one, of n letters. */
static size_t write_electrodes(size_t n, bool are_one, const char *stem, char *path, size_t size)
{
	static const char *const of_series[] = {"data", "starting_time", "electrodes"}, *const series[] = {"ES"},
				 *const table[] = {"label", "electrodes", "extracellular_ephys"},
				 *const of_root[] = {"acquisition", "general"};
	const hdf5_attribute rate = {"rate", NULL, 1000}, type = {"neurodata_type", "ElectricalSeries", 0},
			     version = {"nwb_version", "2.7.0", 0};
	hdf5_file file;
	uint64_t members[3], root[2];
	const size_t n_texts = are_one ? 1 : n;
	char *text = repeated(are_one ? n : 2, "a", 1), *samples = zeros_of(SAMPLES * n);
	unsigned char *elements = zeros_of(16 * n);
	double *numbers = zeros_of(8 * n);
	const char **texts = repeated(n_texts, &text, sizeof text);
	for (size_t i = 0; i < n; i++)
		numbers[i] = (double)i;
	hdf5_begin(&file, false);
	hdf5_write_texts(&file, n_texts, texts, elements);
	for (size_t i = n_texts; i < n; i++)
		memcpy(elements + 16 * i, elements, 16);
	const hdf5_array data = {.type = {'i', 1, false},
				 .n_dimensions = 2,
				 .dimensions = {SAMPLES, n},
				 .chunk = {SAMPLES, 1},
				 .elements = samples},
			 start = {.type = {'f', 8, false}, .elements = numbers, .attributes = {rate}},
			 electrodes = {.type = {'f', 8, false},
				       .n_dimensions = 1,
				       .dimensions = {n},
				       .elements = numbers},
			 labels = {
				 .type = {'v', 16, false}, .n_dimensions = 1, .dimensions = {n}, .elements = elements};
	members[0] = hdf5_write_array(&file, &data);
	members[1] = hdf5_write_array(&file, &start);
	members[2] = hdf5_write_array(&file, &electrodes);
	const uint64_t group = hdf5_write_group(&file, COUNT(of_series), of_series, members, &type, 1);
	root[0] = hdf5_write_group(&file, 1, series, &group, NULL, 0);
	root[1] = hdf5_write_array(&file, &labels);
	for (size_t i = 0; i < COUNT(table); i++)
		root[1] = hdf5_write_group(&file, 1, &table[i], &root[1], NULL, 0);
	free(text);
	free(elements);
	free(samples);
	free(numbers);
	free(texts);
	return write_hdf5(&file, hdf5_write_group(&file, 2, of_root, root, &version, 1), stem, ".nwb", path, size);
}

static size_t hdf5_electrodes(size_t n, const char *stem, char *path, size_t size)
{
	return write_electrodes(n, false, stem, path, size);
}

static size_t hdf5_one_electrode(size_t n, const char *stem, char *path, size_t size)
{
	return write_electrodes(n, true, stem, path, size);
}

static void read_samples(const char *path, size_t n)
{
	clpac_error err = {0};
	clpac_recording *recording = files_read(path, NULL);
	size_t *channels = zeros_of(n * sizeof *channels);
	ck_assert_uint_eq(clpac_recording_n_channels(recording), n);
	for (size_t c = 0; c < n; c++)
		channels[c] = c;
	OK(clpac_recording_load(recording, channels, n, &err));
	free(channels);
	clpac_recording_destroy(recording);
}

static void refuse_names(const char *path, size_t n)
{
	(void)n;
	files_refuse(path, NULL, CLPAC_ERROR_FORMAT, "more names than fit in its");
}

/* --- All of them ------------------------------------------------------------------------------- */

static const growth_case cases[] = {
	{"npy: channels", 5000, npy_channels, read_it, 0},
	{"npy: samples", 1000000, npy_samples, read_it, 0},
	{"npy: channels, sample by sample", 5000, npy_by_sample, read_it, 0},
	{"npz: channels", 5000, npz_channels, read_it, 0},
	{"npz: arrays", 500, npz_members, read_it, 0},
	{"raw: samples", 500000, raw_samples, read_one_raw, 0},
	{"raw: channels", 5000, raw_channels, read_many_raw, 0},
	{"CSV: rows", 25000, csv_rows, read_it, 0},
	{"CSV: columns", 5000, csv_columns, read_it, 0},
	{"CSV: comments and empty lines", 25000, csv_comments, read_it, 0},
	{"CSV: letters of a name", 100000, csv_name, read_it, 0},
	{"CSV: empty cells", 10000, csv_empty_cells, read_it, 0},
	{"CSV: times", 10000, csv_times, read_it, 0},
	{"CSV: labels", 25000, csv_labels, read_it, 0},
	{"EDF: signals", 1000, edf_signals, read_it, 0},
	{"EDF: records", 25000, edf_records, read_it, 0},
	{"EDF: records and signals", 500, edf_signals_and_records, read_it, 0},
	{"EDF: annotations", 50000, edf_annotations, read_it, 0},
	{"BDF: triggers", 50000, bdf_triggers, read_it, 0},
	{"EDF: gaps", 10000, edf_gaps, read_it, 0},
	{"EEGLAB: channels", 2500, set_channels, read_it, 0},
	{"EEGLAB: events and boundaries", 10000, set_events, read_it, 0},
	{"EEGLAB: trials", 50000, set_trials, read_it, 0},
	{"MAT: variables", 10000, mat_variables, read_it, 0},
	{"MAT: compressed variables", 5000, mat_packed_variables, read_it, 0},
	{"MAT: cells", 10000, mat_cells, read_it, 0},
	{"MAT 7.3: labels", 1000, hdf5_labels, read_it, 0},
	{"MAT 7.3: one label for all", 2000, hdf5_one_label, refuse_names, 0},
	{"NWB: electrodes", 2500, hdf5_electrodes, read_samples, 0},
	{"NWB: one electrode for all", 2500, hdf5_one_electrode, refuse_names, 0},
	{"BrainVision: channels", 5000, brainvision_channels, read_it, 0},
	{"BrainVision: channels without a name", 5000, brainvision_unnamed, read_it, 0},
	{"BrainVision: escaped commas", 25000, brainvision_escapes, read_it, 0},
	{"BrainVision: keys", 10000, brainvision_keys, read_it, 0},
	{"BrainVision: markers", 10000, brainvision_markers, read_it, 0},
	{"events beside it", 50000, events_beside, read_it, 0},
	{"BrainVision: segments", 2500, brainvision_segments, read_it, 0},
	{"result: channels", 10000, result_channels, read_result, 0},
	{"result: segments", 50000, result_segments, read_result, 0},
	{"result: letters of a name", 100000, result_name, read_result, 0},
	{"trace: buffers", 10000, trace_events, read_trace, 0},
	{"description: entries", 2000, description, read_description, 0},
	{"problem: bands", 2500, problem_bands, read_problem, 0},
	{"problem: shifts", 10000, problem_shifts, read_problem, 0},
	{"devices", 128, devices, read_devices, 200},
};

FIXTURE(files_begin, files_end);

TEST_EACH(each_doubling_of_entries_doubles_time_and_memory, COUNT(cases))
{
	growth_check(&cases[_i]);
}

/* A file of 10 kB, whose 10 MB of zeros were channels of one sample each. */
TEST(channels_of_a_sample_each_are_refused)
{
	char path[4096];
	bytes data = {0};
	add_npy(&data, "i1", 10000000, 1, false);
	write_npz(&data, 0, "tall", path, sizeof path);
	files_refuse(path, NULL, CLPAC_ERROR_FORMAT, "transpose");
}

/* A cell that refers to one array again and again, whose chunk unpacks to 2 MB: each time is paid for. */
TEST(what_is_referred_to_again_is_unpacked_as_often_as_fits)
{
	enum { TIMES = 64, LETTERS = 1 << 20 };
	static const char *const names[] = {"x", "labels"};
	char path[4096];
	hdf5_file file;
	uint64_t members[2], references[TIMES];
	void *zeros = zeros_of(2 * LETTERS);
	hdf5_array letters = hdf5_variable((hdf5_type){'u', 2, false}, "char", 1, 1, "a");
	hdf5_begin(&file, true);
	letters.chunk[0] = LETTERS;
	letters.chunk[1] = 1;
	letters.is_packed = true;
	references[0] = hdf5_write_array(&file, &letters);
	for (size_t i = 1; i < TIMES; i++)
		references[i] = references[0];
	const hdf5_array x = hdf5_variable((hdf5_type){'i', 1, false}, "int8", 2, SAMPLES, zeros),
			 cell = hdf5_variable((hdf5_type){'r', 8, false}, "cell", TIMES, 1, references);
	members[0] = hdf5_write_array(&file, &x);
	members[1] = hdf5_write_array(&file, &cell);
	write_hdf5(&file, hdf5_write_group(&file, 2, names, members, NULL, 0), "again", ".mat", path, sizeof path);
	files_refuse(path, NULL, CLPAC_ERROR_FORMAT, "more small arrays than fit in its");
	free(zeros);
}
