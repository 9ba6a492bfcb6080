/** @file measure.h
 *  The measures of coupling, and their names.
 */
#ifndef CLPAC_MEASURE_H
#define CLPAC_MEASURE_H

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

/** What an index tells of a phase phi and an amplitude A, over the T samples kept.
 *
 *  Binned measures compare the mean amplitudes of the phase bins.  Linear ones correlate A with u = exp(i phi); all
 * their shifts together cost one Fourier transform, so that CLPAC_NULL_ALL_SHIFTS is the null to take with them.  Their
 *  values err by about 1e-6 of the values that other shifts have.  doc/maths.md has each as a formula, and what it is
 *  for. */
typedef enum clpac_measure {
	CLPAC_MEASURE_MI = 0, /**< Modulation index: the entropy that the bins lack (Tort et al. 2010, J Neurophysiol
				 104:1195).  Binned. */
	CLPAC_MEASURE_HR,     /**< Height ratio of the bins, (max - min) / max (Lakatos et al. 2005, J Neurophysiol
				 94:1904).  Binned. */
	CLPAC_MEASURE_MVL, /**< Mean vector length |mean A u|, in the unit of the samples: it grows with power, so never
			      alone (Canolty et al. 2006, Science 313:1626). */
	CLPAC_MEASURE_DPAC,  /**< |mean A (u - mean u)|: the same without the bias of an uneven phase (van Driel et al.
				2015, J Neurosci Methods 254:60). */
	CLPAC_MEASURE_NDPAC, /**< |mean A u| / sqrt(mean A^2), from 0 to 1 (Ozkurt & Schnitzler 2011, J Neurosci Methods
				201:438). */
	CLPAC_MEASURE_GLM,   /**< R^2 of A on cos phi and sin phi, from 0 to 1 (Penny et al. 2008, J Neurosci Methods
				174:50). */
	CLPAC_MEASURE_GCMI,  /**< Gaussian-copula mutual information in bits, without bias correction (Ince et al. 2017,
				Hum Brain Mapp 38:1541). */
	/** Phase locking |mean exp(i (phi - psi))|, from 0 to 1, with psi the phase of A itself in the phase band
	 * (Penny et al. 2008, J Neurosci Methods 174:50).  Only with CLPAC_HILBERT_LOCAL. */
	CLPAC_MEASURE_PLV,
	/** R^2 of A that cos phi and sin phi add to the slow amplitude |z|, z the analytic phase band: what a line
	 *  through it leaves of them (after Nadalin et al. 2019, eLife 8:e44287).  From 0 to 1.  Not of phases that the
	 *  caller supplies, which come without their amplitude. */
	CLPAC_MEASURE_PAC_GLM,
	CLPAC_MEASURE_COUNT, /**< Those that a problem may ask for. */
	/** Circular-linear correlation across trials, from 0 to 1 (clpac/erpac.h).  Of results alone: a problem does
	 * not ask for it, and it is a result's only measure. */
	CLPAC_MEASURE_RHO = 64
} clpac_measure;

/** A measure's name as in options, files and pictures: "mi", "hr", "mvl", "dpac", "ndpac", "glm", "gcmi",
 *  "plv", "pac-glm", and "rho" of results across trials.  Never NULL.
 */
const char *clpac_measure_text(clpac_measure measure);
/** Its abbreviation as papers and pictures write it: "MI", "HR", "MVL", "dPAC", "ndPAC", "R2", "GCMI",
 *  "PLV", "added R2".  Never NULL. */
const char *clpac_measure_abbreviation(clpac_measure measure);
/** Its name in words, with its unit if it has one: "modulation index", "mutual information (bits)".  Never NULL. */
const char *clpac_measure_words(clpac_measure measure);
/** Whether a measure is one of the linear ones.  Any thread. */
bool clpac_measure_is_linear(clpac_measure measure);

#ifdef __cplusplus
}
#endif
#endif
