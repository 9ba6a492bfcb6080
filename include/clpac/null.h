/** @file null.h
 *  The null distributions that an index is compared with.
 */
#ifndef CLPAC_NULL_H
#define CLPAC_NULL_H

#ifdef __cplusplus
extern "C" {
#endif

/** The null distribution that a cell's index is compared with: the surrogates. */
typedef enum clpac_null {
	CLPAC_NULL_SHIFTS = 0, /**< n_surrogates circular shifts of the amplitude, drawn at random or given. */
	/** Every circular shift from min_shift to T - min_shift samples, or those that are multiples of shift_step.
	 * Shifts of a series form a group, so p = (1 + surrogates that reach the index) / (1 + surrogates) is that of
	 * an exact permutation test, the same for every seed.  All indices come from Fourier transforms, whose rounding
	 * moves those of noise by at most 1e-5 of themselves; surrogates within that of the index count as reaching it.
	 */
	CLPAC_NULL_ALL_SHIFTS,
	/** n_surrogates random permutations of the segments of a channel: a segment keeps its phases and takes the
	 * amplitudes of another one, or by chance its own (Tort et al. 2010, J Neurophysiol 104:1195).  What all
	 * segments have in common, as an evoked response, is in the surrogates too.  Needs two segments or more.  S
	 * segments have S! permutations, but a single segment meets only S amplitudes, so that its p is about 1/S at
	 * best.  A segment that cannot be used (NaN samples, constant, a stretch at one value) is left out. */
	CLPAC_NULL_TRIALS,
	/** n_surrogates random arrangements of n_blocks time blocks: the series, closed to a circle, is cut at
	 * n_blocks random places, and the blocks of the amplitude follow each other in random order.  One or two blocks
	 * are a circular shift (Canolty et al. 2006, Science 313:1626; Bahramisharif et al. 2013, J Neurosci 33:18849);
	 * each further cut breaks more of the amplitude's own rhythm (Aru et al. 2015, Curr Opin Neurobiol 31:51). */
	CLPAC_NULL_BLOCKS,
	/** The amplitudes of n_surrogates series with the spectrum of the recorded one and random Fourier phases
	 * (Theiler et al. 1992, Physica D 58:77), each filtered as the recorded one is: no amplitude there varies but
	 * by chance. What a recording has beside noise of its spectrum (bursts, spikes, sharp waves) is in no
	 * surrogate, so that p may be small for its sake alone. */
	CLPAC_NULL_PHASES,
	CLPAC_NULL_COUNT
} clpac_null;

/** "shift", "all", "trials", "blocks", "phases", as in the text of a problem.  Never NULL; "" for an unknown number.
 * Any thread. */
const char *clpac_null_text(clpac_null null);

enum { CLPAC_MAX_BLOCKS = 1000 };

#ifdef __cplusplus
}
#endif
#endif
