#include "analysis/describe/forecast.h"

#include <math.h>
#include <stdio.h>
#include "analysis/json_tree.h"
#include "base/number.h"
#include "base/text.h"

/* The run that plans predict, and where it is told: in text, or in JSON with `plans` not NULL. */
struct forecast {
	double seconds;
	size_t n_devices;
	clpac__text *to;
	clpac__json_tree *json;
	json_t *plans;
};

/* Writes "52 ms", "12 s", "5 min 3 s" or "2 h 5 min", to two digits below a minute. */
static void write_time(double seconds, char text[40])
{
	const double minutes = floor(seconds / 60 + 0.5);
	if (seconds < 0.00995)
		snprintf(text, 40, "%.2g ms", seconds * 1000);
	else if (seconds < 0.995)
		snprintf(text, 40, "%.0f ms", seconds < 0.0995 ? seconds * 1000 : floor(seconds * 100 + 0.5) * 10);
	else if (seconds < 59.5)
		snprintf(text, 40, "%.2g s", seconds);
	else if (seconds < 3600)
		snprintf(text, 40, "%.0f min %.0f s", floor(seconds / 60), floor(fmod(seconds, 60)));
	else
		snprintf(text, 40, "%.0f h %.0f min", floor(minutes / 60), fmod(minutes, 60));
}

static json_t *plan_json(clpac__json_tree *json, const clpac_plan *plan, double seconds)
{
	const clpac_report *report = clpac_plan_report(plan);
	json_t *one = json_object();
	clpac__json_tree_text(json, one, "device", report->device);
	clpac__json_tree_text(json, one, "platform", report->platform);
	clpac__json_tree_text(json, one, "backend", report->backend);
	clpac__json_tree_text(json, one, "fft_engine", report->fft_engine);
	clpac__json_tree_text(json, one, "strategy", report->strategy);
	clpac__json_tree_number(json, one, "n_series", (double)report->n_series);
	clpac__json_tree_number(json, one, "batch_series", (double)report->batch_series);
	clpac__json_tree_number(json, one, "chunk_surrogates", (double)report->chunk_surrogates);
	clpac__json_tree_number(json, one, "fft_length", (double)report->fft_length);
	clpac__json_tree_number(json, one, "kept_samples", (double)report->kept_samples);
	clpac__json_tree_number(json, one, "estimate_bytes", (double)report->estimate_bytes);
	clpac__json_tree_number(json, one, "budget_bytes", (double)report->budget_bytes);
	clpac__json_tree_number(json, one, "seconds_alone", seconds);
	return one;
}

/* Explains the plans of a problem, one on each device, and adds the time that they take together. */
static clpac_status explain_plans(clpac__job *job, const clpac_problem *problem, struct forecast *forecast,
				  clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	clpac__text *to = forecast->to;
	clpac__job_plans plans = {0};
	char *text = NULL, time[40];
	double rate = 0; /* runs per second, all devices together */
	TRY(clpac__job_plans_create(job->contexts, problem, &job->plan_options, &plans, err));
	for (size_t i = 0; i < plans.n; i++) {
		double seconds;
		TRY(clpac_plan_explain(plans.each[i], &text, err));
		TRY(clpac_plan_rehearse(plans.each[i], &seconds, err));
		write_time(seconds, time);
		if (forecast->plans) {
			clpac__json_tree_append(forecast->json, forecast->plans,
						plan_json(forecast->json, plans.each[i], seconds));
		} else {
			clpac__text_add(to, "%s", text);
			if (plans.n > 1)
				clpac__text_add(to, "alone      about %s\n\n", time);
		}
		clpac_text_free(text);
		text = NULL;
		rate += 1 / seconds;
	}
	forecast->seconds += 1 / rate;
	forecast->n_devices = plans.n;
done:
	clpac_text_free(text);
	clpac__job_plans_destroy(&plans);
	return st;
}

