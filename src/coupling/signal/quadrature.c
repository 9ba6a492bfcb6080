/* The taps of an analytic filter, by convolutions in double. */
#include "coupling/signal/quadrature.h"

#include <math.h>

#include "base/memory.h"

static const double pi = 3.14159265358979323846;

typedef struct value {
	double re, im;
} value;

/* Transforms n values in place, n a power of two: x[k] = sum x[t] exp(-2 pi i k t / n).  roots holds exp(-2 pi i k / n)
 * for k < n/2.  (Cooley and Tukey 1965, Math Comput 19:297.) */
static void transform(value *x, size_t n, const value *roots)
{
	for (size_t t = 1, reversed = 0; t < n; t++) {
		size_t bit = n >> 1;
		for (; reversed & bit; bit >>= 1)
			reversed ^= bit;
		reversed ^= bit;
		if (t < reversed) {
			const value kept = x[t];
			x[t] = x[reversed];
			x[reversed] = kept;
		}
	}
	for (size_t half = 1; half < n; half *= 2)
		for (size_t first = 0; first < n; first += 2 * half)
			for (size_t k = 0; k < half; k++) {
				const value root = roots[k * (n / 2 / half)], a = x[first + k], b = x[first + half + k];
				const value turned = {b.re * root.re - b.im * root.im, b.re * root.im + b.im * root.re};
				x[first + k] = (value){a.re + turned.re, a.im + turned.im};
				x[first + half + k] = (value){a.re - turned.re, a.im - turned.im};
			}
}

/* Puts the taps times 2^-exponent into the real part and the Hilbert kernel, up to 2 order on both sides, into the
 * imaginary part. */
static void lay_out(const double *taps, size_t n_taps, int exponent, value *x, size_t n)
{
	for (size_t k = 0; k < n; k++)
		x[k] = (value){k < n_taps ? ldexp(taps[k], -exponent) : 0, 0};
	for (size_t k = 1; k <= 2 * (n_taps - 1); k += 2) {
		x[k].im = 2 / (pi * (double)k);
		x[n - k].im = -x[k].im;
	}
}

/* Multiplies the taps' power spectrum by 1 + i (spectrum of the kernel).  The kernel is odd, so its spectrum is
 * imaginary and the product real, and the product's transform is its inverse transform but for n and the direction of
 * time. */
static void multiply(value *x, size_t n)
{
	for (size_t k = 0; 2 * k <= n; k++) {
		/* The transform of taps + i kernel, taken apart into those of the two real sequences. */
		const value a = x[k], b = x[k ? n - k : 0];
		const value h = {(a.re + b.re) / 2, (a.im - b.im) / 2};
		const double kernel_im = (b.re - a.re) / 2, power = h.re * h.re + h.im * h.im;
		x[k] = (value){power * (1 - kernel_im), 0};
		if (k)
			x[n - k] = (value){power * (1 + kernel_im), 0};
	}
}

/* The exponent with which the largest tap is near 1, as the Hilbert kernel's: in one transform, the larger of two
 * sequences rounds the smaller one. */
static int exponent_of(const double *taps, size_t n_taps)
{
	double largest = 0;
	int exponent;
	for (size_t k = 0; k < n_taps; k++)
		largest = fmax(largest, fabs(taps[k]));
	frexp(largest, &exponent);
	return exponent;
}

clpac_status clpac__quadrature(const double *taps, size_t n_taps, double *even, double *odd, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	const size_t order = n_taps - 1;
	const int exponent = exponent_of(taps, n_taps);
	/* The convolution reaches 3 order; from 4 order on, its ends wrap around to places that nobody reads. */
	size_t n = 2;
	while (n <= 4 * order)
		n *= 2;
	value *x = clpac__alloc_array(n, sizeof *x), *roots = clpac__alloc_array(n / 2, sizeof *roots);
	if (!x || !roots)
		FAIL_NO_MEMORY(n * sizeof *x);
	for (size_t k = 0; k < n / 2; k++)
		roots[k] = (value){cos(2 * pi * (double)k / (double)n), -sin(2 * pi * (double)k / (double)n)};
	lay_out(taps, n_taps, exponent, x, n);
	transform(x, n, roots);
	multiply(x, n);
	transform(x, n, roots);
	for (size_t k = 0; k <= order; k++) {
		/* Both ends are averaged, so that the last bits of neither decide. */
		const value ahead = x[k ? n - k : 0], behind = x[k];
		even[k] = ldexp((ahead.re + behind.re) / 2 / (double)n, 2 * exponent);
		odd[k] = ldexp((ahead.im - behind.im) / 2 / (double)n, 2 * exponent);
	}
done:
	clpac__free(x);
	clpac__free(roots);
	return st;
}
