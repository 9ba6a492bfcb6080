/* Numbers that kernels share with the library's enumerations; src/coupling/run/enqueue.c asserts that they agree.
 *
 * Valid as C11 and as OpenCL C.
 */
#ifndef CLPAC_SHARED_MAPS_H
#define CLPAC_SHARED_MAPS_H

/* clpac_array */
#define CLPAC_MAP_MI 0
#define CLPAC_MAP_Z 1
#define CLPAC_MAP_P 2
#define CLPAC_MAP_MEAN 3
#define CLPAC_MAP_STD 4
#define CLPAC_MAP_PREFERRED_PHASE 10
#define CLPAC_MAP_MEAN_VECTOR 11

/* Below every standardized statistic: no cell has one. */
#define CLPAC_NO_MAXIMUM (-3e38f)

/* The part of a standardized statistic, or of 1 if that is smaller, by which a surrogate's maximum may fall short and
 * still reach it.  A surrogate that equals the observed indices reaches them whatever way their standardized statistics
 * were rounded; p_max errs upwards. */
#define CLPAC_REACH 1e-6f

/* A cell this many deviations of its surrogates above their mean is clear by itself: no other is the peak beside it. */
#define CLPAC_CLEAR_Z 10.0f

/* In place of a segment's number: the segment takes its own amplitude. */
#define CLPAC_OWN_SEGMENT 0xffffffffu

/* clpac_null */
#define CLPAC_NULL_OF_TRIALS 2
#define CLPAC_NULL_OF_BLOCKS 3
#define CLPAC_NULL_OF_PHASES 4

/* enum clpac__trouble */
#define CLPAC_TROUBLE_NONE 0
#define CLPAC_TROUBLE_NOT_FINITE 1
#define CLPAC_TROUBLE_CONSTANT 2
#define CLPAC_TROUBLE_FLAT 3

/* clpac_warning_kind, as bits */
#define CLPAC_BIT_PURE_LINE (1u << 2)
#define CLPAC_BIT_NOT_FINITE (1u << 3)
#define CLPAC_BIT_CONSTANT (1u << 4)
#define CLPAC_BIT_EMPTY_BINS (1u << 5)
#define CLPAC_BIT_NO_AMPLITUDE (1u << 6)
#define CLPAC_BIT_NO_DEVIATION (1u << 7)
#define CLPAC_BIT_FLAT (1u << 24)

#endif
