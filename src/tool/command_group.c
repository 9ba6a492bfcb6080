/* clpac group: statistics over the results of several subjects. */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include "tool/arguments.h"
#include "tool/commands.h"
#include "tool/console.h"
#include "tool/group_outputs.h"
#include "tool/group_subjects.h"
#include "tool/interrupt.h"
#include "tool/option_groups.h"

#define VALUE(member) offsetof(tool_values, member)

/* clang-format off */
static const tool_option design_options[] = {
	{ "with", 0, TOOL_FLAG, NULL, NULL, VALUE(with), NULL,
	  "the results behind it are the second group: two samples, labels permuted" },
};
static const tool_option method_options[] = {
	{ "paired", 0, TOOL_FLAG, NULL, NULL, VALUE(paired), NULL,
	  "the two groups are the same subjects, in the same order: differences, signs flipped" },
	{ "value", 0, TOOL_CHOICE, "z|index", "z", VALUE(value), NULL,
	  "compare z, or the indices themselves" },
	{ "measure", 0, TOOL_TEXT, "NAME", "the first", VALUE(analysis.measure), NULL,
	  "measure to compare, of those that the results hold" },
	{ "channel", 0, TOOL_TEXT, "LIST", "all, by name", VALUE(channel), NULL,
	  "channels to compare, by name or number, as Cz,Pz" },
	{ "side", 0, TOOL_CHOICE, "both|greater|less", "greater against 0, else both", VALUE(side), NULL,
	  "look for differences of either sign, or one" },
	{ "permutations", 0, TOOL_COUNT, "N", "10000", VALUE(permutations), NULL,
	  "permutations, the given order among them; all, where there are no more" },
	{ "seed", 0, TOOL_COUNT, "N", "42", VALUE(analysis.seed), NULL,
	  "seed of permutations that are drawn" },
	{ "clusters", 0, TOOL_NUMBER, "SHARE", "0.05", VALUE(analysis.cluster_share), NULL,
	  "share of the t distribution beyond which cells enter clusters" },
	{ "family", 0, TOOL_CHOICE, "map|run", "map", VALUE(analysis.family), NULL,
	  "correct p over the cells of each map, or over all channels and segments" },
};
/* clang-format on */
#define GROUP(title_, rows, ...)                                                                                       \
	{                                                                                                              \
		.title = title_, .options = rows, .n_options = sizeof rows / sizeof *rows, __VA_ARGS__                 \
	}
static const tool_group design_group = GROUP("The comparison", design_options, .is_not_for_files = true);
static const tool_group method_group = GROUP("The comparison", method_options, .is_not_for_files = false);
static const tool_group *const groups[] = {&design_group,      &method_group,	   &tool_group_comparison_output,
					   &tool_group_config, &tool_group_common, NULL};

/* "12 subjects, z paired", "9 and 11 subjects, z of two samples" */
static void print_design(const clpac_group *group)
{
	const char *const value =
		group->of_index ? clpac_measure_abbreviation(clpac_result_measure(group->first[0])) : "z";
	tool_print(stderr, "clpac group: ");
	if (group->design == CLPAC_TWO_SAMPLE)
		tool_print(stderr, "%zu and %zu subjects: %s", group->n_first, group->n_second, value);
	else
		tool_print(stderr, "%zu subjects: %s", group->n_first, value);
}

/* How many valid cells have a p_max up to 0.05, of how many. */
static size_t count_significant(const clpac_result *result, size_t *n_cells)
{
	size_t n, n_significant = 0;
	const float *p_max = clpac_result_array(result, CLPAC_P_MAX, &n);
	*n_cells = 0;
	for (size_t i = 0; i < n; i++) {
		*n_cells += !isnan(p_max[i]);
		n_significant += p_max[i] <= 0.05f;
	}
	return n_significant;
}

static void print_permutations(const clpac_group *group)
{
	static const char *const kinds[] = {"flips of signs", "flips of signs", "exchanges of labels"};
	bool is_exact;
	const uint64_t n = clpac_group_permutations(group->design, group->n_first, group->n_second,
						    group->n_permutations, &is_exact);
	tool_print(stderr, " (%s%llu %s)\n", is_exact ? "all " : "", (unsigned long long)n, kinds[group->design]);
}

