#include "analysis/run/results.h"

#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>
#include <clpac/read.h>
#include <clpac/recording.h>
#include <clpac/write.h>
#include <clpac/plan.h>
#include <clpac/version.h>
#include "analysis/checkpoints/request.h"
#include "analysis/inputs.h"
#include "analysis/run/positions.h"
#include "analysis/run/spectra.h"
#include "base/memory.h"

static json_t *command_json(clpac__json_tree *json, const clpac__analysis_settings *settings)
{
	json_t *array = json_array();
	for (size_t i = 0; i < settings->n_words; i++) {
		json_t *one = json_object();
		clpac__json_tree_text(json, one, "word", settings->words[i]);
		json_t *word = json_object_get(one, "word");
		clpac__json_tree_append(json, array, word ? json_incref(word) : NULL);
		json_decref(one);
	}
	return array;
}

static json_t *numbers_json(clpac__json_tree *json, const size_t *numbers, size_t n)
{
	json_t *array = json_array();
	for (size_t i = 0; i < n; i++)
		clpac__json_tree_append(json, array, json_integer((json_int_t)numbers[i]));
	return array;
}

/* Adds the rejected stretches, and the samples of each channel and segment that are used: [first, number] of each,
 * counted from the first sample of the segment. */
static void add_rejected(clpac__json_tree *json, json_t *part, const clpac__job *job)
{
	const clpac__job_shard *shard = &job->shard;
	const clpac__job_part *parts = shard->parts ? shard->parts : job->parts.each;
	const size_t n_parts = shard->parts ? shard->n_parts : job->parts.n;
	json_t *rejected = json_array(), *used = json_array();
	for (size_t t = 0; t < job->parts.n_tallies; t++) {
		json_t *one = json_object();
		clpac__json_tree_text(json, one, "text", job->parts.tallies[t].text);
		clpac__json_tree_number(json, one, "count", (double)job->parts.tallies[t].count);
		clpac__json_tree_append(json, rejected, one);
	}
	for (size_t i = 0; job->parts.n_tallies && i < n_parts; i++) {
		const clpac__job_part *of = &parts[i];
		const clpac_window whole = {0, of->n_samples}, *stretches = of->stretches ? of->stretches : &whole;
		json_t *one = json_object(), *list = json_array();
		clpac__json_tree_set(json, one, "channels", numbers_json(json, of->channel_numbers, of->n_channels));
		clpac__json_tree_set(json, one, "segments", numbers_json(json, of->places, of->n_segments));
		for (size_t k = 0; k < (of->stretches ? of->n_stretches : 1); k++)
			clpac__json_tree_append(
				json, list,
				numbers_json(json, (size_t[]){stretches[k].start, stretches[k].n_samples}, 2));
		clpac__json_tree_set(json, one, "stretches", list);
		clpac__json_tree_append(json, used, one);
	}
	clpac__json_tree_set(json, part, "rejected", rejected);
	clpac__json_tree_set(json, part, "used", used);
}

/* The epochs: where each came from, and what became of it. */
static void add_epochs(clpac__json_tree *json, json_t *part, const clpac__job_epochs *epochs)
{
	json_t *object = json_object(), *each = json_array();
	clpac__json_tree_number(json, object, "from_s", epochs->from_s);
	clpac__json_tree_number(json, object, "to_s", epochs->to_s);
	clpac__json_tree_number(json, object, "n_samples", (double)epochs->n_samples);
	if (epochs->are_spans)
		clpac__json_tree_set(json, object, "are_spans", json_boolean(true));
	if (epochs->are_sliding)
		clpac__json_tree_number(json, object, "step_s", epochs->step_s);
	clpac__json_tree_set(json, object, "are_pooled", json_boolean(epochs->are_pooled));
	for (size_t i = 0; i < epochs->n; i++) {
		const clpac__job_epoch *epoch = &epochs->each[i];
		json_t *one = json_object();
		clpac__json_tree_number(json, one, "onset_s", epoch->onset_s);
		clpac__json_tree_text(json, one, "text", epoch->text);
		if (!epochs->are_sliding)
			clpac__json_tree_text(json, one, "condition", epochs->conditions[epoch->condition]);
		clpac__json_tree_set(json, one, "is_used", json_boolean(epoch->fate == CLPAC__EPOCH_USED));
		if (epoch->fate == CLPAC__EPOCH_USED)
			clpac__json_tree_number(json, one, "first_sample", (double)epoch->start);
		if (epoch->fate == CLPAC__EPOCH_USED && epochs->are_spans)
			clpac__json_tree_number(json, one, "n_samples", (double)epoch->n_samples);
		else if (epoch->fate != CLPAC__EPOCH_USED)
			clpac__json_tree_text(json, one, "dropped", clpac__epoch_fate(epoch));
		clpac__json_tree_append(json, each, one);
	}
	clpac__json_tree_set(json, object, "epochs", each);
	clpac__json_tree_set(json, part, "events", object);
}

/* The chosen part, as the job has it after all options: the seconds asked for, and what they became. */
static json_t *part_json(clpac__json_tree *json, const clpac__job *job)
{
	const clpac__analysis_settings *v = job->settings;
	json_t *part = json_object(), *segments = json_array(), *channels = json_array();
	if (clpac__analysis_is_given(job->settings, "start"))
		clpac__json_tree_number(json, part, "start_s", v->start_s);
	if (clpac__analysis_is_given(job->settings, "stop"))
		clpac__json_tree_number(json, part, "stop_s", v->stop_s);
	if (v->segment)
		clpac__json_tree_text(json, part, "segment", v->segment);
	for (size_t c = 0; c < job->channels.n; c++)
		clpac__json_tree_append(json, channels, json_integer((json_int_t)job->channels.numbers[c]));
	clpac__json_tree_set(json, part, "channels", channels);
	for (size_t s = 0; s < job->segments.n; s++) {
		const clpac__job_segment *segment = &job->segments.each[s];
		json_t *one = json_object();
		clpac__json_tree_number(json, one, "first_sample", (double)segment->start);
		clpac__json_tree_number(json, one, "n_samples", (double)segment->n_samples);
		clpac__json_tree_append(json, segments, one);
	}
	clpac__json_tree_set(json, part, "segments", segments);
	add_rejected(json, part, job);
	if (job->epochs.are_wanted)
		add_epochs(json, part, &job->epochs);
	return part;
}

