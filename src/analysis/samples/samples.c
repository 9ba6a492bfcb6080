#include "analysis/samples/samples.h"

#include <math.h>
#include <stdint.h>
#include "base/cancel.h"
#include "base/memory.h"
#include "base/thread.h"

static const clpac_channel *channel_at(const clpac__job_samples *samples, size_t c)
{
	return clpac_recording_channel(samples->recording, samples->channels->numbers[c]);
}

static size_t bytes_of(clpac_sample_type type)
{
	return type == CLPAC_FLOAT64 ? sizeof(double) : sizeof(float);
}

void clpac__job_samples_group(const clpac__job_samples *samples, size_t group, size_t *first, size_t *end)
{
	*first = group * samples->per_group;
	*end = *first + samples->per_group;
	if (*end > samples->channels->n)
		*end = samples->channels->n;
}

/* --- A part of each channel ---------------------------------------------------------------------- */

/* Reads the part of a group of channels into copies, each in its channel's type. */
static clpac_status read_parts(clpac__job_samples *samples, size_t first, size_t end, clpac_error *err)
{
	for (size_t c = first; c < end; c++)
		if (!(samples->copies[c] =
			      clpac__alloc_array(samples->n_samples, bytes_of(channel_at(samples, c)->type))))
			RETURN_NO_MEMORY(samples->n_samples * bytes_of(channel_at(samples, c)->type));
	return clpac_recording_read_part(samples->recording, samples->channels->numbers + first, end - first,
					 samples->first, samples->n_samples, samples->copies + first, err);
}

/* Widens a channel's copy where others are wider. */
static clpac_status widen(clpac__job_samples *samples, size_t c, clpac_error *err)
{
	if (channel_at(samples, c)->type == samples->type)
		return CLPAC_OK;
	clpac_status st = CLPAC_OK;
	double *to;
	TRY(NEW_ARRAY(to, samples->n_samples));
	for (size_t i = 0; i < samples->n_samples; i++) {
		TRY(clpac__cancel_check_at(i, err));
		to[i] = (double)((const float *)samples->copies[c])[i];
	}
	clpac__free(samples->copies[c]);
	samples->copies[c] = to;
	to = NULL;
done:
	clpac__free(to);
	return st;
}

static clpac_status load_parts(clpac__job_samples *samples, size_t first, size_t end, clpac_error *err)
{
	RETURN_IF_ERROR(read_parts(samples, first, end, err));
	for (size_t c = first; c < end; c++)
		RETURN_IF_ERROR(widen(samples, c, err));
	return CLPAC_OK;
}

/* --- Whole channels, and both -------------------------------------------------------------------- */

/* Copies a channel's samples where the others are wider, or lie otherwise. */
static clpac_status conform(clpac__job_samples *samples, size_t c, clpac_error *err)
{
	const clpac_channel *channel = channel_at(samples, c);
	if (channel->type == samples->type && channel->stride == samples->stride)
		return CLPAC_OK;
	void *to = samples->copies[c] = clpac__alloc_array(channel->n_samples, bytes_of(samples->type));
	if (!to)
		RETURN_NO_MEMORY(channel->n_samples * bytes_of(samples->type));
	for (size_t i = 0, at = 0; i < channel->n_samples; i++, at += channel->stride) {
		RETURN_IF_ERROR(clpac__cancel_check_at(i, err));
		if (samples->type == CLPAC_FLOAT32)
			((float *)to)[i] = ((const float *)channel->samples)[at];
		else
			((double *)to)[i] = channel->type == CLPAC_FLOAT64
						    ? ((const double *)channel->samples)[at]
						    : (double)((const float *)channel->samples)[at];
	}
	clpac_recording_unload(samples->recording, &samples->channels->numbers[c], 1);
	return CLPAC_OK;
}

static void unload(clpac__job_samples *samples, size_t group)
{
	size_t first, end;
	clpac__job_samples_group(samples, group, &first, &end);
	clpac_recording_unload(samples->recording, samples->channels->numbers + first, end - first);
	for (size_t c = first; c < end; c++) {
		clpac__free(samples->copies[c]);
		samples->copies[c] = NULL;
		samples->values[c] = NULL;
	}
}

