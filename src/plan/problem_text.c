/* The problem as one line of text, which replays it: "rate=512 channels=4 samples=2048 phase=1.5-2.5,... seed=42".
 *
 * One table of keys serves both directions.  A writer leaves what fails to the text; a reader stores into the copy,
 * which owns what it is given. */
#include "plan/problem.h"

#include <inttypes.h>
#include <string.h>
#include "base/keys.h"
#include "base/memory.h"
#include "base/sized.h"
#include "signal/bands.h"

_Static_assert(offsetof(clpac_problem_copy, problem) == 0, "an offset in a problem is one in its copy");

static void write_edge(clpac__text *text, const clpac__key *key, const void *object)
{
	const clpac_problem *problem = object;
	(void)key;
	if (problem->edge_samples == CLPAC_EDGE_AUTO)
		clpac__text_add(text, "auto");
	else
		clpac__text_add(text, "%td", problem->edge_samples);
}

static clpac_status read_edge(const clpac__keys_reading *reading, const clpac__key *key, const char *value,
			      void *object, clpac_error *err)
{
	clpac_problem_copy *copy = object;
	uint64_t whole;
	const char *end;
	if (!strcmp(value, "auto")) {
		copy->problem.edge_samples = CLPAC_EDGE_AUTO;
		return CLPAC_OK;
	}
	if (!clpac__keys_parse_whole(value, PTRDIFF_MAX, &whole, &end) || *end)
		return clpac__keys_refuse(reading, key, value, "auto or a number of samples", err);
	copy->problem.edge_samples = (ptrdiff_t)whole;
	return CLPAC_OK;
}
static const clpac__key_kind edge = {read_edge, write_edge};

static void write_bands(clpac__text *text, const clpac__key *key, const void *object)
{
	const clpac_problem *problem = object;
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

static clpac_status read_bands(const clpac__keys_reading *reading, const clpac__key *key, const char *value,
			       void *object, clpac_error *err)
{
	clpac_problem_copy *copy = object;
	clpac_band_use use = (clpac_band_use)key->detail;
	clpac_problem *p = &copy->problem;
	size_t *n = use == CLPAC_PHASE ? &p->n_phase_bands : &p->n_amplitude_bands;
	clpac_status st = clpac_bands_read(value, use, &copy->bands[use], n, err);
	if (st)
		return clpac__fail_context(err, st, "%s: %s", reading->what, key->name);
	*(use == CLPAC_PHASE ? &p->phase_bands : &p->amplitude_bands) = copy->bands[use];
	return CLPAC_OK;
}
static const clpac__key_kind bands = {read_bands, write_bands};

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

static void write_taps(clpac__text *text, const clpac__key *key, const void *object)
{
	const clpac_problem *problem = object;
	bool is_phase = key->detail == CLPAC_PHASE;
	const clpac_taps *taps = is_phase ? &problem->phase_taps : &problem->amplitude_taps;
	size_t n_bands = is_phase ? problem->n_phase_bands : problem->n_amplitude_bands;
	clpac__text_add(text, "%zu:%016" PRIx64, taps->n_taps, checksum(taps->taps, taps->n_taps * n_bands));
}

static clpac_status read_taps(const clpac__keys_reading *reading, const clpac__key *key, const char *value,
			      void *object, clpac_error *err)
{
	(void)object;
	return clpac__fail(err, CLPAC_ERROR_ARGUMENT,
			   "%s: %s=%.100s names taps of the caller's own (number per band and checksum), "
			   "which the text does not hold: take it out, read the rest, and set %s again (character %zu)",
			   reading->what, key->name, value, key->name, reading->position);
}
static const clpac__key_kind taps = {read_taps, write_taps};

static void write_shifts(clpac__text *text, const clpac__key *key, const void *object)
{
	const clpac_problem *problem = object;
	(void)key;
	for (size_t k = 0; k < problem->n_surrogates; k++)
		clpac__text_add(text, "%s%zu", k ? "," : "", problem->shifts[k]);
}

static clpac_status read_shifts(const clpac__keys_reading *reading, const clpac__key *key, const char *value,
				void *object, clpac_error *err)
{
	clpac_problem_copy *copy = object;
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
		if (!clpac__keys_parse_whole(rest, SIZE_MAX, &whole, &rest) || *rest != (k + 1 < n ? ',' : '\0')) {
			st = clpac__keys_refuse(reading, key, value, "whole numbers of samples, as 5,17,400", err);
			goto done;
		}
		copy->shifts[k] = (size_t)whole;
	}
	copy->n_shifts = n;
	copy->problem.shifts = copy->shifts;
done:
	return st;
}
static const clpac__key_kind shifts = {read_shifts, write_shifts};

