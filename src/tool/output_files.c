/* Names of output files. */
#include "tool/output_files.h"

#include <libgen.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <clpac/plot.h>
#include <clpac/read.h>

#include "analysis/bids/bids.h"
#include "analysis/pages/page.h"
#include "analysis/run/results.h"
#include "base/ascii.h"
#include "base/memory.h"
#include "tool/interrupt.h"

const char *const tool_picture_endings[TOOL_N_PICTURES] = {".png", ".svg", ".pdf"};

static bool ends_in(const char *path, const char *ending)
{
	size_t n = strlen(path), m = strlen(ending);
	return n > m && path[n - m - 1] != '/' && clpac__ends_with(path, ending);
}

clpac_status tool_folders_make(const char *path, tool_call *call, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	char *copy;
	TRY(NEW_COPY(copy, path));
	for (char *slash = *copy ? strchr(copy + 1, '/') : NULL; slash; slash = strchr(slash + 1, '/')) {
		struct stat facts;
		*slash = 0;
		/* Some systems refuse to make a folder that is there with another number than EEXIST. */
		if (stat(copy, &facts) != 0 && mkdir(copy, 0777) != 0 && errno != EEXIST) {
			call->direction = TOOL_OUTPUT;
			FAIL_SYSTEM("making the folder %s", copy);
		}
		*slash = '/';
	}
done:
	clpac__free(copy);
	return st;
}

clpac_status tool_output_check(const char *path, const char *ending, const char *input, bool force, tool_call *call,
			       clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	char *copy = NULL;
	struct stat facts, input_facts;
	tool_direction before = call->direction;
	call->direction = TOOL_OUTPUT;
	bool exists = stat(path, &facts) == 0;
	if (exists && S_ISDIR(facts.st_mode)) {
		st = clpac__fail_system(err, EISDIR, "writing %s", path);
		goto done;
	}
	if (exists && !S_ISREG(facts.st_mode))
		goto done;
	if (ending && !ends_in(path, ending))
		FAIL(CLPAC_ERROR_ARGUMENT, "%s: the name of this file must end in %s", path, ending);
	if (exists && input && stat(input, &input_facts) == 0 && facts.st_dev == input_facts.st_dev &&
	    facts.st_ino == input_facts.st_ino)
		FAIL(CLPAC_ERROR_ARGUMENT, "%s would be written over the input; name another output", path);
	if (exists && !force) {
		st = clpac__fail_native(err, CLPAC_ERROR_IO, EEXIST, "%s exists already; --force replaces it", path);
		goto done;
	}
	TRY(tool_folders_make(path, call, err));
	TRY(NEW_COPY(copy, path));
	const char *folder = dirname(copy);
	if (stat(folder, &facts) != 0)
		FAIL_SYSTEM("writing %s: folder %s", path, folder);
	if (access(folder, W_OK | X_OK) != 0)
		FAIL_SYSTEM("writing %s: folder %s", path, folder);
done:
	if (st == CLPAC_OK)
		call->direction = before;
	clpac__free(copy);
	return st;
}

bool tool_output_is_device(const char *path)
{
	struct stat facts;
	return stat(path, &facts) == 0 && !S_ISREG(facts.st_mode) && !S_ISDIR(facts.st_mode);
}

/* Fails for a device or a pipe: a command that puts several files in place at once needs names. */
static clpac_status output_is_file(const char *path, tool_call *call, clpac_error *err)
{
	if (tool_output_is_device(path)) {
		call->direction = TOOL_OUTPUT;
		RETURN_ERROR(
			CLPAC_ERROR_ARGUMENT,
			"%s is a device or a pipe, and the files of a run appear together: give the name of a file",
			path);
	}
	return CLPAC_OK;
}

char *tool_output_of_shard(const char *npz, const clpac__analysis_settings *settings)
{
	char ending[64];
	size_t number, n;
	if (!settings->shard || clpac__shard_read(settings, &number, &n, NULL) != CLPAC_OK)
		return clpac__strdup(npz);
	snprintf(ending, sizeof ending, ".shard-%zu-of-%zu.npz", number, n);
	return tool_output_beside(npz, ending);
}

char *tool_output_beside(const char *path, const char *ending)
{
	const char *name = strrchr(path, '/'), *dot = strrchr(name ? name : path, '.');
	size_t stem = dot && dot != (name ? name + 1 : path) ? (size_t)(dot - path) : strlen(path);
	char *out = clpac__alloc(stem + strlen(ending) + 1);
	if (out) {
		memcpy(out, path, stem);
		strcpy(out + stem, ending);
	}
	return out;
}

