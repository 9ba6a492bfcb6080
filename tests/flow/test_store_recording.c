/* Recordings in a store: read once for all problems, read again after the file changed, and returned complete. */
#include "runner.h"

#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <clpac/read.h>
#include <clpac/recording.h>
#include <clpac/recording_store.h>
#include <clpac/memory/buffer.h>
#include "assertions.h"
#include "recording/recording.h"
#include "files.h"
#include "read_files.h"
#include "store_truth.h"

static simulated_device device;
static clpac_pool *pool;
static clpac_store *store;
static clpac_error err;

static void begin(void)
{
	files_begin();
	pool = open_pool(&device, 1 << 20, NULL);
	assert_works(clpac_store_create(pool, &(clpac_store_options){.folder = files_path("")}, &store, &err), err);
}

static void end(void)
{
	end_store(store, pool, &device);
	files_end();
}

static clpac_store_statistics now(void)
{
	clpac_store_statistics statistics;
	clpac_store_measure(store, &statistics, sizeof statistics);
	return statistics;
}

static clpac_entry *acquire(const char *path, const clpac_read_options *options)
{
	clpac_entry *entry = NULL;
	assert_works(clpac_store_recording(store, path, options, &entry, &err), err);
	return entry;
}

/* Compares every member of two recordings. */
static void check_same(const clpac_recording *a, const clpac_recording *b)
{
	ck_assert_str_eq(clpac_recording_format(a), clpac_recording_format(b));
	ck_assert_uint_eq(clpac_recording_n_channels(a), clpac_recording_n_channels(b));
	for (size_t i = 0; i < clpac_recording_n_channels(a); i++) {
		const clpac_channel *x = clpac_recording_channel(a, i), *y = clpac_recording_channel(b, i);
		ck_assert_str_eq(x->name, y->name);
		ck_assert_str_eq(x->unit, y->unit);
		ck_assert_pstr_eq(x->unusable, y->unusable);
		assert_close(x->rate_hz, y->rate_hz, 0);
		ck_assert_int_eq(x->type, y->type);
		ck_assert_uint_eq(x->n_samples, y->n_samples);
		ck_assert_mem_eq(x->samples, y->samples, x->n_samples * (x->type == CLPAC_FLOAT32 ? 4 : 8));
	}
	ck_assert_uint_eq(clpac_recording_n_stretches(a), clpac_recording_n_stretches(b));
	for (size_t i = 0; i < clpac_recording_n_stretches(a); i++) {
		const clpac_stretch *x = clpac_recording_stretch(a, i), *y = clpac_recording_stretch(b, i);
		assert_close(x->onset_seconds, y->onset_seconds, 0);
		assert_close(x->first_seconds, y->first_seconds, 0);
		assert_close(x->seconds, y->seconds, 0);
	}
	ck_assert_uint_eq(clpac_recording_n_annotations(a), clpac_recording_n_annotations(b));
	for (size_t i = 0; i < clpac_recording_n_annotations(a); i++) {
		const clpac_annotation *x = clpac_recording_annotation(a, i), *y = clpac_recording_annotation(b, i);
		assert_close(x->onset_seconds, y->onset_seconds, 0);
		assert_close(x->seconds, y->seconds, 0);
		ck_assert_str_eq(x->text, y->text);
	}
	ck_assert_uint_eq(clpac_recording_n_warnings(a), clpac_recording_n_warnings(b));
	for (size_t i = 0; i < clpac_recording_n_warnings(a); i++) {
		size_t n_x = 0, n_y = 0;
		ck_assert_str_eq(clpac_recording_warning(a, i, &n_x), clpac_recording_warning(b, i, &n_y));
		ck_assert_uint_eq(n_x, n_y);
	}
}

static const char *write_csv(const char *name, int seed)
{
	char text[2000] = "time,left,right \"uV\"\n", line[80];
	for (int i = 0; i < 20; i++) {
		snprintf(line, sizeof line, "%g,%d.5,%d\n", i * 0.01, i * seed, i - seed);
		strcat(text, line);
	}
	return files_write_text(name, text);
}

