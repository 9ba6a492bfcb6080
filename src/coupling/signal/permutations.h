/* Permutations of a comparison's subjects: signs that are flipped, or labels of two groups. */
#ifndef CLPAC_COUPLING_SIGNAL_PERMUTATIONS_H
#define CLPAC_COUPLING_SIGNAL_PERMUTATIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The permutations, of which number 0 leaves everything as it is. */
typedef struct clpac__permutations {
	bool are_labels;
	size_t n_first;	    /* subjects with the first label, where they have labels */
	size_t n;	    /* all subjects */
	uint64_t n_choices; /* permutations to use, number 0 among them; at most 2^32 - 1 */
	bool is_exact;	    /* they are all that there are, each once; otherwise those from 1 on are drawn */
	uint64_t seed;
} clpac__permutations;

/* Chooses between all permutations, where they are at most `wanted`, and so many that are drawn. */
clpac__permutations clpac__permutations_choose(bool are_labels, size_t n_first, size_t n, uint64_t wanted,
					       uint64_t seed);

/* Writes the n weights of permutation k: signs 1 and -1; or 1 for each subject of the first label, 0 for the others. */
void clpac__permutation(const clpac__permutations *permutations, uint64_t k, double *weights);

#endif
