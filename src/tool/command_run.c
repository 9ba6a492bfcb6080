/* clpac run: the main job, from recordings to results on disk. */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include "base/clock.h"
#include "tool/commands.h"
#include "tool/console.h"
#include "analysis/run/losses.h"
#include "analysis/run/run.h"
#include "tool/option_groups.h"
#include "tool/phase.h"
#include "tool/progress.h"
#include "tool/run_outputs.h"
#include "tool/settings.h"
#include "tool/several.h"

static const tool_group *const groups[] = {
	&tool_group_read,    &tool_group_take,	 &tool_group_reject, &tool_group_epochs, &tool_group_method,
	&tool_group_compute, &tool_group_output, &tool_group_config, &tool_group_common, NULL,
};

static const double patience_s = 1; /* a phase that ends sooner is not said */

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
			{CLPAC_WARN_FEW_SEGMENTS, "few segments"},
			{CLPAC_WARN_SHORT_NULL, "few cycles"}};
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

/* How many maps of the first measure have a significant cell, and how many would without any coupling: p_max is that of
 * a map by itself. */
static void print_maps(const clpac_result *result)
{
	const clpac_result_shape *shape = clpac_result_get_shape(result);
	size_t n_maps = 0, n_significant = 0;
	for (size_t ch = 0; ch < shape->n_channels; ch++)
		for (size_t segment = 0; segment < shape->n_segments; segment++) {
			const clpac_peak peak = clpac_result_series_peak(result, ch, segment);
			n_maps += peak.found && !isnan(peak.p_max);
			n_significant += peak.found && peak.p_max <= 0.05f;
		}
	/* Below ten a digit behind the point. */
	const double by_chance = 0.05 * (double)n_maps;
	if (n_maps > 1)
		tool_print(stderr, "; %zu of %zu maps have a significant cell, where chance gives %.*g", n_significant,
			   n_maps, by_chance < 10 ? 2 : 15, by_chance < 10 ? by_chance : round(by_chance));
}

/* "peak in channel C3", or the two channels of a pair. */
static void print_channel(const clpac_result *result, size_t channel)
{
	const char *phase = clpac_result_pair_channel(result, channel, CLPAC_PHASE);
	const char *amplitude = clpac_result_pair_channel(result, channel, CLPAC_AMPLITUDE);
	if (phase && amplitude) {
		tool_print(stderr, "peak between the phase of ");
		tool_print_column(stderr, phase, 0);
		tool_print(stderr, " and the amplitude of ");
		tool_print_column(stderr, amplitude, 0);
	} else {
		tool_print(stderr, "peak in channel ");
		tool_print_column(stderr, clpac_result_channel_name(result, channel), 0);
	}
}

/* ", segment 3 at 12.5 s,", or ", go at 12.5 s," of an epoch and ", go," of all epochs of a condition. */
static void print_segment(const clpac_result *result, size_t segment)
{
	const char *condition = clpac_result_condition(result, segment);
	const double onset_s = clpac_result_segment_onsets(result)[segment];
	if (!condition && clpac_result_get_shape(result)->n_segments < 2)
		return;
	tool_print(stderr, ", ");
	if (condition)
		tool_print_column(stderr, condition, 0);
	else
		tool_print(stderr, "segment %zu", segment);
	if (!isnan(onset_s))
		tool_print(stderr, " at %g s", onset_s);
	tool_print(stderr, ",");
}

static void print_summary(const clpac__job *job, const clpac_result *result, double seconds)
{
	char used[CLPAC__USED_SIZE], epochs[CLPAC__EPOCHS_SIZE];
	const clpac_report *report = clpac_result_report(result);
	const clpac_result_shape *shape = clpac_result_get_shape(result);
	clpac_peak peak = clpac_result_peak(result, SIZE_MAX);
	tool_print(stderr, "clpac run: ");
	if (peak.found) {
		clpac_band phase = clpac_result_phase_bands(result)[peak.phase];
		clpac_band amplitude = clpac_result_cell_band(result, peak.phase, peak.amplitude);
		print_channel(result, peak.channel);
		print_segment(result, peak.segment);
		tool_print(stderr, " at phase %.4g-%.4g Hz, amplitude %.4g-%.4g Hz: %s %.3g", phase.lo_hz, phase.hi_hz,
			   amplitude.lo_hz, amplitude.hi_hz, clpac_measure_abbreviation(clpac_result_measure(result)),
			   (double)peak.mi);
		if (!isnan(peak.preferred_phase))
			tool_print(stderr, ", preferred phase %.0f degrees",
				   round((double)peak.preferred_phase * 180 / 3.14159265358979323846) + 0.0);
		/* The peak has the lowest p_max of its map. */
		if (!isnan(peak.z))
			tool_print(stderr, ", z %.3g, p_max %.2g%s", (double)peak.z, (double)peak.p_max,
				   peak.p_max > 0.05f  ? " (no cell of its map is significant)"
				   : peak.harmonic > 0 ? " (harmonic?)"
						       : "");
	} else {
		tool_print(stderr, "no valid cell has a value");
	}
	print_further(result);
	if (job->method.problem.family != CLPAC_FAMILY_RUN)
		print_maps(result);
	print_cautions(result);
	clpac__job_parts_sentence(&job->parts, &job->channels, &job->segments, used);
	if (*used) {
		tool_print(stderr, "; ");
		tool_print_column(stderr, used, 0);
	}
	clpac__job_epochs_sentence(&job->epochs, epochs);
	if (*epochs) {
		tool_print(stderr, "; ");
		tool_print_column(stderr, epochs, 0);
	}
	tool_print(stderr, "; %zu series in %.3g s on ", shape->n_channels * shape->n_segments, seconds);
	print_devices(report);
}

