/* A recording: growing tables of channels, stretches, annotations and warnings, and the strings they point to.
 *
 * A full table doubles.  A function that fails leaves the recording as it was. */
#include "recording/recording.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"

static const size_t sample_bytes[] = {
	[CLPAC_FLOAT32] = sizeof(float),
	[CLPAC_FLOAT64] = sizeof(double),
};
enum { SAMPLE_TYPE_COUNT = sizeof sample_bytes / sizeof *sample_bytes };
_Static_assert(SAMPLE_TYPE_COUNT == CLPAC_FLOAT64 + 1, "one size per sample type");

/* Returns the table of n entries with room for one more; NULL, with the old table untouched, if memory ran out. */
static void *with_room(void *table, size_t n, size_t each)
{
	bool is_full = (n & (n - 1)) == 0;
	return is_full ? clpac__realloc_array(table, n ? 2 * n : 1, each) : table;
}

clpac_status clpac_recording_create(const char *format, clpac_recording **out, clpac_error *err)
{
	NEED(out);
	clpac_status st = CLPAC_OK;
	clpac_recording *made;
	TRY(NEW(made));
	TRY(NEW_COPY(made->format, format ? format : ""));
	*out = made, made = NULL;
done:
	clpac_recording_destroy(made);
	return st;
}

void clpac_recording_destroy(clpac_recording *recording)
{
	if (!recording)
		return;
	for (size_t i = 0; i < recording->n_channels; i++) {
		clpac_channel *channel = &recording->channels[i];
		FREE_ALL((void *)channel->name, (void *)channel->unit, (void *)channel->unusable, (void *)channel->bad);
		if (recording->origins[i] != CLPAC__ORIGIN_LENT)
			clpac__free((void *)channel->samples);
	}
	for (size_t i = 0; i < recording->n_annotations; i++)
		clpac__free((void *)recording->annotations[i].text);
	for (size_t i = 0; i < recording->n_warnings; i++)
		clpac__free(recording->warnings[i].text);
	for (size_t i = 0; i < recording->n_tables; i++)
		FREE_ALL((void *)recording->tables[i].use, (void *)recording->tables[i].path);
	FREE_ALL(recording->tables, recording->channels, recording->origins, recording->stretches,
		 recording->annotations, recording->warnings, recording->index.places, recording->stored);
	if (recording->file)
		recording->file->destroy(recording->file);
	FREE_ALL(recording->format, recording);
}

size_t clpac__sample_bytes(clpac_sample_type type)
{
	return sample_bytes[type];
}

clpac_status clpac__recording_add_stored_channel(clpac_recording *recording, const char *name, const char *unit,
						 double rate_hz, size_t n_samples, clpac_sample_type type,
						 clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	char *own_name = NULL, *own_unit = NULL;
	if (!name)
		name = "";
	if (!unit)
		unit = "";
	if ((unsigned)type >= SAMPLE_TYPE_COUNT)
		FAIL(CLPAC_ERROR_ARGUMENT, "channel \"%s\": sample type %d: it must be CLPAC_FLOAT32 or CLPAC_FLOAT64",
		     name, (int)type);
	if (!isfinite(rate_hz) || rate_hz < 0)
		FAIL(CLPAC_ERROR_ARGUMENT, "channel \"%s\": rate_hz is %g: it must be above 0, or 0 for unknown", name,
		     rate_hz);

	clpac_channel *channels = with_room(recording->channels, recording->n_channels, sizeof *channels);
	if (!channels)
		FAIL_NO_MEMORY(sizeof *channels);
	recording->channels = channels;
	unsigned char *origins = with_room(recording->origins, recording->n_channels, sizeof *origins);
	if (!origins)
		FAIL_NO_MEMORY(sizeof *origins);
	recording->origins = origins;
	TRY(NEW_COPY(own_name, name));
	TRY(NEW_COPY(own_unit, unit));
	origins[recording->n_channels] = CLPAC__ORIGIN_STORED;
	channels[recording->n_channels++] = (clpac_channel){
		.name = own_name,
		.unit = own_unit,
		.rate_hz = rate_hz,
		.n_samples = n_samples,
		.type = type,
		.stride = 1,
	};
	own_name = own_unit = NULL;
done:
	FREE_ALL(own_name, own_unit);
	return st;
}

