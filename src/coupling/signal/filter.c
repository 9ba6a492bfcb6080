/* Windowed-sinc band-pass filters, and the bandwidth that a filter really has. */
#include "coupling/signal/filter.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "coupling/signal/pairs.h"
#include "coupling/signal/transform.h"

static const double pi = 3.14159265358979323846;

size_t clpac__filter_order(double rate_hz, double lo_hz, double cycles, size_t n_samples, bool *is_shortened)
{
	/* Floor of the exact quotient: 1 / 0.1 is a little below 10, since the double 0.1 exceeds 1/10, yet rounds
	 * to 10. */
	double periods = rint((rate_hz - fmod(rate_hz, lo_hz)) / lo_hz);
	double order = floor(cycles * periods);
	bool shortened = (double)n_samples < 3 * order;
	if (is_shortened)
		*is_shortened = shortened;
	if (shortened)
		return n_samples ? (n_samples - 1) / 3 : 0;
	return (size_t)order;
}

/* Frequencies that are looked at together, since each step waits for the one before: two pairs. */
enum { TOGETHER = 4 };

static void find_powers(const double *taps, size_t n_taps, double rate_hz, double values[TOGETHER])
{
	/* Horner's rule at z = exp(-i w). */
	clpac__pair re_0 = {0, 0}, re_1 = re_0, im_0 = re_0, im_1 = re_0;
	double cosines[TOGETHER], sines[TOGETHER];
	for (size_t i = 0; i < TOGETHER; i++) {
		const double w = 2 * pi * values[i] / rate_hz;
		cosines[i] = cos(w);
		sines[i] = -sin(w);
	}
	const clpac__pair *zr = (const clpac__pair *)cosines, *zi = (const clpac__pair *)sines;
	const clpac__pair zr_0 = zr[0], zr_1 = zr[1], zi_0 = zi[0], zi_1 = zi[1];
	for (size_t k = n_taps; k-- > 0;) {
		const clpac__pair next_0 = re_0 * zr_0 - im_0 * zi_0 + taps[k],
				  next_1 = re_1 * zr_1 - im_1 * zi_1 + taps[k];
		im_0 = re_0 * zi_0 + im_0 * zr_0;
		im_1 = re_1 * zi_1 + im_1 * zr_1;
		re_0 = next_0;
		re_1 = next_1;
	}
	const clpac__pair powers[] = {re_0 * re_0 + im_0 * im_0, re_1 * re_1 + im_1 * im_1};
	memcpy(values, powers, sizeof powers);
}

void clpac__filter_powers(const double *taps, size_t n_taps, double rate_hz, double *values, size_t n)
{
	for (size_t first = 0; first < n; first += TOGETHER) {
		const size_t n_here = n - first < TOGETHER ? n - first : TOGETHER;
		double together[TOGETHER] = {0};
		memcpy(together, values + first, n_here * sizeof *together);
		find_powers(taps, n_taps, rate_hz, together);
		memcpy(values + first, together, n_here * sizeof *together);
	}
}

double clpac__filter_power(const double *taps, size_t n_taps, double rate_hz, double frequency_hz)
{
	clpac__filter_powers(taps, n_taps, rate_hz, &frequency_hz, 1);
	return frequency_hz;
}

size_t clpac__filter_edge(size_t n_taps)
{
	return n_taps / 2;
}

void clpac__filter_clear(clpac__filter *filter)
{
	FREE_ALL(filter->taps, filter->even, filter->odd);
	*filter = (clpac__filter){0};
}

clpac_status clpac__filter_make_analytic(clpac__filter *filter, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	double *even = NULL, *odd = NULL;
	if (filter->even)
		goto done;
	TRY(NEW_ARRAY(even, filter->n_taps));
	TRY(NEW_ARRAY(odd, filter->n_taps));
	TRY(clpac__quadrature(filter->taps, filter->n_taps, even, odd, err));
	filter->even = even;
	filter->odd = odd;
	even = odd = NULL;
done:
	FREE_ALL(even, odd);
	return st;
}

/* Frequency at which |H|^2 crosses `level`, between `below`, where it is under it, and `above`, where it is not.  A
 * look at the middle and at those of both halves halves the interval twice. */
