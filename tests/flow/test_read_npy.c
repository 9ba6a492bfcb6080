/* .npy: every encoding in both orders of bytes and axes, and a refusal by name for each kind of fault. */
#include "runner.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <clpac/write.h>

#include "assertions.h"
#include "files.h"
#include "read_files.h"

/* An .npy file of a version, made from its dictionary and data. */
static bytes npy_bytes(int version, const char *dictionary, const bytes *data)
{
	bytes made = {0};
	const unsigned char head[] = {0x93, 'N', 'U', 'M', 'P', 'Y', (unsigned char)version, 0};
	bytes_add(&made, head, sizeof head);
	bytes_add_number(&made, strlen(dictionary), version == 1 ? 2 : 4, 0);
	bytes_add(&made, dictionary, strlen(dictionary));
	if (data)
		bytes_add(&made, data->data, data->n);
	return made;
}

static const char *write_npy(int version, const char *dictionary, const bytes *data)
{
	bytes made = npy_bytes(version, dictionary, data);
	const char *path = files_write("made.npy", made.data, made.n);
	bytes_free(&made);
	return path;
}

typedef struct encoding {
	const char *name;
	size_t n_bytes;
	clpac_sample_type type;
	uint64_t bits[2];
	double values[2];
} encoding;

/* Extreme values, with the bits of two's complement and of IEEE 754. */
static const encoding encodings[] = {
	{"i1", 1, CLPAC_FLOAT32, {0x80, 0x7f}, {-128, 127}},
	{"u1", 1, CLPAC_FLOAT32, {0xff, 1}, {255, 1}},
	{"i2", 2, CLPAC_FLOAT32, {0x8000, 0x7ffe}, {-32768, 32766}},
	{"u2", 2, CLPAC_FLOAT32, {0xffff, 0x102}, {65535, 258}},
	{"i4", 4, CLPAC_FLOAT64, {0x80000000, 0x7ffffffe}, {-2147483648.0, 2147483646}},
	{"u4", 4, CLPAC_FLOAT64, {0xffffffff, 0x1020304}, {4294967295.0, 16909060}},
	{"i8", 8, CLPAC_FLOAT64, {0xffe0000000000000, 0x1fffffffffffff}, {-0x1p53, 0x1p53 - 1}},
	{"u8", 8, CLPAC_FLOAT64, {0x1fffffffffffff, 3}, {0x1p53 - 1, 3}},
	{"f2", 2, CLPAC_FLOAT32, {0xfbff, 0x0001}, {-65504, 0x1p-24}},
	{"f4", 4, CLPAC_FLOAT32, {0xc2280000, 0x00800000}, {-42, 0x1p-126}},
	{"f8", 8, CLPAC_FLOAT64, {0xc045000000000000, 0x3ff0000000000001}, {-42, 1 + 0x1p-52}},
};
enum { ENCODING_COUNT = COUNT(encodings) };

FIXTURE(files_begin, files_end);

/* 2 channels x 3 samples of alternating values; the bits of i give byte order and axis order. */
TEST_EACH(every_encoding_is_read_in_every_order, 4 * ENCODING_COUNT)
{
	const encoding *e = &encodings[_i / 4];
	int is_big = _i & 1, is_fortran = _i >> 1 & 1;
	bytes data = {0};
	char text[128];
	for (int k = 0; k < 6; k++) {
		int channel = is_fortran ? k % 2 : k / 3, sample = is_fortran ? k / 2 : k % 3;
		bytes_add_number(&data, e->bits[(channel + sample) % 2], e->n_bytes, is_big);
	}
	snprintf(text, sizeof text, "{'descr': '%c%s', 'fortran_order': %s, 'shape': (2, 3), }\n", is_big ? '>' : '<',
		 e->name, is_fortran ? "True" : "False");
	clpac_recording *r = files_read(write_npy(1, text, &data), NULL);
	ck_assert_str_eq(clpac_recording_format(r), "npy");
	ck_assert_uint_eq(clpac_recording_n_channels(r), 2);
	ck_assert_uint_eq(clpac_recording_n_warnings(r), 0);
	for (size_t c = 0; c < 2; c++) {
		const clpac_channel *channel = clpac_recording_channel(r, c);
		ck_assert_str_eq(channel->name, c ? "1" : "0");
		ck_assert_uint_eq(channel->n_samples, 3);
		ck_assert_int_eq(channel->type, e->type);
		ck_assert_double_eq(channel->rate_hz, 0);
		for (size_t i = 0; i < 3; i++)
			ck_assert_double_eq(files_sample(r, c, i), e->values[(c + i) % 2]);
	}
	clpac_recording_destroy(r);
	bytes_free(&data);
}

