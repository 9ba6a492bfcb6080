/* --channels: the channels of the recording that take part, in the order asked for.  All channels of a job have one
 * rate. */
#include "tool/job_channels.h"

#include <ctype.h>
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/memory.h"
#include "base/number.h"
#include "tool/console.h"

/* Why a channel was chosen. */
enum choice { NOT = 0, BY_PATTERN, BY_NAME };

typedef struct named {
	const char *name;
	size_t number;
} named;

typedef struct selection {
	size_t *numbers; /* of the chosen channels, in the order asked for */
	size_t n;
	enum choice *how; /* of each channel of the recording */
	named *by_name;	  /* all channels, sorted by name and number */
} selection;

static bool is_pattern(const char *word)
{
	return strpbrk(word, "*?[") != NULL;
}

static int by_name_and_number(const void *a, const void *b)
{
	const named *x = a, *y = b;
	int order = strcmp(x->name, y->name);
	return order ? order : (x->number > y->number) - (x->number < y->number);
}

static clpac_status sort_names(const clpac_recording *recording, named **out, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	size_t n = clpac_recording_n_channels(recording);
	named *made = clpac__alloc_array(n, sizeof *made);
	if (!made)
		FAIL_NO_MEMORY(n * sizeof *made);
	for (size_t i = 0; i < n; i++)
		made[i] = (named){clpac_recording_channel(recording, i)->name, i};
	qsort(made, n, sizeof *made, by_name_and_number);
	*out = made;
done:
	return st;
}

