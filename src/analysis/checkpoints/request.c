#include "analysis/checkpoints/request.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include <clpac/read.h>
#include <clpac/write.h>
#include "analysis/channels/pairs.h"
#include "analysis/json_tree.h"
#include "base/inherited.h"
#include "base/memory.h"

clpac_status clpac__request_text(const clpac__analysis_settings *settings, char **text, clpac_error *err)
{
	char pairs[65];
	const char *options = settings->request ? settings->request : "";
	RETURN_IF_ERROR(clpac__pairs_checksum(settings, pairs, err));
	const size_t bytes = strlen(options) + sizeof pairs + 20;
	RETURN_IF_ERROR(NEW_BYTES(*text, bytes));
	snprintf(*text, bytes, "%s%s%s", options, *pairs ? " pairs_checksum=" : "", pairs);
	return CLPAC_OK;
}

/* A table that cannot be read is a warning of the reader. */
static clpac_status take_checksum(const char *path, char checksum[65], clpac_error *err)
{
	return path && access(path, R_OK) == 0 ? clpac_file_checksum(path, checksum, err) : CLPAC_OK;
}

/* The tables of a dataset (BIDS): the first that counts, or all.  Of several the digits are added, those of each one
 * place further. */
static clpac_status take_inherited(const clpac__analysis_settings *settings, const char *what, bool all,
				   char checksum[65], clpac_error *err)
{
	static const char digits[] = "0123456789abcdef";
	clpac_status st = CLPAC_OK;
	clpac__inherited tables = {0};
	TRY(clpac__inherited_find(settings->input, settings->bids_root, what, &tables, err));
	if (tables.n)
		TRY(take_checksum(tables.paths[0], checksum, err));
	for (size_t i = 1; i < tables.n && all; i++) {
		char other[65] = "";
		TRY(take_checksum(tables.paths[i], other, err));
		for (size_t k = 0; *other && *checksum && k < 64; k++) {
			const size_t sum = (size_t)(strchr(digits, checksum[k]) - digits) +
					   (size_t)(strchr(digits, other[(k + i) % 64]) - digits);
			checksum[k] = digits[sum % 16];
		}
	}
done:
	clpac__inherited_clear(&tables);
	return st;
}

/* What options name, in place of what lies beside the recording; NULL: neither. */
static clpac_status take_named(const char *named, char **path, clpac_error *err)
{
	static const char *const words[] = {"file", "none", "table"};
	if (!named || strcmp(named, words[2]) == 0)
		return CLPAC_OK;
	clpac_text_free(*path);
	*path = NULL;
	return strcmp(named, words[0]) == 0 || strcmp(named, words[1]) == 0 ? CLPAC_OK : NEW_COPY(*path, named);
}

clpac_status clpac__request_tables_find(const clpac__analysis_settings *settings, clpac__request_tables *out,
					clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	char *channels = NULL, *events = NULL, *annotations = NULL;
	*out = (clpac__request_tables){{0}, {0}, {0}};
	if (!settings->bids_root) {
		TRY(clpac_recording_sidecar(settings->input, &channels, err));
		TRY(clpac_recording_events(settings->input, &events, err));
	} else {
		TRY(take_inherited(settings, "channels.tsv", true, out->channels, err));
		if (!settings->events_from || strcmp(settings->events_from, "table") == 0)
			TRY(take_inherited(settings, "events.tsv", false, out->events, err));
	}
	TRY(take_named(settings->events_from, &events, err));
	TRY(clpac_recording_annotations(settings->input, &annotations, err));
	TRY(take_named(settings->annotations, &annotations, err));
	TRY(take_checksum(channels, out->channels, err));
	TRY(take_checksum(events, out->events, err));
	TRY(take_checksum(annotations, out->annotations, err));
done:
	clpac_text_free(channels);
	clpac_text_free(events);
	clpac_text_free(annotations);
	return st;
}

static const char *text_at(const json_t *root, const char *object, const char *key)
{
	const char *text = json_string_value(json_object_get(json_object_get(root, object), key));
	return text ? text : "";
}

clpac_status clpac__request_is_done(const clpac__analysis_settings *settings, const char *npz, const char *json,
				    bool *is_done, char why[400], clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	clpac_result *result = NULL;
	json_t *root = NULL;
	clpac_error trouble = {0};
	clpac__request_tables tables;
	char *request = NULL, checksum[65], state[65];
	enum { SIZE = 400 };
	*is_done = false;
	*why = 0;
	/* Reading also completes a set that a killed run left half in place, and compares both files. */
	st = clpac_result_read_npz(npz, &result, &trouble);
	if (st == CLPAC_ERROR_NO_MEMORY) {
		st = clpac__fail(err, st, "%s", trouble.text);
		goto done;
	}
	if (st != CLPAC_OK && access(npz, F_OK) != 0) {
		st = CLPAC_OK;
		goto done;
	}
	if (st == CLPAC_OK)
		st = clpac__json_tree_load(json, &root, &trouble);
	if (st == CLPAC_ERROR_NO_MEMORY) {
		st = clpac__fail(err, st, "%s", trouble.text);
		goto done;
	}
	if (st != CLPAC_OK) {
		snprintf(why, SIZE, "cannot be told to be done (%.300s)", trouble.text);
		st = CLPAC_OK;
		goto done;
	}
	TRY(clpac__request_text(settings, &request, err));
	const json_t *recorded = json_object_get(json_object_get(root, "provenance"), "request");
	if (!json_is_string(recorded)) {
		snprintf(why, SIZE, "does not record its options");
		goto done;
	}
	if (strcmp(json_string_value(recorded), request) != 0) {
		const char *then = json_string_value(recorded);
		snprintf(why, SIZE, "was made with other options (%.150s; now %.150s)", *then ? then : "the defaults",
			 *request ? request : "the defaults");
		goto done;
	}
	if (!*text_at(root, "input", "checksum")) {
		snprintf(why, SIZE, "does not record the checksum of its recording (--no-checksum)");
		goto done;
	}
	const clpac_read_options reading = {.raw = settings->raw};
	TRY(clpac_recording_state(settings->input, &reading, state, err));
	const bool is_as_it_was = *state && strcmp(text_at(root, "provenance", "recording_state"), state) == 0;
	if (!is_as_it_was)
		TRY(clpac_recording_checksum(settings->input, &reading, checksum, err));
	if (!is_as_it_was && strcmp(text_at(root, "input", "checksum"), checksum) != 0) {
		snprintf(why, SIZE, "was made from another recording, or %.200s has changed since", settings->input);
		goto done;
	}
	TRY(clpac__request_tables_find(settings, &tables, err));
	const struct {
		const char *key, *now, *word;
	} each[] = {{"channels_checksum", tables.channels, "table of channels beside the recording"},
		    {"events_checksum", tables.events, "table of events"},
		    {"annotations_checksum", tables.annotations, "file of annotations"}};
	for (size_t i = 0; i < sizeof each / sizeof *each; i++)
		if (strcmp(text_at(root, "provenance", each[i].key), each[i].now) != 0) {
			snprintf(why, SIZE, "was made with another %s", each[i].word);
			goto done;
		}
	*is_done = true;
done:
	clpac_result_destroy(result);
	json_decref(root);
	clpac__free(request);
	return st;
}
