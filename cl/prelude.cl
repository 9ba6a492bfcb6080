/* The kernels' vocabulary for OpenCL compilers; src/coupling/native/opencl_c.h has the same for C compilers.
 *
 * VW amplitude bands are handled as one vector.  Apart from plain scalars kernels use only the types and operations
 * below, so that the same text compiles as OpenCL C 1.2 and as C:
 *
 *     fv iv uv             vectors of VW float, int, uint (scalars if VW is 1)
 *     SPLAT(x)             the float x in every lane
 *     USPLAT(x)            the uint x in every lane
 *     TO_FLOAT(i)          int lanes -> float lanes, rounded
 *     TO_INT(f)            float lanes -> int lanes, towards zero
 *     AS_FV AS_IV AS_UV    the same bits as another type
 *     SELECT(mask, a, b)   lanes of a where the comparison `mask` holds, else of b
 *     ANY_NEGATIVE(i)      whether any lane of the ints is below zero
 *     LOAD(p)              VW floats from any place on
 *     STORE(f, p)          the same to any place
 *     PAIR(p)              the float2 at p; SET_PAIR(p, z) writes one.  Number by number on CPUs, whose compilers take
 *                          items of numbers in the lanes of a vector, but not items of vectors
 *     EVENS(a, b)          of the lanes of a, then of b, the first, third, ...; ODDS(a, b): the others.  If VW is 1, a
 *                          and b
 *     ZIP_LOW(a, b)        of the first halves of a and b, a lane of each in turn; ZIP_HIGH(a, b): of the second
 *     ZIP_FOURS_LOW(a, b)  the same in parts of four lanes: a itself if VW is 4, and b by ZIP_FOURS_HIGH(a, b).  If VW
 *                          is 1, LOW gives a and HIGH gives b of both kinds
 *     SQRT(f)              square root, lane by lane
 *     SQRT1 FABS1          the same for a single number
 *     AS_UINT1 AS_FLOAT1   the same bits, of a single number
 *     i64 u64              a 64-bit int, signed and unsigned
 *     MUL_HIGH(a, b)       the upper 64 bits of the product of two i64
 *     LOWEST_BIT(a)        the number of the lowest bit that is set in a u64 other than 0
 *     FIRST_IS_LOWEST(a)   a u64 that was loaded as eight bytes, with the first of them as the lowest
 *     PREFETCH(p)          asks for the memory at p, which may lie outside of every buffer, where a device can
 *     FIRST_LOOK(...)      a phase bin where more than single precision is at hand and enough, else -1, from the
 *                          arguments of src/coupling/native/first_look.h
 *     INLINED              static inline, of a function that is large and has several callers, or whose loops end at
 *                          numbers of its callers: compilers of GPUs that made a call of it would give each work-item
 *                          a stack, and those of CPUs would unroll nothing
 *     CALLED               static inline, of a function that does much work: kernels of PoCL call it, since PoCL
 *                          compiles three copies of a kernel, and of all that is inlined into it.  Elsewhere INLINED
 *     ITEM                 first in every parameter list: where a C build passes the work-item, and a launch the end of
 *                          the first dimension
 *     RETURN_BEHIND_ITEMS  first in every kernel that is not fused: returns from work-items behind that end, by which a
 *                          launch fills up the last work-group
 *
 * A work-item owns the memory it writes.  A pass that reads what other items wrote is
 * a kernel of its own, or follows them in a fused kernel, which takes a row through several passes: on a GPU the items
 * of a work-group take the row's parts side by side and wait for each other between two passes, on a CPU one item takes
 * them all.
 *
 *     ROW_OF_GROUP         first in every fused kernel: the row of the work-group
 *     EACH_OF_ROW (i, n)   a loop over the parts 0 .. n - 1 of a pass, shared out among the items of the group
 *     NEXT_PASS            waits until all items of the group are here, with what they have written
 *     LANE LANES           the number of the item in its group, and how many there are
 *     SHARED(type, name, n) an array of n values for each lane of a group, which all its lanes see (__shared): in the
 *                          local memory of a GPU, for up to SHARING_LANES of them
 *     ADD_TO(p, n)         adds to the uint at p, to which others add at the same time; gives what was there before
 *     ALL_RETURN           return from a fused kernel, where all items of a group do or none
 *     IN_ORDER             before a loop that adds up floats: in the order of the source
 *     NEXT_SHARE           waits until all items of the group are here, with what they have put into such arrays
 */
