/* Divides series into overlapping sections, whose transforms stay in a CPU's cache and need the same memory however
 * long the series is. */
#include "coupling/layout/layout.h"

#include "base/memory.h"

enum {
	LEAST_STEP = 64,	   /* filtered samples of a section, unless the series is shorter */
	LONGEST_SECTION = 1 << 18, /* complex values: 2 MiB; longer rows take several times as long for each value */
	LONGEST_SECTION_OF_A_GPU = 1 << 20, /* enough work for any of them */
};

/* The next good length of sections whose coarse values have a good length too. */
static size_t next_length(const clpac__fft_engine *engine, size_t n, size_t gap)
{
	return gap * engine->next_length((n + gap - 1) / gap);
}

static size_t sections_of(size_t wanted, size_t step)
{
	return (wanted + step - 1) / step;
}

/* Tries every good length, from the shortest that gives LEAST_STEP values to the one that takes the whole series, or to
 * the longest that is useful, whichever is shorter, and takes the fastest.  Up to some hundred lengths. */
void clpac__bank_divide(clpac__bank *bank, size_t wanted, bool one_section, const clpac__queue *queue,
			const clpac__fft_engine *engine)
{
	const bool is_gpu =
		queue->device.kind == CLPAC_DEVICE_DISCRETE_GPU || queue->device.kind == CLPAC_DEVICE_INTEGRATED_GPU;
	const size_t overlap = 2 * bank->pad, useful = is_gpu ? LONGEST_SECTION_OF_A_GPU : LONGEST_SECTION;
	const size_t whole = next_length(engine, wanted + overlap, bank->gap);
	const size_t longest = useful > 8 * overlap ? useful : 8 * overlap;
	const size_t least = wanted < LEAST_STEP ? wanted : LEAST_STEP;
	double best = 0;
	bank->length = 0;
	for (size_t length = one_section ? whole : next_length(engine, overlap + least, bank->gap);;
	     length = next_length(engine, length + 1, bank->gap)) {
		const size_t n_sections = length - overlap < wanted ? sections_of(wanted, length - overlap) : 1;
		const double seconds = (double)n_sections * clpac__fft_cost(engine, queue, length);
		if (!bank->length || seconds < best) {
			best = seconds;
			bank->length = length;
			bank->n_sections = n_sections;
		}
		/* A longer row than needed may be faster, but hardly half as long again. */
		if (length > whole + whole / 2 || length > longest)
			break;
	}
	/* Sections of equal steps, so that the last reaches beyond the samples by less than their number. */
	bank->step = clpac__round_up(sections_of(wanted, bank->n_sections), bank->gap);
	bank->sections = 1;
}

void clpac__layout_set_sections(clpac__layout *layout, size_t sections)
{
	for (int use = 0; use < 2; use++)
		layout->banks[use].sections =
			sections < layout->banks[use].n_sections ? sections : layout->banks[use].n_sections;
}
