/* --channels: the channels of the recording that take part, in the order asked for.  All channels of a job have one
 * rate. */
#include "analysis/channels/channels.h"

#include <ctype.h>
#include <fnmatch.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/electrode.h"
#include "base/memory.h"
#include "base/number.h"

/* Why a channel was chosen. */
enum choice { NOT = 0, BY_DEFAULT, BY_PATTERN, BY_NAME };

typedef struct named {
	const char *name;
	size_t number;
} named;

typedef struct selection {
	const char *option; /* whose list is read, for errors */
	size_t *numbers;    /* of channels in the order asked for, those that were excluded later among them */
	size_t n;
	enum choice *how; /* of each channel of the recording */
	bool *is_listed;  /* whether it is among the numbers */
	named *by_name;	  /* all channels, sorted by name in any case and by number */
	size_t n_words;	  /* of the list that have channels */
	char absent[300]; /* those that have none, or of ranges the part behind the last channel */
} selection;

static bool is_pattern(const char *word)
{
	return strpbrk(word, "*?[") != NULL;
}

static int lower(char c)
{
	return c >= 'A' && c <= 'Z' ? c + ('a' - 'A') : (unsigned char)c;
}

/* Order of names whose ASCII letters may be of either case. */
static int compare_letters(const char *a, const char *b)
{
	while (*a && lower(*a) == lower(*b)) {
		a++;
		b++;
	}
	return lower(*a) - lower(*b);
}

static int by_name_and_number(const void *a, const void *b)
{
	const named *x = a, *y = b;
	int order = compare_letters(x->name, y->name);
	return order ? order : (x->number > y->number) - (x->number < y->number);
}

static clpac_status sort_names(const clpac_recording *recording, named **out, clpac_error *err)
{
	size_t n = clpac_recording_n_channels(recording);
	named *made;
	RETURN_IF_ERROR(NEW_ARRAY(made, n));
	for (size_t i = 0; i < n; i++)
		made[i] = (named){clpac_recording_channel(recording, i)->name, i};
	qsort(made, n, sizeof *made, by_name_and_number);
	*out = made;
	return CLPAC_OK;
}

/* The first of the sorted channels whose name, in any case, is not before the word. */
static size_t find_name(const selection *chosen, size_t n, const char *word)
{
	size_t first = 0, behind = n;
	while (first < behind) {
		size_t middle = first + (behind - first) / 2;
		if (compare_letters(chosen->by_name[middle].name, word) < 0)
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
				   "--%s: channel %zu %s is named a second time, as \"%s\"; name it once",
				   chosen->option, i, clpac_recording_channel(recording, i)->name, word);
	if (!chosen->is_listed[i])
		chosen->numbers[chosen->n++] = i;
	chosen->is_listed[i] = true;
	if (how > chosen->how[i])
		chosen->how[i] = how;
	return CLPAC_OK;
}

/* Chooses channel i, or where `excludes` takes it out. */
static clpac_status take_channel(const clpac_recording *recording, size_t i, enum choice how, bool excludes,
				 const char *word, selection *chosen, clpac_error *err)
{
	if (!excludes)
		return choose_channel(recording, i, how, word, chosen, err);
	chosen->how[i] = NOT;
	return CLPAC_OK;
}

/* Reads "3" or "0-3". */
static bool read_range(const char *word, uint64_t *first, uint64_t *last)
{
	const char *end;
	if (!clpac__parse_count(word, first, &end))
		return false;
	*last = *first;
	return !*end || (*end == '-' && clpac__parse_count(end + 1, last, NULL));
}

/* The channels of a name: those written exactly so, or with `in_any_case` all of its letters. */
static clpac_status take_named(const clpac_recording *recording, const char *word, bool in_any_case, bool excludes,
			       selection *chosen, size_t *n_found, clpac_error *err)
{
	const size_t n = clpac_recording_n_channels(recording);
	for (size_t k = find_name(chosen, n, word); k < n && compare_letters(chosen->by_name[k].name, word) == 0; k++) {
		if (!in_any_case && strcmp(chosen->by_name[k].name, word) != 0)
			continue;
		RETURN_IF_ERROR(
			take_channel(recording, chosen->by_name[k].number, BY_NAME, excludes, word, chosen, err));
		++*n_found;
	}
	return CLPAC_OK;
}

