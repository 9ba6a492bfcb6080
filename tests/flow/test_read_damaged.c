/* A small valid file of every format, cut at every length, and with every byte of its head changed: reading ends with a
 * recording or an error, never in a crash (run the test under the address sanitizer), and never requests memory that
 * the file's size does not justify. To check this, the linker redirects every allocation of clpac to this file
 * (--wrap); this way each can be made to fail too. */
#include "runner.h"

#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zip.h>

#include "assertions.h"
#include "edf_file.h"
#include "files.h"
#include "hdf5_bytes.h"
#include "mat_bytes.h"
#include "read_files.h"

/* The readers' fixed buffers are at most 64 KiB for files as small as these; a table entry of 128 bytes for each byte
 * of a file is more than any reader needs. */
enum { FIXED_BYTES = 1 << 17, BYTES_EACH = 128 };
static size_t largest_request, n_requests, failing_request;

void *__real_malloc(size_t n);
void *__real_calloc(size_t n, size_t each);
void *__real_realloc(void *old, size_t n);
void *__wrap_malloc(size_t n);
void *__wrap_calloc(size_t n, size_t each);
void *__wrap_realloc(void *old, size_t n);

/* Decides whether a request is granted. */
static bool watch(size_t n)
{
	largest_request = n > largest_request ? n : largest_request;
	return ++n_requests != failing_request;
}

void *__wrap_malloc(size_t n)
{
	return watch(n) ? __real_malloc(n) : NULL;
}

void *__wrap_calloc(size_t n, size_t each)
{
	return watch(each && n > SIZE_MAX / each ? SIZE_MAX : n * each) ? __real_calloc(n, each) : NULL;
}

void *__wrap_realloc(void *old, size_t n)
{
	return watch(n) ? __real_realloc(old, n) : NULL;
}

/* Reads every value, so that a sanitizer checks it. */
static double use(const clpac_recording *r)
{
	double sum = 0;
	for (size_t c = 0; c < clpac_recording_n_channels(r); c++) {
		const clpac_channel *channel = clpac_recording_channel(r, c);
		sum += (double)strlen(channel->name) + (double)strlen(channel->unit);
		for (size_t i = 0; i < channel->n_samples; i++)
			sum += files_sample(r, c, i);
	}
	for (size_t i = 0; i < clpac_recording_n_annotations(r); i++)
		sum += (double)strlen(clpac_recording_annotation(r, i)->text);
	for (size_t i = 0; i < clpac_recording_n_stretches(r); i++)
		sum += clpac_recording_stretch(r, i)->seconds;
	return sum;
}

/* Reads `path` while the open file holds the n bytes. The file is rewritten in place: creating new files takes a disk
 * too long. */
static void survive(int file, const void *data, size_t n, const char *path, const clpac_read_options *options,
		    const char *what, size_t at)
{
	clpac_recording *r = NULL;
	clpac_error err = {0};
	ck_assert_int_eq(pwrite(file, data, n, 0), (ssize_t)n);
	ck_assert_int_eq(ftruncate(file, (off_t)n), 0);
	largest_request = n_requests = 0;
	clpac_status st = clpac_recording_read(path, options, &r, &err);
	ck_assert_msg(largest_request <= FIXED_BYTES + BYTES_EACH * n,
		      "%s %zu: %zu bytes were asked for, the file has %zu", what, at, largest_request, n);
	if (st == CLPAC_OK) {
		volatile double sum = use(r);
		(void)sum;
	} else {
		ck_assert_ptr_null(r);
		ck_assert_msg(strlen(err.text) > 10 && !strchr(err.text, '\n'), "%s %zu: \"%s\"", what, at, err.text);
		ck_assert_msg(st == CLPAC_ERROR_FORMAT || st == CLPAC_ERROR_IO || st == CLPAC_ERROR_ARGUMENT,
			      "%s %zu: %s", what, at, err.text);
	}
	clpac_recording_destroy(r);
}

/* Reads a valid file while its k-th allocation fails, for every k: out of memory is reported, nothing leaks, nothing is
 * left behind. */
