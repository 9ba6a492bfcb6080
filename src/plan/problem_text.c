/* The problem as one line of text, which replays it: "rate=512 channels=4 samples=2048 phase=1.5-2.5,... seed=42".
 *
 * One table of keys serves both directions. */
#include "plan/problem.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "base/memory.h"
#include "base/text.h"
#include "signal/bands.h"

typedef struct key key;

/* How one kind of member is written and read.  A writer leaves allocation failures to the text; a reader stores into
 * the copy, which takes ownership. */
typedef struct kind {
	void (*write)(clpac__text *text, const clpac_problem *problem, const key *key);
	clpac_status (*read)(clpac_problem_copy *copy, const key *key, const char *value, clpac_error *err);
} kind;

struct key {
	const char *name;
	const kind *kind;
	size_t offset;	      /* of the member of clpac_problem */
	int detail;	      /* the use of bands and taps */
	const char *words[2]; /* for a choice: the words for 0 and 1 */
};

static clpac_status refuse(const key *key, const char *value, const char *wanted, clpac_error *err)
{
	return clpac__fail(err, CLPAC_ERROR_ARGUMENT, "problem text: %s=%.100s is not understood: give %s", key->name,
			   value, wanted);
}

static const void *member_of(const clpac_problem *problem, const key *key)
{
	return (const char *)problem + key->offset;
}

static void *member_to_set(clpac_problem_copy *copy, const key *key)
{
	return (char *)&copy->problem + key->offset;
}

/* Reads an unsigned whole number, exact up to 64 bits. */
static bool parse_whole(const char *text, uint64_t most, uint64_t *out, const char **end)
{
	if (*text < '0' || *text > '9')
		return false;
	char *stop;
	errno = 0;
	unsigned long long value = strtoull(text, &stop, 10);
	if (errno || value > most)
		return false;
	*out = value;
	*end = stop;
	return true;
}

static void write_number(clpac__text *text, const clpac_problem *problem, const key *key)
{
	clpac__text_add_number(text, *(const double *)member_of(problem, key));
}

static clpac_status read_number(clpac_problem_copy *copy, const key *key, const char *value, clpac_error *err)
{
	const char *end;
	if (!clpac__parse_number(value, member_to_set(copy, key), &end) || *end)
		return refuse(key, value, "a number", err);
	return CLPAC_OK;
}
static const kind number = {write_number, read_number};

static void write_count(clpac__text *text, const clpac_problem *problem, const key *key)
{
	clpac__text_add(text, "%zu", *(const size_t *)member_of(problem, key));
}

static clpac_status read_count(clpac_problem_copy *copy, const key *key, const char *value, clpac_error *err)
{
	uint64_t whole;
	const char *end;
	if (!parse_whole(value, SIZE_MAX, &whole, &end) || *end)
		return refuse(key, value, "a whole number from 0 on", err);
	*(size_t *)member_to_set(copy, key) = (size_t)whole;
	return CLPAC_OK;
}
static const kind count = {write_count, read_count};

static void write_small(clpac__text *text, const clpac_problem *problem, const key *key)
{
	clpac__text_add(text, "%u", *(const unsigned *)member_of(problem, key));
}

static clpac_status read_small(clpac_problem_copy *copy, const key *key, const char *value, clpac_error *err)
{
	uint64_t whole;
	const char *end;
	if (!parse_whole(value, UINT32_MAX, &whole, &end) || *end)
		return refuse(key, value, "a whole number from 0 on", err);
	*(unsigned *)member_to_set(copy, key) = (unsigned)whole;
	return CLPAC_OK;
}
static const kind small = {write_small, read_small};

static void write_seed(clpac__text *text, const clpac_problem *problem, const key *key)
{
	clpac__text_add(text, "%" PRIu64, *(const uint64_t *)member_of(problem, key));
}

static clpac_status read_seed(clpac_problem_copy *copy, const key *key, const char *value, clpac_error *err)
{
	const char *end;
	if (!parse_whole(value, UINT64_MAX, member_to_set(copy, key), &end) || *end)
		return refuse(key, value, "a whole number from 0 on", err);
	return CLPAC_OK;
}
static const kind seed = {write_seed, read_seed};