/* The type of this name; CLPAC_KIND_COUNT: none. */
static int find_type(const char *word)
{
	int kind = CLPAC_KIND_UNKNOWN + 1;
	while (kind < CLPAC_KIND_COUNT && compare_letters(clpac_channel_kind_name((clpac_channel_kind)kind), word) != 0)
		kind++;
	return kind;
}

static clpac_status take_type(const clpac_recording *recording, const char *word, bool excludes, selection *chosen,
			      size_t *n_found, clpac_error *err)
{
	const int kind = find_type(word);
	for (size_t i = 0; kind < CLPAC_KIND_COUNT && i < clpac_recording_n_channels(recording); i++) {
		if (clpac_recording_channel(recording, i)->kind != (clpac_channel_kind)kind)
			continue;
		RETURN_IF_ERROR(take_channel(recording, i, BY_PATTERN, excludes, word, chosen, err));
		++*n_found;
	}
	return CLPAC_OK;
}

static clpac_status take_pattern(const clpac_recording *recording, const char *word, bool excludes, selection *chosen,
				 size_t *n_found, clpac_error *err)
{
	for (size_t i = 0; i < clpac_recording_n_channels(recording); i++) {
		const char *name = clpac_recording_channel(recording, i)->name;
		const enum choice how = strcmp(name, word) == 0			 ? BY_NAME
					: fnmatch(word, name, FNM_CASEFOLD) == 0 ? BY_PATTERN
										 : NOT;
		if (!how)
			continue;
		RETURN_IF_ERROR(take_channel(recording, i, how, excludes, word, chosen, err));
		++*n_found;
	}
	return CLPAC_OK;
}

static void note_absent(const char *hyphen, const char *word, selection *chosen)
{
	const size_t length = strlen(chosen->absent), room = sizeof chosen->absent - length;
	if (room > 64)
		snprintf(chosen->absent + length, room, "%s%s%.40s", length ? ", " : "", hyphen, word);
	else if (chosen->absent[length - 1] != '.')
		snprintf(chosen->absent + length, room, ", ...");
}

/* The part of a range behind the last channel. */
static void note_behind(size_t n_channels, uint64_t last, bool excludes, selection *chosen)
{
	char part[48];
	if (last > n_channels)
		snprintf(part, sizeof part, "%zu-%" PRIu64, n_channels, last);
	else
		snprintf(part, sizeof part, "%zu", n_channels);
	note_absent(excludes ? "-" : "", part, chosen);
}

/* In this order: numbers, the exact name, a pattern, a type, the name in any case. */
static clpac_status take_word(const clpac_recording *recording, const char *word, bool excludes, selection *chosen,
			      size_t *n_found, clpac_error *err)
{
	const size_t n = clpac_recording_n_channels(recording);
	uint64_t first, last;
	const bool is_range = read_range(word, &first, &last);
	const bool is_number = is_range && !strchr(word, '-');
	if (!is_number)
		RETURN_IF_ERROR(take_named(recording, word, false, excludes, chosen, n_found, err));
	if (*n_found)
		return CLPAC_OK;
	if (is_range) {
		if (first > last)
			RETURN_ERROR(CLPAC_ERROR_ARGUMENT, "--%s %s: the range ends before it begins", chosen->option,
				     word);
		if (is_number && last >= n)
			RETURN_ERROR(CLPAC_ERROR_ARGUMENT, "--%s %s: the last channel is number %zu, the first 0",
				     chosen->option, word, n - 1);
		if (first < n && last >= n)
			note_behind(n, last, excludes, chosen);
		for (; first <= last && first < n; first++, ++*n_found)
			RETURN_IF_ERROR(take_channel(recording, (size_t)first, is_number ? BY_NAME : BY_PATTERN,
						     excludes, word, chosen, err));
		return CLPAC_OK;
	}
	if (is_pattern(word))
		RETURN_IF_ERROR(take_pattern(recording, word, excludes, chosen, n_found, err));
	if (!*n_found)
		RETURN_IF_ERROR(take_type(recording, word, excludes, chosen, n_found, err));
	if (!*n_found)
		RETURN_IF_ERROR(take_named(recording, word, true, excludes, chosen, n_found, err));
	return CLPAC_OK;
}

