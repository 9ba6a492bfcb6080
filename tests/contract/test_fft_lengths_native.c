/* The host's FFT engines at every length. */
#include "runner.h"

#include "fft_laws.h"
#include "targets.h"

const int runner_no_fork = 1; /* one process keeps the worst error of all lengths */

const char *skip_reason(void)
{
	return targets_missing("native");
}

Suite *suite(void)
{
	Suite *s = suite_create("host FFT engines at given lengths");
	/* One target is enough: threads and instruction sets change no bit (test_fft_native). */
	suite_add_tcase(s, fft_length_laws(fft_pairs_find("native", 1), false));
	return s;
}
