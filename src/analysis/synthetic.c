/* A signal with known coupling:
 *
 *     x(t) = driver(t) + fast * envelope(t) * carrier(t) + noise * pink(t)
 *
 * driver    the real part of white complex noise through two equal one-pole resonators at phase_hz (or of a rotating
 *           pointer): the complex value carries its own phase, so no Hilbert transform is needed to know it.  Or a
 *           sawtooth, each of whose cycles has a length of its own; then there is no carrier
 * envelope  1 + strength * (cos(phase of the driver) - 1) / 2, the usual model (Tort et al. 2010, J Neurophysiol
 *           104:1195, their eq. of the synthesised signals); its cosine is Re z / |z|
 * pink      a sum of first-order low-passes of white noise with corners an octave apart, each of the same power: 1/f
 *           between the lowest corner and the Nyquist frequency, within a fraction of a decibel
 *
 * libm's sine differs in the last bit between machines, and a recursion would spread that; so the few constants are
 * series summed here, Gaussian noise is a sum of twelve uniform numbers, and nothing else but sqrt is called. */
#include "analysis/synthetic.h"

#include <math.h>
#include <stdio.h>
#include "analysis/room.h"
#include "base/cancel.h"

#if defined(__clang__)
#pragma STDC FP_CONTRACT OFF
#endif

static const double fast_amplitude = 0.3;  /* root mean square of the carrier; the driver's is 1 */
static const double driver_width = 0.1;	   /* half width of one resonator, as a fraction of phase_hz */
static const double sawtooth_jitter = 0.1; /* deviation of a cycle's length, as a fraction of it */
static const double pink_lowest_hz = 0.1;
enum { MAX_OCTAVES = 24 };

typedef struct pointer {
	double re, im;
} pointer;

