/* Sums over bins where a vector is a single number, as on GPUs: those of a tile of bins at a time, in registers.
 *
 * Sums that lie in an array with a running index would lie in memory of each work-item (NVIDIA's stack frame, AMD's
 * scratch, Intel's private memory), which is the device's own memory behind its caches.  Here every index is a constant
 * (shared/each_bin.h).  Bins that are no tile by themselves, those of more than 36, take a pass through the edge lists
 * for each tile; an index, which needs all values once for their mean and once more, takes two.  Sums are integers:
 * they are the same bits in any order, however often they are made.
 *
 * A cycle of the lists is passed at a time, whose rows of the prefix sums follow each other in time.  A shifted series
 * is walked from row 0 of its prefix sums on, whatever the shift, and needs no second copy of them.
 */
#if VW == 1

#define TILE_BINS CLPAC_TILE_BINS(N_BINS)
#define EDGES_OF_TILE (N_BINS <= CLPAC_MOST_BINS ? N_BINS : TILE_BINS + 1) /* the edge above the last bin, too */

/* How the sums of a row are found. */
enum { BY_LISTS, BY_WALKS, BY_SAMPLES, BY_SLABS, BY_PRODUCTS };

/* What the sums of a row and a group are made of, at one shift; a member is set where its way needs it. */
typedef struct summed {
	uint way;
	uv total;
	uint n_samples, row_stride;
	__global const uv *prefix;    /* row 0 */
	__global const uint *edges;   /* lists and walks */
	uint turn;		      /* walks: the first place whose row is behind the end */
	size_t up, past;	      /* walks: of the shift, and of the end, from row 0 on */
	__global const uint *start;   /* lists, walks, slabs: of the only span or the first */
	__global const uchar *bins;   /* samples */
	uint shift;		      /* samples */
	__global const uv *kept;      /* slabs: the unfinished sums */
	__global const uint *counts;  /* slabs and means: of all lists of the row, and of its bins */
	__global const uint *behind;  /* slabs: of its lists before each tile */
	uint past_end, n_tiles;	      /* slabs: the first tile that the shift moves behind the end; tiles */
	__global const float *values; /* products: of bin 0; those of bin 2 are n_values further */
	uint n_values;
	__global fv *means; /* where the mean of bin 0 goes (bin_means.cl); 0 for indices of surrogates */
	uint groups;	    /* means: from one bin to the next */
} summed;

/* The edge at place i of the tile from edge `first` on; edge 0 for any place behind the last one, where it is passed
 * for D_N or for nothing. */
static inline uint edge_of_tile(const uint first, const uint i, const uint n_bins)
{
	const bool is_whole = N_BINS % TILE_BINS == 0;
	return (is_whole && i < TILE_BINS) || first + i < N_BINS ? first + i : 0;
}

static inline bool is_bin_of_tile(const uint first, const uint i, const uint n_bins)
{
	if (i >= TILE_BINS)
		return false;
	return N_BINS % TILE_BINS == 0 ? true : first + i < N_BINS;
}

/* Adds n_cycles cycles of edge lists to the D_e of n_edges edges from `first` on, four entries in a load where all
 * tiles have as many bins.  The entries of the next cycle are asked for while the rows of this one are on their way.
 * One cycle in a pass has loads enough: compilers that took several spilled 681 registers on AMD's gfx90a. */
