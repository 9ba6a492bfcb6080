/* Centres samples on the device: each series becomes (x - mean) * 2^-e, near 1, as src/coupling/passes/load.c does on
 * the host.
 *
 * The host subtracts in double.  The device gets the same digits from 64-bit integers.  With E the exponent of the
 * largest sample, x * 2^-E is below 2 and is held in fixed point: with CENTRED_BITS fractional bits for differences,
 * and for sums of n samples with as many fewer as the sum needs.  So sums and means are exact down to the last bit of
 * such a number, whatever the tiles; no device's rounding or flushing of small numbers enters, and the difference is
 * rounded once, to float.
 *
 * samples  anywhere in the application's memory: see place_of_sample
 * ranges   (series, n_tiles, 6): of a tile, RANGE_...
 * facts    (series, 4): trouble (CLPAC_TROUBLE_...), e, smallest and largest key
 * sums     (series, n_tiles): in fixed point
 * means    (series): in fixed point
 */
#define CENTRED_BITS 60

/* Index of sample t of a series, in floats.  The series' segment is series - channel * n_segments.  The terms are
 * arranged to avoid a remainder beside the division: compilers turn the pair into an instruction that Oclgrind does not
 * know (freeze). */
static inline size_t place_of_sample(const size_t series, const size_t t, const uint at, const uint sample_stride,
				     const uint segment_stride, const uint channel_stride, const uint n_segments)
{
	const size_t channel = series / n_segments,
		     beyond = (size_t)channel_stride - (size_t)n_segments * segment_stride;
	return at + series * segment_stride + channel * beyond + t * sample_stride;
}

/* Keys of floats have the order of the floats, with -0 just below 0; NaN and Inf lie beyond LARGEST_KEY. */
#define LARGEST_KEY 0x7f7fffff

static inline int key_of_bits(const uint bits)
{
	const int magnitude = (int)(bits & 0x7fffffffu);
	return bits >> 31 ? -magnitude - 1 : magnitude;
}

static inline uint magnitude_of_key(const int key)
{
	return (uint)(key < 0 ? -(key + 1) : key);
}

/* The exponent field of the largest sample; denormal numbers count as the smallest normal ones. */
static inline int exponent_of_range(const int smallest, const int largest)
{
	const uint below = magnitude_of_key(smallest) >> 23, above = magnitude_of_key(largest) >> 23;
	const uint field = below > above ? below : above;
	return field > 1 ? (int)field : 1;
}

/* The float of a key times 2^-E as an integer with n_bits fractional bits, rounded to nearest. */
static inline i64 fixed_of_key(const int key, const int exponent, const int n_bits)
{
	const uint magnitude = magnitude_of_key(key), field = magnitude >> 23;
	const i64 digits = (i64)((magnitude & 0x7fffffu) | (field ? 0x800000u : 0u));
	const int up = n_bits - 23 - (exponent - (field ? (int)field : 1));
	const int down = -up < 25 ? -up : 25;
	const i64 fixed = up >= 0 ? digits << up : (digits + ((i64)1 << (down - 1))) >> down;
	return key < 0 ? -fixed : fixed;
}

/* The number of fractional bits that a sum of n numbers below 2 leaves room for. */
static inline int bits_of_sum(const uint n)
{
	int bits = CENTRED_BITS + 1;
	for (uint rest = n - 1; rest; rest >>= 1)
		bits--;
	return bits;
}

/* The record of a tile: its smallest and largest key (key_of_bits); the samples that repeat the one before them; and
 * the lengths of the first, the last and the longest of its runs of one value, the first negative where it goes on from
 * the tile before. */
#define RANGE_SMALLEST 0
#define RANGE_LARGEST 1
#define RANGE_REPEATS 2
#define RANGE_FIRST 3
#define RANGE_LAST 4
#define RANGE_LONGEST 5
#define RANGE_MEMBERS 6

/* -0 and 0 are equal. */
static inline int value_of_key(const int key)
{
	return key == -1 ? 0 : key;
}

