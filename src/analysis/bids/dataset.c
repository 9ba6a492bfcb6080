#include "analysis/bids/bids.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include "base/ascii.h"
#include "base/folder.h"
#include "base/memory.h"
#include "base/text.h"

static const char *const datatypes[] = {"eeg", "ieeg", "meg"};
enum { N_DATATYPES = sizeof datatypes / sizeof *datatypes };
/* Endings of BIDS that are read; those of BrainVision's header and of EEGLAB's set
 * stand for their other files. */
static const char *const endings[] = {".edf", ".bdf", ".vhdr", ".set", ".nwb"};
/* Endings of files that belong to a recording of another ending. */
static const char *const parts[] = {".json", ".tsv", ".gz", ".eeg", ".vmrk", ".fdt", ".pos", ".txt"};

struct finder {
	clpac__bids_dataset *dataset;
	const clpac__bids_choice *choice;
	clpac__ignored ignored;
	size_t capacity;
};

/* --- Names --------------------------------------------------------------------------------------- */

const char *clpac__bids_entity(const char *path, const char *entity, size_t *n)
{
	const size_t length = strlen(entity);
	for (const char *at = clpac__name_of_path(path); at; at = strchr(at, '_')) {
		at += *at == '_';
		if (strncmp(at, entity, length) == 0) {
			*n = strcspn(at + length, "_.");
			return at + length;
		}
	}
	return NULL;
}

/* Whether a list of labels has one of n bytes; each may stand behind its entity, as "sub-01". */
static bool has_label(const char *list, const char *entity, const char *label, size_t n)
{
	const size_t length = strlen(entity);
	if (!list)
		return true;
	for (const char *at = list; label && *at;) {
		size_t m = strcspn(at, ",");
		const char *next = at + m + (at[m] == ',');
		if (m > length && strncmp(at, entity, length) == 0) {
			at += length;
			m -= length;
		}
		if (m == n && memcmp(at, label, n) == 0)
			return true;
		at = next;
	}
	return false;
}

static bool is_chosen(const clpac__bids_choice *choice, const char *name, const char *datatype)
{
	const struct {
		const char *list, *entity;
	} each[] = {{choice->participants, "sub-"},
		    {choice->sessions, "ses-"},
		    {choice->tasks, "task-"},
		    {choice->runs, "run-"},
		    {choice->acquisitions, "acq-"}};
	for (size_t i = 0; i < sizeof each / sizeof *each; i++) {
		size_t n = 0;
		const char *label = clpac__bids_entity(name, each[i].entity, &n);
		if (!has_label(each[i].list, each[i].entity, label, n))
			return false;
	}
	return has_label(choice->datatypes, "", datatype, strlen(datatype));
}

static bool ends_in_one(const char *name, const char *const *of, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (clpac__ends_with(name, of[i]))
			return true;
	return false;
}

/* Whether a file in the folder of a datatype is a recording: its suffix is the datatype. */
static bool is_recording(const char *name, const char *datatype)
{
	const char *suffix = strrchr(name, '_');
	const size_t n = strlen(datatype);
	return suffix && strncmp(suffix + 1, datatype, n) == 0 && suffix[1 + n] == '.' &&
	       !ends_in_one(name, parts, sizeof parts / sizeof *parts);
}

clpac_status clpac__bids_name_result(const clpac__bids_recording *recording, const char *out_folder, const char *label,
				     char **out, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	clpac__text text = {0};
	const char *name = clpac__name_of_path(recording->below), *suffix = strrchr(name, '_');
	clpac__text_add(&text, "%s/", out_folder);
	clpac__text_add_bytes(&text, recording->below, (size_t)(name - recording->below));
	for (const char *at = name; at < suffix; at++) {
		const size_t n = strcspn(at, "_");
		/* The description of what was computed takes the place of what it was computed from. */
		if (strncmp(at, "desc-", 5) != 0) {
			clpac__text_add_bytes(&text, at, n);
			clpac__text_add(&text, "_");
		}
		at += n;
	}
	clpac__text_add(&text, "desc-%s_pac.npz", label);
	TRY(clpac__text_give(&text, "the name of a result", out, err));
done:
	return st;
}

/* --- Searching ----------------------------------------------------------------------------------- */

static clpac_status add_recording(struct finder *finder, const char *path, const char *name, const char *datatype,
				  bool is_ignored, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	clpac__bids_dataset *dataset = finder->dataset;
	clpac__bids_recording made = {0};
	const size_t top = strlen(dataset->root) + 1;
	TRY(ROOM_FOR_ONE(dataset->each, dataset->n, finder->capacity, 16));
	TRY(NEW_COPY(made.path, path));
	made.below = made.path + top;
	if (!(made.subject = clpac__strndup(made.below, strcspn(made.below, "/"))))
		FAIL_NO_MEMORY(strlen(path));
	made.fate = is_ignored							    ? CLPAC__BIDS_IGNORED
		    : !is_chosen(finder->choice, name, datatype)		    ? CLPAC__BIDS_NOT_CHOSEN
		    : !ends_in_one(name, endings, sizeof endings / sizeof *endings) ? CLPAC__BIDS_FOREIGN
										    : CLPAC__BIDS_CHOSEN;
	dataset->n_chosen += made.fate == CLPAC__BIDS_CHOSEN;
	dataset->each[dataset->n++] = made;
	made = (clpac__bids_recording){0};
done:
	FREE_ALL(made.path, made.subject);
	return st;
}

