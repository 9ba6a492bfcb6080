/* The number of shifts that one work-item of modulation_index takes, by vector width.  On a CPU they share cached rows;
 * on a GPU, whose vectors are single numbers, registers are scarcer.  The kernels lay out their sums by it, and the
 * host counts work-items by it.
 *
 * Valid as C11 and as OpenCL C.
 */
#ifndef CLPAC_SHARED_TOGETHER_H
#define CLPAC_SHARED_TOGETHER_H

#define CLPAC_TOGETHER(vector_width) ((vector_width) == 1 ? 1 : 4)

#endif
