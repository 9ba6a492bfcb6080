/* The problem as one line of text, which replays it: "rate=512 channels=4 samples=2048 phase=1.5-2.5,... seed=42".
 *
 * One table of keys serves both directions.  A writer leaves what fails to the text; a reader stores into the copy,
 * which owns what it is given. */
#include "coupling/data/words.h"
#include "coupling/problem/problem.h"

#include <inttypes.h>
#include <string.h>
#include "base/keys.h"
#include "base/memory.h"
#include "base/sized.h"
#include "coupling/signal/bands.h"

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
	bool is_phase = key->detail == CLPAC_PHASE;
	clpac__bands_add_text(text, is_phase ? problem->phase_bands : problem->amplitude_bands,
			      is_phase ? problem->n_phase_bands : problem->n_amplitude_bands);
}

/* A range depends on rate and phase bands, which may follow in the text; it is read again by complete_ranges. */
static clpac_status read_bands(const clpac__keys_reading *reading, const clpac__key *key, const char *value,
			       void *object, clpac_error *err)
{
	clpac_problem_copy *copy = object;
	clpac_band_use use = (clpac_band_use)key->detail;
	clpac_problem *p = &copy->problem;
	size_t *n = use == CLPAC_PHASE ? &p->n_phase_bands : &p->n_amplitude_bands;
	bool is_tied;
	const clpac_bands_rule rule = {.size = sizeof rule, .is_tied = &is_tied};
	clpac_status st = clpac_bands_read(value, use, &rule, &copy->bands[use], n, NULL, err);
	if (st)
		return clpac__fail_context(err, st, "%s: %s", reading->what, key->name);
	*(use == CLPAC_PHASE ? &p->phase_bands : &p->amplitude_bands) = copy->bands[use];
	if (strchr(value, ':') && !(copy->ranges[use] = clpac__strdup(value)))
		return clpac__fail(err, CLPAC_ERROR_NO_MEMORY, "%s: the host has no memory left for %s", reading->what,
				   key->name);
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

/* Lists of whole numbers: the members that point to them and that hold their length. */
static const struct {
	size_t numbers, n;
	const char *length_name; /* key of the length */
	const char *list_name;	 /* the list in an error */
	const char *wanted;
} lists[CLPAC__LIST_COUNT] = {
	[CLPAC__SHIFTS] = {offsetof(clpac_problem, shifts), offsetof(clpac_problem, n_surrogates), "surrogates",
			   "shifts", "whole numbers of samples, as 5,17,400"},
	[CLPAC__CHANNEL_NUMBERS] = {offsetof(clpac_problem, channel_numbers), offsetof(clpac_problem, n_channels),
				    "channels", "channel numbers", "whole numbers, as 7,3,0"},
	[CLPAC__SEGMENT_NUMBERS] = {offsetof(clpac_problem, segment_numbers), offsetof(clpac_problem, n_segments),
				    "segments", "segment numbers", "whole numbers, as 7,3,0"},
};

static const size_t *list_of(const clpac_problem *problem, int which)
{
	const size_t *numbers;
	memcpy(&numbers, (const char *)problem + lists[which].numbers, sizeof numbers);
	return numbers;
}

static size_t length_of(const clpac_problem *problem, int which)
{
	size_t n;
	memcpy(&n, (const char *)problem + lists[which].n, sizeof n);
	return n;
}

static void write_list(clpac__text *text, const clpac__key *key, const void *object)
{
	const size_t *numbers = list_of(object, key->detail), n = length_of(object, key->detail);
	for (size_t k = 0; k < n; k++)
		clpac__text_add(text, "%s%zu", k ? "," : "", numbers[k]);
}

static clpac_status read_list(const clpac__keys_reading *reading, const clpac__key *key, const char *value,
			      void *object, clpac_error *err)
{
	clpac_problem_copy *copy = object;
	clpac_status st = CLPAC_OK;
	size_t n = 1, *numbers;
	for (const char *comma = strchr(value, ','); comma; comma = strchr(comma + 1, ','))
		n++;
	numbers = copy->lists[key->detail] = clpac__alloc_array(n, sizeof *numbers);
	if (!numbers)
		RETURN_NO_MEMORY(n * sizeof *numbers);
	const char *rest = value;
	for (size_t k = 0; k < n; k++, rest++) {
		uint64_t whole;
		if (!clpac__keys_parse_whole(rest, SIZE_MAX, &whole, &rest) || *rest != (k + 1 < n ? ',' : '\0')) {
			st = clpac__keys_refuse(reading, key, value, lists[key->detail].wanted, err);
			return st;
		}
		numbers[k] = (size_t)whole;
	}
	copy->list_lengths[key->detail] = n;
	memcpy((char *)&copy->problem + key->offset, &numbers, sizeof numbers);
	return st;
}
static const clpac__key_kind list = {read_list, write_list};

/* Lists of windows: the members that point to them and that hold their length. */
static const struct {
	size_t windows, n;
} window_lists[CLPAC__WINDOW_LISTS] = {
	[CLPAC__STRETCHES] = {offsetof(clpac_problem, stretches), offsetof(clpac_problem, n_stretches)},
	[CLPAC__WINDOWS] = {offsetof(clpac_problem, windows), offsetof(clpac_problem, n_windows)},
};

static const clpac_window *windows_of(const clpac_problem *problem, int which, size_t *n)
{
	const clpac_window *windows;
	memcpy(&windows, (const char *)problem + window_lists[which].windows, sizeof windows);
	memcpy(n, (const char *)problem + window_lists[which].n, sizeof *n);
	return windows;
}

static void write_windows(clpac__text *text, const clpac__key *key, const void *object)
{
	size_t n;
	const clpac_window *at = windows_of(object, key->detail, &n);
	for (size_t i = 0; i < n; i++)
		clpac__text_add(text, "%s%zu+%zu", i ? "," : "", at[i].start, at[i].n_samples);
}

static clpac_status read_windows(const clpac__keys_reading *reading, const clpac__key *key, const char *value,
				 void *object, clpac_error *err)
{
	clpac_problem_copy *copy = object;
	clpac_status st = CLPAC_OK;
	size_t n = 1;
	for (const char *comma = strchr(value, ','); comma; comma = strchr(comma + 1, ','))
		n++;
	clpac_window *made = copy->windows[key->detail] = clpac__alloc_array(n, sizeof *made);
	if (!made)
		RETURN_NO_MEMORY(n * sizeof *made);
	const char *rest = value;
	for (size_t i = 0; i < n; i++, rest++) {
		uint64_t start, length;
		if (!clpac__keys_parse_whole(rest, SIZE_MAX, &start, &rest) || *rest++ != '+' ||
		    !clpac__keys_parse_whole(rest, SIZE_MAX, &length, &rest) || *rest != (i + 1 < n ? ',' : '\0')) {
			st = clpac__keys_refuse(reading, key, value,
						"first samples and numbers of samples, as 0+5000,6000+4000", err);
			return st;
		}
		made[i] = (clpac_window){(size_t)start, (size_t)length};
	}
	memcpy((char *)&copy->problem + window_lists[key->detail].windows, &made, sizeof made);
	memcpy((char *)&copy->problem + window_lists[key->detail].n, &n, sizeof n);
	return st;
}
static const clpac__key_kind windows = {read_windows, write_windows};

static void write_measures(clpac__text *text, const clpac__key *key, const void *object)
{
	const clpac_problem *problem = object;
	(void)key;
	for (size_t i = 0; i < problem->n_measures; i++)
		clpac__text_add(text, "%s%s", i ? "," : "", clpac_measure_text(problem->measures[i]));
}

/* The measure that a text begins with, up to a comma or its end; CLPAC_MEASURE_COUNT: none. */
static clpac_measure measure_of(const char *text)
{
	const size_t length = strcspn(text, ",");
	clpac_measure measure = (clpac_measure)0;
	while (measure < CLPAC_MEASURE_COUNT && (strlen(clpac_measure_text(measure)) != length ||
						 strncmp(clpac_measure_text(measure), text, length) != 0))
		measure++;
	return measure;
}

static clpac_status read_measures(const clpac__keys_reading *reading, const clpac__key *key, const char *value,
				  void *object, clpac_error *err)
{
	clpac_problem_copy *copy = object;
	clpac_measure measures[CLPAC_MEASURE_COUNT];
	size_t n = 0;
	for (const char *next = value; next; next = strchr(next, ',')) {
		next += *next == ',';
		const clpac_measure measure = measure_of(next);
		if (measure == CLPAC_MEASURE_COUNT || n == CLPAC_MEASURE_COUNT)
			return clpac__keys_refuse(
				reading, key, value,
				"some of mi, hr, mvl, dpac, ndpac, glm, gcmi, plv, pac-glm, each once, as mi,glm", err);
		measures[n++] = measure;
	}
	copy->measures = clpac__alloc_array(n, sizeof *copy->measures);
	if (!copy->measures)
		return clpac__fail(err, CLPAC_ERROR_NO_MEMORY, "%s: the host has no memory left for %s", reading->what,
				   key->name);
	memcpy(copy->measures, measures, n * sizeof *measures);
	copy->problem.measures = copy->measures;
	copy->problem.n_measures = n;
	return CLPAC_OK;
}
static const clpac__key_kind measures = {read_measures, write_measures};

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
	{"tied_amplitudes", &clpac__key_yes, MEMBER(tied_amplitudes), NULL, 0},
	{"allow_narrow", &clpac__key_yes, MEMBER(allow_narrow), NULL, 0},
	{"phase_cycles", &clpac__key_number, MEMBER(phase_cycles), NULL, 0},
	{"amplitude_cycles", &clpac__key_number, MEMBER(amplitude_cycles), NULL, 0},
	{"phase_taps", &taps, MEMBER(phase_taps), NULL, CLPAC_PHASE},
	{"amplitude_taps", &taps, MEMBER(amplitude_taps), NULL, CLPAC_AMPLITUDE},
	{"bins", &clpac__key_count, MEMBER(n_bins), NULL, 0},
	{"average", &clpac__key_choice, MEMBER(average), clpac__average_words, 0},
	{"hilbert", &clpac__key_choice, MEMBER(hilbert), clpac__hilbert_words, 0},
	{"edge", &edge, MEMBER(edge_samples), NULL, 0},
	{"surrogates", &clpac__key_count, MEMBER(n_surrogates), NULL, 0},
	{"shifts", &list, MEMBER(shifts), NULL, CLPAC__SHIFTS},
	{"null", &clpac__key_choice, MEMBER(null), clpac__null_words, 0},
	{"shift_step", &clpac__key_count, MEMBER(shift_step), NULL, 0},
	{"blocks", &clpac__key_count, MEMBER(n_blocks), NULL, 0},
	{"min_shift", &clpac__key_count, MEMBER(min_shift), NULL, 0},
	{"seed", &clpac__key_count, MEMBER(seed), NULL, 0},
	{"share_shifts", &clpac__key_yes, MEMBER(share_shifts), NULL, 0},
	{"ddof", &clpac__key_count, MEMBER(ddof), NULL, 0},
	{"keep_surrogates", &clpac__key_yes, MEMBER(keep_surrogates), NULL, 0},
	{"keep_distributions", &clpac__key_yes, MEMBER(keep_distributions), NULL, 0},
	{"channel_numbers", &list, MEMBER(channel_numbers), NULL, CLPAC__CHANNEL_NUMBERS},
	{"segment_numbers", &list, MEMBER(segment_numbers), NULL, CLPAC__SEGMENT_NUMBERS},
	{"gamma_tail", &clpac__key_yes, MEMBER(gamma_tail), NULL, 0},
	{"cluster_alpha", &clpac__key_number, MEMBER(cluster_alpha), NULL, 0},
	{"family", &clpac__key_choice, MEMBER(family), clpac__family_words, 0},
	{"measures", &measures, MEMBER(measures), NULL, 0},
	{"stretches", &windows, MEMBER(stretches), NULL, CLPAC__STRETCHES},
	{"windows", &windows, MEMBER(windows), NULL, CLPAC__WINDOWS},
	{"joined_windows", &clpac__key_yes, MEMBER(joined_windows), NULL, 0},
	{"pairs", &clpac__problem_pairs_key, MEMBER(pairs), NULL, 0},
	{"separate_windows", &clpac__key_yes, MEMBER(separate_windows), NULL, 0},
};
/* clang-format on */
enum { KEY_COUNT = sizeof keys / sizeof *keys };