clpac_status tool_pictures_read(const char *list, bool wanted[TOOL_N_PICTURES], clpac_error *err)
{
	for (int i = 0; i < TOOL_N_PICTURES; i++)
		wanted[i] = false;
	for (const char *word = list; word;) {
		size_t n = strcspn(word, ",");
		int i = 0;
		while (i < TOOL_N_PICTURES && !(strlen(tool_picture_endings[i]) == n + 1 &&
						clpac__same_letters(tool_picture_endings[i] + 1, word, n)))
			i++;
		if (i == TOOL_N_PICTURES)
			return clpac__fail(err, CLPAC_ERROR_ARGUMENT, "--plot %s: give one or more of png,svg,pdf",
					   list);
		wanted[i] = true;
		word = word[n] ? word + n + 1 : NULL;
	}
	return CLPAC_OK;
}

/* Copies a file to standard output. */
static clpac_status output_print(const char *path, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	char block[65536];
	size_t n;
	FILE *file = fopen(path, "rb");
	if (!file)
		FAIL_SYSTEM("reading %s", path);
	while ((n = fread(block, 1, sizeof block, file)) > 0)
		if (fwrite(block, 1, n, stdout) != n)
			FAIL_SYSTEM("writing standard output");
	if (ferror(file))
		FAIL_SYSTEM("reading %s", path);
done:
	if (file)
		fclose(file);
	return st;
}

clpac_status tool_text_write(const char *path, const char *text, bool force, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	clpac_output_set *set = NULL;
	const char *temporary = path;
	FILE *file = NULL;
	const bool is_device = tool_output_is_device(path);
	TRY(clpac_output_set_open(&set, err));
	if (!is_device)
		TRY(clpac_output_set_create(set, path, force, &temporary, err));
	file = fopen(temporary, "wb");
	if (!file || fwrite(text, 1, strlen(text), file) != strlen(text))
		FAIL_SYSTEM("writing %s", path);
	const int closed = fclose(file);
	file = NULL;
	if (closed != 0)
		FAIL_SYSTEM("writing %s", path);
	if (!is_device)
		TRY(tool_interrupt_commit(set, err));
done:
	if (file)
		fclose(file);
	clpac_output_set_close(set);
	return st;
}

/* --- The files of a run ----------------------------------------------------------------------- */

/* Outputs of a run: named and checked before the work, written as one set after it. */

enum { N_TEXTS = 5, N_PATHS = N_TEXTS + TOOL_N_PICTURES };

static const char *path_of(const tool_run_outputs *files, int i, const char **ending)
{
	static const char *const endings[] = {".npz", ".json", ".csv", ".html", ".mat"};
	const char *const paths[] = {files->npz, files->json, files->csv, files->html, files->mat};
	*ending = i < N_TEXTS ? endings[i] : tool_picture_endings[i - N_TEXTS];
	return i < N_TEXTS ? paths[i] : files->pictures[i - N_TEXTS];
}

static clpac_status name_beside(const char *npz, const char *ending, char **out, clpac_error *err)
{
	*out = tool_output_beside(npz, ending);
	if (!*out)
		RETURN_NO_MEMORY(strlen(npz) + strlen(ending));
	return CLPAC_OK;
}

clpac_status tool_run_outputs_name(const char *npz, tool_call *call, tool_run_outputs *files, clpac_error *err)
{
	bool wanted[TOOL_N_PICTURES];
	files->npz = npz;
	/* Subjects of a dataset have pages anyway. */
	call->values.analysis.keep_spectra = call->values.report || call->values.analysis.bids_root;
	RETURN_IF_ERROR(tool_pictures_read(call->values.plot, wanted, err));
	if (call->values.plot && !clpac_plots_are_available())
		RETURN_ERROR(CLPAC_ERROR_UNSUPPORTED,
			     "--plot %s: this build has no cairo to draw with; leave it out, or configure clpac "
			     "--with-cairo=yes",
			     call->values.plot);
	RETURN_IF_ERROR(name_beside(npz, ".json", &files->json, err));
	if (call->values.csv)
		RETURN_IF_ERROR(name_beside(npz, ".csv", &files->csv, err));
	if (call->values.mat)
		RETURN_IF_ERROR(name_beside(npz, ".mat", &files->mat, err));
	if (call->values.report)
		RETURN_IF_ERROR(name_beside(npz, ".html", &files->html, err));
	for (int i = 0; i < TOOL_N_PICTURES; i++)
		if (wanted[i])
			RETURN_IF_ERROR(name_beside(npz, tool_picture_endings[i], &files->pictures[i], err));
	return CLPAC_OK;
}

