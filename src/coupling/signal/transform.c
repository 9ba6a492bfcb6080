/* Transforms whose results are in order without being put so (Stockham 1966; Swarztrauber 1984, Parallel Comput 1:45).
 */
#include "coupling/signal/transform.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"

static const double pi = 3.14159265358979323846;

size_t clpac__transform_length(size_t n)
{
	for (size_t length = n + n % 2;; length += 2) {
		size_t left = length;
		for (size_t factor = 2; factor <= 5; factor++)
			while (left > 1 && left % factor == 0)
				left /= factor;
		if (left == 1)
			return length;
	}
}

clpac_status clpac__transform_make(size_t n, clpac__transform *out, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	clpac__transform made = {.n = n};
	TRY(NEW_ARRAY(made.roots, n));
	TRY(NEW_ARRAY(made.room, n));
	for (size_t k = 0; k < n; k++)
		made.roots[k] =
			(clpac__value){cos(2 * pi * (double)k / (double)n), -sin(2 * pi * (double)k / (double)n)};
	*out = made, made = (clpac__transform){.n = 0};
done:
	clpac__transform_clear(&made);
	return st;
}

void clpac__transform_clear(clpac__transform *transform)
{
	FREE_ALL(transform->roots, transform->room);
	*transform = (clpac__transform){.n = 0};
}