#pragma OPENCL FP_CONTRACT OFF

/* Intel's compiler for CPUs adds the floats of a loop in another order, which OpenCL allows where somebody asks for it
 * alone. */
#ifdef __clang__
#define IN_ORDER _Pragma("clang loop vectorize(disable)")
#else
#define IN_ORDER
#endif

#ifndef VW
#define VW 1
#endif

#define ITEM const ulong end_of_items,
#define INLINED static inline __attribute__((always_inline))
#if defined(POCL_DEVICE_ADDRESS_BITS) && !defined(FILLED_GROUPS)
#define CALLED static __attribute__((noinline))
#else
#define CALLED INLINED
#endif
#define CLPAC_JOIN_(a, b) a##b
#define CLPAC_JOIN(a, b) CLPAC_JOIN_(a, b)

/* A host that fills up work-groups says so (FILLED_GROUPS).  A work-group is a part of a row, whatever the host fills:
 * the second and the third number of an item are those of its group, which a compiler sees to be the same for all its
 * items.  So it can load what belongs to a row once for all of them. */
#ifdef FILLED_GROUPS
#define RETURN_BEHIND_ITEMS                                                                                            \
	if (get_global_id(0) >= end_of_items)                                                                          \
	return
#define get_global_id(d) ((d) == 0 ? get_global_id(0) : get_global_offset(d) + get_group_id(d))
#else
#define RETURN_BEHIND_ITEMS
#endif

/* On a CPU one item takes a row, so that its builds have no barriers.  PoCL cuts a kernel at each of them, and took
 * twice the time for settle_bins. */
#define ROW_OF_GROUP get_global_id(1)
#define EACH_OF_ROW(i, n) for (uint i = LANE; i < (n); i += LANES)
#ifdef FILLED_GROUPS
#define LANE ((uint)get_local_id(0))
#define LANES ((uint)get_local_size(0))
#define NEXT_PASS barrier(CLK_GLOBAL_MEM_FENCE)
#define __shared __local
#define SHARED(type, name, n) __local type name[(n)*SHARING_LANES]
#define NEXT_SHARE barrier(CLK_LOCAL_MEM_FENCE)
#else
#define LANE 0u
#define LANES 1u
#define NEXT_PASS (void)0
#define __shared
#define SHARED(type, name, n) type name[n]
#define NEXT_SHARE (void)0
#endif
#define ADD_TO(p, n) atomic_add(p, n)
#define ALL_RETURN return

