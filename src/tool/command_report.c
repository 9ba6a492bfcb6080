/* clpac report: a page about results, to be looked at. */
#include <clpac/write.h>
#include "analysis/pages/page.h"
#include "base/memory.h"
#include "tool/commands.h"
#include "tool/console.h"
#include "tool/interrupt.h"
#include "tool/output_files.h"

#define VALUE(member) offsetof(tool_values, member)

/* clang-format off */
static const clpac__option report_options[] = {
	{ "output", 'o', CLPAC__OPTION_TEXT, "FILE.html", "OUT.html", VALUE(output), NULL,
	  "the page; of several results it must be given" },
	{ "force", 'f', CLPAC__OPTION_FLAG, NULL, NULL, VALUE(force), NULL,
	  "replace a file that exists" },
	{ "quiet", 'q', CLPAC__OPTION_FLAG, NULL, NULL, VALUE(quiet), NULL,
	  "print errors only" },
};
/* clang-format on */
static const clpac__option_group report_group = {
	.title = NULL,
	.options = report_options,
	.n_options = sizeof report_options / sizeof *report_options,
};
static const clpac__option_group *const groups[] = {&report_group, &tool_group_common, NULL};

static clpac_status report(tool_call *call, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	clpac_output_set *set = NULL;
	char *beside = NULL;
	if (!call->values.output && call->n_operands > 1)
		FAIL(CLPAC_ERROR_ARGUMENT, "where to?  give -o FILE.html");
	if (!call->values.output && !(beside = tool_output_beside(call->every_operand[0], ".html")))
		FAIL_NO_MEMORY(sizeof ".html");
	const char *path = beside ? beside : call->values.output;
	for (size_t i = 0; i < call->n_operands; i++)
		TRY(tool_output_check(path, ".html", call->every_operand[i], call->values.force, call, err));
	TRY(tool_interrupt_watch(call->command->name, err));
	TRY(clpac_output_set_open(&set, err));
	call->direction = TOOL_INPUT;
	TRY(clpac__page_write_files(call->every_operand, call->n_operands, path,
				    &(clpac_write_options){.overwrite = call->values.force, .set = set}, err));
	call->direction = TOOL_OUTPUT;
	TRY(tool_interrupt_commit(set, err));
	if (!call->values.quiet)
		tool_print(stderr, "clpac report: %s\n", path);
done:
	clpac_output_set_close(set);
	clpac__free(beside);
	return st;
}

const tool_command tool_command_report = {
	.name = "report",
	.usage = "OUT.npz... [-o FILE.html] [OPTIONS]",
	.min_operands = 1,
	.max_operands = TOOL_ANY_NUMBER,
	.operand = "result",
	.summary = "a page about results: maps to point at, cautions, methods",
	.help = "Writes one HTML file about results of clpac run, erpac, compare or group, which any browser shows\n"
		"and which asks nothing of the network: the question, maps of all channels, cautions with what to\n"
		"do, filters, methods and literature for a paper, and the command that repeats it.  What OUT.json\n"
		"beside OUT.npz tells is in it.\n",
	.examples = {"out.npz", "s1.npz s2.npz group.npz -o study.html", "out.npz -o talk.html --force"},
	.groups = groups,
	.run = report,
};
