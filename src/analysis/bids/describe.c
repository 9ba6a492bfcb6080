#include "analysis/bids/bids.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <clpac/version.h>
#include "analysis/json_tree.h"
#include "base/folder.h"
#include "base/memory.h"
#include "base/regular_file.h"
#include "base/text.h"
#include "base/whole_file.h"

static const char bids_version[] = "1.10.0";

/* --- Files of text ------------------------------------------------------------------------------- */

clpac_status clpac__bids_read_text(const char *path, char **out, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	clpac__text text = {0};
	FILE *file = NULL;
	struct stat facts;
	char block[4096];
	size_t n;
	*out = NULL;
	if (stat(path, &facts) != 0 && errno == ENOENT)
		return CLPAC_OK;
	TRY(clpac__regular_file_open(path, "reading", &file, err));
	clpac__text_add(&text, "%s", "");
	while ((n = fread(block, 1, sizeof block, file)) > 0)
		clpac__text_add_bytes(&text, block, n);
	if (ferror(file))
		FAIL_SYSTEM("reading %s", path);
	TRY(clpac__text_give(&text, "a text of a dataset", out, err));
done:
	clpac__text_clear(&text);
	if (file)
		fclose(file);
	return st;
}

/* Writes a file unless it says the same already. */
static clpac_status put_text(const char *folder, const char *name, const char *text, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	char *path = NULL, *old = NULL;
	TRY(clpac__path_join(folder, name, &path, err));
	TRY(clpac__bids_read_text(path, &old, err));
	if (!old || strcmp(old, text) != 0)
		TRY(clpac__whole_file_write(path, text, strlen(text), err));
done:
	FREE_ALL(path, old);
	return st;
}

/* --- dataset_description.json -------------------------------------------------------------------- */

static const char readme[] =
	"Phase-amplitude coupling, computed by clpac from the dataset that dataset_description.json names.\n\n"
	"sub-LABEL/[ses-LABEL/]DATATYPE/ has for each recording, under the recording's own entities and desc-LABEL,\n"
	"  _pac.npz   the arrays of the result: indices, statistics, bands, channels\n"
	"  _pac.json  the request, the options, what was left out and why, warnings, peaks\n"
	"  _pac.svg   a picture of the peak's comodulogram, where clpac was built to draw\n"
	"sub-LABEL.html shows them to people.\n"
	"\n"
	"man clpac describes the arrays.  clpac bids, called again, computes what is missing.\n";

static const char ignored[] = "# BIDS does not have results of phase-amplitude coupling.\n*_pac.*\n*.html\n/group\n";

clpac_status clpac__bids_uri(const char *scheme, const char *path, char **out, clpac_error *err)
{
	clpac__text text = {0};
	clpac__text_add(&text, "%s", scheme);
	for (const unsigned char *at = (const unsigned char *)path; *at; at++)
		if ((*at | 32) >= 'a' && (*at | 32) <= 'z')
			clpac__text_add(&text, "%c", *at);
		else
			clpac__text_add(&text, strchr("/-._~0123456789", *at) ? "%c" : "%%%02X", *at);
	return clpac__text_give(&text, "a text of a dataset", out, err);
}

/* The URI of a folder, "file:///data/my%20study", to be freed. */
static clpac_status make_uri(const char *path, char **out, clpac_error *err)
{
	char whole[PATH_MAX];
	if (!realpath(path, whole))
		RETURN_SYSTEM_ERROR("cannot find %s", path);
	return clpac__bids_uri("file://", whole, out, err);
}

/* The description of a dataset: an empty object where it has none. */
static clpac_status load_description(const char *folder, json_t **out, bool *is_there, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	char *path = NULL;
	struct stat facts;
	TRY(clpac__path_join(folder, "dataset_description.json", &path, err));
	*is_there = stat(path, &facts) == 0;
	if (*is_there)
		TRY(clpac__json_tree_load(path, out, err));
	else if (!(*out = json_object()))
		FAIL_NO_MEMORY(1);
done:
	clpac__free(path);
	return st;
}

