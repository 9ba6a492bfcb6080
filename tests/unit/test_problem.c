/* Problems: defaults, refusals, and the line of text from which a problem can be run again. */
#include "runner.h"
#include "assertions.h"
#include <stdint.h>
#include <stdlib.h>
#include <clpac/problem.h>

static const clpac_problem smallest = {.rate_hz = 512, .n_samples = 2048};

START_TEST(defaults_are_filled_in)
{
	clpac_problem_copy *copy;
	clpac_error err;
	assert_works(clpac_problem_complete(&smallest, &copy, &err), err);
	const clpac_problem *p = clpac_problem_get(copy);
	ck_assert(p->rate_hz == 512 && p->n_samples == 2048 && p->n_channels == 1 && p->n_segments == 1);
	ck_assert(p->n_phase_bands == 10 && p->n_amplitude_bands == 10);
	ck_assert(p->phase_bands[0].lo_hz == 1.5 && p->phase_bands[9].hi_hz == 25);
	ck_assert(p->amplitude_bands[0].lo_hz == 40 && p->amplitude_bands[9].hi_hz == 180);
	ck_assert(p->phase_cycles == 3 && p->amplitude_cycles == 6 && p->n_bins == 18 && p->min_shift == 1);
	ck_assert(p->average == CLPAC_AVERAGE_MEAN && p->hilbert == CLPAC_HILBERT_LOCAL);
	ck_assert(p->edge_samples == 0 && p->n_surrogates == 0 && !p->shifts && !p->phase_taps.taps && p->ddof == 0);
	ck_assert(!p->channel_numbers && !p->segment_numbers && !clpac_problem_left_out(copy));
	clpac_problem_destroy(copy);
	clpac_problem_destroy(NULL);
}
END_TEST

START_TEST(default_bands_fit_rate_and_phase_bands)
{
	const clpac_band slow[] = {{4, 8}};
	clpac_problem problem = {.rate_hz = 250, .n_samples = 4096};
	clpac_problem_copy *copy;
	clpac_error err;
	assert_works(clpac_problem_complete(&problem, &copy, &err), err);
	ck_assert(clpac_problem_get(copy)->n_phase_bands == 10 && clpac_problem_get(copy)->n_amplitude_bands == 5);
	ck_assert_str_eq(clpac_problem_left_out(copy),
			 "5 of 10 amplitude bands are left out: 95.5556-135.556 to 140-180 Hz reach 125 Hz, "
			 "half the sampling rate");
	clpac_problem_destroy(copy);
	problem.phase_bands = slow;
	problem.n_phase_bands = 1;
	assert_works(clpac_problem_complete(&problem, &copy, &err), err);
	const clpac_problem *p = clpac_problem_get(copy);
	ck_assert(p->n_amplitude_bands == 6 && p->amplitude_bands[0].lo_hz == 54 && p->amplitude_bands[0].hi_hz == 66);
	clpac_problem_destroy(copy);
	/* At 45 Hz the phases go up to 16 Hz, and no amplitude band of 32 Hz fits. */
	problem = (clpac_problem){.rate_hz = 45, .n_samples = 4096};
	const clpac_band beta[] = {{14, 18}};
	problem.amplitude_bands = beta;
	problem.n_amplitude_bands = 1;
	assert_works(clpac_problem_complete(&problem, &copy, &err), err);
	ck_assert_uint_eq(clpac_problem_get(copy)->n_phase_bands, 8);
	ck_assert_str_eq(clpac_problem_left_out(copy), "2 of 10 phase bands are left out: 13.5-22.5 to 15-25 Hz reach "
						       "22.5 Hz, half the sampling rate");
	clpac_problem_destroy(copy);
}
END_TEST

START_TEST(the_callers_taps_are_for_all_default_bands)
{
	/* A bank of ten filters must not lose its last bands unseen. */
	double taps[30];
	for (size_t i = 0; i < COUNT(taps); i++)
		taps[i] = 1;
	clpac_problem p = {.rate_hz = 250, .n_samples = 4096, .amplitude_taps = {taps, 3}};
	clpac_problem_copy *copy = NULL;
	clpac_error err;
	clpac_status st = clpac_problem_complete(&p, &copy, &err);
	assert_refused(st, err, CLPAC_ERROR_ARGUMENT, "amplitude band 5 is 95.5556-135.556 Hz: its upper edge");
}
END_TEST

START_TEST(an_automatic_edge_is_half_the_longest_filter)
{
	clpac_problem problem = {.rate_hz = 512, .n_samples = 4096, .edge_samples = CLPAC_EDGE_AUTO};
	clpac_problem_copy *copy;
	clpac_error err;
	assert_works(clpac_problem_complete(&problem, &copy, &err), err);
	ck_assert_int_eq(clpac_problem_get(copy)->edge_samples, 512); /* 1.5 Hz: 3 * 341 + 1 = 1024 taps */
	clpac_problem_destroy(copy);
}
END_TEST

START_TEST(a_copy_owns_what_it_points_to)
{
	clpac_band bands[2] = {{4, 8}, {8, 13}};
	double taps[6] = {1, 2, 1, 1, 3, 1};
	size_t shifts[2] = {5, 17}, channels[3] = {7, 3, 0}, segments[2] = {1, 4};
	clpac_problem problem = smallest;
	problem.n_channels = 3;
	problem.channel_numbers = channels;
	problem.n_segments = 2;
	problem.segment_numbers = segments;
	problem.phase_bands = bands;
	problem.n_phase_bands = 2;
	problem.phase_taps = (clpac_taps){taps, 3};
	problem.shifts = shifts;
	problem.n_surrogates = 2;
	clpac_problem_copy *copy;
	clpac_error err;
	assert_works(clpac_problem_complete(&problem, &copy, &err), err);
	memset(bands, 0, sizeof bands);
	memset(taps, 0, sizeof taps);
	memset(shifts, 0, sizeof shifts);
	memset(channels, 0, sizeof channels);
	memset(segments, 0, sizeof segments);
	const clpac_problem *p = clpac_problem_get(copy);
	ck_assert(p->phase_bands[1].hi_hz == 13 && p->phase_taps.taps[4] == 3 && p->shifts[1] == 17);
	ck_assert(p->channel_numbers[0] == 7 && p->channel_numbers[2] == 0 && p->segment_numbers[1] == 4);
	clpac_problem_destroy(copy);
}
END_TEST

/* A valid problem with one fault, and the text of its refusal. */
typedef struct refusal {
	const char *text; /* the problem, as clpac_problem_read takes it */
	const char *part;
} refusal;