static clpac_status load(clpac__job_samples *samples, size_t group, clpac_error *err)
{
	size_t first, end;
	clpac__job_samples_group(samples, group, &first, &end);
	if (samples->is_part)
		return load_parts(samples, first, end, err);
	RETURN_IF_ERROR(clpac_recording_load(samples->recording, samples->channels->numbers + first, end - first, err));
	for (size_t c = first; c < end; c++)
		RETURN_IF_ERROR(conform(samples, c, err));
	return CLPAC_OK;
}

/* Shows a group that was loaded.  Not in the thread that loads: who works on one group sees nothing of the next. */
static void present(clpac__job_samples *samples, size_t group)
{
	size_t first, end;
	clpac__job_samples_group(samples, group, &first, &end);
	for (size_t c = first; c < end; c++)
		samples->values[c] = samples->copies[c] ? samples->copies[c] : channel_at(samples, c)->samples;
	samples->present = group;
}

/* --- The group behind the present one ----------------------------------------------------------- */

static void *read_group(void *argument)
{
	clpac__group_reading *reading = argument;
	clpac_cancel_use(reading->cancel);
	reading->st = load(reading->samples, reading->group, &reading->why);
	return NULL;
}

/* Begins to read a group.  Where no thread can be started, it is read when it is taken. */
static void begin(clpac__job_samples *samples, size_t group)
{
	clpac__group_reading *reading = &samples->reading;
	*reading = (clpac__group_reading){
		.samples = samples, .group = group, .is_under_way = true, .cancel = clpac_cancel_used()};
	reading->has_thread = clpac__thread_create(&reading->thread, CLPAC__LEAST_STACK, read_group, reading) == 0;
}

static clpac_status finish(clpac__job_samples *samples, clpac_error *err)
{
	clpac__group_reading *reading = &samples->reading;
	if (!reading->is_under_way)
		return CLPAC_OK;
	if (reading->has_thread)
		pthread_join(reading->thread, NULL);
	else
		read_group(reading);
	reading->is_under_way = false;
	if (reading->st == CLPAC_OK)
		return CLPAC_OK;
	unload(samples, reading->group);
	return clpac__fail_as(err, &reading->why);
}

/* Ends a reading whose group is not wanted, without beginning what has not begun. */
static void drop(clpac__job_samples *samples)
{
	clpac__group_reading *reading = &samples->reading;
	if (reading->is_under_way && reading->has_thread)
		pthread_join(reading->thread, NULL);
	if (reading->is_under_way)
		unload(samples, reading->group);
	reading->is_under_way = false;
}

clpac_status clpac__job_samples_take(clpac__job_samples *samples, size_t group, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	if (samples->present == group)
		return st;
	if (samples->present != SIZE_MAX)
		unload(samples, samples->present);
	samples->present = SIZE_MAX;
	if (samples->reading.is_under_way && samples->reading.group == group) {
		RETURN_IF_ERROR(finish(samples, err));
	} else {
		drop(samples);
		st = load(samples, group, err);
		if (st != CLPAC_OK) {
			unload(samples, group);
			return st;
		}
	}
	present(samples, group);
	if (group + 1 < samples->n_groups)
		begin(samples, group + 1);
	return st;
}

/* --- Gaps --------------------------------------------------------------------------------------- */

/* Samples of one channel, as they lie in memory. */
typedef struct series {
	const void *values;
	clpac_sample_type type;
	size_t stride, n, first; /* the number of the first in the channel */
} series;

static bool is_finite(const series *of, size_t i)
{
	if (of->type == CLPAC_FLOAT64)
		return isfinite(((const double *)of->values)[i * of->stride]);
	return isfinite(((const float *)of->values)[i * of->stride]);
}

