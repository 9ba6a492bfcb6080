/* The program's own lists, by their length: each doubling of channels, names, segments or shifts doubles time and
 * memory. */
#include "runner.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <clpac/cautions.h>
#include <clpac/problem.h>
#include <clpac/recording.h>

#include "assertions.h"
#include "growth.h"
#include "random.h"
#include "analysis/channels/channels.h"
#include "analysis/channels/pairs.h"
#include "analysis/run/job.h"
#include "analysis/stretches/parts.h"
#include "analysis/stretches/stretches.h"

static clpac_recording *recordings[2]; /* of the shorter and the longer input */
static char *lists[2];

static int place_of(const char *stem)
{
	return strcmp(stem, "longer") == 0;
}

/* The recording of the path, which is its stem. */
static size_t keep(clpac_recording *recording, char *list, const char *stem, char *path, size_t size)
{
	snprintf(path, size, "%s", stem);
	recordings[place_of(stem)] = recording;
	lists[place_of(stem)] = list;
	return 200 * clpac_recording_n_channels(recording) + 24 * clpac_recording_n_stretches(recording) +
	       (list ? strlen(list) : 0);
}

static clpac__analysis_settings settings_of(const char *path)
{
	return (clpac__analysis_settings){.input = "a file", .channels = lists[place_of(path)]};
}

static clpac_recording *make_channels(size_t n, bool has_many_rates)
{
	clpac_error err = {0};
	clpac_recording *made = NULL;
	char name[32];
	OK(clpac_recording_create("made", &made, &err));
	for (size_t i = 0; i < n; i++) {
		snprintf(name, sizeof name, "x%zu", i);
		OK(clpac_recording_add_channel(made, name, "", has_many_rates ? 100 + (double)i : 100, 1, CLPAC_FLOAT32,
					       NULL, &err));
	}
	return made;
}

static size_t many_rates(size_t n, const char *stem, char *path, size_t size)
{
	return keep(make_channels(n, true), NULL, stem, path, size);
}

/* Every channel by its name, the last one first. */
static size_t many_names(size_t n, const char *stem, char *path, size_t size)
{
	char *list = NULL;
	size_t length;
	FILE *text = open_memstream(&list, &length);
	ck_assert_ptr_nonnull(text);
	for (size_t i = n; i > 0; i--)
		fprintf(text, "%sx%zu", i == n ? "" : ",", i - 1);
	fclose(text);
	return keep(make_channels(n, false), list, stem, path, size);
}

static void choose_channels(const char *path, size_t n)
{
	clpac_error err = {0};
	clpac__chosen_channels channels = {0};
	const clpac__analysis_settings settings = settings_of(path);
	OK(clpac__channels_choose(recordings[place_of(path)], &settings, &channels, &err));
	ck_assert_uint_eq(channels.numbers[0], n - 1); /* the last of the list, or of the rates the highest */
	clpac__channels_clear(&channels);
}

/* Pairs of the phases of one channel with the amplitudes of all. */
static void choose_pairs(const char *path, size_t n)
{
	clpac_error err = {0};
	clpac__chosen_channels channels = {0};
	clpac__pairs pairs = {0};
	const clpac__analysis_settings settings = {
		.input = "a file", .phase_channels = "x0", .amplitude_channels = lists[place_of(path)]};
	OK(clpac__pairs_choose(recordings[place_of(path)], &settings, &channels, &pairs, &err));
	ck_assert_uint_eq(channels.n, n);
	ck_assert_uint_eq(pairs.n, n);
	ck_assert_uint_eq(channels.numbers[pairs.each[0].phase], 0);
	ck_assert_uint_eq(channels.numbers[pairs.each[0].amplitude], n - 1);
	ck_assert_uint_eq(channels.numbers[pairs.each[n - 1].amplitude], 0);
	clpac__pairs_clear(&pairs);
	clpac__channels_clear(&channels);
}

/* Stretches of 1, 2, ... samples. */
static size_t many_lengths(size_t n, const char *stem, char *path, size_t size)
{
	clpac_error err = {0};
	clpac_recording *made = NULL;
	double first = 0;
	OK(clpac_recording_create("made", &made, &err));
	OK(clpac_recording_add_channel(made, "c", "", 1, n * (n + 1) / 2, CLPAC_FLOAT32, NULL, &err));
	for (size_t i = 1; i <= n; i++) {
		OK(clpac_recording_add_stretch(made, &(clpac_stretch){first, first, (double)i}, &err));
		first += (double)i;
	}
	return keep(made, NULL, stem, path, size);
}

