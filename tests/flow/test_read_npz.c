/* .npz: the choice of the array, stored and deflated members, and a refusal by name for each kind of fault. */
#include "runner.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zip.h>

#include "assertions.h"
#include "files.h"
#include "read_files.h"
#include "recording/read/npy.h"

/* One sample per channel, 7, 8, ...: the number of channels shows which array was read. */
static bytes array_of(unsigned n_channels)
{
	char text[] = "{'descr': '<i2', 'fortran_order': False, 'shape': (N, 1), }\n";
	*strchr(text, 'N') = (char)('0' + n_channels);
	bytes made = {0};
	bytes_add(&made, "\x93NUMPY\1\0", 8);
	bytes_add_number(&made, strlen(text), 2, 0);
	bytes_add(&made, text, strlen(text));
	for (unsigned i = 0; i < n_channels; i++)
		bytes_add_number(&made, 7 + i, 2, 0);
	return made;
}

/* An archive whose k-th member is an array of k + 1 channels, or "text" where the name does not end in .npy. */
static const char *write_npz(const char *const *names, zip_int32_t method)
{
	const char *path = files_path("made.npz");
	remove(path);
	bytes contents[8] = {{0}};
	int code;
	zip_t *archive = zip_open(path, ZIP_CREATE | ZIP_EXCL, &code);
	ck_assert_ptr_nonnull(archive);
	for (unsigned k = 0; names[k]; k++) {
		contents[k] = array_of(k + 1);
		zip_source_t *source = zip_source_buffer(archive, contents[k].data, contents[k].n, 0);
		zip_int64_t index = zip_file_add(archive, names[k], source, 0);
		ck_assert_int_ge(index, 0);
		ck_assert_int_eq(zip_set_file_compression(archive, (zip_uint64_t)index, method, 0), 0);
	}
	ck_assert_msg(zip_close(archive) == 0, "%s", zip_strerror(archive));
	for (unsigned k = 0; names[k]; k++)
		bytes_free(&contents[k]);
	return path;
}

static void check_channels(const char *path, const char *array, size_t n)
{
	clpac_recording *r = files_read(path, &(clpac_read_options){.array = array});
	ck_assert_str_eq(clpac_recording_format(r), "npz");
	ck_assert_uint_eq(clpac_recording_n_channels(r), n);
	for (size_t c = 0; c < n; c++)
		ck_assert_double_eq(files_sample(r, c, 0), (double)(7 + c));
	clpac_recording_destroy(r);
}

FIXTURE(files_begin, files_end);

TEST(the_only_array_is_taken)
{
	check_channels(write_npz((const char *[]){"signal.npy", NULL}, ZIP_CM_STORE), NULL, 1);
	check_channels(write_npz((const char *[]){"signal.npy", NULL}, ZIP_CM_DEFLATE), NULL, 1);
	check_channels(write_npz((const char *[]){"readme.txt", "signal.npy", NULL}, ZIP_CM_DEFLATE), NULL, 2);
}

TEST(of_several_arrays_data_or_the_one_named_is_taken)
{
	const char *path = write_npz((const char *[]){"a.npy", "data.npy", "b.npy", NULL}, ZIP_CM_DEFLATE);
	check_channels(path, NULL, 2);
	check_channels(path, "a", 1);
	check_channels(path, "b", 3);
	check_channels(path, "data", 2);
	files_refuse(path, &(clpac_read_options){.array = "c"}, CLPAC_ERROR_ARGUMENT,
		     "no array \"c\": it has a, data, b");
}

TEST(a_choice_that_must_be_made_lists_the_arrays)
{
	files_refuse(write_npz((const char *[]){"a.npy", "b.npy", NULL}, ZIP_CM_STORE), NULL, CLPAC_ERROR_ARGUMENT,
		     "2 arrays and none is called data: give one as the array, a, b");
	char long_name[200];
	memset(long_name, 'x', sizeof long_name);
	memcpy(long_name + sizeof long_name - 5, ".npy", 5);
	files_refuse(write_npz((const char *[]){"a.npy", long_name, "b\n.npy", "c.npy", "d.npy", NULL}, ZIP_CM_STORE),
		     NULL, CLPAC_ERROR_ARGUMENT, "xxx, b?, c, d");
}

TEST(an_archive_without_arrays_is_refused)
{
	files_refuse(write_npz((const char *[]){"notes.txt", ".npy", NULL}, ZIP_CM_STORE), NULL, CLPAC_ERROR_FORMAT,
		     "holds no array");
	files_refuse(files_write("empty.npz", "PK\5\6\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0", 22), NULL,
		     CLPAC_ERROR_FORMAT, "holds no array");
	files_refuse(files_write("not.npz", "\1\2\3", 3), NULL, CLPAC_ERROR_FORMAT, "cannot be read as .npz");
}

