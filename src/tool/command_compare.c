/* clpac compare: two conditions of one recording, or of a result of its epochs. */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <clpac/compare.h>
#include "base/memory.h"
#include "tool/arguments.h"
#include "tool/commands.h"
#include "tool/console.h"
#include "tool/interrupt.h"
#include "analysis/run/losses.h"
#include "analysis/run/run.h"
#include "analysis/json_tree.h"
#include "tool/option_groups.h"
#include "tool/phase.h"
#include "tool/progress.h"
#include "analysis/run/provenance.h"
#include "tool/run_outputs.h"
#include "tool/settings.h"

#define VALUE(member) offsetof(tool_values, member)

/* clang-format off */
static const tool_option compare_options[] = {
	{ "conditions", 0, TOOL_TEXT, "A,B", "the only two", VALUE(conditions), NULL,
	  "the conditions to compare: A less B" },
	{ "value", 0, TOOL_CHOICE, "index|z", "index", VALUE(value), NULL,
	  "compare the epochs' indices, or their z" },
	{ "channel", 0, TOOL_TEXT, "LIST", "all", VALUE(channel), NULL,
	  "channels of a result to compare, by name or number, as Cz,Pz" },
	{ "side", 0, TOOL_CHOICE, "both|greater|less", "both", VALUE(side), NULL,
	  "look for differences of either sign, or one" },
	{ "permutations", 0, TOOL_COUNT, "N", "10000", VALUE(permutations), NULL,
	  "permutations of labels, the given order among them; all, where there are no more" },
};
/* clang-format on */
#define GROUP(title_, rows)                                                                                            \
	{                                                                                                              \
		.title = title_, .options = rows, .n_options = sizeof rows / sizeof *rows                              \
	}
static const tool_group compare_group = GROUP("The comparison", compare_options);
static const tool_group *const groups[] = {&compare_group,
					   &tool_group_read,
					   &tool_group_take,
					   &tool_group_reject,
					   &tool_group_epochs,
					   &tool_group_method,
					   &tool_group_comparison_output,
					   &tool_group_compute,
					   &tool_group_config,
					   &tool_group_common,
					   NULL};

enum { Z = 1 };			       /* of --value */
static const double patience_s = 1;    /* a phase that ends sooner is not said */
static const double ample_cycles = 10; /* of the lowest phase band in an epoch */
static const uint64_t default_seed = 42;

/* A call of compare: its epochs, conditions and channels. */
typedef struct comparison {
	clpac__job job; /* of a recording */
	clpac_result *epochs, *made;
	const clpac_result *compared; /* the measure */
	char *names;		      /* owned; texts of the conditions and channels */
	char *channel_names;
	const char *conditions[2];
	const char **channels;
	size_t n_channels;
	unsigned family;
	tool_run_outputs files;
} comparison;

static bool is_of_recording(const tool_call *call)
{
	return call->values.analysis.events != NULL;
}

/* --- Options ------------------------------------------------------------------------------------ */

/* Options that a result has answered already. */
static clpac_status check_options_of_result(const tool_call *call, clpac_error *err)
{
	static const tool_group *const of_recording[] = {&tool_group_read, &tool_group_take, &tool_group_reject,
							 &tool_group_method, &tool_group_compute};
	static const char *const of_both[] = {"measure", "seed", "clusters", "family"};
	for (size_t i = 0; i < call->n_given; i++) {
		const char *name = call->given[i].option->name;
		const tool_group *group = NULL;
		bool is_refused = false;
		if (call->given[i].origin < TOOL_FROM_FILE)
			continue;
		tool_option_find(call->command, name, &group);
		for (size_t k = 0; k < sizeof of_recording / sizeof *of_recording; k++)
			is_refused |= group == of_recording[k];
		for (size_t k = 0; k < sizeof of_both / sizeof *of_both; k++)
			is_refused = is_refused && strcmp(name, of_both[k]) != 0;
		if (is_refused || strcmp(name, "window") == 0)
			RETURN_ERROR(CLPAC_ERROR_ARGUMENT,
				     "--%s is about a recording: give a recording and --events, or leave it out", name);
	}
	return CLPAC_OK;
}

