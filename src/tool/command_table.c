/* clpac table: results as one table for statistics. */
#include <clpac/analysis.h>

#include "analysis/table/table.h"
#include "tool/arguments.h"
#include "tool/commands.h"
#include "tool/console.h"
#include "tool/interrupt.h"
#include "tool/json_output.h"
#include "tool/output_files.h"

#define VALUE(member) offsetof(tool_values, member)

/* clang-format off */
static const clpac__option table_options[] = {
	{ "roi", 0, CLPAC__OPTION_TEXT, "LIST", "the cells", VALUE(regions),
	  "name them all in one list",
	  "a row per region of interest: NAME=PHASES,AMPLITUDES,... in Hz, as theta-gamma=4-8,30-80" },
	{ "alpha", 0, CLPAC__OPTION_NUMBER, "P", "0.05", VALUE(alpha), NULL,
	  "cells of p_max up to this, above 0 and at most 1, are significant" },
	{ "output", 'o', CLPAC__OPTION_TEXT, "FILE.csv", "standard output", VALUE(output), NULL,
	  "the table" },
	{ "force", 'f', CLPAC__OPTION_FLAG, NULL, NULL, VALUE(force), NULL,
	  "replace a file that exists" },
	{ "quiet", 'q', CLPAC__OPTION_FLAG, NULL, NULL, VALUE(quiet), NULL,
	  "print errors only" },
};
/* clang-format on */
static const clpac__option_group table_group = {
	.title = NULL, .options = table_options, .n_options = sizeof table_options / sizeof *table_options};
static const clpac__option_group *const groups[] = {&table_group, &tool_group_common, NULL};

static clpac_status table(tool_call *call, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	const tool_values *v = &call->values;
	clpac__regions regions = {0};
	clpac__text csv = {0};
	clpac_result *result = NULL;
	if (tool_is_given(call, "alpha") && v->alpha == 0)
		FAIL(CLPAC_ERROR_ARGUMENT, "--alpha 0: it must be above 0 and at most 1");
	if (tool_is_given(call, "alpha") && !v->regions)
		FAIL(CLPAC_ERROR_ARGUMENT, "--alpha is for the cells of regions: give --roi too");
	TRY(clpac__regions_read(v->regions, v->alpha, &regions, err));
	TRY(tool_interrupt_watch(call->command->name, err));
	for (size_t i = 0; i < call->n_operands && v->output; i++)
		TRY(tool_output_check(v->output, NULL, call->every_operand[i], v->force, call, err));
	clpac__table_begin(&regions, &csv);
	for (size_t i = 0; i < call->n_operands; i++) {
		call->direction = TOOL_INPUT;
		TRY(clpac_result_read_npz(call->every_operand[i], &result, err));
		TRY(clpac__table_add(result, call->every_operand[i], &regions, &csv, err));
		clpac_result_destroy(result);
		result = NULL;
	}
	call->direction = TOOL_OUTPUT;
	if (csv.failed)
		FAIL(CLPAC_ERROR_NO_MEMORY, "the host has no memory left for a table");
	if (v->output) {
		TRY(tool_text_write(v->output, csv.data, v->force, err));
		if (!v->quiet)
			tool_print(stderr, "clpac table: %s\n", v->output);
	} else {
		csv.data[--csv.length] = 0; /* a page ends with an end of line */
		TRY(tool_print_page(csv.data, true, err));
	}
done:
	clpac_result_destroy(result);
	clpac__regions_clear(&regions);
	clpac__text_clear(&csv);
	return st;
}

const tool_command tool_command_table = {
	.name = "table",
	.usage = "RESULT.npz... [OPTIONS]",
	.min_operands = 1,
	.max_operands = TOOL_ANY_NUMBER,
	.operand = "result",
	.summary = "results as one table for R and pandas, also by region of interest",
	.help = "Writes CSV with a row for each cell, or with --roi for each region, of each measure, channel and\n"
		"segment of each result, with subject, session, task and run from the BIDS names of files and\n"
		"folders.  A region has the mean and the peak of its cells' index, their mean z and excess, and the\n"
		"share that is significant.\n",
	.examples = {"out.npz -o cells.csv", "results/sub-*.npz -o table.csv --roi theta-gamma=4-8,30-80",
		     "results/sub-*.npz --roi theta-low=4-8,30-60,theta-high=4-8,60-90 --alpha 0.01"},
	.groups = groups,
	.run = table,
};
