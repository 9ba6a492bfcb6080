#include "coupling/layout/fused.h"

#include "coupling/layout/steps.h"
#include "coupling/layout/test_settings.h"
#include "shared/each_bin.h"
#include "base/memory.h"

enum {
	MOST_TILES = 64, /* of edge lists: a tile keeps an item busy, and one work-group of 64 counted so many before */
	MOST_LANES = 256 /* of panels and maps; groups are no larger */
};

static size_t quotient(size_t n, size_t by)
{
	return (n + by - 1) / by;
}

/* Steps of `parts` parts, one after the other as in a group of one item, in a loop over them. */
static uint64_t steps_of_parts(const clpac__layout *l, enum clpac__stage pass, size_t parts)
{
	return 1 + parts * (1 + clpac__steps_of(l, pass));
}

static uint64_t steps_of_edges(const clpac__layout *l)
{
	return steps_of_parts(l, CLPAC__STAGE_count_edges, l->n_edge_tiles) +
	       steps_of_parts(l, CLPAC__STAGE_scan_edges, 3 * l->n_bins) +
	       steps_of_parts(l, CLPAC__STAGE_place_edges, 2 * l->n_bins / clpac__layout_lists(l)) +
	       steps_of_parts(l, CLPAC__STAGE_scatter_edges, l->n_edge_tiles) +
	       steps_of_parts(l, CLPAC__STAGE_cycle_bounds,
			      l->walks_lists ? l->capacity / CLPAC_CYCLE_STRIDE(l->n_bins) : 0) +
	       clpac__steps_of(l, CLPAC__STAGE_phase_line);
}

static uint64_t steps_of_sums(const clpac__layout *l)
{
	const size_t items = l->row_stride * quotient(l->n_tiles, l->tiles_abreast);
	return steps_of_parts(l, CLPAC__STAGE_amplitude_moments, items) +
	       steps_of_parts(l, CLPAC__STAGE_amplitude_scale, l->row_stride) +
	       steps_of_parts(l, CLPAC__STAGE_quantise, items) +
	       steps_of_parts(l, CLPAC__STAGE_prefix_sums, clpac__lanes_of_sums(l));
}

static uint64_t steps_of_noise(const clpac__layout *l)
{
	return steps_of_parts(l, CLPAC__STAGE_spectrum_energy, l->n_strips) +
	       steps_of_parts(l, CLPAC__STAGE_band_noise, l->n_phase);
}

static uint64_t steps_of_statistics(const clpac__layout *l)
{
	return steps_of_parts(l, CLPAC__STAGE_surrogate_moments, l->n_phase * quotient(l->groups, l->moment_groups)) +
	       steps_of_parts(l, CLPAC__STAGE_phase_spreads, l->n_phase * l->n_amplitude) +
	       steps_of_parts(l, CLPAC__STAGE_amplitude_spreads, l->n_phase * l->n_amplitude) +
	       steps_of_parts(l, CLPAC__STAGE_surrogate_maxima, quotient(l->n_surrogates, l->ranked));
}

bool clpac__fuses_edges(const clpac__layout *l)
{
	return !clpac__for_tests.passes_apart && l->n_spans == 1 && l->n_edge_tiles <= MOST_TILES &&
	       steps_of_edges(l) <= l->most_steps;
}

static void set_edge_tiles(clpac__layout *layout, size_t tile)
{
	layout->edge_tile = tile;
	layout->n_edge_tiles = quotient(layout->kept, tile);
}

/* A CPU loads and stores all counts of a tile, three for each bin, and no lane waits for another: tiles of a span are
 * longer there, and those of a row that one item takes. */
static void lengthen_edge_tiles(clpac__layout *layout)
{
	enum { LONG_TILE = 2048 };
	size_t tile = layout->tile;
	while (tile < LONG_TILE && (layout->n_spans == 1 || layout->span % (2 * tile) == 0) &&
	       clpac__steps_of_count(layout, 2 * tile) <= layout->most_steps)
		tile *= 2;
	if (layout->n_spans > 1 || clpac__fuses_edges(layout))
		set_edge_tiles(layout, tile);
}

/* Lanes pass their tiles sample by sample.  As many lanes of a unit hide each other's waiting; beyond them, more tiles
 * only mean more counts to add up. */
void clpac__decide_edge_tiles(clpac__layout *layout, const clpac_device *device)
{
	enum { LANES_OF_UNIT = 512, OF_LOAD = 16 /* cl/phase_edges.cl */ };
	const bool is_cpu = device->kind == CLPAC_DEVICE_NATIVE || device->kind == CLPAC_DEVICE_OPENCL_CPU;
	const size_t rows = layout->n_series * layout->n_phase;
	const size_t wanted = quotient((size_t)LANES_OF_UNIT * device->compute_units, rows);
	const size_t n = clpac__for_tests.edge_tile ? quotient(layout->kept, clpac__for_tests.edge_tile)
			 : wanted < MOST_TILES	    ? wanted
						    : MOST_TILES;
	if (is_cpu && layout->vector_width > 1)
		lengthen_edge_tiles(layout);
	if (is_cpu || layout->vector_width > 1 || n <= layout->n_tiles || !clpac__fuses_edges(layout))
		return;
	set_edge_tiles(layout, clpac__round_up(quotient(layout->kept, n), OF_LOAD));
	if (!clpac__fuses_edges(layout))
		set_edge_tiles(layout, layout->tile);
}

bool clpac__fuses_sums(const clpac__layout *l)
{
	return !clpac__for_tests.passes_apart && clpac__adds_up_tiles(l) && !l->is_streamed &&
	       clpac__lanes_of_sums(l) <= MOST_LANES && steps_of_sums(l) <= l->most_steps;
}

bool clpac__fuses_noise(const clpac__layout *l)
{
	return !clpac__for_tests.passes_apart && l->tap_stride && clpac__layout_group(l, CLPAC_PHASE) >= l->n_phase &&
	       steps_of_noise(l) <= l->most_steps;
}

bool clpac__fuses_statistics(const clpac__layout *l)
{
	return !clpac__for_tests.passes_apart && l->n_surrogates && l->chunk >= l->n_surrogates &&
	       clpac__steps_phases(l) == l->n_phase && l->n_phase * l->groups <= MOST_LANES &&
	       steps_of_statistics(l) <= l->most_steps;
}

size_t clpac__lanes_of_edges(const clpac__layout *l)
{
	return clpac__larger(l->n_edge_tiles, 3 * l->n_bins);
}

size_t clpac__lanes_of_sums(const clpac__layout *l)
{
	return l->row_stride * l->n_tiles;
}

size_t clpac__lanes_of_noise(const clpac__layout *l)
{
	return clpac__larger(l->n_strips, l->n_phase);
}

size_t clpac__lanes_of_statistics(const clpac__layout *l)
{
	return clpac__larger(l->n_phase * l->groups, quotient(l->n_surrogates, l->ranked));
}

uint64_t clpac__fused_steps(const clpac__layout *l, enum clpac__stage stage)
{
	switch (stage) {
	case CLPAC__STAGE_edge_lists:
		return clpac__fuses_edges(l) ? steps_of_edges(l) : 0;
	case CLPAC__STAGE_amplitude_sums:
		return clpac__fuses_sums(l) ? steps_of_sums(l) : 0;
	case CLPAC__STAGE_section_noise:
		return clpac__fuses_noise(l) ? steps_of_noise(l) : 0;
	case CLPAC__STAGE_surrogate_statistics:
		return clpac__fuses_statistics(l) ? steps_of_statistics(l) : 0;
	default:
		return 0;
	}
}