static void starve(const char *path, const clpac_read_options *options)
{
	for (size_t k = 1;; k++) {
		clpac_recording *r = NULL;
		clpac_error err = {0};
		n_requests = 0;
		failing_request = k;
		clpac_status st = clpac_recording_read(path, options, &r, &err);
		size_t needed = n_requests;
		failing_request = 0;
		if (st == CLPAC_OK) {
			ck_assert_uint_eq(k, needed + 1);
			clpac_recording_destroy(r);
			return;
		}
		ck_assert_msg(st == CLPAC_ERROR_NO_MEMORY, "allocation %zu of %s: %s", k, path, err.text);
		ck_assert_ptr_null(r);
		ck_assert_ptr_nonnull(strstr(err.text, "no memory left"));
	}
}

/* Cuts the file at every length and changes every byte of its first n_head in several ways. */
static void damage(const char *name, bytes file, size_t n_head, const char *read_name,
		   const clpac_read_options *options)
{
	static const unsigned char others[] = {0x00, 0xff, '9', '-', ' ', '\n', '='};
	char path[512];
	snprintf(path, sizeof path, "%s", files_path(read_name));
	int damaged = open(files_path(name), O_RDWR | O_CREAT, 0600);
	ck_assert_int_ge(damaged, 0);
	for (size_t n = 0; n < file.n; n++)
		survive(damaged, file.data, n, path, options, "cut at", n);
	for (size_t i = 0; i < n_head && i < file.n; i++) {
		unsigned char good = file.data[i];
		for (size_t k = 0; k < sizeof others + 8; k++) {
			file.data[i] = k < 8 ? (unsigned char)(good ^ 1u << k) : others[k - 8];
			survive(damaged, file.data, file.n, path, options, "changed byte", i);
		}
		file.data[i] = good;
	}
	survive(damaged, file.data, file.n, path, options, "whole", 0);
	clpac_recording_destroy(files_read(path, options));
	starve(path, options);
	ck_assert_msg(n_requests > 0, "allocations are not watched");
	close(damaged);
	bytes_free(&file);
}

FIXTURE(files_begin, files_end);
SECONDS(600);

/* The file has a gap, and its annotation lists are changed like the head. */
TEST_EACH(damaged_edf_files_are_survived, 2)
{
	edf_file made = edf_good(_i);
	const char *name = _i ? "made.bdf" : "made.edf";
	made.reserved = _i ? "BDF+D" : "EDF+D";
	made.signals[1].label = "Status"; /* which has triggers in BDF */
	EDF_LIST(&made, 2,
		 "+20\x14\x14\0+2.5\x14"
		 "end\x14");
	damage(name, edf_bytes(&made), 2000, name, NULL);
}

static bytes small_npy(void)
{
	static const char head[] =
		"\x93NUMPY\2\0\x3c\0\0\0{'descr': '>i2', 'fortran_order': True, 'shape': (3, 2), }   \n";
	bytes made = {0};
	bytes_add(&made, head, sizeof head - 1);
	bytes_add(&made, "abcdefghijkl", 12);
	return made;
}

TEST(damaged_npy_files_are_survived)
{
	damage("made.npy", small_npy(), 1000, "made.npy", NULL);
}

TEST_EACH(damaged_npz_files_are_survived, 2)
{
	const char *path = files_path("made.npz");
	bytes array = small_npy();
	int code;
	zip_t *archive = zip_open(path, ZIP_CREATE | ZIP_EXCL, &code);
	ck_assert_ptr_nonnull(archive);
	zip_int64_t index = zip_file_add(archive, "data.npy", zip_source_buffer(archive, array.data, array.n, 0), 0);
	ck_assert_int_eq(zip_set_file_compression(archive, (zip_uint64_t)index, _i ? ZIP_CM_DEFLATE : ZIP_CM_STORE, 0),
			 0);
	ck_assert_int_eq(zip_close(archive), 0);
	damage("made.npz", files_content(path), 1000, "made.npz", NULL);
	bytes_free(&array);
}

static bytes text_bytes(const char *text)
{
	bytes made = {0};
	bytes_add(&made, text, strlen(text));
	return made;
}