static clpac_status find_gaps(const series *of, clpac__stretches *out, clpac_error *err)
{
	for (size_t at = 0; at < of->n;) {
		for (; at < of->n && is_finite(of, at); at++)
			RETURN_IF_ERROR(clpac__cancel_check_at(at, err));
		const size_t from = at;
		for (; at < of->n && !is_finite(of, at); at++)
			RETURN_IF_ERROR(clpac__cancel_check_at(at, err));
		RETURN_IF_ERROR(clpac__stretches_add(out, (clpac_window){of->first + from, at - from}, err));
	}
	return CLPAC_OK;
}

/* Resampling makes NaN only of NaN, so that what the file cannot hold is not looked for. */
static bool may_have_gaps(const clpac__job_samples *samples, size_t c)
{
	return !clpac_recording_is_finite(samples->recording, samples->channels->numbers[c]);
}

/* @param first, end channels whose samples are there. */
static clpac_status find_gaps_of(clpac__job_samples *samples, size_t first, size_t end, clpac_error *err)
{
	for (size_t c = first; c < end; c++) {
		const clpac_channel *channel = channel_at(samples, c);
		const series part = {samples->copies[c], samples->type, 1, samples->n_samples, samples->first};
		const series whole = {channel->samples, channel->type, channel->stride, channel->n_samples, 0};
		if (may_have_gaps(samples, c))
			RETURN_IF_ERROR(find_gaps(samples->is_part ? &part : &whole, &samples->gaps[c], err));
	}
	return CLPAC_OK;
}

/* Where the gaps of each of the recording's channels go. */
typedef struct gap_places {
	clpac__stretches **of_channels;
} gap_places;

static clpac_status add_gap(void *user, size_t channel, size_t first, size_t n, clpac_error *err)
{
	const gap_places *places = user;
	return clpac__stretches_add(places->of_channels[channel], (clpac_window){first, n}, err);
}

/* Looks through the file in one pass, which keeps no samples.  *is_done is false where it must be read in groups. */
static clpac_status look_through_file(clpac__job_samples *samples, bool *is_done, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	const clpac__chosen_channels *channels = samples->channels;
	gap_places places = {
		clpac__alloc_array(clpac_recording_n_channels(samples->recording), sizeof *places.of_channels)};
	clpac_error why = {0};
	if (!places.of_channels)
		FAIL_NO_MEMORY(clpac_recording_n_channels(samples->recording) * sizeof *places.of_channels);
	for (size_t c = 0; c < channels->n; c++)
		places.of_channels[channels->numbers[c]] = &samples->gaps[c];
	st = clpac_recording_find_gaps(samples->recording, channels->numbers, channels->n, add_gap, &places, &why);
	*is_done = st == CLPAC_OK;
	if (st == CLPAC_ERROR_UNSUPPORTED)
		st = CLPAC_OK;
	else if (st != CLPAC_OK)
		st = clpac__fail_as(err, &why);
done:
	clpac__free(places.of_channels);
	return st;
}

/* Finds the gaps before anything is computed.  Samples that fit are read for it, and stay. */
static clpac_status look_for_gaps(clpac__job_samples *samples, clpac_error *err)
{
	bool is_done = false;
	if (samples->n_groups > 1)
		RETURN_IF_ERROR(look_through_file(samples, &is_done, err));
	for (size_t group = 0; group < samples->n_groups && !is_done; group++) {
		size_t first, end;
		bool is_needed = false;
		clpac__job_samples_group(samples, group, &first, &end);
		for (size_t c = first; c < end; c++)
			is_needed |= may_have_gaps(samples, c);
		if (!is_needed)
			continue;
		if (samples->is_part) {
			/* They stay in their copies, as the group that is present first. */
			RETURN_IF_ERROR(clpac__job_samples_take(samples, group, err));
			RETURN_IF_ERROR(find_gaps_of(samples, first, end, err));
			continue;
		}
		RETURN_IF_ERROR(
			clpac_recording_load(samples->recording, samples->channels->numbers + first, end - first, err));
		RETURN_IF_ERROR(find_gaps_of(samples, first, end, err));
		if (samples->n_groups > 1)
			clpac_recording_unload(samples->recording, samples->channels->numbers + first, end - first);
	}
	return CLPAC_OK;
}

/* --- Flat runs ---------------------------------------------------------------------------------- */

