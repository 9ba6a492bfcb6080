#include "analysis/run/run.h"

#include <math.h>
#include <string.h>
#include <clpac/cautions.h>
#include "base/clock.h"
#include "base/cancel.h"
#include "base/memory.h"

/* The part of a job that a piece computes. */
struct view {
	clpac_problem problem;
	clpac_samples samples;
	const void **channels;
	const char **names;
	size_t *starts;
};

static void close_view(struct view *view)
{
	FREE_ALL(view->channels, view->names, view->starts);
}

/* Whether the segments of a part are epochs of one series. */
static bool has_epochs(const clpac__job_part *part)
{
	return part->windows && part->are_separate;
}

/* The channels of a part that a piece needs: its own, of pairs all. */
static void channels_of(const clpac__job_part *part, const clpac__checkpoint_place *place, size_t *first, size_t *n)
{
	*first = part->pairs ? 0 : place->channel;
	*n = part->pairs ? part->n_channels : place->n_channels;
}

/* @param place of the piece in its part.  Channels whose samples are not there are NULL. */
static clpac_status open_view(const clpac__job *job, const clpac__checkpoint_place *place, struct view *out,
			      clpac_error *err)
{
	const clpac__job_part *part = &job->parts.each[place->part];
	size_t first, n;
	channels_of(part, place, &first, &n);
	RETURN_IF_ERROR(NEW_ARRAY(out->starts, place->n_segments));
	RETURN_IF_ERROR(NEW_ARRAY(out->channels, n));
	RETURN_IF_ERROR(NEW_ARRAY(out->names, n));
	for (size_t k = 0; k < place->n_segments; k++)
		out->starts[k] =
			part->windows ? 0
				      : job->segments.each[part->places[place->segment + k]].start - job->samples.first;
	for (size_t c = 0; c < n; c++) {
		const size_t at = part->channels[first + c];
		out->channels[c] = job->samples.values[at];
		out->names[c] = clpac_recording_channel(job->recording, job->channels.numbers[at])->name;
	}
	out->problem = clpac__job_part_problem(part, &job->method.problem);
	if (part->pairs) {
		out->problem.pairs += place->channel;
		out->problem.n_pairs = place->n_channels;
	} else if (n < part->n_channels) {
		out->problem.channel_numbers = part->channel_numbers + first;
		out->problem.n_channels = n;
	}
	if (place->n_segments < part->n_segments) {
		out->problem.segment_numbers = part->segment_numbers + place->segment;
		if (has_epochs(part)) {
			out->problem.windows += place->segment;
			out->problem.n_windows = place->n_segments;
		}
	}
	out->problem.n_segments = place->n_segments;
	out->samples = (clpac_samples){.type = job->samples.type,
				       .sample_stride = job->samples.stride,
				       .channels = out->channels,
				       .segment_starts = out->starts,
				       .names = out->names,
				       .mains_hz = clpac_recording_mains_hz(job->recording)};
	return CLPAC_OK;
}

double clpac__used_samples(const clpac_problem *problem)
{
	const clpac_window *epochs = problem->windows;
	if (!epochs)
		return (double)problem->n_samples;
	return (double)epochs->n_samples * (problem->separate_windows ? 1 : (double)problem->n_windows);
}

/* Seconds that a channel may take, before one has been measured: those of a core of 2020 by the cells, the surrogates
 * and the samples.  It only decides how many channels are computed before the first checkpoint. */
static double guess_seconds(const clpac_problem *problem)
{
	const double surrogates = problem->null == CLPAC_NULL_SHIFTS ? (double)problem->n_surrogates : 2000;
	return 1e-10 * clpac__used_samples(problem) * (double)problem->n_segments * (double)problem->n_phase_bands *
	       (double)problem->n_amplitude_bands * (100 + surrogates);
}

/* Seconds of computing that an interruption may lose, unless one series takes longer: it keeps the pieces that are
 * finished. */
static const double most_lost_s = 10;

/* As many of n as can be computed before the next checkpoint, and without losing much to an interruption, one at least.
 */