static void choose_segments(const char *path, size_t n)
{
	clpac_error err = {0};
	clpac__job_segments segments = {0};
	const clpac__analysis_settings settings = settings_of(path);
	const clpac__chosen_channels channels = {.n = 1, .rate_hz = 1, .n_samples = n * (n + 1) / 2};
	OK(clpac__job_segments_choose(recordings[place_of(path)], &channels, &settings, &segments, &err));
	ck_assert_uint_eq(segments.n_lengths, n);
	for (size_t i = 0; i < n; i++) {
		const size_t *places;
		ck_assert_uint_eq(clpac__job_segments_of(&segments, segments.lengths[i], &places, NULL), 1);
		if (places[0] != n - 1 - i)
			ck_abort_msg("length %zu is that of segment %zu", i, places[0]);
	}
	ck_assert_uint_eq(clpac__job_segments_drop(&segments, n), n - 1);
	ck_assert_uint_eq(segments.places[0], 0);
	ck_assert_uint_eq(segments.numbers[0], n - 1);
	clpac__job_segments_clear(&segments);
}

/* --shifts 1,2,... */
static size_t many_shifts(size_t n, const char *stem, char *path, size_t size)
{
	many_names(n, stem, path, size);
	char *list = lists[place_of(stem)];
	for (char *c = list; *c; c++)
		*c = *c == 'x' ? '1' : *c;
	return strlen(list);
}

static void read_shifts(const char *path, size_t n)
{
	clpac_error err = {0};
	clpac__method method = {0};
	clpac__analysis_settings settings = settings_of(path);
	settings.channels = NULL;
	settings.shifts = lists[place_of(path)];
	OK(clpac__method_read(&method, &settings, &err));
	ck_assert_uint_eq(method.problem.n_surrogates, n);
	clpac__method_clear(&method);
}

/* Two ranges with a cell for each pair of their bands; 32 bytes hold a band of both. */
static size_t many_tied(size_t n, const char *stem, char *path, size_t size)
{
	snprintf(path, size, "%s", stem);
	return 32 * n;
}

static void read_tied(const char *path, size_t n)
{
	char phase_text[64], amplitude_text[64];
	clpac_error err = {0};
	clpac_band *phase, *amplitude;
	bool is_tied;
	clpac_bands_rule rule = {.is_tied = &is_tied};
	(void)path;
	snprintf(phase_text, sizeof phase_text, "2:1e9:%zu:log", n);
	snprintf(amplitude_text, sizeof amplitude_text, "60:160:%zu/tied", n);
	char *left_out = NULL;
	OK(clpac_bands_read(phase_text, CLPAC_PHASE, NULL, &phase, &rule.n_phase_bands, NULL, &err));
	rule.phase_bands = phase;
	size_t n_amplitude;
	OK(clpac_bands_read(amplitude_text, CLPAC_AMPLITUDE, &rule, &amplitude, &n_amplitude, &left_out, &err));
	ck_assert(n_amplitude == n && left_out && strstr(left_out, "cells have no value"));
	clpac_text_free(left_out);
	clpac_bands_free(phase);
	clpac_bands_free(amplitude);
}

/* Stretches of 100 samples between annotations, each with a text of its own. */
static size_t many_rejects(size_t n, const char *stem, char *path, size_t size)
{
	clpac_error err = {0};
	clpac_recording *made = NULL;
	void *samples;
	char text[32];
	OK(clpac_recording_create("made", &made, &err));
	OK(clpac_recording_add_channel(made, "c", "", 1000, 110 * n, CLPAC_FLOAT32, &samples, &err));
	for (size_t i = 0; i < n; i++) {
		snprintf(text, sizeof text, "bad %zu", i);
		OK(clpac_recording_add_annotation(made, 0.11 * (double)i + 0.1, 0.01, text, &err));
	}
	return keep(made, NULL, stem, path, size) + 110 * n;
}