static inline void cross_cycles(__global const uv *shifted, __global const uint *cycle, const uint n_cycles,
				const uint first, const uint n_edges, const uint n_bins, uv *d)
{
/* Rows of more bins would need more registers than Intel's devices have. */
#define IS_AHEAD (N_BINS % TILE_BINS == 0 && TILE_BINS <= 24)
#define TAKE_FOUR(i)                                                                                                   \
	if (IS_AHEAD && 4 * (i) < TILE_BINS)                                                                           \
		at[i] = ((__global const uint4 *)(cycle + first))[i];
#define LOAD_FOUR(i)                                                                                                   \
	if (IS_AHEAD && 4 * (i) < TILE_BINS) {                                                                         \
		row[4 * (i)] = shifted[at[i].x];                                                                       \
		if (4 * (i) + 1 < TILE_BINS)                                                                           \
			row[4 * (i) + 1] = shifted[at[i].y];                                                           \
		if (4 * (i) + 2 < TILE_BINS)                                                                           \
			row[4 * (i) + 2] = shifted[at[i].z];                                                           \
		if (4 * (i) + 3 < TILE_BINS)                                                                           \
			row[4 * (i) + 3] = shifted[at[i].w];                                                           \
	}
#define ADD_ROW(i)                                                                                                     \
	if (IS_AHEAD && (i) < TILE_BINS)                                                                               \
		d[i] += row[i];
#define CROSS_FOUR(i)                                                                                                  \
	if (!IS_AHEAD && N_BINS % TILE_BINS == 0 && 4 * (i) < TILE_BINS) {                                             \
		const uint4 four = ((__global const uint4 *)(here + first))[i];                                        \
		d[4 * (i)] += shifted[four.x];                                                                         \
		if (4 * (i) + 1 < TILE_BINS)                                                                           \
			d[4 * (i) + 1] += shifted[four.y];                                                             \
		if (4 * (i) + 2 < TILE_BINS)                                                                           \
			d[4 * (i) + 2] += shifted[four.z];                                                             \
		if (4 * (i) + 3 < TILE_BINS)                                                                           \
			d[4 * (i) + 3] += shifted[four.w];                                                             \
	}
#define CROSS_IN_CYCLE(i)                                                                                              \
	if ((i) < n_edges && (N_BINS % TILE_BINS || (i) >= TILE_BINS))                                                 \
		d[i] += shifted[here[edge_of_tile(first, i, N_BINS)]];
	if (!IS_AHEAD) {
#pragma unroll 1
		for (uint left = n_cycles; left; left--, cycle += CYCLE_STRIDE) {
			__global const uint *here = cycle;
			CLPAC_EACH_9(CROSS_FOUR)
			CLPAC_EACH_37(CROSS_IN_CYCLE)
		}
	} else if (n_cycles) {
		uint4 at[9];
		uv row[CLPAC_MOST_BINS];
		CLPAC_EACH_9(TAKE_FOUR)
#pragma unroll 1
		for (uint left = n_cycles; left; left--) {
			__global const uint *here = cycle;
			CLPAC_EACH_9(LOAD_FOUR)
			cycle += left > 1 ? CYCLE_STRIDE : 0;
			CLPAC_EACH_9(TAKE_FOUR)
			CLPAC_EACH_37(CROSS_IN_CYCLE)
			CLPAC_EACH_36(ADD_ROW)
		}
	}
}

/* Adds the crossings of a span to the D_e of n_edges edges from `first` on; add_crossings (bin_sums.cl). */
static inline void cross_tile(__global const uv *shifted, __global const uint *edges, __global const uint *start,
			      const uint first, const uint n_edges, const uint n_bins, uv *d)
{
	cross_cycles(shifted, edges + first_cycle(start, N_BINS), start[2 * N_BINS + 2], first, n_edges, N_BINS, d);
#define CROSS_IN_REST(i)                                                                                               \
	if ((i) < n_edges) {                                                                                           \
		const uint e = edge_of_tile(first, i, N_BINS), turn = start[2 * e + 1], past = start[2 * e + 2];       \
		for (uint at = start[2 * e]; at < past; at++) {                                                        \
			const uv more = shifted[edges[at]];                                                            \
			d[i] += at < turn ? more : 0u - more;                                                          \
		}                                                                                                      \
	}
	CLPAC_EACH_37(CROSS_IN_REST)
}

