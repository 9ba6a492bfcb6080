/* Writing samples as .npy, and the checksum of files. */
#include "runner.h"
#include "assertions.h"
#include "made_result.h"
#include "recording/write/npz_output.h"

#include <clpac/read.h>
#include <clpac/recording.h>
#include <clpac/write.h>

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

FIXTURE(make_scratch, remove_scratch);

TEST(samples_are_written_as_the_format_demands)
{
	clpac_error err;
	const float samples[6] = {0.1f, -2, NAN, INFINITY, 1e-40f, 3};
	char expected[128];
	size_t bytes;
	assert_works(clpac_npy_write(scratch_path("a.npy"), samples, 2, 3, false, &err), err);
	char *file = scratch_read("a.npy", &bytes);
	memcpy(expected, "\x93NUMPY\x01\x00\x76\x00", 10);
	snprintf(expected + 10, sizeof expected - 10, "%-117s",
		 "{'descr': '" CLPAC__NPY_ORDER "f4', 'fortran_order': False, 'shape': (2, 3), }");
	expected[127] = '\n';
	ck_assert_uint_eq(bytes, 128 + sizeof samples);
	ck_assert_mem_eq(file, expected, sizeof expected);
	ck_assert_mem_eq(file + 128, samples, sizeof samples);
	free(file);
}

TEST(what_is_written_is_read_back_as_a_recording)
{
	clpac_error err;
	clpac_recording *recording = NULL;
	const float samples[6] = {0.1f, -2, 5, 7, 1e-40f, 3};
	assert_works(clpac_npy_write(scratch_path("a.npy"), samples, 2, 3, false, &err), err);
	assert_works(clpac_recording_read(scratch_path("a.npy"), NULL, &recording, &err), err);
	ck_assert_uint_eq(clpac_recording_n_channels(recording), 2);
	for (size_t ch = 0; ch < 2; ch++) {
		const clpac_channel *channel = clpac_recording_channel(recording, ch);
		ck_assert_int_eq(channel->type, CLPAC_FLOAT32);
		ck_assert_uint_eq(channel->n_samples, 3);
		ck_assert_mem_eq(channel->samples, samples + 3 * ch, 3 * sizeof(float));
	}
	clpac_recording_destroy(recording);
}

TEST(more_samples_than_addresses_are_refused)
{
	clpac_error err;
	const float sample = 0;
	assert_refused(clpac_npy_write(scratch_path("a.npy"), &sample, SIZE_MAX / 2, 3, false, &err), err,
		       CLPAC_ERROR_ARGUMENT, "x 3 samples");
	ck_assert_uint_eq(scratch_count(), 0);
}

TEST(a_checksum_is_sha_256)
{
	/* FIPS 180-4 examples: "abc", the empty message, and a million times "a". */
	static const struct {
		size_t repeated;
		const char *piece, *checksum;
	} vectors[] = {
		{1, "abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"},
		{0, "", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"},
		{1000000, "a", "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0"},
	};
	for (size_t i = 0; i < COUNT(vectors); i++) {
		clpac_error err;
		char text[65];
		size_t length = strlen(vectors[i].piece);
		char *message = calloc(vectors[i].repeated * length + 1, 1);
		ck_assert_ptr_nonnull(message);
		for (size_t k = 0; k < vectors[i].repeated; k++)
			memcpy(message + k * length, vectors[i].piece, length);
		scratch_write("message", message, vectors[i].repeated * length);
		free(message);
		assert_works(clpac_file_checksum(scratch_path("message"), text, &err), err);
		ck_assert_str_eq(text, vectors[i].checksum);
	}
}

TEST(a_checksum_of_nothing_is_an_error)
{
	clpac_error err;
	char text[65];
	assert_refused(clpac_file_checksum(scratch_path("none"), text, &err), err, CLPAC_ERROR_IO, "none");
	ck_assert_int_eq(err.native_code, ENOENT);
	assert_refused(clpac_file_checksum(scratch_path(""), text, &err), err, CLPAC_ERROR_IO, "clpac-test");
	ck_assert_int_eq(err.native_code, EISDIR);
}
