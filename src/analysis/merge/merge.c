#include "analysis/merge/merge.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <clpac/plan.h>
#include <clpac/problem.h>
#include <clpac/version.h>
#include <clpac/write.h>
#include "analysis/checkpoints/report_text.h"
#include "analysis/run/job.h"
#include "analysis/run/results.h"
#include "analysis/sentences/sentences.h"
#include "base/memory.h"

/* A shard as its file tells of it. */
typedef struct shard {
	const char *path;
	size_t number, of, first, n_rows, n_all, part;
	clpac_result *report; /* a result of one cell, for its report */
	json_t *record;	      /* for the provenance of the whole */
	json_t *spectra;      /* of its channels; NULL: none */
} shard;

struct merge {
	const clpac__analysis_settings *settings;
	shard *each;
	size_t n;
	json_t *first; /* what the first file tells, to which others are compared */
};

static void close_merge(struct merge *merge)
{
	for (size_t i = 0; merge->each && i < merge->n; i++) {
		clpac_result_destroy(merge->each[i].report);
		json_decref(merge->each[i].record);
		json_decref(merge->each[i].spectra);
	}
	clpac__free(merge->each);
	json_decref(merge->first);
}

/* --- What a file tells -------------------------------------------------------------------------- */

static clpac_status read_text(const char *path, json_t **out, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	char *text = NULL;
	json_error_t trouble;
	json_t *root = NULL;
	TRY(clpac_result_read_report(path, &text, err));
	errno = 0;
	if (text && !(root = json_loads(text, JSON_REJECT_DUPLICATES, &trouble)) && errno == ENOMEM)
		FAIL_NO_MEMORY(strlen(text));
	if (!json_is_object(json_object_get(json_object_get(root, "provenance"), "shard")) ||
	    !json_is_object(json_object_get(root, "report")))
		FAIL(CLPAC_ERROR_FORMAT, "%s is no shard: clpac run --shard makes them", path);
	*out = root, root = NULL;
done:
	json_decref(root);
	clpac_text_free(text);
	return st;
}

static size_t count_of(const json_t *object, const char *key)
{
	const double value = json_number_value(json_object_get(object, key));
	return value >= 0 && value < 0x1p53 ? (size_t)value : 0;
}

/* The member of an object, of the report or the provenance that a file has, or of the shard in the latter. */
static const json_t *member_of(const json_t *root, const char *object, const char *key)
{
	const json_t *provenance = json_object_get(root, "provenance");
	const json_t *of = strcmp(object, "shard") == 0	       ? json_object_get(provenance, object)
			   : strcmp(object, "provenance") == 0 ? provenance
							       : json_object_get(root, object);
	return json_object_get(of, key);
}

/* Writes a value for an error, cut where it is long. */
static void write_value(const json_t *value, char out[200])
{
	const size_t n = value ? json_dumpb(value, out, 199, JSON_ENCODE_ANY | JSON_COMPACT) : 0;
	out[n < 199 ? n : 199] = 0;
	if (!n)
		strcpy(out, "none");
}

/* Refuses a file whose numbers may differ from those of the first, or are of something else. */
static clpac_status compare(const struct merge *merge, const json_t *root, const char *path, clpac_error *err)
{
	static const struct {
		const char *object, *key, *words;
		bool is_of_computer; /* by which transforms in lanes change no bit */
	} facts[] = {{"shard", "version", "of another version of clpac", false},
		     {"provenance", "build", "of another build of clpac", false},
		     {"provenance", "request", "of other options", false},
		     {"shard", "recording", "of another recording", false},
		     {"provenance", "channels_checksum", "of another table of channels", false},
		     {"provenance", "events_checksum", "of another table of events", false},
		     {"provenance", "annotations_checksum", "of another file of annotations", false},
		     {"shard", "of", "of another number of shards", false},
		     {"shard", "n_all_rows", "of another number of channels", false},
		     {"shard", "problem", "of another problem", false},
		     {"provenance", "part", "of another part of the recording", false},
		     {"report", "backend", "computed by another backend", true},
		     {"report", "fft_engine", "computed by another FFT engine", false},
		     {"report", "device", "computed on another device", true},
		     {"report", "driver", "computed by another driver", true}};
	const char *engine = json_string_value(member_of(root, "report", "fft_engine"));
	for (size_t i = 0; i < sizeof facts / sizeof *facts; i++) {
		const json_t *own = member_of(root, facts[i].object, facts[i].key);
		const json_t *other = member_of(merge->first, facts[i].object, facts[i].key);
		char texts[2][200];
		if ((!own && !other) || json_equal(own, other) ||
		    (facts[i].is_of_computer && engine && strcmp(engine, "lanes") == 0))
			continue;
		write_value(own, texts[0]);
		write_value(other, texts[1]);
		RETURN_ERROR(CLPAC_ERROR_FORMAT, "%.200s is %s than %.200s: %s, there %s", path, facts[i].words,
			     merge->each[0].path, texts[0], texts[1]);
	}
	const char *version = json_string_value(member_of(root, "shard", "version"));
	if (!version || strcmp(version, CLPAC_VERSION_STRING) != 0)
		RETURN_ERROR(CLPAC_ERROR_FORMAT, "%.400s was computed by clpac %.40s, and this is clpac %s", path,
			     version ? version : "of no version", CLPAC_VERSION_STRING);
	return CLPAC_OK;
}

