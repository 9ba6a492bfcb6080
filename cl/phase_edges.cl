/* Edge lists: the samples at which the phase crosses each bin edge, and in which direction.
 *
 * From sample t-1 in bin i to sample t in bin j the phase goes the short way round.  Forwards, t enters the forward
 * lists of edges i+1 .. j; backwards, the backward lists of edges i .. j+1 (edge e is the lower end of bin e; edges
 * count circularly).  Sample 0 follows sample n-1.  With C the prefix sums of the amplitude,
 *
 *     D_e(s) = sum over the forward list of C(t + s) - sum over the backward list
 *     S_j(s) = D_(j+1)(s) - D_j(s), plus the series' total for j = bin(n-1)
 *
 * which is exact for any phase, and cheap if the phase turns slowly.  Counting every step as forward would need no
 * second list, but a step back by one bin would then cost N-1 entries instead of one.
 *
 * A phase crosses the edges one after the other, once a cycle.  So the lists are stored cycle by cycle: the i-th
 * entries of all N forward lists side by side, for as many cycles as the shortest list has entries; then the rest of
 * the longer forward lists, and the backward lists, each by itself.  A sum over whole cycles walks through time with N
 * accumulators and needs no ends of lists.
 *
 * A long series has lists of its own for each span of some tiles, so that the entries of a span lie in its time and the
 * prefix sums that they need are near each other (slab_sums.cl).  A short series is one span.
 *
 * Counting, running counts over tiles, and filling are separate passes, so that a long series fills a device.  Those of
 * a short one are fused (edge_lists.cl).
 *
 * bins         (rows, bin_stride); a row is a (series, phase band)
 * tile_counts  (rows, 3 N, n_tiles): entries per list (forward and backward of edge 0, of edge 1, ...), then samples
 *              per bin
 * totals       (rows, 3 N)
 * starts       (rows, n_spans, START_STRIDE): of each span, start of each list's rest, end of the last list, bin(n-1),
 *              number of cycles, and whether the lists of the row fit
 * weights      (rows, 2 N): factor and offset of each bin, see modulation_index.cl
 * largest      (rows): samples in the fullest bin
 * edges        (rows, capacity): of one span after the other, (cycles, CYCLE_STRIDE), then the rests.  An entry is the
 *              sample's number in its span, times row_stride: its index in the prefix sums, which saves a
 *              multiplication per load.  Vectors of several floats have entries of two bytes where a row has several
 *              spans, which are then short enough (layout.c): lists are most of what a long series takes.
 */
#define START_STRIDE (2 * N_BINS + 4)

/* Entries from a cycle to the next.  Work-items of GPUs read four entries at a time, and skip to the cycle that a shift
 * moves behind the end of the series by the least and the largest entry of each cycle (cycle_bounds). */
#if VW == 1
#define CYCLE_STRIDE CLPAC_CYCLE_STRIDE(N_BINS)
#else
#define CYCLE_STRIDE N_BINS
#endif

/* Whether the entries of a row take two bytes. */
#if VW == 1
#define HAS_SHORT_ENTRIES(n_spans) 0
#else
#define HAS_SHORT_ENTRIES(n_spans) ((n_spans) > 1)
#endif

/* The lists of a row, whose entries are those of entry_at. */
static inline __global const uint *edges_of_row(__global const uint *edges, const size_t row, const uint capacity,
						const bool is_short)
{
	return is_short ? (__global const uint *)((__global const ushort *)edges + row * capacity)
			: edges + row * capacity;
}

static inline uint entry_at(__global const uint *edges, const size_t place, const bool is_short)
{
	return is_short ? ((__global const ushort *)edges)[place] : edges[place];
}

/* The place of the first cycle of a span. */
static inline uint first_cycle(__global const uint *start, const uint n_bins)
{
	return start[0] - start[2 * N_BINS + 2] * CYCLE_STRIDE;
}

