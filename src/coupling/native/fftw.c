/* FFTW (single precision) as an engine of the native backend.
 *
 * One plan for one row serves all rows and threads through FFTW's "new-array execute" functions, the only part of FFTW
 * that several threads may call at once.  Planning is guarded by one lock here.  An application that plans with FFTW
 * itself must not do so while clpac makes a plan.
 *
 * Plans are estimated, not measured.  Measured ones ran 1.2 to 2.2 times faster (lengths 2688 to 2^20, Zen 4, two
 * cores), but took 0.2 to 12 s to make instead of 0.1 to 7 ms, and two measurements of one length may choose
 * differently, so that a run could not be repeated to the last bit.
 *
 * FFTW ends the process where it is refused memory, while it plans and, for its buffers, in every row.  So it is
 * entered only when the host has just shown to have more room than it may take.  What threads of the application, or of
 * other devices, take in between is not covered.
 *
 * FFTW's planner, 170 KB, belongs to its library and goes with the process.  It cannot be freed here, since plans of
 * the application may need it; so the library stays loaded, and one that loads libclpac again finds the planner there.
 */
#include "config.h"

#ifdef HAVE_FFTW

#include "coupling/native/native_fft_rows.h"

#include <dlfcn.h>
#include <fftw3.h>
#include <pthread.h>
#include <stdatomic.h>

#include "base/memory.h"

struct clpac__fft {
	clpac__fft_rows rows;
	fftwf_plan plan;
	size_t row_bytes;	 /* of room for a row */
	atomic_bool lacked_room; /* during a run: a row was left out */
};

static pthread_mutex_t planner = PTHREAD_MUTEX_INITIALIZER;
static bool does_stay; /* guarded by planner: FFTW's library is not unloaded any more */

/* Where it is a part of libclpac, that stays.  A system that cannot keep it loses the planner when it is unloaded. */
static void keep_library(void)
{
	Dl_info its;
	if (!does_stay && dladdr((const void *)fftwf_version, &its) && its.dli_fname)
		dlopen(its.dli_fname, RTLD_NOW | RTLD_NOLOAD | RTLD_NODELETE);
	does_stay = true;
}

/* A child is given the planner as a whole: a fork waits for the end of planning in another thread, which by estimate
 * takes milliseconds. */
static void take_planner(void)
{
	pthread_mutex_lock(&planner);
}

static void leave_planner(void)
{
	pthread_mutex_unlock(&planner);
}

__attribute__((constructor)) static void begin(void)
{
	pthread_atfork(take_planner, leave_planner, leave_planner);
}

enum { ALIGNMENT = 64 }; /* bytes; enough for any of FFTW's SIMD */

static size_t fftw_next_length(size_t n)
{
	return clpac__good_length(n, 7);
}

/* Bytes of host memory that FFTW may take.  Planning: its own tables, which grow with every length that the process has
 * planned (1 MiB after 250 lengths), twiddle factors, and trial buffers of a row.  Running: buffers, for each row at
 * once.  Measured most (3.3.10, AVX-512, lengths up to 2 * 10^7): 12 and 15 bytes a value for good lengths; 49 and 65
 * for others, whose large prime factors go through padded transforms.  tests/contract/test_fftw_room.c tries every
 * amount of room. */
struct room {
	size_t planning, running;
};

static struct room room_for(size_t length)
{
	enum { PLANNER = 4 << 20, ROW = 64 << 10 };
	const bool is_good = fftw_next_length(length) == length;
	if (length > (SIZE_MAX - PLANNER) / 128)
		return (struct room){SIZE_MAX, SIZE_MAX};
	return (struct room){PLANNER + length * (is_good ? 24 : 128), ROW + length * (is_good ? 16 : 96)};
}

static size_t n_rows_at_once(const clpac__fft_rows *rows, size_t n_rows)
{
	const size_t n_workers = clpac__threads_count(rows->queue->threads);
	return n_rows < n_workers ? n_rows : n_workers;
}

static clpac_status fail_without_room(size_t length, size_t bytes, clpac_error *err)
{
	return clpac__fail(
		err, CLPAC_ERROR_NO_MEMORY,
		"fftw: the host has no memory left for the %zu bytes that FFTW may take for length %zu: free "
		"memory, raise the limit (ulimit -v), or give shorter series",
		bytes, length);
}

static clpac_status need_room(size_t length, size_t n, size_t bytes, clpac_error *err)
{
	size_t all;
	const bool has_room = clpac__size_mul(n, bytes, &all) && clpac__has_room(all);
	return has_room ? CLPAC_OK : fail_without_room(length, n * bytes, err);
}

/* Nanoseconds of a value of inverse rows on one machine (Sapphire Rapids, 2 MiB of second-level cache a core), rounded:
 * in cache the factors decide, beyond it the length, and long powers of two are slowest. */
static double fftw_row_cost(const clpac__queue *queue, size_t length)
{
	size_t odd = length;
	(void)queue;
	while (odd % 2 == 0)
		odd /= 2;
	const double by_factors = odd == 1 ? 2.1 : odd <= 5 ? 2.6 : odd <= 25 ? 3.1 : 3.9;
	const double by_length = length <= 1 << 14   ? 0
				 : length <= 1 << 16 ? 2.7
				 : length <= 1 << 17 ? 3.9
				 : length <= 1 << 18 ? 5.5
				 : length <= 1 << 19 ? (odd == 1 ? 13 : 6)
				 : length <= 1 << 20 ? 12
						     : 19;
	return (by_factors > by_length ? by_factors : by_length) * (double)length;
}

