/* Recordings in a store: read from their file once, and shared by everybody who asks for the same file.
 *
 * The buffer holds the samples, channel after channel in their own types, or as halves; the entry's text holds the rest
 * of the recording as JSON, so that the whole recording can be rebuilt. */
#include <clpac/read.h>
#include <clpac/recording.h>
#include <clpac/recording_store.h>
#include <clpac/memory/buffer.h>
#include <clpac/memory/pool.h>

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/error.h"
#include "base/half.h"
#include "base/memory.h"
#include "base/number.h"
#include "base/sized.h"
#include "base/system.h"
#include "base/text.h"
#include "recording/read/samples.h"
#include "recording/read/tables.h"
#include "recording/recording.h"

/* Alignment of a channel in the buffer: whole vectors and cache lines. */
enum { ALIGNMENT = 64, PIECE = 4096 };

static size_t sample_bytes(const clpac_channel *channel)
{
	return channel->type == CLPAC_FLOAT32 ? sizeof(float) : sizeof(double);
}

static size_t next_offset(size_t offset, const clpac_channel *channel, bool is_half)
{
	size_t end = offset + channel->n_samples * (is_half ? sizeof(uint16_t) : sample_bytes(channel));
	return (end + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
}

/* --- Facts of a file --------------------------------------------------------------------------- */

static void add_file(const char *path, clpac_metadata *metadata)
{
	struct stat facts;
	if (stat(path, &facts) != 0)
		return;
	int64_t time_ns = (int64_t)facts.st_mtim.tv_sec * 1000000000 + facts.st_mtim.tv_nsec;
	metadata->file_bytes += (uint64_t)facts.st_size;
	if (time_ns > metadata->file_time_ns)
		metadata->file_time_ns = time_ns;
}

/* Size and time of the file, of its tables of channels and events, and of its annotation file; of several files,
 * as BrainVision has, those of all together. */
static clpac_status find_facts(const char *path, const clpac_read_options *options, clpac_metadata *metadata,
			       clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	struct stat facts;
	char *annotations = NULL, *paths[CLPAC__MOST_FILES] = {NULL};
	clpac__inherited tables[2] = {{0}, {0}};
	metadata->file = path;
	metadata->file_bytes = 0;
	metadata->file_time_ns = INT64_MIN;
	if (stat(path, &facts) != 0)
		FAIL_SYSTEM("cannot examine %s", path);
	TRY(clpac__tables_find(path, options->bids_root, "channels.tsv", &tables[0], err));
	TRY(clpac__tables_find(path, options->bids_root, "events.tsv", &tables[1], err));
	for (size_t t = 0; t < 2; t++)
		for (size_t i = 0; i < tables[t].n; i++)
			add_file(tables[t].paths[i], metadata);
	if (options->events_from)
		add_file(options->events_from, metadata);
	TRY(clpac_recording_annotations(path, &annotations, err));
	if (options->annotations || annotations)
		add_file(options->annotations ? options->annotations : annotations, metadata);
	TRY(clpac__recording_files(path, options, paths, err));
	for (size_t i = 0; i < CLPAC__MOST_FILES; i++)
		if (paths[i])
			add_file(paths[i], metadata);
done:
	clpac__inherited_clear(&tables[0]);
	clpac__inherited_clear(&tables[1]);
	clpac_text_free(annotations);
	clpac__recording_files_clear(paths);
	return st;
}

/* The key: "recording:/path" and the options that are set, as "?rate_hz=256?raw=f4:8", since they determine the
 * content.  To be freed with clpac__free. */
static clpac_status make_key(const char *kind, const char *what, const char *path, const clpac_read_options *options,
			     char **out, clpac_error *err)
{
	char rate[CLPAC__NUMBER_SIZE] = "", resampled[CLPAC__NUMBER_SIZE] = "";
	if (options->rate_hz != 0)
		clpac__write_number(options->rate_hz, rate);
	if (options->resample_hz != 0)
		clpac__write_number(options->resample_hz, resampled);
	const struct {
		const char *name, *value;
	} parts[] = {
		{"rate_hz", rate},
		{"raw", options->raw},
		{"array", options->array},
		{"resample_hz", resampled},
		{"events_from", options->events_from},
		{"event_column", options->event_column},
		{"annotations", options->annotations},
		{"bids_root", options->bids_root},
	};
	clpac__text key = {0};
	clpac__text_add(&key, "%s%s:%s", kind, what, path);
	for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
		if (parts[i].value && *parts[i].value)
			clpac__text_add(&key, "?%s=%s", parts[i].name, parts[i].value);
	if (!(*out = clpac__text_take(&key)))
		RETURN_ERROR(CLPAC_ERROR_NO_MEMORY, "%s: the host has no memory left for its key", path);
	return CLPAC_OK;
}

/* --- Into the store --------------------------------------------------------------------------- */

struct reading {
	const char *path;
	const clpac_read_options *options;
	const clpac_metadata *before; /* facts of the file at the time of the request */
	bool is_half;
	char *text; /* kept until the store has copied it */
};

static void describe_shape(const clpac_recording *recording, clpac_metadata *metadata)
{
	const clpac_channel *first = clpac_recording_channel(recording, 0);
	bool has_one_type = first, has_one_length = first;
	for (size_t i = 1; i < clpac_recording_n_channels(recording); i++) {
		const clpac_channel *channel = clpac_recording_channel(recording, i);
		has_one_type &= channel->type == first->type;
		has_one_length &= channel->n_samples == first->n_samples;
	}
	snprintf(metadata->type, sizeof metadata->type, "%s",
		 !has_one_type			? "mixed"
		 : first->type == CLPAC_FLOAT32 ? "float32"
						: "float64");
	metadata->shape[0] = clpac_recording_n_channels(recording);
	metadata->shape[1] = has_one_length ? first->n_samples : 0;
}

static double sample_of(const clpac_channel *channel, size_t i)
{
	return channel->type == CLPAC_FLOAT32 ? (double)((const float *)channel->samples)[i]
					      : ((const double *)channel->samples)[i];
}

/* One power for the whole recording. */
static int find_power(const clpac_recording *recording)
{
	double largest = 0;
	for (size_t c = 0; c < clpac_recording_n_channels(recording); c++) {
		const clpac_channel *channel = clpac_recording_channel(recording, c);
		for (size_t i = 0; i < channel->n_samples; i++)
			if (isfinite(sample_of(channel, i)))
				largest = fmax(largest, fabs(sample_of(channel, i)));
	}
	return clpac__half_power(largest);
}

static clpac_status write_halves(clpac_buffer *buffer, size_t offset, const clpac_channel *channel, int power,
				 clpac_error *err)
{
	uint16_t halves[PIECE];
	for (size_t at = 0; at < channel->n_samples; at += PIECE) {
		const size_t n = channel->n_samples - at < PIECE ? channel->n_samples - at : PIECE;
		for (size_t i = 0; i < n; i++)
			halves[i] = clpac__half_of_scaled(sample_of(channel, at + i), power);
		RETURN_IF_ERROR(
			clpac_buffer_write(buffer, offset + at * sizeof *halves, n * sizeof *halves, halves, err));
	}
	return CLPAC_OK;
}

static clpac_status load_recording(void *user, clpac_store *store, const char *key, clpac_metadata *metadata,
				   clpac_buffer **out, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	struct reading *reading = user;
	clpac_read_options options;
	clpac_recording *recording = NULL;
	clpac_buffer *buffer = NULL;
	clpac_metadata after = {0};
	size_t total = 0, offset = 0;
	int power = 0;
	(void)key;
	TRY(clpac__take_sized(&options, reading->options, clpac_read_options, err));
	options.on_demand = false;
	TRY(clpac_recording_read(reading->path, &options, &recording, err));
	TRY(find_facts(reading->path, &options, &after, err));
	if (after.file_bytes != reading->before->file_bytes || after.file_time_ns != reading->before->file_time_ns)
		FAIL(CLPAC_ERROR_IO, "%s changed while it was read: try again", reading->path);
	if (reading->is_half)
		power = find_power(recording);
	for (size_t i = 0; i < clpac_recording_n_channels(recording); i++)
		total = next_offset(total, clpac_recording_channel(recording, i), reading->is_half);
	TRY(clpac_pool_allocate(clpac_store_pool(store), total ? total : 1, "recording", &buffer, err));
	for (size_t i = 0; i < clpac_recording_n_channels(recording); i++) {
		const clpac_channel *channel = clpac_recording_channel(recording, i);
		TRY(reading->is_half ? write_halves(buffer, offset, channel, power, err)
				     : clpac_buffer_write(buffer, offset, channel->n_samples * sample_bytes(channel),
							  channel->samples, err));
		offset = next_offset(offset, channel, reading->is_half);
	}
	clpac__free(reading->text);
	reading->text = NULL;
	TRY(clpac__recording_to_text(recording, &reading->text, err));
	describe_shape(recording, metadata);
	if (reading->is_half)
		clpac__half_type_write(power, metadata->type, sizeof metadata->type);
	metadata->text = reading->text;
	*out = buffer, buffer = NULL;
done:
	clpac_buffer_release(buffer);
	clpac_recording_destroy(recording);
	return st;
}

/* The real path: one name per file, however it is reached. */
static clpac_status find_path(const char *path, char out[PATH_MAX], clpac_error *err)
{
	if (!path)
		RETURN_ERROR(CLPAC_ERROR_ARGUMENT, "no file was named: give a path");
	if (!realpath(path, out))
		RETURN_SYSTEM_ERROR("cannot open %s, check its name, folder and permissions", path);
	return CLPAC_OK;
}

static clpac_status store_recording(clpac_store *store, const char *path, const clpac_read_options *options,
				    bool is_half, clpac_entry **out, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	clpac_read_options own;
	char whole[PATH_MAX], *key = NULL;
	clpac_metadata metadata = {0};
	struct reading reading = {.options = options, .before = &metadata, .is_half = is_half};
	TRY(find_path(path, whole, err));
	TRY(clpac__take_sized(&own, options, clpac_read_options, err));
	TRY(make_key(is_half ? "half" : "recording", "", whole, &own, &key, err));
	TRY(find_facts(whole, &own, &metadata, err));
	reading.path = whole;
	TRY(clpac_store_fetch(store, key, &metadata, load_recording, &reading, out, err));
done:
	FREE_ALL(reading.text, key);
	return st;
}

clpac_status clpac_store_recording(clpac_store *store, const char *path, const clpac_read_options *options,
				   clpac_entry **out, clpac_error *err)
{
	NEED(store, path, out);
	return store_recording(store, path, options, false, out, err);
}

clpac_status clpac_store_recording_half(clpac_store *store, const char *path, const clpac_read_options *options,
					clpac_entry **out, clpac_error *err)
{
	NEED(store, path, out);
	return store_recording(store, path, options, true, out, err);
}

clpac_status clpac_store_derived(clpac_store *store, const char *path, const clpac_read_options *options,
				 const char *what, clpac_load_function *load, void *user, clpac_entry **out,
				 clpac_error *err)
{
	NEED(store, path, what, load, out);
	clpac_status st = CLPAC_OK;
	clpac_read_options own;
	char whole[PATH_MAX], *key = NULL;
	clpac_metadata metadata = {0};
	if (!what || !*what)
		FAIL(CLPAC_ERROR_ARGUMENT, "%s: what is derived from it has no name", path ? path : "a file");
	TRY(find_path(path, whole, err));
	TRY(clpac__take_sized(&own, options, clpac_read_options, err));
	TRY(make_key("derived:", what, whole, &own, &key, err));
	TRY(find_facts(whole, &own, &metadata, err));
	TRY(clpac_store_fetch(store, key, &metadata, load, user, out, err));
done:
	clpac__free(key);
	return st;
}

/* --- Out of the store -------------------------------------------------------------------------- */

/* Writing through the const is safe: the recording belongs to the caller until it is returned. */
static clpac_status read_halves(clpac_buffer *buffer, size_t offset, const clpac_channel *channel, int power,
				clpac_error *err)
{
	uint16_t halves[PIECE];
	for (size_t at = 0; at < channel->n_samples; at += PIECE) {
		const size_t n = channel->n_samples - at < PIECE ? channel->n_samples - at : PIECE;
		RETURN_IF_ERROR(
			clpac_buffer_read(buffer, offset + at * sizeof *halves, n * sizeof *halves, halves, err));
		for (size_t i = 0; i < n; i++) {
			const double value = clpac__half_scaled_value(halves[i], power);
			if (channel->type == CLPAC_FLOAT32)
				((float *)channel->samples)[at + i] = (float)value;
			else
				((double *)channel->samples)[at + i] = value;
		}
	}
	return CLPAC_OK;
}

clpac_status clpac_entry_recording(clpac_entry *entry, clpac_recording **out, clpac_error *err)
{
	NEED(entry, out);
	clpac_status st = CLPAC_OK;
	clpac_recording *made = NULL;
	size_t offset = 0;
	clpac_buffer *buffer = clpac_entry_buffer(entry);
	if (!buffer)
		FAIL(CLPAC_ERROR_ARGUMENT, "entry \"%s\" is not on its device: acquire it", clpac_entry_key(entry));
	int power = 0;
	const bool is_half = clpac__half_type_read(clpac_entry_metadata(entry)->type, &power);
	TRY(clpac__recording_from_text(clpac_entry_key(entry), clpac_entry_metadata(entry)->text, &made, err));
	for (size_t i = 0; i < clpac_recording_n_channels(made); i++) {
		const clpac_channel *channel = clpac_recording_channel(made, i);
		/* Writing through the const is safe: the recording belongs to this function until it is returned. */
		TRY(is_half ? read_halves(buffer, offset, channel, power, err)
			    : clpac_buffer_read(buffer, offset, channel->n_samples * sample_bytes(channel),
						(void *)channel->samples, err));
		offset = next_offset(offset, channel, is_half);
	}
	*out = made, made = NULL;
done:
	clpac_recording_destroy(made);
	return st;
}