clpac_status clpac_recording_add_channel(clpac_recording *recording, const char *name, const char *unit, double rate_hz,
					 size_t n_samples, clpac_sample_type type, void **samples, clpac_error *err)
{
	NEED(recording);
	clpac_status st = CLPAC_OK;
	RETURN_IF_ERROR(clpac__recording_add_stored_channel(recording, name, unit, rate_hz, n_samples, type, err));
	clpac_channel *channel = &recording->channels[recording->n_channels - 1];
	channel->samples = clpac__alloc_array(n_samples, sample_bytes[type]);
	if (!channel->samples) {
		clpac__fail(err, CLPAC_ERROR_NO_MEMORY,
			    "channel \"%s\": the host has no memory left for %zu samples of %zu bytes", channel->name,
			    n_samples, sample_bytes[type]);
		FREE_ALL((void *)channel->name, (void *)channel->unit);
		recording->n_channels--;
		st = CLPAC_ERROR_NO_MEMORY;
		return st;
	}
	recording->origins[recording->n_channels - 1] = CLPAC__ORIGIN_OWNED;
	if (samples)
		*samples = (void *)channel->samples;
	return st;
}

clpac_status clpac_recording_disable_channel(clpac_recording *recording, size_t channel, const char *why,
					     clpac_error *err)
{
	NEED(recording, why);
	if (channel >= recording->n_channels)
		RETURN_ERROR(CLPAC_ERROR_ARGUMENT,
			     "channel %zu cannot be disabled: the recording has %zu, counted from 0", channel,
			     recording->n_channels);
	if (!why)
		RETURN_ERROR(CLPAC_ERROR_ARGUMENT, "channel %zu is to be disabled without a reason: say why", channel);
	char *own;
	RETURN_IF_ERROR(NEW_COPY(own, why));
	clpac__free((void *)recording->channels[channel].unusable);
	recording->channels[channel].unusable = own;
	return CLPAC_OK;
}

clpac_status clpac_recording_set_kind(clpac_recording *recording, size_t channel, clpac_channel_kind kind,
				      const char *bad, clpac_error *err)
{
	NEED(recording);
	char *own = NULL;
	if (channel >= recording->n_channels)
		RETURN_ERROR(CLPAC_ERROR_ARGUMENT,
			     "the kind of channel %zu cannot be set: the recording has %zu, counted from 0", channel,
			     recording->n_channels);
	if ((unsigned)kind >= CLPAC_KIND_COUNT)
		RETURN_ERROR(CLPAC_ERROR_ARGUMENT, "channel %zu: kind %d does not exist; the last one is %d", channel,
			     (int)kind, CLPAC_KIND_COUNT - 1);
	if (bad && !(own = clpac__strdup(bad)))
		RETURN_NO_MEMORY(strlen(bad) + 1);
	clpac__free((void *)recording->channels[channel].bad);
	recording->channels[channel].bad = own;
	recording->channels[channel].kind = kind;
	return CLPAC_OK;
}

clpac_status clpac_recording_set_rate(clpac_recording *recording, double rate_hz, clpac_error *err)
{
	NEED(recording);
	if (!isfinite(rate_hz) || rate_hz <= 0)
		RETURN_ERROR(CLPAC_ERROR_ARGUMENT, "rate_hz is %g: it must be above 0", rate_hz);
	for (size_t i = 0; i < recording->n_channels; i++)
		recording->channels[i].rate_hz = rate_hz;
	return CLPAC_OK;
}

