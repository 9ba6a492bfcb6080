/* The phase bin, computed from the analytic signal itself.
 *
 * Phase 0 is the peak of a cosine.  Bin j of N covers [-pi + 2 pi j/N, -pi + 2 pi (j+1)/N), and phi = pi belongs to the
 * last bin.  The angle is computed in turns: a polynomial for the first octant (relative error below 2e-8, a weighted
 * least-squares fit of arctan(r)/(2 pi r) in r^2), then reflections.  The sum a + 0.5 is rounded to 6e-8 turns.
 * A sample so close to a bin's edge that an error of this or of the analytic signal could move it to the other side is
 * marked, and settled by settle_bins.cl.
 *
 * Needs scalar float arithmetic without SQRT1; valid as C11 and as OpenCL C.
 */
#ifndef CLPAC_SHARED_PHASE_BIN_H
#define CLPAC_SHARED_PHASE_BIN_H

/* Phase of re + i im in turns, in [-0.5, 0.5]; 0 for the zero vector. */
INLINED float phase_turns(float re, float im)
{
	float ax = re < 0.0f ? -re : re;
	float ay = im < 0.0f ? -im : im;
	float longer = ax > ay ? ax : ay;
	float shorter = ax > ay ? ay : ax;
	float r = shorter / (longer > 0.0f ? longer : 1.0f);
	float q = r * r;
	float p = 4.535735e-4f;
	p = p * q - 2.5573997e-3f;
	p = p * q + 6.7945630e-3f;
	p = p * q - 1.19434530e-2f;
	p = p * q + 1.69355720e-2f;
	p = p * q - 2.26058010e-2f;
	p = p * q + 3.18192430e-2f;
	p = p * q - 5.30512333e-2f;
	p = p * q + 1.591549367e-1f;
	float turns = p * r;
	turns = ay > ax ? 0.25f - turns : turns;
	turns = re < 0.0f ? 0.5f - turns : turns;
	return im < 0.0f ? -turns : turns;
}

/* Bin of a phase given in turns. */
INLINED int bin_of_turns(float turns, int n_bins)
{
	int bin = (int)((turns + 0.5f) * (float)n_bins);
	bin = bin < n_bins ? bin : n_bins - 1;
	return bin > 0 ? bin : 0;
}

/* Added to a bin that is not decided; above every bin. */
#define UNSETTLED 128

/* Bin of re + im i, with UNSETTLED where the angle may lie on the other side of an edge.
 *
 * noise     (bound of the error of re + im i, over 2 pi)^2, times 2
 * rounding  (bound of the error of the angle by itself, in turns)^2, times 2
 *
 * The angle errs by noise / |z| and by rounding, in turns; the square of their sum is at most twice the sum of their
 * squares. */
INLINED int marked_bin(float re, float im, float noise, float rounding, int n_bins)
{
	const float turns = phase_turns(re, im), n = (float)n_bins;
	const float position = (turns + 0.5f) * n, squared = re * re + im * im;
	const float distance = position - (float)(int)(position + 0.5f);
	const float limit = n * n * (noise + rounding * squared);
	return bin_of_turns(turns, n_bins) + (distance * distance * squared < limit ? UNSETTLED : 0);
}

#endif