/* The place of a span's first entry, behind `before` entries of all lists, of which at most n_cycles are those of
 * cycles, with whatever these have beside their entries.  Cycles of GPUs begin at multiples of four entries. */
static inline uint place_of_span(const uint before, const uint n_cycles, const uint span, const uint n_bins)
{
	const uint place = before + n_cycles * (CYCLE_STRIDE - N_BINS);
	return VW == 1 ? (place + 3) / 4 * 4 + 4 * span : place;
}

/* The places that all spans of a row take. */
static inline u64 places_of_spans(const u64 entries, const uint n_cycles, const uint n_spans, const uint n_bins)
{
	const u64 places = entries + (u64)n_cycles * (CYCLE_STRIDE - N_BINS);
	return VW == 1 ? places + 3 + 4 * (u64)(n_spans - 1) : places;
}

/* The lists that a step from bin i to bin j enters: *list is the first, the others follow in steps of *step; returns
 * how many. */
static inline int crossing(int i, int j, int n_bins, int *list, int *step)
{
	int ahead = j - i;
	ahead = ahead < 0 ? ahead + n_bins : ahead;
	const int is_forward = 2 * ahead <= n_bins;
	const int first_edge = is_forward ? (i + 1 == n_bins ? 0 : i + 1) : i;
	*list = 2 * first_edge + (is_forward ? 0 : 1);
	*step = is_forward ? 2 : -2;
	return is_forward ? ahead : n_bins - ahead;
}

/* The list that such a step enters next. */
static inline int list_behind(const int list, const int step, const int n_bins)
{
	const int next = list + step, up = next < 0 ? next + 2 * n_bins : next;
	return up >= 2 * n_bins ? up - 2 * n_bins : up;
}

/* Whether a step goes to the next bin, as nearly all do where a cycle has more samples than bins. */
static inline bool is_next_bin(const int before, const int now, const int n_bins)
{
	return now - before == 1 || now - before == 1 - n_bins;
}

/* Bit i of the result: the i-th of eight samples is in another bin than the sample before it.  *last is the bin of the
 * sample before them, and becomes that of the eighth; its upper bytes are 0. */
static inline u64 changes_in_eight(const u64 now, u64 *last)
{
	const u64 all_but_top = 0x7f7f7f7f7f7f7f7f, change = now ^ (now << 8 | *last);
	/* The top bit of each byte that is not 0, then these eight bits side by side. */
	const u64 tops = (((change & all_but_top) + all_but_top) | change) & ~all_but_top;
	*last = now >> 56;
	return ((tops >> 7) * 0x0102040810204080) >> 56;
}

/* Bit i of the result: sample from + i is in another bin than the sample before it, for i < n <= 64.  Eight samples at
 * a time, without a branch: where the phase crosses an edge is what no branch predictor can learn.  GPUs load sixteen,
 * since neighbouring work-items read other lines of memory.
 *
 * from    a multiple of 16; rows have room for a multiple of 16 samples
 * before  bin of sample from - 1; circularly of the first */
static inline u64 changes_of_bin(__global const uchar *bin, const uint from, const uint n, const int before)
{
	u64 found = 0, last = (u64)before;
#if VW == 1
	__global const ulong2 *sixteen = (__global const ulong2 *)(bin + from);
	for (uint i = 0; 16 * i < n; i++) {
		const ulong2 now = sixteen[i];
		found |= changes_in_eight(FIRST_IS_LOWEST(now.x), &last) << (16 * i);
		found |= changes_in_eight(FIRST_IS_LOWEST(now.y), &last) << (16 * i + 8);
	}
#else
	__global const u64 *eight = (__global const u64 *)(bin + from);
	for (uint i = 0; 8 * i < n; i++)
		found |= changes_in_eight(FIRST_IS_LOWEST(eight[i]), &last) << (8 * i);
#endif
	return n < 64 ? found & (((u64)1 << n) - 1) : found;
}