/* The prefix sum at a place of a shift, of which those from of->turn on lie behind the end of the series. */
static inline uv sum_around(const summed *of, const uint place)
{
	const bool is_behind = place >= of->turn;
	return of->prefix[of->up + place - (is_behind ? of->past : 0)] + (is_behind ? of->total : 0u);
}

/* The first of the cycles whose `bound`, 0 for the least entry and 1 for the largest, is behind the end; `from` and up
 * are looked at. */
static inline uint first_behind(const summed *of, const uint from, const uint n_cycles, const uint bound,
				const uint n_bins)
{
	uint low = from, high = n_cycles;
	while (low < high) {
		const uint middle = low + (high - low) / 2;
		if (of->edges[(size_t)middle * CYCLE_STRIDE + N_BINS + bound] < of->turn)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* Adds the crossings of a whole series to the D_e of n_edges edges from `first` on, in the order of the rows of the
 * prefix sums: first those that the shift moves behind the end, whose rows begin with row 0, then those before it, then
 * the cycles across it.  So shifts that walk side by side read the same rows at about the same time. */
static inline void walk_tile(const summed *of, const uint first, const uint n_edges, const uint n_bins, uv *d)
{
	const uint n_cycles = of->start[2 * N_BINS + 2];
	const uint across = first_behind(of, 0, n_cycles, 1, N_BINS);
	const uint behind = first_behind(of, across, n_cycles, 0, N_BINS);
	__global const uint *cycle = of->edges + (size_t)behind * CYCLE_STRIDE;
	const uv begun = of->total * (n_cycles - behind);
#define ADD_BEGUN(i)                                                                                                   \
	if ((i) < n_edges)                                                                                             \
		d[i] += begun;
	CLPAC_EACH_37(ADD_BEGUN)
	cross_cycles(of->prefix + of->up - of->past, cycle, n_cycles - behind, first, n_edges, N_BINS, d);
	cross_cycles(of->prefix + of->up, of->edges, across, first, n_edges, N_BINS, d);
	cycle = of->edges + (size_t)across * CYCLE_STRIDE;
#define CROSS_AROUND(i)                                                                                                \
	if ((i) < n_edges)                                                                                             \
		d[i] += sum_around(of, cycle[edge_of_tile(first, i, N_BINS)]);
#pragma unroll 1
	for (uint left = behind - across; left; left--, cycle += CYCLE_STRIDE) {
		CLPAC_EACH_37(CROSS_AROUND)
	}
#define CROSS_REST_AROUND(i)                                                                                           \
	if ((i) < n_edges) {                                                                                           \
		const uint e = edge_of_tile(first, i, N_BINS), turned = of->start[2 * e + 1];                          \
		const uint past = of->start[2 * e + 2];                                                                \
		for (uint at = of->start[2 * e]; at < past; at++) {                                                    \
			const uv more = sum_around(of, of->edges[at]);                                                 \
			d[i] += at < turned ? more : 0u - more;                                                        \
		}                                                                                                      \
	}
	CLPAC_EACH_37(CROSS_REST_AROUND)
}

/* Adds to the sum of a bin, or to none. */
static inline void add_to_bin(const uint bin, const uv more, const uint n_bins, uv *sums)
{
#define ADD_TO_BIN(i)                                                                                                  \
	if ((i) < TILE_BINS)                                                                                           \
		sums[i] += bin == (i) ? more : 0u;
	CLPAC_EACH_36(ADD_TO_BIN)
}

/* Adds sample t, and makes *before the prefix sum of the next. */
static inline void add_sample_of_tile(const summed *of, const uint first, const uint t, uv *before, const uint n_bins,
				      uv *sums)
{
	const uint next = t + of->shift + 1, at = next > of->n_samples ? next - of->n_samples : next;
	const uv now = next == of->n_samples ? of->total : of->prefix[(size_t)at * of->row_stride];
	add_to_bin(of->bins[t] - first, now - *before, N_BINS, sums);
	*before = next == of->n_samples ? of->prefix[0] : now;
}

/* As bin_sums_of_bins (bin_sums.cl), four samples in a pass. */
static inline void add_samples_of_tile(const summed *of, const uint first, const uint n_bins, uv *sums)
{
	uv before = of->prefix[(size_t)of->shift * of->row_stride];
	uint t = 0;
	for (; t + 4 <= of->n_samples; t += 4) {
		add_sample_of_tile(of, first, t, &before, N_BINS, sums);
		add_sample_of_tile(of, first, t + 1, &before, N_BINS, sums);
		add_sample_of_tile(of, first, t + 2, &before, N_BINS, sums);
		add_sample_of_tile(of, first, t + 3, &before, N_BINS, sums);
	}
	for (; t < of->n_samples; t++)
		add_sample_of_tile(of, first, t, &before, N_BINS, sums);
}

/* D_e from the sums of all slabs.  Spans that were moved across the end read the prefix sums from their beginning on,
 * where those of the others go on: each of their crossings lacks the series' total. */
static inline uv sum_of_slabs(const summed *of, const uint e, const uint n_bins)
{
	const uint forward = of->counts[2 * e], backward = of->counts[2 * e + 1];
	const uint ahead = entries_before(of->behind, forward, 2 * e, of->past_end, of->n_tiles);
	const uint behind = entries_before(of->behind, backward, 2 * e + 1, of->past_end, of->n_tiles);
	return of->kept[(size_t)e * of->row_stride] + of->total * ((forward - ahead) - (backward - behind)) +
	       begun_sum(of->total, of->start, N_BINS, e);
}

/* S_j of the bins from `first` on, for rows whose sums are not those of D_e. */
static inline void plain_sums_of_tile(const summed *of, const uint first, const uint n_bins, uv *sums)
{
#define BEGIN_SUM(i)                                                                                                   \
	if ((i) < TILE_BINS)                                                                                           \
		sums[i] = of->way == BY_SLABS ? of->kept[(size_t)edge_of_tile(first, i, N_BINS) * of->row_stride] : 0u;
	CLPAC_EACH_36(BEGIN_SUM)
	if (of->way == BY_SAMPLES)
		add_samples_of_tile(of, first, N_BINS, sums);
}

/* S_j of the bins from `first` on. */
static inline void sums_of_tile(const summed *of, const uint first, const uint n_bins, uv *sums)
{
	uv d[CLPAC_MOST_BINS + 1];
	if (of->way == BY_SAMPLES || (of->way == BY_SLABS && !has_lists(of->start, N_BINS))) {
		plain_sums_of_tile(of, first, N_BINS, sums);
		return;
	}
#define BEGIN_EDGE(i)                                                                                                  \
	if ((i) < EDGES_OF_TILE) {                                                                                     \
		const uint e = edge_of_tile(first, i, N_BINS);                                                         \
		d[i] = of->way == BY_SLABS ? sum_of_slabs(of, e, N_BINS) : begun_sum(of->total, of->start, N_BINS, e); \
	}
	CLPAC_EACH_37(BEGIN_EDGE)
	if (of->way == BY_LISTS)
		cross_tile(of->prefix, of->edges, of->start, first, EDGES_OF_TILE, N_BINS, d);
	if (of->way == BY_WALKS)
		walk_tile(of, first, EDGES_OF_TILE, N_BINS, d);
		/* D_N is D_0 and the total. */
#define FINISH_SUM(i)                                                                                                  \
	if ((i) < TILE_BINS) {                                                                                         \
		const uv above = (i) + 1 < EDGES_OF_TILE ? d[(i) + 1] : d[0];                                          \
		sums[i] = above + (first + (i) + 1 == N_BINS ? of->total : 0u) - d[i];                                 \
	}
	CLPAC_EACH_36(FINISH_SUM)
}

#endif
