/* A job, from its options to its open devices. */
#include "analysis/run/job.h"
#include "analysis/options/words.h"

#include <stdio.h>
#include "analysis/inputs.h"
#include "analysis/room.h"
#include "base/memory.h"

/* Numbers of channels and segments are given where they are not 0, 1, ..., the default, so that the problem's text
 * stays short. */
clpac_problem clpac__job_problem(const clpac__job *job, size_t n_samples)
{
	clpac_problem problem = job->method.problem;
	if (job->epochs.are_wanted) {
		problem = clpac__epoch_parts_problem(&job->parts, &job->channels, &job->segments, &problem);
		problem.pairs = job->pairs.each;
		problem.n_pairs = job->pairs.n;
		return problem;
	}
	problem.n_channels = job->channels.n;
	problem.n_samples = n_samples;
	problem.n_segments = clpac__job_segments_of(&job->segments, n_samples, NULL, &problem.segment_numbers);
	problem.channel_numbers = NULL;
	for (size_t c = 0; c < job->channels.n; c++)
		if (job->channels.numbers[c] != c)
			problem.channel_numbers = job->channels.numbers;
	problem.pairs = job->pairs.each;
	problem.n_pairs = job->pairs.n;
	problem.size = sizeof problem;
	return problem;
}

size_t clpac__job_rows(const clpac__job *job)
{
	return job->pairs.each ? job->pairs.n : job->channels.n;
}

clpac_status clpac__job_name_row(const clpac__job *job, clpac_result *result, size_t row, size_t at, clpac_error *err)
{
	const clpac_pair pair = job->pairs.each ? job->pairs.each[row] : (clpac_pair){row, row};
	const size_t *numbers = job->channels.numbers;
	const char *phase = clpac_recording_channel(job->recording, numbers[pair.phase])->name;
	const char *amplitude = clpac_recording_channel(job->recording, numbers[pair.amplitude])->name;
	return job->pairs.each ? clpac_result_set_pair(result, at, phase, amplitude, err)
			       : clpac_result_set_channel_name(result, at, amplitude, err);
}

size_t clpac__job_end_in_group(const clpac__job *job, const clpac__job_part *part, size_t group, size_t first)
{
	size_t from, behind, end = first;
	clpac__job_samples_group(&job->samples, group, &from, &behind);
	while (end < part->n_channels && part->channels[end] < behind)
		end++;
	return end;
}

static clpac_status check_length(const clpac__job *job, size_t n_samples, clpac_error *err)
{
	clpac_problem problem = clpac__job_problem(job, n_samples);
	clpac_problem_copy *complete = NULL;
	clpac_status st = clpac_problem_complete(&problem, &complete, err);
	if (st != CLPAC_OK)
		clpac__name_options(err);
	clpac_problem_destroy(complete);
	return st;
}

static bool is_length_chosen(const clpac__analysis_settings *settings)
{
	static const char *const names[] = {"start", "stop", "segment", "edge", "shifts", "min-shift"};
	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		if (clpac__analysis_is_given(settings, names[i]))
			return true;
	return settings->problem != NULL;
}

/* Leaves out segments that are too short to compute, which the ragged ends between two gaps often are.  The longest
 * must be computable.  An option that fails at every length is a wrong option (CLPAC_ERROR_ARGUMENT).  One that fails
 * only at the length that the file happens to have is the file's fault (CLPAC_ERROR_FORMAT), unless that length was
 * chosen. */
static clpac_status check_lengths(clpac__job *job, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	const size_t *lengths = job->segments.lengths;
	/* In samples: longer than every filter of a plausible band. */
	const size_t ample = (size_t)1 << 30;
	clpac_error ignored;
	st = check_length(job, lengths[0], err);
	if (st == CLPAC_ERROR_ARGUMENT && !is_length_chosen(job->settings) &&
	    check_length(job, ample, &ignored) == CLPAC_OK)
		RETURN_ERROR(CLPAC_ERROR_FORMAT, "%.200s: %.800s", job->settings->input, err ? err->text : "");
	RETURN_IF_ERROR(st);
	size_t n_usable = job->segments.n_lengths, n_before = job->segments.n;
	clpac_error why = {0};
	while (n_usable > 1 && check_length(job, lengths[n_usable - 1], &why) != CLPAC_OK)
		n_usable--;
	size_t n_dropped = clpac__job_segments_drop(&job->segments, lengths[n_usable - 1]);
	if (n_dropped)
		clpac__analysis_warn(job->settings, 1, "%zu of %zu stretches are too short and are left out: %s",
				     n_dropped, n_before, why.text);
	return st;
}

/* Warns of a --problem of another rate: its bands, in Hz, stay the same, but its shifts and edges are in samples. */
static void compare_rates(const clpac__job *job)
{
	if (!job->method.base)
		return;
	double recorded_hz = clpac_problem_get(job->method.base)->rate_hz, rate_hz = job->channels.rate_hz;
	if (recorded_hz > 0 && recorded_hz != rate_hz)
		clpac__analysis_warn(
			job->settings, 1,
			"--problem was recorded at %g Hz, %s has %g Hz: its shifts and edges are taken in samples",
			recorded_hz, job->settings->input, rate_hz);
}

