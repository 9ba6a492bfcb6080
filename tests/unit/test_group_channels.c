/* A group's channels: matched by their names, and those that some subjects lack. */
#include "runner.h"
#include "assertions.h"
#include "some_subjects.h"

/* Channels are found by their names, wherever they stand. */
TEST(channels_are_matched_by_name)
{
	enum { N = 5 };
	static const char *const names[] = {"Fz", "Cz", "Pz"};
	clpac_result *subjects[N], *straight[N];
	clpac_error err;
	unsigned long long state = 19;
	make_subjects(subjects, N, (struct sizes){3, 1}, 1, &state);
	for (size_t i = 0; i < N; i++) {
		straight[i] = make_subject((struct sizes){3, 1});
		for (size_t ch = 0; ch < 3; ch++) {
			const size_t place = (ch + i) % 3;
			OK(clpac_result_set_channel_name(straight[i], ch, names[ch], &err));
			OK(clpac_result_set_channel_name(subjects[i], place, names[ch], &err));
			memcpy(clpac_result_array(straight[i], CLPAC_Z, NULL) + ch * CELLS,
			       clpac_result_array(subjects[i], CLPAC_Z, NULL) + place * CELLS, CELLS * sizeof(float));
		}
	}
	const clpac_group one = group_of(CLPAC_ONE_SAMPLE, straight, N, 0);
	clpac_group other = group_of(CLPAC_ONE_SAMPLE, subjects, N, 0);
	clpac_result *a = compare(&one), *b = compare(&other);
	ck_assert_mem_eq(clpac_result_array(a, CLPAC_T, NULL), clpac_result_array(b, CLPAC_T, NULL),
			 3 * CELLS * sizeof(float));
	clpac_result_destroy(b);
	/* Some of them, in another order. */
	other.channels = (const char *const[]){"Pz", "Fz"};
	other.n_channels = 2;
	b = compare(&other);
	ck_assert_uint_eq(clpac_result_get_shape(b)->n_channels, 2);
	ck_assert_str_eq(clpac_result_channel_name(b, 0), "Pz");
	ck_assert_mem_eq(clpac_result_array(a, CLPAC_T, NULL) + 2 * CELLS, clpac_result_array(b, CLPAC_T, NULL),
			 CELLS * sizeof(float));
	ck_assert_mem_eq(clpac_result_array(a, CLPAC_T, NULL), clpac_result_array(b, CLPAC_T, NULL) + CELLS,
			 CELLS * sizeof(float));
	clpac_result_destroy(b);
	/* By number, in each subject its own. */
	other.channels = (const char *const[]){"1"};
	other.n_channels = 1;
	b = compare(&other);
	ck_assert_str_eq(clpac_result_channel_name(b, 0), "Cz");
	double sum = 0;
	for (size_t i = 0; i < N; i++)
		sum += (double)results_value(subjects[i], CLPAC_Z, CELLS);
	assert_close(results_value(b, CLPAC_EFFECT, 0), sum / N, 1e-6);
	clpac_result_destroy(b);
	clpac_result_destroy(a);
	destroy_subjects(subjects, N);
	destroy_subjects(straight, N);
}

static void assert_same_channel(const clpac_result *a, size_t channel, const clpac_result *b, size_t other)
{
	static const clpac_array arrays[] = {CLPAC_EFFECT,	 CLPAC_T,    CLPAC_P,	CLPAC_P_MAX, CLPAC_P_CLUSTER,
					     CLPAC_CLUSTER_MASS, CLPAC_Q_BH, CLPAC_Q_BY};
	const size_t each = clpac_result_get_shape(a)->n_segments * CELLS;
	for (size_t i = 0; i < COUNT(arrays); i++)
		ck_assert_mem_eq(clpac_result_array((clpac_result *)a, arrays[i], NULL) + channel * each,
				 clpac_result_array((clpac_result *)b, arrays[i], NULL) + other * each,
				 each * sizeof(float));
}