static clpac_status begin_searches(const clpac__job_samples *samples, const clpac__flat_lengths *flat,
				   clpac__flat_search **out, clpac_error *err)
{
	clpac__flat_search *made;
	RETURN_IF_ERROR(NEW_ARRAY(made, samples->channels->n));
	for (size_t c = 0; c < samples->channels->n; c++)
		made[c] = (clpac__flat_search){.least = flat->least, .longest_clip = flat->longest_clip};
	*out = made;
	return CLPAC_OK;
}

/* Looks at samples that fit, which stay. */
static clpac_status look_at_present(clpac__job_samples *samples, clpac__flat_search *searches, clpac_error *err)
{
	RETURN_IF_ERROR(clpac__job_samples_take(samples, 0, err));
	for (size_t c = 0; c < samples->channels->n; c++)
		RETURN_IF_ERROR(clpac__flat_look(
			&searches[c], samples->values[c], samples->type == CLPAC_FLOAT64, samples->stride,
			samples->is_part ? samples->n_samples : channel_at(samples, c)->n_samples, err));
	return CLPAC_OK;
}

static clpac_status look_for_flats(clpac__job_samples *samples, const clpac__flat_lengths *flat, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	const size_t n = samples->channels->n, first = samples->is_part ? samples->first : 0;
	clpac__flat_search *searches = NULL;
	TRY(begin_searches(samples, flat, &searches, err));
	if (samples->n_groups == 1)
		TRY(look_at_present(samples, searches, err));
	else
		TRY(clpac__flats_look(samples->recording, samples->channels->numbers, n,
				      &(clpac_window){first, samples->n_samples}, searches, err));
	for (size_t c = 0; c < n; c++) {
		TRY(clpac__flat_end(&searches[c], err));
		samples->n_clipped[c] = searches[c].n_clipped;
		for (size_t i = 0; i < searches[c].n_runs; i++)
			TRY(clpac__stretches_add(
				&samples->flats[c],
				(clpac_window){first + searches[c].runs[i].first, searches[c].runs[i].n}, err));
	}
done:
	for (size_t c = 0; searches && c < n; c++)
		clpac__flat_clear(&searches[c]);
	clpac__free(searches);
	return st;
}

/* --- All of them -------------------------------------------------------------------------------- */

/* Divides the channels: all at once where they fit in the limit, or are there anyway; else two groups at a time, as
 * even as they can be. */
static void divide(clpac__job_samples *samples, uint64_t limit)
{
	uint64_t all = 0, most = 1;
	bool are_there = true;
	const size_t n_channels = samples->channels->n;
	for (size_t c = 0; c < n_channels; c++) {
		const clpac_channel *channel = channel_at(samples, c);
		const size_t n_samples = samples->is_part ? samples->n_samples : channel->n_samples;
		const uint64_t bytes = (uint64_t)n_samples * bytes_of(samples->type);
		are_there = are_there && channel->samples;
		most = bytes > most ? bytes : most;
		all += bytes;
	}
	samples->per_group = n_channels;
	if (!are_there && all > limit) {
		const uint64_t n = limit / 2 / most;
		samples->per_group = n < 1 ? 1 : n < n_channels ? (size_t)n : n_channels;
	}
	samples->n_groups = (n_channels + samples->per_group - 1) / samples->per_group;
	samples->per_group = (n_channels + samples->n_groups - 1) / samples->n_groups;
}

/* The bytes that reading some channels takes: those from place `first` up to `end` of the job's. */
static clpac_status count_bytes(const clpac__job_samples *samples, size_t first, size_t end, uint64_t *bytes,
				clpac_error *err)
{
	const size_t *numbers = samples->channels->numbers + first;
	if (samples->is_part)
		return clpac_recording_part_bytes(samples->recording, numbers, end - first, samples->first,
						  samples->n_samples, bytes, err);
	return clpac_recording_load_bytes(samples->recording, numbers, end - first, bytes, err);
}

