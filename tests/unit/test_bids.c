/* Datasets of BIDS: patterns of .bidsignore, files by inheritance, recordings that are found and named. */
#include "runner.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "analysis/bids/bids.h"
#include "assertions.h"
#include "base/folder.h"
#include "base/inherited.h"
#include "base/memory.h"
#include "files.h"

FIXTURE(files_begin, files_end);

/* --- .bidsignore --------------------------------------------------------------------------------- */

static const struct {
	const char *pattern, *path;
	bool matches;
} globs[] = {
	{"a", "a", true},
	{"a", "b", false},
	{"a", "ab", false},
	{"", "", true},
	{"*", "anything.edf", true},
	{"*", "a/b", false},
	{"*.edf", "x.edf", true},
	{"*.edf", "x.edf.gz", false},
	{"*a*b*", "xxaxxbxx", true},
	{"*a*b*", "xxbxxaxx", false},
	{"sub-??", "sub-01", true},
	{"sub-??", "sub-1", false},
	{"a?b", "a/b", false},
	{"sub-0[1-3]", "sub-02", true},
	{"sub-0[1-3]", "sub-04", false},
	{"sub-0[!1-3]", "sub-04", true},
	{"sub-0[!1-3]", "sub-03", false},
	{"[]]", "]", true},
	{"[", "[", true},
	{"a[!b]c", "a/c", false},
	{"\\*", "*", true},
	{"\\*", "a", false},
	{"**/x", "x", true},
	{"**/x", "a/x", true},
	{"**/x", "a/b/x", true},
	{"**/x", "ax", false},
	{"**/x", "a/bx", false},
	{"a/**/b", "a/b", true},
	{"a/**/b", "a/x/y/b", true},
	{"a/**/b", "a/xb", false},
	{"a/**", "a/b/c", true},
	{"a/**", "a", false},
	{"**", "a/b", true},
	{"sub-*/ses-*/eeg", "sub-1/ses-2/eeg", true},
	{"sub-*/eeg", "sub-1/ses-2/eeg", false},
};

TEST_EACH(a_pattern_matches_what_gitignore_says, COUNT(globs))
{
	ck_assert_msg(clpac__glob_matches(globs[_i].pattern, globs[_i].path) == globs[_i].matches, "\"%s\" and \"%s\"",
		      globs[_i].pattern, globs[_i].path);
}

TEST(a_pattern_of_many_stars_ends)
{
	char pattern[2001], path[2001];
	for (size_t i = 0; i < 1000; i++)
		memcpy(pattern + 2 * i, "*a", 2);
	memset(path, 'a', 2000);
	pattern[2000] = path[2000] = 0;
	ck_assert(clpac__glob_matches(pattern, path));
	path[1999] = 'b';
	ck_assert(!clpac__glob_matches(pattern, path));
}

static const struct {
	const char *lines, *path;
	bool is_folder, is_ignored;
} lists[] = {
	{"", "sub-01", true, false},
	{"# sub-01\n", "sub-01", true, false},
	{"sub-01", "sub-01", true, true},
	{"sub-01/\r\n", "sub-01", true, true},
	{"sub-01/", "sub-01", false, false},
	{"*.edf", "sub-01/eeg/a.edf", false, true},
	{"/*.edf", "sub-01/eeg/a.edf", false, false},
	{"/*.edf", "a.edf", false, true},
	{"eeg/*.edf", "sub-01/eeg/a.edf", false, false},
	{"**/eeg/*.edf", "sub-01/eeg/a.edf", false, true},
	{"sub-*\n!sub-02\n", "sub-02", true, false},
	{"sub-*\n!sub-02\n", "sub-03", true, true},
	{"!sub-02\nsub-*\n", "sub-02", true, true},
	{"sub-01  \n", "sub-01", true, true},
	{"ses-1", "sub-01/ses-1", true, true},
	{"ses-1", "sub-01/ses-10", true, false},
	{"!\n/\n", "sub-01", true, false},
};

TEST_EACH(the_last_line_that_matches_counts, COUNT(lists))
{
	clpac_error err = {0};
	clpac__ignored ignored;
	OK(clpac__ignored_take(lists[_i].lines, &ignored, &err));
	ck_assert_msg(clpac__ignored_has(&ignored, lists[_i].path, lists[_i].is_folder) == lists[_i].is_ignored,
		      "\"%s\" and %s", lists[_i].lines, lists[_i].path);
	clpac__ignored_clear(&ignored);
}

/* --- A dataset ----------------------------------------------------------------------------------- */