/* Pointers that are NULL are not written: they mean the default.  Neither are ties, corrections and leave that are not
 * there, nor the step of all shifts where they are not all taken, and the number of blocks where there are none. */
static bool is_written(const clpac_problem *problem, const clpac__key *key)
{
	if (key->offset == offsetof(clpac_problem, tied_amplitudes))
		return problem->tied_amplitudes;
	if (key->offset == offsetof(clpac_problem, null))
		return problem->null != CLPAC_NULL_SHIFTS;
	if (key->offset == offsetof(clpac_problem, shift_step))
		return problem->null == CLPAC_NULL_ALL_SHIFTS;
	if (key->offset == offsetof(clpac_problem, n_blocks))
		return problem->null == CLPAC_NULL_BLOCKS;
	if (key->offset == offsetof(clpac_problem, allow_narrow))
		return problem->allow_narrow;
	if (key->offset == offsetof(clpac_problem, gamma_tail))
		return problem->gamma_tail;
	if (key->offset == offsetof(clpac_problem, cluster_alpha))
		return problem->cluster_alpha != 0;
	if (key->offset == offsetof(clpac_problem, family))
		return problem->family != CLPAC_FAMILY_MAP;
	if (key->kind == &measures)
		return problem->measures && problem->n_measures &&
		       (problem->n_measures > 1 || problem->measures[0] != CLPAC_MEASURE_MI);
	if (key->offset == offsetof(clpac_problem, joined_windows))
		return problem->joined_windows;
	if (key->offset == offsetof(clpac_problem, pairs))
		return problem->pairs && problem->n_pairs;
	if (key->offset == offsetof(clpac_problem, separate_windows))
		return problem->separate_windows;
	if (key->kind == &windows) {
		size_t n;
		return windows_of(problem, key->detail, &n) && n;
	}
	if (key->kind == &taps)
		return (key->detail == CLPAC_PHASE ? problem->phase_taps.taps : problem->amplitude_taps.taps) != NULL;
	if (key->kind == &list)
		return list_of(problem, key->detail) && length_of(problem, key->detail);
	return true;
}