clpac_status clpac__job_prepare(clpac__job *job, const clpac__analysis_settings *settings, clpac_error *err)
{
	job->settings = settings;
	bool is_rejected;
	clpac__hold hold;
	RETURN_IF_ERROR(clpac__hold_read(settings, &hold, err));
	RETURN_IF_ERROR(clpac__annotation_is_rejected(settings, "", &is_rejected, err));
	job->plan_options.strategy = (clpac_strategy)settings->strategy;
	job->plan_options.keep_flat = true; /* left out before, or wanted */
	RETURN_IF_ERROR(clpac__shard_read(settings, &job->shard.number, &job->shard.n, err));
	RETURN_IF_ERROR(clpac__job_epochs_read(&job->epochs, settings, err));
	RETURN_IF_ERROR(clpac__method_read(&job->method, settings, err));
	RETURN_IF_ERROR(clpac__pairs_check(settings, &job->method.problem, err));
	if (job->epochs.are_sliding && job->method.problem.null == CLPAC_NULL_TRIALS)
		RETURN_ERROR(
			CLPAC_ERROR_ARGUMENT,
			"--null trials and --sliding: windows that follow each other are no trials; give another null");
	return clpac__room_check_result(&job->method.problem, 1, 1, err);
}

/* Pooled epochs meet in n! ways: 720 of 6. */
enum { ENOUGH_EPOCHS = 6 };

/* Permutes pooled epochs where nobody chose a null and each channel has enough of each condition: shifts take what is
 * locked to the events for coupling.  Of an epoch alone they do not: the wave and the burst of one response meet at
 * some phase. */
static void fit_null(clpac__job *job)
{
	const clpac__analysis_settings *v = job->settings;
	clpac_problem *p = &job->method.problem;
	size_t fewest = SIZE_MAX;
	char text[320];
	if (!job->epochs.are_pooled || job->epochs.are_sliding || v->null || v->problem || v->shifts ||
	    clpac__analysis_is_given(v, "min-shift") || job->pairs.each || !p->n_surrogates)
		return;
	for (size_t i = 0; i < job->parts.n; i++)
		fewest = job->parts.each[i].n_windows < fewest ? job->parts.each[i].n_windows : fewest;
	const bool are_permuted = fewest >= ENOUGH_EPOCHS && !job->epochs.are_spans;
	if (are_permuted)
		clpac__method_permute(p);
	if (are_permuted)
		snprintf(
			text, sizeof text,
			"the null is trials: %zu epochs or more of each condition are permuted, so that what is locked "
			"to their events is no coupling; --null shift shifts them instead",
			fewest);
	else if (job->epochs.are_spans)
		snprintf(text, sizeof text,
			 "the null is shift, by which what is locked to events is coupling: spans of several lengths "
			 "cannot be permuted");
	else
		snprintf(text, sizeof text,
			 "the null is shift, by which what is locked to events is coupling: trials needs %d epochs of "
			 "each condition, and there are %zu",
			 ENOUGH_EPOCHS, fewest);
	clpac__analysis_note(v, text);
}

/* Epochs take the place of the segments, which are the stretches that filters see. */
static clpac_status cut_epochs(clpac__job *job, clpac_error *err)
{
	clpac__job_segments epochs = {0};
	clpac_problem problem = job->method.problem;
	problem.n_channels = job->channels.n;
	problem.pairs = job->pairs.each;
	problem.n_pairs = job->pairs.n;
	RETURN_IF_ERROR(clpac__epoch_parts_find(&job->epochs,
						&(clpac__epoch_source){.recording = job->recording,
								       .channels = &job->channels,
								       .missing = &job->missing,
								       .pieces = &job->segments,
								       .problem = &problem,
								       .settings = job->settings},
						&epochs, &job->parts, err));
	fit_null(job);
	clpac__job_segments_clear(&job->segments);
	job->segments = epochs;
	return CLPAC_OK;
}

/* The samples of each channel that the job takes: from the first segment up to the last, filters see no others.  Epochs
 * are cut from what was filtered as a whole. */
static clpac_window part_taken(const clpac__job *job)
{
	const clpac__job_segments *segments = &job->segments;
	size_t first = SIZE_MAX, end = 0;
	if (job->epochs.are_wanted)
		return (clpac_window){0, job->channels.n_samples};
	for (size_t s = 0; s < segments->n; s++) {
		const size_t start = segments->each[s].start, behind = start + segments->each[s].n_samples;
		first = start < first ? start : first;
		end = behind > end ? behind : end;
	}
	return (clpac_window){first, end - first};
}