/* The record of a shard tells where and how long it was computed. */
static json_t *record_of(const json_t *root)
{
	json_t *record = json_object();
	const char *const from[][2] = {{"shard", "number"},	  {"shard", "is_dead"},	 {"provenance", "host"},
				       {"provenance", "command"}, {"report", "seconds"}, {"report", "device"}};
	for (size_t i = 0; i < sizeof from / sizeof *from; i++)
		if (json_object_set(record, from[i][1], (json_t *)member_of(root, from[i][0], from[i][1])) != 0) {
			json_decref(record);
			return NULL;
		}
	return record;
}

/* Takes a report as that of a result of one cell. */
static clpac_status take_report(const json_t *root, clpac_result **out, clpac_error *err)
{
	const clpac_result_shape one = {1, 1, 1, 1, 0, 0};
	clpac__json_tree json = {.root = json_object_get(root, "report")};
	char *text;
	RETURN_IF_ERROR(clpac__json_tree_text_of(&json, &text, err));
	clpac_status st = clpac_result_create(&one, 1u << CLPAC_MI, out, err);
	if (st == CLPAC_OK)
		st = clpac__report_read(text, clpac_result_report(*out), err);
	clpac__free(text);
	return st;
}

static clpac_status open_shard(struct merge *merge, size_t i, const char *path, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	shard *own = &merge->each[i];
	json_t *root = NULL;
	TRY(read_text(path, &root, err));
	const json_t *facts = json_object_get(json_object_get(root, "provenance"), "shard");
	own->path = path;
	own->number = count_of(facts, "number");
	own->of = count_of(facts, "of");
	own->first = count_of(facts, "first_row");
	own->n_rows = count_of(facts, "n_rows");
	own->n_all = count_of(facts, "n_all_rows");
	own->part = count_of(facts, "first_part");
	if (!merge->first)
		merge->first = json_incref(root);
	TRY(compare(merge, root, path, err));
	own->spectra = json_incref((json_t *)member_of(root, "provenance", "spectra"));
	TRY(take_report(root, &own->report, err));
	if (!(own->record = record_of(root)))
		FAIL_NO_MEMORY(sizeof *own);
done:
	json_decref(root);
	return st;
}

/* --- All files ---------------------------------------------------------------------------------- */

static int by_first(const void *a, const void *b)
{
	const shard *x = a, *y = b;
	return (x->first > y->first) - (x->first < y->first);
}

/* Sorts the shards, and refuses them where rows are missing or there twice. */
static clpac_status order(struct merge *merge, clpac_error *err)
{
	size_t next = 0;
	qsort(merge->each, merge->n, sizeof *merge->each, by_first);
	for (size_t i = 0; i <= merge->n; i++) {
		const shard *own = &merge->each[i < merge->n ? i : 0];
		const size_t first = i < merge->n ? own->first : own->n_all;
		if (first < next)
			RETURN_ERROR(CLPAC_ERROR_ARGUMENT,
				     "%.300s and %.300s are both shard %zu of %zu: give one of them",
				     merge->each[i - 1].path, own->path, own->number, own->of);
		if (first > next)
			RETURN_ERROR(CLPAC_ERROR_FORMAT,
				     "no shard of %zu has the channels %zu to %zu of %zu, counted from 1: %s%.300s%s",
				     own->of, next + 1, first, own->n_all,
				     i ? "give those behind " : "give those before ", merge->each[i ? i - 1 : 0].path,
				     i ? "" : ", too");
		next += i < merge->n ? own->n_rows : 0;
	}
	return CLPAC_OK;
}

/* Joins the arrays.  What all channels share is that of the first part of the whole job, as in an undivided run. */
static clpac_status join(const struct merge *merge, const char *folder, clpac_result **whole, clpac_error *err)
{
	size_t model = 0;
	for (size_t i = 0; i < merge->n; i++)
		if (merge->each[i].part < merge->each[model].part)
			model = i;
	for (size_t i = 0; i < merge->n; i++) {
		const shard *own = &merge->each[i == 0 ? model : i <= model ? i - 1 : i];
		size_t channel = own->first;
		clpac__analysis_phase(merge->settings, "reading %s", own->path);
		RETURN_IF_ERROR(clpac_result_join_npz(own->path, &channel, own->n_all, folder, whole, err));
		if (channel != own->first + own->n_rows)
			RETURN_ERROR(CLPAC_ERROR_FORMAT, "%.400s holds %zu channels, and says that it has %zu",
				     own->path, channel - own->first, own->n_rows);
	}
	return CLPAC_OK;
}