static size_t before_checkpoint(const clpac__checkpoints *checkpoints, double each_s, size_t n)
{
	if (!checkpoints || isinf(checkpoints->interval_s))
		return n;
	const double longest_s = fmin(checkpoints->interval_s, most_lost_s);
	if (!(each_s * (double)n > longest_s))
		return n;
	const double most = floor(longest_s / each_s);
	return most < 1 ? 1 : most < (double)n ? (size_t)most : n;
}

/* The piece that begins at `place`: some whole channels, or some of the segments that are left of one.
 * @param series_s seconds that a channel takes in one segment.
 * @param[in,out] place its numbers of channels and segments are the most that there may be. */
static void size_piece(const clpac__job *job, double series_s, clpac__checkpoint_place *place)
{
	const clpac__job_part *part = &job->parts.each[place->part];
	/* Permutations take amplitudes of other segments, and pooled epochs are one. */
	const bool is_divisible =
		job->method.problem.null != CLPAC_NULL_TRIALS && (!part->windows || part->are_separate);
	const double channel_s = series_s * (double)part->n_segments;
	if (place->segment == 0) {
		place->n_channels = before_checkpoint(job->checkpoints, channel_s, place->n_channels);
		if (place->n_channels > 1 || !is_divisible)
			return;
	}
	place->n_channels = 1;
	place->n_segments = before_checkpoint(job->checkpoints, series_s, place->n_segments);
}

/* Keeps what no checkpoint has.  One that cannot be written must not end a long run.
 * @param consequence what follows where one cannot be written, in a few words. */
static void keep_pieces(clpac__job *job, clpac__job_pieces *pieces, const char *consequence)
{
	clpac__checkpoints *to = job->checkpoints;
	for (size_t i = 0; i < job->parts.n; i++)
		for (; pieces[i].n_kept < pieces[i].n; pieces[i].n_kept++) {
			const clpac__job_piece *piece = &pieces[i].each[pieces[i].n_kept];
			const clpac_result_shape *shape = clpac_result_get_shape(piece->result);
			const clpac__checkpoint_place place = {.part = i,
							       .channel = piece->channel,
							       .n_channels = shape->n_channels,
							       .segment = piece->segment,
							       .n_segments = shape->n_segments,
							       .is_whole = shape->n_segments ==
									   job->parts.each[i].n_segments};
			clpac_error why = {0};
			if (clpac__checkpoints_keep(to, &place, piece->result, &why) == CLPAC_OK)
				continue;
			clpac__analysis_warn(job->settings, 1, "%s: %s", consequence, why.text);
			to->interval_s = INFINITY;
			clpac__analysis_has_finished(job->settings, false);
			return;
		}
	to->kept_s = clpac__clock_seconds();
	clpac__analysis_has_finished(job->settings, false);
}

static bool keeps_pieces(const clpac__checkpoints *to)
{
	return to && to->interval_s < INFINITY;
}

void clpac__job_pieces_keep(clpac__job *job, clpac__job_pieces *pieces)
{
	if (!keeps_pieces(job->checkpoints))
		return;
	clpac_cancel *cancel = clpac_cancel_use(NULL);
	keep_pieces(job, pieces, "what is finished cannot be kept");
	clpac_cancel_use(cancel);
}

bool clpac__job_keeps_pieces(const clpac__job *job)
{
	return keeps_pieces(job->checkpoints);
}

static bool is_time_to_keep(const clpac__checkpoints *to)
{
	return keeps_pieces(to) && clpac__clock_seconds() - to->kept_s >= to->interval_s;
}

/* Takes the result, also when it fails. */
static clpac_status add_piece(clpac__job_pieces *pieces, const clpac__checkpoint_place *place, clpac_result *result,
			      clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	TRY(ROOM_FOR_ONE(pieces->each, pieces->n, pieces->capacity, 8));
	pieces->each[pieces->n++] = (clpac__job_piece){result, place->channel, place->segment};
	result = NULL;
done:
	clpac_result_destroy(result);
	return st;
}

