/* Fuzzer's target: --config, and the choice of channels and segments.  The input is the file.  What it asks for is
 * chosen from a recording with a gap, a bad channel and two rates. */
#include <clpac/recording.h>

#include "fuzz/fuzz_input.h"
#include "tool/arguments.h"
#include "tool/commands.h"
#include "analysis/stretches/stretches.h"

static const clpac__option_group *const groups[] = {
	&clpac__options_read, &clpac__options_take, &clpac__options_method, &clpac__options_compute,
	&tool_group_output,   &tool_group_config,   &tool_group_common,	    NULL};
static const tool_command command = {.name = "run", .groups = groups};

static clpac_recording *make_recording(void)
{
	enum { N_CHANNELS = 5 };
	static const char *const names[N_CHANNELS] = {"Fz", "Cz", "ECG", "Fz", "a,b"};
	clpac_recording *made = NULL;
	clpac_error err = {0};
	clpac_status st = clpac_recording_create("made", &made, &err);
	for (size_t i = 0; i < N_CHANNELS && st == CLPAC_OK; i++)
		st = clpac_recording_add_channel(made, names[i], "uV", i == 2 ? 100 : 256, 2560, CLPAC_FLOAT32, NULL,
						 &err);
	if (st == CLPAC_OK)
		st = clpac_recording_disable_channel(made, 1, "no values", &err);
	if (st == CLPAC_OK)
		st = clpac_recording_add_stretch(made, &(clpac_stretch){0, 0, 4}, &err);
	if (st == CLPAC_OK)
		st = clpac_recording_add_stretch(made, &(clpac_stretch){60, 4, 6}, &err);
	FUZZ_LAW(st == CLPAC_OK);
	return made;
}

static void check_segments(const clpac__job_segments *segments, const clpac__chosen_channels *channels)
{
	for (size_t i = 0; i < segments->n; i++) {
		const clpac__job_segment *segment = &segments->each[i];
		FUZZ_LAW(segment->n_samples > 0 && segment->n_samples <= channels->n_samples);
		FUZZ_LAW(segment->start <= channels->n_samples - segment->n_samples);
	}
}

static void choose(const clpac_recording *recording, const tool_call *call)
{
	clpac_error err = {0};
	clpac__chosen_channels channels = {0};
	clpac__job_segments segments = {0};
	clpac_status st = clpac__channels_choose(recording, &call->values.analysis, &channels, &err);
	fuzz_outcome(st, &err, channels.n > 0);
	for (size_t c = 0; c < channels.n; c++)
		FUZZ_LAW(channels.numbers[c] < clpac_recording_n_channels(recording));
	if (st == CLPAC_OK) {
		st = clpac__job_segments_choose(recording, &channels, &call->values.analysis, &segments, &err);
		fuzz_outcome(st, &err, st == CLPAC_OK);
		check_segments(&segments, &channels);
	}
	clpac__job_segments_clear(&segments);
	clpac__channels_clear(&channels);
}

int FUZZ_TARGET(config)(const uint8_t *data, size_t size)
{
	static clpac_recording *recording;
	char option[] = "--config", *words[] = {option, NULL};
	tool_call call = {.command = &command, .values.analysis.input = "x", .n_operands = 1};
	clpac_error err = {0};
	if (!recording)
		recording = make_recording();
	const char *path = fuzz_write("x.json", data, size);
	words[1] = (char *)(uintptr_t)path; /* of a parser that keeps words of argv, and changes none */
	FUZZ_LAW(tool_parse(&call, 2, words, &err) == CLPAC_OK);
	call.values.quiet = true; /* warnings are not said a million times */
	const clpac_status st = tool_read_config(&call, &err);
	fuzz_outcome(st, &err, st == CLPAC_OK);
	if (st == CLPAC_OK)
		choose(recording, &call);
	tool_forget_config(&call);
	return 0;
}