START_TEST(a_problem_that_cannot_be_computed_is_refused_by_name)
{
	static const refusal refusals[] = {
		{"samples=2048", "rate_hz is 0: the sampling rate in Hz must be given"},
		{"rate=0 samples=2048", "rate_hz is 0"},
		{"rate=-512 samples=2048", "rate_hz is -512: the sampling rate must be a number of Hz above 0"},
		{"rate=512", "n_samples is 0: the number of samples of a segment must be given"},
		{"rate=512 samples=18446744073709551615",
		 "n_samples is 18446744073709551615: a segment has at most 1073741824"},
		{"rate=512 samples=2048 channels=18446744073709551615",
		 "n_channels 18446744073709551615 x n_segments 1 x n_samples 2048"},
		{"rate=512 samples=2048 channels=4294967296 segments=4294967296",
		 "more samples than this machine can address"},
		{"rate=512 samples=2048 channels=9223372036854775807", "a negative number shows up like this"},
		{"rate=512 samples=2048 channels=100000000000 surrogates=100000000 keep_surrogates=yes",
		 "100000000 values each: more than"},
		{"rate=512 samples=2048 surrogates=4294967296", "n_surrogates is 4294967296: at most 4294967295"},
		{"rate=512 samples=2048 surrogates=5 cluster_alpha=0.3",
		 "cluster_alpha is 0.3: the share of a cell's indices that enter clusters is above 0 and at most 0.25"},
		{"rate=512 samples=2048 surrogates=5 cluster_alpha=-0.1", "cluster_alpha is -0.1"},
		{"rate=512 samples=2048 surrogates=5 family=run",
		 "family is the run, and each series has shifts of its own"},
		{"rate=512 samples=2048 phase=4-300", "phase band 0 is 4-300 Hz: its upper edge must be below 256 Hz"},
		{"rate=100 samples=2048",
		 "no amplitude band of 60:160:10 fits below 50 Hz, half the sampling rate of 100 Hz "
		 "(the first is 40-80 Hz); give such as phase 2:10:5 amplitude 25:35:3"},
		{"rate=100 samples=2048 amplitude=40-80",
		 "amplitude band 0 is 40-80 Hz: its upper edge must be below 50 Hz"},
		{"rate=512 samples=2048 phase=4-255.999", "no amplitude band of 60:160:10 fits"},
		{"rate=512 samples=2048 bins=1", "n_bins is 1: give 2 to 128 phase bins"},
		{"rate=512 samples=2048 bins=129", "n_bins is 129: give 2 to 128 phase bins"},
		{"rate=512 samples=2048 ddof=2", "ddof is 2"},
		{"rate=512 samples=2048 phase_cycles=-1", "phase_cycles is -1"},
		{"rate=512 samples=2048 amplitude_cycles=-3", "amplitude_cycles is -3"},
		{"rate=512 samples=2048 amplitude_cycles=0.01",
		 "amplitude band 0, 40-80 Hz: its filter would have order 0 (0.01 cycles"},
		{"rate=512 samples=2048 edge=1024",
		 "edge_samples is 1024 at both ends and n_samples is 2048: nothing is left"},
		{"rate=512 samples=2048 edge=9223372036854775807", "nothing is left"},
		{"rate=512 samples=300",
		 "300 samples (n_samples 300, edge_samples 0) are less than one period of phase band 0, 1.5-2.5 Hz"},
		{"rate=512 samples=2048 edge=900",
		 "248 samples (n_samples 2048, edge_samples 900) are less than one period"},
		{"rate=512 samples=10 phase=100-200 amplitude=150-250",
		 "10 samples (n_samples 10, edge_samples 0) are fewer than the 18 phase bins"},
		{"rate=512 samples=1", "would have order 0"},
		{"rate=512 samples=2048 surrogates=9 min_shift=1025",
		 "min_shift is 1025 samples and the series has 2048 after its edges"},
		{"rate=512 samples=2048 surrogates=9 min_shift=1025", "give at most 1024"},
		{"rate=512 samples=2048 null=all min_shift=1025",
		 "min_shift is 1025 and shift_step 1 samples, and the series has 2048 after its edges: no multiple of "
		 "the step lies in [min_shift, 2048 - min_shift]"},
		{"rate=512 samples=2048 edge=100 null=all shift_step=1848", "shift_step 1848 samples"},
		{"rate=512 samples=2048 null=all shift_step=18446744073709551615", "give smaller ones"},
		{"rate=512 samples=2048 null=all shifts=5,17", "leave one of them out"},
		{"rate=512 samples=2048 null=all surrogates=200", "of which there are 2047: give that number, or 0"},
		{"rate=512 samples=2048 surrogates=5 null=trials",
		 "null is CLPAC_NULL_TRIALS and a channel has 1 segment: permutations need two segments or more"},
		{"rate=512 samples=2048 segments=2 null=trials shifts=5,17",
		 "shifts are given and null is CLPAC_NULL_TRIALS: leave one of them out"},
		{"rate=512 samples=2048 surrogates=5 null=phases min_shift=2",
		 "min_shift is 2 and null is CLPAC_NULL_PHASES, which shifts nothing"},
		{"rate=512 samples=2048 surrogates=5 null=blocks blocks=1001",
		 "n_blocks is 1001: give 1 to 1000 blocks"},
		{"rate=512 samples=2048 edge=800 phase=4-8 surrogates=5 null=blocks blocks=449",
		 "n_blocks is 449: give 1 to 448 blocks"},
		{"rate=512 samples=9000 stretches=0+5000,6000+3001",
		 "stretches[1] has 3001 samples from number 6000 on, and n_samples is 9000"},
		{"rate=512 samples=9000 stretches=0+5000,9000+0", "stretches[1] has 0 samples from number 9000 on"},
		{"rate=512 samples=9000 stretches=18446744073709551615+2", "stretches[0] has 2 samples"},
		{"rate=512 samples=9000 stretches=0+5000,4999+3000",
		 "stretches[1] begins with sample 4999, and the one before ends before 5000"},
		{"rate=512 samples=9000 stretches=0+5000,6000+3 phase=100-200 amplitude=150-250",
		 "phase band 0, 100-200 Hz: its filter would have order 0 (3 cycles at 512 Hz, 3 samples)"},
		{"rate=512 samples=9000 stretches=0+5000,6000+3000 edge=1500",
		 "edge_samples is 1500 at both ends and stretches[1] has 3000 samples: nothing is left of it"},
		{"rate=512 samples=9000 stretches=0+5000,6000+3000 hilbert=trimmed",
		 "stretches are given and hilbert is CLPAC_HILBERT_TRIMMED"},
		{"rate=512 samples=9000 windows=0+5000 hilbert=trimmed",
		 "windows are given and hilbert is CLPAC_HILBERT_TRIMMED"},
		{"rate=512 samples=9000 stretches=0+5000 surrogates=5 null=phases",
		 "stretches are given and null is CLPAC_NULL_PHASES"},
		{"rate=512 samples=9000 stretches=0+5000 measures=mi,plv",
		 "stretches are given and measures[1] is plv"},
		{"rate=512 samples=9000 windows=0+5000 measures=plv", "windows are given and measures[0] is plv"},
		{"rate=512 samples=9000 windows=0+5000,0+6000",
		 "windows[1] begins with sample 0 and has 6000, the one"},
		{"rate=512 samples=9000 windows=0+5000,100+4900", "each beginning and ending behind the one before"},
		{"rate=512 samples=9000 windows=0+5000,8000+1001",
		 "windows[1] has 1001 samples from number 8000 on: a window has one or more, and lies in one stretch, "
		 "here of 9000 samples from number 0 on, of which edge_samples drops 0 at both ends"},
		{"rate=512 samples=9000 windows=0+5000 edge=1", "windows[0] has 5000 samples from number 0 on"},
		{"rate=512 samples=9000 windows=0+5000,5000+0", "windows[1] begins with sample 5000 and has 0"},
		{"rate=512 samples=9000 windows=18446744073709551615+2",
		 "windows[0] has 2 samples from number 18446744073709551615 on"},
		{"rate=512 samples=9000 stretches=0+4000,5000+4000 windows=100+1000,4500+1000",
		 "windows[1] has 1000 samples from number 4500 on: a window has one or more, and lies in one stretch, "
		 "here of 4000 samples from number 5000 on"},
		{"rate=512 samples=9000 windows=0+300", "300 samples (n_samples 9000, edge_samples 0) are less than"},
		{"rate=512 samples=9000 windows=0+500,600+500 null=all",
		 "null is CLPAC_NULL_ALL_SHIFTS, and 2 windows are given, which take a shift each"},
		{"rate=512 samples=9000 windows=0+500,600+500 shifts=1,2",
		 "shifts are given, and 2 windows are given, which take a shift each"},
		{"rate=512 samples=9000 windows=0+500,600+200 surrogates=5 min_shift=101",
		 "min_shift is 101 samples and windows[1] has 200: no shift lies in [min_shift, 200 - min_shift]"},
		{"rate=512 samples=9000 windows=0+500,600+501 surrogates=5 null=trials",
		 "windows[0] has 500 samples, windows[1] 501: windows that are permuted have one length"},
		{"rate=512 samples=9000 windows=0+500,600+500 joined_windows=yes surrogates=5 null=trials",
		 "null is CLPAC_NULL_TRIALS and a channel has 1 segment"},
		{"rate=512 samples=2048 segments=3 surrogates=5 null=trials family=run",
		 "family is the run, and each channel has permutations of its own"},
		{"rate=512 samples=2048 surrogates=5 null=blocks family=run", "each series has blocks of its own"},
		{"rate=512 samples=2048 surrogates=5 null=phases family=run",
		 "each series has random phases of its own"},
		{"rate=512 samples=2048 shifts=5,17,2048", "shifts: number 3 of the list is 2048 samples, and the "
							   "series has 2048 after its edges: give 0 to 2047"},
		{"rate=512 samples=2048 channels=3 pairs=0:1,3:2",
		 "pairs[1] has the phase of channel 3, and there are 3 channels, counted from 0"},
		{"rate=512 samples=2048 pairs=0:18446744073709551615",
		 "pairs[0] has the amplitude of channel 18446744073709551615, and there are 1 channels"},
		{"rate=512 samples=2048 edge=100 shifts=1848,3",
		 "number 1 of the list is 1848 samples, and the series has 1848"},
		{"rate=512 samples=2048 shifts=0,18446744073709551611",
		 "number 2 of the list is 18446744073709551611 samples, and the series has 2048 after its edges: "
		 "give 0 to 2047 (a negative number shows up like this)"},
		{"rate=512 samples=2048 channel_numbers=0,4294967296",
		 "channel_numbers[1] is 4294967296: at most 4294967295 (a negative number shows up like this)"},
		{"rate=512 samples=2048 segment_numbers=4294967296,0",
		 "segment_numbers[0] is 4294967296: at most 4294967295"},
	};
	for (size_t i = 0; i < COUNT(refusals); i++) {
		clpac_problem_copy *given, *copy = NULL;
		clpac_error err;
		assert_works(clpac_problem_read(refusals[i].text, &given, &err), err);
		clpac_status st = clpac_problem_complete(clpac_problem_get(given), &copy, &err);
		ck_assert_msg(st != CLPAC_OK, "'%s' was accepted", refusals[i].text);
		assert_refused(st, err, CLPAC_ERROR_ARGUMENT, refusals[i].part);
		ck_assert_ptr_null(copy);
		clpac_problem_destroy(given);
	}
}
END_TEST