/* Explains the plans of each phase band, which run one after the other. */
static clpac_status explain_tied(clpac__job *job, const clpac_problem *problem, struct forecast *forecast,
				 clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	clpac__text *to = forecast->to;
	clpac_problem_copy *part = NULL;
	for (size_t ph = 0; ph < problem->n_phase_bands; ph++) {
		TRY(clpac_problem_part(problem, ph, &part, err));
		if (!part)
			continue;
		if (!forecast->plans)
			clpac__text_add(to, "phase band %g-%g Hz, with its amplitude bands\n",
					problem->phase_bands[ph].lo_hz, problem->phase_bands[ph].hi_hz);
		TRY(explain_plans(job, clpac_problem_get(part), forecast, err));
		if (!forecast->plans)
			clpac__text_add(to, "\n");
		clpac_problem_destroy(part);
		part = NULL;
	}
done:
	clpac_problem_destroy(part);
	return st;
}

static clpac_status explain_whole(clpac__job *job, const clpac_problem *problem, struct forecast *forecast,
				  clpac_error *err)
{
	return problem->tied_amplitudes ? explain_tied(job, problem, forecast, err)
					: explain_plans(job, problem, forecast, err);
}

/* Explains the plans of most epochs.  Those near an end of the recording, or of a rejected stretch, have plans of their
 * own, which differ little. */
static clpac_status explain_epochs(clpac__job *job, const clpac_problem *problem, struct forecast *forecast,
				   clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	clpac__text *to = forecast->to;
	clpac_problem_copy *part = NULL;
	const double before_s = forecast->seconds;
	TRY(clpac_problem_of_windows(problem, 0, &part, err));
	const clpac_problem *most = clpac_problem_get(part);
	if (!forecast->plans)
		clpac__text_add(
			to, "%zu of %zu epochs of %g s; filters see %g s before and behind each, the others an end\n",
			most->n_segments, problem->n_windows, (double)most->windows[0].n_samples / most->rate_hz,
			(double)most->windows[0].start / most->rate_hz);
	TRY(explain_whole(job, most, forecast, err));
	forecast->seconds =
		before_s + (forecast->seconds - before_s) * (double)problem->n_windows / (double)most->n_segments;
done:
	clpac_problem_destroy(part);
	return st;
}

/* @param json NULL: text. */
static clpac_status explain_part(clpac__job *job, const clpac__job_part *part, clpac__text *to, clpac__json_tree *json,
				 json_t *parts, double *seconds, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	const clpac_problem problem = clpac__job_part_problem(part, &job->method.problem);
	struct forecast forecast = {.to = to, .json = json, .plans = json ? json_array() : NULL};
	clpac_problem_copy *complete = NULL;
	char *text = NULL, time[40];
	if (!json && job->parts.n > 1 && part->windows)
		clpac__text_add(to, "%zu epochs of %zu channel%s\n", part->n_windows, problem.n_channels,
				problem.n_channels == 1 ? "" : "s");
	else if (!json && job->parts.n > 1)
		clpac__text_add(to, "segments of %g s: %zu, of %zu channel%s, %g s used in %zu stretch%s\n",
				(double)part->n_samples / job->channels.rate_hz, problem.n_segments, problem.n_channels,
				problem.n_channels == 1 ? "" : "s", (double)part->n_used / job->channels.rate_hz,
				part->stretches ? part->n_stretches : 1,
				part->stretches && part->n_stretches > 1 ? "es" : "");
	TRY((problem.separate_windows ? explain_epochs : explain_whole)(job, &problem, &forecast, err));
	*seconds += forecast.seconds;
	write_time(forecast.seconds, time);
	if (json) {
		TRY(clpac_problem_complete(&problem, &complete, err));
		TRY(clpac_problem_write(clpac_problem_get(complete), &text, err));
		json_t *one = json_object();
		clpac__json_tree_number(json, one, "n_samples", (double)part->n_samples);
		clpac__json_tree_number(json, one, "n_segments", (double)problem.n_segments);
		clpac__json_tree_number(json, one, "n_channels", (double)problem.n_channels);
		clpac__json_tree_number(json, one, "n_used_samples", (double)part->n_used);
		clpac__json_tree_number(json, one, "n_stretches", (double)(part->stretches ? part->n_stretches : 1));
		clpac__json_tree_text(json, one, "problem", text);
		clpac__json_tree_set(json, one, "plans", forecast.plans);
		forecast.plans = NULL;
		clpac__json_tree_number(json, one, "seconds", forecast.seconds);
		clpac__json_tree_append(json, parts, one);
	} else {
		clpac__text_add(to, "time       about %s, from one batch of noise%s%s\n", time,
				problem.tied_amplitudes ? " for each phase band" : "",
				forecast.n_devices > 1 ? " on each device, if they do not slow each other down" : "");
	}
done:
	json_decref(forecast.plans);
	clpac_text_free(text);
	clpac_problem_destroy(complete);
	return st;
}