static double crossing(const clpac__filter *filter, double rate_hz, double level, double below, double above)
{
	for (int i = 0; i < 52; i += 2) {
		const double middle = (below + above) / 2, lower = (below + middle) / 2, upper = (middle + above) / 2;
		double powers[] = {middle, lower, upper};
		clpac__filter_powers(filter->taps, filter->n_taps, rate_hz, powers, 3);
		const bool is_above = powers[0] < level;
		below = is_above ? middle : below;
		above = is_above ? above : middle;
		if (powers[is_above ? 2 : 1] < level)
			below = is_above ? upper : lower;
		else
			above = is_above ? upper : lower;
	}
	return (below + above) / 2;
}

/* Steps of a quarter of rate / n_taps, over which |H|^2 varies, find the highest lobe; ternary search finds its top. */
static double peak_frequency(const clpac__filter *filter, double rate_hz, double from, double to, double step)
{
	double best = from, best_power = -1;
	for (double f = from; f <= to;) {
		double at[TOGETHER], powers[TOGETHER];
		size_t n = 0;
		for (; n < TOGETHER && f <= to; f += step)
			at[n] = powers[n] = f, n++;
		clpac__filter_powers(filter->taps, filter->n_taps, rate_hz, powers, n);
		for (size_t i = 0; i < n; i++)
			if (powers[i] > best_power) {
				best = at[i];
				best_power = powers[i];
			}
	}
	double lo = fmax(best - step, 0), hi = fmin(best + step, rate_hz / 2);
	for (int i = 0; i < 40; i++) {
		const double a = lo + (hi - lo) / 3, b = hi - (hi - lo) / 3;
		double powers[] = {a, b};
		clpac__filter_powers(filter->taps, filter->n_taps, rate_hz, powers, 2);
		if (powers[0] < powers[1])
			lo = a;
		else
			hi = b;
	}
	return (lo + hi) / 2;
}

static void measure_bandwidth(clpac__filter *filter, double rate_hz, double from, double to)
{
	double half_rate = rate_hz / 2;
	double step = rate_hz / (4 * (double)filter->n_taps);
	double peak = peak_frequency(filter, rate_hz, fmax(from, 0), fmin(to, half_rate), step);
	double level = clpac__filter_power(filter->taps, filter->n_taps, rate_hz, peak) / 2;

	filter->bandwidth_lo_hz = 0;
	for (double above = peak; above > 0; above -= step) {
		double below = fmax(above - step, 0);
		if (clpac__filter_power(filter->taps, filter->n_taps, rate_hz, below) < level) {
			filter->bandwidth_lo_hz = crossing(filter, rate_hz, level, below, above);
			break;
		}
	}
	filter->bandwidth_hi_hz = half_rate;
	for (double above = peak; above < half_rate; above += step) {
		double below = fmin(above + step, half_rate);
		if (clpac__filter_power(filter->taps, filter->n_taps, rate_hz, below) < level) {
			filter->bandwidth_hi_hz = crossing(filter, rate_hz, level, below, above);
			break;
		}
	}
}

/* sin(pi w m) / (pi m): the ideal low-pass of cut-off w (in units of rate/2) at distance m from the middle. */
static double ideal_low_pass(double w, double m)
{
	return m == 0 ? w : sin(pi * w * m) / (pi * m);
}

void clpac__filter_write_taps(double *taps, size_t n_taps, double rate_hz, clpac_band band)
{
	double lo = band.lo_hz / (rate_hz / 2), hi = band.hi_hz / (rate_hz / 2);
	double middle = (double)(n_taps - 1) / 2, gain = 0;
	/* Both halves come from one, so that the taps are symmetric to the last bit. */
	for (size_t k = 0; k <= (n_taps - 1) / 2; k++) {
		double m = (double)k - middle;
		double window = 0.54 - 0.46 * cos(2 * pi * (double)k / (double)(n_taps - 1));
		taps[k] = taps[n_taps - 1 - k] = window * (ideal_low_pass(hi, m) - ideal_low_pass(lo, m));
	}
	for (size_t k = 0; k < n_taps; k++)
		gain += taps[k] * cos(pi * ((double)k - middle) * ((lo + hi) / 2));
	for (size_t k = 0; k < n_taps; k++)
		taps[k] /= gain;
}

clpac_status clpac__filter_make_taps(double rate_hz, clpac_band band, double cycles, size_t n_samples,
				     clpac__filter *out, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	clpac__filter made = {0};
	size_t order = clpac__filter_order(rate_hz, band.lo_hz, cycles, n_samples, &made.is_shortened);
	if (order < CLPAC__MIN_ORDER)
		FAIL(CLPAC_ERROR_ARGUMENT,
		     "the filter of band %g-%g Hz would have order %zu (%g cycles, %g Hz, %zu samples): "
		     "it must be at least %d; give more cycles or a longer series",
		     band.lo_hz, band.hi_hz, order, cycles, rate_hz, n_samples, CLPAC__MIN_ORDER);
	made.n_taps = order + 1;
	TRY(NEW_ARRAY(made.taps, made.n_taps));
	clpac__filter_write_taps(made.taps, made.n_taps, rate_hz, band);
	*out = made;
	made.taps = NULL;
done:
	clpac__free(made.taps);
	return st;
}