static clpac__value product(clpac__value a, clpac__value b)
{
	return (clpac__value){a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
}

/* One step by a factor of 2: n_left values are not yet transformed together, `apart` transforms lie side by side. */
static void step_by_2(const clpac__transform *t, size_t n_left, size_t apart, const clpac__value *from,
		      clpac__value *to)
{
	const size_t n = n_left / 2, behind = n * apart;
	for (size_t i = 0; i < n; i++) {
		const clpac__value root = t->roots[i * apart];
		const clpac__value *x = from + i * apart;
		clpac__value *y = to + 2 * i * apart;
		for (size_t k = 0; k < apart; k++) {
			const clpac__value a = x[k], b = x[behind + k];
			y[k] = (clpac__value){a.re + b.re, a.im + b.im};
			y[apart + k] = product((clpac__value){a.re - b.re, a.im - b.im}, root);
		}
	}
}

static void step_by_4(const clpac__transform *t, size_t n_left, size_t apart, const clpac__value *from,
		      clpac__value *to)
{
	const size_t n = n_left / 4, behind = n * apart;
	for (size_t i = 0; i < n; i++) {
		const clpac__value root = t->roots[i * apart], root_2 = t->roots[2 * i * apart],
				   root_3 = t->roots[3 * i * apart];
		const clpac__value *x = from + i * apart;
		clpac__value *y = to + 4 * i * apart;
		for (size_t k = 0; k < apart; k++) {
			const clpac__value a = x[k], b = x[behind + k], c = x[2 * behind + k], d = x[3 * behind + k];
			const clpac__value ac = {a.re + c.re, a.im + c.im}, a_c = {a.re - c.re, a.im - c.im};
			const clpac__value bd = {b.re + d.re, b.im + d.im}, b_d = {b.re - d.re, b.im - d.im};
			y[k] = (clpac__value){ac.re + bd.re, ac.im + bd.im};
			y[apart + k] = product((clpac__value){a_c.re + b_d.im, a_c.im - b_d.re}, root);
			y[2 * apart + k] = product((clpac__value){ac.re - bd.re, ac.im - bd.im}, root_2);
			y[3 * apart + k] = product((clpac__value){a_c.re - b_d.im, a_c.im + b_d.re}, root_3);
		}
	}
}

static void step_by_3(const clpac__transform *t, size_t n_left, size_t apart, const clpac__value *from,
		      clpac__value *to)
{
	const size_t n = n_left / 3, behind = n * apart;
	const double sine = 0.86602540378443864676;
	for (size_t i = 0; i < n; i++) {
		const clpac__value root = t->roots[i * apart], root_2 = t->roots[2 * i * apart];
		const clpac__value *x = from + i * apart;
		clpac__value *y = to + 3 * i * apart;
		for (size_t k = 0; k < apart; k++) {
			const clpac__value a = x[k], b = x[behind + k], c = x[2 * behind + k];
			const clpac__value sum = {b.re + c.re, b.im + c.im};
			const clpac__value mean = {a.re - sum.re / 2, a.im - sum.im / 2};
			const clpac__value crossed = {sine * (b.im - c.im), sine * (c.re - b.re)};
			y[k] = (clpac__value){a.re + sum.re, a.im + sum.im};
			y[apart + k] = product((clpac__value){mean.re + crossed.re, mean.im + crossed.im}, root);
			y[2 * apart + k] = product((clpac__value){mean.re - crossed.re, mean.im - crossed.im}, root_2);
		}
	}
}

static void step_by_5(const clpac__transform *t, size_t n_left, size_t apart, const clpac__value *from,
		      clpac__value *to)
{
	const size_t n = n_left / 5, behind = n * apart;
	/* Cosines and sines of a fifth of a turn and of two. */
	const double c1 = 0.30901699437494742410, c2 = -0.80901699437494742410, s1 = 0.95105651629515357212,
		     s2 = 0.58778525229247312917;
	for (size_t i = 0; i < n; i++) {
		const clpac__value *x = from + i * apart, *roots = t->roots;
		const size_t at = i * apart;
		clpac__value *y = to + 5 * i * apart;
		for (size_t k = 0; k < apart; k++) {
			const clpac__value a = x[k], b = x[behind + k], c = x[2 * behind + k], d = x[3 * behind + k],
					   e = x[4 * behind + k];
			const clpac__value be = {b.re + e.re, b.im + e.im}, cd = {c.re + d.re, c.im + d.im};
			const clpac__value b_e = {b.re - e.re, b.im - e.im}, c_d = {c.re - d.re, c.im - d.im};
			const clpac__value one = {a.re + c1 * be.re + c2 * cd.re, a.im + c1 * be.im + c2 * cd.im};
			const clpac__value two = {a.re + c2 * be.re + c1 * cd.re, a.im + c2 * be.im + c1 * cd.im};
			const clpac__value one_crossed = {s1 * b_e.im + s2 * c_d.im, -(s1 * b_e.re + s2 * c_d.re)};
			const clpac__value two_crossed = {s2 * b_e.im - s1 * c_d.im, s1 * c_d.re - s2 * b_e.re};
			y[k] = (clpac__value){a.re + be.re + cd.re, a.im + be.im + cd.im};
			y[apart + k] =
				product((clpac__value){one.re + one_crossed.re, one.im + one_crossed.im}, roots[at]);
			y[2 * apart + k] = product((clpac__value){two.re + two_crossed.re, two.im + two_crossed.im},
						   roots[2 * at]);
			y[3 * apart + k] = product((clpac__value){two.re - two_crossed.re, two.im - two_crossed.im},
						   roots[3 * at]);
			y[4 * apart + k] = product((clpac__value){one.re - one_crossed.re, one.im - one_crossed.im},
						   roots[4 * at]);
		}
	}
}

void clpac__transform_run(const clpac__transform *transform, clpac__value *x)
{
	clpac__value *from = x, *to = transform->room;
	for (size_t n_left = transform->n, apart = 1; n_left > 1;) {
		const size_t factor = n_left % 4 == 0 ? 4 : n_left % 2 == 0 ? 2 : n_left % 3 == 0 ? 3 : 5;
		if (factor == 4)
			step_by_4(transform, n_left, apart, from, to);
		else if (factor == 2)
			step_by_2(transform, n_left, apart, from, to);
		else if (factor == 3)
			step_by_3(transform, n_left, apart, from, to);
		else
			step_by_5(transform, n_left, apart, from, to);
		n_left /= factor;
		apart *= factor;
		clpac__value *const kept = from;
		from = to;
		to = kept;
	}
	if (from != x)
		memcpy(x, from, transform->n * sizeof *x);
}
