/* Raw samples: sample by sample over the channels, in the type and byte order given by the option. */
#include "runner.h"

#include <stdlib.h>

#include "assertions.h"
#include "files.h"
#include "read_files.h"

FIXTURE(files_begin, files_end);

TEST(samples_are_taken_channel_by_channel_from_each_row)
{
	for (int is_big = 0; is_big < 2; is_big++) {
		bytes data = {0};
		for (unsigned k = 0; k < 12; k++)
			bytes_add_number(&data, 1000 * (k % 3) + k / 3, 2, is_big);
		const clpac_read_options options = {.raw = is_big ? ">i2:3" : "i2:3", .rate_hz = 128};
		clpac_recording *r = files_read(files_write("made.dat", data.data, data.n), &options);
		ck_assert_str_eq(clpac_recording_format(r), "raw");
		ck_assert_uint_eq(clpac_recording_n_channels(r), 3);
		for (size_t c = 0; c < 3; c++) {
			ck_assert_uint_eq(clpac_recording_channel(r, c)->n_samples, 4);
			ck_assert_double_eq(clpac_recording_channel(r, c)->rate_hz, 128);
			for (size_t i = 0; i < 4; i++)
				ck_assert_double_eq(files_sample(r, c, i), (double)(1000 * c + i));
		}
		clpac_recording_destroy(r);
		bytes_free(&data);
	}
}

/* More than one chunk of a mebibyte, with rows that do not divide it. */
TEST(a_file_of_several_chunks_is_read_whole)
{
	enum { ROW = 7, N = 60001 };
	bytes data = {.n = (size_t)ROW * N * 4};
	data.data = calloc(data.n, 1);
	float *values = (float *)(void *)data.data;
	for (size_t k = 0; k < (size_t)ROW * N; k++)
		values[k] = (float)(k % 100003);
	clpac_recording *r =
		files_read(files_write("made.dat", data.data, data.n), &(clpac_read_options){.raw = "f4:7"});
	for (size_t c = 0; c < ROW; c++)
		for (size_t i = 0; i < N; i++)
			if (files_sample(r, c, i) != (double)((i * ROW + c) % 100003))
				ck_abort_msg("channel %zu, sample %zu", c, i);
	clpac_recording_destroy(r);
	bytes_free(&data);
}

/* The option decides, whatever the content looks like. */
TEST(raw_overrules_what_the_file_looks_like)
{
	clpac_recording *r =
		files_read(files_write("fake.npy", "\x93NUMPY\1\0", 8), &(clpac_read_options){.raw = "u1:4"});
	ck_assert_uint_eq(clpac_recording_n_channels(r), 4);
	ck_assert_double_eq(files_sample(r, 0, 0), 0x93);
	clpac_recording_destroy(r);
}

TEST(a_wrong_description_is_refused)
{
	static const char *const types[] = {"", "f", "f4x:1", "q4:1", "4f:1", ">>f4:1", "f16:1", "<:1", "i4 :2"};
	static const char *const counts[] = {"f4",
					     "f4:",
					     "f4:0",
					     "f4:-1",
					     "f4: 1",
					     "f4:1x",
					     "f4:99999999999999999999999",
					     "f4:18446744073709551615"};
	const char *path = files_write("made.dat", "12345678", 8);
	for (size_t i = 0; i < COUNT(types); i++)
		files_refuse(path, &(clpac_read_options){.raw = types[i]}, CLPAC_ERROR_ARGUMENT,
			     "the type must be one of i1, u1");
	for (size_t i = 0; i < COUNT(counts); i++)
		files_refuse(path, &(clpac_read_options){.raw = counts[i]}, CLPAC_ERROR_ARGUMENT,
			     "the number of channels must follow");
}

TEST(a_size_that_does_not_fit_the_description_is_refused)
{
	const char *path = files_write("made.dat", "123456789", 9);
	files_refuse(path, &(clpac_read_options){.raw = "f4:1"}, CLPAC_ERROR_FORMAT,
		     "9 bytes, which is no multiple of 1 channels of 4");
	files_refuse(path, &(clpac_read_options){.raw = "f8:1000000000000"}, CLPAC_ERROR_FORMAT, "no multiple");
}