/* Fills in default bands.  Where none fits the rate or the phase bands, the problem is wrong, and its text, which is
 * wanted for a report, has the defaults of an unknown rate. */
static clpac_status write_out_defaults(clpac_problem *problem, clpac_band *made[2], clpac_error *err)
{
	clpac_status st = clpac__problem_default_bands(problem, made, NULL, err);
	if (st != CLPAC_ERROR_ARGUMENT)
		return st;
	for (int use = CLPAC_PHASE; use <= CLPAC_AMPLITUDE; use++) {
		const clpac_band **bands = use == CLPAC_PHASE ? &problem->phase_bands : &problem->amplitude_bands;
		size_t *n = use == CLPAC_PHASE ? &problem->n_phase_bands : &problem->n_amplitude_bands;
		if (*bands)
			continue;
		RETURN_IF_ERROR(clpac_bands_read(NULL, (clpac_band_use)use, NULL, &made[use], n, NULL, err));
		*bands = made[use];
	}
	return CLPAC_OK;
}

clpac_status clpac_problem_write(const clpac_problem *problem, char **out, clpac_error *err)
{
	NEED(problem);
	NEED_AS(out, "text");
	clpac_status st = CLPAC_OK;
	clpac__text text = {0};
	clpac_problem filled;
	clpac_band *made[2] = {NULL, NULL};
	TRY(clpac__take_sized(&filled, problem, clpac_problem, err));
	clpac__problem_fill(&filled);
	TRY(write_out_defaults(&filled, made, err));
	for (size_t i = 0; i < KEY_COUNT; i++) {
		if (!is_written(&filled, &keys[i]))
			continue;
		clpac__keys_write(&text, &keys[i], &filled);
	}
	TRY(clpac__text_give(&text, "a problem as text", out, err));
done:
	clpac_bands_free(made[CLPAC_PHASE]);
	clpac_bands_free(made[CLPAC_AMPLITUDE]);
	clpac__text_clear(&text);
	return st;
}