static inline uint samples_from(const uint from, const uint end)
{
	return end - from < 64 ? end - from : 64;
}

#if VW == 1
/* Counters in registers, where an index must be a constant (bin_tiles.cl): those of TILE_EDGES edges at a time.  So
 * each edge asks for itself whether a step crosses it. */
#define TILE_EDGES CLPAC_TILE_EDGES(N_BINS)

/* A step from one bin to another: the first of its n edges in its direction, edge N for edge 0. */
typedef struct bin_step {
	int first, n, is_forward;
} bin_step;

static inline void edges_of_step(bin_step *out, const int before, const int now, const int n_bins)
{
	const int more = now - before, ahead = more < 0 ? more + n_bins : more;
	out->is_forward = 2 * ahead <= n_bins;
	out->n = out->is_forward ? ahead : n_bins - ahead;
	out->first = out->is_forward ? before + 1 : before;
}

static inline bool crosses(const bin_step *step, const int edge, const int n_bins)
{
	const int away = step->is_forward ? edge - step->first : step->first - edge;
	return (away < 0 ? away + n_bins : away) < step->n;
}

/* Counts in a tile of samples: the crossings of the edges from `edge` on, and the samples of the bins above them. */
INLINED void count_tile_of_edges(__global const uchar *bin, __global uint *counts, const uint n_samples,
				 const uint first, const uint end, const uint edge, const uint n_tiles,
				 const uint n_bins)
{
	uint forward[CLPAC_MOST_EDGES], backward[CLPAC_MOST_EDGES], samples[CLPAC_MOST_EDGES];
#define BEGIN_COUNT(i) forward[i] = backward[i] = samples[i] = 0;
	CLPAC_EACH_18(BEGIN_COUNT)
	int before = bin[first == 0 ? n_samples - 1 : first - 1];
	uint since = first;
#define COUNT_SAMPLES(i) samples[i] += (uint)before == edge + (i) ? t - since : 0;
	for (uint from = first; from < end; from += 64)
		for (u64 left = changes_of_bin(bin, from, samples_from(from, end), before); left; left &= left - 1) {
			const uint t = from + LOWEST_BIT(left);
			const int now = bin[t];
			bin_step step;
			edges_of_step(&step, before, now, (int)N_BINS);
#define COUNT_CROSSING(i)                                                                                              \
	if ((i) < TILE_EDGES) {                                                                                        \
		const uint is_crossed = crosses(&step, (int)(edge + (i)), (int)N_BINS) ? 1 : 0;                        \
		forward[i] += step.is_forward ? is_crossed : 0;                                                        \
		backward[i] += step.is_forward ? 0 : is_crossed;                                                       \
		COUNT_SAMPLES(i)                                                                                       \
	}
			CLPAC_EACH_18(COUNT_CROSSING)
			since = t;
			before = now;
		}
	const uint t = end;
#define STORE_COUNT(i)                                                                                                 \
	if ((i) < TILE_EDGES && edge + (i) < N_BINS) {                                                                 \
		COUNT_SAMPLES(i)                                                                                       \
		counts[(2 * (edge + (i))) * n_tiles] = forward[i];                                                     \
		counts[(2 * (edge + (i)) + 1) * n_tiles] = backward[i];                                                \
		counts[(2 * N_BINS + edge + (i)) * n_tiles] = samples[i];                                              \
	}
	CLPAC_EACH_18(STORE_COUNT)
}
#endif

/* Counts of tile `at`.
 *
 * bin     the bins of a row
 * counts  those of a row */