TEST(damaged_csv_files_are_survived)
{
	damage("made.csv", text_bytes("# x\ntime;\"Fz\";Cz\r\n0;1;2\r\n0.5;-3.25;\r\n1;nan;1e3\r\n"), 1000, "made.csv",
	       NULL);
}

TEST(damaged_raw_files_are_survived)
{
	damage("made.dat", text_bytes("12345678abcdefgh"), 16, "made.dat", &(clpac_read_options){.raw = ">f4:2"});
}

/* A data set of EEGLAB with one event and a boundary; its samples are within, or beside.  Bit 1: its fields are
 * variables. Bit 2: they are compressed. */
static bytes small_set(int how, bool is_beside)
{
	static const char *const names[] = {"nbchan", "pnts", "trials", "srate", "data", "chanlocs", "event"};
	static const char *const of_channel[] = {"labels"}, *const of_event[] = {"type", "latency"};
	static const double samples[] = {1, 2, 3, 4, 5, 6, 7, 8};
	bytes to = {0}, all = {0};
	const bool is_flat = how & 1;
	mat_head(&to, how & 1);
	const size_t place = is_flat ? 0 : mat_begin(&all, "EEG", MAT_STRUCT, 1, 1, 0);
	if (!is_flat)
		mat_fields(&all, names, COUNT(names));
	for (size_t i = 0; i < COUNT(names); i++) {
		const char *name = is_flat ? names[i] : "";
		bytes field = {0};
		if (i < 4)
			mat_number(&field, name, (const double[]){2, 2, 2, 100}[i]);
		else if (i == 4 && is_beside)
			mat_text(&field, name, "made.fdt");
		else if (i == 4)
			mat_array(&field, name, MAT_CLASS_SINGLE, MAT_F4, 2, 2, 2, samples);
		else {
			const size_t begin = mat_begin(&field, name, MAT_STRUCT, 1, 2, 0);
			mat_fields(&field, i == 5 ? of_channel : of_event, i == 5 ? 1 : 2);
			for (size_t k = 0; k < 2; k++) {
				mat_text(&field, "", i == 5 ? "Fz" : k ? "boundary" : "go");
				if (i == 6)
					mat_number(&field, "", (double)(k + 2));
			}
			mat_end(&field, begin);
		}
		if (is_flat && how & 2)
			mat_packed(&to, &field);
		else
			bytes_add(is_flat ? &to : &all, field.data, field.n);
		bytes_free(&field);
	}
	if (!is_flat) {
		mat_end(&all, place);
		if (how & 2)
			mat_packed(&to, &all);
		else
			bytes_add(&to, all.data, all.n);
	}
	bytes_free(&all);
	return to;
}

TEST_EACH(damaged_data_sets_of_eeglab_are_survived, 6)
{
	files_write("made.fdt", "0123456789abcdef0123456789abcdef", 32);
	if (_i < 5) {
		damage("made.set", small_set(_i & 3, _i == 4), 1400, "made.set", NULL);
		return;
	}
	bytes set = small_set(0, true);
	files_write("made.set", set.data, set.n);
	bytes_free(&set);
	damage("made.fdt", text_bytes("0123456789abcdef0123456789abcdef"), 32, "made.set", NULL);
}

TEST_EACH(damaged_mat_files_are_survived, 2)
{
	static const double samples[] = {1, 2, 3, 4, 5, 6};
	bytes to = {0}, variable = {0};
	mat_head(&to, false);
	const size_t place = mat_begin(&to, "labels", MAT_CELL, 2, 1, 0);
	mat_text(&to, "", "Fz");
	mat_text(&to, "", "Cz");
	mat_end(&to, place);
	mat_number(&to, "srate", 100);
	mat_array(&variable, "x", MAT_CLASS_DOUBLE, MAT_I2, 2, 3, 0, samples);
	if (_i)
		mat_packed(&to, &variable);
	else
		bytes_add(&to, variable.data, variable.n);
	bytes_free(&variable);
	damage("made.mat", to, 1000, "made.mat", NULL);
}

