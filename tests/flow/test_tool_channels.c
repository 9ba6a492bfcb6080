/* --channels on random recordings: the choice is that of a plain model, which goes through words and channels one by
 * one. */
#include "runner.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "assertions.h"
#include "random.h"
#include "analysis/channels/channels.h"
#include "base/electrode.h"
#include "recording/channel_kind.h"

enum { N = 9, MOST_WORDS = 4 };

static const char *const names[] = {"Fz", "FZ", "Cz", "eog", "EOG", "A-1", "0-1", "-x", "EEG 1", "EEG 2", "b"};
static const char *const words[] = {"Fz",  "fz",  "FZ",	  "cz",	 "eog",	 "EEG",	 "eeg*", "?z",	"0",	"1-3",
				    "0-1", "A-1", "a-1",  "-x",	 "misc", "8",	 "4-4",	 "zzz", "*",	"trigger",
				    "B",   "9",	  "5-12", "3-1", "-Fz",	 "-eog", "-eeg", "-*",	"-0-3", "--x"};

static clpac_recording *random_recording(unsigned long long *state)
{
	clpac_error err = {0};
	clpac_recording *r = NULL;
	OK(clpac_recording_create("made", &r, &err));
	for (size_t i = 0; i < N; i++) {
		static const clpac_channel_kind kinds[] = {CLPAC_KIND_UNKNOWN, CLPAC_KIND_EEG, CLPAC_KIND_EOG,
							   CLPAC_KIND_MISC};
		OK(clpac_recording_add_channel(r, names[random_below(state, COUNT(names))], "",
					       random_below(state, 4) ? 200 : 500, random_below(state, 8) != 0,
					       CLPAC_FLOAT32, NULL, &err));
		OK(clpac_recording_set_kind(r, i, kinds[random_below(state, COUNT(kinds))],
					    random_below(state, 5) ? NULL : "bad", &err));
	}
	return r;
}

typedef struct model {
	int how[N]; /* 0 not, 1 by default, 2 by pattern, 3 by name */
	size_t order[N], n, n_words;
	bool fails;
} model;

static void put(model *m, size_t i, int how, bool excludes)
{
	if (excludes) {
		m->how[i] = 0;
		return;
	}
	m->fails |= how == 3 && m->how[i] == 3;
	bool is_there = false;
	for (size_t k = 0; k < m->n; k++)
		is_there |= m->order[k] == i;
	if (!is_there)
		m->order[m->n++] = i;
	if (how > m->how[i])
		m->how[i] = how;
}

/* A star stands for anything at the end, a question mark for one character at the start; nothing else is used. */
static bool fits(const char *pattern, const char *name)
{
	if (*pattern == '?')
		return *name && strcasecmp(pattern + 1, name + 1) == 0;
	return strncasecmp(pattern, name, strlen(pattern) - 1) == 0;
}

static bool is_usual(const clpac_channel *channel)
{
	return (channel->kind == CLPAC_KIND_UNKNOWN || channel->kind == CLPAC_KIND_EEG) && !channel->bad &&
	       channel->n_samples;
}

static size_t take(const clpac_recording *r, const char *word, bool excludes, model *m)
{
	size_t n = 0;
	unsigned first, last;
	int end = 0;
	const bool is_number = word[strspn(word, "0123456789")] == 0;
	for (size_t i = 0; i < N && !is_number; i++)
		if (strcmp(clpac_recording_channel(r, i)->name, word) == 0 && ++n)
			put(m, i, 3, excludes);
	if (n)
		return n;
	if (is_number || (sscanf(word, "%u-%u%n", &first, &last, &end) == 2 && !word[end])) {
		if (is_number)
			first = last = (unsigned)atoi(word);
		m->fails |= first > last || (is_number && last >= N);
		for (size_t i = first; !m->fails && i <= last && i < N; i++, n++)
			put(m, i, is_number ? 3 : 2, excludes);
		return n;
	}
	for (size_t i = 0; i < N && strpbrk(word, "*?"); i++)
		if (fits(word, clpac_recording_channel(r, i)->name) && ++n)
			put(m, i, 2, excludes);
	for (size_t i = 0, before = n; i < N && !before; i++)
		if (*word && strcasecmp(clpac_channel_kind_name(clpac_recording_channel(r, i)->kind), word) == 0 && ++n)
			put(m, i, 2, excludes);
	for (size_t i = 0, before = n; i < N && !before; i++)
		if (strcasecmp(clpac_recording_channel(r, i)->name, word) == 0 && ++n)
			put(m, i, 3, excludes);
	return n;
}