static clpac_status join_reports(const struct merge *merge, clpac_report *out, clpac_error *err)
{
	clpac_result **reports;
	RETURN_IF_ERROR(NEW_ARRAY(reports, merge->n));
	for (size_t i = 0; i < merge->n; i++)
		reports[i] = merge->each[i].report;
	const clpac_status st = clpac__reports_join(reports, merge->n, out, err);
	clpac__free(reports);
	return st;
}

/* Corrections over the run, where the run is the family, need the whole, and are made here. */
static clpac_status correct(const struct merge *merge, clpac_result *whole, clpac_family *family, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	clpac_problem_copy *problem = NULL;
	TRY(clpac_problem_read(clpac_result_problem(whole), &problem, err));
	*family = clpac_problem_get(problem)->family;
	if (*family == CLPAC_FAMILY_RUN) {
		clpac__analysis_phase(merge->settings, "correcting over the run");
		TRY(clpac_result_correct(whole, clpac_problem_get(problem), err));
	}
done:
	clpac_problem_destroy(problem);
	return st;
}

/* Records the merge in place of the first shard, and the shards. */
static clpac_status add_provenance(const struct merge *merge, clpac_result *whole, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	clpac__json_tree json = {.root = json_deep_copy(json_object_get(merge->first, "provenance"))};
	json_t *shards = json_array(), *spectra = json_array();
	char *text = NULL;
	TRY(clpac__provenance_add(&json, merge->settings, err));
	if (json.root)
		json_object_del(json.root, "shard");
	for (size_t i = 0; i < merge->n; i++)
		clpac__json_tree_append(&json, shards, json_incref(merge->each[i].record));
	for (size_t i = 0; i < merge->n; i++)
		json.has_failed |= merge->each[i].spectra && json_array_extend(spectra, merge->each[i].spectra) != 0;
	if (json_array_size(spectra))
		clpac__json_tree_set(&json, json.root, "spectra", json_incref(spectra));
	clpac__json_tree_set(&json, json.root, "shards", json_incref(shards));
	TRY(clpac__json_tree_text_of(&json, &text, err));
	TRY(clpac_result_set_provenance(whole, text, err));
done:
	json_decref(shards);
	json_decref(spectra);
	json_decref(json.root);
	clpac__free(text);
	return st;
}

/* Warnings and the sentence, as those of an undivided run. */
static clpac_status tell(const struct merge *merge, const char *input, clpac_family family, clpac_result *whole,
			 clpac_error *err)
{
	clpac__analysis_settings settings = *merge->settings;
	clpac__job job = {.settings = &settings, .method.problem.family = family};
	settings.input = input;
	clpac__job_tell_warnings(&job, whole);
	RETURN_IF_ERROR(clpac__job_check_cells(&job, whole, err));
	char *sentence = clpac__run_sentence(&job, whole, clpac_result_report(whole)->seconds);
	if (!sentence)
		RETURN_ERROR(CLPAC_ERROR_NO_MEMORY, "the host has no memory left for the sentence of a result");
	const clpac_status st = clpac_result_set_sentence(whole, sentence, err);
	clpac__free(sentence);
	return st;
}

clpac_status clpac__merge(const clpac__analysis_settings *settings, const char *const *paths, size_t n,
			  const char *folder, clpac__merged *out, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	struct merge merge = {.settings = settings, .n = n};
	clpac__merged made = {0};
	clpac_family family;
	if (!n)
		FAIL(CLPAC_ERROR_ARGUMENT, "no shard is given");
	TRY(NEW_ARRAY(merge.each, n));
	for (size_t i = 0; i < n; i++)
		TRY(open_shard(&merge, i, paths[i], err));
	const char *input = json_string_value(member_of(merge.first, "shard", "input"));
	const char *recording = json_string_value(member_of(merge.first, "shard", "recording"));
	TRY(NEW_COPY(made.input, input ? input : "the recording"));
	if (recording && !strchr(recording, '-'))
		snprintf(made.checksum, sizeof made.checksum, "%s", recording);
	TRY(order(&merge, err));
	TRY(join(&merge, folder, &made.result, err));
	TRY(join_reports(&merge, clpac_result_report(made.result), err));
	TRY(correct(&merge, made.result, &family, err));
	TRY(add_provenance(&merge, made.result, err));
	TRY(tell(&merge, made.input, family, made.result, err));
	*out = made;
	made = (clpac__merged){0};
done:
	clpac__merged_clear(&made);
	close_merge(&merge);
	return st;
}

void clpac__merged_clear(clpac__merged *merged)
{
	clpac_result_destroy(merged->result);
	clpac__free(merged->input);
	*merged = (clpac__merged){0};
}