bool tool_run_outputs_are_there(const tool_run_outputs *files, const char **missing)
{
	const char *ending;
	for (int i = 0; i < N_PATHS; i++) {
		*missing = path_of(files, i, &ending);
		if (*missing && access(*missing, F_OK) != 0)
			return false;
	}
	return true;
}

clpac_status tool_run_outputs_check(const tool_run_outputs *files, const char *input, tool_call *call, clpac_error *err)
{
	for (int i = 0; i < N_PATHS; i++) {
		const char *ending, *path = path_of(files, i, &ending);
		if (!path)
			continue;
		RETURN_IF_ERROR(output_is_file(path, call, err));
		RETURN_IF_ERROR(tool_output_check(path, ending, input, call->values.force, call, err));
	}
	return CLPAC_OK;
}

static bool is_over_time(const clpac_result *result, const tool_call *call)
{
	return clpac_result_get_shape(result)->n_segments > 1 &&
	       (call->values.analysis.sliding || clpac_result_measure(result) == CLPAC_MEASURE_RHO);
}

clpac_status tool_run_outputs_put(const tool_run_outputs *files, const clpac_result *result,
				  const clpac_write_options *given, tool_call *call, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	clpac_output_set *set = NULL;
	clpac_write_options options = *given;
	call->direction = TOOL_OUTPUT;
	TRY(clpac_output_set_open(&set, err));
	options.overwrite = call->values.force;
	options.set = set;
	options.json_full = call->values.json_full;
	TRY((call->values.analysis.shard ? clpac_analysis_save : clpac_result_write_npz)(result, files->npz, &options,
											 err));
	TRY(clpac_result_write_json(result, files->json, &options, err));
	if (files->csv)
		TRY(clpac_result_write_csv(result, files->csv, &options, err));
	if (files->mat)
		TRY(clpac_result_write_mat(result, files->mat, &options, err));
	if (files->html)
		TRY(clpac__page_write(result, files->npz, files->html, &options, err));
	for (int i = 0; i < TOOL_N_PICTURES; i++)
		if (files->pictures[i]) {
			clpac_plot_options plot = {.channel = SIZE_MAX,
						   .overwrite = call->values.force,
						   .set = set,
						   .over_time = is_over_time(result, call)};
			TRY(clpac_result_plot(result, files->pictures[i], &plot, err));
		}
	TRY(tool_interrupt_commit(set, err));
	if (call->values.json)
		TRY(output_print(files->json, err));
done:
	clpac_output_set_close(set);
	return st;
}

clpac_status tool_run_outputs_write(const tool_run_outputs *files, clpac_result *result, const clpac__job *job,
				    tool_call *call, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	char checksum[65];
	const clpac__analysis_settings *v = &call->values.analysis;
	char *provenance = NULL, *source = NULL;
	call->direction = TOOL_INPUT;
	/* Before the checksum: a change between both has another state. */
	TRY(clpac__provenance_write(job, &provenance, err));
	if (job->shard.n)
		memcpy(checksum, job->shard.recording, sizeof checksum);
	else if (!call->values.analysis.no_checksum)
		TRY(clpac_recording_checksum(call->values.analysis.input,
					     &(clpac_read_options){.raw = call->values.analysis.raw}, checksum, err));
	call->direction = TOOL_OUTPUT;
	if (job->shard.n)
		TRY(clpac_result_set_provenance(result, provenance, err));
	if (v->bids_root)
		TRY(clpac__bids_uri("bids:raw:", v->input + strlen(v->bids_root) + 1, &source, err));
	TRY(tool_run_outputs_put(
		files, result,
		&(clpac_write_options){.input_name = call->values.analysis.input,
				       .input_checksum = call->values.analysis.no_checksum ? NULL : checksum,
				       .provenance = provenance,
				       .sources = (const char *const *)&source,
				       .n_sources = source != NULL},
		call, err));
done:
	FREE_ALL(provenance, source);
	return st;
}

void tool_run_outputs_clear(tool_run_outputs *files)
{
	FREE_ALL(files->json, files->csv, files->html, files->mat);
	for (int i = 0; i < TOOL_N_PICTURES; i++)
		clpac__free(files->pictures[i]);
}
