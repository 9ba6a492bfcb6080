/* EEGLAB's data sets (.set): a struct EEG in a file of MATLAB, or, as EEGLAB writes since 2021, its fields as
 * variables. The samples are in its field data, channel x sample or channel x sample x trial, or data names the file
 * that has them
 * (.fdt): float32, least significant byte first, sample by sample (EEGLAB, functions/popfunc/pop_loadset.m and
 * functions/adminfunc/eeg_checkset.m; Delorme and Makeig 2004, J Neurosci Methods 134:9).  Fields of the independent
 * components are not read. */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/ascii.h"
#include "base/cancel.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/number.h"
#include "recording/channel_kind.h"
#include "recording/read/eeglab.h"
#include "recording/recording.h"

/* --- What a data set says ---------------------------------------------------------------------- */

typedef struct set_channel {
	char *name, *type; /* owned; NULL: none */
} set_channel;

typedef struct set_event {
	double latency, samples; /* of all trials, counted from 1; NAN: none */
	char *type;		 /* owned; NULL: none */
} set_event;

typedef struct data_set {
	double n_channels, n_points, n_trials, rate_hz; /* NAN: unknown */
	char *file_name;				/* of the samples, owned; NULL: they are in the set */
	uint64_t place, at; /* of the samples: their variable in the file, and the first byte of their content */
	clpac__mat_array samples;
	set_channel *channels;
	size_t n_named, channel_capacity;
	set_event *events;
	size_t n_events, event_capacity;
	bool has_fields;
} data_set;

static void clear(data_set *set)
{
	for (size_t i = 0; i < set->n_named; i++)
		FREE_ALL(set->channels[i].name, set->channels[i].type);
	for (size_t i = 0; i < set->n_events; i++)
		clpac__free(set->events[i].type);
	FREE_ALL(set->channels, set->events, set->file_name);
}

/* A text, or a number as text.  What *out held is freed. */
static clpac_status read_word(clpac__mat *mat, const clpac__mat_array *value, char **out, clpac_error *err)
{
	double number;
	char text[CLPAC__NUMBER_SIZE];
	clpac__free(*out);
	*out = NULL;
	if (value->kind == CLPAC__MAT_CHAR)
		return clpac__mat_text_read(mat, value, out, err);
	RETURN_IF_ERROR(clpac__mat_number_read(mat, value, &number, err));
	if (isnan(number))
		return CLPAC_OK;
	clpac__write_number(number, text);
	return NEW_COPY(*out, text);
}

enum { LABEL, CHANNEL_TYPE };
static const char *const channel_fields[] = {[LABEL] = "labels", [CHANNEL_TYPE] = "type"};

static clpac_status take_channel(void *user, clpac__mat *mat, size_t element, size_t field,
				 const clpac__mat_array *value, clpac_error *err)
{
	data_set *set = user;
	while (set->n_named <= element) {
		RETURN_IF_ERROR(ROOM_FOR_ONE(set->channels, set->n_named, set->channel_capacity, 16));
		set->channels[set->n_named++] = (set_channel){0};
	}
	set_channel *channel = &set->channels[element];
	return read_word(mat, value, field == LABEL ? &channel->name : &channel->type, err);
}

enum { EVENT_TYPE, LATENCY, DURATION };
static const char *const event_fields[] = {[EVENT_TYPE] = "type", [LATENCY] = "latency", [DURATION] = "duration"};

static clpac_status take_event(void *user, clpac__mat *mat, size_t element, size_t field, const clpac__mat_array *value,
			       clpac_error *err)
{
	data_set *set = user;
	while (set->n_events <= element) {
		RETURN_IF_ERROR(ROOM_FOR_ONE(set->events, set->n_events, set->event_capacity, 16));
		set->events[set->n_events++] = (set_event){NAN, NAN, NULL};
	}
	set_event *event = &set->events[element];
	if (field == EVENT_TYPE)
		return read_word(mat, value, &event->type, err);
	return clpac__mat_number_read(mat, value, field == LATENCY ? &event->latency : &event->samples, err);
}

