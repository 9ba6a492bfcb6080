/* Comparisons of subjects: the calls they take and refuse, their warnings and progress. */
#include "runner.h"
#include "assertions.h"
#include "some_subjects.h"

TEST(indices_of_unequal_lengths_are_refused)
{
	clpac_result *subjects[4];
	unsigned long long state = 5;
	clpac_error err;
	clpac_result *made = NULL;
	make_subjects(subjects, 4, (struct sizes){1, 1}, 0, &state);
	for (size_t i = 0; i < 4; i++)
		clpac_result_used_seconds(subjects[i])[0] = i == 3 ? 10 : 60;
	for (int design = CLPAC_PAIRED; design <= CLPAC_TWO_SAMPLE; design++) {
		clpac_group group = group_of((clpac_design)design, subjects, 2, 2);
		clpac_result_destroy(compare(&group));
		group.of_index = true;
		ck_assert_int_eq(clpac_result_group(&group, &made, &err), CLPAC_ERROR_ARGUMENT);
		ck_assert_ptr_nonnull(strstr(err.text, "second[1] uses 10 s where first["));
		ck_assert_ptr_nonnull(strstr(err.text, "compare z"));
	}
	clpac_result_used_seconds(subjects[3])[0] = 59.5;
	clpac_group group = group_of(CLPAC_PAIRED, subjects, 2, 2);
	group.of_index = true;
	clpac_result_destroy(compare(&group));
	destroy_subjects(subjects, 4);
}

TEST(too_few_subjects_are_a_warning)
{
	static const struct {
		size_t n;
		clpac_side side;
		bool warns;
	} cases[] = {{5, CLPAC_SIDE_BOTH, true},
		     {6, CLPAC_SIDE_BOTH, false},
		     {4, CLPAC_SIDE_GREATER, true},
		     {5, CLPAC_SIDE_LESS, false}};
	clpac_result *subjects[6];
	unsigned long long state = 18;
	make_subjects(subjects, 6, (struct sizes){1, 1}, 1, &state);
	for (size_t i = 0; i < COUNT(cases); i++) {
		clpac_group group = group_of(CLPAC_ONE_SAMPLE, subjects, cases[i].n, 0);
		group.side = cases[i].side;
		clpac_result *result = compare(&group);
		const clpac_warning *warning = &clpac_result_report(result)->warnings[CLPAC_WARN_FEW_SUBJECTS];
		ck_assert_msg((warning->count == 1) == cases[i].warns, "case %zu: %s", i, warning->text);
		ck_assert(!warning->count || strstr(warning->text, "more subjects"));
		clpac_result_destroy(result);
	}
	/* One of 20 permutations is just enough. */
	clpac_group group = group_of(CLPAC_TWO_SAMPLE, subjects, 3, 3);
	group.side = CLPAC_SIDE_GREATER;
	clpac_result *result = compare(&group);
	ck_assert_uint_eq(clpac_result_report(result)->warnings[CLPAC_WARN_FEW_SUBJECTS].count, 0);
	clpac_result_destroy(result);
	destroy_subjects(subjects, 6);
}

/* What a caller has heard of the progress. */
struct heard {
	size_t n, last, total, stop_at;
};

static bool hear(void *user, size_t done, size_t total)
{
	struct heard *so_far = user;
	ck_assert_uint_ge(done, so_far->last);
	ck_assert_uint_le(done, total);
	so_far->last = done;
	so_far->total = total;
	return ++so_far->n != so_far->stop_at;
}

TEST(progress_is_told_and_may_end_a_comparison)
{
	enum { N = 12 };
	clpac_result *subjects[N], *result = NULL;
	clpac_error err;
	unsigned long long state = 31;
	struct heard heard = {0};
	make_subjects(subjects, N, (struct sizes){1, 1}, 1, &state);
	clpac_group group = group_of(CLPAC_ONE_SAMPLE, subjects, N, 0);
	group.n_permutations = 3000;
	group.progress = hear;
	group.progress_user = &heard;
	clpac_result_destroy(compare(&group));
	ck_assert_uint_ge(heard.n, 1);
	ck_assert_uint_eq(heard.last, 2999);
	ck_assert_uint_eq(heard.total, 2999);
	heard = (struct heard){.stop_at = 1};
	assert_refused(clpac_result_group(&group, &result, &err), err, CLPAC_ERROR_CANCELLED, "permutations, as asked");
	ck_assert_ptr_null(result);
	destroy_subjects(subjects, N);
}

