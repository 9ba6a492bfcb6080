/* Fourier transforms of any length in double.  A length that is not a power of two is transformed as a convolution with
 * a chirp, whose own length is one (Bluestein 1970, IEEE Trans. Audio Electroacoust. 18:451). */
#include "coupling/signal/random_phases.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "coupling/signal/draws.h"

typedef struct complex_value {
	double re, im;
} value;

struct clpac__random_phases {
	size_t n, length;      /* of series; of the transforms, n or the power of two of the convolution */
	value *roots;	       /* exp(-2 pi i k / length), k < length / 2 */
	value *chirp;	       /* exp(-pi i k^2 / n), k < n; NULL for a power of two */
	value *chirp_spectrum; /* of the conjugate, both ways round, over length */
	value *work;	       /* length */
};

static const double pi = 3.14159265358979323846;

static value times(value a, value b)
{
	return (value){a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
}

/* Sum over t of x[t] exp(-2 pi i k t / length), in place. */
static void transform(const clpac__random_phases *phases, value *x)
{
	const size_t n = phases->length;
	for (size_t i = 1, j = 0; i < n; i++) {
		size_t bit = n / 2;
		for (; j & bit; bit /= 2)
			j ^= bit;
		j |= bit;
		if (i < j) {
			const value moved = x[i];
			x[i] = x[j];
			x[j] = moved;
		}
	}
	for (size_t half = 1; half < n; half *= 2) {
		const size_t step = n / (2 * half);
		for (size_t first = 0; first < n; first += 2 * half)
			for (size_t k = 0; k < half; k++) {
				value *low = x + first + k, *high = low + half;
				const value turned = times(*high, phases->roots[k * step]);
				*high = (value){low->re - turned.re, low->im - turned.im};
				*low = (value){low->re + turned.re, low->im + turned.im};
			}
	}
}

/* The same over the n values in front of the working memory, for any n. */
static void transform_series(clpac__random_phases *phases)
{
	value *x = phases->work;
	if (!phases->chirp) {
		transform(phases, x);
		return;
	}
	const size_t n = phases->n, length = phases->length;
	for (size_t k = 0; k < n; k++)
		x[k] = times(x[k], phases->chirp[k]);
	memset(x + n, 0, (length - n) * sizeof *x);
	transform(phases, x);
	/* The inverse transform, as the conjugate of the transform of the conjugate. */
	for (size_t k = 0; k < length; k++) {
		x[k] = times(x[k], phases->chirp_spectrum[k]);
		x[k].im = -x[k].im;
	}
	transform(phases, x);
	for (size_t k = 0; k < n; k++) {
		const value sum = {x[k].re / (double)length, -x[k].im / (double)length};
		x[k] = times(sum, phases->chirp[k]);
	}
}

static value root(size_t k, size_t n)
{
	const double angle = 2 * pi * (double)k / (double)n;
	return (value){cos(angle), -sin(angle)};
}

/* The chirp, and the spectrum of its conjugate. */
static void make_chirp(clpac__random_phases *phases)
{
	const size_t n = phases->n, length = phases->length;
	value *conjugate = phases->chirp_spectrum;
	for (size_t k = 0, square = 0; k < n; k++) {
		phases->chirp[k] = root(square, 2 * n);
		square = (square + 2 * k + 1) % (2 * n); /* (k + 1)^2 */
	}
	for (size_t k = 0; k < n; k++) {
		conjugate[k] = (value){phases->chirp[k].re, -phases->chirp[k].im};
		if (k)
			conjugate[length - k] = conjugate[k];
	}
	transform(phases, conjugate);
}

clpac_status clpac__random_phases_create(size_t n_samples, clpac__random_phases **out, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	clpac__random_phases *made;
	TRY(NEW(made));
	made->n = n_samples;
	made->length = 1;
	const bool is_power = (n_samples & (n_samples - 1)) == 0;
	while (made->length < (is_power ? n_samples : 2 * n_samples - 1))
		made->length *= 2;
	made->roots = clpac__alloc_array(made->length / 2 + 1, sizeof *made->roots);
	made->work = clpac__alloc_array(made->length, sizeof *made->work);
	if (!is_power) {
		made->chirp = clpac__alloc_array(n_samples, sizeof *made->chirp);
		made->chirp_spectrum = clpac__alloc_array(made->length, sizeof *made->chirp_spectrum);
	}
	if (!made->roots || !made->work || (!is_power && (!made->chirp || !made->chirp_spectrum)))
		FAIL_NO_MEMORY(4 * made->length * sizeof *made->work);
	for (size_t k = 0; k < made->length / 2; k++)
		made->roots[k] = root(k, made->length);
	if (!is_power)
		make_chirp(made);
	*out = made, made = NULL;
done:
	clpac__random_phases_destroy(made);
	return st;
}

void clpac__random_phases_destroy(clpac__random_phases *phases)
{
	if (!phases)
		return;
	FREE_ALL(phases->roots, phases->chirp, phases->chirp_spectrum, phases->work, phases);
}

void clpac__spectrum(clpac__random_phases *phases, const float *samples, double *spectrum)
{
	for (size_t t = 0; t < phases->n; t++)
		phases->work[t] = (value){(double)samples[t], 0};
	transform_series(phases);
	memcpy(spectrum, phases->work, (phases->n / 2 + 1) * sizeof *phases->work);
}

void clpac__draw_phases(clpac__random_phases *phases, const double *spectrum, uint64_t seed, uint32_t channel,
			uint32_t segment, uint32_t k, float *samples)
{
	const size_t n = phases->n;
	value *x = phases->work;
	clpac__draws draws = clpac__draws_begin(seed, channel, segment, k);
	/* The transform of conjugates, whose real part is that of the inverse one. */
	x[0] = (value){spectrum[0], 0};
	for (size_t f = 1; 2 * f < n; f++) {
		const double angle = 2 * pi * 0x1p-32 * (double)clpac__draws_word(&draws);
		const value turned =
			times((value){spectrum[2 * f], spectrum[2 * f + 1]}, (value){cos(angle), sin(angle)});
		x[n - f] = turned;
		x[f] = (value){turned.re, -turned.im};
	}
	if (n > 1 && n % 2 == 0)
		x[n / 2] = (value){spectrum[n], 0};
	transform_series(phases);
	for (size_t t = 0; t < n; t++)
		samples[t] = (float)(x[t].re / (double)n);
}
