/* Two doubles in one register, as every x86-64 and aarch64 has it. */
#ifndef CLPAC_COUPLING_SIGNAL_PAIRS_H
#define CLPAC_COUPLING_SIGNAL_PAIRS_H

/* Sums that a loop adds to are named one by one, and stay in registers: compilers keep an array of them in memory, and
 * store and load it at each turn, which takes twice as long.  Each value has the bits of one that is summed alone.
 * Doubles anywhere are read and written as pairs. */
typedef double clpac__pair __attribute__((vector_size(16), aligned(8), may_alias));

#endif
