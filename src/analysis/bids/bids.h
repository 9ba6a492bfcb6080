/* Datasets of BIDS: which recordings a dataset has, and how a dataset of results describes itself. */
#ifndef CLPAC_ANALYSIS_BIDS_BIDS_H
#define CLPAC_ANALYSIS_BIDS_BIDS_H

#include <stdbool.h>
#include <stddef.h>
#include "base/error.h"

/* .bidsignore: patterns as of .gitignore. */

typedef struct clpac__ignored_pattern {
	const char *text;
	bool takes_back; /* behind "!": what an earlier pattern ignores is not ignored */
	bool is_of_root; /* a slash stands in it: it begins at the root, else at any folder */
	bool is_folder;	 /* it ends in a slash */
} clpac__ignored_pattern;

typedef struct clpac__ignored {
	char *lines; /* owned; the texts of the patterns */
	clpac__ignored_pattern *each;
	size_t n;
} clpac__ignored;

/* Cuts a text into patterns; lines that are empty or begin with # are none.  @param[out] out to be cleared. */
clpac_status clpac__ignored_take(const char *text, clpac__ignored *out, clpac_error *err);
/* Whether a path below the root is ignored.  Whatever lies in a folder that is ignored is, too: ask for the folder. */
bool clpac__ignored_has(const clpac__ignored *ignored, const char *path, bool is_folder);
void clpac__ignored_clear(clpac__ignored *ignored);
/* Whether a path matches a pattern: * and ? stand for anything but a slash, [a-z] and [!a-z] for one of these, ** for
 * anything.  The time grows with the product of both lengths; a pattern of 4096 bytes or more matches nothing. */
bool clpac__glob_matches(const char *pattern, const char *path);

/* A dataset. */

/* Lists of labels with commas between them, as "01,sub-02"; NULL: all. */
typedef struct clpac__bids_choice {
	const char *participants, *sessions, *tasks, *acquisitions, *runs, *datatypes;
} clpac__bids_choice;

typedef enum clpac__bids_fate {
	CLPAC__BIDS_CHOSEN = 0,
	CLPAC__BIDS_NOT_CHOSEN, /* the choice leaves it out */
	CLPAC__BIDS_IGNORED,	/* .bidsignore does */
	CLPAC__BIDS_FOREIGN	/* its format is not read */
} clpac__bids_fate;

typedef struct clpac__bids_recording {
	char *path;	   /* owned: "/data/sub-01/eeg/sub-01_task-rest_eeg.edf" */
	const char *below; /* of the path, below the root: "sub-01/eeg/..." */
	char *subject;	   /* owned: "sub-01" */
	clpac__bids_fate fate;
} clpac__bids_recording;

typedef struct clpac__bids_dataset {
	char *root; /* owned, without a slash at its end */
	clpac__bids_recording *each;
	size_t n, n_chosen;
} clpac__bids_dataset;

/* Finds the recordings of a dataset in the folders eeg, ieeg and meg of its subjects and sessions, by name.
 * Errors: CLPAC_ERROR_IO for a folder that cannot be read; CLPAC_ERROR_ARGUMENT for one without subjects, for a
 * participant that is asked for and missing, and where no recording is chosen. */
clpac_status clpac__bids_find(const char *root, const clpac__bids_choice *choice, clpac__bids_dataset *out,
			      clpac_error *err);
/* A zeroed one is fine. */
void clpac__bids_clear(clpac__bids_dataset *dataset);

/* The value of an entity in a file's name, as that of "task-": its start, and its length in *n; NULL: it has none. */
const char *clpac__bids_entity(const char *path, const char *entity, size_t *n);
/* The result of a recording: "OUT/sub-01/eeg/sub-01_task-rest_desc-LABEL_pac.npz", to be freed with clpac__free. */
clpac_status clpac__bids_name_result(const clpac__bids_recording *recording, const char *out_folder, const char *label,
				     char **out, clpac_error *err);

/* Results of one kind, one of each subject. */

typedef struct clpac__bids_group {
	char *output; /* owned: "OUT/group/eeg/group_task-rest_desc-clpac_pac.npz" */
	char **paths; /* owned: of the results, in the order of the recordings */
	size_t n, capacity;
} clpac__bids_group;

typedef struct clpac__bids_groups {
	clpac__bids_group *each;
	size_t n, capacity;
	size_t n_missing;	   /* chosen recordings without a result */
	const char *first_missing; /* of the dataset */
} clpac__bids_groups;

/* Puts the results of the chosen recordings together whose names differ in the subject alone.
 * @param[out] out zeroed; to be cleared in any case.  It points into the dataset. */
clpac_status clpac__bids_groups_find(const clpac__bids_dataset *dataset, const char *out_folder, const char *label,
				     clpac__bids_groups *out, clpac_error *err);
void clpac__bids_groups_clear(clpac__bids_groups *groups);

/* The files with which a dataset of results describes itself. */

/* The whole text of a file, to be freed with clpac__free; NULL where there is none. */
clpac_status clpac__bids_read_text(const char *path, char **out, clpac_error *err);

/* A path as a URI, whose bytes other than letters, digits and -._~/ are written as %20, to be freed with clpac__free:
 * "bids:raw:" and "sub-01/eeg/...". */
clpac_status clpac__bids_uri(const char *scheme, const char *path, char **out, clpac_error *err);
/* Writes dataset_description.json, README and .bidsignore into a folder that is there, where they are missing or say
 * something else.
 * Errors: CLPAC_ERROR_ARGUMENT where it is the source, or a dataset that another program made. */
clpac_status clpac__bids_describe(const char *out_folder, const clpac__bids_dataset *source, clpac_error *err);
/* Writes participants.tsv, and participants.json: the rows of the source for the subjects that have a folder. */
clpac_status clpac__bids_list_participants(const char *out_folder, const clpac__bids_dataset *source, clpac_error *err);
/* Writes OUT/sub-01.html, or that of another folder of results, where it is missing or older than one of them. */
clpac_status clpac__bids_write_page(const char *out_folder, const char *subject, clpac_error *err);

#endif