TEST(two_problems_on_one_file_read_it_once)
{
	begin();
	const char *path = write_csv("a.csv", 3);
	clpac_recording *read = files_read(path, NULL), *found = NULL;
	clpac_entry *first = acquire(path, NULL), *second = acquire(path, NULL);
	ck_assert_ptr_eq(first, second);
	ck_assert_uint_eq(now().loads, 1);
	ck_assert_uint_eq(now().hits, 1);
	assert_works(clpac_entry_recording(first, &found, &err), err);
	check_same(read, found);
	clpac_recording_destroy(found);
	clpac_entry_release(first);
	clpac_entry_release(second);

	/* There is no second read after an eviction from the device either, nor by another name of the file. */
	ck_assert_uint_gt(clpac_store_evict(store, pool, 1), 0);
	const char *other = files_path("link.csv");
	ck_assert_int_eq(symlink(path, other), 0);
	first = acquire(other, NULL);
	ck_assert_uint_eq(now().restores, 1);
	ck_assert_uint_eq(now().loads, 1);
	assert_works(clpac_entry_recording(first, &found, &err), err);
	check_same(read, found);
	clpac_recording_destroy(found);
	clpac_recording_destroy(read);
	const clpac_metadata *about = clpac_entry_metadata(first);
	ck_assert_uint_eq(about->shape[0], 2);
	ck_assert_uint_eq(about->shape[1], 20);
	struct stat facts;
	ck_assert_int_eq(stat(path, &facts), 0);
	ck_assert_uint_eq(about->file_bytes, (uint64_t)facts.st_size);
	ck_assert_int_eq(about->file_time_ns, facts.st_mtim.tv_sec * 1000000000 + facts.st_mtim.tv_nsec);
	clpac_entry_release(first);
	end();
}

static void set_time(const char *path, long seconds, long nanoseconds)
{
	struct timespec times[2] = {{seconds, nanoseconds}, {seconds, nanoseconds}};
	ck_assert_int_eq(utimensat(AT_FDCWD, path, times, 0), 0);
}

TEST(a_file_that_changed_is_read_anew)
{
	begin();
	const char *path = write_csv("a.csv", 3);
	set_time(path, 1000, 1);
	clpac_entry *old = acquire(path, NULL), *new;
	/* The same size, and a time later by a nanosecond. */
	write_csv("a.csv", 4);
	set_time(path, 1000, 2);
	new = acquire(path, NULL);
	ck_assert_ptr_ne(old, new);
	ck_assert_uint_eq(now().loads, 2);
	clpac_recording *read = files_read(path, NULL), *found = NULL;
	assert_works(clpac_entry_recording(new, &found, &err), err);
	check_same(read, found);
	clpac_recording_destroy(found);
	clpac_recording_destroy(read);
	clpac_entry_release(old);
	clpac_entry_release(new);
	/* Other options are a separate entry. */
	clpac_entry_release(acquire(path, &(clpac_read_options){.rate_hz = 100}));
	clpac_entry_release(acquire(path, &(clpac_read_options){.rate_hz = 100}));
	clpac_entry_release(acquire(path, NULL));
	ck_assert_uint_eq(now().loads, 3);
	ck_assert_uint_eq(now().entries, 2);
	/* A removed file is an error, though its samples are still in the store. */
	ck_assert_int_eq(unlink(path), 0);
	clpac_entry *entry = NULL;
	assert_refused(clpac_store_recording(store, path, NULL, &entry, &err), err, CLPAC_ERROR_IO, "a.csv");
	assert_refused(clpac_store_recording(store, NULL, NULL, &entry, &err), err, CLPAC_ERROR_ARGUMENT, "path");
	end();
}

