/* clpac synth: makes a recording whose coupling is known. */
#include <stdio.h>
#include <clpac/write.h>
#include "analysis/room.h"
#include "analysis/synthetic.h"
#include "base/memory.h"
#include "tool/arguments.h"
#include "tool/commands.h"
#include "tool/console.h"
#include "tool/interrupt.h"
#include "tool/output_files.h"

#define VALUE(member) offsetof(tool_values, member)

/* clang-format off */
static const clpac__option signal_options[] = {
	{ "rate", 0, CLPAC__OPTION_NUMBER, "HZ", "512", VALUE(analysis.rate_hz), NULL,
	  "sampling rate" },
	{ "seconds", 0, CLPAC__OPTION_NUMBER, "S", "60", VALUE(seconds), NULL,
	  "length" },
	{ "channels", 0, CLPAC__OPTION_COUNT, "N", "1", VALUE(n_channels), NULL,
	  "channels, each with oscillations and noise of its own" },
	{ "phase", 0, CLPAC__OPTION_NUMBER, "HZ", "6", VALUE(phase_hz), NULL,
	  "frequency of the slow oscillation, whose phase drives" },
	{ "amplitude", 0, CLPAC__OPTION_NUMBER, "HZ", "80", VALUE(amplitude_hz), NULL,
	  "frequency of the fast oscillation, whose amplitude is driven" },
	{ "strength", 0, CLPAC__OPTION_NUMBER, "X", "0.8", VALUE(strength), NULL,
	  "strength of the coupling, from 0 to 1" },
	{ "noise", 0, CLPAC__OPTION_NUMBER, "X", "1.5", VALUE(noise), NULL,
	  "root mean square of the pink noise, relative to the slow oscillation" },
	{ "driver", 0, CLPAC__OPTION_CHOICE, "noise|sine|sawtooth", "noise", VALUE(driver), NULL,
	  "the slow wave: narrow-band noise; a pure line; or a sawtooth, without any fast oscillation" },
	{ "seed", 0, CLPAC__OPTION_COUNT, "N", "42", VALUE(analysis.seed), NULL,
	  "seed of all random numbers; the same seed gives the same file everywhere" },
	{ "force", 'f', CLPAC__OPTION_FLAG, NULL, NULL, VALUE(force), NULL,
	  "replace a file that exists" },
	{ "quiet", 'q', CLPAC__OPTION_FLAG, NULL, NULL, VALUE(quiet), NULL,
	  "print errors only" },
};
/* clang-format on */
static const clpac__option_group signal_group = {
	.title = NULL,
	.options = signal_options,
	.n_options = sizeof signal_options / sizeof *signal_options,
};
static const clpac__option_group *const groups[] = {&signal_group, &tool_group_common, NULL};

static double given_or(const tool_call *call, const char *name, double value, double standard)
{
	return tool_is_given(call, name) ? value : standard;
}

static clpac_status check_signal(const clpac__synthetic *signal, clpac_error *err)
{
	if (!(signal->rate_hz > 0))
		RETURN_ERROR(CLPAC_ERROR_ARGUMENT, "--rate %g: it must be above 0 Hz", signal->rate_hz);
	if (!(signal->phase_hz > 0))
		RETURN_ERROR(CLPAC_ERROR_ARGUMENT, "--phase %g: it must be above 0 Hz", signal->phase_hz);
	if (!(signal->amplitude_hz > signal->phase_hz))
		RETURN_ERROR(CLPAC_ERROR_ARGUMENT, "--amplitude %g: it must be above --phase, %g Hz",
			     signal->amplitude_hz, signal->phase_hz);
	if (!(signal->amplitude_hz + signal->phase_hz < signal->rate_hz / 2))
		RETURN_ERROR(CLPAC_ERROR_ARGUMENT,
			     "--amplitude %g: its upper sideband at %g Hz must stay below half the rate, %g Hz; raise "
			     "--rate",
			     signal->amplitude_hz, signal->amplitude_hz + signal->phase_hz, signal->rate_hz / 2);
	if (!(signal->strength >= 0 && signal->strength <= 1))
		RETURN_ERROR(CLPAC_ERROR_ARGUMENT, "--strength %g: it must be from 0 to 1", signal->strength);
	if (!(signal->noise >= 0))
		RETURN_ERROR(CLPAC_ERROR_ARGUMENT, "--noise %g: it must not be below 0", signal->noise);
	return CLPAC_OK;
}

