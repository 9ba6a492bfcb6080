/* clpac run: the main job, from recordings to results on disk. */
#include <stdio.h>
#include "analysis/run/job.h"
#include "analysis/run/run.h"
#include "analysis/sentences/sentences.h"
#include "tool/commands.h"
#include "tool/progress.h"
#include "tool/several.h"

static const clpac__option_group *const groups[] = {
	CLPAC__OPTIONS_OF_RUNS, &tool_group_shard, &tool_group_output, &tool_group_config, &tool_group_common, NULL,
};

static clpac_status compute(tool_call *call, clpac__job *job, const char *npz, const char *place, clpac_result **out,
			    clpac_error *err)
{
	RETURN_IF_ERROR(clpac__job_open(job, err));
	clpac__job_warn_of_losses(job);
	RETURN_IF_ERROR(clpac__job_take_shard(job, err));
	if (job->shard.n && !job->shard.n_rows) {
		char note[120];
		snprintf(note, sizeof note, "shard %zu of %zu has none of the %zu channels, and writes nothing",
			 job->shard.number, job->shard.n, job->shard.n_all);
		clpac__analysis_note(job->settings, note);
		return CLPAC_OK;
	}
	RETURN_IF_ERROR(clpac__job_keep_checkpoints(job, npz, err));
	tool_progress_start(call, place);
	const clpac_status st = clpac__job_run(job, out, err);
	tool_progress_end(call);
	if (st == CLPAC_OK)
		clpac__job_note_kept(job);
	return st;
}

const tool_computation tool_computation_run = {.compute = compute, .sentence = clpac__run_sentence};

static clpac_status run(tool_call *call, clpac_error *err)
{
	return tool_several_run(call, &tool_computation_run, err);
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
		"Reads .npy, .npz, CSV, EDF, EDF+, BDF, BDF+, BrainVision (.vhdr), EEGLAB (.set), .mat and bare\n"
		"samples.  Writes OUT.npz and, in the same folder, OUT.json with every parameter and warning.\n"
		"Several recordings, or folders of them, get one result each, in the folder that -o names.\n",
	.examples = {"recording.edf -o out.npz --csv --plot png",
		     "recording.edf -o theta.npz --phase 4:8:5 --amplitude 30:90:13 --surrogates 500",
		     "recording.edf -o epochs.npz --events go,stop --window 0:1 --seed 7"},
	.groups = groups,
	.run = run,
};