/* The position of a member's signature in the archive. */
static size_t find(const bytes *archive, const char *signature)
{
	for (size_t i = 0; i + 4 <= archive->n; i++)
		if (memcmp(archive->data + i, signature, 4) == 0)
			return i;
	ck_abort_msg("no such signature");
	return 0;
}

TEST(a_size_that_the_archive_cannot_hold_is_refused)
{
	for (int is_deflated = 0; is_deflated < 2; is_deflated++) {
		bytes archive = files_content(
			write_npz((const char *[]){"a.npy", NULL}, is_deflated ? ZIP_CM_DEFLATE : ZIP_CM_STORE));
		/* The unpacked size in the central directory and in the member's local header. */
		memset(archive.data + find(&archive, "PK\1\2") + 24, 0x7f, 4);
		memset(archive.data + find(&archive, "PK\3\4") + 22, 0x7f, 4);
		files_refuse(files_write("claims.npz", archive.data, archive.n), NULL, CLPAC_ERROR_FORMAT,
			     "claims 2139062143 bytes");
		bytes_free(&archive);
	}
}

static void set_number(bytes *archive, size_t at, uint64_t number)
{
	for (size_t i = 0; i < 4; i++)
		archive->data[at + i] = (unsigned char)(number >> 8 * i);
}

/* A claim of sizes, in the central directory and in the local header. */
static const char *write_claim(zip_int32_t method, uint64_t packed, uint64_t unpacked)
{
	bytes archive = files_content(write_npz((const char *[]){"a.npy", NULL}, method));
	const size_t central = find(&archive, "PK\1\2"), local = find(&archive, "PK\3\4");
	if (packed) {
		set_number(&archive, central + 20, packed);
		set_number(&archive, local + 18, packed);
	}
	set_number(&archive, central + 24, unpacked);
	set_number(&archive, local + 22, unpacked);
	const char *path = files_write("claims.npz", archive.data, archive.n);
	bytes_free(&archive);
	return path;
}

static size_t packed_bytes(zip_int32_t method)
{
	bytes archive = files_content(write_npz((const char *[]){"a.npy", NULL}, method));
	const size_t at = find(&archive, "PK\1\2") + 20;
	const size_t n = archive.data[at] | (size_t)archive.data[at + 1] << 8;
	bytes_free(&archive);
	return n;
}

/* DEFLATE packs 1032 bytes into one, and no more; what is stored is as long as it was. */
TEST(a_size_is_refused_from_the_first_byte_that_cannot_be)
{
	const size_t stored = packed_bytes(ZIP_CM_STORE), deflated = packed_bytes(ZIP_CM_DEFLATE);
	char claim[80];
	clpac_recording *r = NULL;
	clpac_error err;
	snprintf(claim, sizeof claim, "claims %zu bytes", stored + 1);
	files_refuse(write_claim(ZIP_CM_STORE, 0, stored + 1), NULL, CLPAC_ERROR_FORMAT, claim);
	snprintf(claim, sizeof claim, "claims %zu bytes, packed into %zu ", 1032 * (deflated + 1), deflated);
	files_refuse(write_claim(ZIP_CM_DEFLATE, 0, 1032 * (deflated + 1)), NULL, CLPAC_ERROR_FORMAT, claim);
	/* One byte less might be true, and is found out by unpacking. */
	const clpac_status st =
		clpac_recording_read(write_claim(ZIP_CM_DEFLATE, 0, 1032 * (deflated + 1) - 1), NULL, &r, &err);
	ck_assert(st != CLPAC_OK || clpac_recording_n_channels(r) == 1);
	ck_assert_ptr_null(st == CLPAC_OK ? NULL : strstr(err.text, "claims"));
	clpac_recording_destroy(r);
	files_refuse(write_claim(ZIP_CM_STORE, 100000, 100000), NULL, CLPAC_ERROR_FORMAT,
		     "claims 100000 bytes, packed into 100000 of an archive of ");
}