static clpac_status check(const tool_call *call, clpac_error *err)
{
	const tool_values *v = &call->values;
	if (!is_of_recording(call))
		RETURN_IF_ERROR(check_options_of_result(call, err));
	if (is_of_recording(call) && v->channel)
		RETURN_ERROR(CLPAC_ERROR_ARGUMENT,
			     "--channel is about a result: --channels chooses those of a recording");
	if (v->analysis.pool && v->value == Z)
		RETURN_ERROR(CLPAC_ERROR_ARGUMENT, "--pool and --value z: a pooled index has no z; give one of them");
	if (tool_is_given(call, "permutations") && v->permutations < 2)
		RETURN_ERROR(CLPAC_ERROR_ARGUMENT, "--permutations %llu: give 2 or more",
			     (unsigned long long)v->permutations);
	if (tool_is_given(call, "clusters") && !(v->analysis.cluster_share > 0 && v->analysis.cluster_share <= 0.25))
		RETURN_ERROR(CLPAC_ERROR_ARGUMENT, "--clusters %g: give a share above 0 and at most 0.25",
			     v->analysis.cluster_share);
	if (!v->output)
		RETURN_ERROR(CLPAC_ERROR_ARGUMENT, "where to?  give -o OUT.npz");
	return CLPAC_OK;
}

static clpac_status read_names(const tool_call *call, comparison *c, clpac_error *err)
{
	const tool_values *v = &call->values;
	size_t n = 1;
	if (v->conditions) {
		RETURN_IF_ERROR(NEW_COPY(c->names, v->conditions));
		char *comma = strchr(c->names, ',');
		if (!comma || comma == c->names || !comma[1] || strchr(comma + 1, ','))
			RETURN_ERROR(CLPAC_ERROR_ARGUMENT, "--conditions %.200s: give two, as planning,rest",
				     v->conditions);
		*comma = 0;
		c->conditions[0] = c->names;
		c->conditions[1] = comma + 1;
	}
	for (const char *at = v->channel; at && *at; at++)
		n += *at == ',';
	if (!v->channel)
		return CLPAC_OK;
	RETURN_IF_ERROR(NEW_COPY(c->channel_names, v->channel));
	RETURN_IF_ERROR(NEW_ARRAY(c->channels, n));
	for (char *name = c->channel_names, *next; name; name = next) {
		next = strchr(name, ',');
		if (next)
			*next++ = 0;
		c->channels[c->n_channels++] = name;
	}
	return CLPAC_OK;
}

/* --- Epochs ------------------------------------------------------------------------------------- */

static void note_short_epochs(const tool_call *call, const comparison *c)
{
	char text[200];
	const clpac_problem *p = &c->job.method.problem;
	double lowest_hz = INFINITY;
	for (size_t i = 0; i < p->n_phase_bands; i++)
		lowest_hz = fmin(lowest_hz, (p->phase_bands[i].lo_hz + p->phase_bands[i].hi_hz) / 2);
	const double cycles = (double)c->job.epochs.n_samples / p->rate_hz * lowest_hz;
	if (call->values.analysis.pool || !(cycles < ample_cycles))
		return;
	snprintf(text, sizeof text,
		 "epochs hold %.2g cycles of the lowest phase band, and an index of so few is mostly bias: --pool "
		 "compares "
		 "indices of all epochs of a condition together",
		 cycles);
	tool_note(call, text);
}

/* Surrogates are of no use but for z.  --clusters and --family are those of the comparison. */
static clpac_status prepare_job(tool_call *call, comparison *c, clpac_error *err)
{
	call->values.analysis.family = 0;
	RETURN_IF_ERROR(tool_job_prepare(&c->job, call, err));
	clpac_problem *p = &c->job.method.problem;
	c->job.epochs.are_pooled = false;
	p->keep_distributions = call->values.analysis.pool;
	p->cluster_alpha = 0;
	p->gamma_tail = false;
	if (call->values.value == Z)
		return CLPAC_OK;
	p->n_surrogates = 0;
	p->null = CLPAC_NULL_SHIFTS;
	p->shifts = NULL;
	p->keep_surrogates = false;
	return CLPAC_OK;
}

