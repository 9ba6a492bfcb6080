/* The memory of a job, estimated before it runs. */
#include <inttypes.h>
#include <stdlib.h>

#include <clpac/memory/estimate.h>
#include <clpac/memory/pool.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/sized.h"

/* --- By lifetimes ----------------------------------------------------------------------------- */

/* The memory of a job from the sizes and lifetimes of its buffers: a sweep over beginnings and ends. */

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

/* --- A transformer in closed forms ------------------------------------------------------------ */

/* The memory of a transformer's inference in closed forms; clpac/memory/estimate.h has the formulas and their sources.
 */

/* Sums and products that record an overflow. */
struct exact {
	bool overflowed;
};

static uint64_t times(struct exact *exact, uint64_t a, uint64_t b)
{
	if (b && a > UINT64_MAX / b)
		exact->overflowed = true;
	return a * b;
}

static uint64_t plus(struct exact *exact, uint64_t a, uint64_t b)
{
	if (a > UINT64_MAX - b)
		exact->overflowed = true;
	return a + b;
}

/* Bytes of n numbers of the given bits, rounded up to whole bytes. */
static uint64_t bytes_of(struct exact *exact, uint64_t n, unsigned bits)
{
	return plus(exact, times(exact, n / 8, bits), (n % 8 * bits + 7) / 8);
}

static clpac_status complete(clpac_transformer *t, clpac_error *err)
{
	const struct {
		const char *name;
		uint64_t value;
	} needed[] = {{"n_layers", t->n_layers},
		      {"d_model", t->d_model},
		      {"n_heads", t->n_heads},
		      {"d_ff", t->d_ff},
		      {"vocabulary", t->vocabulary}};
	for (size_t i = 0; i < sizeof needed / sizeof *needed; i++)
		if (!needed[i].value)
			RETURN_ERROR(CLPAC_ERROR_ARGUMENT, "%s is 0: it has no default; give it", needed[i].name);
	if (!t->n_kv_heads)
		t->n_kv_heads = t->n_heads;
	if (t->n_heads % t->n_kv_heads)
		RETURN_ERROR(CLPAC_ERROR_ARGUMENT, "n_kv_heads is %" PRIu64 ": it must divide n_heads, %" PRIu64,
			     t->n_kv_heads, t->n_heads);
	if (!t->d_head && t->d_model % t->n_heads)
		RETURN_ERROR(CLPAC_ERROR_ARGUMENT,
			     "n_heads is %" PRIu64 " and does not divide d_model, %" PRIu64 ": give d_head too",
			     t->n_heads, t->d_model);
	if (!t->d_head)
		t->d_head = t->d_model / t->n_heads;
	unsigned *const bits[] = {&t->weight_bits, &t->scale_bits, &t->cache_bits, &t->activation_bits};
	static const char *const names[] = {"weight_bits", "scale_bits", "cache_bits", "activation_bits"};
	for (size_t i = 0; i < sizeof bits / sizeof *bits; i++) {
		if (!*bits[i])
			*bits[i] = 16;
		if (*bits[i] > 64)
			RETURN_ERROR(CLPAC_ERROR_ARGUMENT, "%s is %u: numbers have 1 to 64 bits", names[i], *bits[i]);
	}
	uint64_t *const counts[] = {&t->batch, &t->sequence, &t->step};
	for (size_t i = 0; i < sizeof counts / sizeof *counts; i++)
		if (!*counts[i])
			*counts[i] = 1;
	if (t->step > t->sequence)
		RETURN_ERROR(CLPAC_ERROR_ARGUMENT, "step is %" PRIu64 " tokens, more than the sequence's %" PRIu64,
			     t->step, t->sequence);
	return CLPAC_OK;
}

/* a of the formulas. */
static uint64_t query_width(struct exact *e, const clpac_transformer *t)
{
	return times(e, t->n_heads, t->d_head);
}

static uint64_t key_width(struct exact *e, const clpac_transformer *t)
{
	return times(e, t->n_kv_heads, t->d_head);
}