CALLED void count_tile(__global const uchar *bin, __global uint *counts, const uint at, const uint n_samples,
		       const uint tile, const uint n_tiles, const uint n_bins)
{
	const uint first = at * tile, end = first + tile < n_samples ? first + tile : n_samples;
#if VW == 1
#pragma unroll 1
	for (uint edge = 0; edge < N_BINS; edge += TILE_EDGES)
		count_tile_of_edges(bin, counts + at, n_samples, first, end, edge, n_tiles, N_BINS);
#else
	uint count[3 * MAX_BINS];
	for (uint i = 0; i < 3 * N_BINS; i++)
		count[i] = 0;
	int before = bin[first == 0 ? n_samples - 1 : first - 1];
	uint since = first;
	for (uint from = first; from < end; from += 64)
		for (u64 left = changes_of_bin(bin, from, samples_from(from, end), before); left; left &= left - 1) {
			const uint t = from + LOWEST_BIT(left);
			const int now = bin[t];
			if (is_next_bin(before, now, (int)N_BINS)) {
				count[2 * now]++;
			} else {
				int list, step;
				for (int more = crossing(before, now, (int)N_BINS, &list, &step); more > 0; more--) {
					count[list]++;
					list = list_behind(list, step, (int)N_BINS);
				}
			}
			count[2 * N_BINS + before] += t - since;
			since = t;
			before = now;
		}
	count[2 * N_BINS + before] += end - since;
	for (uint i = 0; i < 3 * N_BINS; i++)
		counts[(size_t)i * n_tiles + at] = count[i];
#endif
}

/* items n_tiles, rows */
__kernel void count_edges(ITEM __global const uchar *bins, __global uint *tile_counts, const uint n_samples,
			  const uint bin_stride, const uint tile, const uint n_tiles, const uint n_bins)
{
	RETURN_BEHIND_ITEMS;
	const size_t at = get_global_id(0), row = get_global_id(1);
	count_tile(bins + row * bin_stride, tile_counts + row * 3 * N_BINS * n_tiles, (uint)at, n_samples, tile,
		   n_tiles, N_BINS);
}

/* Makes the counts of a list's tiles those of the tiles before them; returns the sum of all. */
static inline uint scan_list(__global uint *counts, const uint n_tiles)
{
	uint sum = 0;
	for (uint at = 0; at < n_tiles; at++) {
		const uint count = counts[at];
		counts[at] = sum;
		sum += count;
	}
	return sum;
}

/* items 3 N, rows */
__kernel void scan_edges(ITEM __global uint *tile_counts, __global uint *totals, const uint n_tiles, const uint n_bins)
{
	RETURN_BEHIND_ITEMS;
	const size_t list = get_global_id(0), row = get_global_id(1);
	totals[row * 3 * N_BINS + list] = scan_list(tile_counts + (row * 3 * N_BINS + list) * n_tiles, n_tiles);
}

/* The entries that a list, number `list` of those in tile_counts, has before a tile. */
static inline uint entries_before(__global const uint *tile_counts, const uint total, const size_t list,
				  const uint tile, const uint n_tiles)
{
	return tile < n_tiles ? tile_counts[list * n_tiles + tile] : total;
}

/* Places the lists first .. first + n_lists - 1 of a span, whose lists are all passed, since where a list starts
 * depends on them all.
 *
 * total, tile_counts  of a row
 * last_bin            of a row's last sample
 * start               of the span */
