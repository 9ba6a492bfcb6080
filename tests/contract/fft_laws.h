/* The laws of an FFT engine, one test each, over the targets of one backend and the engines that serve them. */
#ifndef CLPAC_TESTS_FFT_LAWS_H
#define CLPAC_TESTS_FFT_LAWS_H

#include "test_thread.h"
#include <stdbool.h>
#include <stddef.h>

/* Number of pairs of a target, among the first n of a backend, and an engine; with CLPAC_TEST_FFT=NAME only that
 * engine's. */
size_t fft_pairs_find(const char *backend, size_t n_targets);

/* Adds every law for each pair at n_lengths lengths; 1 for engines that take seconds to make a transform.  Those of
 * long rows are tagged "long", since simulators take minutes for them. */
void fft_add_laws(Suite *suite, size_t n_pairs, size_t n_lengths);

/* The laws at given lengths, 1 to 300 and long ones, primes among them; and of transforms side by side.  Prints the
 * worst error of each pair.  only_few: a handful unless CLPAC_TEST_LENGTHS=all is set. */
TCase *fft_length_laws(size_t n_pairs, bool only_few);

#endif