TEST(indices_and_further_measures_are_compared)
{
	enum { N = 6 };
	clpac_result *subjects[N];
	const clpac_result *further[N];
	clpac_error err;
	unsigned long long state = 20;
	make_subjects(subjects, N, (struct sizes){1, 1}, 1, &state);
	clpac_group group = group_of(CLPAC_TWO_SAMPLE, subjects, 3, 3);
	group.of_index = true;
	clpac_result *result = compare(&group);
	double sum = 0;
	for (size_t i = 0; i < N; i++)
		sum += (i < 3 ? 1.0 : -1.0) * (double)results_value(subjects[i], CLPAC_MI, 4) / 3;
	assert_close(results_value(result, CLPAC_EFFECT, 4), sum, 1e-6);
	ck_assert_ptr_nonnull(strstr(clpac_result_problem(result), "value=mi"));
	clpac_result_destroy(result);
	for (size_t i = 0; i < N; i++) {
		clpac_result *added;
		OK(clpac_result_add_measure(subjects[i], CLPAC_MEASURE_GLM, 1 << CLPAC_MI | 1 << CLPAC_Z, &added,
					    &err));
		for (size_t cell = 0; cell < CELLS; cell++)
			clpac_result_array(added, CLPAC_Z, NULL)[cell] = (float)(i + 1 + cell);
		further[i] = added;
	}
	group = (clpac_group){.first = further, .n_first = N};
	result = compare(&group);
	ck_assert_int_eq(clpac_result_measure(result), CLPAC_MEASURE_GLM);
	assert_close(results_value(result, CLPAC_EFFECT, 2), 5.5, 1e-6);
	clpac_result_destroy(result);
	further[4] = subjects[4];
	assert_refused(clpac_result_group(&group, &result, &err), err, CLPAC_ERROR_ARGUMENT,
		       "first[4] holds the measure mi");
	destroy_subjects(subjects, N);
}

