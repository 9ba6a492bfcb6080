/* Recordings by operand: a file is itself, a folder is searched.  In folders the ending of a name decides, and endings
 * that files beside a recording have too (.tsv, .txt, the parts of a BrainVision recording) do not count. */
#include "analysis/inputs.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <clpac/read.h>

#include "base/ascii.h"
#include "base/folder.h"
#include "base/memory.h"
#include "base/regular_file.h"

/* The folder of results where several recordings are given without -o. */
static const char default_folder[] = "clpac-results";

static const char *const endings[] = {".npy", ".npz", ".csv", ".edf", ".bdf", ".rec", ".vhdr", ".set", ".nwb"};
enum { MOST_FOLDERS_DEEP = 64 };

static bool has_ending(const char *path)
{
	for (size_t i = 0; i < sizeof endings / sizeof *endings; i++)
		if (clpac__ends_with(path, endings[i]))
			return true;
	return false;
}

/* The start of a file as text; "" of one that cannot be read. */
static void read_start(const char *path, char *text, size_t size)
{
	FILE *file = NULL;
	clpac__regular_file_open(path, "reading", &file, NULL);
	const size_t n = file ? fread(text, 1, size - 1, file) : 0;
	text[n] = 0;
	if (file)
		fclose(file);
}

/* Whether a file of EDF or BDF holds annotations and no signal, as a hypnogram does. */
static bool holds_annotations_alone(const char *path)
{
	enum { HEAD = 256, LABEL = 16, MOST = 16 };
	char start[HEAD + LABEL * MOST + 1] = "", number[5] = "";
	read_start(path, start, sizeof start);
	memcpy(number, start + HEAD - 4, 4);
	const int n = atoi(number);
	for (int i = 0; i < n && i < MOST; i++)
		if (strncmp(start + HEAD + LABEL * i + 1, "DF Annotations", 14) != 0)
			return false;
	return n > 0 && n <= MOST;
}

/* Whether a file is no recording: a table or an archive that is a result of clpac, by its first line or by the JSON
 * beside it, or annotations of another file. */
static clpac_status find_whether_other(const char *path, bool *out, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	char start[512] = "";
	char *beside = NULL;
	*out = false;
	if (clpac__ends_with(path, ".csv")) {
		read_start(path, start, sizeof start);
		*out = strncmp(start, "channel,segment,phase_lo_hz,", 28) == 0;
	} else if (clpac__ends_with(path, ".npz")) {
		const size_t stem = strlen(path) - strlen("npz");
		TRY(NEW_BYTES(beside, stem + sizeof "json"));
		memcpy(beside, path, stem);
		memcpy(beside + stem, "json", sizeof "json");
		read_start(beside, start, sizeof start);
		*out = strstr(start, "\"program\": \"clpac\"") != NULL;
	} else if (!clpac__ends_with(path, ".npy") && !clpac__ends_with(path, ".vhdr") &&
		   !clpac__ends_with(path, ".set") && !clpac__ends_with(path, ".nwb")) {
		*out = holds_annotations_alone(path);
	}
done:
	clpac__free(beside);
	return st;
}

struct finder {
	clpac__inputs *inputs;
	size_t capacity;
	size_t root;	    /* bytes of the operand's path, which results do not repeat */
	struct stat output; /* of the folder of results */
	bool has_output;
};

/* The result of a recording: its name behind `root`, in the folder, with another ending. */
static clpac_status name_output(const clpac__inputs *inputs, const char *name, char **out, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	char *joined = NULL;
	TRY(clpac__path_join(inputs->folder, name, &joined, err));
	char *last = strrchr(joined, '/'), *dot = strrchr(last, '.');
	const size_t stem = dot && dot != last + 1 ? (size_t)(dot - joined) : strlen(joined);
	char *made;
	TRY(NEW_BYTES(made, stem + sizeof ".npz"));
	memcpy(made, joined, stem);
	memcpy(made + stem, ".npz", sizeof ".npz");
	*out = made;
done:
	clpac__free(joined);
	return st;
}

static clpac_status add_file(struct finder *finder, const char *path, const char *name, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	clpac__inputs *inputs = finder->inputs;
	clpac__input_file file = {0};
	TRY(ROOM_FOR_ONE(inputs->each, inputs->n, finder->capacity, 16));
	TRY(NEW_COPY(file.path, path));
	TRY(name_output(inputs, name, &file.output, err));
	inputs->each[inputs->n++] = file;
	file = (clpac__input_file){0};
done:
	FREE_ALL(file.path, file.output);
	return st;
}