static void find_parts(const char *path, size_t n)
{
	static const clpac_band phase = {100, 200}, amplitude = {300, 450};
	clpac_error err = {0};
	clpac__job_segments segments = {0};
	clpac__job_parts parts = {0};
	size_t number = 0;
	const clpac__analysis_settings settings = settings_of(path);
	const clpac__chosen_channels channels = {.numbers = &number, .n = 1, .rate_hz = 1000, .n_samples = 110 * n};
	const clpac_problem problem = {.rate_hz = 1000,
				       .n_samples = 110 * n,
				       .phase_bands = &phase,
				       .n_phase_bands = 1,
				       .amplitude_bands = &amplitude,
				       .n_amplitude_bands = 1};
	char text[CLPAC__USED_SIZE];
	OK(clpac__job_segments_choose(recordings[place_of(path)], &channels, &settings, &segments, &err));
	OK(clpac__job_parts_find(recordings[place_of(path)], &channels, &segments, NULL, &problem, &settings, &parts,
				 &err));
	ck_assert(parts.n == 1 && parts.each[0].n_stretches == n && parts.n_tallies == n && parts.n_short == 0);
	clpac__job_parts_sentence(&parts, &channels, &segments, text);
	ck_assert_ptr_nonnull(strstr(text, ", others "));
	clpac__job_parts_clear(&parts);
	clpac__job_segments_clear(&segments);
}

/* Short series, an index of each, or of each with the next, that are looked through for what only looks like coupling.
 */
enum { CAUTION_SAMPLES = 64 };

static float *caution_samples[2];

static size_t many_series(size_t n, const char *stem, char *path, size_t size)
{
	unsigned long long state = 7;
	float *values = malloc(n * CAUTION_SAMPLES * sizeof *values);
	ck_assert_ptr_nonnull(values);
	for (size_t i = 0; i < n * CAUTION_SAMPLES; i++)
		values[i] = (float)random_below(&state, 1000);
	snprintf(path, size, "%s", stem);
	caution_samples[place_of(stem)] = values;
	return n * CAUTION_SAMPLES * sizeof *values;
}

static void caution(const char *path, size_t n, const clpac_pair *pairs)
{
	static const clpac_band phase = {60, 90}, amplitude = {150, 220};
	clpac_error err = {0};
	clpac_result *result = NULL;
	const void **channels = malloc(n * sizeof *channels);
	ck_assert_ptr_nonnull(channels);
	for (size_t c = 0; c < n; c++)
		channels[c] = caution_samples[place_of(path)] + c * CAUTION_SAMPLES;
	const clpac_problem problem = {.rate_hz = 500,
				       .n_channels = n,
				       .n_samples = CAUTION_SAMPLES,
				       .phase_bands = &phase,
				       .n_phase_bands = 1,
				       .amplitude_bands = &amplitude,
				       .n_amplitude_bands = 1,
				       .pairs = pairs,
				       .n_pairs = pairs ? n : 0};
	OK(clpac_result_create(
		&(clpac_result_shape){
			.n_channels = n, .n_segments = 1, .n_phase_bands = 1, .n_amplitude_bands = 1, .n_bins = 18},
		1 << CLPAC_MI, &result, &err));
	*clpac_result_phase_bands(result) = phase;
	*clpac_result_amplitude_bands(result) = amplitude;
	for (size_t c = 0; c < n; c++)
		clpac_result_array(result, CLPAC_MI, NULL)[c] = 0.5f;
	OK(clpac_result_caution(result, &problem, &(clpac_samples){.type = CLPAC_FLOAT32, .channels = channels}, &err));
	clpac_result_destroy(result);
	free(channels);
}

static void caution_channels(const char *path, size_t n)
{
	caution(path, n, NULL);
}

static void caution_pairs(const char *path, size_t n)
{
	clpac_pair *pairs = malloc(n * sizeof *pairs);
	ck_assert_ptr_nonnull(pairs);
	for (size_t i = 0; i < n; i++)
		pairs[i] = (clpac_pair){i, (i + 1) % n};
	caution(path, n, pairs);
	free(pairs);
}

