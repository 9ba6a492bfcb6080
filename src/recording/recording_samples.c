/* Samples on demand: loaded from the recording's file for some of its channels, and freed again. */
#include <math.h>
#include <stdlib.h>
#include <clpac/read.h>
#include <clpac/recording.h>

#include "base/cancel.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/number.h"
#include "recording/recording.h"
#include "recording/resample.h"

void clpac__recording_set_file(clpac_recording *recording, clpac__sample_file *file)
{
	recording->file = file;
}

void clpac__recording_count_bytes(clpac_recording *recording, uint64_t n_bytes)
{
	atomic_fetch_add_explicit(&recording->n_bytes_read, n_bytes, memory_order_relaxed);
}

/* How the file holds a channel. */
static clpac__stored_channel stored(const clpac_recording *recording, size_t channel)
{
	const clpac_channel *given = &recording->channels[channel];
	return recording->stored ? recording->stored[channel]
				 : (clpac__stored_channel){given->rate_hz, given->n_samples};
}

static bool is_resampled(const clpac_recording *recording, size_t channel)
{
	return recording->stored && recording->stored[channel].rate_hz != recording->channels[channel].rate_hz;
}

/* Channels that are being loaded, with room for their samples. */
typedef struct loading {
	size_t *channels, n;
	void **rooms; /* owned until they are the recording's */
} loading;

/* Finds those that have no samples yet, each once, in ascending order. */
static clpac_status find_missing(const clpac_recording *recording, const size_t *channels, size_t n, loading *out,
				 clpac_error *err)
{
	size_t n_different = 0;
	RETURN_IF_ERROR(NEW_ARRAY(out->channels, n));
	RETURN_IF_ERROR(NEW_ARRAY(out->rooms, n));
	for (size_t i = 0; i < n; i++)
		if (!recording->channels[channels[i]].samples)
			out->channels[out->n++] = channels[i];
	qsort(out->channels, out->n, sizeof *out->channels, clpac__compare_sizes);
	for (size_t i = 0; i < out->n; i++)
		if (!n_different || out->channels[n_different - 1] != out->channels[i])
			out->channels[n_different++] = out->channels[i];
	out->n = n_different;
	return CLPAC_OK;
}

/* Puts a channel at its rate in place of what the file holds. */
static clpac_status resample(const clpac_recording *recording, size_t channel, void **samples, clpac_error *err)
{
	const clpac__stored_channel from = stored(recording, channel);
	void *made = NULL;
	RETURN_IF_ERROR(clpac__resample(
		&(clpac__series){recording->channels[channel].type, *samples, from.n_samples, from.rate_hz},
		recording->stretches, recording->n_stretches, recording->channels[channel].rate_hz,
		recording->channels[channel].n_samples, &made, err));
	clpac__free(*samples);
	*samples = made;
	return CLPAC_OK;
}

static clpac_status check_numbers(const clpac_recording *recording, const size_t *channels, size_t n, clpac_error *err)
{
	for (size_t i = 0; i < n; i++)
		if (channels[i] >= recording->n_channels)
			RETURN_ERROR(
				CLPAC_ERROR_ARGUMENT,
				"the samples of channel %zu cannot be loaded: the recording has %zu, counted from 0",
				channels[i], recording->n_channels);
	return CLPAC_OK;
}

