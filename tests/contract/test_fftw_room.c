/* FFTW under a limit of address space: with any amount of room a transform is made and run, or refused with an error.
 * FFTW itself would end the process.  Each attempt is a process of its own. */
#include "config.h"
#include "assertions.h"
#include "runner.h"
#include "targets.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/memory.h"
#include "coupling/fft/engine.h"
#include "coupling/registry/registry.h"

static const clpac__fft_engine *fftw_engine(void)
{
	for (const clpac__fft_engine *const *engine = clpac__fft_engines; *engine; engine++)
		if (strcmp((*engine)->name, "fftw") == 0)
			return *engine;
	return NULL;
}

const char *skip_reason(void)
{
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
	return "a sanitizer ends a process that has no address space left";
#endif
	if (!fftw_engine())
		return "this build has no FFTW";
	return targets_missing("native");
}

static size_t address_space(void)
{
	unsigned long pages = 0;
	FILE *file = fopen("/proc/self/statm", "r");
	ck_assert_ptr_nonnull(file);
	ck_assert_int_eq(fscanf(file, "%lu", &pages), 1);
	fclose(file);
	return pages * (size_t)sysconf(_SC_PAGESIZE);
}

enum outcome { BOTH_RAN = 0, NOT_MADE, NOT_RUN, WRONG };

/* Transforms with so little memory left, and gives the process's exit code. */
static enum outcome transform(const clpac__fft_engine *engine, clpac__queue *queue, const clpac__fft_shape *shape,
			      clpac__block *input, clpac__block *output, size_t room)
{
	clpac_error err = {0};
	clpac__fft *fft = NULL;
	struct rlimit limit;
	ck_assert_int_eq(getrlimit(RLIMIT_AS, &limit), 0);
	limit.rlim_cur = address_space() + room;
	ck_assert_int_eq(setrlimit(RLIMIT_AS, &limit), 0);
	clpac_status st = engine->create(queue, shape, &fft, &err);
	if (st)
		return st == CLPAC_ERROR_NO_MEMORY && strstr(err.text, "memory") ? NOT_MADE : WRONG;
	/* The second run has less room than the plan was made in. */
	for (int i = 0; i < 2; i++) {
		st = engine->run(fft, input, output, NULL, shape->rows, &err);
		if (st)
			return st == CLPAC_ERROR_NO_MEMORY && strstr(err.text, "memory") ? NOT_RUN : WRONG;
		limit.rlim_cur = address_space() + room / 2;
		ck_assert_int_eq(setrlimit(RLIMIT_AS, &limit), 0);
	}
	return BOTH_RAN;
}

/* Rows that are aligned, and rows that are not, which FFTW plans otherwise.  Prime lengths take it the most memory. */
static const clpac__fft_shape shapes[] = {
	{CLPAC__FFT_INVERSE, 64, 4, 0, 0},
	{CLPAC__FFT_FORWARD, 2000, 4, 2000, 1008},
	{CLPAC__FFT_INVERSE, 30000, 4, 0, 0},
	{CLPAC__FFT_INVERSE, 21609, 3, 0, 0},
	{CLPAC__FFT_FORWARD, 65536, 2, 65536, 32769},
	{CLPAC__FFT_INVERSE, 196608, 2, 0, 0},
	{CLPAC__FFT_FORWARD, 4217, 2, 4217, 2109},
	{CLPAC__FFT_INVERSE, 4217, 2, 0, 0},
};

TEST_EACH(any_room_is_enough_or_refused, COUNT(shapes))
{
	const clpac__fft_engine *engine = fftw_engine();
	const clpac__fft_shape *shape = &shapes[_i];
	const bool is_forward = shape->direction == CLPAC__FFT_FORWARD;
	const size_t most = (size_t)16 << 20, step = ((size_t)192 << 10) + 1024 * (size_t)_i;
	size_t counts[WRONG + 1] = {0};
	for (size_t room = 0; room <= most; room += step) {
		fflush(NULL);
		pid_t child = fork();
		ck_assert_int_ge(child, 0);
		if (child == 0) {
			clpac_error err;
			clpac__queue *queue = target_open(targets_get(1)); /* three threads */
			clpac__block *spectrum = NULL, *real = NULL;
			const size_t floats = 2 * (is_forward ? shape->stride_spectrum : shape->length);
			if (queue->operations->create(queue, shape->rows * floats * sizeof(float), &spectrum, &err) ||
			    queue->operations->create(queue, shape->rows * floats * sizeof(float), &real, &err))
				_exit(WRONG);
			_exit(transform(engine, queue, shape, is_forward ? real : spectrum, spectrum, room));
		}
		int status;
		ck_assert_int_eq(waitpid(child, &status, 0), child);
		ck_assert_msg(WIFEXITED(status), "length %zu, %zu bytes of room: signal %d", shape->length, room,
			      WTERMSIG(status));
		ck_assert_msg(WEXITSTATUS(status) < WRONG, "length %zu, %zu bytes of room: neither worked nor refused",
			      shape->length, room);
		counts[WEXITSTATUS(status)]++;
	}
	if (getenv("CLPAC_TEST_VERBOSE"))
		fprintf(stderr, "length %zu: %zu ran, %zu not made, %zu not run\n", shape->length, counts[BOTH_RAN],
			counts[NOT_MADE], counts[NOT_RUN]);
	ck_assert_uint_gt(counts[NOT_MADE], 0);
	ck_assert_uint_gt(counts[BOTH_RAN], 0);
}