/* Zeros, which DEFLATE packs best. */
TEST(an_array_of_zeros_is_read)
{
	enum { N = 1 << 22 };
	static const char text[] = "{'descr': '<i2', 'fortran_order': False, 'shape': (1, 2097152), }\n";
	bytes made = {0};
	bytes_add(&made, "\x93NUMPY\1\0", 8);
	bytes_add_number(&made, strlen(text), 2, 0);
	bytes_add(&made, text, strlen(text));
	const size_t head = made.n;
	static const unsigned char zeros[1 << 16];
	while (made.n < head + N)
		bytes_add(&made, zeros, sizeof zeros);
	int code;
	remove(files_path("zeros.npz"));
	zip_t *archive = zip_open(files_path("zeros.npz"), ZIP_CREATE | ZIP_EXCL, &code);
	ck_assert_ptr_nonnull(archive);
	const zip_int64_t index = zip_file_add(archive, "a.npy", zip_source_buffer(archive, made.data, made.n, 0), 0);
	ck_assert_int_ge(index, 0);
	ck_assert_int_eq(zip_set_file_compression(archive, (zip_uint64_t)index, ZIP_CM_DEFLATE, 9), 0);
	ck_assert_int_eq(zip_close(archive), 0);
	bytes_free(&made);
	bytes packed = files_content(files_path("zeros.npz"));
	ck_assert_uint_lt(packed.n, N / 900);
	bytes_free(&packed);
	clpac_recording *r = files_read(files_path("zeros.npz"), NULL);
	ck_assert_uint_eq(clpac_recording_channel(r, 0)->n_samples, N / 2);
	ck_assert_double_eq(files_sample(r, 0, N / 2 - 1), 0);
	clpac_recording_destroy(r);
}

/* What libzip and zlib say of lacking memory, each in its way, is told from damage. */
TEST(lack_of_memory_is_no_damage)
{
	static const struct {
		int zip, system, number;
		clpac_status st;
	} cases[] = {{ZIP_ER_MEMORY, 0, 0, CLPAC_ERROR_NO_MEMORY}, {ZIP_ER_ZLIB, -4, 0, CLPAC_ERROR_NO_MEMORY},
		     {ZIP_ER_ZLIB, -3, 0, CLPAC_ERROR_FORMAT},	   {ZIP_ER_NOZIP, 0, ENOMEM, CLPAC_ERROR_NO_MEMORY},
		     {ZIP_ER_NOZIP, 0, 0, CLPAC_ERROR_FORMAT},	   {ZIP_ER_NOZIP, 0, ENOENT, CLPAC_ERROR_FORMAT},
		     {ZIP_ER_READ, -4, 0, CLPAC_ERROR_FORMAT}};
	for (size_t i = 0; i < COUNT(cases); i++) {
		clpac__npz_archive archive = {0};
		zip_error_t error;
		clpac_error err;
		zip_error_init(&error);
		zip_error_set(&error, cases[i].zip, cases[i].system);
		clpac__npz_begin(&archive);
		errno = cases[i].number;
		ck_assert_msg(clpac__npz_explain(&archive, &error, "a.npz", "is odd", &err) == cases[i].st,
			      "case %zu: %s", i, err.text);
		ck_assert_int_eq(strncmp(err.text, "a.npz is odd: ", 14), 0);
		zip_error_fini(&error);
	}
}

TEST(a_wrong_checksum_is_noticed)
{
	bytes archive = files_content(write_npz((const char *[]){"a.npy", NULL}, ZIP_CM_STORE));
	archive.data[find(&archive, "PK\1\2") - 1] ^= 1; /* the last byte of the stored array */
	files_refuse(files_write("crc.npz", archive.data, archive.n), NULL, CLPAC_ERROR_FORMAT, "damaged");
	bytes_free(&archive);
}

/* The checksum is looked at where a member ends, however much lies behind its array. */
TEST_EACH(a_wrong_checksum_behind_an_array_is_noticed, 2)
{
	const char *path = files_path("made.npz");
	bytes member = array_of(1);
	int code;
	for (unsigned i = 0; i < 2000; i++)
		bytes_add_number(&member, i, 2, 0);
	remove(path);
	zip_t *archive = zip_open(path, ZIP_CREATE | ZIP_EXCL, &code);
	ck_assert_ptr_nonnull(archive);
	const zip_int64_t index =
		zip_file_add(archive, "a.npy", zip_source_buffer(archive, member.data, member.n, 0), 0);
	ck_assert_int_eq(zip_set_file_compression(archive, (zip_uint64_t)index, ZIP_CM_STORE, 0), 0);
	ck_assert_int_eq(zip_close(archive), 0);
	bytes content = files_content(path);
	if (_i) {
		content.data[find(&content, "PK\1\2") - 1] ^= 1; /* the last byte behind the array */
		files_refuse(files_write("crc.npz", content.data, content.n), NULL, CLPAC_ERROR_FORMAT, "damaged");
	} else {
		check_channels(path, NULL, 1);
	}
	bytes_free(&content);
	bytes_free(&member);
}

TEST(other_compressions_are_named)
{
	bytes archive = files_content(write_npz((const char *[]){"a.npy", NULL}, ZIP_CM_STORE));
	archive.data[find(&archive, "PK\1\2") + 10] = 12; /* bzip2 */
	archive.data[find(&archive, "PK\3\4") + 8] = 12;  /* bzip2 */
	files_refuse(files_write("method.npz", archive.data, archive.n), NULL, CLPAC_ERROR_FORMAT, "zip method 12");
	bytes_free(&archive);
}

