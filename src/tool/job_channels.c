/* --channels: the channels of the recording that take part.  All channels of a job have one rate. */
#include "tool/job_channels.h"

#include <ctype.h>
#include <fnmatch.h>
#include <stdio.h>
#include <string.h>
#include "base/memory.h"
#include "base/number.h"
#include "tool/console.h"

/* Why a channel was chosen. */
enum choice { NOT = 0, BY_PATTERN, BY_NAME };

static bool is_pattern(const char *word)
{
	return strpbrk(word, "*?[") != NULL;
}

/* Writes the channels of the recording as "0 C3, 1 C4, ...", for an error. */
static void list_channels(const clpac_recording *recording, char *text, size_t size)
{
	size_t n = clpac_recording_n_channels(recording), length = 0;
	*text = 0;
	for (size_t i = 0; i < n && length + 64 < size; i++)
		length += (size_t)snprintf(text + length, size - length, "%s%zu %.40s", i ? ", " : "", i,
					   clpac_recording_channel(recording, i)->name);
	if (length + 64 >= size)
		snprintf(text + length, size - length, ", ...");
}

static clpac_status choose_word(const clpac_recording *recording, const char *word, enum choice *chosen,
				clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	size_t n = clpac_recording_n_channels(recording), n_found = 0;
	uint64_t number;
	if (clpac__parse_count(word, &number, NULL)) {
		if (number >= n)
			FAIL(CLPAC_ERROR_ARGUMENT, "--channels %s: the last channel is number %zu, the first 0", word,
			     n - 1);
		chosen[number] = BY_NAME;
		goto done;
	}
	for (size_t i = 0; i < n; i++) {
		const char *name = clpac_recording_channel(recording, i)->name;
		enum choice how = strcmp(name, word) == 0			    ? BY_NAME
				  : is_pattern(word) && fnmatch(word, name, 0) == 0 ? BY_PATTERN
										    : NOT;
		if (how > chosen[i])
			chosen[i] = how;
		n_found += how != NOT;
	}
	if (n_found == 0) {
		char names[600];
		list_channels(recording, names, sizeof names);
		FAIL(CLPAC_ERROR_ARGUMENT, "--channels %s: no such channel; there are %s", word, names);
	}
done:
	return st;
}

static clpac_status choose_list(const clpac_recording *recording, const char *list, enum choice *chosen,
				clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	size_t n = clpac_recording_n_channels(recording);
	char *copy = NULL;
	if (!list) {
		for (size_t i = 0; i < n; i++)
			chosen[i] = BY_PATTERN;
		goto done;
	}
	copy = clpac__strdup(list);
	if (!copy)
		FAIL_NO_MEMORY(strlen(list) + 1);
	for (char *word = copy, *next; word; word = next) {
		next = strchr(word, ',');
		if (next)
			*next++ = 0;
		while (isspace((unsigned char)*word))
			word++;
		for (size_t end = strlen(word); end && isspace((unsigned char)word[end - 1]);)
			word[--end] = 0;
		if (!*word)
			FAIL(CLPAC_ERROR_ARGUMENT,
			     "--channels \"%s\": an empty name stands between the commas; leave one out", list);
		TRY(choose_word(recording, word, chosen, err));
	}
done:
	clpac__free(copy);
	return st;
}

static void leave_out_unusable(const clpac_recording *recording, const tool_call *call, enum choice *chosen)
{
	for (size_t i = 0; i < clpac_recording_n_channels(recording); i++) {
		const clpac_channel *channel = clpac_recording_channel(recording, i);
		if (chosen[i] && (channel->unusable || channel->n_samples == 0)) {
			tool_warn(call, 1, "channel %zu %s is left out: %s", i, channel->name,
				  channel->unusable ? channel->unusable : "it has no samples");
			chosen[i] = NOT;
		}
	}
}

/* The rate of the job: that of the first channel asked for by name, otherwise the commonest of those chosen. */
static double choose_rate(const clpac_recording *recording, const enum choice *chosen)
{
	size_t n = clpac_recording_n_channels(recording), most = 0;
	double rate_hz = 0;
	for (size_t i = 0; i < n; i++)
		if (chosen[i] == BY_NAME)
			return clpac_recording_channel(recording, i)->rate_hz;
	for (size_t i = 0; i < n; i++) {
		double candidate = clpac_recording_channel(recording, i)->rate_hz;
		size_t count = 0;
		for (size_t j = 0; j < n; j++)
			count += chosen[j] && clpac_recording_channel(recording, j)->rate_hz == candidate;
		if (chosen[i] && count > most) {
			most = count;
			rate_hz = candidate;
		}
	}
	return rate_hz;
}

static clpac_status keep_one_rate(const clpac_recording *recording, const tool_call *call, double rate_hz,
				  enum choice *chosen, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	for (size_t i = 0; i < clpac_recording_n_channels(recording); i++) {
		const clpac_channel *channel = clpac_recording_channel(recording, i);
		if (!chosen[i] || channel->rate_hz == rate_hz)
			continue;
		if (chosen[i] == BY_NAME)
			FAIL(CLPAC_ERROR_ARGUMENT,
			     "--channels: %s has %g Hz, yet the first one asked for has %g Hz; a run takes channels of "
			     "one rate",
			     channel->name, channel->rate_hz, rate_hz);
		tool_warn(call, 1, "channel %zu %s is left out: it has %g Hz, the others have %g Hz", i, channel->name,
			  channel->rate_hz, rate_hz);
		chosen[i] = NOT;
	}
done:
	return st;
}

clpac_status tool_channels_choose(const clpac_recording *recording, const tool_call *call, tool_channels *out,
				  clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	tool_channels made = {.n_samples = SIZE_MAX};
	size_t n = clpac_recording_n_channels(recording);
	enum choice *chosen = clpac__alloc_array(n, sizeof *chosen);
	made.numbers = clpac__alloc_array(n, sizeof *made.numbers);
	if (!chosen || !made.numbers)
		FAIL_NO_MEMORY(n * sizeof *made.numbers);
	TRY(choose_list(recording, call->values.channels, chosen, err));
	leave_out_unusable(recording, call, chosen);
	made.rate_hz = choose_rate(recording, chosen);
	TRY(keep_one_rate(recording, call, made.rate_hz, chosen, err));

	for (size_t i = 0; i < n; i++)
		if (chosen[i]) {
			size_t n_samples = clpac_recording_channel(recording, i)->n_samples;
			made.numbers[made.n++] = i;
			if (n_samples < made.n_samples)
				made.n_samples = n_samples;
		}
	if (made.n == 0)
		FAIL(CLPAC_ERROR_FORMAT, "%s: no channel with samples to work on%s", call->operands[0],
		     call->values.channels ? " among those asked for" : "");
	if (!(made.rate_hz > 0))
		FAIL(CLPAC_ERROR_ARGUMENT, "%s: the file does not hold its sampling rate; give it as --rate HZ",
		     call->operands[0]);
	*out = made;
	made.numbers = NULL;
done:
	clpac__free(made.numbers);
	clpac__free(chosen);
	return st;
}

void tool_channels_clear(tool_channels *channels)
{
	clpac__free(channels->numbers);
	*channels = (tool_channels){0};
}
