/* Parts of a long series that stand for all of it. */
#include <math.h>
#include <string.h>

#include "coupling/cautions/caution_shapes.h"

/* Parts are enough for cells whose indices stay so many times above their null's mean in them, of so many seconds or
 * cycles of a phase band at least. */
static const double enough = 1.5, least_s = 60, least_cycles = 240;

/* Each part is so long, and goes over into the next in that time; more of the series than that is all of it. */
static const double part_s = 10, fade_s = 0.5, hardly_less = 0.8;

/* A first look takes this share of the samples that a band needs, and so many parts at least; where it would take more
 * than half of them it is left out. */
static const double first_share = 1.0 / 3, first_parts = 3, worth_it = 0.5;
static const double pi = 3.14159265358979323846;

/* All samples, where they are hardly more. */
static size_t or_all(const clpac__caution_search *s, double n)
{
	return s->may_part && n < hardly_less * (double)s->n_coarse ? (size_t)n : s->n_coarse;
}

static double least_samples(const clpac__caution_search *s, size_t ph)
{
	return fmax(least_s, least_cycles / s->problem->phase_bands[ph].lo_hz) * s->rate_hz;
}

size_t clpac__caution_few_samples(const clpac__caution_search *s)
{
	return or_all(s, least_samples(s, 0));
}

size_t clpac__caution_first_samples(const clpac__caution_search *s, size_t n)
{
	const double first = fmax(first_share * (double)n, first_parts * (part_s - fade_s) * s->rate_hz);
	return s->may_part && first < worth_it * (double)n ? (size_t)first : n;
}

size_t clpac__caution_samples_for(const clpac__caution_search *s, const clpac__caution_shapes *of, size_t am)
{
	const clpac_problem *p = s->problem;
	double most = 0;
	for (size_t ph = 0; ph < p->n_phase_bands; ph++) {
		const size_t cell = ph * p->n_amplitude_bands + am;
		if (!of->wanted[cell])
			continue;
		const double by_strength = enough / fmax((double)of->strengths[cell], 1e-9) * (double)s->n_coarse;
		most = fmax(most, fmax(least_samples(s, ph), by_strength));
	}
	return most > 0 ? or_all(s, most) : 0;
}

void clpac__caution_take_parts(const clpac__caution_search *s, clpac__caution_shapes *of, size_t n)
{
	const size_t each = (size_t)(part_s * s->rate_hz), fade = (size_t)(fade_s * s->rate_hz);
	const size_t n_parts = each > 2 * fade ? (n + each - fade - 1) / (each - fade) : 0;
	const size_t laid = n_parts * (each - fade) + fade;
	of->x = s->coarse;
	of->n = s->n_coarse;
	if (n_parts < 2 || n == s->n_coarse || laid >= s->n_coarse)
		return;
	for (size_t i = 0; i < n_parts; i++) {
		const double *from = s->coarse + i * (s->n_coarse - each) / (n_parts - 1);
		double *to = of->parts + i * (each - fade);
		/* Two that have nothing to do with each other keep their power so. */
		for (size_t t = 0; t < fade; t++) {
			const double turn = 0.5 * pi * ((double)t + 0.5) / (double)fade;
			to[t] = i ? cos(turn) * to[t] + sin(turn) * from[t] : from[t];
		}
		memcpy(to + fade, from + fade, (each - fade) * sizeof *to);
	}
	of->x = of->parts;
	of->n = laid;
}