static pointer turn(pointer a, pointer b)
{
	return (pointer){a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
}

/* exp(-x) for x >= 0: Taylor's series of the argument halved until it is small, squared back. */
static double decay(double x)
{
	int halved = 0;
	while (x > 0.5) {
		x /= 2;
		halved++;
	}
	double term = 1, sum = 1;
	for (int k = 1; k < 20; k++) {
		term *= -x / k;
		sum += term;
	}
	while (halved--)
		sum *= sum;
	return sum;
}

/* exp(2 pi i turns), 0 <= turns < 1: Taylor's series of an eighth of the angle, squared three times. */
static pointer direction(double turns)
{
	double x = turns * (6.283185307179586 / 8);
	pointer sum = {1, 0}, term = {1, 0};
	for (int k = 1; k < 24; k++) {
		term = (pointer){-term.im * x / k, term.re * x / k};
		sum.re += term.re;
		sum.im += term.im;
	}
	for (int i = 0; i < 3; i++)
		sum = turn(sum, sum);
	return sum;
}

/* A counter-based generator: the output function of SplitMix64 (Steele, Lea, Flood 2014, OOPSLA) on a keyed counter. */
static uint64_t mix(uint64_t x)
{
	x ^= x >> 30;
	x *= 0xbf58476d1ce4e5b9u;
	x ^= x >> 27;
	x *= 0x94d049bb133111ebu;
	return x ^ x >> 31;
}

typedef struct stream {
	uint64_t key, counter;
} stream;

static stream open_stream(uint64_t seed, uint64_t channel, uint64_t use)
{
	return (stream){mix(mix(mix(seed + 1) + channel) + use), 0};
}

static uint64_t next(stream *s)
{
	return mix(s->key + 0x9e3779b97f4a7c15u * ++s->counter);
}

/* Noise of mean 0 and deviation 1: the sum of twelve uniform 16-bit numbers, whose variances of 1/12 add up to 1. */
static double gaussian(stream *s)
{
	uint32_t sum = 0;
	for (int word = 0; word < 3; word++) {
		uint64_t bits = next(s);
		sum += (uint32_t)(bits & 0xffff) + (uint32_t)(bits >> 16 & 0xffff) + (uint32_t)(bits >> 32 & 0xffff) +
		       (uint32_t)(bits >> 48);
	}
	return ((double)sum - 12 * 32767.5) / 65536;
}

static double uniform(stream *s)
{
	return (double)(next(s) >> 11) / 9007199254740992.0;
}

typedef struct driver {
	pointer rotation, first, second;
	double gain;
	double cycles, step, usual_step; /* of a sawtooth: place in its cycle, and advance for each sample */
	stream noise;
	clpac__driver kind;
} driver;

static double next_step(driver *d)
{
	const double length = 1 + sawtooth_jitter * gaussian(&d->noise);
	return d->usual_step / (length > 0.5 ? length : 0.5);
}

static void step_driver(driver *d)
{
	if (d->kind == CLPAC__DRIVER_SAWTOOTH) {
		d->cycles += d->step;
		if (d->cycles >= 1) {
			const double step = next_step(d);
			d->cycles = (d->cycles - 1) / d->step * step;
			d->step = step;
		}
		d->second.re = 2 * d->cycles - 1;
		return;
	}
	if (d->kind == CLPAC__DRIVER_SINE) {
		/* Rounding would slowly change the pointer's length; one Newton step keeps it at 1. */
		pointer z = turn(d->second, d->rotation);
		double mend = 1.5 - 0.5 * (z.re * z.re + z.im * z.im);
		d->second = (pointer){z.re * mend, z.im * mend};
		return;
	}
	d->first = turn(d->first, d->rotation);
	d->first.re += gaussian(&d->noise);
	d->first.im += gaussian(&d->noise);
	d->second = turn(d->second, d->rotation);
	d->second.re += d->first.re;
	d->second.im += d->first.im;
}

static clpac_status open_driver(const clpac__synthetic *signal, uint64_t channel, driver *out, clpac_error *err)
{
	driver d = {.kind = signal->driver, .noise = open_stream(signal->seed, channel, 1), .second = {1, 0}};
	d.rotation = direction(signal->phase_hz / signal->rate_hz);
	d.gain = 1.4142135623730951; /* gives the real part of a pointer of length 1 a root mean square of 1 */
	if (signal->driver == CLPAC__DRIVER_SAWTOOTH) {
		d.gain = 1.7320508075688772; /* a sawtooth between -1 and 1 has a root mean square of 1 / sqrt(3) */
		d.usual_step = signal->phase_hz / signal->rate_hz;
		d.step = next_step(&d);
		d.cycles = uniform(&d.noise);
		step_driver(&d);
		*out = d;
		return CLPAC_OK;
	}
	if (signal->driver == CLPAC__DRIVER_SINE) {
		d.second = direction(uniform(&d.noise));
		*out = d;
		return CLPAC_OK;
	}
	double r = decay(6.283185307179586 * driver_width * signal->phase_hz / signal->rate_hz), r2 = r * r;
	d.rotation.re *= r;
	d.rotation.im *= r;
	/* The variance of the real part after two resonators, sum of (k + 1)^2 r^2k, is (1 + r^2) / (1 - r^2)^3. */
	d.gain = sqrt((1 - r2) * (1 - r2) * (1 - r2) / (1 + r2));
	/* The first samples are skipped, until the effect of starting at zero has decayed to e^-12. */
	uint64_t settle = (uint64_t)(12 / (1 - r)) + 1;
	for (uint64_t t = 0; t < settle; t++) {
		RETURN_IF_ERROR(clpac__cancel_check_at((size_t)t, err));
		step_driver(&d);
	}
	*out = d;
	return CLPAC_OK;
}

typedef struct pink {
	double keep[MAX_OCTAVES], add[MAX_OCTAVES], state[MAX_OCTAVES], scale;
	int n;
	stream noise;
} pink;

static pink open_pink(const clpac__synthetic *signal, uint64_t channel)
{
	pink p = {.noise = open_stream(signal->seed, channel, 2)};
	for (double hz = pink_lowest_hz; hz < signal->rate_hz / 2 && p.n < MAX_OCTAVES; hz *= 2, p.n++) {
		double r = decay(6.283185307179586 * hz / signal->rate_hz);
		p.keep[p.n] = r;
		p.add[p.n] = sqrt(1 - r * r);
		p.state[p.n] = gaussian(&p.noise);
	}
	p.scale = signal->noise / sqrt(p.n > 0 ? p.n : 1);
	return p;
}

static double next_pink(pink *p)
{
	double sum = 0;
	for (int k = 0; k < p->n; k++) {
		p->state[k] = p->keep[k] * p->state[k] + p->add[k] * gaussian(&p->noise);
		sum += p->state[k];
	}
	return p->scale * sum;
}

clpac_status clpac__synthetic_write(const clpac__synthetic *signal, uint64_t channel, float *samples, size_t n_samples,
				    clpac_error *err)
{
	driver d;
	RETURN_IF_ERROR(open_driver(signal, channel, &d, err));
	pink background = open_pink(signal, channel);
	stream start = open_stream(signal->seed, channel, 3);
	pointer carrier = direction(uniform(&start)), carrier_step = direction(signal->amplitude_hz / signal->rate_hz);
	for (size_t t = 0; t < n_samples; t++) {
		RETURN_IF_ERROR(clpac__cancel_check_at(t, err));
		double length = sqrt(d.second.re * d.second.re + d.second.im * d.second.im);
		double cosine = length > 0 ? d.second.re / length : 0;
		double envelope = 1 + signal->strength * (cosine - 1) / 2;
		double fast = signal->driver == CLPAC__DRIVER_SAWTOOTH
				      ? 0
				      : fast_amplitude * envelope * carrier.re * 1.4142135623730951;
		samples[t] = (float)(d.gain * d.second.re + fast + next_pink(&background));
		step_driver(&d);
		carrier = turn(carrier, carrier_step);
		double mend = 1.5 - 0.5 * (carrier.re * carrier.re + carrier.im * carrier.im);
		carrier = (pointer){carrier.re * mend, carrier.im * mend};
	}
	return CLPAC_OK;
}

/* --- Options ------------------------------------------------------------------------------------ */

static double given_or(const clpac__analysis_settings *v, const char *name, double value, double standard)
{
	return clpac__analysis_is_given(v, name) ? value : standard;
}

static clpac_status check_signal(const clpac__synthetic *signal, clpac_error *err)
{
	if (!(signal->rate_hz > 0))
		RETURN_ERROR(CLPAC_ERROR_ARGUMENT, "--rate %g: it must be above 0 Hz", signal->rate_hz);
	if (!(signal->phase_hz > 0))
		RETURN_ERROR(CLPAC_ERROR_ARGUMENT, "--phase %g: it must be above 0 Hz", signal->phase_hz);
	if (!(signal->amplitude_hz > signal->phase_hz))
		RETURN_ERROR(CLPAC_ERROR_ARGUMENT, "--amplitude %g: it must be above --phase, %g Hz",
			     signal->amplitude_hz, signal->phase_hz);
	if (!(signal->amplitude_hz + signal->phase_hz < signal->rate_hz / 2))
		RETURN_ERROR(CLPAC_ERROR_ARGUMENT,
			     "--amplitude %g: its upper sideband at %g Hz must stay below half the rate, %g Hz; raise "
			     "--rate",
			     signal->amplitude_hz, signal->amplitude_hz + signal->phase_hz, signal->rate_hz / 2);
	if (!(signal->strength >= 0 && signal->strength <= 1))
		RETURN_ERROR(CLPAC_ERROR_ARGUMENT, "--strength %g: it must be from 0 to 1", signal->strength);
	if (!(signal->noise >= 0))
		RETURN_ERROR(CLPAC_ERROR_ARGUMENT, "--noise %g: it must not be below 0", signal->noise);
	return CLPAC_OK;
}

/* Of the slow oscillation in the recording. */
static const double least_cycles = 0.01;

clpac_status clpac__synthetic_read(const clpac__analysis_settings *v, clpac__synthetic *signal, size_t *n_channels,
				   size_t *n_samples, clpac_error *err)
{
	*signal = (clpac__synthetic){
		.rate_hz = given_or(v, "rate", v->rate_hz, 512),
		.phase_hz = given_or(v, "phase", v->phase_hz, 6),
		.amplitude_hz = given_or(v, "amplitude", v->amplitude_hz, 80),
		.strength = given_or(v, "strength", v->strength, 0.8),
		.noise = given_or(v, "noise", v->noise, 1.5),
		.driver = (clpac__driver)v->driver,
		.seed = clpac__analysis_is_given(v, "seed") ? v->seed : 42,
	};
	const double seconds = given_or(v, "seconds", v->seconds, 60);
	const uint64_t channels = clpac__analysis_is_given(v, "channels") ? v->n_channels : 1;
	RETURN_IF_ERROR(check_signal(signal, err));
	if (channels == 0)
		RETURN_ERROR(CLPAC_ERROR_ARGUMENT, "--channels 0: at least one is needed");
	const double n = seconds * signal->rate_hz + 0.5;
	if (!(seconds > 0) || n < 1)
		RETURN_ERROR(CLPAC_ERROR_ARGUMENT, "--seconds %g: at %g Hz that is less than one sample; give more",
			     seconds, signal->rate_hz);
	/* Compared as doubles, since the product may overflow a size_t. */
	if (n * (double)channels * sizeof(float) >= (double)PTRDIFF_MAX)
		RETURN_ERROR(
			CLPAC_ERROR_ARGUMENT,
			"--channels %llu and --seconds %g at %g Hz are %.3g samples, more than fit in memory; give "
			"fewer",
			(unsigned long long)channels, seconds, signal->rate_hz, n * (double)channels);
	/* The driver is followed for some cycles before the recording begins. */
	if (!(seconds * signal->phase_hz >= least_cycles))
		RETURN_ERROR(CLPAC_ERROR_ARGUMENT,
			     "--phase %g: %g s hold %.2g of its cycles, and %g are needed; raise --phase or --seconds",
			     signal->phase_hz, seconds, seconds * signal->phase_hz, least_cycles);
	char what[120];
	snprintf(what, sizeof what, "--channels %llu and --seconds %g at %g Hz", (unsigned long long)channels, seconds,
		 signal->rate_hz);
	RETURN_IF_ERROR(clpac__room_check(n * (double)channels * sizeof(float), what, "give fewer", err));
	*n_channels = (size_t)channels;
	*n_samples = (size_t)n;
	return CLPAC_OK;
}