CALLED void place_lists(__global const uint *total, __global const uint *tile_counts, const uint last_bin,
			__global uint *start, const uint first, const uint n_lists, const uint span,
			const uint span_tiles, const uint n_tiles, const uint n_spans, const uint capacity,
			const uint n_bins)
{
	const uint end = first + n_lists, from = span * span_tiles, to = from + span_tiles;
	uint n_cycles = 0, place = 0, most_cycles = 0; /* most_cycles: of the spans before */
	uint ahead = 0;				       /* in the span, of the lists before the first */
	u64 entries = 0;			       /* of all lists, which may be more than 2^32 */
	for (uint list = 0; list < 2 * N_BINS; list++) {
		const uint before = from ? entries_before(tile_counts, total[list], list, from, n_tiles) : 0;
		const uint count = entries_before(tile_counts, total[list], list, to, n_tiles) - before;
		if (list >= first && list < end)
			start[list] = count;
		ahead += list < first ? count : 0;
		entries += total[list];
		place += before;
		most_cycles = list ? most_cycles : before;
		if (list % 2 == 0)
			n_cycles = list == 0 || count < n_cycles ? count : n_cycles;
	}
	/* Lists that do not fit are left empty: this row is then summed directly (has_lists in bin_sums.cl). */
	const bool fits = places_of_spans(entries, total[0], n_spans, N_BINS) <= capacity;
	n_cycles = fits ? n_cycles : 0;
	place = fits ? place_of_span(place, most_cycles, span, N_BINS) + n_cycles * CYCLE_STRIDE : 0;
	place += fits ? ahead - (first + 1) / 2 * n_cycles : 0;
	for (uint list = first; list < end; list++) {
		const uint count = start[list];
		start[list] = place;
		place += fits ? count - (list % 2 == 0 ? n_cycles : 0) : 0;
	}
	if (end == 2 * N_BINS) {
		start[2 * N_BINS] = place;
		start[2 * N_BINS + 1] = last_bin;
		start[2 * N_BINS + 2] = n_cycles;
		start[2 * N_BINS + 3] = fits ? 1 : 0;
	}
}

/* Writes the weights of the bins whose forward lists are among first .. first + n_lists - 1, and with the last list the
 * samples of the fullest bin.
 *
 * total, weights, largest  of a row */
CALLED void weigh_bins(__global const uint *total, __global float *weights, __global uint *largest, const uint first,
		       const uint n_lists, const uint n_samples, const uint average, const uint n_bins)
{
	const uint end = first + n_lists;
	uint most = 0;
	for (uint j = (first + 1) / 2; 2 * j < end; j++) {
		const uint count = total[2 * N_BINS + j];
		const float per_sample = count ? 1.0f / (float)count : 0.0f;
		const float excess = (float)count - (float)n_samples / (float)N_BINS;
		weights[j] = average ? 1.0f : per_sample;
		weights[N_BINS + j] = average ? excess : (count ? 0.0f : -1.0f);
		most = count > most ? count : most;
	}
	if (end < 2 * N_BINS)
		return;
	for (uint j = 0; 2 * j < first; j++)
		most = total[2 * N_BINS + j] > most ? total[2 * N_BINS + j] : most;
	*largest = most;
}

/* Every work-item passes all lists of its span, and writes what belongs to its own ones.  Where these are all lists of
 * the span nothing is passed twice, as suits CPUs; where they are one, as on GPUs, no work-item waits for more than a
 * pass.
 *
 * items    2 N / lists_of_item, n_spans, rows
 * average  0: mean per bin, 1: sum per bin
 */
__kernel void place_edges(ITEM __global const uint *totals, __global const uint *tile_counts,
			  __global const uchar *bins, __global uint *starts, __global float *weights,
			  __global uint *largest, const uint n_samples, const uint bin_stride, const uint n_tiles,
			  const uint span_tiles, const uint n_spans, const uint n_bins, const uint capacity,
			  const uint average, const uint lists_of_item)
{
	RETURN_BEHIND_ITEMS;
	const uint first = (uint)get_global_id(0) * lists_of_item;
	const size_t span = get_global_id(1), row = get_global_id(2);
	__global const uint *total = totals + row * 3 * N_BINS;
	place_lists(total, tile_counts + row * 3 * N_BINS * n_tiles, bins[row * bin_stride + n_samples - 1],
		    starts + (row * n_spans + span) * START_STRIDE, first, lists_of_item, (uint)span, span_tiles,
		    n_tiles, n_spans, capacity, N_BINS);
	if (span == 0)
		weigh_bins(total, weights + row * 2 * N_BINS, largest + row, first, lists_of_item, n_samples, average,
			   N_BINS);
}