static clpac_status choose_default(const clpac_recording *recording, selection *chosen, clpac_error *err)
{
	for (size_t i = 0; i < clpac_recording_n_channels(recording); i++)
		if (clpac__channel_is_usual(clpac_recording_channel(recording, i)))
			RETURN_IF_ERROR(choose_channel(recording, i, BY_DEFAULT, "", chosen, err));
	return CLPAC_OK;
}

/* Whether a word is one of many that suit recordings of different channels: a range, a pattern or a type.  A number and
 * a name mean one channel, which must be there. */
static bool may_be_absent(const char *word)
{
	uint64_t first, last;
	return (read_range(word, &first, &last) && strchr(word, '-')) || is_pattern(word) ||
	       find_type(word) < CLPAC_KIND_COUNT;
}

static clpac_status fail_to_find(const clpac_recording *recording, const selection *chosen, const char *word,
				 clpac_error *err)
{
	char names[600];
	list_channels(recording, names, sizeof names);
	return clpac__fail(err, CLPAC_ERROR_ARGUMENT, "--%s %s: no such channel; there are %s", chosen->option, word,
			   names);
}

/* A word with a hyphen before it takes channels out, unless a channel has that very name. */
static clpac_status choose_word(const clpac_recording *recording, const char *word, bool is_first, selection *chosen,
				clpac_error *err)
{
	size_t n_found = 0;
	bool excludes = false;
	if (word[0] == '-' && word[1]) {
		RETURN_IF_ERROR(take_named(recording, word, false, false, chosen, &n_found, err));
		excludes = n_found == 0;
	}
	if (excludes && is_first) {
		RETURN_IF_ERROR(choose_default(recording, chosen, err));
		chosen->n_words++;
	}
	if (!n_found)
		RETURN_IF_ERROR(take_word(recording, word + excludes, excludes, chosen, &n_found, err));
	if (n_found == 0 && !may_be_absent(word + excludes))
		RETURN_IF_ERROR(fail_to_find(recording, chosen, word, err));
	if (n_found == 0)
		note_absent("", word, chosen);
	chosen->n_words += n_found && !excludes;
	return CLPAC_OK;
}

/* Channels that are left out, in one line. */
typedef struct left_out {
	char list[400];
	size_t length, n;
} left_out;

/* Adds a channel with what there is to say of it. */
static void leave_out(left_out *out, const clpac_recording *recording, size_t i, const char *why)
{
	const size_t room = sizeof out->list - out->length;
	if (room > 64)
		out->length +=
			(size_t)snprintf(out->list + out->length, room, "%s%zu %.30s (%.20s)", out->n ? ", " : "", i,
					 clpac_recording_channel(recording, i)->name, why);
	else if (room > 5 && out->list[out->length - 1] != '.')
		out->length += (size_t)snprintf(out->list + out->length, room, ", ...");
	out->n++;
}

static void warn_of_types(const clpac_recording *recording, const clpac__analysis_settings *settings)
{
	left_out out = {.n = 0};
	for (size_t i = 0; i < clpac_recording_n_channels(recording); i++) {
		const clpac_channel *channel = clpac_recording_channel(recording, i);
		if (!clpac_channel_kind_is_brain(channel->kind))
			leave_out(&out, recording, i, clpac_channel_kind_name(channel->kind));
	}
	if (out.n)
		clpac__analysis_warn(
			settings, 1,
			"%zu channel%s left out, no signal%s of the brain: %s; --channels takes them by name", out.n,
			out.n == 1 ? " is" : "s are", out.n == 1 ? "" : "s", out.list);
}

