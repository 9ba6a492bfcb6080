/* The measures as kernels take them: clpac_measure, which coupling/run/measures.c compares. */
#ifndef CLPAC_SHARED_MEASURES_H
#define CLPAC_SHARED_MEASURES_H

#define CLPAC_MEASURE_OF_ENTROPY 0     /* modulation index */
#define CLPAC_MEASURE_OF_HEIGHTS 1     /* height ratio */
#define CLPAC_MEASURE_OF_VECTOR 2      /* mean vector length */
#define CLPAC_MEASURE_OF_CENTRED 3     /* the same of centred phases */
#define CLPAC_MEASURE_OF_UNIT_VECTOR 4 /* the same over the amplitude's root of mean squares */
#define CLPAC_MEASURE_OF_REGRESSION 5  /* R^2 */
#define CLPAC_MEASURE_OF_LOCKING 7     /* phase-locking value */
#define CLPAC_MEASURE_OF_INFORMATION 6 /* bits */

/* Vectors of shifts whose linear measures an item computes. */
#define CLPAC_SHIFT_VECTORS 8

#endif