enum { N_CHANNELS, N_POINTS, N_TRIALS, RATE, SAMPLES, CHANNELS, EVENTS, N_FIELDS };
static const char *const fields[] = {
	[N_CHANNELS] = "nbchan", [N_POINTS] = "pnts",	  [N_TRIALS] = "trials", [RATE] = "srate",
	[SAMPLES] = "data",	 [CHANNELS] = "chanlocs", [EVENTS] = "event"};

static clpac_status take_field(void *user, clpac__mat *mat, size_t element, size_t field, const clpac__mat_array *value,
			       clpac_error *err)
{
	data_set *set = user;
	double *const numbers[] = {[N_CHANNELS] = &set->n_channels,
				   [N_POINTS] = &set->n_points,
				   [N_TRIALS] = &set->n_trials,
				   [RATE] = &set->rate_hz};
	(void)element;
	set->has_fields = true;
	if (field <= RATE)
		return clpac__mat_number_read(mat, value, numbers[field], err);
	if (field == CHANNELS && value->kind == CLPAC__MAT_STRUCT && !set->n_named)
		return clpac__mat_each(mat, value, channel_fields, 2, take_channel, set, err);
	if (field == EVENTS && value->kind == CLPAC__MAT_STRUCT && !set->n_events)
		return clpac__mat_each(mat, value, event_fields, 3, take_event, set, err);
	if (field == SAMPLES && value->kind == CLPAC__MAT_CHAR)
		return read_word(mat, value, &set->file_name, err);
	if (field == SAMPLES) {
		set->samples = *value;
		set->place = mat->place;
		set->at = mat->bytes->position;
	}
	return CLPAC_OK;
}

/* Reads all but the samples. */
static clpac_status read_set(clpac__mat *mat, data_set *set, clpac_error *err)
{
	clpac__mat_array variable;
	bool is_there;
	clpac__mat_go_to(mat, CLPAC__MAT_HEAD_BYTES);
	for (;;) {
		RETURN_IF_ERROR(clpac__mat_next(mat, &variable, &is_there, err));
		if (!is_there)
			break;
		const bool is_whole = strcmp(variable.name, "EEG") == 0 && variable.kind == CLPAC__MAT_STRUCT;
		if (is_whole && variable.n != 1)
			RETURN_ERROR(CLPAC_ERROR_FORMAT,
				     "%s holds %zu data sets: save each in a file of its own (pop_saveset)",
				     mat->file->path, variable.n);
		bool is_taken = is_whole;
		if (is_whole)
			RETURN_IF_ERROR(clpac__mat_each(mat, &variable, fields, N_FIELDS, take_field, set, err));
		for (size_t f = 0; f < N_FIELDS; f++)
			if (strcmp(variable.name, fields[f]) == 0) {
				RETURN_IF_ERROR(take_field(set, mat, 0, f, &variable, err));
				is_taken = true;
			}
		/* The variable of the samples is finished behind them. */
		if (is_taken && set->place != mat->place)
			RETURN_IF_ERROR(clpac__mat_finish(mat, err));
	}
	if (!set->has_fields)
		RETURN_ERROR(CLPAC_ERROR_FORMAT, "%s holds no data set of EEGLAB: neither EEG nor its fields are in it",
			     mat->file->path);
	return CLPAC_OK;
}

/* --- The file of samples ----------------------------------------------------------------------- */

/* The path of a file beside another.  To be freed with clpac__free. */
static clpac_status beside(const char *path, const char *name, size_t n, const char *ending, char **out,
			   clpac_error *err)
{
	const char *slash = strrchr(path, '/');
	const size_t folder = slash ? (size_t)(slash - path) + 1 : 0, room = folder + n + strlen(ending) + 1;
	RETURN_IF_ERROR(NEW_BYTES(*out, room));
	snprintf(*out, room, "%.*s%.*s%s", (int)folder, path, (int)n, name, ending);
	return CLPAC_OK;
}

/* Opens the file that a data set names, in the folder of the set whatever folder it names; else the one of the set's
 * own name, since both may have been renamed.
 * @param[out] path of the file, to be freed with clpac__free, which lives as long as the source. */
