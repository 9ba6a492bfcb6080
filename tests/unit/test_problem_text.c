/* The line of text from which a problem can be run again. */
#include "runner.h"
#include "assertions.h"
#include "some_problems.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>

static char *write_problem(const clpac_problem *problem)
{
	char *text;
	clpac_error err;
	assert_works(clpac_problem_write(problem, &text, &err), err);
	return text;
}

TEST(a_problem_is_one_line_with_its_defaults)
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

TEST(random_problems_read_back_as_they_were)
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
				measures[i] =
					(clpac_measure)(i < CLPAC_MEASURE_PLV ? i : i + 1); /* all but phase locking */
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

TEST(ranges_in_a_text_wait_for_rate_and_phase_bands)
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

TEST(ties_are_part_of_the_text_where_there_are_any)
{
	clpac_problem p = {.rate_hz = 250, .n_samples = 4096};
	clpac_problem_copy *copy, *back;
	clpac_error err;
	char *text = write_problem(&p);
	ck_assert(!strstr(text, "tied"));
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

TEST(numbers_of_channels_and_segments_are_part_of_the_text)
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

TEST(pairs_are_part_of_the_text)
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

TEST(keys_left_out_keep_their_default)
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

TEST(text_that_is_no_problem_is_refused_by_name)
{
	static const refusal refusals[] = {
		{"rate", "\"rate\" is not KEY=VALUE"},
		{"colour=red", "\"colour\" is no key of a problem"},
		{"=3", "\"\" is no key of a problem"},
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
		{"measures=mi,hr,mi,hr,mi,hr,mi,hr,mi,hr", "is not understood: give some of mi, hr"},
		{"tied_amplitudes=tied", "tied_amplitudes=tied is not understood: give yes or no"},
		{"phase=2:20:10/tied", "problem text: phase: bands \"2:20:10/tied\": only widths of amplitude bands"},
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

TEST(own_taps_are_named_by_number_and_checksum)
{
	clpac_band bands[2] = {{4, 8}, {8, 13}};
	double taps[6] = {1, 2, 1, 1, 3, 1};
	clpac_problem p = smallest;
	p.phase_bands = bands;
	p.n_phase_bands = 2;
	p.phase_taps = (clpac_taps){taps, 3};
	char *text = write_problem(&p);
	ck_assert_ptr_nonnull(strstr(text, " phase_taps=3:"));
	ck_assert(!strstr(text, "amplitude_taps"));
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

TEST(a_wrong_problem_can_be_written_for_a_report)
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