static clpac_status choose_list(const clpac_recording *recording, const clpac__analysis_settings *settings,
				selection *chosen, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	const char *list = settings->channels;
	char *copy = NULL;
	if (!list) {
		/* Bad and unusable ones are chosen too, to be left out with their reasons. */
		for (size_t i = 0; i < clpac_recording_n_channels(recording); i++)
			if (clpac_channel_kind_is_brain(clpac_recording_channel(recording, i)->kind))
				TRY(choose_channel(recording, i, BY_DEFAULT, "", chosen, err));
		warn_of_types(recording, settings);
		goto done;
	}
	TRY(sort_names(recording, &chosen->by_name, err));
	TRY(NEW_COPY(copy, list));
	for (char *word = copy, *next; word; word = next) {
		const bool is_first = word == copy;
		next = strchr(word, ',');
		if (next)
			*next++ = 0;
		while (isspace((unsigned char)*word))
			word++;
		for (size_t end = strlen(word); end && isspace((unsigned char)word[end - 1]);)
			word[--end] = 0;
		if (!*word)
			FAIL(CLPAC_ERROR_ARGUMENT,
			     "--%s \"%s\": an empty name stands between the commas; leave one out", chosen->option,
			     list);
		TRY(choose_word(recording, word, is_first, chosen, err));
	}
	if (!chosen->n_words)
		TRY(fail_to_find(recording, chosen, list, err));
	if (*chosen->absent)
		clpac__analysis_warn(settings, 1, "--%s %.200s: the recording has no %s; the rest of the list is taken",
				     chosen->option, list, chosen->absent);
done:
	clpac__free(copy);
	return st;
}

/* Takes out those that were excluded, that cannot be used, and bad ones that were not asked for by name. */
static void leave_out_unusable(const clpac_recording *recording, const clpac__analysis_settings *settings,
			       selection *chosen)
{
	size_t n_before = chosen->n;
	chosen->n = 0;
	for (size_t c = 0; c < n_before; c++) {
		const size_t i = chosen->numbers[c];
		const clpac_channel *channel = clpac_recording_channel(recording, i);
		if (!chosen->how[i])
			continue;
		if (channel->unusable || channel->n_samples == 0)
			clpac__analysis_warn(settings, 1, "channel %zu %s is left out: %s", i, channel->name,
					     channel->unusable ? channel->unusable : "it has no samples");
		else if (channel->bad && chosen->how[i] < BY_NAME)
			clpac__analysis_warn(settings, 1, "channel %zu %s is left out, since it is marked as bad: %s",
					     i, channel->name, channel->bad);
		else
			chosen->numbers[chosen->n++] = i;
		if (channel->bad && chosen->n && chosen->numbers[chosen->n - 1] == i)
			clpac__analysis_warn(settings, 1,
					     "channel %zu %s is taken, as it is named, though it is marked as bad: %s",
					     i, channel->name, channel->bad);
	}
}

/* The highest rates so far, of channels that are known to be of the brain and of the others. */
typedef struct highest_rates {
	double brain_hz, other_hz;
} highest_rates;

static void see_rate(const clpac_channel *channel, highest_rates *seen)
{
	const bool is_brain = channel->kind == CLPAC_KIND_UNKNOWN ? clpac__is_electrode(channel->name)
								  : clpac_channel_kind_is_brain(channel->kind);
	double *highest = is_brain ? &seen->brain_hz : &seen->other_hz;
	if (channel->rate_hz > *highest)
		*highest = channel->rate_hz;
}

static double rate_of(const highest_rates *seen)
{
	return seen->brain_hz > 0 ? seen->brain_hz : seen->other_hz;
}

/* The rate of the job: that of the first channel asked for by name, otherwise the highest of those chosen that are
 * known to be of the brain. */
static double choose_rate(const clpac_recording *recording, const selection *chosen)
{
	highest_rates seen = {0, 0};
	for (size_t c = 0; c < chosen->n; c++) {
		const clpac_channel *channel = clpac_recording_channel(recording, chosen->numbers[c]);
		if (chosen->how[chosen->numbers[c]] == BY_NAME)
			return channel->rate_hz;
		see_rate(channel, &seen);
	}
	return rate_of(&seen);
}