static void print_summary(const clpac_result *result, const clpac_group *group)
{
	static const char *const verbs[] = {" differs most from 0", " differs most between pairs",
					    " differs most between groups"};
	const clpac_result_shape *shape = clpac_result_get_shape(result);
	const clpac_peak peak = clpac_result_peak(result, SIZE_MAX);
	size_t n_cells;
	const size_t n_significant = count_significant(result, &n_cells);
	print_design(group);
	if (peak.found) {
		const size_t series = peak.channel * shape->n_segments + peak.segment;
		const size_t cell =
			(series * shape->n_phase_bands + peak.phase) * shape->n_amplitude_bands + peak.amplitude;
		const clpac_band phase = clpac_result_phase_bands(result)[peak.phase];
		const clpac_band amplitude = clpac_result_cell_band(result, peak.phase, peak.amplitude);
		const double p_cluster = clpac_result_array(result, CLPAC_P_CLUSTER, NULL)[cell];
		tool_print(stderr, "%s in channel ", verbs[group->design]);
		tool_print_column(stderr, clpac_result_channel_name(result, peak.channel), 0);
		if (shape->n_segments > 1)
			tool_print(stderr, ", segment %zu at %g s,", peak.segment,
				   clpac_result_segment_onsets(result)[peak.segment]);
		tool_print(stderr, " at phase %.4g-%.4g Hz, amplitude %.4g-%.4g Hz: by %.3g, t(%zu) %.3g, p_max %.2g",
			   phase.lo_hz, phase.hi_hz, amplitude.lo_hz, amplitude.hi_hz,
			   (double)clpac_result_array(result, CLPAC_EFFECT, NULL)[cell],
			   group->n_first + (group->design == CLPAC_TWO_SAMPLE ? group->n_second - 1 : 0) - 1,
			   (double)clpac_result_array(result, CLPAC_T, NULL)[cell], (double)peak.p_max);
		if (p_cluster < 1)
			tool_print(stderr, ", p_cluster %.2g", p_cluster);
		tool_print(stderr, "; %zu of %zu cells have p_max up to 0.05", n_significant, n_cells);
	} else {
		tool_print(stderr, ": no valid cell has a value");
	}
	print_permutations(group);
}

/* Values without coupling are skewed, few above 0 and many a little below: signs flipped find values below 0 in every
 * fourth study of noise (decision 0059).  So nobody gets these who did not ask for them. */
static clpac_side side_of(const tool_call *call)
{
	if (!call->values.with && !tool_is_given(call, "side"))
		return CLPAC_SIDE_GREATER;
	return (clpac_side)call->values.side;
}

static clpac_group group_of(const tool_call *call, const tool_subjects *subjects)
{
	const tool_values *v = &call->values;
	return (clpac_group){
		.size = sizeof(clpac_group),
		.design = !v->with    ? CLPAC_ONE_SAMPLE
			  : v->paired ? CLPAC_PAIRED
				      : CLPAC_TWO_SAMPLE,
		.side = side_of(call),
		.first = subjects->compared,
		.n_first = subjects->n_first,
		.second = v->with ? subjects->compared + subjects->n_first : NULL,
		.n_second = subjects->n - subjects->n_first,
		.first_names = subjects->paths,
		.second_names = v->with ? subjects->paths + subjects->n_first : NULL,
		.channels = subjects->channels,
		.n_channels = subjects->n_channels,
		.of_index = v->value == 1,
		.family = v->analysis.family ? CLPAC_FAMILY_RUN : CLPAC_FAMILY_MAP,
		.n_permutations = v->permutations,
		.seed = tool_is_given(call, "seed") ? v->analysis.seed : 42,
		.cluster_alpha = v->analysis.cluster_share,
	};
}

