/* clpac memory: measures the device memory that a run takes, or replays the trace of one. */
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include <clpac/estimate.h>
#include <clpac/write.h>
#include <clpac/memory/trace.h>
#include <clpac/memory/pool.h>
#include "analysis/run/run.h"
#include "base/number.h"
#include "tool/commands.h"
#include "tool/console.h"
#include "tool/interrupt.h"
#include "tool/json_output.h"
#include "tool/output_files.h"
#include "tool/progress.h"

/* clang-format off */
static const clpac__option memory_options[] = {
	{ "trace", 0, CLPAC__OPTION_TEXT, "FILE.csv", NULL, offsetof(tool_values, trace), NULL,
	  "write every allocation and release, in order" },
	{ "replay", 0, CLPAC__OPTION_TEXT, "FILE.csv", NULL, offsetof(tool_values, replay), NULL,
	  "repeat the allocations and releases of such a file; takes no recording" },
	{ "force", 'f', CLPAC__OPTION_FLAG, NULL, NULL, offsetof(tool_values, force), NULL,
	  "replace a file that exists" },
	{ "quiet", 'q', CLPAC__OPTION_FLAG, NULL, NULL, offsetof(tool_values, quiet), NULL,
	  "no progress, no warnings" },
};
/* clang-format on */
static const clpac__option_group memory_group = {
	.title = "The output", .options = memory_options, .n_options = sizeof memory_options / sizeof *memory_options};

static const clpac__option_group *const groups[] = {
	CLPAC__OPTIONS_OF_RUNS, &memory_group, &tool_group_json, &tool_group_config, &tool_group_common, NULL,
};

/* Everything that is printed.  A part that does not apply is zero. */
typedef struct findings {
	char device[128];
	clpac_pool_statistics statistics;
	clpac_plan_bytes estimate;
	const clpac_report *run; /* NULL: a replay */
	clpac_replay_report replay;
	clpac_advice advice;
} findings;

/* --- As text ---------------------------------------------------------------------------------- */

static clpac_status print_statistics(const findings *found, clpac_error *err)
{
	char *text;
	RETURN_IF_ERROR(clpac_pool_statistics_text(&found->statistics, &text, err));
	tool_print(stdout, "The pool of %s\n", found->device);
	tool_print_lines(stdout, text);
	clpac_text_free(text);
	return CLPAC_OK;
}

static void print_run(const clpac_report *run, const clpac_plan_bytes *estimate)
{
	char requested[32], taken[32];
	tool_print(stdout, "\nThe plan: %s on %s, %zu series at a time\n%-24s%12s%14s\n", run->strategy, run->device,
		   run->batch_series, "part", "asked for", "size classes");
	for (int use = 0; use < CLPAC_USE_COUNT; use++)
		if (estimate->uses[use].n_buffers)
			tool_print(stdout, "%-24s%12s%14s\n", clpac_plan_use_text((clpac_plan_use)use),
				   clpac__bytes_text(estimate->uses[use].requested_bytes, requested),
				   clpac__bytes_text(estimate->uses[use].taken_bytes, taken));
	tool_print(stdout, "%-24s%12s%14s (%llu B)\n", "together",
		   clpac__bytes_text(estimate->total.requested_bytes, requested),
		   clpac__bytes_text(estimate->total.taken_bytes, taken),
		   (unsigned long long)estimate->total.taken_bytes);
	for (size_t i = 0; i < run->n_steps && i < CLPAC_MAX_STEPS; i++)
		tool_print(stdout, "gave up %s on %s: %s\n", run->steps[i].strategy, run->steps[i].backend,
			   run->steps[i].reason);
	if (run->channel_bytes)
		tool_print(stdout,
			   "channels of pairs: %zu phases and %zu amplitudes filtered, %s kept; moved to the host %llu "
			   "times, brought back %llu times\n",
			   run->n_phase_filterings, run->n_amplitude_filterings,
			   clpac__bytes_text(run->channel_bytes, requested), (unsigned long long)run->n_channel_moves,
			   (unsigned long long)run->n_channel_returns);
	if (run->n_cpu_fallbacks)
		tool_print(stdout, "%zu batches ran on the native CPU, whose memory is not in these numbers\n",
			   run->n_cpu_fallbacks);
}