static clpac_status keep_one_rate(const clpac_recording *recording, const clpac__analysis_settings *settings,
				  double rate_hz, selection *chosen, clpac_error *err)
{
	size_t n_before = chosen->n;
	left_out out = {.n = 0};
	chosen->n = 0;
	for (size_t c = 0; c < n_before; c++) {
		const size_t i = chosen->numbers[c];
		const clpac_channel *channel = clpac_recording_channel(recording, i);
		char rate[24];
		if (channel->rate_hz == rate_hz) {
			chosen->numbers[chosen->n++] = i;
			continue;
		}
		if (chosen->how[i] == BY_NAME)
			RETURN_ERROR(
				CLPAC_ERROR_ARGUMENT,
				"--%s: %s has %g Hz, yet the first one asked for has %g Hz; a run takes channels of "
				"one rate",
				chosen->option, channel->name, channel->rate_hz, rate_hz);
		snprintf(rate, sizeof rate, "%g Hz", channel->rate_hz);
		leave_out(&out, recording, i, rate);
	}
	if (out.n)
		clpac__analysis_warn(
			settings, 1,
			"%zu channel%s left out, whose rate is not the %g Hz of the others: %s; --channels "
			"takes those of one rate by name, and --resample brings all to one",
			out.n, out.n == 1 ? " is" : "s are", rate_hz, out.list);
	return CLPAC_OK;
}

bool clpac__channel_is_usual(const clpac_channel *channel)
{
	return clpac_channel_kind_is_brain(channel->kind) && !channel->bad && !channel->unusable && channel->n_samples;
}

double clpac__channels_usual_rate(const clpac_recording *recording)
{
	highest_rates seen = {0, 0};
	for (size_t i = 0; i < clpac_recording_n_channels(recording); i++)
		if (clpac__channel_is_usual(clpac_recording_channel(recording, i)))
			see_rate(clpac_recording_channel(recording, i), &seen);
	return rate_of(&seen);
}

clpac_status clpac__channels_choose(const clpac_recording *recording, const clpac__analysis_settings *settings,
				    clpac__chosen_channels *out, clpac_error *err)
{
	return clpac__channels_choose_for(recording, settings, "channels", out, err);
}

clpac_status clpac__channels_choose_for(const clpac_recording *recording, const clpac__analysis_settings *settings,
					const char *option, clpac__chosen_channels *out, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	clpac__chosen_channels made = {.n_samples = SIZE_MAX};
	size_t n = clpac_recording_n_channels(recording);
	selection chosen = {.option = option,
			    .numbers = clpac__alloc_array(n, sizeof *chosen.numbers),
			    .how = clpac__alloc_array(n, sizeof *chosen.how),
			    .is_listed = clpac__alloc_array(n, sizeof *chosen.is_listed)};
	if (!chosen.numbers || !chosen.how || !chosen.is_listed)
		FAIL_NO_MEMORY(n * sizeof *chosen.numbers);
	TRY(choose_list(recording, settings, &chosen, err));
	leave_out_unusable(recording, settings, &chosen);
	made.rate_hz = choose_rate(recording, &chosen);
	TRY(keep_one_rate(recording, settings, made.rate_hz, &chosen, err));

	made.n = chosen.n;
	for (size_t c = 0; c < made.n; c++) {
		size_t n_samples = clpac_recording_channel(recording, chosen.numbers[c])->n_samples;
		if (n_samples < made.n_samples)
			made.n_samples = n_samples;
	}
	if (made.n == 0)
		FAIL(CLPAC_ERROR_FORMAT, "%s: no channel with samples to work on%s", settings->input,
		     settings->channels ? " among those asked for"
					: "; clpac info shows their types, and --channels takes any of them");
	if (!(made.rate_hz > 0))
		FAIL(CLPAC_ERROR_ARGUMENT, "%s: the file does not hold its sampling rate; give it as --rate HZ",
		     settings->input);
	made.numbers = chosen.numbers, chosen.numbers = NULL;
	*out = made;
done:
	FREE_ALL(chosen.numbers, chosen.how, chosen.is_listed, chosen.by_name);
	return st;
}

void clpac__channels_clear(clpac__chosen_channels *channels)
{
	clpac__free(channels->numbers);
	*channels = (clpac__chosen_channels){0};
}
