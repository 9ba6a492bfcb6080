/* The smallest problem, and the comparison of bands. */
#include "some_problems.h"

#include "runner.h"
#include "assertions.h"

const clpac_problem smallest = {.rate_hz = 512, .n_samples = 2048};

void assert_same_bands(const clpac_band *a, size_t n_a, const clpac_band *b, size_t n_b)
{
	ck_assert_uint_eq(n_a, n_b);
	ck_assert_mem_eq(a, b, n_a * sizeof *a);
}