static void print_replay(const clpac_replay_report *replay)
{
	const struct {
		const char *words;
		uint64_t count;
	} rows[] = {
		{"allocated", replay->n_allocated},
		{"released", replay->n_released},
		{"refused", replay->n_refused},
		{"left by the trace", replay->n_left},
		{"older than the trace", replay->n_unknown},
	};
	char peak[32];
	tool_print(stdout, "\nThe replay\n");
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
		tool_print(stdout, "%-24s%llu\n", rows[i].words, (unsigned long long)rows[i].count);
	tool_print(stdout, "%-24s%s\n%-24s%.3g s\n", "most at once", clpac__bytes_text(replay->peak_bytes, peak),
		   "time", replay->seconds);
}

static clpac_status print_text(const findings *found, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	char *text = NULL;
	TRY(print_statistics(found, err));
	if (found->run)
		print_run(found->run, &found->estimate);
	else
		print_replay(&found->replay);
	TRY(clpac_advice_text(&found->advice, &text, err));
	tool_print(stdout, "\nAdvice\n");
	tool_print_lines(stdout, text);
done:
	clpac_text_free(text);
	return st;
}

/* --- As JSON ---------------------------------------------------------------------------------- */

static json_t *bytes_json(clpac__json_tree *json, const clpac_bytes *bytes)
{
	json_t *o = json_object();
	clpac__json_tree_number(json, o, "n_buffers", (double)bytes->n_buffers);
	clpac__json_tree_number(json, o, "requested_bytes", (double)bytes->requested_bytes);
	clpac__json_tree_number(json, o, "taken_bytes", (double)bytes->taken_bytes);
	return o;
}

static json_t *plan_json(clpac__json_tree *json, const clpac_report *run, const clpac_plan_bytes *estimate)
{
	json_t *o = json_object(), *parts = json_object(), *steps = json_array();
	clpac__json_tree_text(json, o, "strategy", run->strategy);
	clpac__json_tree_text(json, o, "device", run->device);
	clpac__json_tree_number(json, o, "batch_series", (double)run->batch_series);
	clpac__json_tree_number(json, o, "n_cpu_fallbacks", (double)run->n_cpu_fallbacks);
	for (int use = 0; use < CLPAC_USE_COUNT; use++)
		clpac__json_tree_set(json, parts, clpac_plan_use_text((clpac_plan_use)use),
				     bytes_json(json, &estimate->uses[use]));
	clpac__json_tree_set(json, parts, "together", bytes_json(json, &estimate->total));
	clpac__json_tree_set(json, o, "estimate", parts);
	for (size_t i = 0; i < run->n_steps && i < CLPAC_MAX_STEPS; i++) {
		json_t *step = json_object();
		clpac__json_tree_text(json, step, "strategy", run->steps[i].strategy);
		clpac__json_tree_text(json, step, "backend", run->steps[i].backend);
		clpac__json_tree_text(json, step, "reason", run->steps[i].reason);
		clpac__json_tree_append(json, steps, step);
	}
	clpac__json_tree_set(json, o, "steps", steps);
	clpac__json_tree_number(json, o, "n_phase_filterings", (double)run->n_phase_filterings);
	clpac__json_tree_number(json, o, "n_amplitude_filterings", (double)run->n_amplitude_filterings);
	clpac__json_tree_number(json, o, "channel_bytes", (double)run->channel_bytes);
	clpac__json_tree_number(json, o, "n_channel_moves", (double)run->n_channel_moves);
	clpac__json_tree_number(json, o, "n_channel_returns", (double)run->n_channel_returns);
	return o;
}