void clpac__job_pieces_clear(clpac__job_pieces *pieces)
{
	for (size_t i = 0; i < pieces->n; i++)
		clpac_result_destroy(pieces->each[i].result);
	clpac__free(pieces->each);
	*pieces = (clpac__job_pieces){0};
}

/* Makes the samples present in which a channel of the job is. */
static clpac_status take_samples(clpac__job *job, size_t channel, clpac_error *err)
{
	return clpac__job_samples_take(&job->samples, channel / job->samples.per_group, err);
}

/* Whether a piece is some of a channel's epochs, whose cautions look at all of them. */
static bool is_cut(const clpac__job_part *part, const clpac__checkpoint_place *place)
{
	return has_epochs(part) && place->n_segments < part->n_segments;
}

/* Whether cautions are made of whole parts: those of a whole run depend on its p_max, and those of pairs tell of
 * channels that many pairs share. */
static bool are_cautions_last(const clpac_problem *problem)
{
	return problem->family == CLPAC_FAMILY_RUN || problem->pairs;
}

/* Cautions of a view's result.  They need a host's memory by the sample, and nothing of what the plan left in the
 * pools. */
static clpac_status caution(clpac__job *job, clpac_result *result, const struct view *view, clpac_error *err)
{
	clpac__job_contexts_trim(job->contexts);
	return clpac_result_caution(result, &view->problem, &view->samples, err);
}

static clpac_status compute_piece(clpac__job *job, const clpac__checkpoint_place *place, clpac_result **out,
				  clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	struct view view = {0};
	clpac_result *made = NULL;
	size_t first, n;
	channels_of(&job->parts.each[place->part], place, &first, &n);
	TRY(take_samples(job, job->parts.each[place->part].channels[first], err));
	TRY(open_view(job, place, &view, err));
	TRY(clpac_problem_run(job->contexts->each, job->contexts->n, &view.problem, &job->plan_options, &view.samples,
			      &made, err));
	if (!job->settings->no_cautions && !are_cautions_last(&view.problem) &&
	    !is_cut(&job->parts.each[place->part], place))
		TRY(caution(job, made, &view, err));
	*out = made, made = NULL;
done:
	clpac_result_destroy(made);
	close_view(&view);
	return st;
}

/* Makes one piece of a channel whose epochs were computed in several, with the cautions that look at all of them. */
static clpac_status end_channel(clpac__job *job, size_t number, size_t channel, clpac__job_pieces *pieces,
				clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	const clpac__job_part *part = &job->parts.each[number];
	const clpac__checkpoint_place place = {
		.part = number, .channel = channel, .n_channels = 1, .n_segments = part->n_segments};
	struct view view = {0};
	clpac_result *made = NULL;
	size_t first = pieces->n;
	while (first && pieces->each[first - 1].channel == channel)
		first--;
	const clpac_problem problem = clpac__job_part_problem(part, &job->method.problem);
	if (pieces->n - first < 2 || job->settings->no_cautions || are_cautions_last(&problem))
		goto done;
	TRY(take_samples(job, part->channels[channel], err));
	TRY(open_view(job, &place, &view, err));
	for (size_t i = first; i < pieces->n; i++)
		pieces->each[i].channel = 0;
	TRY(clpac__job_pieces_join(pieces->each + first, pieces->n - first, &view.problem, &made, err));
	TRY(caution(job, made, &view, err));
	while (pieces->n > first)
		clpac_result_destroy(pieces->each[--pieces->n].result);
	pieces->n_kept = pieces->n_kept < first ? pieces->n_kept : first;
	st = add_piece(pieces, &place, made, err);
	made = NULL;
done:
	clpac_result_destroy(made);
	close_view(&view);
	return st;
}