static clpac_status open_samples(const char *set_path, const char *name, char **path, clpac__source *out,
				 bool *is_renamed, clpac_error *err)
{
	clpac_error trouble = {0};
	const char *stem = strrchr(set_path, '/');
	stem = stem ? stem + 1 : set_path;
	for (const char *at = name; *at; at++)
		if (*at == '/' || *at == '\\')
			name = at + 1;
	*is_renamed = false;
	if (!clpac__ends_with(name, ".fdt"))
		RETURN_ERROR(CLPAC_ERROR_FORMAT,
			     "%s has its samples in \"%s\": those in .fdt files are read; load and save the set with "
			     "EEGLAB (pop_loadset, pop_saveset)",
			     set_path, name);
	RETURN_IF_ERROR(beside(set_path, name, strlen(name), "", path, err));
	const clpac_status st = clpac__source_open(*path, out, &trouble);
	if (st == CLPAC_OK)
		return CLPAC_OK;
	char *other;
	const size_t n = clpac__ends_with(stem, ".set") ? strlen(stem) - 4 : strlen(stem);
	RETURN_IF_ERROR(beside(set_path, stem, n, ".fdt", &other, err));
	*is_renamed = trouble.native_code == ENOENT && clpac__source_open(other, out, NULL) == CLPAC_OK;
	clpac__free(*is_renamed ? *path : other);
	if (*is_renamed) {
		*path = other;
		return CLPAC_OK;
	}
	return clpac__fail_native(err, st, trouble.native_code, "%s has its samples in another file: %s", set_path,
				  trouble.text);
}

clpac_status clpac__eeglab_samples(clpac__source *source, char **out, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	clpac__mat *mat = NULL;
	data_set set = {.n_channels = NAN, .n_points = NAN, .n_trials = NAN, .rate_hz = NAN};
	clpac__source samples = {0};
	bool is_set, is_renamed;
	*out = NULL;
	TRY(clpac__mat_open(source, &mat, err));
	TRY(clpac__eeglab_is_set(mat, &is_set, err));
	if (!is_set)
		goto done;
	TRY(read_set(mat, &set, err));
	if (set.file_name)
		TRY(open_samples(source->path, set.file_name, out, &samples, &is_renamed, err));
done:
	clpac__source_close(&samples);
	clpac__mat_close(mat);
	clear(&set);
	return st;
}

/* --- Channels and samples ---------------------------------------------------------------------- */

static bool is_count(double number)
{
	return number >= 1 && number <= 0x1p53 && number == floor(number);
}

/* The layout of samples in the set. */
static clpac_status layout_within(const data_set *set, clpac__sample_layout *out, clpac_recording *recording,
				  clpac_error *err)
{
	const clpac__mat_array *array = &set->samples;
	const size_t n_channels = array->dimensions[0];
	out->n_channels = n_channels;
	out->n_samples = n_channels ? array->n / n_channels : 0;
	if (array->n_dimensions == 3)
		out->n_epochs = array->dimensions[2];
	else if (is_count(set->n_trials) && set->n_points * set->n_trials == (double)out->n_samples)
		out->n_epochs = (size_t)set->n_trials;
	const double n_said = set->n_channels * set->n_points * (isnan(set->n_trials) ? 1 : set->n_trials);
	if (!isnan(n_said) && (set->n_channels != (double)n_channels || n_said != (double)array->n))
		RETURN_IF_ERROR(clpac_recording_warn(recording, err,
						     "nbchan, pnts and trials say %g x %g x %g numbers, data has %zu "
						     "channels of %zu samples, which are read",
						     set->n_channels, set->n_points,
						     isnan(set->n_trials) ? 1 : set->n_trials, n_channels,
						     out->n_samples));
	return CLPAC_OK;
}