START_TEST(what_lies_just_inside_the_limits_works)
{
	static const char *const texts[] = {
		"rate=512 samples=2048 bins=2",
		"rate=512 samples=2048 bins=128",
		"rate=512 samples=342",
		"rate=512 samples=2048 edge=853",
		"rate=512 samples=2048 surrogates=9 min_shift=1024",
		"rate=512 samples=2048 edge=100 shifts=0,1847,1847",
		"rate=512 samples=2048 null=all",
		"rate=512 samples=2048 null=all surrogates=2047",
		"rate=512 samples=2048 null=all min_shift=1024",
		"rate=512 samples=2048 edge=100 null=all shift_step=1847 surrogates=1",
		"rate=512 samples=2048 segments=2 surrogates=5 null=trials",
		"rate=512 samples=2048 null=trials", /* no permutations are requested */
		"rate=512 samples=2048 surrogates=5 null=blocks blocks=1000 min_shift=1",
		"rate=512 samples=2048 edge=800 phase=4-8 surrogates=5 null=blocks blocks=448",
		"rate=512 samples=2048 surrogates=5 null=phases share_shifts=yes family=run",
		"rate=512 samples=2048 channel_numbers=4294967295,0,7,7 segment_numbers=9",
		"rate=512 samples=2048 min_shift=5000", /* no random shifts are requested */
		"rate=512 samples=18 phase=100-200 amplitude=150-250",
		"rate=512 samples=2048 phase=4-255.999 amplitude=60-80",
		"rate=360.1 samples=2048",
		"rate=512 samples=1073741824",
		"rate=512 samples=2048 ddof=1 average=sum hilbert=trimmed edge=auto",
	};
	for (size_t i = 0; i < COUNT(texts); i++) {
		clpac_problem_copy *given, *copy;
		clpac_error err;
		assert_works(clpac_problem_read(texts[i], &given, &err), err);
		assert_works(clpac_problem_complete(clpac_problem_get(given), &copy, &err), err);
		clpac_problem_destroy(given);
		clpac_problem_destroy(copy);
	}
}
END_TEST

#define assert_problem_refused(problem, part)                                                                          \
	do {                                                                                                           \
		clpac_problem_copy *refused_copy = NULL;                                                               \
		clpac_error refused_err;                                                                               \
		clpac_status refused_st = clpac_problem_complete(&(problem), &refused_copy, &refused_err);             \
		assert_refused(refused_st, refused_err, CLPAC_ERROR_ARGUMENT, part);                                   \
	} while (0)

START_TEST(numbers_that_are_none_are_refused)
{
	clpac_problem p = smallest;
	p.rate_hz = NAN;
	assert_problem_refused(p, "rate_hz is nan");
	p.rate_hz = INFINITY;
	assert_problem_refused(p, "rate_hz is inf");
	p = smallest;
	p.phase_cycles = NAN;
	assert_problem_refused(p, "phase_cycles is nan");
	p = smallest;
	clpac_band band = {NAN, 8};
	p.amplitude_bands = &band;
	p.n_amplitude_bands = 1;
	assert_problem_refused(p, "amplitude band 0 is nan-8 Hz: both edges must be numbers");
}
END_TEST

START_TEST(bands_that_contradict_themselves_are_refused)
{
	clpac_band bands[2] = {{4, 8}, {13, 8}};
	clpac_problem p = smallest;
	p.phase_bands = bands;
	assert_problem_refused(p, "there are 0 phase bands: give at least one, or NULL");
	p.n_phase_bands = 2;
	assert_problem_refused(p, "phase band 1 is 13-8 Hz: its lower edge must be below its upper edge");
	bands[1] = (clpac_band){0, 8};
	assert_problem_refused(p, "phase band 1 is 0-8 Hz: its lower edge must be above 0 Hz");
	p.n_phase_bands = SIZE_MAX;
	assert_problem_refused(p, "n_phase_bands is 18446744073709551615: at most 65536");
	p = smallest;
	p.n_amplitude_bands = 3;
	assert_problem_refused(p, "n_amplitude_bands is 3 and amplitude_bands is NULL");
}
END_TEST