static json_t *replay_json(clpac__json_tree *json, const clpac_replay_report *replay)
{
	json_t *o = json_object();
	clpac__json_tree_number(json, o, "n_allocated", (double)replay->n_allocated);
	clpac__json_tree_number(json, o, "n_released", (double)replay->n_released);
	clpac__json_tree_number(json, o, "n_refused", (double)replay->n_refused);
	clpac__json_tree_number(json, o, "n_left", (double)replay->n_left);
	clpac__json_tree_number(json, o, "n_unknown", (double)replay->n_unknown);
	clpac__json_tree_number(json, o, "peak_bytes", (double)replay->peak_bytes);
	clpac__json_tree_number(json, o, "seconds", replay->seconds);
	return o;
}

static json_t *advice_json(clpac__json_tree *json, const clpac_advice *advice)
{
	json_t *o = json_object(), *sizes = json_array();
	clpac__json_tree_number(json, o, "n_allocated", (double)advice->n_allocated);
	clpac__json_tree_number(json, o, "hit_rate", advice->hit_rate);
	for (size_t i = 0; i < advice->n; i++) {
		json_t *size = json_object();
		clpac__json_tree_number(json, size, "bytes", (double)advice->bytes[i]);
		clpac__json_tree_number(json, size, "count", (double)advice->counts[i]);
		clpac__json_tree_append(json, sizes, size);
	}
	clpac__json_tree_set(json, o, "warm_up", sizes);
	clpac__json_tree_number(json, o, "warm_up_bytes", (double)advice->warm_up_bytes);
	clpac__json_tree_number(json, o, "max_kept_per_class", advice->max_kept_per_class);
	clpac__json_tree_number(json, o, "max_segment_bytes", (double)advice->max_segment_bytes);
	clpac__json_tree_number(json, o, "budget_bytes", (double)advice->budget_bytes);
	return o;
}

static clpac_status print_json(const findings *found, clpac_error *err)
{
	char *text;
	RETURN_IF_ERROR(clpac_pool_statistics_json(&found->statistics, &text, err));
	clpac__json_tree json = {.root = json_object()};
	clpac__json_tree_text(&json, json.root, "device", found->device);
	clpac__json_tree_set(&json, json.root, "statistics", json_loads(text, 0, NULL));
	clpac_text_free(text);
	if (found->run)
		clpac__json_tree_set(&json, json.root, "plan", plan_json(&json, found->run, &found->estimate));
	else
		clpac__json_tree_set(&json, json.root, "replay", replay_json(&json, &found->replay));
	clpac__json_tree_set(&json, json.root, "advice", advice_json(&json, &found->advice));
	return tool_json_print(&json, err);
}

/* --- A run, or a replay ------------------------------------------------------------------------- */

static clpac_status say_findings(const findings *found, const tool_call *call, clpac_error *err)
{
	return call->values.json ? print_json(found, err) : print_text(found, err);
}

static clpac_status advise(findings *found, const char *trace_path, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	clpac_trace trace = {0};
	if (!trace_path) {
		clpac_advice_from_statistics(&found->statistics, &found->advice);
		goto done;
	}
	TRY(clpac_trace_read(trace_path, &trace, err));
	TRY(clpac_advice_from_trace(&trace, 0, &found->advice, err));
done:
	clpac_trace_free(&trace);
	return st;
}

/* What a replay takes at most where --memory does not say more: a trace of some lines must not take a machine's
 * memory, since the native device makes every page resident. */
static const uint64_t most_unasked = (uint64_t)1 << 30;

/* Memory that takes no room. */
static void *pretend_to_allocate(void *user, size_t bytes)
{
	(void)bytes;
	return user;
}

static void pretend_to_release(void *user, void *memory)
{
	(void)user, (void)memory;
}