static const growth_case cases[] = {
	{"cautions of channels", 4000, many_series, caution_channels, 0},
	{"cautions of pairs", 4000, many_series, caution_pairs, 0},
	{"cells of tied bands", 2000, many_tied, read_tied, 0},
	{"channels of a rate each", 10000, many_rates, choose_channels, 0},
	{"channels by name", 2500, many_names, choose_channels, 0},
	{"channels of pairs", 10000, many_names, choose_pairs, 0},
	{"segments of a length each", 1000, many_lengths, choose_segments, 0},
	{"shifts", 10000, many_shifts, read_shifts, 0},
	{"stretches between annotations", 2500, many_rejects, find_parts, 0},
};

TEST_EACH(each_doubling_of_entries_doubles_time_and_memory, COUNT(cases))
{
	growth_check(&cases[_i]);
	for (int i = 0; i < 2; i++) {
		clpac_recording_destroy(recordings[i]);
		free(lists[i]);
		free(caution_samples[i]);
	}
}

/* Fast amplitudes need it, and slow channels are those of slow signals. */
TEST(the_highest_rate_is_chosen)
{
	static const struct {
		double rates[5];
		size_t n, n_chosen, first;
	} all[] = {
		{{250, 500, 500, 250, 500}, 5, 3, 1},
		{{500, 250, 250, 500}, 4, 2, 0},
		{{250, 500, 250, 250}, 4, 1, 1},
		{{1, 1, 2, 2, 1000}, 5, 1, 4},
	};
	for (size_t k = 0; k < COUNT(all); k++) {
		clpac_error err = {0};
		clpac_recording *made = NULL;
		clpac__chosen_channels channels = {0};
		OK(clpac_recording_create("made", &made, &err));
		for (size_t i = 0; i < all[k].n; i++)
			OK(clpac_recording_add_channel(made, "c", "", all[k].rates[i], 1, CLPAC_FLOAT32, NULL, &err));
		lists[0] = NULL;
		const clpac__analysis_settings settings = settings_of("shorter");
		OK(clpac__channels_choose(made, &settings, &channels, &err));
		ck_assert_uint_eq(channels.n, all[k].n_chosen);
		ck_assert_uint_eq(channels.numbers[0], all[k].first);
		clpac__channels_clear(&channels);
		clpac_recording_destroy(made);
	}
}

/* Segments of two lengths in turn: each length has its own, in the recording's order, also once the shorter ones are
 * dropped. */
TEST(segments_are_listed_by_length)
{
	clpac_error err = {0};
	clpac_recording *made = NULL;
	clpac__job_segments segments = {0};
	lists[0] = NULL;
	const clpac__analysis_settings settings = settings_of("shorter");
	const clpac__chosen_channels channels = {.n = 1, .rate_hz = 1, .n_samples = 13};
	static const double lengths[] = {2, 3, 2, 1, 3, 2};
	double first = 0;
	OK(clpac_recording_create("made", &made, &err));
	for (size_t i = 0; i < COUNT(lengths); i++) {
		OK(clpac_recording_add_stretch(made, &(clpac_stretch){first, first, lengths[i]}, &err));
		first += lengths[i];
	}
	OK(clpac__job_segments_choose(made, &channels, &settings, &segments, &err));
	const size_t *places, *numbers;
	ck_assert_uint_eq(segments.n_lengths, 3);
	ck_assert_uint_eq(clpac__job_segments_of(&segments, 3, &places, &numbers), 2);
	ck_assert(places[0] == 1 && places[1] == 4 && numbers[0] == 1 && numbers[1] == 4);
	ck_assert_uint_eq(clpac__job_segments_of(&segments, 2, &places, &numbers), 3);
	ck_assert(places[0] == 0 && places[1] == 2 && places[2] == 5);
	ck_assert_uint_eq(clpac__job_segments_of(&segments, 4, NULL, NULL), 0);
	ck_assert_uint_eq(clpac__job_segments_of(&segments, 0, NULL, NULL), 0);
	ck_assert_uint_eq(clpac__job_segments_drop(&segments, 2), 1);
	ck_assert_uint_eq(segments.n_lengths, 2);
	ck_assert_uint_eq(clpac__job_segments_of(&segments, 1, NULL, NULL), 0);
	/* The segments behind the dropped one have moved up, and kept their numbers. */
	ck_assert_uint_eq(clpac__job_segments_of(&segments, 3, &places, &numbers), 2);
	ck_assert(places[0] == 1 && places[1] == 3 && numbers[0] == 1 && numbers[1] == 4);
	clpac__job_segments_clear(&segments);
	clpac_recording_destroy(made);
}