static const char *const averages[] = {"mean", "sum", NULL};
static const char *const hilberts[] = {"local", "trimmed", NULL};

/* The keys in the order of writing; a text may have them in any order. */
#define MEMBER(member) offsetof(clpac_problem, member), sizeof((clpac_problem *)0)->member
/* clang-format off */
static const clpac__key keys[] = {
	{"rate", &clpac__key_number, MEMBER(rate_hz), NULL, 0},
	{"channels", &clpac__key_count, MEMBER(n_channels), NULL, 0},
	{"segments", &clpac__key_count, MEMBER(n_segments), NULL, 0},
	{"samples", &clpac__key_count, MEMBER(n_samples), NULL, 0},
	{"phase", &bands, MEMBER(phase_bands), NULL, CLPAC_PHASE},
	{"amplitude", &bands, MEMBER(amplitude_bands), NULL, CLPAC_AMPLITUDE},
	{"phase_cycles", &clpac__key_number, MEMBER(phase_cycles), NULL, 0},
	{"amplitude_cycles", &clpac__key_number, MEMBER(amplitude_cycles), NULL, 0},
	{"phase_taps", &taps, MEMBER(phase_taps), NULL, CLPAC_PHASE},
	{"amplitude_taps", &taps, MEMBER(amplitude_taps), NULL, CLPAC_AMPLITUDE},
	{"bins", &clpac__key_count, MEMBER(n_bins), NULL, 0},
	{"average", &clpac__key_choice, MEMBER(average), averages, 0},
	{"hilbert", &clpac__key_choice, MEMBER(hilbert), hilberts, 0},
	{"edge", &edge, MEMBER(edge_samples), NULL, 0},
	{"surrogates", &clpac__key_count, MEMBER(n_surrogates), NULL, 0},
	{"shifts", &shifts, MEMBER(shifts), NULL, 0},
	{"min_shift", &clpac__key_count, MEMBER(min_shift), NULL, 0},
	{"seed", &clpac__key_count, MEMBER(seed), NULL, 0},
	{"share_shifts", &clpac__key_yes, MEMBER(share_shifts), NULL, 0},
	{"ddof", &clpac__key_count, MEMBER(ddof), NULL, 0},
	{"keep_surrogates", &clpac__key_yes, MEMBER(keep_surrogates), NULL, 0},
	{"keep_distributions", &clpac__key_yes, MEMBER(keep_distributions), NULL, 0},
};
/* clang-format on */
enum { KEY_COUNT = sizeof keys / sizeof *keys };

/* Pointers that are NULL are not written: they mean the default. */
static bool is_written(const clpac_problem *problem, const clpac__key *key)
{
	if (key->kind == &taps)
		return (key->detail == CLPAC_PHASE ? problem->phase_taps.taps : problem->amplitude_taps.taps) != NULL;
	if (key->kind == &shifts)
		return problem->shifts && problem->n_surrogates;
	return true;
}

clpac_status clpac_problem_write(const clpac_problem *problem, char **out, clpac_error *err)
{
	NEED(problem);
	NEED_AS(out, "text");
	clpac_status st = CLPAC_OK;
	clpac__text text = {0};
	clpac_problem filled;
	TRY(clpac__take_sized(&filled, problem, clpac_problem, err));
	clpac__problem_fill(&filled);
	for (size_t i = 0; i < KEY_COUNT; i++) {
		if (!is_written(&filled, &keys[i]))
			continue;
		clpac__keys_write(&text, &keys[i], &filled);
	}
	char *made = clpac__text_take(&text);
	if (!made)
		FAIL(CLPAC_ERROR_NO_MEMORY, "clpac_problem_write: the host has no memory left for the text");
	*out = made;
done:
	clpac__text_clear(&text);
	return st;
}

clpac_status clpac_problem_read(const char *text, clpac_problem_copy **out, clpac_error *err)
{
	NEED(text);
	NEED(out);
	clpac_status st = CLPAC_OK;
	clpac_problem_copy *made = clpac__alloc_zero(sizeof *made);
	if (!made)
		FAIL_NO_MEMORY(sizeof *made);
	made->problem.size = sizeof made->problem;
	TRY(clpac__keys_read("problem text", "a problem", keys, KEY_COUNT, text, made, err));
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
	clpac_problem_destroy(made);
	return st;
}
