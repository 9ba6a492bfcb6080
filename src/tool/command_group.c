/* clpac group: statistics over the results of several subjects. */
#include <string.h>
#include "tool/commands.h"
#include "tool/comparison.h"
#include "tool/interrupt.h"

static const clpac__option_group *const groups[] = {
	&clpac__options_design, &clpac__options_subjects, &tool_group_comparison_output,
	&tool_group_config,	&tool_group_common,	  NULL};

static bool is_operand(const tool_call *call, const char *word)
{
	for (size_t i = 0; i < call->n_operands; i++)
		if (call->every_operand[i] == word)
			return true;
	return false;
}

/* How many operands stand before --with on the command line.  Operands point to its words. */
static size_t count_first(const tool_call *call)
{
	const clpac__analysis_settings *v = &call->values.analysis;
	size_t n = 0;
	for (size_t i = 0; v->with && i < v->n_words; i++) {
		const bool is_one = is_operand(call, v->words[i]);
		if (!is_one && strcmp(v->words[i], "--with") == 0)
			break;
		n += is_one;
	}
	return v->with ? n : call->n_operands;
}

static clpac_status compare(tool_call *call, clpac_error *err)
{
	RETURN_IF_ERROR(tool_interrupt_watch(call->command->name, err));
	return tool_comparison_run(call,
				   &(tool_comparison){.paths = call->every_operand,
						      .n = call->n_operands,
						      .n_first = count_first(call),
						      .npz = call->values.output},
				   err);
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
	.examples = {"results/sub-*.npz -o group.npz", "results/sub-*.npz -o excess.npz --value excess --clusters 0.05",
		     "patients/*.npz --with controls/*.npz -o groups.npz --csv"},
	.groups = groups,
	.run = compare,
};