/* Of the slow oscillation in the recording. */
static const double least_cycles = 0.01;

static clpac_status synth(tool_call *call, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	const tool_values *v = &call->values;
	const char *path = call->values.analysis.input;
	float *samples = NULL;
	clpac__synthetic signal = {
		.rate_hz = given_or(call, "rate", v->analysis.rate_hz, 512),
		.phase_hz = given_or(call, "phase", v->phase_hz, 6),
		.amplitude_hz = given_or(call, "amplitude", v->amplitude_hz, 80),
		.strength = given_or(call, "strength", v->strength, 0.8),
		.noise = given_or(call, "noise", v->noise, 1.5),
		.driver = (clpac__driver)v->driver,
		.seed = tool_is_given(call, "seed") ? v->analysis.seed : 42,
	};
	double seconds = given_or(call, "seconds", v->seconds, 60);
	uint64_t n_channels = tool_is_given(call, "channels") ? v->n_channels : 1;
	TRY(check_signal(&signal, err));
	if (n_channels == 0)
		FAIL(CLPAC_ERROR_ARGUMENT, "--channels 0: at least one is needed");
	double n = seconds * signal.rate_hz + 0.5;
	if (!(seconds > 0) || n < 1)
		FAIL(CLPAC_ERROR_ARGUMENT, "--seconds %g: at %g Hz that is less than one sample; give more", seconds,
		     signal.rate_hz);
	/* Compared as doubles, since the product may overflow a size_t. */
	if (n * (double)n_channels * sizeof(float) >= (double)PTRDIFF_MAX)
		FAIL(CLPAC_ERROR_ARGUMENT,
		     "--channels %llu and --seconds %g at %g Hz are %.3g samples, more than fit in memory; give fewer",
		     (unsigned long long)n_channels, seconds, signal.rate_hz, n * (double)n_channels);
	/* The driver is followed for some cycles before the recording begins. */
	if (!(seconds * signal.phase_hz >= least_cycles))
		FAIL(CLPAC_ERROR_ARGUMENT,
		     "--phase %g: %g s hold %.2g of its cycles, and %g are needed; raise --phase or --seconds",
		     signal.phase_hz, seconds, seconds * signal.phase_hz, least_cycles);
	char what[120];
	snprintf(what, sizeof what, "--channels %llu and --seconds %g at %g Hz", (unsigned long long)n_channels,
		 seconds, signal.rate_hz);
	TRY(clpac__room_check(n * (double)n_channels * sizeof(float), what, "give fewer", err));
	size_t n_samples = (size_t)n, n_values = n_samples * (size_t)n_channels;
	TRY(tool_output_check(path, ".npy", NULL, v->force, call, err));

	TRY(NEW_ARRAY(samples, n_values));
	TRY(tool_interrupt_watch(call->command->name, err));
	for (size_t c = 0; c < n_channels; c++)
		TRY(clpac__synthetic_write(&signal, c, samples + c * n_samples, n_samples, err));
	call->direction = TOOL_OUTPUT;
	TRY(clpac_npy_write(path, samples, (size_t)n_channels, n_samples, v->force, err));
	char content[200];
	if (signal.driver == CLPAC__DRIVER_SAWTOOTH)
		snprintf(content, sizeof content, "a sawtooth at %g Hz, and no fast oscillation", signal.phase_hz);
	else
		snprintf(content, sizeof content, "the phase at %g Hz drives the amplitude at %g Hz (%s)",
			 signal.phase_hz, signal.amplitude_hz,
			 signal.driver == CLPAC__DRIVER_SINE ? "a pure line" : "narrow-band noise");
	if (!v->quiet)
		tool_print(stderr, "clpac synth: %s: %llu channel%s of %g s at %g Hz; %s\n", path,
			   (unsigned long long)n_channels, n_channels == 1 ? "" : "s",
			   (double)n_samples / signal.rate_hz, signal.rate_hz, content);
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
	.groups = groups,
	.run = synth,
};