/* Makes an empty file in the test's folder, with the folders on the way. */
static void touch(const char *name)
{
	char path[400];
	snprintf(path, sizeof path, "%s", files_path(name));
	for (char *at = path + strlen(path) - strlen(name); (at = strchr(at, '/')); *at++ = '/') {
		*at = 0;
		mkdir(path, 0777);
	}
	files_write_text(name, "");
}

static void make_dataset(void)
{
	static const char *const files[] = {
		"channels.tsv",
		"task-rest_channels.tsv",
		"task-go_channels.tsv",
		"acq-1_channels.tsv",
		"sub-01/sub-01_channels.tsv",
		"sub-01/sub-01_task-rest_channels.tsv",
		"sub-01/sub-02_channels.tsv",
		"sub-01/eeg/sub-01_task-rest_run-1_channels.tsv",
		"sub-01/eeg/sub-01_task-rest_run-2_channels.tsv",
		"sub-01/eeg/sub-01_task-rest_run-1_mychannels.tsv",
		"sub-01/eeg/sub-01_task-rest_run-1_eeg.edf",
		"sub-01/eeg/sub-01_task-rest_run-1_eeg.json",
		"sub-01/eeg/sub-01_task-rest_run-2_eeg.vhdr",
		"sub-01/eeg/sub-01_task-rest_run-2_eeg.eeg",
		"sub-01/eeg/sub-01_task-rest_run-2_eeg.vmrk",
		"sub-01/eeg/sub-01_task-go_eeg.cnt",
		"sub-01/eeg/sub-01_task-rest_events.tsv",
		"sub-01/beh/sub-01_task-rest_eeg.edf",
		"sub-02/ses-a/ieeg/sub-02_ses-a_task-rest_ieeg.nwb",
		"sub-02/ses-a/ieeg/sub-02_ses-a_task-rest_eeg.edf",
		"sub-02/ses-b/meg/sub-02_ses-b_task-rest_meg.ds/x.meg4",
		"sub-03/eeg/sub-03_task-rest_desc-clean_eeg.edf",
		"derivatives/sub-04/eeg/sub-04_task-rest_eeg.edf",
		"sourcedata/sub-05/eeg/sub-05_task-rest_eeg.edf",
		"code/x_eeg.edf",
		"eeg/sub-06_eeg.edf",
		"sub-07/sub-07_eeg.edf",
		".hidden/sub-08/eeg/sub-08_eeg.edf",
	};
	for (size_t i = 0; i < COUNT(files); i++)
		touch(files[i]);
}

TEST(files_are_inherited_from_the_nearest_on)
{
	static const char *const expected[] = {
		"sub-01/eeg/sub-01_task-rest_run-1_channels.tsv",
		"sub-01/sub-01_task-rest_channels.tsv",
		"sub-01/sub-01_channels.tsv",
		"task-rest_channels.tsv",
		"channels.tsv",
	};
	clpac_error err = {0};
	clpac__inherited files = {0};
	make_dataset();
	char root[300], path[400];
	snprintf(path, sizeof path, "%s", files_path("sub-01/eeg/sub-01_task-rest_run-1_eeg.edf"));
	snprintf(root, sizeof root, "%.*s", (int)(strstr(path, "/sub-01/eeg") - path), path);
	OK(clpac__inherited_find(path, root, "channels.tsv", &files, &err));
	ck_assert_uint_eq(files.n, COUNT(expected));
	for (size_t i = 0; i < files.n; i++)
		ck_assert_str_eq(files.paths[i] + strlen(root) + 1, expected[i]);
	clpac__inherited_clear(&files);
	snprintf(root + strlen(root), 10, "//");
	OK(clpac__inherited_find(path, root, "eeg.json", &files, &err));
	ck_assert_uint_eq(files.n, 1);
	clpac__inherited_clear(&files);
	assert_refused(clpac__inherited_find(path, files_path("sub-0"), "channels.tsv", &files, &err), err,
		       CLPAC_ERROR_ARGUMENT, "does not lie in the dataset");
}

static const struct {
	clpac__bids_choice choice;
	const char *ignored;
	const char *fates; /* of each recording in turn */
} searches[] = {
	/* sub-01: go.cnt, run-1, run-2; sub-02: a, b.ds; sub-03 */
	{{0}, "", "f..  .f  ."},
	{{.participants = "01"}, "", "f..  --  -"},
	{{.participants = "sub-03,02"}, "", "---  .f  ."},
	{{.sessions = "a"}, "", "---  .-  -"},
	{{.sessions = "ses-b,a"}, "", "---  .f  -"},
	{{.tasks = "rest"}, "", "-..  .f  ."},
	{{.runs = "2"}, "", "--.  --  -"},
	{{.datatypes = "ieeg,meg"}, "", "---  .f  -"},
	{{0}, "sub-01/\n", "iii  .f  ."},
	{{0}, "*_eeg.*\n", "iii  .f  i"},
	{{0}, "sub-01/eeg/*\n!*run-2*\n", "ii.  .f  ."},
	{{.participants = "02,03", .runs = NULL}, "ses-a", "---  if  ."},
};