TEST(an_array_asked_of_another_format_is_refused)
{
	files_refuse(files_write_text("a.csv", "1\n2\n"), &(clpac_read_options){.array = "a"}, CLPAC_ERROR_ARGUMENT,
		     "no .npz, .mat or .nwb file");
	files_refuse(files_write_text("a.raw", "12345678"), &(clpac_read_options){.array = "a", .raw = "f4:1"},
		     CLPAC_ERROR_ARGUMENT, "leave one out");
}

/* An .npy array with this header and these bytes. */
static bytes array_with(const char *type, const char *shape, const void *data, size_t n)
{
	char text[120];
	bytes made = {0};
	snprintf(text, sizeof text, "{'descr': '%s', 'fortran_order': False, 'shape': %s, }\n", type, shape);
	bytes_add(&made, "\x93NUMPY\1\0", 8);
	bytes_add_number(&made, strlen(text), 2, 0);
	bytes_add(&made, text, strlen(text));
	bytes_add(&made, data, n);
	return made;
}

/* An archive of two channels, x, with arrays sfreq and ch_names. */
static clpac_recording *read_with(bytes rate, bytes names)
{
	const char *path = files_path("made.npz");
	bytes signal = array_of(2), each[] = {rate, names, signal};
	static const char *const files[] = {"sfreq.npy", "ch_names.npy", "x.npy"};
	int code;
	remove(path);
	zip_t *archive = zip_open(path, ZIP_CREATE | ZIP_EXCL, &code);
	ck_assert_ptr_nonnull(archive);
	for (size_t k = 0; k < COUNT(each); k++)
		if (each[k].n)
			ck_assert_int_ge((int)zip_file_add(archive, files[k],
							   zip_source_buffer(archive, each[k].data, each[k].n, 0), 0),
					 0);
	ck_assert_msg(zip_close(archive) == 0, "%s", zip_strerror(archive));
	for (size_t k = 0; k < COUNT(each); k++)
		bytes_free(&each[k]);
	return files_read(path, NULL);
}

TEST(rate_and_names_come_from_arrays_beside_the_samples)
{
	static const unsigned char names[] = {'F', 0, 0, 0, 0xb5, 0, 0, 0, 'C', 0, 0, 0, 0, 0, 0, 0};
	static const unsigned char big[] = {0, 0, 0, 'F', 0, 0, 0, 0xb5, 0, 0, 0, 'C', 0, 0, 0, 0};
	const double rate = 250.5;
	const short whole = 250;
	clpac_recording *r =
		read_with(array_with("<f8", "()", &rate, sizeof rate), array_with("<U2", "(2,)", names, 16));
	ck_assert_uint_eq(clpac_recording_n_warnings(r), 1); /* of the upright array */
	ck_assert_double_eq(clpac_recording_channel(r, 1)->rate_hz, 250.5);
	ck_assert_str_eq(clpac_recording_channel(r, 0)->name, "F\xc2\xb5");
	ck_assert_str_eq(clpac_recording_channel(r, 1)->name, "C");
	ck_assert_double_eq(files_sample(r, 1, 0), 8);
	clpac_recording_destroy(r);
	r = read_with(array_with("<i2", "(1,)", &whole, sizeof whole), array_with(">U2", "(2,)", big, 16));
	ck_assert_double_eq(clpac_recording_channel(r, 1)->rate_hz, 250);
	ck_assert_str_eq(clpac_recording_channel(r, 0)->name, "F\xc2\xb5");
	clpac_recording_destroy(r);
}

TEST(arrays_beside_the_samples_that_say_nothing_are_warned_of)
{
	static const unsigned char names[64] = {'F'};
	const double rate = -1, rates[] = {1, 2};
	clpac_recording *r = read_with(array_with("<f8", "()", &rate, sizeof rate), (bytes){0});
	files_warned(r, "sfreq is no number above 0");
	ck_assert_double_eq(clpac_recording_channel(r, 0)->rate_hz, 0);
	clpac_recording_destroy(r);
	r = read_with(array_with("<f8", "(2,)", rates, sizeof rates), array_with("<U1", "(3,)", names, 12));
	files_warned(r, "sfreq is no number above 0");
	files_warned(r, "ch_names has 3 names for 2 channels");
	ck_assert_str_eq(clpac_recording_channel(r, 0)->name, "0");
	clpac_recording_destroy(r);
	static const char *const types[] = {"|O", "<U999999999999", "<U", "<U0", "|S4"};
	for (size_t i = 0; i < COUNT(types); i++) {
		r = read_with((bytes){0}, array_with(types[i], "(2,)", names, 8));
		files_warned(r, "ch_names is no list of texts");
		clpac_recording_destroy(r);
	}
}