/* Searches a folder: of a datatype for recordings; of a subject (depth 1) or session (2) for folders of datatypes, and
 * of a subject for sessions. */
static clpac_status search(struct finder *finder, const char *folder, const char *datatype, int depth, bool is_ignored,
			   clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	clpac__names names = {0};
	char *path = NULL;
	struct stat facts;
	TRY(clpac__folder_list(folder, &names, err));
	for (size_t i = 0; i < names.n; i++) {
		const char *name = names.each[i].text, *below = NULL;
		if (datatype && !is_recording(name, datatype))
			continue;
		clpac__free(path);
		path = NULL;
		TRY(clpac__path_join(folder, name, &path, err));
		const bool is_folder = !names.each[i].is_file && stat(path, &facts) == 0 && S_ISDIR(facts.st_mode);
		const bool is_gone =
			is_ignored ||
			clpac__ignored_has(&finder->ignored, path + strlen(finder->dataset->root) + 1, is_folder);
		if (datatype)
			TRY(add_recording(finder, path, name, datatype, is_gone, err));
		if (datatype || !is_folder)
			continue;
		for (size_t k = 0; k < N_DATATYPES && !below; k++)
			below = depth && strcmp(name, datatypes[k]) == 0 ? datatypes[k] : NULL;
		if (below || (depth == 0 && strncmp(name, "sub-", 4) == 0) ||
		    (depth == 1 && strncmp(name, "ses-", 4) == 0))
			TRY(search(finder, path, below, depth + 1, is_gone, err));
	}
done:
	clpac__free(path);
	clpac__names_clear(&names);
	return st;
}

/* Reads .bidsignore, where there is one. */
static clpac_status read_ignored(struct finder *finder, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	char *path = NULL, *text = NULL;
	TRY(clpac__path_join(finder->dataset->root, ".bidsignore", &path, err));
	TRY(clpac__bids_read_text(path, &text, err));
	TRY(clpac__ignored_take(text ? text : "", &finder->ignored, err));
done:
	FREE_ALL(path, text);
	return st;
}

/* --- What was found ------------------------------------------------------------------------------ */

static bool has_subject(const clpac__bids_dataset *dataset, const char *label, size_t n)
{
	for (size_t i = 0; i < dataset->n; i++)
		if (strncmp(dataset->each[i].subject + 4, label, n) == 0 && !dataset->each[i].subject[4 + n])
			return true;
	return false;
}

/* Each participant that is asked for must be there, since a study that lacks one in silence is another study. */
static clpac_status check_participants(const clpac__bids_dataset *dataset, const char *list, clpac_error *err)
{
	for (const char *at = list; at && *at;) {
		const size_t skip = strncmp(at, "sub-", 4) == 0 ? 4 : 0, n = strcspn(at + skip, ",");
		if (!has_subject(dataset, at + skip, n))
			RETURN_ERROR(CLPAC_ERROR_ARGUMENT,
				     "--participant-label %.60s: %.300s has no recording of sub-%.*s", list,
				     dataset->root, (int)(n < 60 ? n : 60), at + skip);
		at += skip + n + (at[skip + n] == ',');
	}
	return CLPAC_OK;
}

static clpac_status check_found(const clpac__bids_dataset *dataset, const clpac__bids_choice *choice, clpac_error *err)
{
	size_t counts[CLPAC__BIDS_FOREIGN + 1] = {0};
	for (size_t i = 0; i < dataset->n; i++)
		counts[dataset->each[i].fate]++;
	if (!dataset->n)
		RETURN_ERROR(
			CLPAC_ERROR_ARGUMENT,
			"%s has no recording in a folder eeg, ieeg or meg of a subject (sub-LABEL/[ses-LABEL/]): name "
			"the root of a BIDS dataset",
			dataset->root);
	RETURN_IF_ERROR(check_participants(dataset, choice->participants, err));
	if (!dataset->n_chosen)
		RETURN_ERROR(
			CLPAC_ERROR_ARGUMENT,
			"none of the %zu recordings of %s is left: %zu are of other labels than those asked for, %zu "
			"in .bidsignore, and %zu of a format that is not read (.edf, .bdf, .vhdr, .set and .nwb are)",
			dataset->n, dataset->root, counts[CLPAC__BIDS_NOT_CHOSEN], counts[CLPAC__BIDS_IGNORED],
			counts[CLPAC__BIDS_FOREIGN]);
	return CLPAC_OK;
}

clpac_status clpac__bids_find(const char *root, const clpac__bids_choice *choice, clpac__bids_dataset *out,
			      clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	struct finder finder = {.dataset = out, .choice = choice};
	size_t n = strlen(root);
	while (n > 1 && root[n - 1] == '/')
		n--;
	if (!(out->root = clpac__strndup(root, n)))
		FAIL_NO_MEMORY(n + 1);
	TRY(read_ignored(&finder, err));
	TRY(search(&finder, out->root, NULL, 0, false, err));
	TRY(check_found(out, choice, err));
done:
	clpac__ignored_clear(&finder.ignored);
	return st;
}

void clpac__bids_clear(clpac__bids_dataset *dataset)
{
	for (size_t i = 0; i < dataset->n; i++)
		FREE_ALL(dataset->each[i].path, dataset->each[i].subject);
	FREE_ALL(dataset->each, dataset->root);
	*dataset = (clpac__bids_dataset){0};
}