static bool is_range(const char *word)
{
	unsigned first, last;
	int end = 0;
	return sscanf(word, "%u-%u%n", &first, &last, &end) == 2 && !word[end];
}

static bool is_type(const char *word)
{
	for (int kind = CLPAC_KIND_EEG; kind < CLPAC_KIND_COUNT; kind++)
		if (strcasecmp(clpac_channel_kind_name((clpac_channel_kind)kind), word) == 0)
			return true;
	return false;
}

static void choose(const clpac_recording *r, const char *word, bool is_first, model *m)
{
	if (m->fails)
		return;
	bool is_name = false;
	for (size_t i = 0; i < N; i++)
		is_name |= strcmp(clpac_recording_channel(r, i)->name, word) == 0;
	const bool excludes = *word == '-' && !is_name;
	for (size_t i = 0; i < N && excludes && is_first; i++)
		if (is_usual(clpac_recording_channel(r, i)))
			put(m, i, 1, false);
	m->n_words += excludes && is_first;
	const size_t n = take(r, word + excludes, excludes, m);
	m->n_words += n && !excludes;
	/* A range, a pattern and a type may have no channel, a name and a number must. */
	if (n == 0 && !strpbrk(word, "*?") && !is_range(word + excludes) && !is_type(word + excludes))
		m->fails = true;
}

/* Of the names that are drawn, those of two electrodes. */
static bool is_known(const clpac_channel *channel)
{
	return channel->kind == CLPAC_KIND_EEG ||
	       (channel->kind == CLPAC_KIND_UNKNOWN &&
		(strcasecmp(channel->name, "Fz") == 0 || strcasecmp(channel->name, "Cz") == 0));
}

/* The chosen channels of one rate; false where the program has to fail. */
static bool finish(const clpac_recording *r, model *m, size_t chosen[N], size_t *n, double *rate_hz)
{
	size_t n_left = 0;
	bool has_name = false, has_brain = false;
	*n = 0;
	*rate_hz = 0;
	for (size_t k = 0; k < m->n; k++) {
		const clpac_channel *channel = clpac_recording_channel(r, m->order[k]);
		const int how = m->how[m->order[k]];
		if (how && channel->n_samples && !(channel->bad && how < 3))
			m->order[n_left++] = m->order[k];
	}
	for (size_t k = 0; k < n_left; k++) {
		const double hz = clpac_recording_channel(r, m->order[k])->rate_hz;
		const bool is_name = m->how[m->order[k]] == 3;
		const bool is_brain = is_known(clpac_recording_channel(r, m->order[k]));
		if (is_name ? !has_name
			    : !has_name && (is_brain > has_brain || (is_brain == has_brain && hz > *rate_hz)))
			*rate_hz = hz;
		has_name |= is_name;
		has_brain |= is_brain;
	}
	for (size_t k = 0; k < n_left; k++) {
		if (clpac_recording_channel(r, m->order[k])->rate_hz == *rate_hz)
			chosen[(*n)++] = m->order[k];
		else if (m->how[m->order[k]] == 3)
			return false;
	}
	return *n > 0;
}

static void describe(const clpac_recording *r, char *text)
{
	for (size_t i = 0; i < N; i++) {
		const clpac_channel *channel = clpac_recording_channel(r, i);
		text += sprintf(text, "%zu %s (%s, %g Hz, %zu%s) ", i, channel->name,
				clpac_channel_kind_name(channel->kind), channel->rate_hz, channel->n_samples,
				channel->bad ? ", bad" : "");
	}
}