static uint64_t parameters_of_a_layer(struct exact *e, const clpac_transformer *t)
{
	const uint64_t d = t->d_model, a = query_width(e, t), k = key_width(e, t);
	const uint64_t n_inner = t->is_gated ? 2 : 1; /* matrices from d to d_ff */
	uint64_t n = times(e, times(e, 2, d), plus(e, a, k));
	n = plus(e, n, times(e, times(e, n_inner + 1, d), t->d_ff));
	n = plus(e, n, times(e, t->has_norm_bias ? 4 : 2, d));
	if (t->has_qkv_bias)
		n = plus(e, n, plus(e, a, times(e, 2, k)));
	if (t->has_other_biases)
		n = plus(e, n, plus(e, times(e, 2, d), times(e, n_inner, t->d_ff)));
	return n;
}

static uint64_t parameters(struct exact *e, const clpac_transformer *t)
{
	const uint64_t d = t->d_model;
	uint64_t n = times(e, times(e, t->vocabulary, d), t->is_tied ? 1 : 2);
	n = plus(e, n, times(e, t->n_positions, d));
	n = plus(e, n, times(e, t->n_layers, parameters_of_a_layer(e, t)));
	return plus(e, n, times(e, t->has_norm_bias ? 2 : 1, d));
}

static uint64_t activations(struct exact *e, const clpac_transformer *t)
{
	const uint64_t tokens = times(e, t->batch, t->step), d2 = times(e, 2, t->d_model);
	const uint64_t widths = plus(e, query_width(e, t), key_width(e, t));
	uint64_t attention = times(e, tokens, plus(e, d2, times(e, 2, widths)));
	if (!t->is_attention_fused)
		attention = plus(e, attention, times(e, times(e, tokens, t->n_heads), t->sequence));
	const uint64_t forward = times(e, tokens, plus(e, d2, times(e, t->is_gated ? 2 : 1, t->d_ff)));
	const uint64_t logits = times(e, t->has_all_logits ? tokens : t->batch, plus(e, t->d_model, t->vocabulary));
	return clpac__larger64(attention, clpac__larger64(forward, logits));
}

clpac_status clpac_estimate_transformer(const clpac_transformer *shape, clpac_transformer_bytes *out, clpac_error *err)
{
	NEED(shape, out);
	clpac_transformer t;
	clpac_transformer_bytes bytes = {0};
	struct exact e = {false};
	RETURN_IF_ERROR(clpac__take_sized(&t, shape, clpac_transformer, err));
	RETURN_IF_ERROR(complete(&t, err));
	bytes.n_parameters = parameters(&e, &t);
	bytes.weight_bytes = bytes_of(&e, bytes.n_parameters, t.weight_bits);
	if (t.weight_group) {
		const uint64_t scales =
			bytes.n_parameters / t.weight_group + (bytes.n_parameters % t.weight_group != 0);
		bytes.weight_bytes = plus(&e, bytes.weight_bytes, bytes_of(&e, scales, t.scale_bits));
	}
	const uint64_t cached =
		times(&e, times(&e, times(&e, 2, t.n_layers), key_width(&e, &t)), times(&e, t.sequence, t.batch));
	bytes.cache_bytes = bytes_of(&e, cached, t.cache_bits);
	bytes.activation_bytes = bytes_of(&e, activations(&e, &t), t.activation_bits);
	bytes.total_bytes = plus(&e, bytes.weight_bytes, plus(&e, bytes.cache_bytes, bytes.activation_bytes));
	if (e.overflowed)
		RETURN_ERROR(CLPAC_ERROR_ARGUMENT,
			     "a transformer of %" PRIu64 " layers of %" PRIu64 " for %" PRIu64 " x %" PRIu64
			     " tokens: more bytes than 64 bits can count",
			     t.n_layers, t.d_model, t.batch, t.sequence);
	*out = bytes;
	return CLPAC_OK;
}