clpac_status clpac_recording_load(clpac_recording *recording, const size_t *channels, size_t n, clpac_error *err)
{
	NEED(recording);
	NEED_AS(channels || !n, "channels");
	clpac_status st = CLPAC_OK;
	loading wanted = {0};
	uint64_t n_bytes = 0;
	TRY(check_numbers(recording, channels, n, err));
	if (!recording->file)
		goto done;
	TRY(find_missing(recording, channels, n, &wanted, err));
	for (size_t i = 0; i < wanted.n; i++) {
		const clpac_channel *channel = &recording->channels[wanted.channels[i]];
		const size_t n_samples = stored(recording, wanted.channels[i]).n_samples;
		wanted.rooms[i] = clpac__alloc_array(n_samples, clpac__sample_bytes(channel->type));
		if (!wanted.rooms[i])
			FAIL(CLPAC_ERROR_NO_MEMORY,
			     "channel \"%s\": the host has no memory left for %zu samples of %zu bytes", channel->name,
			     n_samples, clpac__sample_bytes(channel->type));
	}
	if (wanted.n)
		st = recording->file->read(recording->file, wanted.channels, wanted.n, NULL, wanted.rooms, &n_bytes,
					   err);
	clpac__recording_count_bytes(recording, n_bytes);
	TRY(st);
	for (size_t i = 0; i < wanted.n; i++)
		if (is_resampled(recording, wanted.channels[i]))
			TRY(resample(recording, wanted.channels[i], &wanted.rooms[i], err));
	for (size_t i = 0; i < wanted.n; i++) {
		recording->channels[wanted.channels[i]].samples = wanted.rooms[i];
		wanted.rooms[i] = NULL;
	}
done:
	for (size_t i = 0; wanted.rooms && i < wanted.n; i++)
		clpac__free(wanted.rooms[i]);
	FREE_ALL(wanted.rooms, wanted.channels);
	return st;
}

clpac_status clpac_recording_load_bytes(const clpac_recording *recording, const size_t *channels, size_t n,
					uint64_t *bytes, clpac_error *err)
{
	NEED(recording);
	NEED_AS(channels || !n, "channels");
	NEED(bytes);
	clpac_status st = CLPAC_OK;
	loading wanted = {0};
	uint64_t n_bytes = 0;
	TRY(check_numbers(recording, channels, n, err));
	if (recording->file) {
		TRY(find_missing(recording, channels, n, &wanted, err));
		TRY(recording->file->count_bytes(recording->file, wanted.channels, wanted.n, NULL, &n_bytes, err));
	}
	*bytes = n_bytes;
done:
	FREE_ALL(wanted.rooms, wanted.channels);
	return st;
}

/* --- A part of them ------------------------------------------------------------------------------- */

/* Refuses what has no such part, or none in the file as it is. */
static clpac_status check_part(const clpac_recording *recording, const size_t *channels, size_t n,
			       const clpac__sample_part *part, clpac_error *err)
{
	RETURN_IF_ERROR(check_numbers(recording, channels, n, err));
	for (size_t i = 0; i < n; i++) {
		const clpac_channel *channel = &recording->channels[channels[i]];
		if (part->first > channel->n_samples || part->n > channel->n_samples - part->first)
			RETURN_ERROR(CLPAC_ERROR_ARGUMENT,
				     "channel \"%s\": it has %zu samples, and not %zu from number %zu on",
				     channel->name, channel->n_samples, part->n, part->first);
		if (channel->samples || !recording->file || is_resampled(recording, channels[i]))
			RETURN_ERROR(CLPAC_ERROR_UNSUPPORTED,
				     "channel \"%s\": no part of its samples lies in a file as it is: load the channel",
				     channel->name);
	}
	return CLPAC_OK;
}

/* A channel and where its samples go. */
typedef struct channel_room {
	size_t channel;
	void *room;
} channel_room;

static int by_channel(const void *a, const void *b)
{
	return clpac__compare_sizes(&((const channel_room *)a)->channel, &((const channel_room *)b)->channel);
}

/* The channels in ascending order, with their rooms, if there are any.
 * @param out its arrays are to be freed with clpac__free, also after an error. */
static clpac_status in_order(const size_t *channels, size_t n, void *const *rooms, loading *out, clpac_error *err)
{
	channel_room *each;
	RETURN_IF_ERROR(NEW_ARRAY(each, n));
	for (size_t i = 0; i < n; i++)
		each[i] = (channel_room){channels[i], rooms ? rooms[i] : NULL};
	qsort(each, n, sizeof *each, by_channel);
	*out = (loading){clpac__alloc_array(n, sizeof *out->channels), n, clpac__alloc_array(n, sizeof *out->rooms)};
	const bool is_there = out->channels && out->rooms;
	for (size_t i = 0; is_there && i < n; i++) {
		out->channels[i] = each[i].channel;
		out->rooms[i] = each[i].room;
	}
	clpac__free(each);
	if (!is_there)
		RETURN_NO_MEMORY(n * (sizeof *out->channels + sizeof *out->rooms));
	for (size_t i = 1; i < n; i++)
		if (out->channels[i] == out->channels[i - 1])
			RETURN_ERROR(CLPAC_ERROR_ARGUMENT, "a part of channel %zu was asked for twice",
				     out->channels[i]);
	return CLPAC_OK;
}