clpac_status clpac__filter_design(double rate_hz, clpac_band band, double cycles, size_t n_samples, clpac__filter *out,
				  clpac_error *err)
{
	RETURN_IF_ERROR(clpac__filter_make_taps(rate_hz, band, cycles, n_samples, out, err));
	/* The peak of a designed filter lies in its band, or outside by the width of the window's main lobe at most. */
	double lobe = 4 * rate_hz / (double)out->n_taps;
	measure_bandwidth(out, rate_hz, band.lo_hz - lobe, band.hi_hz + lobe);
	return CLPAC_OK;
}

clpac_status clpac__filter_from_taps(double rate_hz, const double *taps, size_t n, clpac_band band, clpac__filter *out,
				     clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	clpac__filter made = {.n_taps = n};
	bool any = false;
	for (size_t k = 0; k < n; k++) {
		if (!isfinite(taps[k]))
			FAIL(CLPAC_ERROR_ARGUMENT,
			     "tap %zu of the filter given for band %g-%g Hz is %g: taps must be numbers", k, band.lo_hz,
			     band.hi_hz, taps[k]);
		any = any || taps[k] != 0;
	}
	if (!any)
		FAIL(CLPAC_ERROR_ARGUMENT,
		     "the %zu taps given for band %g-%g Hz are all 0: such a filter passes nothing", n, band.lo_hz,
		     band.hi_hz);
	TRY(NEW_ARRAY(made.taps, n));
	memcpy(made.taps, taps, n * sizeof *taps);
	measure_bandwidth(&made, rate_hz, 0, rate_hz / 2);
	*out = made;
	made.taps = NULL;
done:
	clpac__free(made.taps);
	return st;
}

/* --- The analytic filter ---------------------------------------------------------------------- */

/* The taps of an analytic filter, by convolutions in double. */

/* Puts the taps times 2^-exponent into the real part and the Hilbert kernel, up to 2 order on both sides, into the
 * imaginary part. */
static void lay_out(const double *taps, size_t n_taps, int exponent, clpac__value *x, size_t n)
{
	for (size_t k = 0; k < n; k++)
		x[k] = (clpac__value){k < n_taps ? ldexp(taps[k], -exponent) : 0, 0};
	for (size_t k = 1; k <= 2 * (n_taps - 1); k += 2) {
		x[k].im = 2 / (pi * (double)k);
		x[n - k].im = -x[k].im;
	}
}

/* Multiplies the taps' power spectrum by 1 + i (spectrum of the kernel).  The kernel is odd, so its spectrum is
 * imaginary and the product real, and the product's transform is its inverse transform but for n and the direction of
 * time. */
static void multiply(clpac__value *x, size_t n)
{
	for (size_t k = 0; 2 * k <= n; k++) {
		/* The transform of taps + i kernel, taken apart into those of the two real sequences. */
		const clpac__value a = x[k], b = x[k ? n - k : 0];
		const clpac__value h = {(a.re + b.re) / 2, (a.im - b.im) / 2};
		const double kernel_im = (b.re - a.re) / 2, power = h.re * h.re + h.im * h.im;
		x[k] = (clpac__value){power * (1 - kernel_im), 0};
		if (k)
			x[n - k] = (clpac__value){power * (1 + kernel_im), 0};
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
	clpac__transform transform = {.n = 0};
	clpac__value *x = NULL;
	TRY(NEW_ARRAY(x, n));
	TRY(clpac__transform_make(n, &transform, err));
	lay_out(taps, n_taps, exponent, x, n);
	clpac__transform_run(&transform, x);
	multiply(x, n);
	clpac__transform_run(&transform, x);
	for (size_t k = 0; k <= order; k++) {
		/* Both ends are averaged, so that the last bits of neither decide. */
		const clpac__value ahead = x[k ? n - k : 0], behind = x[k];
		even[k] = ldexp((ahead.re + behind.re) / 2 / (double)n, 2 * exponent);
		odd[k] = ldexp((ahead.im - behind.im) / 2 / (double)n, 2 * exponent);
	}
done:
	clpac__transform_clear(&transform);
	clpac__free(x);
	return st;
}
