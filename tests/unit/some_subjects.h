/* Small results of several subjects, for tests that compare them. */
#ifndef CLPAC_TESTS_SOME_SUBJECTS_H
#define CLPAC_TESTS_SOME_SUBJECTS_H

#include <clpac/group.h>

#include "results.h"

enum { N_PHASE = 4, N_AMPLITUDE = 5, CELLS = N_PHASE * N_AMPLITUDE };

struct sizes {
	size_t n_channels, n_segments;
};

/* A result with z and indices of NaN, and bands that adjoin. */
clpac_result *make_subject(struct sizes sizes);

/* Subjects whose z is noise, alike in neighbouring cells, with an effect in some. */
void make_subjects(clpac_result **subjects, size_t n, struct sizes sizes, double effect, unsigned long long *state);
void destroy_subjects(clpac_result **subjects, size_t n);

clpac_group group_of(clpac_design design, clpac_result **subjects, size_t n_first, size_t n_second);
clpac_result *compare(const clpac_group *group);

/* Both NaN, or within a share of the truth. */
void assert_same(double value, long double truth, double share);

#endif