clpac_status clpac_recording_read_part(clpac_recording *recording, const size_t *channels, size_t n, size_t first,
				       size_t n_samples, void *const *rooms, clpac_error *err)
{
	NEED(recording);
	NEED_AS(channels || !n, "channels");
	NEED_AS(rooms || !n, "rooms");
	clpac_status st = CLPAC_OK;
	const clpac__sample_part part = {first, n_samples};
	loading wanted = {0};
	uint64_t n_bytes = 0;
	TRY(check_part(recording, channels, n, &part, err));
	if (!n || !n_samples)
		goto done;
	TRY(in_order(channels, n, rooms, &wanted, err));
	st = recording->file->read(recording->file, wanted.channels, n, &part, wanted.rooms, &n_bytes, err);
	clpac__recording_count_bytes(recording, n_bytes);
done:
	clpac__free(wanted.channels);
	clpac__free(wanted.rooms);
	return st;
}

clpac_status clpac_recording_part_bytes(const clpac_recording *recording, const size_t *channels, size_t n,
					size_t first, size_t n_samples, uint64_t *bytes, clpac_error *err)
{
	NEED(recording);
	NEED_AS(channels || !n, "channels");
	NEED(bytes);
	clpac_status st = CLPAC_OK;
	const clpac__sample_part part = {first, n_samples};
	loading wanted = {0};
	uint64_t n_bytes = 0;
	TRY(check_part(recording, channels, n, &part, err));
	if (n && n_samples) {
		TRY(in_order(channels, n, NULL, &wanted, err));
		TRY(recording->file->count_bytes(recording->file, wanted.channels, n, &part, &n_bytes, err));
	}
	*bytes = n_bytes;
done:
	clpac__free(wanted.channels);
	clpac__free(wanted.rooms);
	return st;
}

void clpac_recording_unload(clpac_recording *recording, const size_t *channels, size_t n)
{
	if (!recording || !recording->file || !channels)
		return;
	for (size_t i = 0; i < n; i++) {
		if (channels[i] >= recording->n_channels || recording->origins[channels[i]] != CLPAC__ORIGIN_STORED)
			continue;
		clpac__free((void *)recording->channels[channels[i]].samples);
		recording->channels[channels[i]].samples = NULL;
	}
}

bool clpac_recording_is_finite(const clpac_recording *recording, size_t channel)
{
	if (!recording || !recording->file || channel >= recording->n_channels)
		return false;
	return recording->file->is_finite(recording->file, channel);
}

/* Runs in samples that are there. */
static clpac_status look_at(const clpac_channel *channel, size_t number, clpac_gap_found *found, void *user,
			    clpac_error *err)
{
	size_t since = SIZE_MAX;
	for (size_t i = 0; i <= channel->n_samples; i++) {
		RETURN_IF_ERROR(clpac__cancel_check_at(i, err));
		const bool is_number = i == channel->n_samples ||
				       (channel->type == CLPAC_FLOAT64
						? isfinite(((const double *)channel->samples)[i * channel->stride])
						: isfinite(((const float *)channel->samples)[i * channel->stride]));
		if (is_number == (since == SIZE_MAX))
			continue;
		if (is_number)
			RETURN_IF_ERROR(found(user, number, since, i - since, err));
		since = is_number ? SIZE_MAX : i;
	}
	return CLPAC_OK;
}

