#include "some_subjects.h"
#include "assertions.h"

clpac_result *make_subject(struct sizes sizes)
{
	clpac_result *made = NULL;
	clpac_error err;
	assert_works(clpac_result_create(
			     &(clpac_result_shape){sizes.n_channels, sizes.n_segments, N_PHASE, N_AMPLITUDE, 18, 10},
			     1 << CLPAC_MI | 1 << CLPAC_Z, &made, &err),
		     err);
	for (size_t ph = 0; ph < N_PHASE; ph++)
		clpac_result_phase_bands(made)[ph] = (clpac_band){2 + 2 * (double)ph, 4 + 2 * (double)ph};
	for (size_t am = 0; am < N_AMPLITUDE; am++)
		clpac_result_amplitude_bands(made)[am] = (clpac_band){60 + 10 * (double)am, 80 + 10 * (double)am};
	return made;
}

void make_subjects(clpac_result **subjects, size_t n, struct sizes sizes, double effect, unsigned long long *state)
{
	for (size_t i = 0; i < n; i++) {
		size_t n_values;
		subjects[i] = make_subject(sizes);
		float *z = clpac_result_array(subjects[i], CLPAC_Z, &n_values);
		float *mi = clpac_result_array(subjects[i], CLPAC_MI, NULL);
		double drift = 0;
		for (size_t k = 0; k < n_values; k++) {
			z[k] = (float)(random_drifting(state, &drift) - 0.5 + (k % CELLS < 3 ? effect : 0));
			mi[k] = (float)random_unit(state);
		}
	}
}

void destroy_subjects(clpac_result **subjects, size_t n)
{
	for (size_t i = 0; i < n; i++)
		clpac_result_destroy(subjects[i]);
}

clpac_group group_of(clpac_design design, clpac_result **subjects, size_t n_first, size_t n_second)
{
	return (clpac_group){
		.size = sizeof(clpac_group),
		.design = design,
		.first = (const clpac_result *const *)subjects,
		.n_first = n_first,
		.second = n_second ? (const clpac_result *const *)subjects + n_first : NULL,
		.n_second = n_second,
	};
}

clpac_result *compare(const clpac_group *group)
{
	clpac_result *made = NULL;
	clpac_error err;
	assert_works(clpac_result_group(group, &made, &err), err);
	return made;
}

void assert_same(double value, long double truth, double share)
{
	if (isnan(truth) || isnan(value))
		ck_assert_msg(isnan(truth) && isnan(value), "%g where the truth is %Lg", value, truth);
	else
		assert_close(value, (double)truth, share * fabs((double)truth));
}
