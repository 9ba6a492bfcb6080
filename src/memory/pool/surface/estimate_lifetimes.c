/* The memory of a job from the sizes and lifetimes of its buffers: a sweep over beginnings and ends. */
#include <clpac/memory/estimate.h>
#include <clpac/memory/pool.h>

#include <inttypes.h>
#include <stdlib.h>
#include "base/error.h"
#include "base/memory.h"

/* The beginning or the end of a buffer. */
typedef struct moment {
	uint64_t at, bytes, taken;
	bool is_begin;
} moment;

/* Ends sort first: a buffer that ends makes room for those that begin. */
static int by_time(const void *a, const void *b)
{
	const moment *x = a, *y = b;
	if (x->at != y->at)
		return x->at < y->at ? -1 : 1;
	return (int)x->is_begin - (int)y->is_begin;
}

static int by_class(const void *a, const void *b)
{
	const moment *x = a, *y = b;
	if (x->taken != y->taken)
		return x->taken < y->taken ? -1 : 1;
	return by_time(a, b);
}

static clpac_status overflow(clpac_error *err)
{
	return clpac__fail(err, CLPAC_ERROR_ARGUMENT, "lifetimes: their bytes are more than 64 bits can count");
}

static clpac_status make_moments(const clpac_lifetime *lifetimes, size_t n, unsigned classes_per_octave,
				 uint64_t alignment, moment *moments, clpac_peak_bytes *peak, clpac_error *err)
{
	for (size_t i = 0; i < n; i++) {
		const clpac_lifetime *l = &lifetimes[i];
		if (l->begin >= l->end)
			RETURN_ERROR(CLPAC_ERROR_ARGUMENT,
				     "lifetime %zu is empty: from %" PRIu64 " until before %" PRIu64, i, l->begin,
				     l->end);
		uint64_t taken = 0;
		if (l->bytes) {
			taken = l->bytes > SIZE_MAX ? 0 : clpac_size_class((size_t)l->bytes, classes_per_octave);
			if (!taken || taken > UINT64_MAX - (alignment - 1))
				RETURN_ERROR(CLPAC_ERROR_ARGUMENT,
					     "lifetime %zu has %" PRIu64 " bytes: no size class is that large", i,
					     l->bytes);
			taken = (taken + alignment - 1) & ~(alignment - 1);
		}
		/* A class is at least as large as its bytes: if this sum does not overflow, no smaller sum does. */
		if (taken > UINT64_MAX - peak->kept_bytes)
			RETURN_IF_ERROR(overflow(err));
		peak->kept_bytes += taken;
		peak->total_bytes += l->bytes;
		moments[2 * i] = (moment){l->begin, l->bytes, taken, true};
		moments[2 * i + 1] = (moment){l->end, l->bytes, taken, false};
	}
	peak->kept_bytes = 0;
	return CLPAC_OK;
}

/* For each class, as many blocks as are in use at once. */
static uint64_t kept(const moment *moments, size_t n)
{
	uint64_t bytes = 0;
	size_t in_use = 0, most = 0;
	for (size_t i = 0; i < n; i++) {
		in_use += moments[i].is_begin ? 1 : (size_t)-1;
		most = in_use > most ? in_use : most;
		if (i + 1 == n || moments[i + 1].taken != moments[i].taken) {
			bytes += most * moments[i].taken;
			most = 0;
		}
	}
	return bytes;
}

static void sweep(const moment *moments, size_t n, clpac_peak_bytes *peak)
{
	uint64_t live = 0, taken = 0;
	size_t buffers = 0;
	for (size_t i = 0; i < n; i++) {
		const moment *m = &moments[i];
		live = m->is_begin ? live + m->bytes : live - m->bytes;
		taken = m->is_begin ? taken + m->taken : taken - m->taken;
		buffers += m->is_begin ? 1 : (size_t)-1;
		if (live > peak->live_bytes) {
			peak->live_bytes = live;
			peak->live_at = m->at;
			peak->live_buffers = buffers;
		}
		if (taken > peak->taken_bytes) {
			peak->taken_bytes = taken;
			peak->taken_at = m->at;
		}
	}
}

clpac_status clpac_estimate_lifetimes(const clpac_lifetime *lifetimes, size_t n, unsigned classes_per_octave,
				      uint64_t alignment, clpac_peak_bytes *out, clpac_error *err)
{
	NEED_AS(lifetimes || !n, "lifetimes");
	NEED(out);
	clpac_status st = CLPAC_OK;
	clpac_peak_bytes peak = {0};
	moment *moments = NULL;
	size_t n_moments;
	alignment = alignment ? alignment : 1;
	if (alignment & (alignment - 1))
		FAIL(CLPAC_ERROR_ARGUMENT, "alignment is %" PRIu64 ": it must be a power of two", alignment);
	if (!clpac_size_class(1, classes_per_octave))
		FAIL(CLPAC_ERROR_ARGUMENT, "classes_per_octave is %u: it must be a power of two up to %d",
		     classes_per_octave, CLPAC_MAX_CLASSES_PER_OCTAVE);
	if (!clpac__size_mul(n, 2, &n_moments))
		TRY(overflow(err));
	TRY(NEW_ARRAY(moments, n_moments));
	TRY(make_moments(lifetimes, n, classes_per_octave, alignment, moments, &peak, err));
	qsort(moments, n_moments, sizeof *moments, by_class);
	peak.kept_bytes = kept(moments, n_moments);
	qsort(moments, n_moments, sizeof *moments, by_time);
	sweep(moments, n_moments, &peak);
	*out = peak;
done:
	clpac__free(moments);
	return st;
}