/* Options and numbers of results that suit no design, in the words of the command line. */
static clpac_status check(const tool_call *call, const tool_subjects *subjects, clpac_error *err)
{
	const size_t n_second = subjects->n - subjects->n_first;
	if (call->values.paired && !call->values.with)
		RETURN_ERROR(CLPAC_ERROR_ARGUMENT, "--paired: give the second result of each subject behind --with");
	if (subjects->n_first < 2 || (call->values.with && n_second < 2))
		RETURN_ERROR(CLPAC_ERROR_ARGUMENT, "%zu result%s %s: statistics over subjects need at least two",
			     subjects->n_first < 2 ? subjects->n_first : n_second,
			     (subjects->n_first < 2 ? subjects->n_first : n_second) == 1 ? "" : "s",
			     !call->values.with	     ? "to compare"
			     : subjects->n_first < 2 ? "before --with"
						     : "behind --with");
	if (call->values.paired && subjects->n_first != n_second)
		RETURN_ERROR(
			CLPAC_ERROR_ARGUMENT,
			"--paired: %zu results before --with and %zu behind it; give two of each subject, in one order",
			subjects->n_first, n_second);
	if (tool_is_given(call, "permutations") && call->values.permutations < 2)
		RETURN_ERROR(CLPAC_ERROR_ARGUMENT, "--permutations %llu: give 2 or more",
			     (unsigned long long)call->values.permutations);
	if (tool_is_given(call, "clusters") &&
	    !(call->values.analysis.cluster_share > 0 && call->values.analysis.cluster_share <= 0.25))
		RETURN_ERROR(CLPAC_ERROR_ARGUMENT, "--clusters %g: give a share above 0 and at most 0.25",
			     call->values.analysis.cluster_share);
	if (!call->values.output)
		RETURN_ERROR(CLPAC_ERROR_ARGUMENT, "where to?  give -o OUT.npz");
	return CLPAC_OK;
}

static clpac_status compare(tool_call *call, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	tool_subjects subjects = {0};
	tool_run_outputs files = {0};
	clpac_result *result = NULL;
	TRY(tool_interrupt_watch(call->command->name, err));
	TRY(tool_subjects_find(call, &subjects, err));
	TRY(check(call, &subjects, err));
	TRY(tool_run_outputs_name(call->values.output, call, &files, err));
	TRY(tool_group_outputs_check(&files, &subjects, call, err));
	TRY(tool_subjects_read(call, &subjects, err));
	const clpac_group group = group_of(call, &subjects);
	if (group.of_index && group.design == CLPAC_ONE_SAMPLE)
		tool_warn(
			call, 1,
			"indices are above 0 without coupling: compared with 0 they show nothing; compare z, or pairs");
	if (group.design == CLPAC_ONE_SAMPLE && group.side != CLPAC_SIDE_GREATER)
		tool_warn(
			call, 1,
			"values without coupling are skewed, many of them a little below 0: what is found below 0 may "
			"be noise; look above 0 (--side greater)");
	TRY(clpac_result_group(&group, &result, err));
	for (int k = 0; k < CLPAC_WARN_KIND_COUNT; k++)
		if (clpac_result_report(result)->warnings[k].count)
			tool_warn(call, 1, "%s", clpac_result_report(result)->warnings[k].text);
	if (!clpac_result_peak(result, SIZE_MAX).found)
		FAIL(CLPAC_ERROR_FORMAT, "no valid cell has a t, so nothing is written: %s",
		     clpac_result_report(result)->warnings[CLPAC_WARN_MISSING].text);
	TRY(tool_group_outputs_write(&files, result, &subjects, call, err));
	if (!call->values.quiet)
		print_summary(result, &group);
done:
	clpac_result_destroy(result);
	tool_run_outputs_clear(&files);
	tool_subjects_clear(&subjects);
	return st;
}

const tool_command tool_command_group = {
	.name = "group",
	.usage = "RESULT.npz... [--with RESULT.npz...] -o OUT.npz [OPTIONS]",
	.min_operands = 1,
	.max_operands = TOOL_ANY_NUMBER,
	.operand = "result",
	.summary = "statistics over subjects: one sample, pairs, two groups",
	.help = "Compares results of clpac run, one of each subject, cell by cell: against 0, in pairs (--paired\n"
		"--with), or with those of a second group (--with).  t has its p by permutations, p_max and\n"
		"p_cluster corrected over the cells of each map.\n",
	.groups = groups,
	.run = compare,
};
