/* The kernels' vocabulary for C compilers: that of cl/prelude.cl over GNU vector extensions, and the few words of
 * OpenCL C that kernels use.  Included by src/coupling/native/kernels.c alone, once per instruction set. */
#ifndef CLPAC_COUPLING_NATIVE_OPENCL_C_H
#define CLPAC_COUPLING_NATIVE_OPENCL_C_H

#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "shared/each_bin.h"
#include "shared/together.h"

#ifndef VW
#define VW 4
#endif

typedef uint32_t uint;
typedef unsigned char uchar;
typedef uint16_t ushort;
typedef struct float2 {
	float x, y;
} float2;

typedef struct uint2 {
	uint x, y;
} uint2;

#define __kernel static inline __attribute__((always_inline))
#define __global
#define __private

/* A work-item: three indices.  Kernels are inlined into loops over the first. */
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
#define ADD_TO(p, n) __atomic_fetch_add(p, (uint)(n), __ATOMIC_RELAXED)

typedef float fv __attribute__((vector_size(4 * VW)));
typedef int32_t iv __attribute__((vector_size(4 * VW)));
typedef uint32_t uv __attribute__((vector_size(4 * VW)));
#define SPLAT(x) ((fv){0} + (x))
#define USPLAT(x) ((uv){0} + (uint)(x))
#define TO_FLOAT(i) __builtin_convertvector(i, fv)
#define TO_INT(f) __builtin_convertvector(f, iv)
#define AS_FV(x) ((fv)(x))
#define AS_IV(x) ((iv)(x))
#define AS_UV(x) ((uv)(x))
#define SELECT(mask, a, b) AS_FV(((mask)&AS_IV(a)) | (~(mask)&AS_IV(b)))
#define ANY_NEGATIVE(i) any_negative(i)
#define LOAD(p) load_lanes(p)
#define STORE(x, p) store_lanes(x, p)
#define PAIR(p) (*(p))
#define SET_PAIR(p, z) (*(p) = (z))
#ifdef __has_builtin
#if __has_builtin(__builtin_shufflevector)
#define SHUFFLE __builtin_shufflevector
#endif
#endif
#if defined(SHUFFLE) && VW == 4
#define EVENS(a, b) SHUFFLE(a, b, 0, 2, 4, 6)
#define ODDS(a, b) SHUFFLE(a, b, 1, 3, 5, 7)
#define ZIP_LOW(a, b) SHUFFLE(a, b, 0, 4, 1, 5)
#define ZIP_HIGH(a, b) SHUFFLE(a, b, 2, 6, 3, 7)
#define ZIP_FOURS_LOW(a, b) (a)
#define ZIP_FOURS_HIGH(a, b) (b)
#elif defined(SHUFFLE) && VW == 8
#define EVENS(a, b) SHUFFLE(a, b, 0, 2, 4, 6, 8, 10, 12, 14)
#define ODDS(a, b) SHUFFLE(a, b, 1, 3, 5, 7, 9, 11, 13, 15)
#define ZIP_LOW(a, b) SHUFFLE(a, b, 0, 8, 1, 9, 2, 10, 3, 11)
#define ZIP_HIGH(a, b) SHUFFLE(a, b, 4, 12, 5, 13, 6, 14, 7, 15)
#define ZIP_FOURS_LOW(a, b) SHUFFLE(a, b, 0, 1, 2, 3, 8, 9, 10, 11)
#define ZIP_FOURS_HIGH(a, b) SHUFFLE(a, b, 4, 5, 6, 7, 12, 13, 14, 15)
#elif defined(SHUFFLE) && VW == 16
#define EVENS(a, b) SHUFFLE(a, b, 0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30)
#define ODDS(a, b) SHUFFLE(a, b, 1, 3, 5, 7, 9, 11, 13, 15, 17, 19, 21, 23, 25, 27, 29, 31)
#define ZIP_LOW(a, b) SHUFFLE(a, b, 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23)
#define ZIP_HIGH(a, b) SHUFFLE(a, b, 8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31)
#define ZIP_FOURS_LOW(a, b) SHUFFLE(a, b, 0, 1, 2, 3, 16, 17, 18, 19, 4, 5, 6, 7, 20, 21, 22, 23)
#define ZIP_FOURS_HIGH(a, b) SHUFFLE(a, b, 8, 9, 10, 11, 24, 25, 26, 27, 12, 13, 14, 15, 28, 29, 30, 31)
#else /* lane by lane */
#define EVENS(a, b) every_second(a, b, 0)
#define ODDS(a, b) every_second(a, b, 1)
#define ZIP_LOW(a, b) zip(a, b, 0, 1)
#define ZIP_HIGH(a, b) zip(a, b, VW / 2, 1)
#define ZIP_FOURS_LOW(a, b) (VW == 4 ? (a) : zip(a, b, 0, 4))
#define ZIP_FOURS_HIGH(a, b) (VW == 4 ? (b) : zip(a, b, VW / 2, 4))
#endif
#define IN_ORDER
#define SQRT(x) sqrt_lanes(x)
#define SQRT1(x) sqrtf(x)
#define FABS1(x) fabsf(x)
#define AS_UINT1(x) bits_of(x)
#define AS_FLOAT1(x) float_of(x)
#define MUL_HIGH(a, b) multiply_high(a, b)
#define PREFETCH(p) __builtin_prefetch(p)
#define LOWEST_BIT(a) ((uint)__builtin_ctzll(a))
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
#define FIRST_IS_LOWEST(a) __builtin_bswap64(a)
#else
#define FIRST_IS_LOWEST(a) (a)
#endif
typedef int64_t i64;
typedef uint64_t u64;

