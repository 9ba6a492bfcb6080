#include "coupling/run/separate_windows.h"

#include "base/memory.h"
#include "coupling/passes/load.h"

/* The mean of each stretch of each channel: (channel, stretch). */
static clpac_status find_means(const clpac_problem *p, const clpac_samples *samples, double **out, clpac_error *err)
{
	const size_t n = clpac__problem_n_stretches(p),
		     first = samples->segment_starts ? samples->segment_starts[0] : 0;
	double *means = clpac__alloc_array(p->n_channels, n * sizeof *means);
	if (!means)
		RETURN_NO_MEMORY(p->n_channels * n * sizeof *means);
	for (size_t i = 0; i < p->n_channels * n; i++) {
		clpac_window at = clpac__problem_stretch(p, i % n);
		at.start += first;
		means[i] = clpac__mean_of(samples->channels[i / n], samples->type, at,
					  samples->sample_stride ? samples->sample_stride : 1);
	}
	*out = means;
	return CLPAC_OK;
}

/* Runs the windows of one group. */
static clpac_status run_group(clpac__frames_run *job, const clpac_problem *whole, const clpac__frames *frames,
			      size_t group, const clpac_samples *samples, const double *of_stretches,
			      clpac_result **out, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	const struct clpac__frame_group *of = &frames->groups[group];
	const clpac__framed *own = frames->each + of->first;
	const size_t first = samples->segment_starts ? samples->segment_starts[0] : 0;
	clpac_problem_copy *problem = NULL;
	clpac_samples at = *samples;
	size_t *starts = clpac__alloc_array(of->n, sizeof *starts);
	double *means = clpac__alloc_array(whole->n_channels, of->n * sizeof *means);
	if (!starts || !means)
		FAIL_NO_MEMORY(of->n * (sizeof *starts + whole->n_channels * sizeof *means));
	for (size_t i = 0; i < of->n; i++)
		starts[i] = first + own[i].frame.start;
	for (size_t i = 0; i < whole->n_channels * of->n; i++)
		means[i] = of_stretches[i / of->n * clpac__problem_n_stretches(whole) + own[i % of->n].stretch];
	at.segment_starts = starts;
	TRY(clpac__frames_problem(whole, frames, group, &problem, err));
	job->n = of->n;
	TRY(job->run(job->user, clpac_problem_get(problem), &at, means, out, err));
done:
	clpac_problem_destroy(problem);
	FREE_ALL(starts, means);
	return st;
}

/* Warnings that follow from the problem alone are the same for all groups, and are said once. */
static void say_once(clpac_report *report, const clpac_report *of_first)
{
	static const clpac_warning_kind kinds[] = {CLPAC_WARN_NARROW_AMPLITUDE, CLPAC_WARN_OVERLAP,
						   CLPAC_WARN_MIN_SHIFT, CLPAC_WARN_SHORT_SERIES};
	for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
		report->warnings[kinds[i]] = of_first->warnings[kinds[i]];
}

static clpac_status join(const clpac_problem *whole, const clpac__frames *frames, clpac_result *const *results,
			 clpac_result **out, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	clpac_result *made = NULL;
	char *text = NULL;
	size_t *places = clpac__alloc_array(whole->n_windows, sizeof *places), n = 0;
	if (!places)
		FAIL_NO_MEMORY(whole->n_windows * sizeof *places);
	for (size_t group = 0; group < frames->n_groups; group++)
		for (size_t i = 0; i < frames->groups[group].n; i++)
			places[n++] = frames->each[frames->groups[group].first + i].window;
	TRY(clpac_result_stack(results, frames->n_groups, places, &made, err));
	say_once(clpac_result_report(made), clpac_result_report(results[0]));
	TRY(clpac_problem_write(whole, &text, err));
	TRY(clpac_result_set_problem(made, text, err));
	if (whole->family == CLPAC_FAMILY_RUN)
		TRY(clpac_result_correct(made, whole, err));
	*out = made, made = NULL;
done:
	clpac_text_free(text);
	clpac__free(places);
	clpac_result_destroy(made);
	return st;
}

clpac_status clpac__run_separate(clpac__frames_run *job, const clpac_problem *whole, const clpac_samples *samples,
				 clpac_result **out, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	clpac__frames frames = {0};
	clpac_result **results = NULL;
	double *means = NULL;
	TRY(clpac__frames_find(whole, &frames, err));
	TRY(NEW_ARRAY(results, frames.n_groups));
	TRY(find_means(whole, samples, &means, err));
	job->before = 0;
	job->all = whole->n_windows;
	for (size_t group = 0; group < frames.n_groups; group++) {
		TRY(run_group(job, whole, &frames, group, samples, means, &results[group], err));
		job->before += job->n;
	}
	TRY(join(whole, &frames, results, out, err));
done:
	for (size_t group = 0; results && group < frames.n_groups; group++)
		clpac_result_destroy(results[group]);
	FREE_ALL(results, means);
	clpac__frames_clear(&frames);
	return st;
}