START_TEST(choices_that_do_not_exist_are_refused)
{
	clpac_problem p = smallest;
	p.average = (clpac_average)2;
	assert_problem_refused(p, "average is 2");
	p = smallest;
	p.hilbert = (clpac_hilbert)-1;
	assert_problem_refused(p, "hilbert is -1");
	p = smallest;
	p.edge_samples = -2;
	assert_problem_refused(p, "edge_samples is -2: give a number of samples from 0 on, or CLPAC_EDGE_AUTO");
}
END_TEST

START_TEST(own_taps_that_make_no_filter_are_refused)
{
	clpac_band bands[2] = {{4, 8}, {8, 13}};
	double taps[6] = {1, 2, 1, 1, 3, 1}, long_taps[2049] = {1};
	clpac_problem p = smallest;
	p.phase_bands = bands;
	p.n_phase_bands = 2;
	p.phase_taps = (clpac_taps){taps, 0};
	assert_problem_refused(p, "phase_taps has 0 taps per band and an array");
	p.phase_taps = (clpac_taps){NULL, 3};
	assert_problem_refused(p, "phase_taps has 3 taps per band and no array");
	p.phase_taps = (clpac_taps){taps, SIZE_MAX / 2 + 1};
	assert_problem_refused(p, "are more than any memory holds");
	p.phase_taps = (clpac_taps){taps, SIZE_MAX / 16};
	assert_problem_refused(p, "values are more than any memory holds");
	p.phase_taps = (clpac_taps){taps, 3};
	taps[4] = INFINITY;
	assert_problem_refused(p, "phase_taps: tap 1 of band 1 is inf");
	taps[3] = taps[4] = taps[5] = 0;
	assert_problem_refused(p, "phase_taps: the 3 taps of band 1 are all 0");
	p = smallest;
	p.amplitude_bands = bands;
	p.n_amplitude_bands = 1;
	p.amplitude_taps = (clpac_taps){long_taps, 2049};
	assert_problem_refused(p, "amplitude_taps has 2049 taps per band and n_samples is 2048");
}
END_TEST

START_TEST(measures_are_known_and_given_once)
{
	static const clpac_measure unknown[] = {CLPAC_MEASURE_GLM, CLPAC_MEASURE_COUNT};
	static const clpac_measure twice[] = {CLPAC_MEASURE_GLM, CLPAC_MEASURE_MI, CLPAC_MEASURE_GLM};
	static const clpac_measure many[CLPAC_MEASURE_COUNT + 1];
	static const struct {
		const clpac_measure *measures;
		size_t n;
		const char *part;
	} refusals[] = {
		{unknown, 2, "measures[1] is 8: it must be one of clpac_measure"},
		{twice, 3, "measures[0] and measures[2] are both glm: give each measure once"},
		{many, COUNT(many), "n_measures is 9: there are 8"},
		{NULL, 2, "measures is NULL and n_measures is 2: give both, or neither"},
		{many, 0, "measures is given and n_measures is 0: give both, or neither"},
	};
	for (size_t i = 0; i < COUNT(refusals); i++) {
		clpac_problem p = {.rate_hz = 500, .n_samples = 2000, .measures = refusals[i].measures};
		p.n_measures = refusals[i].n;
		clpac_problem_copy *copy = NULL;
		clpac_error err;
		assert_refused(clpac_problem_complete(&p, &copy, &err), err, CLPAC_ERROR_ARGUMENT, refusals[i].part);
		ck_assert_ptr_null(copy);
	}
}
END_TEST

START_TEST(shifts_without_a_number_are_refused)
{
	size_t shift = 5;
	clpac_problem p = smallest;
	p.shifts = &shift;
	assert_problem_refused(p, "shifts are given and n_surrogates is 0");
}
END_TEST

static char *write_problem(const clpac_problem *problem)
{
	char *text;
	clpac_error err;
	assert_works(clpac_problem_write(problem, &text, &err), err);
	return text;
}

START_TEST(a_problem_is_one_line_with_its_defaults)
{
	clpac_problem p = smallest;
	p.n_surrogates = 200;
	p.seed = 42;
	char *text = write_problem(&p);
	ck_assert_str_eq(text,
			 "rate=512 channels=1 segments=1 samples=2048 "
			 "phase=1.5-2.5,3-5,4.5-7.5,6-10,7.5-12.5,9-15,10.5-17.5,12-20,13.5-22.5,15-25 "
			 "amplitude=40-80,51.111111111111114-91.11111111111111,62.22222222222223-102.22222222222223,"
			 "73.33333333333333-113.33333333333333,84.44444444444444-124.44444444444444,"
			 "95.55555555555556-135.55555555555554,106.66666666666666-146.66666666666666,"
			 "117.77777777777777-157.77777777777777,128.88888888888889-168.88888888888889,140-180 "
			 "phase_cycles=3 amplitude_cycles=6 bins=18 average=mean "
			 "hilbert=local edge=0 surrogates=200 min_shift=1 seed=42 share_shifts=no ddof=0 "
			 "keep_surrogates=no keep_distributions=no");
	clpac_text_free(text);
	clpac_text_free(NULL);
}
END_TEST

static void assert_same_bands(const clpac_band *a, size_t n_a, const clpac_band *b, size_t n_b)
{
	ck_assert_uint_eq(n_a, n_b);
	ck_assert_mem_eq(a, b, n_a * sizeof *a);
}

/* Compares member by member, since padding may differ. */
static void assert_same(const clpac_problem *a, const clpac_problem *b)
{
	ck_assert(a->rate_hz == b->rate_hz && a->n_channels == b->n_channels && a->n_segments == b->n_segments);
	ck_assert_uint_eq(a->n_samples, b->n_samples);
	assert_same_bands(a->phase_bands, a->n_phase_bands, b->phase_bands, b->n_phase_bands);
	assert_same_bands(a->amplitude_bands, a->n_amplitude_bands, b->amplitude_bands, b->n_amplitude_bands);
	ck_assert(a->phase_cycles == b->phase_cycles && a->amplitude_cycles == b->amplitude_cycles);
	ck_assert(a->n_bins == b->n_bins && a->average == b->average && a->hilbert == b->hilbert);
	ck_assert(a->edge_samples == b->edge_samples && a->min_shift == b->min_shift && a->seed == b->seed);
	ck_assert_uint_eq(a->n_surrogates, b->n_surrogates);
	ck_assert(!a->shifts == !b->shifts);
	for (size_t k = 0; a->shifts && k < a->n_surrogates; k++)
		ck_assert_uint_eq(a->shifts[k], b->shifts[k]);
	ck_assert(!a->channel_numbers == !b->channel_numbers && !a->segment_numbers == !b->segment_numbers);
	for (size_t ch = 0; a->channel_numbers && ch < a->n_channels; ch++)
		ck_assert_uint_eq(a->channel_numbers[ch], b->channel_numbers[ch]);
	for (size_t s = 0; a->segment_numbers && s < a->n_segments; s++)
		ck_assert_uint_eq(a->segment_numbers[s], b->segment_numbers[s]);
	ck_assert(a->share_shifts == b->share_shifts && a->ddof == b->ddof);
	ck_assert(a->tied_amplitudes == b->tied_amplitudes && a->null == b->null);
	ck_assert(a->null != CLPAC_NULL_ALL_SHIFTS || a->shift_step == b->shift_step);
	ck_assert(a->null != CLPAC_NULL_BLOCKS || a->n_blocks == b->n_blocks);
	ck_assert(a->gamma_tail == b->gamma_tail);
	ck_assert(a->n_stretches == b->n_stretches && !a->stretches == !b->stretches);
	for (size_t k = 0; k < a->n_stretches; k++)
		ck_assert(a->stretches[k].start == b->stretches[k].start &&
			  a->stretches[k].n_samples == b->stretches[k].n_samples);
	ck_assert(a->n_windows == b->n_windows && !a->windows == !b->windows && a->joined_windows == b->joined_windows);
	for (size_t k = 0; k < a->n_windows; k++)
		ck_assert(a->windows[k].start == b->windows[k].start &&
			  a->windows[k].n_samples == b->windows[k].n_samples);
	ck_assert(a->cluster_alpha == b->cluster_alpha && a->family == b->family);
	ck_assert(a->keep_surrogates == b->keep_surrogates && a->keep_distributions == b->keep_distributions);
	/* The modulation index alone is not written. */
	ck_assert_uint_eq(a->n_measures ? a->n_measures : 1, b->n_measures ? b->n_measures : 1);
	for (size_t k = 0; k < a->n_measures || k < b->n_measures; k++)
		ck_assert_int_eq(a->n_measures ? a->measures[k] : CLPAC_MEASURE_MI,
				 b->n_measures ? b->measures[k] : CLPAC_MEASURE_MI);
}

