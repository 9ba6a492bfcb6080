#include "tool/provenance.h"

#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>
#include <clpac/io.h>
#include <clpac/plan.h>
#include <clpac/version.h>
#include "base/memory.h"
#include "tool/arguments.h"
#include "tool/console.h"
#include "tool/json_output.h"
#include "tool/request.h"

static json_t *command_json(tool_json *json, const tool_call *call)
{
	json_t *array = json_array();
	for (int i = 0; i < call->n_words; i++) {
		json_t *one = json_object();
		tool_json_text(json, one, "word", call->words[i]);
		json_t *word = json_object_get(one, "word");
		tool_json_append(json, array, word ? json_incref(word) : NULL);
		json_decref(one);
	}
	return array;
}

static json_t *numbers_json(tool_json *json, const size_t *numbers, size_t n)
{
	json_t *array = json_array();
	for (size_t i = 0; i < n; i++)
		tool_json_append(json, array, json_integer((json_int_t)numbers[i]));
	return array;
}

/* Adds the rejected stretches, and the samples of each channel and segment that are used: [first, number] of each,
 * counted from the first sample of the segment. */
static void add_rejected(tool_json *json, json_t *part, const tool_job *job)
{
	json_t *rejected = json_array(), *used = json_array();
	for (size_t t = 0; t < job->parts.n_tallies; t++) {
		json_t *one = json_object();
		tool_json_text(json, one, "text", job->parts.tallies[t].text);
		tool_json_number(json, one, "count", (double)job->parts.tallies[t].count);
		tool_json_append(json, rejected, one);
	}
	for (size_t i = 0; job->parts.n_tallies && i < job->parts.n; i++) {
		const clpac__job_part *of = &job->parts.each[i];
		const clpac_window whole = {0, of->n_samples}, *stretches = of->stretches ? of->stretches : &whole;
		json_t *one = json_object(), *list = json_array();
		tool_json_set(json, one, "channels", numbers_json(json, of->channel_numbers, of->n_channels));
		tool_json_set(json, one, "segments", numbers_json(json, of->places, of->n_segments));
		for (size_t k = 0; k < (of->stretches ? of->n_stretches : 1); k++)
			tool_json_append(json, list,
					 numbers_json(json, (size_t[]){stretches[k].start, stretches[k].n_samples}, 2));
		tool_json_set(json, one, "stretches", list);
		tool_json_append(json, used, one);
	}
	tool_json_set(json, part, "rejected", rejected);
	tool_json_set(json, part, "used", used);
}

/* The epochs: where each came from, and what became of it. */
static void add_epochs(tool_json *json, json_t *part, const clpac__job_epochs *epochs)
{
	json_t *object = json_object(), *each = json_array();
	tool_json_number(json, object, "from_s", epochs->from_s);
	tool_json_number(json, object, "to_s", epochs->to_s);
	tool_json_number(json, object, "n_samples", (double)epochs->n_samples);
	if (epochs->are_sliding)
		tool_json_number(json, object, "step_s", epochs->step_s);
	tool_json_set(json, object, "are_pooled", json_boolean(epochs->are_pooled));
	for (size_t i = 0; i < epochs->n; i++) {
		const clpac__job_epoch *epoch = &epochs->each[i];
		json_t *one = json_object();
		tool_json_number(json, one, "onset_s", epoch->onset_s);
		tool_json_text(json, one, "text", epoch->text);
		if (!epochs->are_sliding)
			tool_json_text(json, one, "condition", epochs->conditions[epoch->condition]);
		tool_json_set(json, one, "is_used", json_boolean(epoch->fate == CLPAC__EPOCH_USED));
		if (epoch->fate == CLPAC__EPOCH_USED)
			tool_json_number(json, one, "first_sample", (double)epoch->start);
		else
			tool_json_text(json, one, "dropped", clpac__epoch_fate(epoch));
		tool_json_append(json, each, one);
	}
	tool_json_set(json, object, "epochs", each);
	tool_json_set(json, part, "events", object);
}

