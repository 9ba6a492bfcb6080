/* The distance of a phase from turning evenly: root mean square, in cycles, of the differences between the times at
 * which it crosses edge 0 forwards and evenly spaced times.  A pure line gives almost 0; band-limited noise has one of
 * many cycles.  Circular shifts cannot break the coupling of a pure line, so the host warns if the value is small.
 *
 * The rows of a long series are counted in 64 bits: in samples times the groups of bands they pass 32 bits.
 *
 * A series with more than MOST_CROSSINGS of them has every second, third ... taken, which says the same in fewer steps.
 *
 * edges   (rows, capacity), in samples or a multiple of them (phase_edges.cl)
 * starts  (rows, n_spans, START_STRIDE)
 * jitter  (rows): -1 if there were fewer than 24 crossings or the lists overflowed
 * items   rows, 1, or 1, rows: one of a row
 */
#define MOST_CROSSINGS 2048

/* Crossings that are loaded before the first of them is added.  A work-item of a GPU waits for each load that it needs
 * at once, some hundred times as long as it adds. */
#if VW == 1
#define CROSSINGS_ABREAST 18
#else
#define CROSSINGS_ABREAST 1
#endif

/* The i-th forward crossing of edge 0 in a span, and how many there are: those of whole cycles, and the rest of the
 * list (phase_edges.cl).  Every span has such a rest, since cycles begin anew with it. */
static inline uint crossing_of_edge_0(__global const uint *edge, __global const uint *start, const bool is_short,
				      const uint n_bins, const uint i)
{
	const uint n_cycles = start[2 * N_BINS + 2];
	const uint place = i < n_cycles ? first_cycle(start, N_BINS) + i * CYCLE_STRIDE : start[0] + i - n_cycles;
	return entry_at(edge, place, is_short);
}

static inline uint crossings_of_edge_0(__global const uint *start, const uint n_bins)
{
	return start[2 * N_BINS + 2] + start[1] - start[0];
}

/* The jitter of a row, whose edges these are and whose first span begins with `starts`. */
CALLED float jitter_of_row(__global const uint *edge, __global const uint *starts, const uint n_spans,
			   const uint span_rows, const uint n_bins)
{
	const bool is_short = HAS_SHORT_ENTRIES(n_spans);
	uint n = 0;
	u64 first = 0, last = 0;
	for (uint span = 0; span < n_spans; span++) {
		__global const uint *start = starts + (size_t)span * START_STRIDE;
		const uint n_crossings = crossings_of_edge_0(start, N_BINS);
		const u64 begin = (u64)span * span_rows;
		if (n_crossings) {
			first = n ? first : crossing_of_edge_0(edge, start, is_short, N_BINS, 0) + begin;
			last = crossing_of_edge_0(edge, start, is_short, N_BINS, n_crossings - 1) + begin;
		}
		n += n_crossings;
	}
	float result = -1.0f;
	if (n >= 24) {
		const float period = (float)(last - first) / (float)(n - 1);
		const uint every = (n + MOST_CROSSINGS - 1) / MOST_CROSSINGS;
		float sum = 0.0f, squares = 0.0f;
		/* Crossings of earlier spans, the next one to take, those taken. */
		uint before = 0, next = 0, n_taken = 0;
		for (uint span = 0; span < n_spans; span++) {
			__global const uint *start = starts + (size_t)span * START_STRIDE;
			const uint n_crossings = crossings_of_edge_0(start, N_BINS);
			const u64 begin = (u64)span * span_rows;
			const uint past = before + n_crossings;
			while (next < past) {
				uint crossing[CROSSINGS_ABREAST];
				/* The last crossing stands for those behind it, which are not added. */
#define LOAD_CROSSING(i)                                                                                               \
	if ((i) < CROSSINGS_ABREAST) {                                                                                 \
		const uint which = past - next > (i)*every ? next + (i)*every : past - 1;                              \
		crossing[i] = crossing_of_edge_0(edge, start, is_short, N_BINS, which - before);                       \
	}
				CLPAC_EACH_18(LOAD_CROSSING)
#define ADD_CROSSING(i)                                                                                                \
	if ((i) < CROSSINGS_ABREAST && next < past) {                                                                  \
		const u64 at = crossing[i] + begin;                                                                    \
		const float late = (float)(at - first) - (float)next * period;                                         \
		sum += late;                                                                                           \
		squares += late * late;                                                                                \
		n_taken++;                                                                                             \
		next += every;                                                                                         \
	}
				CLPAC_EACH_18(ADD_CROSSING)
			}
			before = past;
		}
		const float mean = sum / (float)n_taken, variance = squares / (float)n_taken - mean * mean;
		result = variance > 0.0f ? SQRT1(variance) / period : 0.0f;
	}
	return result;
}

__kernel void phase_line(ITEM __global const uint *edges, __global const uint *starts, __global float *jitter,
			 const uint capacity, const uint n_spans, const uint span_rows, const uint n_bins)
{
	RETURN_BEHIND_ITEMS;
	const size_t row = get_global_id(0) + get_global_id(1);
	jitter[row] = jitter_of_row(edges_of_row(edges, row, capacity, HAS_SHORT_ENTRIES(n_spans)),
				    starts + row * n_spans * START_STRIDE, n_spans, span_rows, N_BINS);
}
