/* The OpenCL kernels of a queue, from inside: programs and their cache, launches, and what FFT engines keep here. */
#ifndef CLPAC_OPENCL_COMPUTE_OPENCL_COMPUTE_H
#define CLPAC_OPENCL_COMPUTE_OPENCL_COMPUTE_H

#include "opencl/memory/opencl.h"
#include "stages/compute.h"

/* One build of the kernels; nothing but the kernels' arguments changes in it. */
typedef struct clpac__opencl_program {
	struct clpac__opencl_program *next;
	unsigned n_bins;
	cl_program program;
	cl_kernel kernels[CLPAC__STAGE_COUNT];
	size_t groups[CLPAC__STAGE_COUNT]; /* work-items in a work-group, a power of two; 0 leaves it to the driver */
} clpac__opencl_program;

/* Kernels are a queue's own, so that two queues launch side by side; the root's builds are all that are made. */
typedef struct clpac__opencl_compute {
	clpac__compute base;		    /* first */
	struct clpac__opencl_compute *root; /* of the queue that the device was opened with; may be itself */
	_Atomic(clpac__opencl_program *) programs;
	pthread_mutex_t arguments; /* of the kernels: one thread sets them and puts the kernel into the queue */
	pthread_mutex_t compiling; /* root: of what changes its and its siblings' programs */
	char cache[512];	   /* folder of compiled kernels; empty: none */
	atomic_int clfft_dialect;  /* root: clfft_dialect.c */
	unsigned n_compiled;	   /* programs made from source */
	unsigned n_from_cache;	   /* and from the cache */
	void (*at_close)(void);	   /* set by the FFT engine that holds a process-wide library for this queue */
} clpac__opencl_compute;

/* The kernels that clpac__compute_get has attached to a queue before. */
static inline clpac__opencl_compute *clpac__opencl_compute_of(const clpac__queue *queue)
{
	return (clpac__opencl_compute *)clpac__compute_of(queue);
}

static inline clpac__opencl_queue *clpac__opencl_queue_of(const clpac__opencl_compute *compute)
{
	return clpac__opencl_of(compute->base.queue);
}

/* --- Programs (source.c, program.c, cache.c) and launches (launch.c) -------------------------- */

/* All kernels as one text, with #line marks, so that a driver's log names file and line; the caller's to free. */
clpac_status clpac__opencl_source(char **out, clpac_error *err);

/* A built program from a text: from the cache where it lies there, else compiled and put there. */
clpac_status clpac__opencl_build(clpac__opencl_compute *compute, const char *source, const char *options,
				 cl_program *out, clpac_error *err);

/* The build specialised for n_bins, made when it is not there yet; n_bins 0: any build. */
clpac_status clpac__opencl_program_get(clpac__opencl_compute *compute, unsigned n_bins, clpac__opencl_program **out,
				       clpac_error *err);
void clpac__opencl_programs_destroy(clpac__opencl_compute *compute);

clpac_status clpac__opencl_prepare(clpac__opencl_compute *compute, unsigned n_bins, clpac_error *err);
/* The size of group that a kernel is to run in. */
size_t clpac__opencl_group(const clpac__opencl_queue *queue, cl_kernel kernel, unsigned stage);
clpac_status clpac__opencl_launch(clpac__opencl_compute *compute, const clpac__launch *launch, clpac_error *err);

/* The folder that options->cache means; empty for none. */
void clpac__opencl_cache_folder(const char *option, char *folder, size_t size);

/* Makes a folder and those above it, for the owner alone; false, with errno set, where that is not possible. */
bool clpac__opencl_cache_make_folder(const char *folder);

/* The file that belongs to a key text: FOLDER/HASH.clpac. */
void clpac__opencl_cache_path(const char *folder, const char *key, char *path, size_t size);

/* The stored binary of this key, the caller's to free; NULL for a miss, and for a file that is damaged, of another key,
 * of another user or writable by others. */
unsigned char *clpac__opencl_cache_read(const char *folder, const char *key, size_t *bytes);

/* Stores it; false, with errno set, when that was not possible.  A reader sees the old file or the new one, never a
 * part. */
bool clpac__opencl_cache_write(const char *folder, const char *key, const unsigned char *binary, size_t bytes);

#endif
