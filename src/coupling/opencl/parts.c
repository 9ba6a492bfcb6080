/* The two parts in which kernels are built: those of the usual plans, of any length, and all others.
 *
 * Drivers compile what a program has, whether it is launched or not.  A program of both parts takes as long as the two
 * together, so that a plan that needs the further one, too, loses nothing.
 */
#include "coupling/opencl/opencl_compute.h"

/* Kernels that plans of the defaults launch for short and for long recordings, with surrogates by shifts. */
#define USUAL(name) [CLPAC__STAGE_##name] = true
static const bool usual[CLPAC__STAGE_COUNT] = {
	USUAL(extend),
	USUAL(extend_wide),
	USUAL(transform_rows),
	USUAL(response),
	USUAL(select_halves),
	USUAL(strip_gains),
	USUAL(noise_weights),
	USUAL(spectrum_energy),
	USUAL(band_noise),
	USUAL(section_noise),
	USUAL(phase_bins),
	USUAL(settle_bins),
	USUAL(count_edges),
	USUAL(scan_edges),
	USUAL(place_edges),
	USUAL(scatter_edges),
	USUAL(cycle_bounds),
	USUAL(phase_line),
	USUAL(edge_lists),
	USUAL(amplitude),
	USUAL(amplitude_moments),
	USUAL(amplitude_scale),
	USUAL(quantise),
	USUAL(scan_sums),
	USUAL(prefix_sums),
	USUAL(amplitude_sums),
	USUAL(move_rows),
	USUAL(modulation_index),
	USUAL(modulation_index_direct),
	USUAL(slab_sums),
	USUAL(slab_indices),
	USUAL(surrogate_moments),
	USUAL(phase_spreads),
	USUAL(amplitude_spreads),
	USUAL(surrogate_maxima),
	USUAL(surrogate_statistics),
	USUAL(count_steps),
};

clpac__opencl_part clpac__opencl_part_of(unsigned stage)
{
	return stage < CLPAC__STAGE_COUNT && usual[stage] ? CLPAC__OPENCL_USUAL : CLPAC__OPENCL_FURTHER;
}
