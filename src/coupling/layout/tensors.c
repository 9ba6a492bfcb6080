/* The sizes of a layout's buffers: the tables of the passes added up. */
#include "coupling/layout/layout.h"

#include <stdlib.h>

#include "base/memory.h"

#include "coupling/layout/test_settings.h"
#include "shared/together.h"

/* A tensor and its size, to be put in order. */
typedef struct placing {
	uint64_t bytes;
	int tensor;
} placing;

/* Samples of the sections of a series that are in flight, in the bank that has more of them. */
static uint64_t samples_in_flight(const clpac__layout *layout)
{
	const clpac__bank *phase = &layout->banks[CLPAC_PHASE], *amplitude = &layout->banks[CLPAC_AMPLITUDE];
	return clpac__larger64((uint64_t)phase->sections * phase->length,
			       (uint64_t)amplitude->sections * amplitude->length);
}

uint64_t clpac__layout_values(const clpac__layout *layout)
{
	const clpac__bank *phase = &layout->banks[CLPAC_PHASE], *amplitude = &layout->banks[CLPAC_AMPLITUDE];
	return clpac__larger64((uint64_t)phase->sections * clpac__bank_values(phase),
			       (uint64_t)amplitude->sections * clpac__bank_values(amplitude));
}

/* --- Lives --- */

enum {
	LOAD = CLPAC__TIME_LOAD,
	PHASES = CLPAC__TIME_PHASES,
	AMPLITUDES = CLPAC__TIME_AMPLITUDES,
	EDGES = CLPAC__TIME_EDGES,
	SUMS = CLPAC__TIME_SUMS,
	INDICES = CLPAC__TIME_INDICES,
	WHOLE = UINT8_MAX
};

/* A life: a set of times, as bits. */
#define FROM_TO(first, last) ((2u << (last)) - (1u << (first)))

/* Sets lives and bytes of the tensors that the table has.  Series are those of a batch; `filtered` are those that pass
 * the filters at once. */
static void measure_table(clpac__layout *layout, bool with_distribution)
{
	const clpac__layout *l = layout;
	const clpac__bank *phase = &l->banks[CLPAC_PHASE], *amplitude = &l->banks[CLPAC_AMPLITUDE];
	const uint64_t series = l->batch, rows = series * l->n_phase, amplitudes = series * l->n_amplitude;
	const uint64_t filtered = clpac__layout_filtered(l), bands = filtered * l->group_bands;
	const uint64_t slots = clpac__layout_slots(l);
	const uint64_t bins = l->n_bins, tiles = l->n_tiles, padded = l->padded;
	const uint64_t most_bands = clpac__larger64(l->n_phase, l->n_amplitude);
	const uint64_t samples = filtered * samples_in_flight(l), values = filtered * clpac__layout_values(l);
	const uint64_t n_sorted = clpac__has_variants(l) ? clpac__larger64(most_bands, filtered) : most_bands;
	const bool are_joined = clpac__layout_joins_banks(l), is_exact = l->tap_stride != 0;
	const bool has_slabs = l->n_spans > 1, has_units = l->has_linear && l->null == CLPAC_NULL_TRIALS;

	/* When other series pass the filters, or the same ones again. */
	const bool has_slots = slots && l->null != CLPAC_NULL_BLOCKS, are_again = l->is_streamed || has_slots;
	const unsigned phases_begin = l->has_arrays ? LOAD : PHASES;
	const unsigned samples_end = are_again ? INDICES : AMPLITUDES, sums_end = are_again ? INDICES : SUMS;
	const unsigned bands_end = are_again || l->has_locking ? INDICES : AMPLITUDES;

#define TENSOR(name, text, use, life, size)                                                                            \
	layout->lives[CLPAC__TENSOR_##name] = (uint8_t)(life);                                                         \
	layout->bytes[CLPAC__TENSOR_##name] = (size);
#define OWN_TENSOR TENSOR
#define CONSTANT_TENSOR(name, text, use, size) TENSOR(name, text, use, WHOLE, size)
#include "coupling/needs/needs.def"
}

/* --- Rooms --- */

static int by_size(const void *a, const void *b)
{
	const placing *x = a, *y = b;
	return x->bytes != y->bytes ? (x->bytes < y->bytes) - (x->bytes > y->bytes) : x->tensor - y->tensor;
}

/* Decides which tensors lie in which buffer.  They are placed largest first, so that each lies in the buffer of one no
 * smaller: the first whose tensors all live at other times.  So no buffer is larger than its largest tensor. */
static void lay_over(clpac__layout *layout)
{
	placing tensors[CLPAC__TENSOR_COUNT];
	uint8_t lives[CLPAC__TENSOR_COUNT]; /* of all tensors that lie in the buffer of tensors[i]; 0: it has none */
	size_t n = 0;
	for (int tensor = 0; tensor < CLPAC__TENSOR_COUNT; tensor++) {
		layout->rooms[tensor] = (uint8_t)tensor;
		if (layout->bytes[tensor])
			tensors[n++] = (placing){layout->bytes[tensor], tensor};
	}
	qsort(tensors, n, sizeof *tensors, by_size);
	for (size_t i = 0; i < n; i++) {
		const uint8_t life = layout->lives[tensors[i].tensor];
		size_t room = 0;
		while (room < i && (clpac__for_tests.are_tensors_apart || !lives[room] || (lives[room] & life)))
			room++;
		layout->rooms[tensors[i].tensor] = (uint8_t)tensors[room].tensor;
		lives[i] = room == i ? life : 0;
		if (room < i)
			lives[room] |= life;
	}
}

void clpac__layout_measure(clpac__layout *layout, bool with_distribution)
{
	measure_table(layout, with_distribution);
	for (int tensor = CLPAC__TENSOR_FURTHER; tensor < CLPAC__TENSOR_COUNT; tensor++) {
		const size_t measure = 1 + (size_t)(tensor - CLPAC__TENSOR_FURTHER) / CLPAC__OWN_TENSORS;
		const enum clpac__tensor kind = clpac__tensor_kind((enum clpac__tensor)tensor);
		layout->bytes[tensor] = measure < layout->sharing ? layout->bytes[kind] : 0;
		layout->lives[tensor] = layout->lives[kind];
	}
	if (clpac__for_tests.life_cut)
		layout->lives[clpac__for_tests.life_cut - 1] &=
			(uint8_t)(layout->lives[clpac__for_tests.life_cut - 1] >> 1);
	lay_over(layout);
}

/* --- Questions --- */

bool clpac__has_own_buffer(const clpac__layout *layout, int tensor)
{
	return layout->bytes[tensor] && layout->rooms[tensor] == tensor;
}

uint64_t clpac__layout_kind(const clpac__layout *layout, enum clpac__tensor kind)
{
	uint64_t bytes = 0;
	for (int tensor = 0; tensor < CLPAC__TENSOR_COUNT; tensor++)
		bytes += clpac__tensor_kind((enum clpac__tensor)tensor) == kind ? layout->bytes[tensor] : 0;
	return bytes;
}

uint64_t clpac__layout_total(const clpac__layout *layout)
{
	uint64_t total = 0;
	for (int tensor = 0; tensor < CLPAC__TENSOR_COUNT; tensor++)
		total += clpac__has_own_buffer(layout, tensor) ? layout->bytes[tensor] : 0;
	return total;
}