/* The first of the sorted channels whose name is not before the word. */
static size_t find_name(const selection *chosen, size_t n, const char *word)
{
	size_t first = 0, behind = n;
	while (first < behind) {
		size_t middle = first + (behind - first) / 2;
		if (strcmp(chosen->by_name[middle].name, word) < 0)
			first = middle + 1;
		else
			behind = middle;
	}
	return first;
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

/* A pattern adds channels that are not chosen yet.  Naming one twice is a mistake. */
static clpac_status choose_channel(const clpac_recording *recording, size_t i, enum choice how, const char *word,
				   selection *chosen, clpac_error *err)
{
	if (how == BY_NAME && chosen->how[i] == BY_NAME)
		return clpac__fail(err, CLPAC_ERROR_ARGUMENT,
				   "--channels: channel %zu %s is named a second time, as \"%s\"; name it once", i,
				   clpac_recording_channel(recording, i)->name, word);
	if (!chosen->how[i])
		chosen->numbers[chosen->n++] = i;
	if (how > chosen->how[i])
		chosen->how[i] = how;
	return CLPAC_OK;
}

static clpac_status choose_word(const clpac_recording *recording, const char *word, selection *chosen, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	size_t n = clpac_recording_n_channels(recording), n_found = 0;
	uint64_t number;
	if (clpac__parse_count(word, &number, NULL)) {
		if (number >= n)
			FAIL(CLPAC_ERROR_ARGUMENT, "--channels %s: the last channel is number %zu, the first 0", word,
			     n - 1);
		TRY(choose_channel(recording, (size_t)number, BY_NAME, word, chosen, err));
		goto done;
	}
	for (size_t k = is_pattern(word) ? n : find_name(chosen, n, word);
	     k < n && strcmp(chosen->by_name[k].name, word) == 0; k++) {
		TRY(choose_channel(recording, chosen->by_name[k].number, BY_NAME, word, chosen, err));
		n_found++;
	}
	for (size_t i = is_pattern(word) ? 0 : n; i < n; i++) {
		const char *name = clpac_recording_channel(recording, i)->name;
		enum choice how = strcmp(name, word) == 0 ? BY_NAME : fnmatch(word, name, 0) == 0 ? BY_PATTERN : NOT;
		if (!how)
			continue;
		TRY(choose_channel(recording, i, how, word, chosen, err));
		n_found++;
	}
	if (n_found == 0) {
		char names[600];
		list_channels(recording, names, sizeof names);
		FAIL(CLPAC_ERROR_ARGUMENT, "--channels %s: no such channel; there are %s", word, names);
	}
done:
	return st;
}

static clpac_status choose_list(const clpac_recording *recording, const char *list, selection *chosen, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	size_t n = clpac_recording_n_channels(recording);
	char *copy = NULL;
	if (!list) {
		for (size_t i = 0; i < n; i++)
			TRY(choose_channel(recording, i, BY_PATTERN, "", chosen, err));
		goto done;
	}
	TRY(sort_names(recording, &chosen->by_name, err));
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

static void leave_out_unusable(const clpac_recording *recording, const tool_call *call, selection *chosen)
{
	size_t n_before = chosen->n;
	chosen->n = 0;
	for (size_t c = 0; c < n_before; c++) {
		const size_t i = chosen->numbers[c];
		const clpac_channel *channel = clpac_recording_channel(recording, i);
		if (channel->unusable || channel->n_samples == 0)
			tool_warn(call, 1, "channel %zu %s is left out: %s", i, channel->name,
				  channel->unusable ? channel->unusable : "it has no samples");
		else
			chosen->numbers[chosen->n++] = i;
	}
}

typedef struct placed_rate {
	double rate_hz;
	size_t place; /* among the chosen channels */
} placed_rate;

static int by_rate_and_place(const void *a, const void *b)
{
	const placed_rate *x = a, *y = b;
	if (x->rate_hz != y->rate_hz)
		return x->rate_hz < y->rate_hz ? -1 : 1;
	return (x->place > y->place) - (x->place < y->place);
}

/* The rate that most of the chosen channels have; of equally common ones that of the earliest channel. */
static clpac_status find_commonest_rate(const clpac_recording *recording, const selection *chosen, double *out,
					clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	size_t n = chosen->n, most = 0, place = 0;
	placed_rate *rates = clpac__alloc_array(n, sizeof *rates);
	if (!rates)
		FAIL_NO_MEMORY(n * sizeof *rates);
	for (size_t c = 0; c < n; c++)
		rates[c] = (placed_rate){clpac_recording_channel(recording, chosen->numbers[c])->rate_hz, c};
	qsort(rates, n, sizeof *rates, by_rate_and_place);
	*out = 0;
	for (size_t first = 0, behind; first < n; first = behind) {
		for (behind = first + 1; behind < n && rates[behind].rate_hz == rates[first].rate_hz; behind++)
			;
		if (behind - first > most || (behind - first == most && rates[first].place < place)) {
			most = behind - first;
			place = rates[first].place;
			*out = rates[first].rate_hz;
		}
	}
done:
	clpac__free(rates);
	return st;
}

/* The rate of the job: that of the first channel asked for by name, otherwise the commonest of those chosen. */
static clpac_status choose_rate(const clpac_recording *recording, const selection *chosen, double *out,
				clpac_error *err)
{
	for (size_t c = 0; c < chosen->n; c++)
		if (chosen->how[chosen->numbers[c]] == BY_NAME) {
			*out = clpac_recording_channel(recording, chosen->numbers[c])->rate_hz;
			return CLPAC_OK;
		}
	return find_commonest_rate(recording, chosen, out, err);
}

static clpac_status keep_one_rate(const clpac_recording *recording, const tool_call *call, double rate_hz,
				  selection *chosen, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	size_t n_before = chosen->n;
	chosen->n = 0;
	for (size_t c = 0; c < n_before; c++) {
		const size_t i = chosen->numbers[c];
		const clpac_channel *channel = clpac_recording_channel(recording, i);
		if (channel->rate_hz == rate_hz) {
			chosen->numbers[chosen->n++] = i;
			continue;
		}
		if (chosen->how[i] == BY_NAME)
			FAIL(CLPAC_ERROR_ARGUMENT,
			     "--channels: %s has %g Hz, yet the first one asked for has %g Hz; a run takes channels of "
			     "one rate",
			     channel->name, channel->rate_hz, rate_hz);
		tool_warn(call, 1, "channel %zu %s is left out: it has %g Hz, the others have %g Hz", i, channel->name,
			  channel->rate_hz, rate_hz);
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
	selection chosen = {.numbers = clpac__alloc_array(n, sizeof *chosen.numbers),
			    .how = clpac__alloc_array(n, sizeof *chosen.how)};
	if (!chosen.numbers || !chosen.how)
		FAIL_NO_MEMORY(n * sizeof *chosen.numbers);
	TRY(choose_list(recording, call->values.channels, &chosen, err));
	leave_out_unusable(recording, call, &chosen);
	TRY(choose_rate(recording, &chosen, &made.rate_hz, err));
	TRY(keep_one_rate(recording, call, made.rate_hz, &chosen, err));

	made.n = chosen.n;
	for (size_t c = 0; c < made.n; c++) {
		size_t n_samples = clpac_recording_channel(recording, chosen.numbers[c])->n_samples;
		if (n_samples < made.n_samples)
			made.n_samples = n_samples;
	}
	if (made.n == 0)
		FAIL(CLPAC_ERROR_FORMAT, "%s: no channel with samples to work on%s", call->operands[0],
		     call->values.channels ? " among those asked for" : "");
	if (!(made.rate_hz > 0))
		FAIL(CLPAC_ERROR_ARGUMENT, "%s: the file does not hold its sampling rate; give it as --rate HZ",
		     call->operands[0]);
	made.numbers = chosen.numbers;
	chosen.numbers = NULL;
	*out = made;
done:
	clpac__free(chosen.numbers);
	clpac__free(chosen.how);
	clpac__free(chosen.by_name);
	return st;
}

void tool_channels_clear(tool_channels *channels)
{
	clpac__free(channels->numbers);
	*channels = (tool_channels){0};
}