/* A subject that lacks a channel, or of a pair the pair, is not there for it, and another case is the same name. */
TEST_EACH(a_channel_is_compared_among_the_subjects_that_have_it, CLPAC_DESIGN_COUNT)
{
	enum { N_ALL = 10, HALF = N_ALL / 2, LACKS = 2 };
	static const char *const names[] = {"Fz", "Cz", "Pz"};
	const clpac_design design = (clpac_design)_i;
	const size_t n_first = design == CLPAC_ONE_SAMPLE ? N_ALL : HALF, n_second = N_ALL - n_first;
	unsigned long long state = 77 + (unsigned)_i;
	clpac_result *subjects[N_ALL], *fewer[N_ALL];
	clpac_error err;
	size_t n_fewer = 0;
	make_subjects(subjects, N_ALL, (struct sizes){3, 2}, 0.4, &state);
	for (size_t i = 0; i < N_ALL; i++)
		for (size_t ch = 0; ch < 3; ch++)
			OK(clpac_result_set_channel_name(subjects[i], ch, names[ch], &err));
	for (size_t i = 0; i < N_ALL; i++)
		if (i != LACKS && !(design == CLPAC_PAIRED && i == HALF + LACKS))
			fewer[n_fewer++] = subjects[i];
	clpac_group all = group_of(design, subjects, n_first, n_second);
	clpac_group rest = group_of(design, fewer, n_first - 1, n_fewer - (n_first - 1));
	clpac_result *whole = compare(&all), *part = compare(&rest);
	ck_assert_ptr_null(clpac_result_array(whole, CLPAC_N_SUBJECTS, NULL));
	OK(clpac_result_set_channel_name(subjects[LACKS], 1, "Oz", &err));
	OK(clpac_result_set_channel_name(subjects[4], 0, "FZ", &err));
	OK(clpac_result_set_channel_name(subjects[N_ALL - 1], 2, "pZ", &err));
	clpac_result *made = compare(&all);
	ck_assert_uint_eq(clpac_result_get_shape(made)->n_channels, 3);
	for (size_t ch = 0; ch < 3; ch++) {
		const size_t n = design == CLPAC_PAIRED ? HALF : N_ALL;
		ck_assert_str_eq(clpac_result_channel_name(made, ch), names[ch]);
		assert_same_channel(made, ch, ch == 1 ? part : whole, ch);
		for (size_t i = 0; i < 2 * CELLS; i++)
			ck_assert(results_value(made, CLPAC_N_SUBJECTS, ch * 2 * CELLS + i) == (float)(n - (ch == 1)));
	}
	clpac_result_destroy(made);
	/* Named, it is the same; over the run there are no permutations of all. */
	all.channels = (const char *const[]){"CZ"};
	all.n_channels = 1;
	made = compare(&all);
	assert_same_channel(made, 0, part, 1);
	clpac_result_destroy(made);
	all.n_channels = 0;
	all.family = CLPAC_FAMILY_RUN;
	assert_refused(clpac_result_group(&all, &made, &err), err, CLPAC_ERROR_ARGUMENT,
		       "some subjects lack channels that others have");
	clpac_result_destroy(whole);
	clpac_result_destroy(part);
	destroy_subjects(subjects, N_ALL);
}

/* One that a single subject has is left out, and one of a later subject is found. */
TEST(a_channel_needs_two_subjects_of_each_group)
{
	enum { N_ALL = 6 };
	unsigned long long state = 5;
	clpac_result *subjects[N_ALL], *made;
	clpac_error err;
	make_subjects(subjects, N_ALL, (struct sizes){2, 1}, 0.4, &state);
	for (size_t i = 0; i < N_ALL; i++) {
		OK(clpac_result_set_channel_name(subjects[i], 0, i == 0 ? "only" : i < 3 ? "a" : "b", &err));
		OK(clpac_result_set_channel_name(subjects[i], 1, "Cz", &err));
	}
	clpac_group group = group_of(CLPAC_ONE_SAMPLE, subjects, N_ALL, 0);
	made = compare(&group);
	ck_assert_uint_eq(clpac_result_get_shape(made)->n_channels, 3);
	ck_assert_str_eq(clpac_result_channel_name(made, 0), "Cz");
	ck_assert_str_eq(clpac_result_channel_name(made, 1), "a");
	ck_assert_str_eq(clpac_result_channel_name(made, 2), "b");
	ck_assert(results_value(made, CLPAC_N_SUBJECTS, 0) == 6 && results_value(made, CLPAC_N_SUBJECTS, CELLS) == 2 &&
		  results_value(made, CLPAC_N_SUBJECTS, 2 * CELLS) == 3);
	clpac_result_destroy(made);
	group = group_of(CLPAC_TWO_SAMPLE, subjects, 3, 3);
	made = compare(&group);
	ck_assert_uint_eq(clpac_result_get_shape(made)->n_channels, 1);
	clpac_result_destroy(made);
	group.channels = (const char *const[]){"a"};
	group.n_channels = 1;
	assert_refused(clpac_result_group(&group, &made, &err), err, CLPAC_ERROR_ARGUMENT, "has no channel a");
	destroy_subjects(subjects, N_ALL);
}