TEST(all_of_a_recording_comes_back)
{
	/* Made by hand, so that it holds everything that a reader may fill in. */
	begin();
	clpac_recording *made = NULL, *found = NULL;
	float *narrow = NULL;
	double *wide = NULL;
	assert_works(clpac_recording_create("BDF+", &made, &err), err);
	assert_works(clpac_recording_add_channel(made, "Fp1 \"\xc3\xa9\"", "\xc2\xb5V", 1.0 / 3, 5, CLPAC_FLOAT32,
						 (void **)&narrow, &err),
		     err);
	assert_works(clpac_recording_add_channel(made, "", "", 0, 3, CLPAC_FLOAT64, (void **)&wide, &err), err);
	narrow[4] = NAN;
	wide[0] = 0.1;
	assert_works(clpac_recording_disable_channel(made, 1, "no scale", &err), err);
	assert_works(clpac_recording_add_stretch(made, &(clpac_stretch){0.1, 0, 1e-300}, &err), err);
	assert_works(clpac_recording_add_annotation(made, 1e10 + 0.3, 0, "a\nb\\", &err), err);
	for (int i = 0; i < 3; i++)
		assert_works(clpac_recording_warn(made, &err, "strange"), err);
	char *text = NULL;
	assert_works(clpac__recording_to_text(made, &text, &err), err);
	assert_works(clpac__recording_from_text("x", text, &found, &err), err);
	memcpy((void *)clpac_recording_channel(found, 0)->samples, narrow, 5 * sizeof *narrow);
	memcpy((void *)clpac_recording_channel(found, 1)->samples, wide, 3 * sizeof *wide);
	check_same(made, found);
	clpac_recording_destroy(found);
	/* Contents that are not a stored recording. */
	static const char *const others[] = {"", "[]", "{\"format\": 1}",
					     ("{\"format\":\"a\",\"channels\":[[1]],"
					      "\"stretches\":[],\"annotations\":[],\"warnings\":[]}")};
	for (size_t i = 0; i < COUNT(others); i++)
		assert_refused(clpac__recording_from_text("x", others[i], &found, &err), err, CLPAC_ERROR_FORMAT,
			       "\"x\"");
	free(text);
	clpac_recording_destroy(made);
	end();
}

TEST(any_file_of_a_brainvision_recording_counts)
{
	begin();
	static const char header[] =
		"Brain Vision Data Exchange Header File Version 1.0\n[Common Infos]\nDataFile=a.eeg\n"
		"DataFormat=BINARY\nDataOrientation=MULTIPLEXED\nNumberOfChannels=1\nSamplingInterval=1000\n"
		"[Binary Infos]\nBinaryFormat=INT_16\n[Channel Infos]\nCh1=Cz,,1,uV\n";
	const char *path = files_write_text("a.vhdr", header), *data = files_write("a.eeg", "aabbccdd", 8);
	set_time(path, 1000, 0);
	set_time(data, 1000, 0);
	clpac_entry_release(acquire(path, NULL));
	clpac_entry_release(acquire(path, NULL));
	ck_assert_uint_eq(now().loads, 1);
	files_write("a.eeg", "aabbccddee", 10);
	set_time(data, 1000, 0);
	clpac_entry *entry = acquire(path, NULL);
	ck_assert_uint_eq(now().loads, 2);
	ck_assert_uint_eq(clpac_entry_metadata(entry)->shape[1], 5);
	ck_assert_uint_eq(clpac_entry_metadata(entry)->file_bytes, strlen(header) + 10);
	ck_assert_int_eq(clpac_entry_metadata(entry)->file_time_ns, 1000 * INT64_C(1000000000));
	clpac_entry_release(entry);
	/* The latest of the files' times is the recording's, whichever file was asked for. */
	set_time(data, 1001, 0);
	entry = acquire(path, NULL);
	ck_assert_uint_eq(now().loads, 3);
	ck_assert_int_eq(clpac_entry_metadata(entry)->file_time_ns, 1001 * INT64_C(1000000000));
	clpac_entry_release(entry);
	end();
}

/* A slow loader: the sums of the channels. */
static clpac_status load_sums(void *user, clpac_store *of, const char *key, clpac_metadata *metadata,
			      clpac_buffer **out, clpac_error *error)
{
	clpac_entry *entry = NULL;
	clpac_recording *recording = NULL;
	double sums[2] = {0};
	(void)key;
	ck_assert_int_eq(clpac_store_recording(of, user, NULL, &entry, error), CLPAC_OK);
	ck_assert_int_eq(clpac_entry_recording(entry, &recording, error), CLPAC_OK);
	for (size_t c = 0; c < 2; c++)
		for (size_t i = 0; i < 20; i++)
			sums[c] += files_sample(recording, c, i);
	snprintf(metadata->type, sizeof metadata->type, "float64");
	ck_assert_int_eq(clpac_pool_allocate(pool, sizeof sums, "sums", out, error), CLPAC_OK);
	ck_assert_int_eq(clpac_buffer_write(*out, 0, sizeof sums, sums, error), CLPAC_OK);
	clpac_recording_destroy(recording);
	clpac_entry_release(entry);
	return CLPAC_OK;
}