static clpac_status open_samples(clpac__job *job, const clpac__hold *hold, clpac_error *err)
{
	const clpac_window part = part_taken(job);
	clpac__flat_lengths flat;
	RETURN_IF_ERROR(clpac__flat_lengths_find(&job->method.problem, &flat, err));
	RETURN_IF_ERROR(clpac__job_samples_open(job->recording, &job->channels, &part, flat.least ? &flat : NULL, hold,
						&job->samples, err));
	job->missing = (clpac__missing){job->samples.gaps, job->settings->keep_flat ? NULL : job->samples.flats};
	clpac__job_warn_of_clipping(job);
	return CLPAC_OK;
}

/* Keeps the surrogates of one of several recordings, with which a group of one sample is compared, where all of them
 * take no more than this: those of 419 channels with maps of 100 cells and 200 surrogates.  Shards of a recording keep
 * what the whole of it does. */
static const double most_surrogates = 32.0 * (1 << 20); /* bytes */

static void fit_surrogates(clpac__job *job)
{
	const clpac__analysis_settings *v = job->settings;
	clpac_problem *p = &job->method.problem;
	if (v->is_one_of_several && !v->drop_surrogates && p->n_surrogates && p->null != CLPAC_NULL_ALL_SHIFTS &&
	    clpac__room_of_surrogates(p, clpac__job_rows(job), (double)job->segments.n) <= most_surrogates)
		p->keep_surrogates = true;
}

clpac_status clpac__job_open(clpac__job *job, clpac_error *err)
{
	const clpac__analysis_settings *settings = job->settings;
	clpac__hold hold;
	if (!job->is_lent) {
		clpac__analysis_phase(settings, "reading %s", settings->input);
		RETURN_IF_ERROR(clpac__input_read(settings, &job->recording, err));
	}
	clpac__input_warn(settings, job->recording);
	RETURN_IF_ERROR(clpac__pairs_choose(job->recording, settings, &job->channels, &job->pairs, err));
	compare_rates(job);
	RETURN_IF_ERROR(clpac__job_segments_choose(job->recording, &job->channels, settings, &job->segments, err));
	if (job->epochs.are_wanted)
		RETURN_IF_ERROR(clpac__job_epochs_find(&job->epochs, job->recording, &job->channels, &job->segments,
						       settings, err));
	RETURN_IF_ERROR(clpac__method_set_rate(&job->method, settings, job->channels.rate_hz, err));
	RETURN_IF_ERROR(clpac__hold_read(settings, &hold, err));
	if (job->pairs.each)
		hold = (clpac__hold){UINT64_MAX, UINT64_MAX};
	RETURN_IF_ERROR(open_samples(job, &hold, err));
	if (job->epochs.are_wanted) {
		RETURN_IF_ERROR(cut_epochs(job, err));
	} else {
		RETURN_IF_ERROR(check_lengths(job, err));
		const clpac_problem problem = clpac__job_problem(job, job->segments.lengths[0]);
		RETURN_IF_ERROR(clpac__job_parts_find(job->recording, &job->channels, &job->segments, &job->missing,
						      &problem, settings, &job->parts, err));
	}
	if (!job->epochs.are_trials) {
		fit_surrogates(job);
		RETURN_IF_ERROR(clpac__room_check_result(&job->method.problem, clpac__job_rows(job),
							 (double)job->segments.n, err));
	}
	if (!job->contexts)
		job->contexts = &job->own_contexts;
	if (!job->contexts->n) {
		clpac__analysis_phase(settings, "opening the device; drivers may take a while");
		RETURN_IF_ERROR(clpac__job_contexts_open(&job->options, settings, job->contexts, err));
	}
	return CLPAC_OK;
}

bool clpac__job_tell_progress(void *user, size_t done, size_t total)
{
	const clpac__job *job = user;
	const clpac_analysis_sink *sink = job->settings->sink;
	const clpac__job_progress *turn = &job->progress;
	const double share = turn->before + (total ? turn->part * ((double)done / (double)total) : 0);
	return !sink || !sink->progress ||
	       sink->progress(sink->user, &(clpac_analysis_progress){.share = share < 1 ? share : 1,
								     .n_series = turn->n_series,
								     .done = done,
								     .total = total});
}

clpac_status clpac__job_keep_checkpoints(clpac__job *job, const char *npz, clpac_error *err)
{
	RETURN_IF_ERROR(clpac__checkpoints_open(job->settings, npz, job->options.device, job->options.fft,
						&job->own_checkpoints, err));
	job->checkpoints = &job->own_checkpoints;
	return CLPAC_OK;
}

void clpac__job_close(clpac__job *job)
{
	clpac__checkpoints_close(&job->own_checkpoints);
	clpac__job_contexts_close(&job->own_contexts);
	clpac__method_clear(&job->method);
	FREE_ALL(job->shard.parts, job->shard.problem, job->sentence);
	clpac__job_parts_clear(&job->parts);
	clpac__job_epochs_clear(&job->epochs);
	clpac__job_segments_clear(&job->segments);
	clpac__job_samples_close(&job->samples);
	clpac__pairs_clear(&job->pairs);
	clpac__channels_clear(&job->channels);
	if (!job->is_lent)
		clpac_recording_destroy(job->recording);
	*job = (clpac__job){0};
}