#if VW == 1
/* Writes the crossings of the edges from `edge` on in a tile of samples; counts are those of the tile, of_span those of
 * the span's first tile. */
INLINED void scatter_tile_of_edges(__global const uchar *bin, __global const uint *counts, __global const uint *of_span,
				   __global const uint *start, __global uint *edges, const uint n_samples,
				   const uint first, const uint end, const uint edge, const uint n_tiles,
				   const uint from_sample, const uint capacity, const uint row_stride,
				   const uint n_bins)
{
	const uint n_cycles = start[2 * N_BINS + 2], cycles = first_cycle(start, N_BINS);
	uint forward[CLPAC_MOST_EDGES], backward[CLPAC_MOST_EDGES]; /* places of the next entries, beyond the cycles' */
#define BEGIN_PLACES(i)                                                                                                \
	forward[i] = backward[i] = 0;                                                                                  \
	if ((i) < TILE_EDGES && edge + (i) < N_BINS) {                                                                 \
		const size_t list = 2 * (size_t)(edge + (i)) * n_tiles;                                                \
		forward[i] = counts[list] - of_span[list];                                                             \
		backward[i] = counts[list + n_tiles] - of_span[list + n_tiles];                                        \
	}
	CLPAC_EACH_18(BEGIN_PLACES)
	int before = bin[first == 0 ? n_samples - 1 : first - 1];
	for (uint from = first; from < end; from += 64)
		for (u64 left = changes_of_bin(bin, from, samples_from(from, end), before); left; left &= left - 1) {
			const uint t = from + LOWEST_BIT(left);
			const int now = bin[t];
			bin_step step;
			edges_of_step(&step, before, now, (int)N_BINS);
#define SCATTER_CROSSING(i)                                                                                            \
	if ((i) < TILE_EDGES && edge + (i) < N_BINS && crosses(&step, (int)(edge + (i)), (int)N_BINS)) {               \
		const uint list = 2 * (edge + (i)), rank = step.is_forward ? forward[i] : backward[i];                 \
		const uint place = !step.is_forward  ? start[list + 1] + rank                                          \
				   : rank < n_cycles ? cycles + rank * CYCLE_STRIDE + edge + (i)                       \
						     : start[list] + rank - n_cycles;                                  \
		forward[i] += step.is_forward ? 1 : 0;                                                                 \
		backward[i] += step.is_forward ? 0 : 1;                                                                \
		if (place < capacity)                                                                                  \
			edges[place] = (t - from_sample) * row_stride;                                                 \
	}
			CLPAC_EACH_18(SCATTER_CROSSING)
			before = now;
		}
}
#endif

#if VW > 1
static inline void store_entry(__global uint *edges, const bool is_short, const uint capacity, const uint place,
			       const uint entry)
{
	if (place < capacity && is_short)
		((__global ushort *)edges)[place] = (ushort)entry;
	else if (place < capacity)
		edges[place] = entry;
}
#endif

/* Writes the crossings in tile `at`, of a span that begins with tile first_tile.
 *
 * bin, counts, edges  of a row
 * start               of the span */