static void write_yes(clpac__text *text, const clpac_problem *problem, const key *key)
{
	clpac__text_add(text, "%s", *(const bool *)member_of(problem, key) ? "yes" : "no");
}

static clpac_status read_yes(clpac_problem_copy *copy, const key *key, const char *value, clpac_error *err)
{
	bool yes = !strcmp(value, "yes");
	if (!yes && strcmp(value, "no"))
		return refuse(key, value, "yes or no", err);
	*(bool *)member_to_set(copy, key) = yes;
	return CLPAC_OK;
}
static const kind yes = {write_yes, read_yes};

_Static_assert(sizeof(clpac_average) == sizeof(unsigned) && sizeof(clpac_hilbert) == sizeof(unsigned),
	       "a choice is read and written as an unsigned");

static void write_choice(clpac__text *text, const clpac_problem *problem, const key *key)
{
	unsigned choice;
	memcpy(&choice, member_of(problem, key), sizeof choice);
	if (choice < 2)
		clpac__text_add(text, "%s", key->words[choice]);
	else
		clpac__text_add(text, "%u", choice); /* so that a failure's text shows an invalid value */
}

static clpac_status read_choice(clpac_problem_copy *copy, const key *key, const char *value, clpac_error *err)
{
	for (unsigned i = 0; i < 2; i++) {
		if (strcmp(value, key->words[i]))
			continue;
		memcpy(member_to_set(copy, key), &i, sizeof i);
		return CLPAC_OK;
	}
	return clpac__fail(err, CLPAC_ERROR_ARGUMENT, "problem text: %s=%.100s is not understood: give %s or %s",
			   key->name, value, key->words[0], key->words[1]);
}
static const kind choice = {write_choice, read_choice};

static void write_edge(clpac__text *text, const clpac_problem *problem, const key *key)
{
	(void)key;
	if (problem->edge_samples == CLPAC_EDGE_AUTO)
		clpac__text_add(text, "auto");
	else
		clpac__text_add(text, "%td", problem->edge_samples);
}

static clpac_status read_edge(clpac_problem_copy *copy, const key *key, const char *value, clpac_error *err)
{
	uint64_t whole;
	const char *end;
	if (!strcmp(value, "auto")) {
		copy->problem.edge_samples = CLPAC_EDGE_AUTO;
		return CLPAC_OK;
	}
	if (!parse_whole(value, PTRDIFF_MAX, &whole, &end) || *end)
		return refuse(key, value, "auto or a number of samples", err);
	copy->problem.edge_samples = (ptrdiff_t)whole;
	return CLPAC_OK;
}
static const kind edge = {write_edge, read_edge};

static void write_bands(clpac__text *text, const clpac_problem *problem, const key *key)
{
	clpac_band_use use = (clpac_band_use)key->detail;
	const clpac_band *bands = use == CLPAC_PHASE ? problem->phase_bands : problem->amplitude_bands;
	size_t n = use == CLPAC_PHASE ? problem->n_phase_bands : problem->n_amplitude_bands;
	clpac_band *defaults = NULL;
	if (!bands) {
		/* Reading the defaults can only run out of memory, which the text reports at the end. */
		if (clpac_bands_read(clpac__bands_default_text(use), use, &defaults, &n, NULL))
			text->failed = true;
		bands = defaults;
	}
	if (bands)
		clpac__bands_add_text(text, bands, n);
	clpac_bands_free(defaults);
}

static clpac_status read_bands(clpac_problem_copy *copy, const key *key, const char *value, clpac_error *err)
{
	clpac_band_use use = (clpac_band_use)key->detail;
	clpac_problem *p = &copy->problem;
	size_t *n = use == CLPAC_PHASE ? &p->n_phase_bands : &p->n_amplitude_bands;
	clpac_status st = clpac_bands_read(value, use, &copy->bands[use], n, err);
	if (st)
		return clpac__fail_context(err, st, "problem text: %s", key->name);
	*(use == CLPAC_PHASE ? &p->phase_bands : &p->amplitude_bands) = copy->bands[use];
	return CLPAC_OK;
}
static const kind bands = {write_bands, read_bands};

