/* Problems: their defaults, copies and parts. */
#include "runner.h"
#include "assertions.h"
#include "some_problems.h"

TEST(defaults_are_filled_in)
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

TEST(default_bands_fit_rate_and_phase_bands)
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

TEST(the_callers_taps_are_for_all_default_bands)
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

TEST(an_automatic_edge_is_half_the_longest_filter)
{
	clpac_problem problem = {.rate_hz = 512, .n_samples = 4096, .edge_samples = CLPAC_EDGE_AUTO};
	clpac_problem_copy *copy;
	clpac_error err;
	assert_works(clpac_problem_complete(&problem, &copy, &err), err);
	ck_assert_int_eq(clpac_problem_get(copy)->edge_samples, 512); /* 1.5 Hz: 3 * 341 + 1 = 1024 taps */
	clpac_problem_destroy(copy);
}

TEST(a_copy_owns_what_it_points_to)
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

/* Centres 6 and 12 Hz, and 20 and 100 Hz. */
TEST(a_part_has_one_phase_band_and_the_bands_of_its_cells)
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

TEST(failing_allocations_are_reported)
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
