/* clpac synth: makes a recording whose coupling is known. */
#include <stdio.h>
#include <clpac/write.h>
#include "analysis/synthetic.h"
#include "base/memory.h"
#include "tool/commands.h"
#include "tool/console.h"
#include "tool/interrupt.h"
#include "tool/output_files.h"

#define VALUE(member) offsetof(tool_values, member)

/* clang-format off */
static const clpac__option output_options[] = {
	{ "force", 'f', CLPAC__OPTION_FLAG, NULL, NULL, VALUE(force), NULL,
	  "replace a file that exists" },
	{ "quiet", 'q', CLPAC__OPTION_FLAG, NULL, NULL, VALUE(quiet), NULL,
	  "print errors only" },
};
/* clang-format on */
static const clpac__option_group output_group = {
	.title = NULL,
	.options = output_options,
	.n_options = sizeof output_options / sizeof *output_options,
};
static const clpac__option_group *const groups[] = {&clpac__options_synthetic, &output_group, &tool_group_common, NULL};

static clpac_status synth(tool_call *call, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	const tool_values *v = &call->values;
	const char *path = call->values.analysis.input;
	float *samples = NULL;
	clpac__synthetic signal;
	size_t n_channels, n_samples;
	TRY(clpac__synthetic_read(&v->analysis, &signal, &n_channels, &n_samples, err));
	const size_t n_values = n_samples * n_channels;
	TRY(tool_output_check(path, ".npy", NULL, v->force, call, err));

	TRY(NEW_ARRAY(samples, n_values));
	TRY(tool_interrupt_watch(call->command->name, err));
	for (size_t c = 0; c < n_channels; c++)
		TRY(clpac__synthetic_write(&signal, c, samples + c * n_samples, n_samples, err));
	call->direction = TOOL_OUTPUT;
	TRY(clpac_npy_write(path, samples, n_channels, n_samples, v->force, err));
	char content[200];
	if (signal.driver == CLPAC__DRIVER_SAWTOOTH)
		snprintf(content, sizeof content, "a sawtooth at %g Hz, and no fast oscillation", signal.phase_hz);
	else
		snprintf(content, sizeof content, "the phase at %g Hz drives the amplitude at %g Hz (%s)",
			 signal.phase_hz, signal.amplitude_hz,
			 signal.driver == CLPAC__DRIVER_SINE ? "a pure line" : "narrow-band noise");
	if (!v->quiet)
		tool_print(stderr, "clpac synth: %s: %zu channel%s of %g s at %g Hz; %s\n", path, n_channels,
			   n_channels == 1 ? "" : "s", (double)n_samples / signal.rate_hz, signal.rate_hz, content);
done:
	clpac__free(samples);
	return st;
}

const tool_command tool_command_synth = {
	.name = "synth",
	.usage = "OUT.npy [OPTIONS]",
	.min_operands = 1,
	.max_operands = 1,
	.operand = "file to write",
	.summary = "make a recording with known coupling",
	.help = "Writes a recording in which the phase of a slow oscillation drives the amplitude of a fast one,\n"
		"in pink noise: float32, channel x sample.  The file does not hold its rate: give --rate again to\n"
		"clpac run.\n",
	.examples = {"example.npy --rate 512 --channels 4", "weak.npy --strength 0.3 --seconds 120",
		     "sharp.npy --driver sawtooth"},
	.groups = groups,
	.run = synth,
};
