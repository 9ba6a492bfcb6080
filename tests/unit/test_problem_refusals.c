/* Problems that cannot be computed, each refused by the name of its fault, and those just inside the limits. */
#include "runner.h"
#include "assertions.h"
#include "some_problems.h"

TEST(a_problem_that_cannot_be_computed_is_refused_by_name)
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
		 "edge_samples is 1024 at both ends of 2048 samples: nothing is left"},
		{"rate=512 samples=2048 edge=9223372036854775807", "nothing is left"},
		{"rate=512 samples=300",
		 "300 of 300 samples are used, without edges of 0, less than one period of phase band 0, 1.5-2.5 Hz"},
		{"rate=512 samples=2048 edge=900",
		 "248 of 2048 samples are used, without edges of 900, less than one period"},
		{"rate=512 samples=10 phase=100-200 amplitude=150-250",
		 "10 of 10 samples are used, without edges of 0, fewer than the 18 phase bins"},
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
		 "hilbert is CLPAC_HILBERT_TRIMMED, which takes all kept samples at once, and stretches are given"},
		{"rate=512 samples=9000 windows=0+5000 hilbert=trimmed",
		 "hilbert is CLPAC_HILBERT_TRIMMED, which takes all kept samples at once, and windows are given"},
		{"rate=512 samples=9000 stretches=0+5000 surrogates=5 null=phases",
		 "null is CLPAC_NULL_PHASES, which needs the spectrum of a whole segment, and stretches are given"},
		{"rate=512 samples=9000 stretches=0+5000 measures=mi,plv", "once more, and stretches are given"},
		{"rate=512 samples=9000 windows=0+5000 measures=plv", "once more, and windows are given"},
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
		{"rate=512 samples=9000 windows=0+300", "300 of 9000 samples are used, without edges of 0, less than"},
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
	size_t n_members = 0;
	for (size_t i = 0; i < COUNT(refusals); i++) {
		clpac_problem_copy *given, *copy = NULL;
		clpac_error err;
		assert_works(clpac_problem_read(refusals[i].text, &given, &err), err);
		clpac_status st = clpac_problem_complete(clpac_problem_get(given), &copy, &err);
		ck_assert_msg(st != CLPAC_OK, "'%s' was accepted", refusals[i].text);
		assert_refused(st, err, CLPAC_ERROR_ARGUMENT, refusals[i].part);
		/* The member is the one with which the text begins. */
		ck_assert_int_eq(strncmp(err.text, err.member, strlen(err.member)), 0);
		n_members += *err.member != 0;
		ck_assert_ptr_null(copy);
		clpac_problem_destroy(given);
	}
	ck_assert_uint_ge(n_members, 15);
}

TEST(what_lies_just_inside_the_limits_works)
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

#define assert_problem_refused(problem, part)                                                                          \
	do {                                                                                                           \
		clpac_problem_copy *refused_copy = NULL;                                                               \
		clpac_error refused_err;                                                                               \
		clpac_status refused_st = clpac_problem_complete(&(problem), &refused_copy, &refused_err);             \
		assert_refused(refused_st, refused_err, CLPAC_ERROR_ARGUMENT, part);                                   \
	} while (0)

TEST(numbers_that_are_none_are_refused)
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

TEST(bands_that_contradict_themselves_are_refused)
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

TEST(choices_that_do_not_exist_are_refused)
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

TEST(own_taps_that_make_no_filter_are_refused)
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

TEST(measures_are_known_and_given_once)
{
	static const clpac_measure unknown[] = {CLPAC_MEASURE_GLM, CLPAC_MEASURE_COUNT};
	static const clpac_measure twice[] = {CLPAC_MEASURE_GLM, CLPAC_MEASURE_MI, CLPAC_MEASURE_GLM};
	static const clpac_measure many[CLPAC_MEASURE_COUNT + 1];
	static const struct {
		const clpac_measure *measures;
		size_t n;
		const char *part;
	} refusals[] = {
		{unknown, 2, "measures[1] is 9: it must be one of clpac_measure"},
		{twice, 3, "measures[0] and measures[2] are both glm: give each measure once"},
		{many, COUNT(many), "n_measures is 10: there are 9"},
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

TEST(shifts_without_a_number_are_refused)
{
	size_t shift = 5;
	clpac_problem p = smallest;
	p.shifts = &shift;
	assert_problem_refused(p, "shifts are given and n_surrogates is 0");
}

TEST(what_pairs_cannot_have_is_refused_by_name)
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
