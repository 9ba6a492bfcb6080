#include "analysis/samples/flats.h"

#include <math.h>
#include "base/memory.h"

clpac_status clpac__flat_lengths_find(const clpac_problem *method, clpac__flat_lengths *out, clpac_error *err)
{
	const size_t ample = (size_t)1 << 30; /* samples: longer than every filter of a plausible band */
	clpac_problem problem = *method;
	clpac_problem_copy *complete = NULL;
	double lowest_hz = INFINITY, highest_hz = 0;
	problem.size = sizeof problem;
	problem.n_samples = ample;
	problem.n_channels = problem.n_segments = 1;
	problem.channel_numbers = problem.segment_numbers = NULL;
	problem.null = CLPAC_NULL_SHIFTS;
	problem.n_surrogates = problem.min_shift = 0;
	problem.shifts = NULL;
	problem.pairs = NULL;
	problem.n_pairs = 0;
	problem.cluster_alpha = 0;
	*out = (clpac__flat_lengths){0, 0};
	clpac_error refused = {0};
	const clpac_status st = clpac_problem_complete(&problem, &complete, &refused);
	if (st == CLPAC_ERROR_NO_MEMORY)
		RETURN_ERROR(st, "%s", refused.text);
	if (st != CLPAC_OK)
		return CLPAC_OK;
	const clpac_problem *p = clpac_problem_get(complete);
	for (size_t b = 0; b < p->n_phase_bands; b++) {
		lowest_hz = fmin(lowest_hz, p->phase_bands[b].lo_hz);
		highest_hz = fmax(highest_hz, p->phase_bands[b].hi_hz);
	}
	if (lowest_hz > 0 && highest_hz > 0)
		*out = clpac__flat_lengths_of(p->rate_hz, lowest_hz, highest_hz);
	clpac_problem_destroy(complete);
	return CLPAC_OK;
}

/* --- Samples that are there ---------------------------------------------------------------------- */

static clpac_status look_at_channel(const clpac_channel *channel, const clpac_window *part, clpac__flat_search *search,
				    clpac_error *err)
{
	const size_t at = part->start * channel->stride;
	const bool are_double = channel->type == CLPAC_FLOAT64;
	return clpac__flat_look(search,
				are_double ? (const void *)((const double *)channel->samples + at)
					   : (const void *)((const float *)channel->samples + at),
				are_double, channel->stride, part->n_samples, err);
}

/* Looks at a channel that has its samples, or has to be loaded as a whole. */
static clpac_status look_at_whole(clpac_recording *recording, size_t number, const clpac_window *part,
				  clpac__flat_search *search, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	const bool is_there = clpac_recording_channel(recording, number)->samples != NULL;
	if (!is_there)
		RETURN_IF_ERROR(clpac_recording_load(recording, &number, 1, err));
	if (clpac_recording_channel(recording, number)->samples)
		st = look_at_channel(clpac_recording_channel(recording, number), part, search, err);
	if (!is_there)
		clpac_recording_unload(recording, &number, 1);
	return st;
}

/* --- Samples in a file --------------------------------------------------------------------------- */

/* Of all channels together, at once; and samples of each at the least, so that records that are read twice are few. */
enum { AT_ONCE_BYTES = 4 << 20, LEAST_AT_ONCE = 4096 };

/* Channels that are read side by side, each with its room and its search. */
struct sides {
	size_t *channels, n;
	void **rooms;
	clpac__flat_search **searches;
	size_t at_once; /* samples of each */
};

static void free_sides(struct sides *s)
{
	for (size_t i = 0; s->rooms && i < s->n; i++)
		clpac__free(s->rooms[i]);
	FREE_ALL(s->channels, s->rooms, s->searches);
}

static clpac_status make_rooms(const clpac_recording *recording, const clpac_window *part, struct sides *s,
			       clpac_error *err)
{
	const size_t most = s->n ? AT_ONCE_BYTES / sizeof(double) / s->n : 0;
	s->at_once = clpac__smaller(part->n_samples, clpac__larger(most, LEAST_AT_ONCE));
	for (size_t i = 0; i < s->n; i++) {
		const bool is_double = clpac_recording_channel(recording, s->channels[i])->type == CLPAC_FLOAT64;
		s->rooms[i] = clpac__alloc_array(s->at_once, is_double ? sizeof(double) : sizeof(float));
		if (!s->rooms[i])
			RETURN_NO_MEMORY(s->at_once * sizeof(double));
	}
	return CLPAC_OK;
}

static clpac_status look_side_by_side(clpac_recording *recording, const clpac_window *part, struct sides *s,
				      clpac_error *err)
{
	RETURN_IF_ERROR(make_rooms(recording, part, s, err));
	for (size_t done = 0, n = 0; s->n && done < part->n_samples; done += n) {
		n = clpac__smaller(s->at_once, part->n_samples - done);
		RETURN_IF_ERROR(
			clpac_recording_read_part(recording, s->channels, s->n, part->start + done, n, s->rooms, err));
		for (size_t i = 0; i < s->n; i++) {
			const clpac_channel *channel = clpac_recording_channel(recording, s->channels[i]);
			RETURN_IF_ERROR(clpac__flat_look(s->searches[i], s->rooms[i], channel->type == CLPAC_FLOAT64, 1,
							 n, err));
		}
	}
	return CLPAC_OK;
}

/* Whether a part of the channel can be read of its file as it is. */
static clpac_status find_whether_parts(clpac_recording *recording, size_t number, bool *out, clpac_error *err)
{
	uint64_t bytes;
	clpac_error refused = {0};
	const clpac_status st = clpac_recording_part_bytes(recording, &number, 1, 0, 0, &bytes, &refused);
	*out = st == CLPAC_OK;
	return st == CLPAC_OK || st == CLPAC_ERROR_UNSUPPORTED ? CLPAC_OK : clpac__fail(err, st, "%s", refused.text);
}

clpac_status clpac__flats_look(clpac_recording *recording, const size_t *channels, size_t n, const clpac_window *part,
			       clpac__flat_search *searches, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	struct sides sides = {clpac__alloc_array(n, sizeof *sides.channels), 0,
			      clpac__alloc_array(n, sizeof *sides.rooms), clpac__alloc_array(n, sizeof *sides.searches),
			      0};
	if (!sides.channels || !sides.rooms || !sides.searches)
		FAIL_NO_MEMORY(n * (sizeof *sides.channels + sizeof *sides.rooms + sizeof *sides.searches));
	for (size_t i = 0; i < n; i++) {
		bool has_parts;
		TRY(find_whether_parts(recording, channels[i], &has_parts, err));
		if (has_parts) {
			sides.searches[sides.n] = &searches[i];
			sides.channels[sides.n++] = channels[i];
		} else {
			TRY(look_at_whole(recording, channels[i], part, &searches[i], err));
		}
	}
	TRY(look_side_by_side(recording, part, &sides, err));
done:
	free_sides(&sides);
	return st;
}
