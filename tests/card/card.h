/* A card that is none: a layer of OpenCL under which a device of the CPU says that it is a GPU, has a GPU's limits, and
 * counts what it is asked to do.
 *
 *     OPENCL_LAYERS=BUILD/tests/card/.libs/card.so clpac run ...
 *
 * It says: a GPU, vectors of one float, addresses that begin at multiples of 512 bytes, 48 KiB of local memory, at most
 * 65 535 work-groups in the second and third dimension; what goes beyond is refused, as a GPU's driver does.  From the
 * environment, where it is set and not empty:
 *
 *     CLPAC_TEST_CARD_UNITS        compute units
 *     CLPAC_TEST_CARD_MEMORY       bytes of memory
 *     CLPAC_TEST_CARD_ALLOCATION   bytes of the largest buffer
 *     CLPAC_TEST_CARD_ROOM         bytes that all buffers may have together, as where others hold the rest
 *     CLPAC_TEST_CARD_FREE         bytes that are free, as AMD's drivers tell them
 *     CLPAC_TEST_CARD_UNIFIED      1: the memory is the host's
 *     CLPAC_TEST_CARD_CACHE        bytes of its cache
 *     CLPAC_TEST_CARD_GROUP        items of the largest work-group
 *     CLPAC_TEST_CARD_VENDOR       the vendor's number, as 0x10de
 *     CLPAC_TEST_CARD_IDLE         1: nothing is computed, what is read is 0, and buffers have no memory: to count
 *                                  the commands of runs that would take hours
 *     CLPAC_TEST_CARD_PLAIN        1: kernels are compiled without optimisation, which takes a third of the time
 *     CLPAC_TEST_CARD_LOG          a file, which gets a line for each command, and the counts when the process ends
 */
#ifndef CLPAC_TESTS_CARD_H
#define CLPAC_TESTS_CARD_H

#include <stddef.h>

enum { CARD_MOST_KERNELS = 256, CARD_NAME_SIZE = 64, CARD_GRID_LIMIT = 65535, CARD_ALIGNMENT = 512 };

/* Commands of one kernel.  Work-groups whose size is left to the driver are counted as 64 items in a row. */
typedef struct card_kernel {
	char name[CARD_NAME_SIZE];
	unsigned long long n_launches, n_groups, least_groups;
} card_kernel;

/* Calls of the process since the layer was loaded, or since it was last asked. */
typedef struct card_counts {
	unsigned long long launches, groups, markers, barriers, flushes, finishes, waits;
	unsigned long long reads, blocking_reads, bytes_read, writes, blocking_writes, bytes_written;
	unsigned long long fills, copies, maps, buffers, parts, arguments, builds, refused;
	size_t n_kernels; /* in the order of their first launch; those beyond the room are in the sums alone */
	card_kernel kernels[CARD_MOST_KERNELS];
} card_counts;

/* The layer's one function beside OpenCL's, "card_count": gives the counts, which begin anew. */
typedef void card_count_function(card_counts *out);

#endif