/* FNV-1a over the doubles' bits, low byte first: enough to tell two filter banks apart, no protection. */
static uint64_t checksum(const double *values, size_t n)
{
	uint64_t sum = 0xcbf29ce484222325u;
	for (size_t i = 0; i < n; i++) {
		uint64_t bits;
		memcpy(&bits, &values[i], sizeof bits);
		for (int byte = 0; byte < 8; byte++)
			sum = (sum ^ (bits >> (8 * byte) & 0xff)) * 0x100000001b3u;
	}
	return sum;
}

static void write_taps(clpac__text *text, const clpac_problem *problem, const key *key)
{
	bool is_phase = key->detail == CLPAC_PHASE;
	const clpac_taps *taps = is_phase ? &problem->phase_taps : &problem->amplitude_taps;
	size_t n_bands = is_phase ? problem->n_phase_bands : problem->n_amplitude_bands;
	clpac__text_add(text, "%zu:%016" PRIx64, taps->n_taps, checksum(taps->taps, taps->n_taps * n_bands));
}

static clpac_status read_taps(clpac_problem_copy *copy, const key *key, const char *value, clpac_error *err)
{
	(void)copy;
	return clpac__fail(err, CLPAC_ERROR_ARGUMENT,
			   "problem text: %s=%.100s names taps of the caller's own (number per band and checksum), "
			   "which the text does not hold: take it out, read the rest, and set %s again",
			   key->name, value, key->name);
}
static const kind taps = {write_taps, read_taps};

static void write_shifts(clpac__text *text, const clpac_problem *problem, const key *key)
{
	(void)key;
	for (size_t k = 0; k < problem->n_surrogates; k++)
		clpac__text_add(text, "%s%zu", k ? "," : "", problem->shifts[k]);
}

static clpac_status read_shifts(clpac_problem_copy *copy, const key *key, const char *value, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	size_t n = 1;
	for (const char *comma = strchr(value, ','); comma; comma = strchr(comma + 1, ','))
		n++;
	copy->shifts = clpac__alloc_array(n, sizeof *copy->shifts);
	if (!copy->shifts)
		FAIL_NO_MEMORY(n * sizeof *copy->shifts);
	const char *rest = value;
	for (size_t k = 0; k < n; k++, rest++) {
		uint64_t whole;
		if (!parse_whole(rest, SIZE_MAX, &whole, &rest) || *rest != (k + 1 < n ? ',' : '\0')) {
			st = refuse(key, value, "whole numbers of samples, as 5,17,400", err);
			goto done;
		}
		copy->shifts[k] = (size_t)whole;
	}
	copy->n_shifts = n;
	copy->problem.shifts = copy->shifts;
done:
	return st;
}
static const kind shifts = {write_shifts, read_shifts};

/* The keys in the order of writing; a text may have them in any order. */
#define AT(member) offsetof(clpac_problem, member)
static const key keys[] = {
	{"rate", &number, AT(rate_hz), 0, {0}},
	{"channels", &count, AT(n_channels), 0, {0}},
	{"segments", &count, AT(n_segments), 0, {0}},
	{"samples", &count, AT(n_samples), 0, {0}},
	{"phase", &bands, AT(phase_bands), CLPAC_PHASE, {0}},
	{"amplitude", &bands, AT(amplitude_bands), CLPAC_AMPLITUDE, {0}},
	{"phase_cycles", &number, AT(phase_cycles), 0, {0}},
	{"amplitude_cycles", &number, AT(amplitude_cycles), 0, {0}},
	{"phase_taps", &taps, AT(phase_taps), CLPAC_PHASE, {0}},
	{"amplitude_taps", &taps, AT(amplitude_taps), CLPAC_AMPLITUDE, {0}},
	{"bins", &small, AT(n_bins), 0, {0}},
	{"average", &choice, AT(average), 0, {"mean", "sum"}},
	{"hilbert", &choice, AT(hilbert), 0, {"fused", "trimmed"}},
	{"edge", &edge, AT(edge_samples), 0, {0}},
	{"surrogates", &count, AT(n_surrogates), 0, {0}},
	{"shifts", &shifts, AT(shifts), 0, {0}},
	{"min_shift", &count, AT(min_shift), 0, {0}},
	{"seed", &seed, AT(seed), 0, {0}},
	{"share_shifts", &yes, AT(share_shifts), 0, {0}},
	{"ddof", &small, AT(ddof), 0, {0}},
	{"keep_surrogates", &yes, AT(keep_surrogates), 0, {0}},
	{"keep_distributions", &yes, AT(keep_distributions), 0, {0}},
};
enum { KEY_COUNT = sizeof keys / sizeof *keys };