static size_t random_bands(unsigned long long *state, double rate, double lowest, clpac_band *bands, size_t most)
{
	size_t n = 1 + random_below(state, most);
	for (size_t b = 0; b < n; b++) {
		bands[b].lo_hz = lowest + (rate / 2 - lowest) * 0.9 * random_unit(state);
		bands[b].hi_hz = bands[b].lo_hz + (rate / 2 - bands[b].lo_hz) * (0.01 + 0.98 * random_unit(state));
	}
	return n;
}

START_TEST(random_problems_read_back_as_they_were)
{
	unsigned long long state = 2024;
	for (int trial = 0; trial < 500; trial++) {
		clpac_band phase[20], amplitude[20];
		size_t shifts[50], numbers[8];
		clpac_problem p = {.rate_hz = 10 + 2000 * random_unit(&state),
				   .n_samples = 300 + random_below(&state, 5000)};
		p.n_channels = random_below(&state, 5);
		p.n_segments = random_below(&state, 5);
		if (random_below(&state, 4) || p.rate_hz < 400) {
			p.n_phase_bands = random_bands(&state, p.rate_hz, 3 * p.rate_hz / (double)p.n_samples, phase,
						       COUNT(phase));
			p.phase_bands = phase;
			p.n_amplitude_bands =
				random_bands(&state, p.rate_hz, p.rate_hz / 20, amplitude, COUNT(amplitude));
			p.amplitude_bands = amplitude;
		} else {
			p.n_samples += 1400;
		}
		p.phase_cycles = random_below(&state, 2) ? 0 : 2 + 4 * random_unit(&state);
		p.amplitude_cycles = random_below(&state, 2) ? 0 : 2 + 8 * random_unit(&state);
		p.n_bins = random_below(&state, 2) ? 0 : 2 + (unsigned)random_below(&state, 99);
		p.average = (clpac_average)random_below(&state, 2);
		p.hilbert = (clpac_hilbert)random_below(&state, 2);
		p.edge_samples = (ptrdiff_t)random_below(&state, 3);
		p.n_surrogates = random_below(&state, 3) ? 1 + random_below(&state, COUNT(shifts)) : 0;
		if (p.n_surrogates && random_below(&state, 2)) {
			for (size_t k = 0; k < p.n_surrogates; k++)
				shifts[k] = random_below(&state, 290);
			p.shifts = shifts;
		}
		if (!p.n_surrogates && random_below(&state, 2)) {
			p.null = CLPAC_NULL_ALL_SHIFTS;
			p.shift_step = random_below(&state, 20);
		}
		p.min_shift = random_below(&state, 100);
		if (p.n_surrogates && !p.shifts && random_below(&state, 2)) {
			p.null = (clpac_null)(CLPAC_NULL_TRIALS + random_below(&state, 3));
			p.n_blocks = random_below(&state, 200);
			p.n_segments += 2;
			p.min_shift = 0;
		}
		for (size_t i = 0; i < COUNT(numbers); i++)
			numbers[i] = random_below(&state, 1ull << 32);
		p.channel_numbers = random_below(&state, 2) ? numbers : NULL;
		p.segment_numbers = random_below(&state, 2) ? numbers + 1 : NULL;
		p.seed = random_bits(&state);
		p.share_shifts = random_below(&state, 2);
		p.ddof = (unsigned)random_below(&state, 2);
		p.keep_surrogates = random_below(&state, 2);
		p.gamma_tail = random_below(&state, 2);
		p.family = p.share_shifts && random_below(&state, 2) ? CLPAC_FAMILY_RUN : CLPAC_FAMILY_MAP;
		p.cluster_alpha = random_below(&state, 2) ? 0.25 * random_unit(&state) : 0;
		p.keep_distributions = random_below(&state, 2);
		clpac_measure measures[CLPAC_MEASURE_COUNT];
		for (size_t i = 0; i < CLPAC_MEASURE_COUNT; i++)
			measures[i] = (clpac_measure)((i + 3 * (size_t)trial) % CLPAC_MEASURE_COUNT);
		p.n_measures = random_below(&state, 2) ? 1 + random_below(&state, CLPAC_MEASURE_COUNT) : 0;
		if (p.n_measures) /* phase locking takes local filters, and as many samples as they have taps */
			p.hilbert = CLPAC_HILBERT_LOCAL;
		p.measures = p.n_measures ? measures : NULL;
		/* Stretches leave the filters as they are where the shortest is the segment. */
		const size_t first = random_below(&state, 100), more = random_below(&state, 100);
		const clpac_window stretch = {first, p.n_samples},
				   windows[] = {{first + 3, p.n_samples - 7}, {first + 4, p.n_samples - 7}};
		if (p.hilbert == CLPAC_HILBERT_LOCAL && p.null != CLPAC_NULL_PHASES && random_below(&state, 2)) {
			p.n_samples += first + more;
			p.stretches = &stretch;
			p.n_stretches = 1;
			p.windows = random_below(&state, 2) ? windows : NULL;
			p.n_windows = p.windows ? COUNT(windows) : 0;
			p.joined_windows = p.windows && (p.shifts || p.null == CLPAC_NULL_ALL_SHIFTS || p.n_measures);
			for (size_t i = 0; i < p.n_measures; i++)
				measures[i] = (clpac_measure)i; /* all but phase locking */
			if (p.n_measures == CLPAC_MEASURE_COUNT)
				p.n_measures--;
		}

		clpac_problem_copy *whole, *back, *again;
		clpac_error err;
		assert_works(clpac_problem_complete(&p, &whole, &err), err);
		char *text = write_problem(&p), *whole_text = write_problem(clpac_problem_get(whole));
		ck_assert_str_eq(text, whole_text); /* defaults are written out */
		ck_assert_ptr_null(strpbrk(text, "\n\r\t"));
		assert_works(clpac_problem_read(text, &back, &err), err);
		assert_same(clpac_problem_get(whole), clpac_problem_get(back));
		assert_works(clpac_problem_complete(clpac_problem_get(back), &again, &err), err);
		assert_same(clpac_problem_get(whole), clpac_problem_get(again));
		clpac_text_free(text);
		clpac_text_free(whole_text);
		clpac_problem_destroy(whole);
		clpac_problem_destroy(back);
		clpac_problem_destroy(again);
	}
}
END_TEST