clpac_status clpac_recording_find_gaps(clpac_recording *recording, const size_t *channels, size_t n,
				       clpac_gap_found *found, void *user, clpac_error *err)
{
	NEED(recording);
	NEED_AS(channels || !n, "channels");
	NEED_AS(found, "found");
	clpac_status st = CLPAC_OK;
	loading wanted = {0};
	uint64_t n_bytes = 0;
	size_t n_left = 0;
	TRY(check_numbers(recording, channels, n, err));
	TRY(find_missing(recording, channels, n, &wanted, err));
	for (size_t i = 0; i < wanted.n; i++)
		if (recording->file && !clpac_recording_is_finite(recording, wanted.channels[i]))
			wanted.channels[n_left++] = wanted.channels[i];
	for (size_t i = 0; i < n_left; i++)
		if (!recording->file->find_gaps || is_resampled(recording, wanted.channels[i]))
			FAIL(CLPAC_ERROR_UNSUPPORTED,
			     "the samples of channel \"%s\" are made from those of the file: load them to look for NaN",
			     recording->channels[wanted.channels[i]].name);
	for (size_t i = 0; i < n; i++)
		if (recording->channels[channels[i]].samples)
			TRY(look_at(&recording->channels[channels[i]], channels[i], found, user, err));
	if (n_left)
		st = recording->file->find_gaps(recording->file, wanted.channels, n_left, found, user, &n_bytes, err);
	clpac__recording_count_bytes(recording, n_bytes);
done:
	FREE_ALL(wanted.rooms, wanted.channels);
	return st;
}

uint64_t clpac_recording_bytes_read(const clpac_recording *recording)
{
	if (!recording)
		return 0;
	return atomic_load_explicit(&recording->n_bytes_read, memory_order_relaxed);
}

clpac_status clpac__recording_load_all(clpac_recording *recording, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	size_t *channels = NULL;
	if (!recording->file)
		goto done;
	TRY(NEW_ARRAY(channels, recording->n_channels));
	for (size_t i = 0; i < recording->n_channels; i++)
		channels[i] = i;
	TRY(clpac_recording_load(recording, channels, recording->n_channels, err));
	recording->file->destroy(recording->file);
	recording->file = NULL;
done:
	clpac__free(channels);
	return st;
}

/* The number of samples at a rate that begin before n samples at another end; both lie on one clock. */
static bool count_samples(const clpac__stored_channel *from, double to_hz, size_t *out)
{
	clpac__ratio ratio;
	return clpac__ratio_of(to_hz, from->rate_hz, &ratio) && clpac__ratio_count(&ratio, from->n_samples, out);
}

clpac_status clpac__recording_resample(clpac_recording *recording, double rate_hz, clpac_error *err)
{
	bool is_needed = false;
	for (size_t i = 0; i < recording->n_channels; i++) {
		const clpac_channel *channel = &recording->channels[i];
		if (!(channel->rate_hz > 0))
			RETURN_ERROR(CLPAC_ERROR_ARGUMENT,
				     "channel \"%s\" cannot be resampled to %g Hz: its own rate is unknown; give it",
				     channel->name, rate_hz);
		is_needed |= channel->rate_hz != rate_hz;
	}
	if (!is_needed)
		return CLPAC_OK;
	if (!clpac_resampling_is_available())
		RETURN_ERROR(
			CLPAC_ERROR_UNSUPPORTED,
			"to resample to %g Hz: this build has no libsamplerate; configure clpac --with-samplerate=yes",
			rate_hz);
	RETURN_IF_ERROR(NEW_ARRAY(recording->stored, recording->n_channels));
	for (size_t i = 0; i < recording->n_channels; i++)
		recording->stored[i] =
			(clpac__stored_channel){recording->channels[i].rate_hz, recording->channels[i].n_samples};
	for (size_t i = 0; i < recording->n_channels; i++) {
		clpac_channel *channel = &recording->channels[i];
		size_t n_samples;
		if (channel->rate_hz == rate_hz)
			continue;
		if (!count_samples(&recording->stored[i], rate_hz, &n_samples))
			RETURN_ERROR(
				CLPAC_ERROR_ARGUMENT,
				"channel \"%s\" cannot be resampled from %.9g to %.9g Hz: rates must be a ratio of "
				"numbers up to %d, and at most %d times each other",
				channel->name, channel->rate_hz, rate_hz, CLPAC__MOST_RATIO, CLPAC__MOST_TIMES);
		if (channel->rate_hz < rate_hz)
			RETURN_IF_ERROR(clpac_recording_warn(
				recording, err, "a channel of %g Hz is resampled to %g Hz, and has nothing above %g Hz",
				channel->rate_hz, rate_hz, channel->rate_hz / 2));
		channel->rate_hz = rate_hz;
		channel->n_samples = n_samples;
		if (channel->samples)
			RETURN_IF_ERROR(resample(recording, i, (void **)&channel->samples, err));
	}
	return CLPAC_OK;
}