/* Refuses a trace that takes more than it may, before anything is allocated. */
static clpac_status check_room(const clpac_trace *trace, const char *path, clpac_error *err)
{
	char room = 0, wanted[32], allowed[32];
	const clpac_replay_target target = {
		.allocate = pretend_to_allocate, .release = pretend_to_release, .user = &room};
	clpac_replay_report report;
	RETURN_IF_ERROR(clpac_trace_replay(trace, &target, &report, err));
	if (report.peak_bytes > most_unasked)
		RETURN_ERROR(CLPAC_ERROR_NO_MEMORY,
			     "%s: its buffers take %s at once, and a replay %s at most where nobody says more: give "
			     "--memory",
			     path, clpac__bytes_text(report.peak_bytes, wanted),
			     clpac__bytes_text(most_unasked, allowed));
	return CLPAC_OK;
}

static clpac_status replay(tool_call *call, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	findings found = {0};
	clpac_trace trace = {0};
	clpac_options options = {0};
	clpac_context *context = NULL;
	TRY(tool_settings(call, &options, err));
	TRY(clpac_trace_read(call->values.replay, &trace, err));
	if (!*options.memory)
		TRY(check_room(&trace, call->values.replay, err));
	TRY(clpac_context_open(NULL, &options, &context, err));
	TRY(clpac_trace_replay_on_pool(&trace, clpac_context_pool(context), &found.replay, err));
	clpac_pool_measure(clpac_context_pool(context), &found.statistics, sizeof found.statistics);
	snprintf(found.device, sizeof found.device, "%s", clpac_context_device(context)->name);
	TRY(clpac_advice_from_trace(&trace, 0, &found.advice, err));
	TRY(say_findings(&found, call, err));
done:
	clpac_advice_free(&found.advice);
	clpac_context_close(context);
	clpac_trace_free(&trace);
	return st;
}

/* The library knows the trace by its temporary name. */
static clpac_status name_trace(clpac_status st, const tool_call *call, clpac_error *err)
{
	return st ? clpac__fail_context(err, st, "writing %s", call->values.trace) : st;
}