START_TEST(ranges_in_a_text_wait_for_rate_and_phase_bands)
{
	clpac_problem_copy *copy;
	clpac_error err;
	assert_works(clpac_problem_read("amplitude=60:160:10 phase=4-8 rate=200 samples=2048", &copy, &err), err);
	const clpac_problem *p = clpac_problem_get(copy);
	ck_assert_uint_eq(p->n_amplitude_bands, 4);
	ck_assert(p->amplitude_bands[0].lo_hz == 54 && p->amplitude_bands[0].hi_hz == 66);
	ck_assert_str_eq(clpac_problem_left_out(copy),
			 "6 of 10 amplitude bands are left out: 98.4444-110.444 to 154-166 Hz reach 100 Hz, "
			 "half the sampling rate");
	char *text = write_problem(p);
	ck_assert_ptr_nonnull(strstr(text, " amplitude=54-66,65.1"));
	clpac_text_free(text);
	clpac_problem_destroy(copy);
	assert_works(clpac_problem_read("phase=5:300:60 amplitude=60:160:10/20 rate=200", &copy, &err), err);
	ck_assert_str_eq(
		clpac_problem_left_out(copy),
		"45 of 60 phase bands are left out: 60-100 to 225-375 Hz reach 100 Hz, half the sampling rate; "
		"7 of 10 amplitude bands are left out: 83.3333-103.333 to 150-170 Hz reach 100 Hz, half the "
		"sampling rate");
	clpac_problem_destroy(copy);
}
END_TEST

START_TEST(ties_are_part_of_the_text_where_there_are_any)
{
	clpac_problem p = {.rate_hz = 250, .n_samples = 4096};
	clpac_problem_copy *copy, *back;
	clpac_error err;
	char *text = write_problem(&p);
	ck_assert_ptr_null(strstr(text, "tied"));
	clpac_text_free(text);
	/* Default bands are tied ones, whose narrowest widths, for 2 Hz, decide which centres are left. */
	p.tied_amplitudes = true;
	static const char cells[] =
		"6 of 60 cells have no value: their amplitude bands do not lie above 0 Hz and below "
		"125 Hz, half the sampling rate (first: 105.556-125.556 Hz for phase 7.5-12.5 Hz)";
	static const char bands[] = "4 of 10 amplitude bands are left out: 124.667-128.667 to 158-162 Hz reach 125 Hz, "
				    "half the sampling rate; ";
	assert_works(clpac_problem_complete(&p, &copy, &err), err);
	ck_assert_uint_eq(clpac_problem_get(copy)->n_amplitude_bands, 6);
	ck_assert_int_eq(strncmp(clpac_problem_left_out(copy), bands, strlen(bands)), 0);
	ck_assert_str_eq(clpac_problem_left_out(copy) + strlen(bands), cells);
	text = write_problem(clpac_problem_get(copy));
	ck_assert_ptr_nonnull(strstr(text, " tied_amplitudes=yes "));
	assert_works(clpac_problem_read(text, &back, &err), err);
	ck_assert(clpac_problem_get(back)->tied_amplitudes);
	assert_same(clpac_problem_get(copy), clpac_problem_get(back));
	clpac_problem_destroy(copy);
	assert_works(clpac_problem_complete(clpac_problem_get(back), &copy, &err), err);
	ck_assert_str_eq(clpac_problem_left_out(copy), cells);
	clpac_problem_destroy(copy);
	clpac_problem_destroy(back);
	clpac_text_free(text);
	/* So is a range in a text. */
	assert_works(clpac_problem_read("amplitude=60:110:6/tied phase=4-8 rate=250 samples=2048", &copy, &err), err);
	ck_assert(clpac_problem_get(copy)->tied_amplitudes && clpac_problem_get(copy)->amplitude_bands[0].lo_hz == 54);
	clpac_problem_destroy(copy);
	assert_works(clpac_problem_read("amplitude=60:110:6 rate=500", &copy, &err), err);
	ck_assert(!clpac_problem_get(copy)->tied_amplitudes);
	clpac_problem_destroy(copy);
}
END_TEST

/* Centres 6 and 12 Hz, and 20 and 100 Hz. */
START_TEST(a_part_has_one_phase_band_and_the_bands_of_its_cells)
{
	const clpac_band phase[] = {{5, 7}, {10, 14}}, amplitude[] = {{19, 21}, {98, 102}};
	clpac_problem p = {.rate_hz = 220,
			   .n_samples = 4096,
			   .phase_bands = phase,
			   .n_phase_bands = 2,
			   .amplitude_bands = amplitude,
			   .n_amplitude_bands = 2,
			   .tied_amplitudes = true,
			   .edge_samples = CLPAC_EDGE_AUTO,
			   .n_surrogates = 3,
			   .seed = 9};
	clpac_problem_copy *copy;
	clpac_error err;
	for (size_t ph = 0; ph < 2; ph++) {
		assert_works(clpac_problem_part(&p, ph, &copy, &err), err);
		const clpac_problem *part = clpac_problem_get(copy);
		ck_assert(!part->tied_amplitudes && part->n_surrogates == 3 && part->seed == 9);
		assert_same_bands(part->phase_bands, part->n_phase_bands, &phase[ph], 1);
		/* 100 + 12 Hz is above 110 Hz. */
		const clpac_band wanted[2][2] = {{{14, 26}, {94, 106}}, {{8, 32}}};
		assert_same_bands(part->amplitude_bands, part->n_amplitude_bands, wanted[ph], 2 - ph);
		/* The longest filter of all cells: 6 cycles at 8 Hz, whichever part has it. */
		ck_assert_int_eq(part->edge_samples, 6 * 27 / 2);
		ck_assert_ptr_null(clpac_problem_left_out(copy));
		clpac_problem_destroy(copy);
	}
	/* Without ties a part has all amplitude bands as they are. */
	p.tied_amplitudes = false;
	assert_works(clpac_problem_part(&p, 1, &copy, &err), err);
	assert_same_bands(clpac_problem_get(copy)->amplitude_bands, clpac_problem_get(copy)->n_amplitude_bands,
			  amplitude, 2);
	clpac_problem_destroy(copy);
	p.tied_amplitudes = true;
	assert_survives_failing_allocations(clpac_problem_part(&p, 1, &copy, &err), clpac_problem_destroy(copy));
}
END_TEST

START_TEST(numbers_of_channels_and_segments_are_part_of_the_text)
{
	const size_t channels[] = {7, 3, 0}, segments[] = {4294967295};
	clpac_problem p = smallest;
	p.n_channels = 3;
	p.channel_numbers = channels;
	p.segment_numbers = segments;
	char *text = write_problem(&p);
	ck_assert_ptr_nonnull(strstr(text, " channels=3 "));
	ck_assert_ptr_nonnull(strstr(text, " channel_numbers=7,3,0 segment_numbers=4294967295"));
	clpac_text_free(text);
	clpac_problem_copy *copy;
	clpac_error err;
	assert_works(clpac_problem_read("channel_numbers=7,3,0 segment_numbers=2,1", &copy, &err), err);
	const clpac_problem *back = clpac_problem_get(copy);
	ck_assert(back->n_channels == 3 && back->n_segments == 2 && back->segment_numbers[0] == 2);
	clpac_problem_destroy(copy);
}
END_TEST