static clpac_status fail_to_choose(size_t n_conditions, const char *first, clpac_error *err)
{
	return clpac__fail(err, CLPAC_ERROR_ARGUMENT,
			   "there %s %zu condition%s (\"%.100s\"%s): name two with --conditions A,B",
			   n_conditions == 1 ? "is" : "are", n_conditions, n_conditions == 1 ? "" : "s", first,
			   n_conditions > 1 ? ", ..." : "");
}

static clpac_status fail_to_find(const clpac__job_epochs *epochs, const char *name, clpac_error *err)
{
	char list[400] = "";
	for (size_t i = 0; i < epochs->n_conditions && strlen(list) + 120 < sizeof list; i++)
		snprintf(list + strlen(list), sizeof list - strlen(list), "%s\"%.100s\"", i ? ", " : "",
			 epochs->conditions[i]);
	return clpac__fail(err, CLPAC_ERROR_ARGUMENT, "--conditions: there is no condition \"%.100s\"; there are %s",
			   name, list);
}

/* Refuses, before anything is computed, conditions that cannot be compared. */
static clpac_status check_conditions(const comparison *c, clpac_error *err)
{
	const clpac__job_epochs *epochs = &c->job.epochs;
	size_t n[2] = {0};
	const char *names[2];
	for (size_t i = 0; i < 2; i++) {
		names[i] = c->conditions[i] ? c->conditions[i] : i < epochs->n_conditions ? epochs->conditions[i] : "";
		size_t at = 0;
		while (at < epochs->n_conditions && strcmp(epochs->conditions[at], names[i]) != 0)
			at++;
		for (size_t e = 0; e < epochs->n; e++)
			n[i] += epochs->each[e].condition == at && epochs->each[e].fate == CLPAC__EPOCH_USED;
		if (at == epochs->n_conditions && c->conditions[0])
			RETURN_IF_ERROR(fail_to_find(epochs, names[i], err));
	}
	if (!c->conditions[0] && epochs->n_conditions != 2)
		RETURN_IF_ERROR(fail_to_choose(epochs->n_conditions, epochs->conditions[0], err));
	if (strcmp(names[0], names[1]) == 0)
		RETURN_ERROR(CLPAC_ERROR_ARGUMENT, "--conditions: both are \"%.100s\": give two conditions", names[0]);
	if (n[0] < 2 || n[1] < 2)
		RETURN_ERROR(CLPAC_ERROR_ARGUMENT,
			     "\"%.100s\" has %zu epoch%s, \"%.100s\" %zu: at least two of each are needed", names[0],
			     n[0], n[0] == 1 ? "" : "s", names[1], n[1]);
	return CLPAC_OK;
}

static clpac_status compute_epochs(tool_call *call, comparison *c, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	char used[CLPAC__EPOCHS_SIZE];
	if (!call->values.quiet)
		tool_phases_start(call->command->name, patience_s);
	TRY(clpac__job_open(&c->job, err));
	TRY(check_conditions(c, err));
	note_short_epochs(call, c);
	clpac__job_warn_of_losses(&c->job);
	tool_progress_start(call, NULL);
	st = clpac__job_run(&c->job, &c->epochs, err);
	tool_progress_end(call);
	TRY(st);
	TRY(clpac__job_check_cells(&c->job, c->epochs, err));
	clpac__job_epochs_sentence(&c->job.epochs, used);
	if (!call->values.quiet) {
		tool_print(stderr, "clpac compare: ");
		tool_print_column(stderr, used, 0);
		tool_print(stderr, "\n");
	}
done:
	tool_phases_end();
	return st;
}

static clpac_status choose_measure(const tool_call *call, comparison *c, clpac_error *err)
{
	clpac_measure measures[CLPAC_MEASURE_COUNT];
	const size_t n = clpac_result_measures(c->epochs, measures);
	const char *name = is_of_recording(call) ? NULL : call->values.analysis.measure;
	c->compared = name ? NULL : c->epochs;
	for (size_t i = 0; i < n && name; i++)
		if (strcmp(clpac_measure_text(measures[i]), name) == 0)
			c->compared = clpac_result_of(c->epochs, measures[i]);
	if (!c->compared)
		RETURN_ERROR(CLPAC_ERROR_ARGUMENT, "--measure %.40s: %s does not hold it; its first is %s", name,
			     call->values.analysis.input, clpac_measure_text(measures[0]));
	return CLPAC_OK;
}