/* The chosen part, as the job has it after all options: the seconds asked for, and what they became. */
static json_t *part_json(tool_json *json, const tool_job *job)
{
	const tool_values *v = &job->call->values;
	json_t *part = json_object(), *segments = json_array(), *channels = json_array();
	if (tool_is_given(job->call, "start"))
		tool_json_number(json, part, "start_s", v->analysis.start_s);
	if (tool_is_given(job->call, "stop"))
		tool_json_number(json, part, "stop_s", v->analysis.stop_s);
	if (v->analysis.segment)
		tool_json_text(json, part, "segment", v->analysis.segment);
	for (size_t c = 0; c < job->channels.n; c++)
		tool_json_append(json, channels, json_integer((json_int_t)job->channels.numbers[c]));
	tool_json_set(json, part, "channels", channels);
	for (size_t s = 0; s < job->segments.n; s++) {
		const clpac__job_segment *segment = &job->segments.each[s];
		json_t *one = json_object();
		tool_json_number(json, one, "first_sample", (double)segment->start);
		tool_json_number(json, one, "n_samples", (double)segment->n_samples);
		tool_json_append(json, segments, one);
	}
	tool_json_set(json, part, "segments", segments);
	add_rejected(json, part, job);
	if (job->epochs.are_wanted)
		add_epochs(json, part, &job->epochs);
	return part;
}

/* How the recording was read. */
static json_t *reading_json(tool_json *json, const tool_job *job)
{
	json_t *reading = json_object();
	tool_json_number(json, reading, "bytes_read", (double)clpac_recording_bytes_read(job->recording));
	tool_json_number(json, reading, "n_groups", (double)job->samples.n_groups);
	tool_json_number(json, reading, "group_channels", (double)job->samples.per_group);
	if (tool_is_given(job->call, "resample"))
		tool_json_number(json, reading, "resampled_to_hz", job->channels.rate_hz);
	return reading;
}

static json_t *host_json(tool_json *json)
{
	struct utsname names;
	json_t *host = json_object();
	if (uname(&names) == 0) {
		tool_json_text(json, host, "system", names.sysname);
		tool_json_text(json, host, "release", names.release);
		tool_json_text(json, host, "machine", names.machine);
	}
	tool_json_number(json, host, "n_cpus", (double)sysconf(_SC_NPROCESSORS_ONLN));
	tool_json_number(json, host, "memory_bytes", (double)sysconf(_SC_PHYS_PAGES) * (double)sysconf(_SC_PAGESIZE));
	return host;
}

/* Appends the lines of a text. */
static void append_lines(tool_json *json, json_t *array, const char *text)
{
	while (*text) {
		const size_t length = strcspn(text, "\n");
		tool_json_append(json, array, json_stringn(text, length));
		text += length + (text[length] == '\n');
	}
}

clpac_status tool_provenance_add(tool_json *json, const tool_call *call, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	char *parts = NULL, *io_parts = NULL;
	json_t *all = json_array();
	TRY(clpac_parts(&parts, err));
	TRY(clpac_io_parts(&io_parts, err));
	append_lines(json, all, parts);
	append_lines(json, all, io_parts);
	tool_json_set(json, json->root, "command", command_json(json, call));
	tool_json_set(json, json->root, "host", host_json(json));
	tool_json_set(json, json->root, "build", all);
	all = NULL;
done:
	json_decref(all);
	clpac_text_free(parts);
	clpac_text_free(io_parts);
	return st;
}

clpac_status tool_provenance_write(const tool_job *job, char **text, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	tool_json json = {.root = json_object()};
	char *request = NULL, checksum[65], events[65];
	TRY(tool_request_text(job->call, &request, err));
	TRY(tool_request_sidecar(job->call->values.analysis.input, checksum, err));
	TRY(tool_request_events(job->call->values.analysis.input, events, err));
	TRY(tool_provenance_add(&json, job->call, err));
	tool_json_text(&json, json.root, "request", request);
	if (*checksum)
		tool_json_text(&json, json.root, "channels_checksum", checksum);
	if (*events)
		tool_json_text(&json, json.root, "events_checksum", events);
	tool_json_set(&json, json.root, "part", part_json(&json, job));
	tool_json_set(&json, json.root, "reading", reading_json(&json, job));
	TRY(tool_json_text_of(&json, text, err));
done:
	json_decref(json.root);
	clpac__free(request);
	return st;
}

clpac_status tool_version_print(clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	char *parts = NULL, *io_parts = NULL;
	TRY(clpac_parts(&parts, err));
	TRY(clpac_io_parts(&io_parts, err));
	tool_print(stdout, "clpac %s\n", CLPAC_VERSION_STRING);
	if (strcmp(clpac_version(), CLPAC_VERSION_STRING) != 0)
		tool_print(stdout, "with the library of version %s\n", clpac_version());
	tool_print_lines(stdout, parts);
	tool_print(stdout, "\n");
	tool_print_lines(stdout, io_parts);
	tool_print(stdout, "\nLicence: %s\n",
		   strstr(parts, "FFTW") ? "GPL-2.0-or-later as a whole, since FFTW is linked; clpac itself is MIT"
					 : "MIT");
done:
	clpac_text_free(parts);
	clpac_text_free(io_parts);
	return st;
}