START_TEST(pairs_are_part_of_the_text)
{
	const clpac_pair pairs[] = {{0, 1}, {2, 2}, {0, 1}};
	clpac_pair all[4] = {{0, 0}, {0, 1}, {1, 0}, {1, 1}};
	clpac_problem p = smallest;
	p.n_channels = 3;
	p.pairs = pairs;
	p.n_pairs = COUNT(pairs);
	char *text = write_problem(&p);
	ck_assert_ptr_nonnull(strstr(text, " pairs=0:1,2:2,0:1"));
	clpac_problem_copy *copy;
	clpac_error err;
	assert_works(clpac_problem_read(text, &copy, &err), err);
	const clpac_problem *back = clpac_problem_get(copy);
	ck_assert_uint_eq(back->n_pairs, 3);
	ck_assert_int_eq(memcmp(back->pairs, pairs, sizeof pairs), 0);
	clpac_text_free(text);
	clpac_problem_destroy(copy);

	/* Every phase with every amplitude is one word, which waits for the number of channels. */
	p.n_channels = 2;
	p.pairs = all;
	p.n_pairs = COUNT(all);
	text = write_problem(&p);
	ck_assert_ptr_nonnull(strstr(text, " pairs=all"));
	clpac_text_free(text);
	assert_works(clpac_problem_read("pairs=all channels=2", &copy, &err), err);
	back = clpac_problem_get(copy);
	ck_assert_uint_eq(back->n_pairs, 4);
	ck_assert_int_eq(memcmp(back->pairs, all, sizeof all), 0);
	clpac_problem_destroy(copy);
	all[0].phase = 1;
	text = write_problem(&p);
	ck_assert_ptr_nonnull(strstr(text, " pairs=1:0,0:1,1:0,1:1"));
	clpac_text_free(text);

	/* The copy owns them. */
	assert_works(clpac_problem_complete(&p, &copy, &err), err);
	all[0].phase = 0;
	ck_assert_uint_eq(clpac_problem_get(copy)->pairs[0].phase, 1);
	clpac_problem_destroy(copy);
}
END_TEST

START_TEST(what_pairs_cannot_have_is_refused_by_name)
{
	const clpac_pair pair = {0, 0};
	clpac_problem p = smallest;
	p.pairs = &pair;
	clpac_error err;
	clpac_problem_copy *copy = NULL;
	assert_refused(clpac_problem_complete(&p, &copy, &err), err, CLPAC_ERROR_ARGUMENT,
		       "pairs is given and n_pairs is 0: give both, or neither");
	const struct {
		const char *text, *part;
	} refused[] = {
		{"rate=512 samples=2048 pairs=0:0 measures=mi,plv", "measures and pairs: plv"},
		{"rate=512 samples=2048 pairs=0:0 segments=3 surrogates=5 null=trials", "segments of pairs are not"},
		{"rate=512 samples=2048 pairs=0:0 surrogates=5 null=phases", "random phases would be filtered anew"},
	};
	for (size_t i = 0; i < COUNT(refused); i++) {
		clpac_problem_copy *given;
		assert_works(clpac_problem_read(refused[i].text, &given, &err), err);
		assert_refused(clpac_problem_complete(clpac_problem_get(given), &copy, &err), err,
			       CLPAC_ERROR_UNSUPPORTED, refused[i].part);
		clpac_problem_destroy(given);
	}
	static const char *const unread[] = {"pairs=0", "pairs=0:", "pairs=0:1,", "pairs=0-1", "pairs=", "pairs=every"};
	for (size_t i = 0; i < COUNT(unread); i++)
		assert_refused(clpac_problem_read(unread[i], &copy, &err), err, CLPAC_ERROR_ARGUMENT, "pairs");
}
END_TEST

START_TEST(keys_left_out_keep_their_default)
{
	clpac_problem_copy *copy;
	clpac_error err;
	assert_works(
		clpac_problem_read("  seed=18446744073709551615\tphase=2:20:10 \n edge=auto shifts=7 ", &copy, &err),
		err);
	const clpac_problem *p = clpac_problem_get(copy);
	ck_assert(p->seed == UINT64_MAX && p->n_phase_bands == 10 && !p->amplitude_bands && p->rate_hz == 0);
	ck_assert(p->edge_samples == CLPAC_EDGE_AUTO && p->n_surrogates == 1 && p->shifts[0] == 7);
	clpac_problem_destroy(copy);
	assert_works(clpac_problem_read("", &copy, &err), err);
	ck_assert(clpac_problem_get(copy)->n_samples == 0);
	clpac_problem_destroy(copy);
	/* The order of the two does not matter. */
	assert_works(clpac_problem_read("shifts=7,8 surrogates=2", &copy, &err), err);
	clpac_problem_destroy(copy);
}
END_TEST

START_TEST(text_that_is_no_problem_is_refused_by_name)
{
	static const refusal refusals[] = {
		{"rate", "'rate' is not KEY=VALUE"},
		{"colour=red", "'colour' is no key of a problem"},
		{"=3", "'' is no key of a problem"},
		{"rate=512 rate=512", "rate is given twice"},
		{"rate=fast", "rate=fast is not understood: give a number"},
		{"rate=512Hz", "rate=512Hz is not understood"},
		{"rate=", "rate= is not understood"},
		{"rate=nan", "rate=nan is not understood"},
		{"samples=-1", "samples=-1 is not understood: give a whole number from 0 on"},
		{"samples=1.5", "samples=1.5 is not understood"},
		{"samples=18446744073709551616", "samples=18446744073709551616 is not understood"},
		{"bins=4294967296", "bins=4294967296 is not understood"},
		{"bins=x", "bins=x is not understood"},
		{"seed=-1", "seed=-1 is not understood"},
		{"seed=0x10", "seed=0x10 is not understood"},
		{"average=median", "average=median is not understood: give mean or sum"},
		{"hilbert=none", "hilbert=none is not understood: give local or trimmed"},
		{"edge=-1", "edge=-1 is not understood: give auto or a number of samples"},
		{"edge=soft", "edge=soft is not understood"},
		{"keep_surrogates=1", "keep_surrogates=1 is not understood: give yes or no"},
		{"gamma_tail=1", "gamma_tail=1 is not understood: give yes or no"},
		{"family=channel", "family=channel is not understood: give map or run"},
		{"measures=plf", "measures=plf is not understood: give some of mi, hr"},
		{"measures=", "measures= is not understood"},
		{"measures=mi,", "measures=mi, is not understood"},
		{"measures=mi,hr,mi,hr,mi,hr,mi,hr,mi", "is not understood: give some of mi, hr"},
		{"tied_amplitudes=tied", "tied_amplitudes=tied is not understood: give yes or no"},
		{"phase=2:20:10/tied", "problem text: phase: bands '2:20:10/tied': only widths of amplitude bands"},
		{"phase=8-4", "problem text: phase: band 0 is 8-4 Hz"},
		{"amplitude=", "problem text: amplitude: no amplitude bands are given"},
		{"shifts=", "shifts= is not understood: give whole numbers of samples"},
		{"shifts=5,,7", "shifts=5,,7 is not understood"},
		{"shifts=5,7,", "shifts=5,7, is not understood"},
		{"shifts=5,-7", "shifts=5,-7 is not understood"},
		{"surrogates=3 shifts=5,7", "surrogates=3 and 2 shifts"},
		{"channels=3 channel_numbers=5,7", "channels=3 and 2 channel numbers: leave one of them out"},
		{"segment_numbers=5,7 segments=1", "segments=1 and 2 segment numbers"},
		{"channel_numbers=5,x", "channel_numbers=5,x is not understood: give whole numbers, as 7,3,0"},
		{"segment_numbers=-1", "segment_numbers=-1 is not understood"},
		{"rate=40 amplitude=60:160:10", "problem text: amplitude: no amplitude band of 60:160:10 fits below 20 "
						"Hz, half the sampling rate of 40 Hz"},
		{"amplitude=60:160:10 phase=8-300 rate=500", "problem text: amplitude: phase band 0 is 8-300 Hz"},
		{"shifts=5,7 surrogates=3", "surrogates=3 and 2 shifts"},
		{"phase_taps=231:0123456789abcdef", "phase_taps=231:0123456789abcdef names taps of the caller's own"},
		{"amplitude_taps=3:0", "set amplitude_taps again"},
	};
	for (size_t i = 0; i < COUNT(refusals); i++) {
		clpac_problem_copy *copy = NULL;
		clpac_error err;
		clpac_status st = clpac_problem_read(refusals[i].text, &copy, &err);
		assert_refused(st, err, CLPAC_ERROR_ARGUMENT, refusals[i].part);
		ck_assert_ptr_null(copy);
	}
}
END_TEST