clpac_status clpac__job_pieces_run(clpac__job *job, size_t number, size_t first, size_t end, bool is_last,
				   clpac__job_pieces *pieces, clpac_error *err)
{
	clpac__job_pieces *own = &pieces[number];
	const clpac__job_part *part = &job->parts.each[number];
	const clpac_problem problem = clpac__job_part_problem(part, &job->method.problem);
	const size_t n_segments = part->n_segments;
	const double before = job->progress.before, share = job->progress.part;
	const double n_all = (double)(end - first) * (double)n_segments;
	double series_s = guess_seconds(&problem) / (double)n_segments, n_done = 0;
	clpac__checkpoint_place place = {.part = number, .channel = first};
	while (place.channel < end) {
		clpac_result *made = NULL;
		place.n_channels = place.segment ? 1 : end - place.channel;
		place.n_segments = n_segments - place.segment;
		if (job->checkpoints)
			RETURN_IF_ERROR(clpac__checkpoints_find(job->checkpoints, &place, n_segments, &made, err));
		if (made) {
			const clpac_result_shape *shape = clpac_result_get_shape(made);
			place.n_channels = shape->n_channels;
			place.n_segments = shape->n_segments;
			job->n_kept_series += place.n_channels * place.n_segments;
			/* It is kept as long as those before it. */
			own->n_kept += own->n_kept == own->n;
			RETURN_IF_ERROR(add_piece(own, &place, made, err));
		} else {
			size_piece(job, series_s, &place);
			const double n_series = (double)place.n_channels * (double)place.n_segments;
			job->progress.before = before + share * n_done / n_all;
			job->progress.part = share * n_series / n_all;
			const double started_s = clpac__clock_seconds();
			RETURN_IF_ERROR(compute_piece(job, &place, &made, err));
			series_s = (clpac__clock_seconds() - started_s) / n_series;
			RETURN_IF_ERROR(add_piece(own, &place, made, err));
			if (keeps_pieces(job->checkpoints))
				clpac__analysis_has_finished(job->settings, true);
			const bool is_end = is_last && place.channel + place.n_channels == end &&
					    place.segment + place.n_segments == n_segments;
			if (!is_end && is_time_to_keep(job->checkpoints))
				keep_pieces(job, pieces, "the run goes on without checkpoints");
		}
		n_done += (double)place.n_channels * (double)place.n_segments;
		place.segment += place.n_segments;
		if (place.segment == n_segments) {
			if (has_epochs(part))
				RETURN_IF_ERROR(end_channel(job, number, place.channel, own, err));
			place.segment = 0;
			place.channel += place.n_channels;
		}
	}
	return CLPAC_OK;
}

/* Cautions of a whole part, whose samples come group by group.  One view is made for all groups: each has a part of the
 * channels, and there may be a group for each channel. */
static clpac_status caution_all(clpac__job *job, size_t number, clpac_result *result, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	const clpac__job_part *part = &job->parts.each[number];
	size_t n_rows;
	clpac__job_part_rows(part, &n_rows);
	const clpac__checkpoint_place whole = {.part = number, .n_channels = n_rows, .n_segments = part->n_segments};
	struct view view = {0};
	TRY(open_view(job, &whole, &view, err));
	memset(view.channels, 0, part->n_channels * sizeof *view.channels);
	for (size_t first = 0, end; first < part->n_channels; first = end) {
		end = clpac__job_end_in_group(job, part, part->channels[first] / job->samples.per_group, first);
		TRY(take_samples(job, part->channels[first], err));
		for (size_t c = first; c < end; c++)
			view.channels[c] = job->samples.values[part->channels[c]];
		TRY(caution(job, result, &view, err));
		memset(view.channels + first, 0, (end - first) * sizeof *view.channels);
	}
done:
	close_view(&view);
	return st;
}

clpac_status clpac__job_pieces_end(clpac__job *job, size_t number, clpac__job_pieces *pieces, clpac_result **out,
				   clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	clpac_result *made = NULL;
	const clpac_problem problem = clpac__job_part_problem(&job->parts.each[number], &job->method.problem);
	if (pieces->n > 1) {
		TRY(clpac__job_pieces_join(pieces->each, pieces->n, &problem, &made, err));
	} else {
		made = pieces->each[0].result;
		pieces->each[0].result = NULL;
	}
	if (!job->settings->no_cautions && are_cautions_last(&problem))
		TRY(caution_all(job, number, made, err));
	*out = made, made = NULL;
done:
	clpac_result_destroy(made);
	clpac__job_pieces_clear(pieces);
	return st;
}