clpac_status clpac_recording_add_stretch(clpac_recording *recording, const clpac_stretch *stretch, clpac_error *err)
{
	NEED(recording, stretch);
	if (!isfinite(stretch->onset_seconds) || !isfinite(stretch->first_seconds) || !isfinite(stretch->seconds) ||
	    stretch->first_seconds < 0 || stretch->seconds < 0)
		RETURN_ERROR(CLPAC_ERROR_ARGUMENT,
			     "a stretch of %g s from %g s, with onset %g s: times must be finite, start and length not "
			     "below 0",
			     stretch->seconds, stretch->first_seconds, stretch->onset_seconds);
	clpac_stretch *stretches = with_room(recording->stretches, recording->n_stretches, sizeof *stretches);
	if (!stretches)
		RETURN_NO_MEMORY(sizeof *stretches);
	recording->stretches = stretches;
	stretches[recording->n_stretches++] = *stretch;
	return CLPAC_OK;
}

clpac_status clpac_recording_add_annotation(clpac_recording *recording, double onset_seconds, double seconds,
					    const char *text, clpac_error *err)
{
	NEED(recording);
	if (!text)
		text = "";
	if (!isfinite(onset_seconds) || !isfinite(seconds) || seconds < 0)
		RETURN_ERROR(CLPAC_ERROR_ARGUMENT,
			     "annotation \"%s\" at %g s for %g s: times must be finite, the duration not below 0", text,
			     onset_seconds, seconds);
	clpac_annotation *annotations =
		with_room(recording->annotations, recording->n_annotations, sizeof *annotations);
	if (!annotations)
		RETURN_NO_MEMORY(sizeof *annotations);
	recording->annotations = annotations;
	char *own;
	RETURN_IF_ERROR(NEW_COPY(own, text));
	annotations[recording->n_annotations++] = (clpac_annotation){onset_seconds, seconds, own};
	return CLPAC_OK;
}

void clpac__recording_drop_annotations(clpac_recording *recording, size_t n)
{
	if (!n)
		return;
	for (size_t i = 0; i < n; i++)
		clpac__free((void *)recording->annotations[i].text);
	recording->n_annotations -= n;
	memmove(recording->annotations, recording->annotations + n,
		recording->n_annotations * sizeof *recording->annotations);
}

clpac_status clpac__recording_add_table(clpac_recording *recording, const char *use, const char *path, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	clpac_table own = {0};
	clpac_table *tables = with_room(recording->tables, recording->n_tables, sizeof *tables);
	if (!tables)
		FAIL_NO_MEMORY(sizeof *tables);
	recording->tables = tables;
	TRY(NEW_COPY(own.use, use));
	TRY(NEW_COPY(own.path, path));
	tables[recording->n_tables++] = own;
	own = (clpac_table){0};
done:
	FREE_ALL((void *)own.use, (void *)own.path);
	return st;
}

/* The place of a text, or the empty one where it belongs.  The hash is FNV-1a. */
static size_t *find_place(const clpac__text_index *index, const clpac__warning *warnings, const char *text)
{
	uint64_t hash = 0xcbf29ce484222325u;
	for (const char *c = text; *c; c++)
		hash = (hash ^ (unsigned char)*c) * 0x100000001b3u;
	size_t at = (size_t)(hash ^ hash >> 32) & (index->n_places - 1);
	while (index->places[at] && strcmp(warnings[index->places[at] - 1].text, text) != 0)
		at = (at + 1) & (index->n_places - 1);
	return &index->places[at];
}

/* Makes room for one more warning. */
static clpac_status grow_index(clpac_recording *recording, clpac_error *err)
{
	clpac__text_index *old = &recording->index, made = {.n_places = old->n_places ? 2 * old->n_places : 16};
	if (2 * (recording->n_warnings + 1) <= old->n_places)
		return CLPAC_OK;
	RETURN_IF_ERROR(NEW_ARRAY(made.places, made.n_places));
	for (size_t i = 0; i < recording->n_warnings; i++)
		*find_place(&made, recording->warnings, recording->warnings[i].text) = i + 1;
	clpac__free(old->places);
	*old = made;
	return CLPAC_OK;
}

