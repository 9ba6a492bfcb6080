/* Clusters of neighbouring cells with high standardized statistics. */
#include "coupling/signal/clusters.h"

#include <math.h>
#include <string.h>

#include "shared/clusters.h"
#include "shared/maps.h"
#include "base/half.h"
#include "coupling/signal/statistics.h"

double clpac__upper_deviate(double probability)
{
	double low = -40, high = 40;
	for (int i = 0; i < 64; i++) {
		const double middle = (low + high) / 2;
		if (0.5 * erfc(middle / sqrt(2)) > probability)
			low = middle;
		else
			high = middle;
	}
	return (low + high) / 2;
}

double clpac__cluster_limit(double mean, double deviation, double deviate)
{
	const double root = mean / deviation, third = 1 / (3 * root);
	const double limit = (pow(1 - third * third + deviate * third, 3) - 1) * root;
	return limit > 0 ? limit : 0;
}

bool clpac__bands_adjoin(clpac_band first, clpac_band second)
{
	const double wider = fmax(first.hi_hz - first.lo_hz, second.hi_hz - second.lo_hz);
	return second.lo_hz > first.lo_hz && second.hi_hz > first.hi_hz && second.lo_hz - first.hi_hz <= wider;
}

static uint32_t root_of(uint32_t *words, uint32_t at)
{
	while (words[at] & CLPAC_TIED && words[~words[at]] & CLPAC_TIED) {
		words[at] = words[~words[at]];
		at = ~words[at];
	}
	return words[at] & CLPAC_TIED ? ~words[at] : at;
}

float clpac__label_clusters(const float *standardized, const uint32_t *links, size_t n_phase, size_t n_amplitude,
			    uint32_t *words)
{
	float heaviest = 0;
	for (uint32_t cell = 0; cell < n_phase * n_amplitude; cell++) {
		const uint32_t left = cell - 1, up = cell - (uint32_t)n_amplitude;
		uint32_t root = cell;
		float mass = standardized[cell];
		words[cell] = 0;
		if (!(mass > 0))
			continue;
		if (links[cell] & CLPAC_LINK_LEFT && words[left]) {
			root = root_of(words, left);
			mass += clpac__float_of_bits(words[root]);
		}
		const uint32_t other = links[cell] & CLPAC_LINK_UP && words[up] ? root_of(words, up) : root;
		if (other != root) {
			mass += clpac__float_of_bits(words[other]);
			words[other] = ~root;
		}
		words[cell] = ~root;
		words[root] = clpac__float_bits(mass);
		heaviest = fmaxf(heaviest, mass);
	}
	return heaviest;
}

float clpac__cluster_mass(const uint32_t *words, size_t cell)
{
	uint32_t word = words[cell];
	while (word & CLPAC_TIED)
		word = words[~word];
	return clpac__float_of_bits(word);
}

void clpac__p_of_clusters(const float *masses, size_t n, const float *heaviest, size_t n_surrogates, float *p)
{
	for (size_t i = 0; i < n; i++) {
		/* The cells of a cluster follow each other often. */
		if (i && masses[i] == masses[i - 1]) {
			p[i] = p[i - 1];
			continue;
		}
		const float least = masses[i] - CLPAC_REACH * fmaxf(masses[i], 1);
		size_t reached = 0;
		for (size_t k = 0; k < n_surrogates; k++)
			reached += heaviest[k] >= least;
		p[i] = isnan(masses[i]) ? NAN : (float)clpac__p_value(reached, n_surrogates);
	}
}