#if VW == 1
typedef float fv;
typedef int iv;
typedef uint uv;
#define SPLAT(x) (x)
#define USPLAT(x) ((uint)(x))
#define TO_FLOAT(i) convert_float(i)
#define TO_INT(f) convert_int(f)
#define AS_FV(x) as_float(x)
#define AS_IV(x) as_int(x)
#define AS_UV(x) as_uint(x)
#define SELECT(mask, a, b) ((mask) ? (a) : (b))
#define ANY_NEGATIVE(i) ((i) < 0)
#define LOAD(p) (*(p))
#define STORE(x, p) (*(p) = (x))
#define EVENS(a, b) (a)
#define ODDS(a, b) (b)
#define ZIP_LOW(a, b) (a)
#define ZIP_HIGH(a, b) (b)
#define PAIR(p) (*(p))
#define SET_PAIR(p, z) (*(p) = (z))
#else
#if VW == 16
#define HALF_WIDTH 8
#elif VW == 8
#define HALF_WIDTH 4
#else
#define HALF_WIDTH 2
#endif
typedef CLPAC_JOIN(float, VW) fv;
typedef CLPAC_JOIN(int, VW) iv;
typedef CLPAC_JOIN(uint, VW) uv;
#define SPLAT(x) ((fv)(x))
#define USPLAT(x) ((uv)(x))
#define TO_FLOAT(i) CLPAC_JOIN(convert_float, VW)(i)
#define TO_INT(f) CLPAC_JOIN(convert_int, VW)(f)
#define AS_FV(x) CLPAC_JOIN(as_float, VW)(x)
#define AS_IV(x) CLPAC_JOIN(as_int, VW)(x)
#define AS_UV(x) CLPAC_JOIN(as_uint, VW)(x)
#define SELECT(mask, a, b) select(b, a, mask)
#define ANY_NEGATIVE(i) any(i)
#define LOAD(p) CLPAC_JOIN(vload, VW)(0, p)
/* vstore16 of PoCL writes four lanes at a time. */
typedef fv __attribute__((aligned(4))) fv_anywhere;
#define STORE(x, p) (*(__global fv_anywhere *)(p) = (x))
#define EVENS(a, b) ((fv)((a).even, (b).even))
#define ODDS(a, b) ((fv)((a).odd, (b).odd))
#define PAIR(p) pair_at(p)
#define SET_PAIR(p, z) set_pair(p, z)
#define ZIP_LOW(a, b) zip((a).lo, (b).lo)
#define ZIP_HIGH(a, b) zip((a).hi, (b).hi)
INLINED float2 pair_at(__global const float2 *p)
{
	__global const float *part = (__global const float *)p;
	float2 z;
	z.x = part[0];
	z.y = part[1];
	return z;
}

INLINED void set_pair(__global float2 *p, const float2 z)
{
	__global float *part = (__global float *)p;
	part[0] = z.x;
	part[1] = z.y;
}

static inline fv zip(const CLPAC_JOIN(float, HALF_WIDTH) a, const CLPAC_JOIN(float, HALF_WIDTH) b)
{
	fv out;
	out.even = a;
	out.odd = b;
	return out;
}
#endif
#if VW <= 4
#define ZIP_FOURS_LOW(a, b) (a)
#define ZIP_FOURS_HIGH(a, b) (b)
#elif VW == 8
#define ZIP_FOURS_LOW(a, b) ((fv)((a).lo, (b).lo))
#define ZIP_FOURS_HIGH(a, b) ((fv)((a).hi, (b).hi))
#else
#define ZIP_FOURS_LOW(a, b) ((fv)((a).lo.lo, (b).lo.lo, (a).lo.hi, (b).lo.hi))
#define ZIP_FOURS_HIGH(a, b) ((fv)((a).hi.lo, (b).hi.lo, (a).hi.hi, (b).hi.hi))
#endif
#define SQRT(x) sqrt(x)
#define SQRT1(x) sqrt(x)
#define FABS1(x) fabs(x)
#define AS_UINT1(x) as_uint(x)
#define AS_FLOAT1(x) as_float(x)
#define MUL_HIGH(a, b) mul_hi(a, b)
#define PREFETCH(p)
#define LOWEST_BIT(a) (63 - (uint)clz((a) & (~(a) + 1)))
#ifdef __ENDIAN_LITTLE__
#define FIRST_IS_LOWEST(a) (a)
#else
#define FIRST_IS_LOWEST(a) as_ulong(as_uchar8(a).s76543210)
#endif
#define FIRST_LOOK(x, here, last, tap, order, directions, n_bins) (-1)
typedef long i64;
typedef ulong u64;

#include "shared/each_bin.h"
#include "shared/together.h"
#define TOGETHER CLPAC_TOGETHER(VW)
#define ABREAST CLPAC_ABREAST(VW)
#define RANKED CLPAC_RANKED(VW)
#define MOMENT_GROUPS CLPAC_MOMENT_GROUPS(VW)
#define TILES CLPAC_TILES(VW)
#define EDGES CLPAC_EDGES(VW)
#define SHARING_LANES CLPAC_SHARING_LANES

/* The number of phase bins: a constant of the build if the host specialises the program (loops over bins unroll, sums
 * stay in registers), else the kernels' argument. */
#ifndef N_BINS
#define N_BINS n_bins
#define MAX_BINS 128
#elif !defined(MAX_BINS)
#define MAX_BINS N_BINS
#endif