TEST(what_does_not_fit_is_refused_by_name)
{
	enum { N = 4 };
	clpac_result *subjects[2 * N], *made = NULL;
	clpac_error err;
	unsigned long long state = 21;
	make_subjects(subjects, 2 * N, (struct sizes){1, 1}, 1, &state);
	const clpac_group good = group_of(CLPAC_PAIRED, subjects, N, N);
	const char *const names[2 * N] = {"a.npz", "b.npz", "c.npz", "d.npz", "e.npz", "f.npz", "g.npz", "h.npz"};
	const struct {
		const char *text;
		clpac_group group;
	} cases[] = {
#define WITH(text, ...)                                                                                                \
	{                                                                                                              \
		text,                                                                                                  \
		{                                                                                                      \
			__VA_ARGS__                                                                                    \
		}                                                                                                      \
	}
#define BOTH .first = good.first, .n_first = N, .second = good.second, .n_second = N
		WITH("design is 3", .design = CLPAC_DESIGN_COUNT, BOTH),
		WITH("side is 3", .design = CLPAC_PAIRED, .side = CLPAC_SIDE_COUNT, BOTH),
		WITH("family is 7", .design = CLPAC_PAIRED, .family = (clpac_family)7, BOTH),
		WITH("cluster_alpha is 0.3", .design = CLPAC_PAIRED, .cluster_alpha = 0.3, BOTH),
		WITH("cluster_alpha is nan", .design = CLPAC_PAIRED, .cluster_alpha = NAN, BOTH),
		WITH("n_permutations is 1:", .design = CLPAC_PAIRED, .n_permutations = 1, BOTH),
		WITH("n_permutations is 4294967295", .design = CLPAC_PAIRED, .n_permutations = UINT32_MAX, BOTH),
		WITH("one sample has no second group", BOTH),
		WITH("compares two groups", .design = CLPAC_TWO_SAMPLE, .first = good.first, .n_first = N),
		WITH("at least two", .first = good.first, .n_first = 1),
		WITH("at least two", .first = good.first, .n_first = 0),
		WITH("n_second is 1 or less", .design = CLPAC_TWO_SAMPLE, .first = good.first, .n_first = 2,
		     .second = good.second, .n_second = 1),
		WITH("n_first is 3 and n_second is 4", .design = CLPAC_PAIRED, .first = good.first, .n_first = 3,
		     .second = good.second, .n_second = 4),
		WITH("first is NULL", .n_first = 3),
		WITH("second is NULL", .design = CLPAC_PAIRED, .first = good.first, .n_first = 3, .n_second = 3),
		WITH("channels is NULL", .first = good.first, .n_first = 3, .n_channels = 1),
		WITH("channels[0] is NULL", .first = good.first, .n_first = 3, .n_channels = 1,
		     .channels = (const char *const[]){NULL}),
		WITH("second[1] is NULL", .design = CLPAC_PAIRED, .first = good.first, .n_first = 2,
		     .second = (const clpac_result *const[]){subjects[2], NULL}, .n_second = 2),
		WITH("b.npz and c.npz are one result", .first_names = names, .n_first = 3,
		     .first = (const clpac_result *const[]){subjects[0], subjects[1], subjects[1]}),
		WITH("no channel C9", .first = good.first, .n_first = 3, .n_channels = 1,
		     .channels = (const char *const[]){"C9"}),
		WITH("clpac_group", .size = 8, .first = good.first, .n_first = N),
	};
	for (size_t i = 0; i < COUNT(cases); i++)
		assert_refused(clpac_result_group(&cases[i].group, &made, &err), err, CLPAC_ERROR_ARGUMENT,
			       cases[i].text);
	clpac_group named = good;
	named.first_names = names;
	named.second_names = names + N;
	/* Results that do not agree. */
	clpac_result *others[2 * N];
	memcpy(others, subjects, sizeof others);
	named.first = (const clpac_result *const *)others;
	named.second = (const clpac_result *const *)others + N;
	clpac_result_phase_bands(subjects[5])[2].hi_hz += 0.5;
	assert_refused(clpac_result_group(&named, &made, &err), err, CLPAC_ERROR_ARGUMENT,
		       "f.npz has the phase band 6-8.5 Hz where a.npz has 6-8 Hz");
	clpac_result_phase_bands(subjects[5])[2].hi_hz -= 0.5 + 1e-12;
	clpac_result_amplitude_bands(subjects[2])[0].lo_hz = 61;
	assert_refused(clpac_result_group(&named, &made, &err), err, CLPAC_ERROR_ARGUMENT,
		       "c.npz has the amplitude band 61-80 Hz where a.npz has 60-80 Hz");
	clpac_result_amplitude_bands(subjects[2])[0].lo_hz = 60;
	others[6] = make_subject((struct sizes){1, 2});
	assert_refused(clpac_result_group(&named, &made, &err), err, CLPAC_ERROR_ARGUMENT, "g.npz has 2 segments");
	clpac_result_destroy(others[6]);
	OK(clpac_result_create(&(clpac_result_shape){1, 1, 2, 2, 0, 0}, 1 << CLPAC_Z, &others[6], &err));
	assert_refused(clpac_result_group(&named, &made, &err), err, CLPAC_ERROR_ARGUMENT, "g.npz has 2 x 2 bands");
	clpac_result_destroy(others[6]);
	OK(clpac_result_create(&(clpac_result_shape){1, 1, N_PHASE, N_AMPLITUDE, 0, 0}, 1 << CLPAC_MI, &others[6],
			       &err));
	assert_refused(clpac_result_group(&named, &made, &err), err, CLPAC_ERROR_ARGUMENT,
		       "g.npz holds no z to compare");
	clpac_result_destroy(others[6]);
	others[6] = subjects[6];
	/* Bands that differ by roundings are the same. */
	OK(clpac_result_group(&named, &made, &err));
	/* A comparison is no subject. */
	others[6] = made;
	assert_refused(clpac_result_group(&named, &made, &err), err, CLPAC_ERROR_ARGUMENT, "g.npz holds no z");
	clpac_result_destroy(others[6]);
	destroy_subjects(subjects, 2 * N);
}

TEST(every_allocation_may_fail)
{
	enum { N = 4 };
	clpac_result *subjects[N], *out = NULL;
	clpac_error err;
	unsigned long long state = 22;
	make_subjects(subjects, N, (struct sizes){2, 1}, 1, &state);
	clpac_group group = group_of(CLPAC_TWO_SAMPLE, subjects, 2, 2);
	for (int family = CLPAC_FAMILY_MAP; family <= CLPAC_FAMILY_RUN; family++) {
		group.family = (clpac_family)family;
		assert_survives_failing_allocations(clpac_result_group(&group, &out, &err), clpac_result_destroy(out));
	}
	destroy_subjects(subjects, N);
}
