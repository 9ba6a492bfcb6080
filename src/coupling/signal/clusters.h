/* Clusters of neighbouring cells with high standardized statistics, on the host; cl/surrogate_clusters.cl does the same
 * on devices.
 */
#ifndef CLPAC_COUPLING_SIGNAL_CLUSTERS_H
#define CLPAC_COUPLING_SIGNAL_CLUSTERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <clpac/bands.h>

/* The number that a normal deviate exceeds with a probability between 0 and 1. */
double clpac__upper_deviate(double probability);

/* The standardized statistic above which a cell enters a cluster, 0 or more: the quantile of a gamma distribution with
 * this mean and deviation, those of the cell's index and all its surrogates together. */
double clpac__cluster_limit(double mean, double deviation, double deviate);

/* Whether two bands that follow each other in a list are neighbours: both edges of the second are higher, and the gap
 * between the two, if there is one, is not wider than the wider of them. */
bool clpac__bands_adjoin(clpac_band first, clpac_band second);

/* Labels a map of n_phase x n_amplitude cells as surrogate_clusters does and returns the mass of the heaviest cluster;
 * 0: there is none.
 * @param standardized that of each cell in a cluster, above 0; 0 for each other cell.
 * @param links as those of surrogate_clusters. */
float clpac__label_clusters(const float *standardized, const uint32_t *links, size_t n_phase, size_t n_amplitude,
			    uint32_t *words);

/* The p of each of n cells by the masses of their clusters: (1 + #{heaviest >= mass}) / (1 + n_surrogates); 1 for mass
 * 0. NaN where a mass is. */
void clpac__p_of_clusters(const float *masses, size_t n, const float *heaviest, size_t n_surrogates, float *p);

/* The mass of the cluster that a labelled cell belongs to; 0: none. */
float clpac__cluster_mass(const uint32_t *words, size_t cell);

#endif