START_TEST(own_taps_are_named_by_number_and_checksum)
{
	clpac_band bands[2] = {{4, 8}, {8, 13}};
	double taps[6] = {1, 2, 1, 1, 3, 1};
	clpac_problem p = smallest;
	p.phase_bands = bands;
	p.n_phase_bands = 2;
	p.phase_taps = (clpac_taps){taps, 3};
	char *text = write_problem(&p);
	ck_assert_ptr_nonnull(strstr(text, " phase_taps=3:"));
	ck_assert_ptr_null(strstr(text, "amplitude_taps"));
	taps[5] = nextafter(1, 2);
	char *other = write_problem(&p);
	ck_assert_str_ne(text, other);
	clpac_problem_copy *copy;
	clpac_error err;
	clpac_status st = clpac_problem_read(text, &copy, &err);
	assert_refused(st, err, CLPAC_ERROR_ARGUMENT, "which the text does not hold");
	clpac_text_free(text);
	clpac_text_free(other);
}
END_TEST

START_TEST(a_wrong_problem_can_be_written_for_a_report)
{
	clpac_problem p = {
		.rate_hz = NAN, .n_samples = SIZE_MAX, .edge_samples = CLPAC_EDGE_AUTO, .average = (clpac_average)7};
	char *text = write_problem(&p);
	ck_assert_ptr_nonnull(strstr(text, "rate=nan "));
	ck_assert_ptr_nonnull(strstr(text, "samples=18446744073709551615 "));
	ck_assert_ptr_nonnull(strstr(text, "average=7 "));
	ck_assert_ptr_nonnull(strstr(text, "edge=auto "));
	clpac_text_free(text);
}
END_TEST

START_TEST(failing_allocations_are_reported)
{
	clpac_band bands[2] = {{4, 8}, {8, 13}};
	double taps[6] = {1, 2, 1, 1, 3, 1};
	size_t shifts[2] = {5, 17};
	clpac_problem p = smallest;
	p.phase_bands = bands;
	p.n_phase_bands = 2;
	p.phase_taps = (clpac_taps){taps, 3};
	p.shifts = shifts;
	p.n_surrogates = 2;
	clpac_problem_copy *copy;
	clpac_error err;
	char *text;
	assert_survives_failing_allocations(clpac_problem_complete(&p, &copy, &err), clpac_problem_destroy(copy));
	assert_survives_failing_allocations(clpac_problem_write(&p, &text, &err), clpac_text_free(text));
	assert_survives_failing_allocations(
		clpac_problem_read("rate=512 samples=2048 phase=2:20:10 amplitude=50-60,60-70 shifts=5,17 "
				   "channel_numbers=3 segment_numbers=4",
				   &copy, &err),
		clpac_problem_destroy(copy));
	assert_survives_failing_allocations(
		clpac_problem_read("rate=40 samples=2048 phase=2:20:10 amplitude=10:18:5/6", &copy, &err),
		clpac_problem_destroy(copy));
	p = (clpac_problem){.rate_hz = 250, .n_samples = 2048};
	assert_survives_failing_allocations(clpac_problem_complete(&p, &copy, &err), clpac_problem_destroy(copy));
	p.rate_hz = 100;
	assert_survives_failing_allocations(clpac_problem_write(&p, &text, &err), clpac_text_free(text));
}
END_TEST

Suite *suite(void)
{
	Suite *s = suite_create("problem");
	TCase *t = tcase_create("complete");
	tcase_add_test(t, pairs_are_part_of_the_text);
	tcase_add_test(t, what_pairs_cannot_have_is_refused_by_name);
	tcase_add_test(t, defaults_are_filled_in);
	tcase_add_test(t, default_bands_fit_rate_and_phase_bands);
	tcase_add_test(t, the_callers_taps_are_for_all_default_bands);
	tcase_add_test(t, an_automatic_edge_is_half_the_longest_filter);
	tcase_add_test(t, a_copy_owns_what_it_points_to);
	tcase_add_test(t, a_problem_that_cannot_be_computed_is_refused_by_name);
	tcase_add_test(t, what_lies_just_inside_the_limits_works);
	tcase_add_test(t, numbers_that_are_none_are_refused);
	tcase_add_test(t, bands_that_contradict_themselves_are_refused);
	tcase_add_test(t, choices_that_do_not_exist_are_refused);
	tcase_add_test(t, own_taps_that_make_no_filter_are_refused);
	tcase_add_test(t, measures_are_known_and_given_once);
	tcase_add_test(t, shifts_without_a_number_are_refused);
	suite_add_tcase(s, t);
	t = tcase_create("text");
	tcase_add_test(t, a_problem_is_one_line_with_its_defaults);
	tcase_add_test(t, random_problems_read_back_as_they_were);
	tcase_add_test(t, ranges_in_a_text_wait_for_rate_and_phase_bands);
	tcase_add_test(t, ties_are_part_of_the_text_where_there_are_any);
	tcase_add_test(t, a_part_has_one_phase_band_and_the_bands_of_its_cells);
	tcase_add_test(t, numbers_of_channels_and_segments_are_part_of_the_text);
	tcase_add_test(t, keys_left_out_keep_their_default);
	tcase_add_test(t, text_that_is_no_problem_is_refused_by_name);
	tcase_add_test(t, own_taps_are_named_by_number_and_checksum);
	tcase_add_test(t, a_wrong_problem_can_be_written_for_a_report);
	tcase_add_test(t, failing_allocations_are_reported);
	suite_add_tcase(s, t);
	return s;
}