static inline i64 multiply_high(i64 a, i64 b)
{
#ifdef __SIZEOF_INT128__
	return (i64)(((__int128)a * b) >> 64);
#else /* schoolbook multiplication of halves */
	const u64 a_low = (uint)a, b_low = (uint)b;
	const i64 a_high = a >> 32, b_high = b >> 32;
	const i64 middle = a_high * (i64)b_low + (i64)((a_low * b_low) >> 32);
	const i64 other = (i64)a_low * b_high + (i64)(uint)middle;
	return a_high * b_high + (middle >> 32) + (other >> 32);
#endif
}

static inline uint bits_of(float x)
{
	union {
		float whole;
		uint bits;
	} same = {x};
	return same.bits;
}

static inline float float_of(uint x)
{
	union {
		uint bits;
		float whole;
	} same = {x};
	return same.whole;
}

static inline __attribute__((always_inline)) int any_negative(iv x)
{
	typedef uint64_t words __attribute__((vector_size(16)));
	union {
		iv whole;
		words part[VW / 4];
	} lanes = {x};
	words any = lanes.part[0];
	for (int i = 1; i < VW / 4; i++)
		any |= lanes.part[i];
	return ((any[0] | any[1]) & 0x8000000080000000u) != 0;
}

static inline __attribute__((always_inline)) fv sqrt_lanes(fv x)
{
	for (int lane = 0; lane < VW; lane++)
		x[lane] = sqrtf(x[lane]);
	return x;
}

static inline __attribute__((always_inline)) fv load_lanes(const float *from)
{
	typedef float loose __attribute__((vector_size(4 * VW), aligned(4), may_alias));
	return *(const loose *)from;
}

static inline __attribute__((always_inline)) void store_lanes(fv x, float *to)
{
	typedef float loose __attribute__((vector_size(4 * VW), aligned(4), may_alias));
	*(loose *)to = x;
}

/* Parts of so many lanes of a and of b in turn, from lane number `first` on. */
static inline __attribute__((always_inline, unused)) fv zip(fv a, fv b, int first, int part)
{
	fv out;
	for (int lane = 0; lane < VW; lane++) {
		const int from = first + lane / (2 * part) * part + lane % part;
		out[lane] = lane / part % 2 ? b[from] : a[from];
	}
	return out;
}

static inline __attribute__((always_inline, unused)) fv every_second(fv a, fv b, int first)
{
	fv out;
	for (int lane = 0; lane < VW / 2; lane++) {
		out[lane] = a[2 * lane + first];
		out[VW / 2 + lane] = b[2 * lane + first];
	}
	return out;
}

#define TOGETHER CLPAC_TOGETHER(VW)
#define ABREAST CLPAC_ABREAST(VW)
#define RANKED CLPAC_RANKED(VW)
#define MOMENT_GROUPS CLPAC_MOMENT_GROUPS(VW)
#define TILES CLPAC_TILES(VW)
#define EDGES CLPAC_EDGES(VW)

#define N_BINS n_bins
#define MAX_BINS 128

#endif