clpac_status clpac__recording_warn_times(clpac_recording *recording, const char *text, size_t count, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	char *own = NULL;
	TRY(grow_index(recording, err));
	size_t *place = find_place(&recording->index, recording->warnings, text);
	if (*place) {
		recording->warnings[*place - 1].count += count;
		goto done;
	}
	TRY(NEW_COPY(own, text));
	clpac__warning *warnings = with_room(recording->warnings, recording->n_warnings, sizeof *warnings);
	if (!warnings)
		FAIL_NO_MEMORY(sizeof *warnings);
	recording->warnings = warnings;
	warnings[recording->n_warnings++] = (clpac__warning){own, count};
	*place = recording->n_warnings;
	own = NULL;
done:
	clpac__free(own);
	return st;
}

clpac_status clpac_recording_warn(clpac_recording *recording, clpac_error *err, const char *format, ...)
{
	NEED(recording, format);
	clpac_status st = CLPAC_OK;
	char *text = NULL;
	va_list args, again;
	va_start(args, format);
	va_copy(again, args);
	int length = vsnprintf(NULL, 0, format, args);
	if (length < 0)
		FAIL(CLPAC_ERROR_ARGUMENT, "the warning \"%s\" cannot be formatted: its format is wrong", format);
	TRY(NEW_BYTES(text, (size_t)length + 1));
	vsnprintf(text, (size_t)length + 1, format, again);
	TRY(clpac__recording_warn_times(recording, text, 1, err));
done:
	clpac__free(text);
	va_end(again);
	va_end(args);
	return st;
}

const char *clpac_recording_format(const clpac_recording *recording)
{
	return recording ? recording->format : NULL;
}

size_t clpac_recording_n_channels(const clpac_recording *recording)
{
	return recording ? recording->n_channels : 0;
}

const clpac_channel *clpac_recording_channel(const clpac_recording *recording, size_t i)
{
	return recording && i < recording->n_channels ? &recording->channels[i] : NULL;
}

double clpac_recording_seconds(const clpac_recording *recording)
{
	if (!recording)
		return 0;
	double longest = 0;
	for (size_t i = 0; i < recording->n_channels; i++) {
		const clpac_channel *channel = &recording->channels[i];
		if (channel->rate_hz > 0)
			longest = fmax(longest, (double)channel->n_samples / channel->rate_hz);
	}
	return longest;
}

size_t clpac_recording_n_stretches(const clpac_recording *recording)
{
	return recording ? recording->n_stretches : 0;
}

const clpac_stretch *clpac_recording_stretch(const clpac_recording *recording, size_t i)
{
	return recording && i < recording->n_stretches ? &recording->stretches[i] : NULL;
}

double clpac_recording_first_seconds(const clpac_recording *recording)
{
	return recording && recording->n_stretches ? recording->stretches[0].onset_seconds : 0;
}

double clpac_recording_mains_hz(const clpac_recording *recording)
{
	return recording ? recording->mains_hz : 0;
}

double clpac__recording_time_of(const clpac_recording *recording, double stored_seconds)
{
	size_t in = 0, behind = recording->n_stretches;
	if (!behind)
		return stored_seconds;
	while (behind - in > 1) {
		const size_t middle = in + (behind - in) / 2;
		if (recording->stretches[middle].first_seconds <= stored_seconds)
			in = middle;
		else
			behind = middle;
	}
	return recording->stretches[in].onset_seconds + (stored_seconds - recording->stretches[in].first_seconds);
}

size_t clpac_recording_n_tables(const clpac_recording *recording)
{
	return recording ? recording->n_tables : 0;
}

const clpac_table *clpac_recording_table(const clpac_recording *recording, size_t i)
{
	return recording && i < recording->n_tables ? &recording->tables[i] : NULL;
}

size_t clpac_recording_n_annotations(const clpac_recording *recording)
{
	return recording ? recording->n_annotations : 0;
}

const clpac_annotation *clpac_recording_annotation(const clpac_recording *recording, size_t i)
{
	return recording && i < recording->n_annotations ? &recording->annotations[i] : NULL;
}

size_t clpac_recording_n_warnings(const clpac_recording *recording)
{
	return recording ? recording->n_warnings : 0;
}

const char *clpac_recording_warning(const clpac_recording *recording, size_t i, size_t *count)
{
	if (!recording || i >= recording->n_warnings)
		return NULL;
	if (count)
		*count = recording->warnings[i].count;
	return recording->warnings[i].text;
}