/* The layout of samples in a file of their own. */
static clpac_status layout_beside(const data_set *set, const clpac__source *samples, const char *path,
				  clpac__sample_layout *out, clpac_recording *recording, clpac_error *err)
{
	const double n_trials = isnan(set->n_trials) ? 1 : set->n_trials, n_samples = set->n_points * n_trials;
	if (!is_count(set->n_channels) || !is_count(set->n_points) || !is_count(n_trials) || !is_count(n_samples))
		RETURN_ERROR(CLPAC_ERROR_FORMAT,
			     "%s does not say how its samples lie in %s: nbchan, pnts and trials are %g, %g and %g",
			     path, samples->path, set->n_channels, set->n_points, set->n_trials);
	out->n_channels = (size_t)set->n_channels;
	out->n_samples = (size_t)n_samples;
	out->n_epochs = (size_t)n_trials;
	RETURN_IF_ERROR(clpac__layout_check(out, samples->path, samples->bytes, err));
	const uint64_t used = (uint64_t)out->n_channels * out->n_samples * out->encoding->bytes;
	if (used < samples->bytes)
		RETURN_IF_ERROR(clpac_recording_warn(recording, err,
						     "%llu bytes follow the samples in their file and are not read",
						     (unsigned long long)(samples->bytes - used)));
	return CLPAC_OK;
}

/* The names, where the set has one for each channel; otherwise they are numbered.
 * @param[out] out names that stay the set's; NULL: none.  To be freed with clpac__free. */
static clpac_status names_of(const data_set *set, size_t n_channels, const char ***out, clpac_recording *recording,
			     clpac_error *err)
{
	*out = NULL;
	if (set->n_named && set->n_named != n_channels)
		return clpac_recording_warn(recording, err,
					    "chanlocs has %zu channels, data %zu: channels are numbered", set->n_named,
					    n_channels);
	for (size_t c = 0; c < set->n_named; c++)
		if (!set->channels[c].name)
			return clpac_recording_warn(recording, err,
						    "chanlocs has a channel without a name: channels are numbered");
	if (!set->n_named)
		return CLPAC_OK;
	RETURN_IF_ERROR(NEW_ARRAY(*out, n_channels));
	for (size_t c = 0; c < n_channels; c++)
		(*out)[c] = set->channels[c].name;
	return CLPAC_OK;
}

static clpac_status set_kinds(const data_set *set, clpac_recording *recording, clpac_error *err)
{
	const size_t n_channels = clpac_recording_n_channels(recording);
	for (size_t c = 0; set->n_named == n_channels && c < n_channels; c++) {
		const char *type = set->channels[c].type;
		clpac_channel_kind kind;
		if (type && clpac__kind_of_word(type, strlen(type), &kind))
			RETURN_IF_ERROR(clpac_recording_set_kind(recording, c, kind, NULL, err));
	}
	return CLPAC_OK;
}

/* Adds the channels, and their samples where these are compressed.
 * @param[out] layout of the samples. */
static clpac_status add_channels(clpac__mat *mat, const data_set *set, clpac__sample_layout *layout,
				 clpac_recording *recording, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	clpac__source samples = {0}, *from = &samples;
	const char **names = NULL;
	char *path = NULL;
	const double rate_hz = isfinite(set->rate_hz) && set->rate_hz > 0 ? set->rate_hz : 0;
	layout->is_by_sample = true;
	if (set->file_name) {
		bool is_renamed;
		TRY(open_samples(mat->file->path, set->file_name, &path, &samples, &is_renamed, err));
		if (is_renamed)
			TRY(clpac_recording_warn(recording, err,
						 "the file of samples that the set names is not there: the one of its "
						 "own name is read"));
		layout->encoding = clpac__encoding_find("f4");
		TRY(layout_beside(set, &samples, mat->file->path, layout, recording, err));
	} else {
		TRY(clpac__mat_samples_find(mat, set->place, set->at, &set->samples, layout, &from, err));
		TRY(layout_within(set, layout, recording, err));
	}
	TRY(names_of(set, layout->n_channels, &names, recording, err));
	TRY(clpac__numbered_channels_read(from, layout, names, "uV", rate_hz, recording, err));
	if (!set->file_name)
		TRY(clpac__mat_finish(mat, err));
	TRY(set_kinds(set, recording, err));
done:
	clpac__source_close(&samples);
	FREE_ALL(names, path);
	return st;
}

/* --- Events ------------------------------------------------------------------------------------ */

/* Adds stretches between trials and between boundaries, in samples.  A boundary stands where samples were taken out;
 * how many is not counted, as EEGLAB does not count them in the times of events either. */
