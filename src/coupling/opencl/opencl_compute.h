/* The inside of a queue's OpenCL kernels: programs and their cache, launches, and state of FFT engines. */
#ifndef CLPAC_COUPLING_OPENCL_OPENCL_COMPUTE_H
#define CLPAC_COUPLING_OPENCL_OPENCL_COMPUTE_H

#include "memory/opencl/opencl.h"
#include "coupling/stages/compute.h"
#include "coupling/fft/engine.h"

/* The kernels come in parts, a program each, so that a first use compiles little that it does not need: parts.c. */
typedef enum clpac__opencl_part {
	CLPAC__OPENCL_USUAL,
	CLPAC__OPENCL_FURTHER,
	CLPAC__OPENCL_ALL, /* both in one text, for tests and for other compilers */
} clpac__opencl_part;

/* One build of a part; only the kernels' arguments change later. */
typedef struct clpac__opencl_program {
	struct clpac__opencl_program *next;
	clpac__opencl_part part;
	unsigned n_bins;
	cl_program program;
	cl_kernel kernels[CLPAC__STAGE_COUNT]; /* NULL: of the other part */
	bool fills_groups; /* kernels return from work-items behind the last, so that launches end with whole groups */
	size_t groups[CLPAC__STAGE_COUNT]; /* work-items in a work-group at most, a power of two */
} clpac__opencl_program;

/* The OpenCL kernels of a queue.  Each queue has its own kernel objects, so that two queues launch at the same time;
 * only the root compiles. */
typedef struct clpac__opencl_compute {
	clpac__compute base;		    /* first */
	struct clpac__opencl_compute *root; /* kernels of the queue that opened the device; may be this one */
	_Atomic(clpac__opencl_program *) programs;
	pthread_mutex_t arguments;    /* guards the kernels' arguments until the kernel is in the queue */
	pthread_mutex_t compiling;    /* in the root: guards changes to its programs and its siblings' */
	char cache[512];	      /* folder of compiled kernels; empty: no cache */
	atomic_int clfft_dialect;     /* in the root: the answer of clfft_dialect.c */
	size_t most_groups;	      /* of a command in the second and the third dimension; 1 or more */
	_Atomic uint64_t n_unawaited; /* loads of commands put into the queue since it was last waited for */
	double unawaited_since_s;     /* when the first of them was; guarded by `arguments` */
	unsigned n_compiled;	      /* programs made from source */
	unsigned n_from_cache;	      /* programs loaded from the cache */
	void (*at_close)(void);	      /* set by an FFT engine that holds a process-wide library for this queue */
} clpac__opencl_compute;

extern const clpac__compute_backend clpac__compute_opencl;

/* The kernels attached to a queue. */
static inline clpac__opencl_compute *clpac__opencl_compute_of(const clpac__queue *queue)
{
	return (clpac__opencl_compute *)clpac__compute_of(queue);
}

static inline clpac__opencl_queue *clpac__opencl_queue_of(const clpac__opencl_compute *compute)
{
	return clpac__opencl_of(compute->base.queue);
}

/* --- Programs (parts.c, kernel_source.c, program.c, program_cache.c), launches (opencl_launch.c) -- */

clpac__opencl_part clpac__opencl_part_of(unsigned stage);

/* Writes the kernels of a part as one text with #line marks, so that a driver's log names file and line; the caller
 * frees it. */
clpac_status clpac__opencl_source(clpac__opencl_part part, char **out, clpac_error *err);

/* Writes the options with which that text is built; can_divide: for a device that rounds quotients and roots correctly
 * where it is asked to (CL_FP_CORRECTLY_ROUNDED_DIVIDE_SQRT). */
void clpac__opencl_options(unsigned vector_width, unsigned n_bins, bool fills_groups, bool can_divide, char *text,
			   size_t size);

/* Builds a program from source: loaded from the cache if it is there, else compiled and stored there. */
clpac_status clpac__opencl_build(clpac__opencl_compute *compute, const char *source, const char *options,
				 cl_program *out, clpac_error *err);

/* Finds or makes the build of a part for n_bins, which is a constant of it, but for high numbers on CPUs; n_bins 0: any
 * number. */
clpac_status clpac__opencl_program_get(clpac__opencl_compute *compute, clpac__opencl_part part, unsigned n_bins,
				       clpac__opencl_program **out, clpac_error *err);
void clpac__opencl_programs_destroy(clpac__opencl_compute *compute);

