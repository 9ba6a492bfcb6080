/* The kernels of cl/ for one instruction set, compiled as C: once per CLPAC_ISA (see local.mk), each with the vector
 * width VW that fits its registers.
 *
 * Each kernel gets a function that runs a range of work-items; the kernel is inlined into its loop, so that the
 * compiler may vectorise over the items where the kernel itself works on single numbers.
 */
#include "native/compute/kernels.h"
#include "native/compute/opencl_c.h"

/* The kernels' "unroll" is for OpenCL compilers, which have the number of bins as a constant. */
#if defined(__clang__)
#pragma clang diagnostic ignored "-Wpass-failed"
#elif defined(__GNUC__)
#pragma GCC diagnostic ignored "-Wunknown-pragmas"
#endif

#include "shared/entropy.h"
#include "shared/maps.h"
#include "shared/phase_bin.h"

#include "centre.cl"
#include "extend.cl"
#include "widen.cl"
#include "response.cl"
#include "select_bands.cl"
#include "hilbert.cl"
#include "phase_bins.cl"
#include "phase_edges.cl"
#include "phase_line.cl"
#include "amplitude.cl"
#include "amplitude_prefix.cl"
#include "bin_sums.cl"
#include "modulation_index.cl"
#include "distribution.cl"
#include "surrogate_moments.cl"
#include "store.cl"

/* The arguments of a range, copied to locals: what a kernel writes could otherwise change them for all that the
 * compiler knows.  Whether buffers overlap it finds out at run time; telling it that items are independent (GCC ivdep,
 * clang's assume_safety) vectorised nothing more. */
typedef struct arguments {
	clpac__native_argument at[CLPAC__MAX_ARGUMENTS];
} arguments;

#define B(i) given.at[i].memory
#define U(i) given.at[i].number
#define F(i) given.at[i].real

#if defined(__GNUC__)
#define INLINE_ALL __attribute__((flatten))
#else
#define INLINE_ALL
#endif

#define RANGE(function, call)                                                                                          \
	static INLINE_ALL void function(const clpac__native_argument *handed, size_t begin, size_t end, size_t id1,    \
					size_t id2)                                                                    \
	{                                                                                                              \
		const arguments given = *(const arguments *)handed;                                                    \
		for (size_t id0 = begin; id0 < end; id0++) {                                                           \
			const struct clpac__item at = {{id0, id1, id2}}, *const item = &at;                            \
			call;                                                                                          \
		}                                                                                                      \
	}