/* Links to folders are not followed: they may lead back.  Links to files are, also broken ones, so that a file that
 * was not fetched is an error and not missing in silence. */
static clpac_status search(struct finder *finder, const char *folder, int depth, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	clpac__names list = {0};
	char *path = NULL;
	if (depth == MOST_FOLDERS_DEEP)
		FAIL(CLPAC_ERROR_ARGUMENT, "%s lies more than %d folders deep; give a folder nearer to the recordings",
		     folder, MOST_FOLDERS_DEEP);
	TRY(clpac__folder_list(folder, &list, err));
	for (size_t i = 0; i < list.n; i++) {
		struct stat facts = {0};
		bool is_other = false;
		clpac__free(path);
		path = NULL;
		TRY(clpac__path_join(folder, list.each[i].text, &path, err));
		const bool is_file = list.each[i].is_file, is_there = !is_file && stat(path, &facts) == 0;
		if (is_there && S_ISDIR(facts.st_mode)) {
			const bool is_output = finder->has_output && facts.st_dev == finder->output.st_dev &&
					       facts.st_ino == finder->output.st_ino;
			struct stat link;
			if (!is_output && lstat(path, &link) == 0 && S_ISDIR(link.st_mode))
				TRY(search(finder, path, depth + 1, err));
		} else if (has_ending(path) && (!is_there || S_ISREG(facts.st_mode))) {
			TRY(find_whether_other(path, &is_other, err));
			if (!is_other)
				TRY(add_file(finder, path, path + finder->root, err));
		}
	}
done:
	clpac__free(path);
	clpac__names_clear(&list);
	return st;
}

static clpac_status add_operand(struct finder *finder, const char *operand, bool is_folder, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	const size_t n_before = finder->inputs->n, length = strlen(operand);
	if (!is_folder) {
		const char *slash = strrchr(operand, '/');
		return add_file(finder, operand, slash ? slash + 1 : operand, err);
	}
	finder->root = length + (operand[length - 1] != '/');
	RETURN_IF_ERROR(search(finder, operand, 0, err));
	if (finder->inputs->n == n_before) {
		st = clpac__fail_native(err, CLPAC_ERROR_IO, ENOENT,
					"%s is a folder without a recording (.npy, .npz, .csv, .edf, .bdf, .rec, "
					".vhdr, .set, .nwb); name a file or another folder",
					operand);
		return st;
	}
	return st;
}

static int by_output(const void *a, const void *b)
{
	const clpac__input_file *x = *(clpac__input_file *const *)a, *y = *(clpac__input_file *const *)b;
	const int order = strcmp(x->output, y->output);
	return order ? order : (x > y) - (x < y);
}

clpac_status clpac__inputs_check(const clpac__inputs *inputs, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	const clpac__input_file **sorted;
	TRY(NEW_ARRAY(sorted, inputs->n));
	for (size_t i = 0; i < inputs->n; i++)
		sorted[i] = &inputs->each[i];
	qsort(sorted, inputs->n, sizeof *sorted, by_output);
	for (size_t i = 1; i < inputs->n; i++)
		if (strcmp(sorted[i - 1]->output, sorted[i]->output) == 0)
			FAIL(CLPAC_ERROR_ARGUMENT, "%s and %s would both be written as %s; %s", sorted[i - 1]->path,
			     sorted[i]->path, sorted[i]->output,
			     strcmp(sorted[i - 1]->path, sorted[i]->path) == 0
				     ? "name each recording once"
				     : "give the folder above them, which keeps their folders apart, or run them into "
				       "different folders");
done:
	clpac__free(sorted);
	return st;
}

/* Whether -o means a folder: one that is there, or a name that ends in a slash or has no ending. */
static bool means_folder(const char *output, bool are_several)
{
	struct stat facts;
	const size_t length = strlen(output);
	if (stat(output, &facts) == 0)
		return S_ISDIR(facts.st_mode);
	return length && (output[length - 1] == '/' || (are_several && !clpac__ends_with(output, ".npz")));
}