/* items n_tiles, series */
__kernel void sample_ranges(ITEM __global const float *samples, __global int *ranges, const uint place,
			    const uint sample_stride, const uint segment_stride, const uint channel_stride,
			    const uint n_segments, const uint first, const uint n_samples, const uint tile,
			    const uint n_tiles)
{
	RETURN_BEHIND_ITEMS;
	const size_t at = get_global_id(0), series = get_global_id(1);
	__global const float *x = samples + place_of_sample(first + series, 0, place, sample_stride, segment_stride,
							    channel_stride, n_segments);
	const uint begin = (uint)at * tile, end = begin + tile < n_samples ? begin + tile : n_samples;
	int smallest = key_of_bits(AS_UINT1(x[(size_t)begin * sample_stride])), largest = smallest;
	int value = value_of_key(smallest), run = 1, first_run = 1, longest = 1, repeats = 0;
	const bool goes_on =
		begin && value_of_key(key_of_bits(AS_UINT1(x[(size_t)(begin - 1) * sample_stride]))) == value;
	for (uint t = begin + 1; t < end; t++) {
		const int key = key_of_bits(AS_UINT1(x[(size_t)t * sample_stride])), next = value_of_key(key);
		smallest = key < smallest ? key : smallest;
		largest = key > largest ? key : largest;
		run = next == value ? run + 1 : 1;
		repeats += next == value ? 1 : 0;
		first_run = run == (int)(t - begin) + 1 ? run : first_run;
		longest = run > longest ? run : longest;
		value = next;
	}
	__global int *range = ranges + (series * n_tiles + at) * RANGE_MEMBERS;
	range[RANGE_SMALLEST] = smallest;
	range[RANGE_LARGEST] = largest;
	range[RANGE_REPEATS] = repeats + (goes_on ? 1 : 0);
	range[RANGE_FIRST] = goes_on ? -first_run : first_run;
	range[RANGE_LAST] = run;
	range[RANGE_LONGEST] = longest;
}

/* Whether a run of n samples is one that chance makes less often than `chance` times in such a series, of which a
 * sample repeats the one before it with the probability p: n_samples * p^(n - 1) (src/base/flat.h). */
static inline bool is_rare(const uint n, const uint n_samples, const float p, const float chance)
{
	float expected = (float)n_samples, power = p;
	for (uint rest = n - 1; rest; rest >>= 1) {
		expected *= rest & 1u ? power : 1.0f;
		power *= power;
	}
	return expected < chance;
}

/* A series is flat where it has a rare run of `least` samples or more, and that is its trouble; least 0: no run is
 * looked for.  items series */
__kernel void sample_facts(ITEM __global const int *ranges, __global int *facts, const uint n_samples, const uint tile,
			   const uint n_tiles, const uint least, const float chance)
{
	RETURN_BEHIND_ITEMS;
	const size_t series = get_global_id(0);
	int smallest = LARGEST_KEY, largest = -LARGEST_KEY - 1, repeats = 0, run = 0, longest = 0;
	for (uint at = 0; at < n_tiles; at++) {
		__global const int *range = ranges + (series * n_tiles + at) * RANGE_MEMBERS;
		const int n = (int)(at + 1 < n_tiles ? tile : n_samples - at * tile), first = range[RANGE_FIRST];
		smallest = range[RANGE_SMALLEST] < smallest ? range[RANGE_SMALLEST] : smallest;
		largest = range[RANGE_LARGEST] > largest ? range[RANGE_LARGEST] : largest;
		repeats += range[RANGE_REPEATS];
		run = first < 0 ? run - first : first;
		longest = run > longest ? run : longest;
		longest = range[RANGE_LONGEST] > longest ? range[RANGE_LONGEST] : longest;
		run = (first < 0 ? -first : first) < n ? range[RANGE_LAST] : run;
	}
	const bool is_finite = largest <= LARGEST_KEY && smallest >= -LARGEST_KEY - 1;
	const bool is_constant = value_of_key(smallest) == value_of_key(largest);
	const bool is_flat = least && (uint)longest >= least &&
			     is_rare((uint)longest, n_samples, (float)repeats / (float)n_samples, chance);
	facts[series * 4] = !is_finite	  ? CLPAC_TROUBLE_NOT_FINITE
			    : is_constant ? CLPAC_TROUBLE_CONSTANT
			    : is_flat	  ? CLPAC_TROUBLE_FLAT
					  : CLPAC_TROUBLE_NONE;
	facts[series * 4 + 1] = 0;
	facts[series * 4 + 2] = smallest;
	facts[series * 4 + 3] = largest;
}

