/* Every allocation of every reader, writer and plot fails in turn: the caller gets the out-of-memory error, the folder
 * stays empty, and a call without a failure gives the usual result. A sanitizer finds leaks. */
#include "config.h"
#include "runner.h"
#include "assertions.h"
#include "edf_file.h"
#include "read_files.h"
#include "made_result.h"
#include "store_truth.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>

#include <clpac/devices.h>
#include <clpac/plot.h>
#include <clpac/read.h>
#include <clpac/recording.h>
#include <clpac/recording_store.h>
#include <clpac/write.h>

static clpac_error err;

static void begin(void)
{
	files_begin();
	make_scratch();
}

static void end(void)
{
	remove_scratch();
	files_end();
}

/* --- Writers ---------------------------------------------------------------------------------- */

static const clpac_write_options overwrite = {
	.overwrite = true, .input_name = "night \xff.edf", .input_checksum = "none"};

static clpac_status write_npz(const clpac_result *result, const char *path)
{
	return clpac_result_write_npz(result, path, &overwrite, &err);
}

static clpac_status write_mat(const clpac_result *result, const char *path)
{
	return clpac_result_write_mat(result, path, &overwrite, &err);
}

static clpac_status write_json(const clpac_result *result, const char *path)
{
	return clpac_result_write_json(result, path, &overwrite, &err);
}

static clpac_status write_csv(const clpac_result *result, const char *path)
{
	return clpac_result_write_csv(result, path, &overwrite, &err);
}

static clpac_status write_npy(const clpac_result *result, const char *path)
{
	size_t n;
	const float *mi = clpac_result_array(result, CLPAC_MI, &n);
	return clpac_npy_write(path, mi, 1, n, true, &err);
}

#ifdef HAVE_CAIRO
static clpac_status draw(const clpac_result *result, const char *path)
{
	return clpac_result_plot(result, path,
				 &(clpac_plot_options){.channel = 1, .title = "night \xff", .overwrite = true}, &err);
}

static clpac_status draw_smooth(const clpac_result *result, const char *path)
{
	return clpac_result_plot(
		result, path,
		&(clpac_plot_options){.channel = 1, .population = true, .smooth = true, .overwrite = true}, &err);
}
#endif

static const struct {
	const char *name;
	clpac_status (*write)(const clpac_result *result, const char *path);
} writers[] = {
	{"out.npz", write_npz}, {"out.json", write_json}, {"out.csv", write_csv}, {"out.npy", write_npy},
	{"out.mat", write_mat},
#ifdef HAVE_CAIRO
	{"out.png", draw},	{"out.svg", draw},	  {"out.pdf", draw},	  {"out.svg", draw_smooth},
#endif
};

FIXTURE(begin, end);

/* A writer may also succeed without the memory: if Jansson refuses a text, for lack of memory or as invalid UTF-8, the
 * writer tries a repaired copy. */
TEST_EACH(a_writer_without_memory_leaves_the_file_that_was_there, COUNT(writers))
{
	clpac_result *result = make_result(MADE_ALL);
	const char *name = writers[_i].name, *path = scratch_path(name);
	size_t good_bytes, bytes;
	unsigned long n_refused = 0;
	assert_works(clpac_result_set_channel_name(result, 0, "\xff", &err), err);
	assert_works(writers[_i].write(result, path), err);
	char *good = scratch_read(name, &good_bytes);
	/* Jansson's own allocations are counted too. */
	json_set_alloc_funcs(clpac__alloc, clpac__free);
	for (unsigned long k = 1;; k++) {
		scratch_write(name, "mine", 4);
		clpac__fail_allocation(k, false);
		clpac_status st = writers[_i].write(result, path);
		unsigned long made = clpac__count_allocations();
		clpac__fail_allocation(0, false);
		ck_assert_uint_eq(scratch_count(), 1);
		char *file = scratch_read(name, &bytes);
		if (st == CLPAC_OK && made >= k)
			ck_assert_msg(bytes == good_bytes && !memcmp(file, good, bytes), "allocation %lu: another file",
				      k);
		free(file);
		if (made < k)
			break;
		if (st == CLPAC_OK)
			continue;
		assert_refused(st, err, CLPAC_ERROR_NO_MEMORY, "");
		ck_assert_uint_eq(bytes, 4);
		n_refused++;
	}
	ck_assert_uint_gt(n_refused, 2);
	ck_assert_uint_eq(bytes, good_bytes);
	free(good);
	clpac_result_destroy(result);
}