/* Results are not written into a dataset that is somebody else's. */
static clpac_status check_is_own(const char *out_folder, const clpac__bids_dataset *source, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	json_t *old = NULL;
	struct stat here, there;
	bool is_there;
	if (stat(out_folder, &here) == 0 && stat(source->root, &there) == 0 && here.st_dev == there.st_dev &&
	    here.st_ino == there.st_ino)
		RETURN_ERROR(CLPAC_ERROR_ARGUMENT,
			     "results would be written into the dataset itself: name another folder, as "
			     "%.300s/derivatives/clpac",
			     source->root);
	TRY(load_description(out_folder, &old, &is_there, err));
	const json_t *by = json_array_get(json_object_get(old, "GeneratedBy"), 0);
	const char *name = json_string_value(json_object_get(by, "Name"));
	if (is_there && (!name || strcmp(name, "clpac") != 0))
		FAIL(CLPAC_ERROR_ARGUMENT,
		     "%.300s is a dataset that clpac did not make (its dataset_description.json names %s): name "
		     "another "
		     "folder",
		     out_folder, name ? name : "no program");
done:
	json_decref(old);
	return st;
}

/* Takes over a member, where the source has it. */
static void take_over(clpac__json_tree *json, json_t *object, const char *key, const json_t *from, const char *as)
{
	json_t *value = json_object_get(from, as);
	if (value)
		clpac__json_tree_set(json, object, key, json_incref(value));
}

/* Adds an array of one object. */
static void set_one(clpac__json_tree *json, const char *key, json_t *object)
{
	json_t *array = json_array();
	clpac__json_tree_append(json, array, object);
	clpac__json_tree_set(json, json->root, key, array);
}

/* @param uri of the source. @param from its own description. */
static void describe(clpac__json_tree *json, const char *source, const char *uri, const json_t *from)
{
	const char *of = json_string_value(json_object_get(from, "Name"));
	char name[400];
	snprintf(name, sizeof name, "Phase-amplitude coupling of %.300s", of ? of : source);
	clpac__json_tree_text(json, json->root, "Name", name);
	clpac__json_tree_text(json, json->root, "BIDSVersion", bids_version);
	clpac__json_tree_text(json, json->root, "DatasetType", "derivative");
	take_over(json, json->root, "Authors", from, "Authors");
	take_over(json, json->root, "License", from, "License");
	json_t *made = json_object();
	clpac__json_tree_text(json, made, "Name", "clpac");
	clpac__json_tree_text(json, made, "Version", CLPAC_VERSION_STRING);
	clpac__json_tree_text(json, made, "Description", "phase-amplitude coupling of each recording (clpac bids)");
	set_one(json, "GeneratedBy", made);
	json_t *origin = json_object();
	clpac__json_tree_text(json, origin, "URL", uri);
	take_over(json, origin, "DOI", from, "DatasetDOI");
	set_one(json, "SourceDatasets", origin);
	json_t *links = json_object();
	clpac__json_tree_text(json, links, "raw", uri);
	clpac__json_tree_set(json, json->root, "DatasetLinks", links);
}

static clpac_status make_description(const clpac__bids_dataset *source, char **out, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	clpac__json_tree json = {.root = json_object()};
	json_t *from = NULL;
	char *uri = NULL;
	bool is_there;
	TRY(load_description(source->root, &from, &is_there, err));
	TRY(make_uri(source->root, &uri, err));
	describe(&json, clpac__name_of_path(source->root), uri, from);
	TRY(clpac__json_tree_text_of(&json, out, err));
done:
	json_decref(json.root);
	json_decref(from);
	clpac__free(uri);
	return st;
}