/* Refuses a pipe that nobody reads, which would be waited for. */
static clpac_status check_reader(const char *path, tool_call *call, clpac_error *err)
{
	const int file = open(path, O_WRONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
	call->direction = TOOL_OUTPUT;
	if (file < 0)
		RETURN_SYSTEM_ERROR("writing %s%s", path, errno == ENXIO ? ", which nobody reads" : "");
	close(file);
	call->direction = TOOL_INPUT;
	return CLPAC_OK;
}

static clpac_status measure(tool_call *call, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	findings found = {0};
	clpac__job job = {0};
	clpac_result *result = NULL;
	clpac_output_set *set = NULL;
	const char *trace = call->values.trace; /* where it is written */

	TRY(tool_interrupt_watch(call->command->name, err));
	TRY(tool_job_prepare(&job, call, err));
	if (trace)
		TRY(tool_output_check(trace, ".csv", call->values.analysis.input, call->values.force, call, err));
	const bool is_file = trace && !tool_output_is_device(trace);
	if (trace && !is_file)
		TRY(check_reader(trace, call, err));
	TRY(clpac__job_open(&job, err));
	if (job.contexts->n > 1)
		FAIL(CLPAC_ERROR_ARGUMENT, "--device %s: memory is measured on one device; give one",
		     job.options.device);
	const clpac_problem problem = clpac__job_part_problem(&job.parts.each[0], &job.method.problem);
	TRY(clpac_estimate_plan(job.contexts->each[0], &problem, &job.plan_options, &found.estimate,
				sizeof found.estimate, err));
	clpac_pool *pool = clpac_context_pool(job.contexts->each[0]);
	clpac_pool_clear(pool);
	clpac_pool_reset_peaks(pool);
	call->direction = TOOL_OUTPUT;
	if (trace) {
		TRY(clpac_output_set_open(&set, err));
		if (is_file)
			TRY(clpac_output_set_create(set, trace, call->values.force, &trace, err));
		TRY(name_trace(clpac_trace_begin(pool, trace, err), call, err));
	}
	call->direction = TOOL_INPUT;
	tool_progress_start(call, NULL);
	st = clpac__job_run(&job, &result, err);
	tool_progress_end(call);
	TRY(st);
	clpac_pool_measure(pool, &found.statistics, sizeof found.statistics);
	call->direction = TOOL_OUTPUT;
	if (trace)
		TRY(name_trace(clpac_trace_end(pool, err), call, err));
	found.run = clpac_result_report(result);
	snprintf(found.device, sizeof found.device, "%s", clpac_context_device(job.contexts->each[0])->name);
	TRY(name_trace(advise(&found, is_file ? trace : NULL, err), call, err));
	if (is_file)
		TRY(tool_interrupt_commit(set, err));
	TRY(say_findings(&found, call, err));
done:
	clpac_advice_free(&found.advice);
	clpac_result_destroy(result);
	clpac__job_close(&job);
	/* The pool has ended the trace by now. */
	clpac_output_set_close(set);
	return st;
}

/* Whether an option has no meaning without a recording. */
static bool is_of_a_run(const clpac__option *option)
{
	static const clpac__option_group *const of_a_run[] = {CLPAC__OPTIONS_OF_NUMBERS};
	for (size_t i = 0; i < sizeof of_a_run / sizeof *of_a_run; i++)
		if (option >= of_a_run[i]->options && option < of_a_run[i]->options + of_a_run[i]->n_options)
			return true;
	return strcmp(option->name, "strategy") == 0;
}

/* --- The command -------------------------------------------------------------------------------- */

/* Refuses what a replay has no use for. */
static clpac_status check_replay(const tool_call *call, clpac_error *err)
{
	if (call->n_operands)
		RETURN_ERROR(CLPAC_ERROR_ARGUMENT, "--replay takes no recording: leave out %s, or --replay",
			     call->values.analysis.input);
	if (call->values.trace)
		RETURN_ERROR(CLPAC_ERROR_ARGUMENT, "--replay and --trace: give one of them");
	for (size_t i = 0; i < call->n_given; i++)
		if (call->given[i].origin == TOOL_FROM_COMMAND_LINE && is_of_a_run(call->given[i].option))
			RETURN_ERROR(CLPAC_ERROR_ARGUMENT, "--replay takes no recording, and so no --%s; leave it out",
				     call->given[i].option->name);
	return CLPAC_OK;
}

static clpac_status run(tool_call *call, clpac_error *err)
{
	if (call->values.replay) {
		RETURN_IF_ERROR(check_replay(call, err));
		return replay(call, err);
	}
	if (!call->n_operands)
		RETURN_ERROR(CLPAC_ERROR_ARGUMENT, "which recording?  clpac memory INPUT, or --replay FILE.csv");
	return measure(call, err);
}

const tool_command tool_command_memory = {
	.name = "memory",
	.usage = "INPUT|--replay FILE.csv [OPTIONS]",
	.min_operands = 0,
	.max_operands = 1,
	.operand = "recording",
	.summary = "show how much device memory a run takes",
	.help = "Computes as `clpac run` would with the same options, but writes no result.  Prints the\n"
		"statistics of the device's memory pool, the plan's estimate part by part, and the settings that\n"
		"would serve such a job best.\n"
		"--trace also writes every allocation and release into a CSV file.  --replay repeats those of\n"
		"such a file, on any device and without a recording; only the options of device, memory, FFT,\n"
		"probe and output then apply.\n"
		"What a pool held when it refused a request is told and drawn by clpac-snapshot, from the file\n"
		"that the pool writes where CLPAC_POOL has snapshot.path=FILE.json.\n",
	.examples = {"recording.edf", "recording.edf --surrogates 1000 --memory 500M",
		     "recording.edf --trace trace.csv"},
	.groups = groups,
	.run = run,
};