/* A kernel over single numbers, vectorised over its items; and one of which every item is a loop of its own. */
#define EACH(name, ...)                                                                                                \
	enum { piece_of_##name = 1024 };                                                                               \
	RANGE(run_##name, name(item, __VA_ARGS__))
#define LOOP(name, ...)                                                                                                \
	enum { piece_of_##name = 8 };                                                                                  \
	RANGE(run_##name, name(item, __VA_ARGS__))

LOOP(sample_ranges, B(0), B(1), U(2), U(3), U(4), U(5), U(6), U(7), U(8), U(9), U(10))
LOOP(sample_facts, B(0), B(1), U(2))
LOOP(sample_sums, B(0), B(1), B(2), U(3), U(4), U(5), U(6), U(7), U(8), U(9), U(10), U(11))
LOOP(sample_means, B(0), B(1), B(2), B(3), U(4), U(5))
EACH(centre, B(0), B(1), B(2), B(3), U(4), U(5), U(6), U(7), U(8), U(9), U(10))
EACH(extend, B(0), B(1), U(2), U(3), U(4), U(5))
EACH(widen, B(0), B(1), U(2), U(3))
EACH(halve, B(0), B(1), U(2), U(3))
EACH(response, B(0), B(1), U(2), U(3), U(4), F(5))
EACH(select_bands, B(0), B(1), B(2), B(3), U(4), U(5), U(6), U(7))
EACH(kept_part, B(0), B(1), U(2), U(3), U(4), U(5))
EACH(hilbert_weights, B(0), B(1), U(2))
EACH(hilbert_pair, B(0), B(1), B(2), U(3), U(4))
EACH(phase_bins, B(0), B(1), U(2), U(3), U(4), U(5), U(6), U(7), U(8))
EACH(bins_of_phase, B(0), B(1), U(2), U(3), U(4))
LOOP(count_edges, B(0), B(1), U(2), U(3), U(4), U(5), U(6))
LOOP(scan_edges, B(0), B(1), U(2), U(3))
LOOP(place_edges, B(0), B(1), B(2), B(3), U(4), U(5), U(6), U(7), U(8))
LOOP(scatter_edges, B(0), B(1), B(2), B(3), U(4), U(5), U(6), U(7), U(8), U(9), U(10))
LOOP(phase_line, B(0), B(1), B(2), U(3), U(4))
EACH(amplitude, B(0), B(1), U(2), U(3), U(4), U(5), U(6), U(7), U(8))
EACH(amplitude_of_array, B(0), B(1), U(2), U(3), U(4), U(5), U(6))
LOOP(amplitude_sums, B(0), B(1), U(2), U(3), U(4), U(5), U(6), U(7))
LOOP(amplitude_level, B(0), B(1), U(2), U(3), U(4))
LOOP(amplitude_spread, B(0), B(1), B(2), U(3), U(4), U(5), U(6), U(7), U(8))
LOOP(largest_bin, B(0), B(1), U(2), U(3))
LOOP(amplitude_scale, B(0), B(1), B(2), U(3), U(4), U(5))
LOOP(quantise, B(0), B(1), B(2), U(3), U(4), U(5), U(6), U(7), U(8))
LOOP(scan_sums, B(0), B(1), U(2), U(3))
LOOP(prefix_sums, B(0), B(1), B(2), U(3), U(4), U(5), U(6), U(7), U(8))
/* The usual number of bins is compiled for itself: its sums then stay in registers. */
#define INDEX(n_bins)                                                                                                  \
	modulation_index(item, B(0), B(1), B(2), B(3), B(4), B(5), B(6), B(7), B(8), B(9), U(10), U(11), U(12), U(13), \
			 U(14), U(15), U(16), U(17), n_bins, U(19), U(20), F(21), F(22))
RANGE(run_modulation_index_18, INDEX(18))
RANGE(run_modulation_index_any, INDEX(U(18)))
enum { piece_of_modulation_index = 8 };
static void run_modulation_index(const clpac__native_argument *handed, size_t begin, size_t end, size_t id1, size_t id2)
{
	(handed[18].number == 18 ? run_modulation_index_18 : run_modulation_index_any)(handed, begin, end, id1, id2);
}

LOOP(modulation_index_direct, B(0), B(1), B(2), B(3), B(4), B(5), B(6), B(7), U(8), U(9), U(10), U(11), U(12), U(13),
     U(14), U(15), U(16), U(17), U(18), F(19), F(20))
LOOP(distribution, B(0), B(1), B(2), B(3), B(4), B(5), B(6), U(7), U(8), U(9), U(10), U(11), U(12))
LOOP(distribution_direct, B(0), B(1), B(2), B(3), B(4), B(5), B(6), U(7), U(8), U(9), U(10), U(11), U(12), U(13))
LOOP(surrogate_moments, B(0), B(1), B(2), B(3), U(4), U(5), U(6), U(7), U(8))
EACH(store_map, B(0), B(1), B(2), B(3), U(4), U(5), U(6), U(7), U(8), U(9), U(10), U(11))
LOOP(store_surrogates, B(0), B(1), B(2), B(3), U(4), U(5), U(6), U(7), U(8), U(9), U(10), U(11))
LOOP(store_distribution, B(0), B(1), B(2), U(3), U(4), U(5), U(6), U(7), U(8))
LOOP(store_peak, B(0), B(1), B(2), B(3), B(4), U(5), U(6), U(7), U(8), U(9), U(10), U(11), U(12))
LOOP(store_warnings, B(0), B(1), B(2), B(3), B(4), B(5), U(6), U(7), U(8), U(9), U(10), U(11), U(12), U(13), F(14))

#define JOIN_(a, b) a##b
#define JOIN(a, b) JOIN_(a, b)

const clpac__native_kernels JOIN(clpac__native_kernels_, CLPAC_ISA) = {
	.vector_width = VW,
	.stages =
		{
#define STAGE(name, arguments) [CLPAC__STAGE_##name] = {run_##name, piece_of_##name},
#include "stages/stages.def"
#undef STAGE
		},
};
