/* Amplitudes, stored as vectors of VW neighbouring bands of one sample; such a vector's bands are a group.
 *
 * amplitude  (series, vectors): sample t of a group lies row_stride vectors after sample t - 1.
 *            row_stride 1: each group has its n_rows samples to itself, which suits a CPU's caches.
 *            row_stride 8, 16 or 32: a panel of so many neighbouring groups, which a sample has side by side, and then
 *            the next panel.  Lanes of a GPU that take neighbouring bands read a line, or a whole part of one.
 *
 * The lanes beyond the last band are not written; they are zero from allocation on.
 */

/* Index of a group's first sample in a series, in vectors. */
static inline size_t place_of_group(const size_t group, const uint n_rows, const uint row_stride)
{
	if (row_stride == 1)
		return group * n_rows;
	const uint panel = (uint)group / row_stride;
	return (size_t)panel * n_rows * row_stride + ((uint)group - panel * row_stride);
}

/* Index of a band's sample t in the amplitudes of a series, in floats. */
static inline size_t place_of(const size_t band, const size_t t, const uint n_rows, const uint row_stride)
{
	const size_t group = band / VW, vector = place_of_group(group, n_rows, row_stride) + t * row_stride;
	return vector * VW + band % VW;
}

/* The value's parts are read one by one: Oclgrind crashes where its compiler takes them out of a vector and adds them.
 */
static inline float magnitude_of(__global const float2 *z)
{
	__global const float *part = (__global const float *)z;
	return SQRT1(part[0] * part[0] + part[1] * part[1]);
}

/* An item takes ABREAST samples of the bands of a group: it reads them band by band and writes them sample by sample,
 * so that neighbouring lanes of a cache line are written together.
 *
 * analytic   (series, n_sections, section_bands, length): sections first_section and up, of which the group's bands are
 *            those numbered first_band .. first_band + group_bands - 1, with `step` values from value `first` of the
 *            section on
 * amplitude  the last section may write beyond the kept samples, by less than n_rows - n_kept rows
 * items      step / ABREAST (rounded up); vectors that hold bands of the group; series x n_sections
 */
__kernel void amplitude(ITEM __global const float2 *analytic, __global float *amplitude, const uint length,
			const uint first, const uint step, const uint first_section, const uint n_sections,
			const uint n_rows, const uint section_bands, const uint group_bands, const uint first_band,
			const uint row_stride, const uint groups, const uint first_row)
{
	RETURN_BEHIND_ITEMS;
	const size_t from = get_global_id(0) * ABREAST, vector = first_band / VW + get_global_id(1);
	const size_t row = get_global_id(2);
	const uint series = (uint)row / n_sections, section = (uint)row - series * n_sections + first_section;
	const uint left = step - (uint)from, n = left < ABREAST ? left : ABREAST;
	const size_t band = vector * VW < first_band ? first_band : vector * VW;
	const size_t past = first_band + group_bands < (vector + 1) * VW ? first_band + group_bands : (vector + 1) * VW;
	__global const float2 *z = analytic + (row * section_bands + band - first_band) * length + first + from;
	__global float *out = amplitude + (size_t)series * n_rows * groups * VW +
			      place_of(band, first_row + (size_t)section * step + from, n_rows, row_stride);
	const uint n_bands = (uint)(past - band);
	float magnitude[VW][ABREAST];
	/* Whole stretches of samples, whose number is a constant, are what compilers vectorise. */
	for (uint b = 0; b < n_bands; b++) {
		if (n == ABREAST)
			for (uint t = 0; t < ABREAST; t++)
				magnitude[b][t] = magnitude_of(&z[(size_t)b * length + t]);
		else
			for (uint t = 0; t < n; t++)
				magnitude[b][t] = magnitude_of(&z[(size_t)b * length + t]);
	}
	if (n_bands == VW) {
		for (uint t = 0; t < n; t++)
			for (uint b = 0; b < VW; b++)
				out[t * row_stride * VW + b] = magnitude[b][t];
		return;
	}
	for (uint t = 0; t < n; t++)
		for (uint b = 0; b < n_bands; b++)
			out[t * row_stride * VW + b] = magnitude[b][t];
}

/* array  (series, n_bands, n_samples) of amplitudes, of which those from number `from` on go to rows first_row and up
 * items  samples, n_bands, series
 */
__kernel void amplitude_of_array(ITEM __global const float *array, __global float *amplitude, const uint n_samples,
				 const uint n_rows, const uint n_bands, const uint row_stride, const uint groups,
				 const uint from, const uint first_row)
{
	RETURN_BEHIND_ITEMS;
	const size_t t = get_global_id(0), band = get_global_id(1), series = get_global_id(2);
	amplitude[series * n_rows * groups * VW + place_of(band, first_row + t, n_rows, row_stride)] =
		array[(series * n_bands + band) * n_samples + from + t];
}