static clpac_status fftw_accepts(const clpac__queue *queue, const clpac__fft_shape *shape, clpac_error *err)
{
	(void)queue;
	return clpac__fft_rows_check("fftw", shape, true, err);
}

static size_t fftw_workspace_bytes(const clpac__fft *fft)
{
	(void)fft;
	return 0;
}

static size_t fftw_workspace_for(clpac__queue *queue, const clpac__fft_shape *shape)
{
	(void)queue, (void)shape;
	return 0;
}

static void fftw_destroy(clpac__fft *fft)
{
	if (!fft)
		return;
	if (fft->plan) {
		pthread_mutex_lock(&planner);
		fftwf_destroy_plan(fft->plan);
		pthread_mutex_unlock(&planner);
	}
	clpac__free(fft);
}

static bool is_aligned(size_t stride_bytes)
{
	return stride_bytes % ALIGNMENT == 0;
}

static clpac_status fftw_create(clpac__queue *queue, const clpac__fft_shape *shape, clpac__fft **out, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	float *real = NULL;
	fftwf_complex *spectrum = NULL;
	clpac__fft *fft = NULL;
	TRY(fftw_accepts(queue, shape, err));
	TRY(NEW(fft));
	clpac__fft_rows_set(&fft->rows, "fftw", queue, shape);

	bool is_forward = shape->direction == CLPAC__FFT_FORWARD;
	bool rows_aligned = is_forward ? is_aligned(shape->stride_real * sizeof(float)) &&
						 is_aligned(shape->stride_spectrum * sizeof(fftwf_complex))
				       : is_aligned(shape->length * sizeof(fftwf_complex));
	unsigned flags = FFTW_ESTIMATE | FFTW_PRESERVE_INPUT | (rows_aligned ? 0 : FFTW_UNALIGNED);
	/* Rows for the planner, which learns alignment and placement from them and touches none of their pages. */
	size_t spectrum_length = is_forward ? shape->length / 2 + 1 : shape->length;
	spectrum = clpac__alloc_pages(spectrum_length * sizeof *spectrum);
	if (!spectrum)
		FAIL_NO_MEMORY(spectrum_length * sizeof *spectrum);
	if (is_forward) {
		real = clpac__alloc_pages(shape->length * sizeof *real);
		if (!real)
			FAIL_NO_MEMORY(shape->length * sizeof *real);
	}
	/* A plan that could not be run is not made. */
	const struct room room = room_for(shape->length);
	fft->row_bytes = room.running;
	TRY(need_room(shape->length, n_rows_at_once(&fft->rows, shape->rows), room.running, err));
	pthread_mutex_lock(&planner);
	keep_library();
	st = need_room(shape->length, 1, room.planning, err);
	if (!st && !clpac__thread_has_room(room.planning))
		st = fail_without_room(shape->length, room.planning, err);
	if (!st)
		fft->plan = is_forward
				    ? fftwf_plan_dft_r2c_1d((int)shape->length, real, spectrum, flags)
				    : fftwf_plan_dft_1d((int)shape->length, spectrum, spectrum, FFTW_BACKWARD, flags);
	pthread_mutex_unlock(&planner);
	TRY(st);
	if (!fft->plan)
		FAIL(CLPAC_ERROR_INTERNAL, "fftw has no plan for length %zu", shape->length);
	*out = fft, fft = NULL;
done:
	clpac__free_pages(real);
	clpac__free_pages(spectrum);
	fftw_destroy(fft);
	return st;
}

static bool may_enter(clpac__fft *fft)
{
	if (clpac__thread_has_room(fft->row_bytes))
		return true;
	atomic_store(&fft->lacked_room, true);
	return false;
}

static void forward_row(clpac__fft *fft, const float *input, float *output, unsigned worker)
{
	(void)worker;
	/* The cast is safe: with FFTW_PRESERVE_INPUT the transform does not write to its input. */
	if (may_enter(fft))
		fftwf_execute_dft_r2c(fft->plan, (float *)input, (fftwf_complex *)output);
}

static void inverse_row(clpac__fft *fft, const float *input, float *output, unsigned worker)
{
	(void)input, (void)worker;
	if (may_enter(fft))
		fftwf_execute_dft(fft->plan, (fftwf_complex *)output, (fftwf_complex *)output);
}

static clpac_status fftw_run(clpac__fft *fft, clpac__block *input, clpac__block *output, clpac__block *workspace,
			     size_t rows, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	const clpac__fft_shape *shape = &fft->rows.shape;
	(void)workspace;
	atomic_store(&fft->lacked_room, false);
	RETURN_IF_ERROR(need_room(shape->length, n_rows_at_once(&fft->rows, rows), fft->row_bytes, err));
	RETURN_IF_ERROR(clpac__fft_rows_run(&fft->rows, fft,
					    shape->direction == CLPAC__FFT_FORWARD ? forward_row : inverse_row, input,
					    output, rows, err));
	if (atomic_load(&fft->lacked_room))
		st = fail_without_room(shape->length, fft->row_bytes, err);
	return st;
}

extern const clpac__fft_engine clpac__fft_fftw;
const clpac__fft_engine clpac__fft_fftw = {
	.name = "fftw",
	.backend = "native",
	.next_length = fftw_next_length,
	.cost = fftw_row_cost,
	.accepts = fftw_accepts,
	.create = fftw_create,
	.workspace_bytes = fftw_workspace_bytes,
	.workspace_for = fftw_workspace_for,
	.run = fftw_run,
	.destroy = fftw_destroy,
};

#else
typedef int clpac__no_fftw; /* this build was configured without it */
#endif
