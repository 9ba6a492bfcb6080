/* clpac run: the main job, from a recording to a result on disk. */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <clpac/io.h>
#include "base/clock.h"
#include "base/memory.h"
#include "tool/commands.h"
#include "tool/console.h"
#include "tool/interrupt.h"
#include "tool/job_losses.h"
#include "tool/job_run.h"
#include "tool/option_groups.h"
#include "tool/output_files.h"
#include "tool/phase.h"
#include "tool/provenance.h"

static const tool_group *const groups[] = {
	&tool_group_read,   &tool_group_take,	&tool_group_method, &tool_group_compute,
	&tool_group_output, &tool_group_config, &tool_group_common, NULL,
};

static const double patience_s = 1; /* a phase that ends sooner is not said */

/* The files of one run.  A NULL path is not written. */
typedef struct outputs {
	const char *npz;
	char *json, *csv, *pictures[TOOL_N_PICTURES];
} outputs;

static void close_outputs(outputs *files)
{
	clpac__free(files->json);
	clpac__free(files->csv);
	for (int i = 0; i < TOOL_N_PICTURES; i++)
		clpac__free(files->pictures[i]);
}

static clpac_status add_output(const char *npz, const char *ending, char **out, tool_call *call, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	char *path = tool_output_beside(npz, ending);
	if (!path)
		FAIL_NO_MEMORY(strlen(npz) + strlen(ending));
	TRY(tool_output_is_file(path, call, err));
	TRY(tool_output_check(path, ending, call->operands[0], call->values.force, call, err));
	*out = path;
	path = NULL;
done:
	clpac__free(path);
	return st;
}

static clpac_status open_outputs(outputs *files, tool_call *call, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	bool wanted[TOOL_N_PICTURES];
	files->npz = call->values.output;
	if (!files->npz)
		FAIL(CLPAC_ERROR_ARGUMENT, "no output is named; give -o OUT.npz");
	TRY(tool_pictures_read(call->values.plot, wanted, err));
	if (call->values.plot && !clpac_plots_are_available())
		FAIL(CLPAC_ERROR_UNSUPPORTED,
		     "--plot %s: this build has no cairo to draw with; leave it out, or configure clpac "
		     "--with-cairo=yes",
		     call->values.plot);
	TRY(tool_output_is_file(files->npz, call, err));
	TRY(tool_output_check(files->npz, ".npz", call->operands[0], call->values.force, call, err));
	TRY(add_output(files->npz, ".json", &files->json, call, err));
	if (call->values.csv)
		TRY(add_output(files->npz, ".csv", &files->csv, call, err));
	for (int i = 0; i < TOOL_N_PICTURES; i++)
		if (wanted[i])
			TRY(add_output(files->npz, tool_picture_endings[i], &files->pictures[i], call, err));
done:
	return st;
}

static clpac_status write_outputs(const outputs *files, const clpac_result *result, const tool_job *job,
				  tool_call *call, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	char checksum[65];
	char *provenance = NULL;
	clpac_output_set *set = NULL;
	call->direction = TOOL_INPUT;
	TRY(clpac_recording_checksum(call->operands[0], &(clpac_read_options){.raw = call->values.raw}, checksum, err));
	call->direction = TOOL_OUTPUT;
	TRY(tool_provenance_write(job, &provenance, err));
	TRY(clpac_output_set_open(&set, err));
	clpac_write_options options = {
		.overwrite = call->values.force,
		.input_name = call->operands[0],
		.input_checksum = checksum,
		.set = set,
		.provenance = provenance,
	};
	TRY(clpac_result_write_npz(result, files->npz, &options, err));
	TRY(clpac_result_write_json(result, files->json, &options, err));
	if (files->csv)
		TRY(clpac_result_write_csv(result, files->csv, &options, err));
	for (int i = 0; i < TOOL_N_PICTURES; i++)
		if (files->pictures[i]) {
			clpac_plot_options plot = {.channel = SIZE_MAX, .overwrite = call->values.force, .set = set};
			TRY(clpac_result_plot(result, files->pictures[i], &plot, err));
		}
	TRY(tool_interrupt_commit(set, err));
	if (call->values.json)
		TRY(tool_output_print(files->json, err));
done:
	clpac_output_set_close(set);
	clpac__free(provenance);
	return st;
}

static void print_warnings(const clpac_result *result, const tool_call *call)
{
	const clpac_report *report = clpac_result_report(result);
	for (int k = 0; k < CLPAC_WARN_KIND_COUNT; k++)
		if (report->warnings[k].count)
			tool_warn(call, report->warnings[k].count, "%s", report->warnings[k].text);
}

/* Prints "NAME" of one device; of several "NAME (40), NAME on PLATFORM (24)", with the number of series of each. */
static void print_devices(const clpac_report *report)
{
	for (size_t i = 0; i < report->n_devices; i++) {
		const clpac_device_report *did = &report->devices[i];
		const bool is_native = strcmp(did->backend, "native") == 0;
		tool_print(stderr, "%s%s", i ? ", " : "", *did->device ? did->device : did->backend);
		if (report->n_devices > 1)
			tool_print(stderr, "%s%s (%zu%s)", is_native ? "" : " on ", is_native ? "" : did->platform,
				   did->n_series, did->has_failed ? ", then failed" : "");
	}
	tool_print(stderr, "\n");
}