static void note_kept(const tool_call *call, const clpac__job *job)
{
	char text[160];
	size_t n = 0;
	bool are_channels = true;
	for (size_t i = 0; i < job->parts.n; i++) {
		size_t n_rows;
		clpac__job_part_rows(&job->parts.each[i], &n_rows);
		n += n_rows * job->parts.each[i].n_segments;
		are_channels = are_channels && job->parts.n == 1 && job->parts.each[i].n_segments == 1;
	}
	if (!job->n_kept_series)
		return;
	snprintf(text, sizeof text, "%zu of %zu %s were there from an earlier run, which had not ended",
		 job->n_kept_series, n, are_channels ? "channels" : "series of channels and segments");
	tool_note(call, text);
}

static clpac_status run_recording(tool_call *call, const char *npz, clpac__job_contexts *contexts, const char *place,
				  tool_outcome *out, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	clpac__job job = {.contexts = contexts};
	tool_run_outputs files = {0};
	clpac_result *result = NULL;
	double started_s = clpac__clock_seconds();
	bool is_done = false;
	clpac__checkpoints checkpoints = {0};

	*out = TOOL_FAILED;
	if (!call->values.quiet)
		tool_phases_start(call->command->name, patience_s);
	TRY(tool_job_prepare(&job, call, err));
	TRY(tool_run_outputs_name(npz, call, &files, err));
	TRY(tool_several_skip(&files, call, &is_done, err));
	if (is_done) {
		*out = TOOL_SKIPPED;
		goto done;
	}
	TRY(tool_run_outputs_check(&files, call->values.analysis.input, call, err));
	TRY(clpac__job_open(&job, err));
	clpac__job_warn_of_losses(&job);
	TRY(clpac__checkpoints_open(&call->values.analysis, npz, job.options.device, job.options.fft, &checkpoints,
				    err));
	job.checkpoints = &checkpoints;
	tool_progress_start(call, place);
	st = clpac__job_run(&job, &result, err);
	tool_progress_end(call);
	TRY(st);
	double seconds = clpac__clock_seconds() - started_s;
	note_kept(call, &job);
	print_warnings(result, call);
	TRY(clpac__job_check_cells(&job, result, err));
	TRY(tool_run_outputs_write(&files, result, &job, call, err));
	clpac__checkpoints_remove(&checkpoints);
	if (!call->values.quiet)
		print_summary(&job, result, seconds);
	*out = TOOL_DONE;
done:
	tool_phases_end();
	clpac_result_destroy(result);
	clpac__job_close(&job);
	clpac__checkpoints_close(&checkpoints);
	tool_run_outputs_clear(&files);
	return st;
}

/* Reports wrong options once, before any recording. */
static clpac_status check_options(tool_call *call, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	clpac__job job = {0};
	tool_run_outputs files = {0};
	double interval_s;
	TRY(tool_job_prepare(&job, call, err));
	TRY(clpac__checkpoints_interval(&call->values.analysis, &interval_s, err));
	TRY(tool_several_check(call, err));
	TRY(tool_run_outputs_name("", call, &files, err));
done:
	tool_run_outputs_clear(&files);
	clpac__job_close(&job);
	return st;
}

static clpac_status run(tool_call *call, clpac_error *err)
{
	return tool_several_run(call, check_options, run_recording, err);
}

const tool_command tool_command_run = {
	.name = "run",
	.usage = "INPUT... -o OUT.npz|FOLDER [OPTIONS]",
	.min_operands = 1,
	.max_operands = TOOL_ANY_NUMBER,
	.operand = "recording",
	.summary = "compute phase-amplitude coupling: the main job",
	.help = "Computes the modulation index of every pair of a phase band and an amplitude band, channel by\n"
		"channel and segment by segment, with z and p from circular-shift surrogates.\n"
		"Reads .npy, .npz, CSV, EDF, EDF+, BDF, BDF+, BrainVision (.vhdr) and bare samples.  Writes\n"
		"OUT.npz and, in the same folder, OUT.json with every parameter and warning.\n"
		"Several recordings, or folders of them, get one result each, in the folder that -o names.\n",
	.groups = groups,
	.run = run,
};