static clpac_status find_folder(const char *output, clpac__inputs *inputs, clpac_error *err)
{
	if (!output && inputs->are_several)
		output = default_folder;
	if (!output)
		RETURN_ERROR(CLPAC_ERROR_ARGUMENT, "no output is named; give -o OUT.npz, or a folder as -o FOLDER/");
	if (inputs->are_several && !means_folder(output, true))
		RETURN_ERROR(
			CLPAC_ERROR_ARGUMENT,
			"-o %s names one file, and a result for each of several recordings is to be written; give a "
			"folder",
			output);
	if (means_folder(output, inputs->are_several) && !(inputs->folder = clpac__strdup(output)))
		RETURN_NO_MEMORY(strlen(output) + 1);
	return CLPAC_OK;
}

/* Whether an operand is a folder to search: one that is a recording of another format is for the reader to name. */
static bool is_searched(const char *operand)
{
	static const char *const recordings[] = {".mff", ".mff/", ".ds", ".ds/"};
	struct stat facts;
	for (size_t i = 0; i < sizeof recordings / sizeof *recordings; i++)
		if (clpac__ends_with(operand, recordings[i]))
			return false;
	return stat(operand, &facts) == 0 && S_ISDIR(facts.st_mode);
}

clpac_status clpac__inputs_find(const char *const *operands, size_t n, const char *output, clpac__inputs *out,
				clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	struct finder finder = {.inputs = out};
	clpac__input_file single = {0};
	out->are_several = n > 1;
	for (size_t i = 0; i < n; i++)
		if (is_searched(operands[i]))
			out->are_several = true;
	TRY(find_folder(output, out, err));
	if (!out->folder) {
		TRY(NEW_ARRAY(out->each, 1));
		TRY(NEW_COPY(single.path, operands[0]));
		TRY(NEW_COPY(single.output, output));
		out->each[out->n++] = single;
		single = (clpac__input_file){0};
		goto done;
	}
	finder.has_output = stat(out->folder, &finder.output) == 0;
	for (size_t i = 0; i < n; i++) {
		const char *operand = operands[i];
		TRY(add_operand(&finder, operand, is_searched(operand), err));
	}
	TRY(clpac__inputs_check(out, err));
done:
	FREE_ALL(single.path, single.output);
	return st;
}

void clpac__inputs_clear(clpac__inputs *inputs)
{
	for (size_t i = 0; i < inputs->n; i++) {
		FREE_ALL(inputs->each[i].path, inputs->each[i].output, inputs->each[i].failure);
	}
	FREE_ALL(inputs->each, inputs->folder);
	*inputs = (clpac__inputs){0};
}

/* --- One of them ------------------------------------------------------------------------------ */

clpac_status clpac__input_read(const clpac__analysis_settings *settings, clpac_recording **out, clpac_error *err)
{
	if (clpac__analysis_is_given(settings, "rate") && !(settings->rate_hz > 0))
		RETURN_ERROR(CLPAC_ERROR_ARGUMENT, "--rate %g: it must be above 0 Hz", settings->rate_hz);
	if (clpac__analysis_is_given(settings, "resample") && !(settings->resample_hz > 0))
		RETURN_ERROR(CLPAC_ERROR_ARGUMENT, "--resample %g: it must be above 0 Hz", settings->resample_hz);
	const clpac_read_options options = {.size = sizeof options,
					    .rate_hz = settings->rate_hz,
					    .raw = settings->raw,
					    .array = settings->array,
					    .on_demand = true,
					    .resample_hz = settings->resample_hz,
					    .events_from = settings->events_from,
					    .event_column = settings->event_column,
					    .annotations = settings->annotations,
					    .bids_root = settings->bids_root};
	return clpac_recording_read(settings->input, &options, out, err);
}

void clpac__input_warn(const clpac__analysis_settings *settings, const clpac_recording *recording)
{
	for (size_t i = 0; i < clpac_recording_n_warnings(recording); i++) {
		size_t count;
		const char *text = clpac_recording_warning(recording, i, &count);
		clpac__analysis_warn(settings, count, "%s", text);
	}
}

json_t *clpac__input_tables_json(clpac__json_tree *json, const clpac_recording *recording)
{
	json_t *array = json_array();
	for (size_t i = 0; i < clpac_recording_n_tables(recording); i++) {
		const clpac_table *table = clpac_recording_table(recording, i);
		json_t *one = json_object();
		clpac__json_tree_text(json, one, "use", table->use);
		clpac__json_tree_text(json, one, "path", table->path);
		clpac__json_tree_append(json, array, one);
	}
	return array;
}
