/* Outputs of a run: named and checked before the work, written as one set after it. */
#include "tool/run_outputs.h"

#include <stdint.h>
#include <string.h>
#include <unistd.h>
#include <clpac/plot.h>
#include <clpac/read.h>
#include <clpac/write.h>
#include "analysis/run/provenance.h"
#include "base/memory.h"
#include "tool/interrupt.h"

static const char *path_of(const tool_run_outputs *files, int i, const char **ending)
{
	static const char *const endings[] = {".npz", ".json", ".csv"};
	const char *const paths[] = {files->npz, files->json, files->csv};
	*ending = i < 3 ? endings[i] : tool_picture_endings[i - 3];
	return i < 3 ? paths[i] : files->pictures[i - 3];
}
enum { N_PATHS = 3 + TOOL_N_PICTURES };

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
	RETURN_IF_ERROR(tool_pictures_read(call->values.plot, wanted, err));
	if (call->values.plot && !clpac_plots_are_available())
		RETURN_ERROR(CLPAC_ERROR_UNSUPPORTED,
			     "--plot %s: this build has no cairo to draw with; leave it out, or configure clpac "
			     "--with-cairo=yes",
			     call->values.plot);
	RETURN_IF_ERROR(name_beside(npz, ".json", &files->json, err));
	if (call->values.csv)
		RETURN_IF_ERROR(name_beside(npz, ".csv", &files->csv, err));
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
		RETURN_IF_ERROR(tool_output_is_file(path, call, err));
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
	TRY(clpac_result_write_npz(result, files->npz, &options, err));
	TRY(clpac_result_write_json(result, files->json, &options, err));
	if (files->csv)
		TRY(clpac_result_write_csv(result, files->csv, &options, err));
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
		TRY(tool_output_print(files->json, err));
done:
	clpac_output_set_close(set);
	return st;
}

clpac_status tool_run_outputs_write(const tool_run_outputs *files, const clpac_result *result, const clpac__job *job,
				    tool_call *call, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	char checksum[65];
	char *provenance = NULL;
	call->direction = TOOL_INPUT;
	if (!call->values.analysis.no_checksum)
		TRY(clpac_recording_checksum(call->values.analysis.input,
					     &(clpac_read_options){.raw = call->values.analysis.raw}, checksum, err));
	call->direction = TOOL_OUTPUT;
	TRY(clpac__provenance_write(job, &provenance, err));
	TRY(tool_run_outputs_put(
		files, result,
		&(clpac_write_options){.input_name = call->values.analysis.input,
				       .input_checksum = call->values.analysis.no_checksum ? NULL : checksum,
				       .provenance = provenance},
		call, err));
done:
	clpac__free(provenance);
	return st;
}

void tool_run_outputs_clear(tool_run_outputs *files)
{
	clpac__free(files->json);
	clpac__free(files->csv);
	for (int i = 0; i < TOOL_N_PICTURES; i++)
		clpac__free(files->pictures[i]);
}