/* How the recording was read. */
static json_t *reading_json(clpac__json_tree *json, const clpac__job *job)
{
	json_t *reading = json_object();
	clpac__json_tree_number(json, reading, "bytes_read", (double)clpac_recording_bytes_read(job->recording));
	clpac__json_tree_number(json, reading, "n_groups", (double)job->samples.n_groups);
	clpac__json_tree_number(json, reading, "group_channels", (double)job->samples.per_group);
	if (clpac__analysis_is_given(job->settings, "resample"))
		clpac__json_tree_number(json, reading, "resampled_to_hz", job->channels.rate_hz);
	if (clpac_recording_mains_hz(job->recording) > 0)
		clpac__json_tree_number(json, reading, "mains_hz", clpac_recording_mains_hz(job->recording));
	/* Where both clocks differ: onsets and times are on the recording's, tables of events count from this. */
	if (clpac_recording_first_seconds(job->recording) != 0)
		clpac__json_tree_number(json, reading, "first_sample_at_s",
					clpac_recording_first_seconds(job->recording));
	if (clpac_recording_n_tables(job->recording))
		clpac__json_tree_set(json, reading, "tables", clpac__input_tables_json(json, job->recording));
	return reading;
}

static json_t *host_json(clpac__json_tree *json)
{
	struct utsname names;
	json_t *host = json_object();
	if (uname(&names) == 0) {
		clpac__json_tree_text(json, host, "system", names.sysname);
		clpac__json_tree_text(json, host, "release", names.release);
		clpac__json_tree_text(json, host, "machine", names.machine);
	}
	clpac__json_tree_number(json, host, "n_cpus", (double)sysconf(_SC_NPROCESSORS_ONLN));
	clpac__json_tree_number(json, host, "memory_bytes",
				(double)sysconf(_SC_PHYS_PAGES) * (double)sysconf(_SC_PAGESIZE));
	return host;
}

/* Appends the lines of a text. */
static void append_lines(clpac__json_tree *json, json_t *array, const char *text)
{
	while (*text) {
		const size_t length = strcspn(text, "\n");
		clpac__json_tree_append(json, array, json_stringn(text, length));
		text += length + (text[length] == '\n');
	}
}

clpac_status clpac__provenance_add(clpac__json_tree *json, const clpac__analysis_settings *settings, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	char *parts = NULL, *io_parts = NULL;
	json_t *all = json_array();
	TRY(clpac_parts(&parts, err));
	TRY(clpac_io_parts(&io_parts, err));
	append_lines(json, all, parts);
	append_lines(json, all, io_parts);
	clpac__json_tree_set(json, json->root, "command", command_json(json, settings));
	clpac__json_tree_set(json, json->root, "host", host_json(json));
	clpac__json_tree_set(json, json->root, "build", all);
	all = NULL;
done:
	json_decref(all);
	clpac_text_free(parts);
	clpac_text_free(io_parts);
	return st;
}

void clpac__provenance_tell(clpac__json_tree *json, const clpac__analysis_settings *settings, const char *sentence)
{
	if (!settings->told)
		return;
	if (sentence)
		clpac__json_tree_text(json, json->root, "sentence", sentence);
	if (!settings->told->data)
		return;
	json_t *told = json_array();
	append_lines(json, told, settings->told->data);
	clpac__json_tree_set(json, json->root, "warnings", told);
}

clpac_status clpac__provenance_write(const clpac__job *job, char **text, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	clpac__json_tree json = {.root = json_object()};
	clpac__request_tables tables = {{0}, {0}, {0}};
	char *request = NULL, state[65] = "";
	TRY(clpac__request_text(job->settings, &request, err));
	if (!job->is_lent) {
		TRY(clpac__request_tables_find(job->settings, &tables, err));
		TRY(clpac_recording_state(job->settings->input, &(clpac_read_options){.raw = job->settings->raw}, state,
					  err));
	}
	TRY(clpac__provenance_add(&json, job->settings, err));
	clpac__json_tree_text(&json, json.root, "request", request);
	if (*state)
		clpac__json_tree_text(&json, json.root, "recording_state", state);
	if (*tables.channels)
		clpac__json_tree_text(&json, json.root, "channels_checksum", tables.channels);
	if (*tables.events)
		clpac__json_tree_text(&json, json.root, "events_checksum", tables.events);
	if (*tables.annotations)
		clpac__json_tree_text(&json, json.root, "annotations_checksum", tables.annotations);
	clpac__provenance_tell(&json, job->settings, job->sentence);
	clpac__json_tree_set(&json, json.root, "part", part_json(&json, job));
	clpac__json_tree_set(&json, json.root, "reading", reading_json(&json, job));
	if (job->settings->keep_spectra) {
		TRY(clpac__spectra_add(job, &json, err));
		TRY(clpac__positions_add(job, &json, err));
	}
	if (job->shard.n)
		clpac__shard_record(&job->shard, &json);
	TRY(clpac__json_tree_text_of(&json, text, err));
done:
	json_decref(json.root);
	clpac__free(request);
	return st;
}