TEST(half_precision_keeps_its_special_values)
{
	bytes data = {0};
	static const unsigned bits[] = {0x7c00, 0xfc00, 0x7e00, 0x0000, 0x8000, 0x0400, 0x3555};
	for (size_t i = 0; i < 7; i++)
		bytes_add_number(&data, bits[i], 2, 0);
	clpac_recording *r =
		files_read(write_npy(1, "{'descr': '<f2', 'fortran_order': False, 'shape': (7,), }\n", &data), NULL);
	ck_assert(files_sample(r, 0, 0) == INFINITY && files_sample(r, 0, 1) == -INFINITY);
	ck_assert(isnan(files_sample(r, 0, 2)));
	ck_assert(files_sample(r, 0, 3) == 0 && signbit(files_sample(r, 0, 4)));
	ck_assert_double_eq(files_sample(r, 0, 5), 0x1p-14);
	ck_assert_double_eq(files_sample(r, 0, 6), 1365 * 0x1p-12);
	clpac_recording_destroy(r);
	bytes_free(&data);
}

TEST(every_version_and_spelling_of_the_header_is_read)
{
	static const char *const dictionaries[] = {
		"{'descr': '<i2', 'fortran_order': False, 'shape': (3,), }\n",
		"{'descr':'<i2','fortran_order':False,'shape':(3,)}",
		"{\"shape\": (3L,), \"fortran_order\": True, \"descr\": \"<i2\"}     \n",
		"{'descr': '<i2', 'fortran_order': False, 'shape': (1, 3), }\n",
	};
	bytes data = {0};
	for (unsigned i = 0; i < 3; i++)
		bytes_add_number(&data, 10 + i, 2, 0);
	for (int version = 1; version <= 3; version++)
		for (size_t d = 0; d < COUNT(dictionaries); d++) {
			clpac_recording *r = files_read(write_npy(version, dictionaries[d], &data), NULL);
			ck_assert_uint_eq(clpac_recording_n_channels(r), 1);
			ck_assert_double_eq(files_sample(r, 0, 2), 12);
			clpac_recording_destroy(r);
		}
	bytes_free(&data);
}

TEST(what_is_written_is_read_back)
{
	const float samples[] = {1, -2.5f, 3, 4, 5, 0.1f};
	const char *path = files_path("written.npy");
	clpac_error err;
	ck_assert_msg(clpac_npy_write(path, samples, 2, 3, false, &err) == CLPAC_OK, "%s", err.text);
	clpac_recording *r = files_read(path, &(clpac_read_options){.rate_hz = 250});
	for (size_t k = 0; k < 6; k++)
		ck_assert_double_eq(files_sample(r, k / 3, k % 3), (double)samples[k]);
	ck_assert_double_eq(clpac_recording_channel(r, 1)->rate_hz, 250);
	clpac_recording_destroy(r);
}

TEST(bytes_behind_the_array_and_upright_arrays_are_warned_of)
{
	bytes data = {0};
	for (unsigned i = 0; i < 7; i++)
		bytes_add_number(&data, i, 1, 0);
	clpac_recording *r =
		files_read(write_npy(1, "{'descr': '|i1', 'fortran_order': False, 'shape': (3, 2)}", &data), NULL);
	ck_assert_uint_eq(files_warned(r, "1 bytes follow"), 1);
	ck_assert_uint_eq(files_warned(r, "3 channels of 2 samples"), 1);
	clpac_recording_destroy(r);
	bytes_free(&data);
}

static const struct {
	const char *dictionary, *error;
} wrong[] = {
	{"", "does not start with '{'"},
	{"{", "cannot be read at byte 1"},
	{"{'descr' '<f4'}", "cannot be read"},
	{"{'descr': '<f4' 'fortran_order': False}", "cannot be read"},
	{"{'descr': '<c8', 'fortran_order': False, 'shape': (1,)}", "type \"<c8\""},
	{"{'descr': '|S4', 'fortran_order': False, 'shape': (1,)}", "type \"|S4\""},
	{"{'descr': '|b1', 'fortran_order': False, 'shape': (1,)}", "type \"|b1\""},
	{"{'descr': '', 'fortran_order': False, 'shape': (1,)}", "type \"\""},
	{"{'descr': 3, 'fortran_order': False, 'shape': (1,)}", "'descr'"},
	{"{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (1,)}", "several fields"},
	{"{'descr': '<f4', 'fortran_order': Maybe, 'shape': (1,)}", "neither True nor False"},
	{"{'descr': '<f4', 'fortran_order': False, 'shape': 4}", "shape"},
	{"{'descr': '<f4', 'fortran_order': False, 'shape': (-1,)}", "shape"},
	{"{'descr': '<f4', 'fortran_order': False, 'shape': (99999999999999999999999,)}", "shape"},
	{"{'descr': '<f4', 'fortran_order': False, 'shape': (1 1)}", "shape"},
	{"{'descr': '<f4', 'fortran_order': False, 'shape': ()}", "0 dimensions"},
	{"{'descr': '<f4', 'fortran_order': False, 'shape': (1, 1, 1, 1)}", "4 dimensions"},
	{"{'descr': '<f4', 'fortran_order': True, 'shape': (1, 1, 1)}", "Fortran order"},
	{"{'descr': '<f4', 'fortran_order': False, 'shape': (4294967296, 1, 4294967296)}", "claims"},
	{"{'descr': '<f4', 'fortran_order': False, 'shape': (0,)}", "no samples"},
	{"{'descr': '<f4', 'fortran_order': False, 'shape': (1000000000, 0)}", "no samples"},
	{"{'descr': '<f4', 'fortran_order': False, 'shape': (2,)}", "cut short"},
	{"{'descr': '<f4', 'fortran_order': False, 'shape': (4000000000, 4000000000)}", "claims 4000000000 channels"},
	{"{'descr': '<f4', 'fortran_order': True, 'shape': (18446744073709551615, 2)}", "cut short"},
	{"{'descr': '<f4', 'fortran_order': False}", "lacks \"shape\""},
	{"{'fortran_order': False, 'shape': (1,)}", "lacks \"descr\""},
	{"{'descr': '<f4', 'shape': (1,)}", "lacks \"fortran_order\""},
	{"{'descr': '<f4', 'order': 'C', 'shape': (1,)}", "unknown key \"order\""},
};