CALLED void scatter_tile(__global const uchar *bin, __global const uint *counts, __global const uint *start,
			 __global uint *edges, const bool is_short, const uint at, const uint first_tile,
			 const uint n_samples, const uint tile, const uint n_tiles, const uint capacity,
			 const uint row_stride, const uint n_bins)
{
	const uint first = at * tile, end = first + tile < n_samples ? first + tile : n_samples;
	if (!start[2 * N_BINS + 3])
		return;
#if VW == 1
	(void)is_short;
#pragma unroll 1
	for (uint lowest = 0; lowest < N_BINS; lowest += TILE_EDGES)
		scatter_tile_of_edges(bin, counts + at, counts + first_tile, start, edges, n_samples, first, end,
				      lowest, n_tiles, first_tile * tile, capacity, row_stride, N_BINS);
#else
	const uint n_cycles = start[2 * N_BINS + 2], cycles = first_cycle(start, N_BINS);
	uint ranks[2 * MAX_BINS]; /* of the next entry in each list of the span */
	for (uint list = 0; list < 2 * N_BINS; list++) {
		__global const uint *of_list = counts + (size_t)list * n_tiles;
		ranks[list] = of_list[at] - of_list[first_tile];
	}
	int before = bin[first == 0 ? n_samples - 1 : first - 1];
	for (uint from = first; from < end; from += 64)
		for (u64 left = changes_of_bin(bin, from, samples_from(from, end), before); left; left &= left - 1) {
			const uint t = from + LOWEST_BIT(left);
			const int now = bin[t];
			const uint entry = (t - first_tile * tile) * row_stride;
			if (is_next_bin(before, now, (int)N_BINS)) {
				const uint rank = ranks[2 * now]++;
				store_entry(edges, is_short, capacity,
					    rank < n_cycles ? cycles + rank * CYCLE_STRIDE + (uint)now
							    : start[2 * now] + rank - n_cycles,
					    entry);
			} else {
				int list, step;
				for (int more = crossing(before, now, (int)N_BINS, &list, &step); more > 0; more--) {
					const uint rank = ranks[list]++;
					store_entry(edges, is_short, capacity,
						    list % 2	      ? start[list] + rank
						    : rank < n_cycles ? cycles + rank * CYCLE_STRIDE + (uint)list / 2
								      : start[list] + rank - n_cycles,
						    entry);
					list = list_behind(list, step, (int)N_BINS);
				}
			}
			before = now;
		}
#endif
}

/* items n_tiles, rows */
__kernel void scatter_edges(ITEM __global const uchar *bins, __global const uint *tile_counts,
			    __global const uint *starts, __global uint *edges, const uint n_samples,
			    const uint bin_stride, const uint tile, const uint n_tiles, const uint span_tiles,
			    const uint n_spans, const uint capacity, const uint row_stride, const uint n_bins)
{
	RETURN_BEHIND_ITEMS;
	const size_t at = get_global_id(0), row = get_global_id(1);
	const uint span = (uint)at / span_tiles;
	scatter_tile(bins + row * bin_stride, tile_counts + row * 3 * N_BINS * n_tiles,
		     starts + (row * n_spans + span) * START_STRIDE,
		     (__global uint *)edges_of_row(edges, row, capacity, HAS_SHORT_ENTRIES(n_spans)),
		     HAS_SHORT_ENTRIES(n_spans), (uint)at, span * span_tiles, n_samples, tile, n_tiles, capacity,
		     row_stride, N_BINS);
}

/* Writes the least and the largest entry of a cycle behind its entries, where there is room for them; of series of one
 * span.
 *
 * edges  of a row */
CALLED void bound_cycle(__global uint *edges, __global const uint *start, const uint cycle, const uint n_bins)
{
	__global uint *entries = edges + (size_t)cycle * CYCLE_STRIDE;
	if (CYCLE_STRIDE == N_BINS || cycle >= start[2 * N_BINS + 2])
		return;
	uint least = entries[0], largest = entries[0];
	for (uint e = 1; e < N_BINS; e++) {
		const uint entry = entries[e];
		least = entry < least ? entry : least;
		largest = entry > largest ? entry : largest;
	}
	entries[N_BINS] = least;
	entries[N_BINS + 1] = largest;
}

/* items most cycles, rows */
__kernel void cycle_bounds(ITEM __global uint *edges, __global const uint *starts, const uint capacity,
			   const uint n_bins)
{
	RETURN_BEHIND_ITEMS;
	const size_t row = get_global_id(1);
	bound_cycle(edges + row * capacity, starts + row * START_STRIDE, (uint)get_global_id(0), N_BINS);
}