/* Pointers that are NULL are not written: they mean the default. */
static bool is_written(const clpac_problem *problem, const key *key)
{
	if (key->kind == &taps)
		return (key->detail == CLPAC_PHASE ? problem->phase_taps.taps : problem->amplitude_taps.taps) != NULL;
	if (key->kind == &shifts)
		return problem->shifts && problem->n_surrogates;
	return true;
}

clpac_status clpac_problem_write(const clpac_problem *problem, char **out, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	clpac__text text = {0};
	clpac_problem filled = *problem;
	clpac__problem_fill(&filled);
	for (size_t i = 0; i < KEY_COUNT; i++) {
		if (!is_written(&filled, &keys[i]))
			continue;
		clpac__text_add(&text, "%s%s=", i ? " " : "", keys[i].name);
		keys[i].kind->write(&text, &filled, &keys[i]);
	}
	char *made = clpac__text_take(&text);
	if (!made)
		FAIL(CLPAC_ERROR_NO_MEMORY, "clpac_problem_write: the host has no memory left for the text");
	*out = made;
done:
	clpac__text_clear(&text);
	return st;
}

static clpac_status read_word(clpac_problem_copy *copy, char *word, bool seen[KEY_COUNT], clpac_error *err)
{
	char *mark = strchr(word, '=');
	if (!mark)
		return clpac__fail(err, CLPAC_ERROR_ARGUMENT, "problem text: '%.100s' is not KEY=VALUE", word);
	*mark = 0;
	for (size_t i = 0; i < KEY_COUNT; i++) {
		if (strcmp(word, keys[i].name))
			continue;
		if (seen[i])
			return clpac__fail(err, CLPAC_ERROR_ARGUMENT, "problem text: %s is given twice", word);
		seen[i] = true;
		return keys[i].kind->read(copy, &keys[i], mark + 1, err);
	}
	return clpac__fail(err, CLPAC_ERROR_ARGUMENT,
			   "problem text: '%.100s' is no key of a problem (rate, samples, phase, ...)", word);
}

clpac_status clpac_problem_read(const char *text, clpac_problem_copy **out, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	bool seen[KEY_COUNT] = {false};
	char *words = NULL, *rest = NULL;
	clpac_problem_copy *made = clpac__alloc_zero(sizeof *made);
	if (!made)
		FAIL_NO_MEMORY(sizeof *made);
	words = clpac__strdup(text);
	if (!words)
		FAIL_NO_MEMORY(strlen(text) + 1);
	for (char *word = strtok_r(words, " \t\r\n", &rest); word; word = strtok_r(NULL, " \t\r\n", &rest))
		TRY(read_word(made, word, seen, err));
	if (made->shifts) {
		clpac_problem *p = &made->problem;
		if (p->n_surrogates && p->n_surrogates != made->n_shifts)
			FAIL(CLPAC_ERROR_ARGUMENT, "problem text: surrogates=%zu and %zu shifts: leave one of them out",
			     p->n_surrogates, made->n_shifts);
		p->n_surrogates = made->n_shifts;
	}
	*out = made;
	made = NULL;
done:
	clpac__free(words);
	clpac_problem_destroy(made);
	return st;
}