/* items n_tiles, series */
__kernel void sample_sums(ITEM __global const float *samples, __global const int *facts, __global i64 *sums,
			  const uint place, const uint sample_stride, const uint segment_stride,
			  const uint channel_stride, const uint n_segments, const uint first, const uint n_samples,
			  const uint tile, const uint n_tiles)
{
	RETURN_BEHIND_ITEMS;
	const size_t at = get_global_id(0), series = get_global_id(1);
	__global const float *x = samples + place_of_sample(first + series, 0, place, sample_stride, segment_stride,
							    channel_stride, n_segments);
	const uint begin = (uint)at * tile, end = begin + tile < n_samples ? begin + tile : n_samples;
	const bool is_good = facts[series * 4] == CLPAC_TROUBLE_NONE;
	const int exponent = exponent_of_range(facts[series * 4 + 2], facts[series * 4 + 3]);
	const int n_bits = bits_of_sum(n_samples);
	i64 sum = 0;
	for (uint t = begin; t < end && is_good; t++)
		sum += fixed_of_key(key_of_bits(AS_UINT1(x[(size_t)t * sample_stride])), exponent, n_bits);
	sums[series * n_tiles + at] = sum;
}

/* Computes means and exponents.  items series */
__kernel void sample_means(ITEM __global const i64 *sums, __global int *facts, __global i64 *means,
			   const uint n_samples, const uint n_tiles)
{
	RETURN_BEHIND_ITEMS;
	const size_t series = get_global_id(0);
	__global int *fact = facts + series * 4;
	const bool is_good = fact[0] == CLPAC_TROUBLE_NONE;
	const int exponent = exponent_of_range(fact[2], fact[3]);
	const i64 finer = (i64)1 << (CENTRED_BITS - bits_of_sum(n_samples)), n = (i64)n_samples;
	i64 sum = 0;
	for (uint at = 0; at < n_tiles; at++)
		sum += sums[series * n_tiles + at];
	const i64 whole = sum / n, mean = whole * finer + (sum - whole * n) * finer / n;
	/* One of the two extremes has the largest deviation. */
	const i64 above = is_good ? fixed_of_key(fact[3], exponent, CENTRED_BITS) - mean : 1;
	const i64 below = is_good ? mean - fixed_of_key(fact[2], exponent, CENTRED_BITS) : 1;
	const int bits = (int)(AS_UINT1((float)(above > below ? above : below)) >> 23) - 127;
	means[series] = mean;
	fact[1] = is_good ? bits - CENTRED_BITS + exponent - 127 : 0;
}

/* centred  (series, n_samples); zeros for a series with trouble
 * items    n_samples, series
 */
__kernel void centre(ITEM __global const float *samples, __global const int *facts, __global const i64 *means,
		     __global float *centred, const uint place, const uint sample_stride, const uint segment_stride,
		     const uint channel_stride, const uint n_segments, const uint first, const uint n_samples)
{
	RETURN_BEHIND_ITEMS;
	const size_t t = get_global_id(0), series = get_global_id(1);
	const uint bits_of_sample = AS_UINT1(samples[place_of_sample(first + series, t, place, sample_stride,
								     segment_stride, channel_stride, n_segments)]);
	__global const int *fact = facts + series * 4;
	const bool is_good = fact[0] == CLPAC_TROUBLE_NONE;
	const int exponent = exponent_of_range(fact[2], fact[3]);
	const uint bits = (uint)(fact[1] + CENTRED_BITS - exponent + 127);
	const i64 difference =
		is_good ? fixed_of_key(key_of_bits(bits_of_sample), exponent, CENTRED_BITS) - means[series] : 0;
	centred[series * n_samples + t] = is_good ? (float)difference * AS_FLOAT1((127u - bits) << 23) : 0.0f;
}
