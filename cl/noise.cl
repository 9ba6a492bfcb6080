/* A bound for the error of a phase band's analytic signal, per section, from which phase_bins.cl knows the samples that
 * it must not decide.
 *
 * With e the relative error of a transform (root of mean squares) and G the response of the band over L frequencies,
 * the forward transform errs by e |x| spread evenly over all frequencies, of which G passes e |x| sqrt(sum |G|^2 / L);
 * the inverse transform errs by e |z|, where |z|^2 is the mean of |X G|^2 / L^2.  The first is noise through the
 * filter, the second noise at its output, so
 *
 *     noise <= e (|x| |c| + |z|),    |c|^2 = sum |G|^2 / L,  |x|^2 = sum |X|^2 / L^2,  |z|^2 = sum |X G|^2 / L^2
 *
 * Measured on noise, tones, steps, spikes, square waves, chirps and ramps, the root of mean squares of the error is 0.5
 * to 1.5e-7 of |x| |c| + |z|, and the largest error of 60 to 30 000 samples below 1e-6 of it (doc/maths.md).
 * src/coupling/passes/transform.c decides which multiple counts as certain.
 *
 * Both sums are taken over strips of frequencies, with the largest |G| of a strip for all of it, which only enlarges
 * the bound; frequencies and their negatives count together.  The results are squared and in turns, as phase_bins.cl
 * needs them.
 */

/* The part of the weights that a strip has by itself, and the energy of its gains.
 *
 * response  (all bands, length): G / L; the bands are first_band and up
 * weights   (all bands, n_strips): 2 factor^2 (the largest |G / L|^2 at positive and at negative frequencies)
 * energy    (bands, n_strips): sum of |G / L|^2 over the strip's frequencies and their negatives
 * items     n_strips, bands
 */
__kernel void strip_gains(ITEM __global const float *response, __global float *weights, __global float *energy,
			  const uint length, const uint strip, const uint n_strips, const uint first_band,
			  const float factor)
{
	RETURN_BEHIND_ITEMS;
	const size_t at = get_global_id(0), band = get_global_id(1);
	const uint begin = (uint)at * strip, end = begin + strip < length / 2 + 1 ? begin + strip : length / 2 + 1;
	__global const float *gains = response + (first_band + band) * length;
	float above = 0.0f, below = 0.0f, sum = 0.0f;
	IN_ORDER
	for (uint k = begin; k < end; k++) {
		const float up = FABS1(gains[k]), down = FABS1(gains[k ? length - k : 0]);
		above = up > above ? up : above;
		below = down > below ? down : below;
		/* Frequency 0 and, where the length is even, the last one are their own negatives. */
		sum += up * up + (k == 0 || 2 * k == length ? 0.0f : down * down);
	}
	weights[(first_band + band) * n_strips + at] = 2.0f * factor * factor * (above * above + below * below);
	energy[band * n_strips + at] = sum;
}

/* Completes the weights: adds 4 factor^2 |c|^2 / L^2 to those of every strip.
 *
 * items  bands
 */
__kernel void noise_weights(ITEM __global const float *energy, __global float *weights, const uint length,
			    const uint n_strips, const uint first_band, const float factor)
{
	RETURN_BEHIND_ITEMS;
	const size_t band = get_global_id(0);
	float sum = 0.0f;
	IN_ORDER
	for (uint at = 0; at < n_strips; at++)
		sum += energy[band * n_strips + at];
	const float passed = 4.0f * factor * factor * sum / (float)length;
	for (uint at = 0; at < n_strips; at++)
		weights[(first_band + band) * n_strips + at] += passed;
}

/* Energy of a strip of a section's spectrum. */
CALLED float energy_of_strip(__global const float2 *spectrum, const uint at, const uint length, const uint strip)
{
	const uint begin = at * strip, end = begin + strip < length / 2 + 1 ? begin + strip : length / 2 + 1;
	float sum = 0.0f;
	IN_ORDER
	for (uint k = begin; k < end; k++)
		sum += spectrum[k].x * spectrum[k].x + spectrum[k].y * spectrum[k].y;
	return sum;
}

/* spectrum  (rows, length), of which 0 .. length/2 are read
 * energy    (rows, n_strips)
 * items     n_strips, rows
 */
__kernel void spectrum_energy(ITEM __global const float2 *spectrum, __global float *energy, const uint length,
			      const uint strip, const uint n_strips)
{
	RETURN_BEHIND_ITEMS;
	const size_t at = get_global_id(0), row = get_global_id(1);
	energy[row * n_strips + at] = energy_of_strip(spectrum + row * length, (uint)at, length, strip);
}

/* Noise of a band of a section, from the energies of the section and the weights of the band. */
CALLED float noise_of_band(__global const float *energy, __global const float *weight, const uint n_strips)
{
	float sum = 0.0f;
	IN_ORDER
	for (uint at = 0; at < n_strips; at++)
		sum += energy[at] * weight[at];
	return sum;
}

/* noise  (rows, section_bands), of which the first are bands first_band and up of the weights
 * items  bands, rows
 */
__kernel void band_noise(ITEM __global const float *energy, __global const float *weights, __global float *noise,
			 const uint n_strips, const uint first_band, const uint section_bands)
{
	RETURN_BEHIND_ITEMS;
	const size_t band = get_global_id(0), row = get_global_id(1);
	noise[row * section_bands + band] =
		noise_of_band(energy + row * n_strips, weights + (first_band + band) * n_strips, n_strips);
}

/* The noise of all bands of a section: both passes, fused.
 *
 * noise  (rows, section_bands), of which the first n_bands are written
 * lanes  n_strips, n_bands
 */
__kernel void section_noise(ITEM __global const float2 *spectrum, __global float *energy, __global const float *weights,
			    __global float *noise, const uint length, const uint strip, const uint n_strips,
			    const uint n_bands, const uint section_bands)
{
	const size_t row = ROW_OF_GROUP;
	EACH_OF_ROW(at, n_strips)
	energy[row * n_strips + at] = energy_of_strip(spectrum + row * length, at, length, strip);
	NEXT_PASS;
	EACH_OF_ROW(band, n_bands)
	noise[row * section_bands + band] =
		noise_of_band(energy + row * n_strips, weights + (size_t)band * n_strips, n_strips);
}