/* Reads ranges of bands again, now that rate and phase bands are known. */
static clpac_status complete_ranges(clpac_problem_copy *copy, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	clpac_problem *p = &copy->problem;
	for (int use = CLPAC_PHASE; use <= CLPAC_AMPLITUDE; use++) {
		bool is_tied = false;
		const clpac_bands_rule rule = clpac__problem_bands_rule(p, (clpac_band_use)use, &is_tied);
		clpac_band *made = NULL;
		size_t n;
		char *line = NULL;
		if (!copy->ranges[use])
			continue;
		st = clpac_bands_read(copy->ranges[use], (clpac_band_use)use, &rule, &made, &n, &line, err);
		if (st)
			return clpac__fail_context(err, st, "problem text: %s",
						   clpac_band_use_text((clpac_band_use)use));
		clpac_bands_free(copy->bands[use]);
		copy->bands[use] = made;
		*(use == CLPAC_PHASE ? &p->phase_bands : &p->amplitude_bands) = made;
		*(use == CLPAC_PHASE ? &p->n_phase_bands : &p->n_amplitude_bands) = n;
		p->tied_amplitudes |= is_tied;
		RETURN_IF_ERROR(clpac__problem_join(&copy->left_out, line, err));
	}
	return st;
}

clpac_status clpac_problem_read(const char *text, clpac_problem_copy **out, clpac_error *err)
{
	NEED(text, out);
	clpac_status st = CLPAC_OK;
	clpac_problem_copy *made;
	TRY(NEW(made));
	made->problem.size = sizeof made->problem;
	TRY(clpac__keys_read("problem text", "a problem", keys, KEY_COUNT, text, made, err));
	for (int which = 0; which < CLPAC__LIST_COUNT; which++) {
		const size_t n = length_of(&made->problem, which), length = made->list_lengths[which];
		if (n && length && n != length)
			FAIL(CLPAC_ERROR_ARGUMENT, "problem text: %s=%zu and %zu %s: leave one of them out",
			     lists[which].length_name, n, length, lists[which].list_name);
		if (length)
			memcpy((char *)&made->problem + lists[which].n, &length, sizeof length);
	}
	TRY(clpac__problem_complete_pairs(made, err));
	TRY(complete_ranges(made, err));
	*out = made, made = NULL;
done:
	clpac_problem_destroy(made);
	return st;
}