TEST_EACH(recordings_are_found_and_chosen, COUNT(searches))
{
	static const char *const paths[] = {
		"sub-01/eeg/sub-01_task-go_eeg.cnt",
		"sub-01/eeg/sub-01_task-rest_run-1_eeg.edf",
		"sub-01/eeg/sub-01_task-rest_run-2_eeg.vhdr",
		"sub-02/ses-a/ieeg/sub-02_ses-a_task-rest_ieeg.nwb",
		"sub-02/ses-b/meg/sub-02_ses-b_task-rest_meg.ds",
		"sub-03/eeg/sub-03_task-rest_desc-clean_eeg.edf",
	};
	static const char marks[] = ".-if";
	clpac_error err = {0};
	clpac__bids_dataset dataset = {0};
	make_dataset();
	files_write_text(".bidsignore", searches[_i].ignored);
	char root[300];
	snprintf(root, sizeof root, "%s", files_path(""));
	OK(clpac__bids_find(root, &searches[_i].choice, &dataset, &err));
	ck_assert_uint_eq(dataset.n, COUNT(paths));
	const char *fate = searches[_i].fates;
	size_t n_chosen = 0;
	for (size_t i = 0; i < dataset.n; i++, fate++) {
		fate += strspn(fate, " ");
		ck_assert_str_eq(dataset.each[i].below, paths[i]);
		ck_assert_msg(marks[dataset.each[i].fate] == *fate, "search %d: %s is %c and not %c", _i, paths[i],
			      marks[dataset.each[i].fate], *fate);
		ck_assert(strncmp(dataset.each[i].subject, paths[i], 6) == 0 && !dataset.each[i].subject[6]);
		n_chosen += *fate == '.';
	}
	ck_assert_uint_eq(dataset.n_chosen, n_chosen);
	clpac__bids_clear(&dataset);
}

static void check_refusal(clpac__bids_choice choice, const char *words)
{
	clpac_error err = {0};
	clpac__bids_dataset dataset = {0};
	char root[300];
	snprintf(root, sizeof root, "%s", files_path(""));
	assert_refused(clpac__bids_find(root, &choice, &dataset, &err), err, CLPAC_ERROR_ARGUMENT, words);
	clpac__bids_clear(&dataset);
}

TEST(what_is_missing_is_named)
{
	check_refusal((clpac__bids_choice){0}, "has no recording in a folder");
	make_dataset();
	check_refusal((clpac__bids_choice){.participants = "01,09"}, "has no recording of sub-09");
	check_refusal((clpac__bids_choice){.tasks = "sleep"}, "6 are of other labels");
	check_refusal((clpac__bids_choice){.datatypes = "meg"}, "and 1 of a format that is not read");
}

TEST(results_keep_the_entities_of_their_recording)
{
	static const struct {
		const char *below, *result;
	} each[] = {
		{"sub-01/eeg/sub-01_task-rest_run-1_eeg.edf",
		 "out/sub-01/eeg/sub-01_task-rest_run-1_desc-mine_pac.npz"},
		{"sub-01/eeg/sub-01_eeg.vhdr", "out/sub-01/eeg/sub-01_desc-mine_pac.npz"},
		{"sub-01/eeg/sub-01_task-rest_desc-clean_eeg.edf", "out/sub-01/eeg/sub-01_task-rest_desc-mine_pac.npz"},
	};
	for (size_t i = 0; i < COUNT(each); i++) {
		clpac_error err = {0};
		char *made = NULL;
		OK(clpac__bids_name_result(
			&(clpac__bids_recording){.path = (char *)each[i].below, .below = each[i].below}, "out", "mine",
			&made, &err));
		ck_assert_str_eq(made, each[i].result);
		clpac__free(made);
	}
}

TEST(entities_are_words_of_the_name)
{
	size_t n = 0;
	const char *label = clpac__bids_entity("sub-x/sub-01_task-run-9_run-2_eeg.edf", "run-", &n);
	ck_assert(label && n == 1 && *label == '2');
	ck_assert_ptr_null(clpac__bids_entity("ses-1/sub-01_eeg.edf", "ses-", &n));
}
