/* What tests of problems share: the smallest problem, a fault with the text of its refusal, and the comparison of
 * bands. */
#ifndef CLPAC_TESTS_SOME_PROBLEMS_H
#define CLPAC_TESTS_SOME_PROBLEMS_H

#include <clpac/problem.h>

extern const clpac_problem smallest;

/* A valid problem with one fault, and the text of its refusal. */
typedef struct refusal {
	const char *text; /* the problem, as clpac_problem_read takes it */
	const char *part;
} refusal;

void assert_same_bands(const clpac_band *a, size_t n_a, const clpac_band *b, size_t n_b);

#endif
