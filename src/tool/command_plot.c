/* clpac plot: draws a result that run has written. */
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <clpac/io.h>
#include "base/memory.h"
#include "base/number.h"
#include "tool/arguments.h"
#include "tool/commands.h"
#include "tool/interrupt.h"
#include "tool/option_groups.h"
#include "tool/output_files.h"
#include "tool/console.h"

#define VALUE(member) offsetof(tool_values, member)

/* clang-format off */
static const tool_option plot_options[] = {
	{ "output", 'o', TOOL_TEXT, "FILE", "OUT.png", VALUE(output), NULL,
	  "the picture; its ending gives its kind: .png, .svg, .pdf" },
	{ "plot", 0, TOOL_TEXT, "LIST", "png", VALUE(plot), NULL,
	  "draw pictures in the folder of OUT.npz instead: png,svg,pdf" },
	{ "channel", 0, TOOL_TEXT, "CHANNEL", "that of the peak", VALUE(channel), NULL,
	  "channel to draw, by name or number" },
	{ "segment", 0, TOOL_COUNT, "N", "that of the peak", VALUE(segment_number), NULL,
	  "segment to draw, by number from 0" },
	{ "alpha", 0, TOOL_NUMBER, "P", "0.05", VALUE(alpha), NULL,
	  "outline cells of p_max up to this, above 0 and at most 1" },
	{ "force", 'f', TOOL_FLAG, NULL, NULL, VALUE(force), NULL,
	  "replace files that exist" },
	{ "quiet", 'q', TOOL_FLAG, NULL, NULL, VALUE(quiet), NULL,
	  "print errors only" },
};
/* clang-format on */
static const tool_group plot_group = {
	.title = NULL,
	.options = plot_options,
	.n_options = sizeof plot_options / sizeof *plot_options,
};
static const tool_group *const groups[] = {&plot_group, &tool_group_common, NULL};

static clpac_status choose_channel(const clpac_result *result, const char *name, size_t *out, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	size_t n = clpac_result_get_shape(result)->n_channels;
	uint64_t number;
	for (size_t c = 0; c < n; c++)
		if (strcmp(clpac_result_channel_name(result, c), name) == 0) {
			*out = c;
			goto done;
		}
	if (!clpac__parse_count(name, &number, NULL) || number >= n)
		FAIL(CLPAC_ERROR_ARGUMENT,
		     "--channel %s: the result has no such channel; it has %zu, numbered from 0 (0 is %.100s)", name, n,
		     n ? clpac_result_channel_name(result, 0) : "-");
	*out = (size_t)number;
done:
	return st;
}

/* Channel and segment to draw: the one that an option names, otherwise that of the peak. */
static clpac_status choose_map(const clpac_result *result, const tool_call *call, clpac_plot_options *out,
			       clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	size_t n_segments = clpac_result_get_shape(result)->n_segments;
	bool has_segment = tool_is_given(call, "segment");
	if (has_segment && call->values.segment_number >= n_segments)
		FAIL(CLPAC_ERROR_ARGUMENT, "--segment %llu: the result has %zu segments, numbered from 0",
		     (unsigned long long)call->values.segment_number, n_segments);
	if (tool_is_given(call, "alpha") && !(call->values.alpha > 0 && call->values.alpha <= 1))
		FAIL(CLPAC_ERROR_ARGUMENT, "--alpha %g: it must be above 0 and at most 1", call->values.alpha);
	*out = (clpac_plot_options){
		.channel = SIZE_MAX, .significance = call->values.alpha, .overwrite = call->values.force};
	if (call->values.channel)
		TRY(choose_channel(result, call->values.channel, &out->channel, err));
	if (call->values.channel || has_segment) {
		clpac_peak peak = clpac_result_peak(result, out->channel);
		if (out->channel == SIZE_MAX)
			out->channel = peak.found ? peak.channel : 0;
		out->segment = has_segment ? (size_t)call->values.segment_number : peak.found ? peak.segment : 0;
	}
done:
	return st;
}

static clpac_status draw(const clpac_result *result, const char *path, const clpac_plot_options *options,
			 tool_call *call, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	TRY(tool_output_check(path, NULL, call->operands[0], call->values.force, call, err));
	call->direction = TOOL_OUTPUT;
	TRY(clpac_result_plot(result, path, options, err));
	if (!call->values.quiet)
		tool_print(stderr, "clpac plot: %s\n", path);
done:
	return st;
}

static clpac_status plot(tool_call *call, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	clpac_result *result = NULL;
	clpac_plot_options options;
	char *path = NULL;
	bool wanted[TOOL_N_PICTURES];
	if (call->values.output && call->values.plot)
		FAIL(CLPAC_ERROR_ARGUMENT, "--output %s and --plot %s: give one of them", call->values.output,
		     call->values.plot);
	TRY(tool_pictures_read(call->values.plot ? call->values.plot : "png", wanted, err));
	call->direction = TOOL_INPUT;
	TRY(clpac_result_read_npz(call->operands[0], &result, err));
	TRY(choose_map(result, call, &options, err));
	TRY(tool_interrupt_watch(call->command->name, err));
	if (call->values.output) {
		TRY(draw(result, call->values.output, &options, call, err));
		goto done;
	}
	for (int i = 0; i < TOOL_N_PICTURES; i++)
		if (wanted[i]) {
			clpac__free(path);
			path = tool_output_beside(call->operands[0], tool_picture_endings[i]);
			if (!path)
				FAIL_NO_MEMORY(strlen(call->operands[0]) + 5);
			TRY(draw(result, path, &options, call, err));
		}
done:
	clpac__free(path);
	clpac_result_destroy(result);
	return st;
}

const tool_command tool_command_plot = {
	.name = "plot",
	.usage = "OUT.npz [OPTIONS]",
	.min_operands = 1,
	.max_operands = 1,
	.operand = "result",
	.summary = "draw a result: comodulogram, z-map, histogram of the peak",
	.help = "Draws a result that clpac run has written: the comodulogram, the map of z with the cells of\n"
		"p_max <= 0.05 outlined, and the amplitude over the phase at the peak.\n",
	.groups = groups,
	.run = plot,
};