/* The bytes of the recording that a run reads, those that the plan has read among them.  Cautions of a whole run look
 * at the samples once more, part after part. */
static clpac_status count_bytes(const clpac__job *job, uint64_t *bytes, clpac_error *err)
{
	const bool reads_again = job->method.problem.family == CLPAC_FAMILY_RUN && job->samples.n_groups > 1;
	uint64_t each_time;
	RETURN_IF_ERROR(clpac__job_samples_bytes(&job->samples, &each_time, err));
	*bytes = clpac_recording_bytes_read(job->recording) + each_time * (1 + (reads_again ? job->parts.n : 0));
	return CLPAC_OK;
}

static clpac_status explain_reading(const clpac__job *job, clpac__text *to, clpac_error *err)
{
	const clpac__job_samples *samples = &job->samples;
	char text[32];
	uint64_t bytes;
	RETURN_IF_ERROR(count_bytes(job, &bytes, err));
	clpac__text_add(to, "reading    %zu channel%s", job->channels.n, job->channels.n == 1 ? "" : "s");
	if (samples->n_groups > 1)
		clpac__text_add(to, " in %zu groups of %zu at most", samples->n_groups, samples->per_group);
	clpac__text_add(to, ", %s of the recording\n\n", clpac__bytes_text(bytes, text));
	return CLPAC_OK;
}

static clpac_status explain_as_json(clpac__job *job, char **out, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	clpac__json_tree json = {.root = json_object()};
	json_t *channels = json_array(), *lengths = json_array(), *reading = json_object();
	double seconds = 0;
	uint64_t bytes;
	TRY(count_bytes(job, &bytes, err));
	clpac__json_tree_number(&json, reading, "bytes_read", (double)bytes);
	clpac__json_tree_number(&json, reading, "n_groups", (double)job->samples.n_groups);
	clpac__json_tree_number(&json, reading, "group_channels", (double)job->samples.per_group);
	for (size_t i = 0; i < job->parts.n; i++)
		TRY(explain_part(job, &job->parts.each[i], NULL, &json, lengths, &seconds, err));
	for (size_t c = 0; c < job->channels.n; c++)
		clpac__json_tree_append(&json, channels, json_integer((json_int_t)job->channels.numbers[c]));
	clpac__json_tree_text(&json, json.root, "input", job->settings->input);
	clpac__json_tree_number(&json, json.root, "rate_hz", job->channels.rate_hz);
	clpac__json_tree_set(&json, json.root, "channels", channels);
	clpac__json_tree_set(&json, json.root, "reading", reading);
	clpac__json_tree_set(&json, json.root, "lengths", lengths);
	clpac__json_tree_number(&json, json.root, "seconds", seconds);
	channels = lengths = reading = NULL;
	st = clpac__json_tree_text_of(&json, out, err);
done:
	json_decref(channels);
	json_decref(lengths);
	json_decref(reading);
	json_decref(json.root);
	return st;
}

static clpac_status explain_as_text(clpac__job *job, char **out, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	clpac__text text = {0}, *to = &text;
	double seconds = 0;
	char used[CLPAC__USED_SIZE], epochs[CLPAC__EPOCHS_SIZE];
	clpac__job_parts_sentence(&job->parts, &job->channels, &job->segments, used);
	if (*used)
		clpac__text_add(to, "%s\n\n", used);
	clpac__job_epochs_sentence(&job->epochs, epochs);
	if (*epochs)
		clpac__text_add(to, "%s\n\n", epochs);
	TRY(explain_reading(job, to, err));
	for (size_t i = 0; i < job->parts.n; i++) {
		if (i)
			clpac__text_add(to, "\n");
		TRY(explain_part(job, &job->parts.each[i], to, NULL, NULL, &seconds, err));
	}
	TRY(clpac__text_give(to, "the explanation of a run", out, err));
done:
	clpac__text_clear(to);
	return st;
}

clpac_status clpac__job_forecast(clpac__job *job, bool as_json, char **text, clpac_error *err)
{
	return as_json ? explain_as_json(job, text, err) : explain_as_text(job, text, err);
}