/* Without --conditions there must be two: in the order of --events, or of their first epochs. */
static clpac_status choose_conditions(const tool_call *call, comparison *c, clpac_error *err)
{
	const clpac__job_epochs *epochs = &c->job.epochs;
	const size_t n = clpac_result_get_shape(c->epochs)->n_segments;
	size_t n_found = epochs->n_conditions;
	if (c->conditions[0])
		return CLPAC_OK;
	for (size_t i = 0; i < epochs->n_conditions && i < 2; i++)
		c->conditions[i] = epochs->conditions[i];
	for (size_t s = 0; s < n && !is_of_recording(call); s++) {
		const char *own = clpac_result_condition(c->epochs, s);
		bool is_new = own != NULL;
		for (size_t k = 0; k < s && is_new; k++)
			is_new = !clpac_result_condition(c->epochs, k) ||
				 strcmp(clpac_result_condition(c->epochs, k), own) != 0;
		if (is_new && n_found < 2)
			c->conditions[n_found] = own;
		n_found += is_new;
	}
	if (!n_found)
		RETURN_ERROR(
			CLPAC_ERROR_ARGUMENT,
			"%.300s is no result of epochs: compute it with clpac run --events, or give a recording and "
			"--events",
			call->values.analysis.input);
	if (n_found != 2)
		RETURN_IF_ERROR(fail_to_choose(n_found, c->conditions[0], err));
	return CLPAC_OK;
}

/* --- Output ------------------------------------------------------------------------------------- */

static clpac_status write_files(tool_call *call, comparison *c, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	clpac__json_tree json = {.root = json_object()};
	char *provenance = NULL, checksum[65];
	if (is_of_recording(call)) {
		TRY(tool_run_outputs_write(&c->files, c->made, &c->job, call, err));
		goto done;
	}
	call->direction = TOOL_INPUT;
	TRY(clpac_file_checksum(call->values.analysis.input, checksum, err));
	call->direction = TOOL_OUTPUT;
	TRY(clpac__provenance_add(&json, &call->values.analysis, err));
	TRY(clpac__json_tree_text_of(&json, &provenance, err));
	TRY(tool_run_outputs_put(&c->files, c->made,
				 &(clpac_write_options){.input_name = call->values.analysis.input,
							.input_checksum = checksum,
							.provenance = provenance},
				 call, err));
done:
	json_decref(json.root);
	clpac__free(provenance);
	return st;
}

static void print_peak(const clpac_result *result, const tool_call *call)
{
	const clpac_result_shape *shape = clpac_result_get_shape(result);
	const clpac_peak peak = clpac_result_peak(result, SIZE_MAX);
	const size_t cell =
		(peak.channel * shape->n_phase_bands + peak.phase) * shape->n_amplitude_bands + peak.amplitude;
	const clpac_band phase = clpac_result_phase_bands(result)[peak.phase];
	const clpac_band amplitude = clpac_result_cell_band(result, peak.phase, peak.amplitude);
	const float *ratio = clpac_result_array(result, CLPAC_RATIO, NULL);
	const double p_cluster = (double)clpac_result_array(result, CLPAC_P_CLUSTER, NULL)[cell];
	size_t n, n_cells = 0, n_significant = 0;
	const float *p_max = clpac_result_array(result, CLPAC_P_MAX, &n);
	for (size_t i = 0; i < n; i++) {
		n_cells += !isnan(p_max[i]);
		n_significant += p_max[i] <= 0.05f;
	}
	tool_print(stderr, " most in channel ");
	tool_print_column(stderr, clpac_result_channel_name(result, peak.channel), 0);
	tool_print(stderr, " at phase %.4g-%.4g Hz, amplitude %.4g-%.4g Hz: by %.3g", phase.lo_hz, phase.hi_hz,
		   amplitude.lo_hz, amplitude.hi_hz, (double)clpac_result_array(result, CLPAC_EFFECT, NULL)[cell]);
	if (ratio)
		tool_print(stderr, ", ratio %.3g", (double)ratio[cell]);
	tool_print(stderr, ", %s %.3g, p_max %.2g", call->values.analysis.pool ? "in deviations" : "t",
		   (double)clpac_result_array(result, CLPAC_T, NULL)[cell], (double)peak.p_max);
	if (p_cluster < 1)
		tool_print(stderr, ", p_cluster %.2g", p_cluster);
	tool_print(stderr, "; %zu of %zu cells have p_max up to 0.05", n_significant, n_cells);
}