clpac_status clpac__job_samples_bytes(const clpac__job_samples *samples, uint64_t *bytes, clpac_error *err)
{
	*bytes = 0;
	for (size_t group = 0; group < samples->n_groups; group++) {
		size_t first, end;
		uint64_t of_group;
		clpac__job_samples_group(samples, group, &first, &end);
		if (group == samples->present)
			continue;
		RETURN_IF_ERROR(count_bytes(samples, first, end, &of_group, err));
		*bytes += of_group;
	}
	return CLPAC_OK;
}

/* Channels that the file has apart are divided by the usual limit.  Where groups read more of the file than all
 * channels together, they are as large as memory allows. */
static clpac_status choose_groups(clpac__job_samples *samples, const clpac__hold *hold, clpac_error *err)
{
	uint64_t at_once, in_groups;
	divide(samples, hold->bytes);
	if (samples->n_groups == 1 || hold->most <= hold->bytes)
		return CLPAC_OK;
	RETURN_IF_ERROR(count_bytes(samples, 0, samples->channels->n, &at_once, err));
	RETURN_IF_ERROR(clpac__job_samples_bytes(samples, &in_groups, err));
	if (in_groups > at_once + at_once / 8)
		divide(samples, hold->most);
	return CLPAC_OK;
}

/* The stride of all channels that need no copy for their type; 1 where they differ. */
static size_t common_stride(const clpac__job_samples *samples)
{
	if (samples->is_part)
		return 1;
	const size_t stride = channel_at(samples, 0)->stride;
	for (size_t c = 0; c < samples->channels->n; c++)
		if (channel_at(samples, c)->stride != stride || channel_at(samples, c)->type != samples->type)
			return 1;
	return stride;
}

/* Whether a part is less than the channels, and the file has a part of each as it is. */
static bool can_take_part(clpac_recording *recording, const clpac__chosen_channels *channels, const clpac_window *part)
{
	uint64_t bytes;
	clpac_error refused;
	return part->n_samples < channels->n_samples &&
	       clpac_recording_part_bytes(recording, channels->numbers, channels->n, part->start, part->n_samples,
					  &bytes, &refused) == CLPAC_OK;
}

clpac_status clpac__job_samples_open(clpac_recording *recording, const clpac__chosen_channels *channels,
				     const clpac_window *part, const clpac__flat_lengths *flat, const clpac__hold *hold,
				     clpac__job_samples *out, clpac_error *err)
{
	const size_t n = channels->n;
	*out = (clpac__job_samples){.recording = recording, .channels = channels, .present = SIZE_MAX};
	out->n_samples = channels->n_samples;
	if (can_take_part(recording, channels, part)) {
		out->is_part = true;
		out->first = part->start;
		out->n_samples = part->n_samples;
	}
	RETURN_IF_ERROR(NEW_ARRAY(out->values, n));
	RETURN_IF_ERROR(NEW_ARRAY(out->copies, n));
	RETURN_IF_ERROR(NEW_ARRAY(out->gaps, n));
	RETURN_IF_ERROR(NEW_ARRAY(out->flats, n));
	RETURN_IF_ERROR(NEW_ARRAY(out->n_clipped, n));
	for (size_t c = 0; c < n; c++)
		if (channel_at(out, c)->type == CLPAC_FLOAT64)
			out->type = CLPAC_FLOAT64;
	out->stride = common_stride(out);
	RETURN_IF_ERROR(choose_groups(out, hold, err));
	RETURN_IF_ERROR(look_for_gaps(out, err));
	return flat ? look_for_flats(out, flat, err) : CLPAC_OK;
}

void clpac__job_samples_close(clpac__job_samples *samples)
{
	if (!samples->recording)
		return;
	drop(samples);
	if (samples->values && samples->copies && samples->present != SIZE_MAX)
		unload(samples, samples->present);
	for (size_t c = 0; samples->gaps && c < samples->channels->n; c++)
		clpac__stretches_clear(&samples->gaps[c]);
	for (size_t c = 0; samples->flats && c < samples->channels->n; c++)
		clpac__stretches_clear(&samples->flats[c]);
	FREE_ALL(samples->values, samples->copies, samples->gaps, samples->flats, samples->n_clipped);
	*samples = (clpac__job_samples){0};
}