TEST(what_is_derived_from_a_file_is_kept_with_it)
{
	begin();
	const char *path = write_csv("a.csv", 3);
	set_time(path, 1000, 0);
	clpac_entry *entry = NULL;
	for (int round = 0; round < 2; round++) {
		double sums[2];
		for (int problem = 0; problem < 2; problem++) {
			assert_works(clpac_store_derived(store, path, NULL, problem ? "sums b" : "sums a", load_sums,
							 (void *)path, &entry, &err),
				     err);
			assert_works(clpac_buffer_read(clpac_entry_buffer(entry), 0, sizeof sums, sums, &err), err);
			assert_close(sums[1], 190 - 20 * (3 + round), 0);
			clpac_entry_release(entry);
			/* One recording, and one load for each problem. */
			ck_assert_uint_eq(now().loads, 3 * round + problem + 2);
		}
		for (int again = 0; again < 3; again++) {
			assert_works(
				clpac_store_derived(store, path, NULL, "sums a", load_sums, (void *)path, &entry, &err),
				err);
			clpac_entry_release(entry);
		}
		ck_assert_uint_eq(now().loads, 3 * (round + 1));
		write_csv("a.csv", 4);
		set_time(path, 1001, 0);
	}
	assert_refused(clpac_store_derived(store, path, NULL, "", load_sums, (void *)path, &entry, &err), err,
		       CLPAC_ERROR_ARGUMENT, "no name");
	assert_works(clpac_store_derived(store, path, NULL, "sums a", load_sums, (void *)path, &entry, &err), err);
	clpac_recording *none = NULL;
	assert_refused(clpac_entry_recording(entry, &none, &err), err, CLPAC_ERROR_FORMAT, "no recording");
	clpac_entry_release(entry);
	clpac_key_list list = {0};
	assert_works(clpac_store_list(store, NULL, "*/a.csv", &list, &err), err);
	ck_assert_uint_eq(list.n, 3);
	clpac_key_list_clear(&list);
	end();
}

/* Raw samples of both types, at a scale beyond that of halves. */
TEST_EACH(a_recording_in_half_precision_takes_half_the_bytes_and_keeps_its_bound, 2)
{
	enum { SAMPLES = 3000, CHANNELS = 2 };
	static float singles[SAMPLES * CHANNELS];
	static double doubles[SAMPLES * CHANNELS];
	const bool is_double = _i == 1;
	begin();
	const double scale = is_double ? 1e200 : 1e7;
	double largest = 0;
	for (int i = 0; i < SAMPLES * CHANNELS; i++) {
		doubles[i] = scale * sin(0.1 * i) * exp(-0.003 * i);
		singles[i] = is_double ? 0 : (float)doubles[i];
		largest = fmax(largest, fabs(doubles[i]));
	}
	const clpac_read_options options = {.rate_hz = 100, .raw = is_double ? "f8:2" : "f4:2"};
	const char *path = is_double ? files_write("half.raw", doubles, sizeof doubles)
				     : files_write("half.raw", singles, sizeof singles);
	clpac_entry *entry = NULL, *whole = acquire(path, &options);
	clpac_recording *exact = NULL, *found = NULL;
	assert_works(clpac_store_recording_half(store, path, &options, &entry, &err), err);
	ck_assert_int_eq(strncmp(clpac_entry_metadata(entry)->type, "float16*2^", 10), 0);
	ck_assert_uint_le(clpac_entry_bytes(entry), SAMPLES * CHANNELS * 2 + 64);
	assert_works(clpac_entry_recording(whole, &exact, &err), err);
	assert_works(clpac_entry_recording(entry, &found, &err), err);
	for (size_t c = 0; c < CHANNELS; c++)
		for (size_t i = 0; i < SAMPLES; i++) {
			const double x = files_sample(exact, c, i), y = files_sample(found, c, i);
			assert_in_model(fabs(x - y) <= fmax(0x1p-11 * fabs(x), 0x1p-39 * largest), c, i);
		}
	clpac_recording_destroy(exact);
	clpac_recording_destroy(found);
	clpac_entry_release(whole);
	clpac_entry_release(entry);
	end();
}