clpac_status clpac__bids_describe(const char *out_folder, const clpac__bids_dataset *source, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	char *text = NULL;
	TRY(check_is_own(out_folder, source, err));
	TRY(make_description(source, &text, err));
	TRY(put_text(out_folder, "dataset_description.json", text, err));
	TRY(put_text(out_folder, "README", readme, err));
	TRY(put_text(out_folder, ".bidsignore", ignored, err));
done:
	clpac__free(text);
	return st;
}

/* --- participants.tsv ---------------------------------------------------------------------------- */

/* The line of a subject in a table of participants, whose first column names it; NULL: it has none. */
static const char *find_line(const char *table, const char *subject)
{
	const size_t n = strlen(subject);
	for (const char *line = table; line && *line; line += *line != 0) {
		if (strncmp(line, subject, n) == 0 && strchr("\t\r\n", line[n]))
			return line;
		line += strcspn(line, "\n");
	}
	return NULL;
}

static void add_line(clpac__text *out, const char *line)
{
	clpac__text_add_bytes(out, line, strcspn(line, "\r\n"));
	clpac__text_add(out, "\n");
}

/* A line of a subject that the source does not list, with "n/a" in each column behind the first of the line of names.
 */
static void add_unknown(clpac__text *out, const char *subject, const char *names)
{
	clpac__text_add(out, "%s", subject);
	for (const char *at = names; *at && *at != '\n'; at++)
		if (*at == '\t')
			clpac__text_add(out, "\tn/a");
	clpac__text_add(out, "\n");
}

/* The table for the subjects that have a folder here now. */
static clpac_status make_table(const char *out_folder, const char *source, char **out, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	clpac__names names = {0};
	clpac__text text = {0};
	const char *head = source && find_line(source, "participant_id") == source ? source : "participant_id\n";
	TRY(clpac__folder_list(out_folder, &names, err));
	add_line(&text, head);
	for (size_t i = 0; i < names.n; i++) {
		const char *name = names.each[i].text, *line = head == source ? find_line(source, name) : NULL;
		if (strncmp(name, "sub-", 4) != 0 || strchr(name, '.'))
			continue;
		if (line)
			add_line(&text, line);
		else
			add_unknown(&text, name, head);
	}
	TRY(clpac__text_give(&text, "a text of a dataset", out, err));
done:
	clpac__text_clear(&text);
	clpac__names_clear(&names);
	return st;
}

/* The meaning of the columns, from the source, with a word on the table. */
static clpac_status put_meaning(const char *out_folder, const char *source, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	clpac__json_tree json = {0};
	char *path = NULL, *text = NULL;
	struct stat facts;
	TRY(clpac__path_join(source, "participants.json", &path, err));
	if (stat(path, &facts) == 0)
		TRY(clpac__json_tree_load(path, &json.root, err));
	else
		json.root = json_object();
	clpac__json_tree_text(&json, json.root, "Description", "the subjects that have results here, as in the source");
	TRY(clpac__json_tree_text_of(&json, &text, err));
	TRY(put_text(out_folder, "participants.json", text, err));
done:
	json_decref(json.root);
	FREE_ALL(path, text);
	return st;
}

clpac_status clpac__bids_list_participants(const char *out_folder, const clpac__bids_dataset *source, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	char *path = NULL, *old = NULL, *made = NULL;
	TRY(clpac__path_join(source->root, "participants.tsv", &path, err));
	TRY(clpac__bids_read_text(path, &old, err));
	TRY(put_meaning(out_folder, source->root, err));
	/* Another process may have made a folder since the folders were listed, and its table is replaced then: whoever
	 * writes looks once more, and so the last one finds all. */
	for (bool is_last = false; !is_last;) {
		char *again = NULL;
		clpac__free(made);
		made = NULL;
		TRY(make_table(out_folder, old, &made, err));
		TRY(put_text(out_folder, "participants.tsv", made, err));
		TRY(make_table(out_folder, old, &again, err));
		is_last = strcmp(made, again) == 0;
		clpac__free(again);
	}
done:
	FREE_ALL(path, old, made);
	return st;
}
