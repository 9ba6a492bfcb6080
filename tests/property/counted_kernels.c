/* Compiles the kernels with other words for "for" and "while". */
#include "counted_kernels.h"

#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "memory/native/native.h"
#include "shared/each_bin.h"

#pragma GCC diagnostic ignored "-Wpedantic"
#pragma GCC diagnostic ignored "-Wempty-body"
#pragma GCC diagnostic ignored "-Wunknown-pragmas"
#pragma GCC diagnostic ignored "-Wdangling-else"
#if !defined(__clang__)
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
/* The same memory holds floats in one stage and integers in the next. */
#pragma GCC optimize("no-strict-aliasing")
#endif

uint64_t counted_steps;

/* The vocabulary of src/coupling/native/opencl_c.h with vectors of one float. */
#define CLPAC_COUPLING_NATIVE_OPENCL_C_H
#define CLPAC_COUPLING_NATIVE_FIRST_LOOK_H
#define VW 1
#define CLPAC_ISA counted
/* Nothing here needs speed, and with all calls inlined a compiler takes minutes under a sanitizer. */
#define INLINE_ALL
typedef uint32_t uint, uv;
typedef int32_t iv;
typedef float fv;
typedef unsigned char uchar;
typedef uint16_t ushort;
typedef int64_t i64;
typedef uint64_t u64;
typedef struct float2 {
	float x, y;
} float2;
typedef struct uint2 {
	uint x, y;
} uint2;
typedef struct uint4 {
	uint x, y, z, w;
} uint4;
typedef struct ulong2 {
	u64 x, y;
} ulong2;
#define __kernel static inline
#define __global
struct clpac__item {
	size_t id[3];
};
#define ITEM const struct clpac__item *item,
#define INLINED static inline
#define CALLED static inline
#define RETURN_BEHIND_ITEMS
#define get_global_id(dimension) (item->id[dimension])
#define ROW_OF_GROUP get_global_id(1)
#define LANE 0u
#define LANES 1u
#define EACH_OF_ROW(i, n) for (uint i = LANE; i < (n); i += LANES)
#define NEXT_PASS (void)0
#define __shared
#define SHARED(type, name, n) type name[n]
#define NEXT_SHARE (void)0
#define ALL_RETURN return
static inline uint add_to(uint *p, uint n)
{
	return (*p += n) - n;
}
#define ADD_TO(p, n) add_to((p), (n))
#define SPLAT(x) ((float)(x))
#define USPLAT(x) ((uint)(x))
#define TO_FLOAT(i) ((float)(i))
#define TO_INT(f) ((int)(f))
#define AS_FV(x) float_of((union four){.b = AS_BITS(x)})
#define AS_IV(x) ((int)AS_BITS(x))
#define AS_UV(x) AS_BITS(x)
#define AS_BITS(x) _Generic((x), float : bits_of((float)(x)), default : (uint)(x))
#define SELECT(mask, a, b) ((mask) ? (a) : (b))
#define ANY_NEGATIVE(i) ((i) < 0)
#define LOAD(p) (*(p))
#define STORE(x, p) (*(p) = (x))
#define PAIR(p) (*(p))
#define SET_PAIR(p, z) (*(p) = (z))
#define EVENS(a, b) (a)
#define ODDS(a, b) (b)
#define ZIP_LOW(a, b) (a)
#define ZIP_HIGH(a, b) (b)
#define ZIP_FOURS_LOW(a, b) (a)
#define ZIP_FOURS_HIGH(a, b) (b)
#define IN_ORDER
#define SQRT(x) sqrtf(x)
#define SQRT1(x) sqrtf(x)
#define FABS1(x) fabsf(x)
#define AS_UINT1(x) bits_of(x)
#define AS_FLOAT1(x) float_of((union four){.b = (x)})
#define MUL_HIGH(a, b) ((i64)(((__int128)(a) * (b)) >> 64))
#define PREFETCH(p) (void)(p)
#define LOWEST_BIT(a) ((uint)__builtin_ctzll(a))
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
#define FIRST_IS_LOWEST(a) __builtin_bswap64(a)
#else
#define FIRST_IS_LOWEST(a) (a)
#endif
#define FIRST_LOOK(x, here, last, tap, order, directions, n_bins) (-1)
#define TOGETHER 1
#define ABREAST 1
#define RANKED 1
#define MOMENT_GROUPS 1
#define TILES 1
#define EDGES 6
#define N_BINS n_bins
#define MAX_BINS 128

union four {
	float f;
	uint b;
};

static inline uint bits_of(float x)
{
	return (union four){.f = x}.b;
}

static inline float float_of(union four x)
{
	return x.f;
}

/* A loop costs a pass to end in, and one for each of its passes.  It begins as a loop, since clang wants one behind
 * "#pragma unroll". */
/* clang-format off */
#define for(...)                                                                                                       \
	for (bool is_entered = (counted_steps++, true); is_entered; is_entered = false)                                \
		for (__VA_ARGS__)                                                                                      \
			if (counted_steps++, 0) {                                                                      \
			} else
#define while(...) for (; __VA_ARGS__;)
/* clang-format on */

#include "coupling/native/kernels.c"