TEST(devices_are_written_whole_or_not_at_all)
{
	char path[4096];
	clpac_device_list *list = NULL;
	snprintf(path, sizeof path, "%s/machines/nothing.json", getenv("CLPAC_TEST_DATA"));
	assert_works(clpac_devices_read(path, &list, &err), err);
	json_set_alloc_funcs(clpac__alloc, clpac__free);
	for (unsigned long k = 1;; k++) {
		clpac__fail_allocation(k, false);
		clpac_status st = clpac_devices_write(list, scratch_path("list.json"), NULL, &err);
		unsigned long made = clpac__count_allocations();
		clpac__fail_allocation(0, false);
		if (st == CLPAC_OK) {
			ck_assert_msg(made < k, "allocation %lu failed and nobody saw it", k);
			ck_assert_uint_gt(k, 100);
			break;
		}
		assert_refused(st, err, CLPAC_ERROR_NO_MEMORY, "no memory left");
		ck_assert_uint_eq(scratch_count(), 0);
	}
	clpac_devices_destroy(list);
}

/* --- Readers ---------------------------------------------------------------------------------- */

static const char *make_edf(void)
{
	edf_file made = edf_good(0);
	made.reserved = "EDF+D";
	EDF_LIST(&made, 2,
		 "+20\x14\x14\0+2.5\x14"
		 "end\x14");
	return edf_write(&made);
}

/* The second signal has triggers. */
static const char *make_bdf(void)
{
	edf_file file = edf_good(1);
	file.signals[1].label = "Status";
	bytes made = edf_bytes(&file);
	memcpy(made.data + 1024 + 12, "\0\0\x10\7\0\x10", 6);
	const char *path = files_write("made.bdf", made.data, made.n);
	bytes_free(&made);
	return path;
}

static const char *make_npy(void)
{
	static const float samples[6];
	const char *path = files_path("made.npy");
	assert_works(clpac_npy_write(path, samples, 3, 2, true, &err), err);
	return path;
}

static const char *make_npz(void)
{
	clpac_result *result = make_result(1 << CLPAC_MI);
	const char *path = files_path("made.npz");
	assert_works(clpac_result_write_npz(result, path, &overwrite, &err), err);
	clpac_result_destroy(result);
	return path;
}

static const char *make_csv(void)
{
	return files_write_text("made.csv", "time;\"Fz\";\xff\r\n0;1;2\r\n0.5;-3.25;\r\n1;nan;1e3\r\n");
}

static const char *make_raw(void)
{
	return files_write_text("made.dat", "12345678abcdefgh");
}

static const char *make_brainvision(void)
{
	files_write_text("made.eeg", "0123456789abcdef");
	files_write_text(
		"made.vmrk",
		"Brain Vision Data Exchange Marker File, Version 1.0\n[Common Infos]\nCodepage=UTF-8\n[Marker Infos]\n"
		"Mk1=New Segment,,1,1,0,20200101000000000000\nMk2=New Segment,,3,1,0,20200101000010000000\n"
		"Mk3=Stimulus,S\\1 1,4,2,0\n");
	return files_write_text(
		"made.vhdr", "Brain Vision Data Exchange Header File Version 1.0\n[Common Infos]\nDataFile=made.eeg\n"
			     "MarkerFile=made.vmrk\nDataFormat=BINARY\nDataOrientation=VECTORIZED\nNumberOfChannels=2\n"
			     "SamplingInterval=2000\n[Binary Infos]\nBinaryFormat=INT_16\n[Channel "
			     "Infos]\nCh1=Fz,,0.5,\xb5V\nCh2=C\\1z,,1,\n");
}