static void print_summary(const comparison *c, const tool_call *call)
{
	const char *measure = clpac_measure_abbreviation(clpac_result_measure(c->made));
	tool_print(stderr, "clpac compare: %s of ",
		   call->values.value == Z	? "z"
		   : call->values.analysis.pool ? "pooled indices"
						: "mean indices");
	tool_print_column(stderr, c->conditions[0], 0);
	tool_print(stderr, " and ");
	tool_print_column(stderr, c->conditions[1], 0);
	tool_print(stderr, " (%s) differ%s", measure, call->values.value == Z ? "s" : "");
	print_peak(c->made, call);
	tool_print(stderr, " (%zu permutations of labels)\n", clpac_result_get_shape(c->made)->n_surrogates + 1);
}

static clpac_status compare(tool_call *call, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	comparison c = {.family = call->values.analysis.family};
	TRY(tool_interrupt_watch(call->command->name, err));
	TRY(check(call, err));
	TRY(read_names(call, &c, err));
	if (is_of_recording(call))
		TRY(prepare_job(call, &c, err));
	TRY(tool_run_outputs_name(call->values.output, call, &c.files, err));
	TRY(tool_run_outputs_check(&c.files, call->values.analysis.input, call, err));
	if (is_of_recording(call))
		TRY(compute_epochs(call, &c, err));
	else
		TRY(clpac_result_read_npz(call->values.analysis.input, &c.epochs, err));
	TRY(choose_measure(call, &c, err));
	TRY(choose_conditions(call, &c, err));
	TRY(clpac_result_compare(
		&(clpac_comparison){.size = sizeof(clpac_comparison),
				    .result = c.compared,
				    .first = c.conditions[0],
				    .second = c.conditions[1],
				    .is_pooled = call->values.analysis.pool,
				    .of_z = call->values.value == Z,
				    .side = (clpac_side)call->values.side,
				    .channels = c.channels,
				    .n_channels = c.n_channels,
				    .family = c.family ? CLPAC_FAMILY_RUN : CLPAC_FAMILY_MAP,
				    .n_permutations = call->values.permutations,
				    .seed = tool_is_given(call, "seed") ? call->values.analysis.seed : default_seed,
				    .cluster_alpha = call->values.analysis.cluster_share},
		&c.made, err));
	for (int k = 0; k < CLPAC_WARN_KIND_COUNT; k++)
		if (clpac_result_report(c.made)->warnings[k].count)
			tool_warn(call, 1, "%s", clpac_result_report(c.made)->warnings[k].text);
	if (!clpac_result_peak(c.made, SIZE_MAX).found)
		FAIL(CLPAC_ERROR_FORMAT, "no valid cell can be compared, so nothing is written: %s",
		     clpac_result_report(c.made)->warnings[CLPAC_WARN_MISSING].text);
	TRY(write_files(call, &c, err));
	if (!call->values.quiet)
		print_summary(&c, call);
done:
	clpac_result_destroy(c.made);
	clpac_result_destroy(c.epochs);
	clpac__job_close(&c.job);
	tool_run_outputs_clear(&c.files);
	clpac__free(c.names);
	clpac__free(c.channel_names);
	clpac__free(c.channels);
	return st;
}

const tool_command tool_command_compare = {
	.name = "compare",
	.usage = "RECORDING|RESULT.npz -o OUT.npz [OPTIONS]",
	.min_operands = 1,
	.max_operands = 1,
	.operand = "recording or result",
	.summary = "two conditions of a recording, labels of epochs permuted",
	.help = "Compares two conditions of a recording (--events, --window), or of a result of clpac run --events,\n"
		"cell by cell: the means of the epochs' indices, or pooled indices (--pool).  p compares with the\n"
		"labels of epochs permuted; p_max and p_cluster are corrected over the cells of each map.\n",
	.groups = groups,
	.run = compare,
};