/* A recording of MATLAB 7.3, or of NWB; in one piece, or packed in chunks. */
static bytes small_hdf5(int how)
{
	static const float samples[] = {1, 2, 3, 4, 5, 6, 7, 8};
	static const char *const names[] = {"x", "labels"}, *const of_series[] = {"data", "starting_time"};
	const hdf5_attribute class = {"MATLAB_class", "single", 0}, rate = {"rate", NULL, 100},
			     type = {"neurodata_type", "ElectricalSeries", 0}, version = {"nwb_version", "2", 0};
	const bool is_nwb = how & 1, is_packed = how & 2;
	hdf5_file file;
	uint64_t members[2];
	unsigned char references[16] = {0};
	hdf5_array data = {.type = {'f', 4, false}, .n_dimensions = 2, .dimensions = {4, 2}, .elements = samples};
	data.attributes[0] = class;
	if (is_packed) {
		data.chunk[0] = 3;
		data.chunk[1] = 2;
		data.is_shuffled = data.is_packed = data.is_summed = true;
	}
	hdf5_begin(&file, !is_nwb);
	members[0] = hdf5_write_array(&file, &data);
	if (is_nwb) {
		hdf5_array time = {.type = {'f', 4, false}, .n_dimensions = 1, .dimensions = {1}, .elements = samples};
		time.attributes[0] = rate;
		members[1] = hdf5_write_array(&file, &time);
		uint64_t group = hdf5_write_group(&file, 2, of_series, members, &type, 1);
		group = hdf5_write_group(&file, 1, (const char *const[]){"ES"}, &group, NULL, 0);
		hdf5_end(&file, hdf5_write_group(&file, 1, (const char *const[]){"acquisition"}, &group, &version, 1));
	} else {
		for (size_t i = 0; i < 2; i++) {
			const uint64_t at = hdf5_write_letters(&file, i ? "Cz" : "Fz");
			for (size_t k = 0; k < 8; k++)
				references[8 * i + k] = (unsigned char)(at >> 8 * k);
		}
		const hdf5_array cell = hdf5_variable((hdf5_type){'r', 8, false}, "cell", 2, 1, references);
		members[1] = hdf5_write_array(&file, &cell);
		hdf5_end(&file, hdf5_write_group(&file, 2, names, members, NULL, 0));
	}
	return file.all;
}

TEST_EACH(damaged_hdf5_files_are_survived, 4)
{
	const char *name = _i & 1 ? "made.nwb" : "made.mat";
	damage(name, small_hdf5(_i), 2000, name, NULL);
}

static const char header[] =
	"Brain Vision Data Exchange Header File Version 1.0\n[Common Infos]\nCodepage=UTF-8\nDataFile=made.eeg\n"
	"MarkerFile=made.vmrk\nDataFormat=BINARY\nDataOrientation=VECTORIZED\nNumberOfChannels=2\nDataPoints=4\n"
	"SamplingInterval=2000\n[Binary Infos]\nBinaryFormat=INT_16\n[Channel Infos]\nCh1=Fz,,0.5,\xc2\xb5V\n"
	"Ch2=C\\1z,,1,V\n";
static const char markers[] =
	"Brain Vision Data Exchange Marker File, Version 1.0\n[Common Infos]\nCodepage=UTF-8\n[Marker Infos]\n"
	"Mk1=New Segment,,1,1,0,20200101000000000000\nMk2=New Segment,,3,1,0,20200101000010000000\n"
	"Mk3=Stimulus,S\\1 1,4,2,0\n";

TEST_EACH(damaged_brainvision_files_are_survived, 3)
{
	files_write_text("made.vhdr", header);
	files_write_text("made.vmrk", markers);
	files_write_text("made.eeg", "0123456789abcdef");
	if (_i == 0)
		damage("made.vhdr", text_bytes(header), 1000, "made.vhdr", NULL);
	else if (_i == 1)
		damage("made.vmrk", text_bytes(markers), 1000, "made.vhdr", NULL);
	else
		damage("made.eeg", text_bytes("0123456789abcdef"), 16, "made.vhdr", NULL);
}