static clpac_status add_stretches(const clpac__sample_layout *layout, double rate_hz, size_t *boundaries,
				  size_t n_boundaries, clpac_recording *recording, clpac_error *err)
{
	const size_t n_samples = layout->n_samples, n_epochs = layout->n_epochs ? layout->n_epochs : 1,
		     per_epoch = n_samples / n_epochs;
	size_t k = 0;
	qsort(boundaries, n_boundaries, sizeof *boundaries, clpac__compare_sizes);
	for (size_t first = 0, end; first < n_samples; first = end) {
		end = clpac__smaller(n_samples, (first / per_epoch + 1) * per_epoch);
		while (k < n_boundaries && boundaries[k] <= first)
			k++;
		if (k < n_boundaries && boundaries[k] < end)
			end = boundaries[k];
		if (first == 0 && end == n_samples)
			return CLPAC_OK;
		RETURN_IF_ERROR(clpac__cancel_check_at(first, err));
		RETURN_IF_ERROR(
			clpac_recording_add_stretch(recording,
						    &(clpac_stretch){.onset_seconds = (double)first / rate_hz,
								     .first_seconds = (double)first / rate_hz,
								     .seconds = (double)(end - first) / rate_hz},
						    err));
	}
	return CLPAC_OK;
}

static clpac_status add_events(const data_set *set, const clpac__sample_layout *layout, double rate_hz,
			       clpac_recording *recording, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	size_t *boundaries, n_boundaries = 0;
	TRY(NEW_ARRAY(boundaries, set->n_events));
	for (size_t i = 0; i < set->n_events; i++) {
		const set_event *event = &set->events[i];
		const char *type = event->type ? event->type : "";
		const bool is_boundary = clpac__same_word(type, "boundary");
		if (!(event->latency >= 0.5 && event->latency <= (double)layout->n_samples + 1)) {
			TRY(clpac_recording_warn(recording, err,
						 "an event lies outside the data, or has no latency: it is left out"));
			continue;
		}
		const double sample = fmax(event->latency - 1, 0);
		if (is_boundary)
			boundaries[n_boundaries++] = (size_t)ceil(sample);
		TRY(clpac_recording_add_annotation(
			recording, sample / rate_hz,
			!is_boundary && event->samples > 1 && isfinite(event->samples) ? event->samples / rate_hz : 0,
			type, err));
	}
	TRY(add_stretches(layout, rate_hz, boundaries, n_boundaries, recording, err));
done:
	clpac__free(boundaries);
	return st;
}

/* --- The reader -------------------------------------------------------------------------------- */

clpac_status clpac__eeglab_is_set(clpac__mat *mat, bool *out, clpac_error *err)
{
	clpac__mat_array variable;
	bool is_there = true;
	*out = clpac__ends_with(mat->file->path, ".set");
	clpac__mat_go_to(mat, CLPAC__MAT_HEAD_BYTES);
	while (!*out) {
		RETURN_IF_ERROR(clpac__mat_next(mat, &variable, &is_there, err));
		if (!is_there)
			break;
		*out = strcmp(variable.name, "EEG") == 0 && variable.kind == CLPAC__MAT_STRUCT;
	}
	return CLPAC_OK;
}

clpac_status clpac__eeglab_read(clpac__mat *mat, double given_hz, clpac_recording **out, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	clpac_recording *made = NULL;
	data_set set = {.n_channels = NAN, .n_points = NAN, .n_trials = NAN, .rate_hz = NAN};
	clpac__sample_layout layout = {0};
	TRY(clpac_recording_create("EEGLAB", &made, err));
	TRY(read_set(mat, &set, err));
	TRY(add_channels(mat, &set, &layout, made, err));
	const double rate_hz = set.rate_hz > 0 && isfinite(set.rate_hz) ? set.rate_hz : given_hz;
	if (rate_hz > 0)
		TRY(add_events(&set, &layout, rate_hz, made, err));
	else
		TRY(clpac_recording_warn(made, err,
					 "srate is no number above 0: events and trials are left out until a "
					 "sampling rate is given"));
	*out = made, made = NULL;
done:
	clpac_recording_destroy(made);
	clear(&set);
	return st;
}
