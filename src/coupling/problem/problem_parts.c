/* The problems, each computed at once, that a problem with tied amplitudes or separate windows is made of. */
#include "coupling/problem/frames.h"

#include "base/memory.h"

clpac_status clpac__problem_part(const clpac_problem *whole, size_t phase, clpac_problem_copy **out, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	clpac_problem part = *whole;
	clpac_problem_copy *made = NULL;
	size_t n = 0;
	clpac_band *bands;
	TRY(NEW_ARRAY(bands, whole->n_amplitude_bands));
	for (size_t am = 0; am < whole->n_amplitude_bands; am++)
		n += clpac__problem_cell_band(whole, phase, am, &bands[n]);
	part.phase_bands = &whole->phase_bands[phase];
	part.n_phase_bands = 1;
	if (part.phase_taps.taps)
		part.phase_taps.taps += phase * part.phase_taps.n_taps;
	part.amplitude_bands = bands;
	part.n_amplitude_bands = n;
	part.tied_amplitudes = false;
	if (n)
		TRY(clpac_problem_complete(&part, &made, err));
	*out = made;
done:
	clpac__free(bands);
	return st;
}

clpac_status clpac_problem_part(const clpac_problem *problem, size_t phase, clpac_problem_copy **out, clpac_error *err)
{
	NEED(problem, out);
	clpac_status st = CLPAC_OK;
	clpac_problem_copy *whole = NULL;
	TRY(clpac_problem_complete(problem, &whole, err));
	if (phase >= whole->problem.n_phase_bands)
		FAIL(CLPAC_ERROR_ARGUMENT, "clpac_problem_part: phase is %zu: the problem has %zu phase bands, from 0",
		     phase, whole->problem.n_phase_bands);
	TRY(clpac__problem_part(&whole->problem, phase, out, err));
done:
	clpac_problem_destroy(whole);
	return st;
}

clpac_status clpac__frames_problem(const clpac_problem *whole, const clpac__frames *frames, size_t group,
				   clpac_problem_copy **out, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	const struct clpac__frame_group *of = &frames->groups[group];
	const clpac__framed *first = &frames->each[of->first];
	size_t *numbers;
	TRY(NEW_ARRAY(numbers, of->n));
	for (size_t i = 0; i < of->n; i++)
		numbers[i] = whole->segment_numbers ? whole->segment_numbers[first[i].window] : first[i].window;
	clpac_problem part = *whole;
	part.separate_windows = false;
	part.stretches = NULL;
	part.n_stretches = 0;
	part.n_samples = first->frame.n_samples;
	part.edge_samples = 0;
	part.windows = &first->used;
	part.n_windows = 1;
	part.n_segments = of->n;
	part.segment_numbers = numbers;
	TRY(clpac_problem_complete(&part, out, err));
done:
	clpac__free(numbers);
	return st;
}

clpac_status clpac_problem_of_windows(const clpac_problem *problem, size_t number, clpac_problem_copy **out,
				      clpac_error *err)
{
	NEED(problem, out);
	clpac_status st = CLPAC_OK;
	clpac_problem_copy *whole = NULL, *made = NULL;
	clpac__frames frames = {0};
	TRY(clpac_problem_complete(problem, &whole, err));
	if (!clpac_problem_get(whole)->separate_windows)
		FAIL(CLPAC_ERROR_ARGUMENT, "clpac_problem_of_windows: the problem has no separate_windows");
	TRY(clpac__frames_find(clpac_problem_get(whole), &frames, err));
	if (number < frames.n_groups)
		TRY(clpac__frames_problem(clpac_problem_get(whole), &frames, number, &made, err));
	*out = made;
done:
	clpac__frames_clear(&frames);
	clpac_problem_destroy(whole);
	return st;
}
