/* Shifts that one work-item of modulation_index takes, for vectors of so many bands: on a CPU they share cached rows,
 * on a GPU, whose vectors are single numbers, registers are dearer.  The kernels lay their sums out by it and the host
 * counts work-items by it.
 *
 * Valid as C11 and as OpenCL C.
 */
#ifndef CLPAC_SHARED_TOGETHER_H
#define CLPAC_SHARED_TOGETHER_H

#define CLPAC_TOGETHER(vector_width) ((vector_width) == 1 ? 1 : 4)

#endif