TEST_EACH(random_selections_are_those_of_the_model, 50)
{
	for (int round = 0; round < 200; round++) {
		unsigned long long state = (unsigned long long)_i * 1000 + (unsigned long long)round;
		clpac_recording *r = random_recording(&state);
		char list[256] = "", text[2048];
		model m = {0};
		const size_t n_words = random_below(&state, MOST_WORDS + 1);
		for (size_t k = 0; k < n_words; k++) {
			const char *word = words[random_below(&state, COUNT(words))];
			snprintf(list + strlen(list), sizeof list - strlen(list), "%s%s", k ? "," : "", word);
			choose(r, word, k == 0, &m);
		}
		m.fails |= n_words && !m.n_words;
		for (size_t i = 0; i < N && !n_words; i++) {
			const clpac_channel_kind kind = clpac_recording_channel(r, i)->kind;
			if (kind == CLPAC_KIND_UNKNOWN || kind == CLPAC_KIND_EEG)
				put(&m, i, 1, false);
		}
		size_t chosen[N], n = 0;
		double rate_hz;
		const bool works = !m.fails && finish(r, &m, chosen, &n, &rate_hz);
		const clpac__analysis_settings settings = {.input = "made", .channels = n_words ? list : NULL};
		clpac__chosen_channels found = {0};
		clpac_error err = {0};
		const clpac_status st = clpac__channels_choose(r, &settings, &found, &err);
		describe(r, text);
		ck_assert_msg((st == CLPAC_OK) == works, "--channels \"%s\" of %s: %s", list, text,
			      works ? err.text : "it is taken");
		if (works) {
			ck_assert_msg(found.n == n && memcmp(found.numbers, chosen, n * sizeof *chosen) == 0,
				      "--channels \"%s\" of %s", list, text);
			ck_assert(found.rate_hz == rate_hz);
		}
		clpac__channels_clear(&found);
		clpac_recording_destroy(r);
	}
}

TEST(names_of_electrodes_are_positions_on_the_head)
{
	static const char *const yes[] = {"Fz",	   "FPz", "Fp1", "C3-M2", "T10",  "CP5h",
					  "FFC1h", "A1",  "oz",	 "Cz:A1", "TPP7h"};
	static const char *const no[] = {"",	  "z",	 "C",	"Czx", "C100", "C1234", "E1",
					 "Snore", "Cz2", "Ch1", "AD1", "H1",   "C1x"};
	for (size_t i = 0; i < COUNT(yes); i++)
		ck_assert_msg(clpac__is_electrode(yes[i]), "%s", yes[i]);
	for (size_t i = 0; i < COUNT(no); i++)
		ck_assert_msg(!clpac__is_electrode(no[i]), "%s", no[i]);
}

/* The rate of a recording of these channels, at which a run takes it. */
static double rate_of(const char *const names[], const double rates_hz[], size_t n, const char *list)
{
	clpac_error err = {0};
	clpac_recording *r = NULL;
	clpac__chosen_channels found = {0};
	const clpac__analysis_settings settings = {.input = "made", .channels = list};
	OK(clpac_recording_create("made", &r, &err));
	for (size_t i = 0; i < n; i++) {
		OK(clpac_recording_add_channel(r, names[i], "uV", rates_hz[i], 16, CLPAC_FLOAT32, NULL, &err));
		OK(clpac_recording_set_kind(r, i, clpac__kind_of_label(names[i], "uV"), NULL, &err));
	}
	OK(clpac__channels_choose(r, &settings, &found, &err));
	const double rate_hz = found.rate_hz;
	if (!list)
		ck_assert_double_eq(clpac__channels_usual_rate(r), rate_hz);
	clpac__channels_clear(&found);
	clpac_recording_destroy(r);
	return rate_hz;
}

TEST(channels_of_the_brain_decide_the_rate)
{
	static const double rates_hz[] = {256, 512, 256, 1024};
	static const char *const clinical[] = {"EEG C3-A2", "Snore", "EEG C4-A1", "Mystery"};
	static const char *const bare[] = {"C3-M2", "Snore", "C4-M1", "Mystery"};
	static const char *const unknown[] = {"one", "two", "three", "four"};
	ck_assert_double_eq(rate_of(clinical, rates_hz, 4, NULL), 256);
	ck_assert_double_eq(rate_of(clinical, rates_hz, 4, "*"), 256);
	ck_assert_double_eq(rate_of(clinical, rates_hz, 4, "Snore"), 512);
	ck_assert_double_eq(rate_of(bare, rates_hz, 4, NULL), 256);
	ck_assert_double_eq(rate_of(unknown, rates_hz, 4, NULL), 1024);
}