static const struct {
	const char *(*make)(void);
	clpac_read_options options;
} readers[] = {
	{.make = make_edf},	    {.make = make_bdf},
	{.make = make_npy},	    {make_npz, {.array = "segment_onsets_s"}},
	{.make = make_csv},	    {make_raw, {.raw = ">f4:2"}},
	{.make = make_brainvision},
};

TEST_EACH(a_reader_without_memory_says_so, COUNT(readers))
{
	clpac_recording *recording = NULL;
	const char *path = readers[_i].make();
	clpac_recording_destroy(files_read(path, &readers[_i].options));
	assert_survives_failing_allocations(clpac_recording_read(path, &readers[_i].options, &recording, &err),
					    clpac_recording_destroy(recording));
}

TEST(a_result_is_read_whole_or_not_at_all)
{
	clpac_result *made = make_result(MADE_ALL), *read = NULL;
	const char *path = scratch_path("result.npz");
	assert_works(clpac_result_set_problem(made, "rate=512 seed=1", &err), err);
	assert_works(clpac_result_write_npz(made, path, NULL, &err), err);
	assert_survives_failing_allocations(clpac_result_read_npz(path, &read, &err), clpac_result_destroy(read));
	clpac_result_destroy(made);
}

TEST(a_list_of_devices_is_read_whole_or_not_at_all)
{
	char path[4096];
	clpac_device_list *list = NULL;
	snprintf(path, sizeof path, "%s/machines/two_nvidia.json", getenv("CLPAC_TEST_DATA"));
	assert_survives_failing_allocations(clpac_devices_read(path, &list, &err), clpac_devices_destroy(list));
}

TEST(a_checksum_without_memory_is_none)
{
	char text[65];
	const char *path = make_raw();
	assert_survives_failing_allocations(clpac_file_checksum(path, text, &err), (void)0);
	ck_assert_uint_eq(strlen(text), 64);
}

/* A failed allocation leaves the store consistent: it holds the whole recording or none of it. The pool and the store
 * can work without a few records of their own, so that some failures go unnoticed and the recording still comes out. */
TEST(a_store_without_memory_for_a_recording_stays_usable)
{
	simulated_device device;
	clpac_pool *pool = open_pool(&device, 1 << 20, NULL);
	clpac_store *store = NULL;
	const char *path = make_brainvision();
	unsigned long n_refused = 0;
	assert_works(clpac_store_create(pool, &(clpac_store_options){.folder = files_path("")}, &store, &err), err);
	for (unsigned long k = 1;; k++) {
		clpac_entry *entry = NULL;
		clpac_recording *recording = NULL;
		clpac__fail_allocation(k, false);
		clpac_status st = clpac_store_recording(store, path, NULL, &entry, &err);
		if (st == CLPAC_OK)
			st = clpac_entry_recording(entry, &recording, &err);
		unsigned long made = clpac__count_allocations();
		clpac__fail_allocation(0, false);
		if (st == CLPAC_OK) {
			ck_assert_uint_eq(clpac_recording_n_annotations(recording), 3);
			ck_assert_str_eq(clpac_recording_channel(recording, 1)->name, "C,z");
		} else {
			ck_assert_int_eq(st, CLPAC_ERROR_NO_MEMORY);
			ck_assert_ptr_null(recording);
			n_refused++;
		}
		clpac_recording_destroy(recording);
		if (entry) {
			char key[4096];
			snprintf(key, sizeof key, "%s", clpac_entry_key(entry));
			clpac_entry_release(entry);
			assert_works(clpac_store_delete(store, key, &err), err);
		}
		if (made < k)
			break;
	}
	ck_assert_uint_gt(n_refused, 50);
	end_store(store, pool, &device);
}

const char *skip_reason(void)
{
	return getenv("CLPAC_TEST_DATA") ? NULL : "CLPAC_TEST_DATA is not set: run it by make check";
}
