/* The kernels of cl/ for one instruction set, compiled as C: once per CLPAC_ISA (see local.mk), each time with the
 * vector width VW that fits its registers.
 *
 * The table of stages makes one function per kernel that runs a range of work-items.  The kernel is inlined into the
 * loop of this function, so that the compiler can vectorise over items if the kernel itself works on single numbers.
 */
#include "coupling/native/kernels.h"
#include "coupling/native/opencl_c.h"
#include "memory/native/native.h"

/* The kernels' "unroll" is for OpenCL compilers, to which the number of bins is a constant. */
#if defined(__clang__)
#pragma clang diagnostic ignored "-Wpass-failed"
#elif defined(__GNUC__)
#pragma GCC diagnostic ignored "-Wunknown-pragmas"
#endif

#include "shared/clusters.h"
#include "shared/entropy.h"
#include "shared/maps.h"
#include "shared/measures.h"
#include "shared/phase_bin.h"
#include "shared/radices.h"
#include "coupling/native/first_look.h"

#include "centre.cl"
#include "extend.cl"
#include "widen.cl"
#include "transform_rows.cl"
#include "response.cl"
#include "select_bands.cl"
#include "noise.cl"
#include "hilbert.cl"
#include "phase_bins.cl"
#include "coarse_bins.cl"
#include "settle_bins.cl"
#include "phase_edges.cl"
#include "phase_line.cl"
#include "edge_lists.cl"
#include "amplitude.cl"
#include "amplitude_prefix.cl"
#include "bin_sums.cl"
#include "bin_tiles.cl"
#include "bin_means.cl"
#include "modulation_index.cl"
#include "slab_sums.cl"
#include "all_shifts.cl"
#include "linear_measures.cl"
#include "slow_amplitude.cl"
#include "used_samples.cl"
#include "variants.cl"
#include "linear_variants.cl"
#include "erpac.cl"
#include "cell_spreads.cl"
#include "surrogate_moments.cl"
#include "surrogate_maxima.cl"
#include "surrogate_statistics.cl"
#include "surrogate_clusters.cl"
#include "store.cl"
#include "steps.cl"

/* The arguments of a stage with pointers in place of blocks: struct extend_values has the members of struct
 * clpac__extend_arguments. */
#define STAGE(stage, way, often, steps, arguments)                                                                     \
	struct stage##_values {                                                                                        \
		arguments                                                                                              \
	};
#define BUFFER(name) void *name;
#define UINT(name) uint name;
#define FLOAT(name) float name;
#include "coupling/stages/stages.def"

#define STAGE(stage, way, often, steps, arguments)                                                                     \
	static inline struct stage##_values values_of_##stage(const struct clpac__##stage##_arguments *given)          \
	{                                                                                                              \
		return (struct stage##_values){arguments};                                                             \
	}
#define BUFFER(name) .name = clpac__native_data(given->name),
#define UINT(name) .name = given->name,
#define FLOAT(name) .name = given->name,
#include "coupling/stages/stages.def"

#if !defined(INLINE_ALL) && defined(__GNUC__)
#define INLINE_ALL __attribute__((flatten))
#elif !defined(INLINE_ALL)
#define INLINE_ALL
#endif

/* Defines a function that runs a range of work-items.  The variable arguments are the kernel's, each with a comma
 * before it.
 *
 * The values are locals, because the compiler would otherwise read them again after each write of the kernel.  Whether
 * buffers overlap is tested at run time; declaring items independent (GCC ivdep, clang's assume_safety) vectorised
 * nothing more.
 */
#define RANGE(function, stage, set, ...)                                                                               \
	static INLINE_ALL void function(const clpac__arguments *given, size_t begin, size_t end, size_t id1,           \
					size_t id2)                                                                    \
	{                                                                                                              \
		struct stage##_values values = values_of_##stage(&given->stage);                                       \
		set;                                                                                                   \
		for (size_t id0 = begin; id0 < end; id0++) {                                                           \
			const struct clpac__item at = {{id0, id1, id2}}, *const item = &at;                            \
			stage(item __VA_ARGS__);                                                                       \
		}                                                                                                      \
	}

/* The ways of running, as stages.def names them. */
#define EACH(stage, ...)                                                                                               \
	enum { piece_of_##stage = 1024 };                                                                              \
	RANGE(run_##stage, stage, (void)0, __VA_ARGS__)
#define LOOP(stage, ...)                                                                                               \
	enum { piece_of_##stage = 8 };                                                                                 \
	RANGE(run_##stage, stage, (void)0, __VA_ARGS__)
#define ROW LOOP
/* A constant number of bins keeps the sums in registers. */
#define LOOP_BINS(stage, ...)                                                                                          \
	enum { piece_of_##stage = 8 };                                                                                 \
	RANGE(run_##stage##_usual, stage, values.n_bins = USUAL_BINS, __VA_ARGS__)                                     \
	RANGE(run_##stage##_any, stage, (void)0, __VA_ARGS__)                                                          \
	static void run_##stage(const clpac__arguments *given, size_t begin, size_t end, size_t id1, size_t id2)       \
	{                                                                                                              \
		(given->stage.n_bins == USUAL_BINS ? run_##stage##_usual : run_##stage##_any)(given, begin, end, id1,  \
											      id2);                    \
	}
#define ROW_BINS LOOP_BINS
enum { USUAL_BINS = 18 };

#define STAGE(stage, way, often, steps, arguments) way(stage, arguments)
#define BUFFER(name) , values.name
#define UINT(name) , values.name
#define FLOAT(name) , values.name
#include "coupling/stages/stages.def"

#define JOIN_(a, b) a##b
#define JOIN(a, b) JOIN_(a, b)

const clpac__native_kernels JOIN(clpac__native_kernels_, CLPAC_ISA) = {
	.vector_width = VW,
	.stages =
		{
#define STAGE(name, way, often, steps, arguments) [CLPAC__STAGE_##name] = {run_##name, piece_of_##name},
#include "coupling/stages/stages.def"
		},
};