/* The cautions of a result, a word for each warning that speaks against believing it. */
static void print_cautions(const clpac_result *result)
{
	static const struct {
		clpac_warning_kind kind;
		const char *word;
	} cautions[] = {{CLPAC_WARN_HARMONIC, "harmonics"},
			{CLPAC_WARN_NARROW_AMPLITUDE, "narrow bands"},
			{CLPAC_WARN_OVERLAP, "overlapping bands"},
			{CLPAC_WARN_JUMP, "jumps"},
			{CLPAC_WARN_MAINS, "mains"},
			{CLPAC_WARN_PURE_LINE, "a pure line"},
			{CLPAC_WARN_MIN_SHIFT, "long minimum shift"},
			{CLPAC_WARN_FEW_SEGMENTS, "few segments"}};
	const char *before = "; caution: ";
	for (size_t i = 0; i < sizeof cautions / sizeof *cautions; i++)
		if (clpac_result_report(result)->warnings[cautions[i].kind].count) {
			tool_print(stderr, "%s%s", before, cautions[i].word);
			before = ", ";
		}
}

/* The peaks of further measures, in a few words each. */
static void print_further(const clpac_result *result)
{
	clpac_measure measures[CLPAC_MEASURE_COUNT];
	const size_t n = clpac_result_measures(result, measures);
	for (size_t i = 1; i < n; i++) {
		const clpac_peak peak = clpac_result_peak(clpac_result_of(result, measures[i]), SIZE_MAX);
		if (!peak.found)
			continue;
		const clpac_band phase = clpac_result_phase_bands(result)[peak.phase];
		const clpac_band amplitude = clpac_result_cell_band(result, peak.phase, peak.amplitude);
		tool_print(stderr, "; %s %.3g at %.4g-%.4g, %.4g-%.4g Hz", clpac_measure_abbreviation(measures[i]),
			   (double)peak.mi, phase.lo_hz, phase.hi_hz, amplitude.lo_hz, amplitude.hi_hz);
		if (!isnan(peak.p_max))
			tool_print(stderr, ", p_max %.2g", (double)peak.p_max);
	}
}

static void print_summary(const clpac_result *result, double seconds)
{
	const clpac_report *report = clpac_result_report(result);
	const clpac_result_shape *shape = clpac_result_get_shape(result);
	clpac_peak peak = clpac_result_peak(result, SIZE_MAX);
	tool_print(stderr, "clpac run: ");
	if (peak.found) {
		clpac_band phase = clpac_result_phase_bands(result)[peak.phase];
		clpac_band amplitude = clpac_result_cell_band(result, peak.phase, peak.amplitude);
		tool_print(stderr, "peak in channel ");
		tool_print_column(stderr, clpac_result_channel_name(result, peak.channel), 0);
		if (shape->n_segments > 1)
			tool_print(stderr, ", segment %zu at %g s,", peak.segment,
				   clpac_result_segment_onsets(result)[peak.segment]);
		tool_print(stderr, " at phase %.4g-%.4g Hz, amplitude %.4g-%.4g Hz: %s %.3g", phase.lo_hz, phase.hi_hz,
			   amplitude.lo_hz, amplitude.hi_hz, clpac_measure_abbreviation(clpac_result_measure(result)),
			   (double)peak.mi);
		if (!isnan(peak.preferred_phase))
			tool_print(stderr, ", preferred phase %.0f degrees",
				   round((double)peak.preferred_phase * 180 / 3.14159265358979323846) + 0.0);
		if (!isnan(peak.z))
			tool_print(stderr, ", z %.3g, p_max %.2g%s", (double)peak.z, (double)peak.p_max,
				   peak.p_max > 0.05f  ? " (no cell of its map is significant)"
				   : peak.harmonic > 0 ? " (harmonic?)"
						       : "");
	} else {
		tool_print(stderr, "no valid cell has a value");
	}
	print_further(result);
	print_cautions(result);
	tool_print(stderr, "; %zu series in %.3g s on ", shape->n_channels * shape->n_segments, seconds);
	print_devices(report);
}

static clpac_status run(tool_call *call, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	tool_job job = {0};
	outputs files = {0};
	clpac_result *result = NULL;
	tool_progress progress = {.command = call->command->name, .is_quiet = call->values.quiet};
	double started_s = clpac__clock_seconds();

	TRY(tool_interrupt_watch(call->command->name, err));
	if (!call->values.quiet)
		tool_phases_start(call->command->name, patience_s);
	TRY(tool_job_prepare(&job, call, err));
	TRY(open_outputs(&files, call, err));
	TRY(tool_job_open(&job, call, err));
	tool_progress_start(&progress);
	st = tool_job_run(&job, &progress, &result, err);
	tool_phases_end();
	tool_progress_end(&progress);
	TRY(st);
	double seconds = clpac__clock_seconds() - started_s;
	print_warnings(result, call);
	tool_warn_of_losses(&job, result);
	TRY(tool_check_cells(&job, result, err));
	TRY(write_outputs(&files, result, &job, call, err));
	if (!call->values.quiet)
		print_summary(result, seconds);
done:
	tool_phases_end();
	clpac_result_destroy(result);
	tool_job_close(&job);
	close_outputs(&files);
	return st;
}

const tool_command tool_command_run = {
	.name = "run",
	.usage = "INPUT -o OUT.npz [OPTIONS]",
	.min_operands = 1,
	.max_operands = 1,
	.operand = "recording",
	.summary = "compute phase-amplitude coupling: the main job",
	.help = "Computes the modulation index of every pair of a phase band and an amplitude band, channel by\n"
		"channel and segment by segment, with z and p from circular-shift surrogates.\n"
		"Reads .npy, .npz, CSV, EDF, EDF+, BDF, BDF+, BrainVision (.vhdr) and bare samples.  Writes\n"
		"OUT.npz and, in the same folder, OUT.json with every parameter and warning.\n",
	.groups = groups,
	.run = run,
};