/* The bands of a vector on a device: 1, 4, 8 or 16.  `wanted` is the caller's wish, which is followed as far as there
 * are kernels; 0: as suits the device. */
unsigned clpac__opencl_vector_width(const clpac_device *device, unsigned wanted);

/* Makes the usual part ready, before work begins; the further one is built at its first launch. */
clpac_status clpac__opencl_prepare(clpac__opencl_compute *compute, unsigned n_bins, clpac_error *err);
/* The most work-items in a work-group of a kernel, a power of two.  Tests and benches set others, but for fused passes,
 * before a program is built; 0: the usual ones. */
extern size_t clpac__opencl_group_of_tests;
size_t clpac__opencl_group(const clpac__opencl_queue *queue, cl_kernel kernel, unsigned stage);
/* The most loads of a command, which is to end within a second, of a device that took `seconds` for so many: `least` to
 * CLPAC__OPENCL_MOST_LOADS. */
#define CLPAC__OPENCL_MOST_LOADS ((uint64_t)1 << 35)
uint64_t clpac__opencl_loads_of_a_second(uint64_t loads, double seconds, uint64_t least);
clpac_status clpac__opencl_launch(clpac__opencl_compute *compute, const clpac__launch *launch, clpac_error *err);

/* Writes the path of a key's file: FOLDER/HASH.clpac. */
void clpac__opencl_cache_path(const char *folder, const char *key, char *path, size_t size);

/* Reads the stored binary of a key; the caller frees it.  NULL for a miss, and for a file that is damaged, has another
 * key, belongs to another user or is writable by others. */
unsigned char *clpac__opencl_cache_read(const char *folder, const char *key, size_t *bytes);

/* Stores the binary of a key; false, with errno set, on failure.  Readers see the old file or the new one, never a
 * part. */
bool clpac__opencl_cache_write(const char *folder, const char *key, const unsigned char *binary, size_t bytes);

/* The part that FFT engines of OpenCL devices share: it turns an engine's complex transforms in place into the two
 * transforms of coupling/fft/engine.h.
 *
 * A forward transform widens its real rows into the workspace (cl/widen.cl), transforms them there and copies half of
 * each spectrum out, so that no row is rounded by its neighbour.  The price is double work for one transform in about
 * twenty.  A wide transform is the one between the two copies.
 */

/* The common first member of every engine's transform. */
typedef struct clpac__opencl_rows {
	const char *engine;
	clpac__opencl_queue *queue;
	clpac__fft_shape shape;
	/* Parts of the workspace: the engine's own, then, for forward transforms, the widened rows. */
	size_t own_bytes, wide_at, wide_bytes;
	size_t workspace_bytes;
} clpac__opencl_rows;

/* Checks whether an engine, named for the error's text, can transform a shape; longest: its longest length. */
clpac_status clpac__opencl_rows_check(const char *engine, const clpac__queue *queue, const clpac__fft_shape *shape,
				      size_t longest, clpac_error *err);

/* Lays out the workspace; the engine itself needs own_bytes of it. */
void clpac__opencl_rows_divide(clpac__opencl_rows *rows, size_t own_bytes);

/* Checks that the blocks hold all rows of the shape, and that n_rows are no more. */
clpac_status clpac__opencl_rows_fit(const clpac__opencl_rows *rows, const clpac__block *input,
				    const clpac__block *output, size_t n_rows, clpac_error *err);

/* Checks that a block, named for the error's text, has so many bytes. */
clpac_status clpac__opencl_rows_need(const clpac__opencl_rows *rows, const char *what, const clpac__block *block,
				     size_t bytes, clpac_error *err);

/* Enqueues the complex transform of all rows in `memory`, which lie there one after the other. */
typedef clpac_status clpac__opencl_transform(clpac__fft *fft, cl_mem memory, clpac__block *workspace, clpac_error *err);

/* Enqueues one transform, after checking that the blocks hold it.  Always transforms all rows of the shape, whatever
 * n_rows is. */
clpac_status clpac__opencl_rows_run(const clpac__opencl_rows *rows, clpac__fft *fft, clpac__opencl_transform *transform,
				    clpac__block *input, clpac__block *output, clpac__block *workspace, size_t n_rows,
				    clpac_error *err);

/* Makes a sub-buffer of the workspace; the caller releases it.  The driver keeps it until enqueued commands are
 * done. */
clpac_status clpac__opencl_rows_part(const clpac__opencl_rows *rows, const clpac__block *workspace, size_t offset,
				     size_t bytes, cl_mem *out, clpac_error *err);

#endif