TEST_EACH(each_thing_wrong_in_the_header_is_named, COUNT(wrong))
{
	bytes data = {0};
	bytes_add_number(&data, 0, 4, 0);
	files_refuse(write_npy(1, wrong[_i].dictionary, &data), NULL, CLPAC_ERROR_FORMAT, wrong[_i].error);
	bytes_free(&data);
}

TEST(a_wrong_start_is_named)
{
	files_refuse(write_npy(4, "{}", NULL), NULL, CLPAC_ERROR_FORMAT, "version 4.0");
	files_refuse(files_write_text("text.npy", "0.5\n0.25\n1\n2\n"), NULL, CLPAC_ERROR_FORMAT,
		     "does not start as an .npy file");
	files_refuse(files_write("huge.npy", "\x93NUMPY\2\0\xff\xff\xff\xff{'descr'", 20), NULL, CLPAC_ERROR_FORMAT,
		     "header of 4294967295 bytes");
	files_refuse(files_write("short.npy", "\x93NUMPY\1", 7), NULL, CLPAC_ERROR_FORMAT, "ends at byte 7");
}

/* Random numbers of epochs, channels and samples: value e * 100 + c * 10 + i lies in channel c, epoch after epoch. */
TEST_EACH(epochs_follow_each_other_and_are_stretches, 105)
{
	const size_t n_epochs = 1 + (size_t)_i % 5, n_channels = 1 + (size_t)_i % 3, n = 2 + (size_t)_i % 7;
	char dictionary[120];
	bytes data = {0};
	for (size_t e = 0; e < n_epochs; e++)
		for (size_t c = 0; c < n_channels; c++)
			for (size_t i = 0; i < n; i++)
				bytes_add_number(&data, e * 100 + c * 10 + i, 2, 0);
	snprintf(dictionary, sizeof dictionary, "{'descr': '<i2', 'fortran_order': False, 'shape': (%zu, %zu, %zu)}",
		 n_epochs, n_channels, n);
	clpac_recording *r = files_read(write_npy(1, dictionary, &data), &(clpac_read_options){.rate_hz = 7});
	ck_assert_uint_eq(clpac_recording_n_channels(r), n_channels);
	ck_assert_uint_eq(clpac_recording_n_stretches(r), n_epochs > 1 ? n_epochs : 0);
	for (size_t c = 0; c < n_channels; c++) {
		ck_assert_uint_eq(clpac_recording_channel(r, c)->n_samples, n_epochs * n);
		for (size_t k = 0; k < n_epochs * n; k++)
			ck_assert_double_eq(files_sample(r, c, k), (double)(k / n * 100 + c * 10 + k % n));
	}
	for (size_t e = 0; e < clpac_recording_n_stretches(r); e++) {
		const clpac_stretch *stretch = clpac_recording_stretch(r, e);
		ck_assert_double_eq(stretch->onset_seconds, (double)(e * n) / 7);
		ck_assert_double_eq(stretch->first_seconds, stretch->onset_seconds);
		ck_assert_double_eq(stretch->seconds, (double)n / 7);
	}
	clpac_recording_destroy(r);
	r = files_read(write_npy(1, dictionary, &data), NULL);
	ck_assert_uint_eq(clpac_recording_n_stretches(r), 0);
	if (n_epochs > 1)
		files_warned(r, "which are told apart once the sampling rate is given");
	clpac_recording_destroy(r);
	bytes_free(&data);
}
