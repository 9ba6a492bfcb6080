/* Series of which not all samples are used: the values of those that are, gathered from what the filters gave of all.
 *
 * sources  (kept samples): the number of each among the samples that pass the filters
 */

/* passed  (rows, passed_stride): bins of all samples that passed
 * bins    (rows, bin_stride)
 * items   kept samples, rows
 */
__kernel void gather_bins(ITEM __global const uint *sources, __global const uchar *passed, __global uchar *bins,
			  const uint passed_stride, const uint bin_stride)
{
	RETURN_BEHIND_ITEMS;
	const size_t t = get_global_id(0), row = get_global_id(1);
	bins[row * bin_stride + t] = passed[row * passed_stride + sources[t]];
}

/* The amplitudes of kept samples first_place and up, as amplitude.cl writes them; kept sample from_place has row
 * first_row.
 *
 * analytic  (series, n_sections, section_bands, length): see amplitude.cl
 * begin     the passed sample with which section 0 begins
 * items     n_places / ABREAST (rounded up), vectors that hold bands of the group, series
 */
__kernel void gather_amplitude(ITEM __global const uint *sources, __global const float2 *analytic,
			       __global float *amplitude, const uint begin, const uint length, const uint first,
			       const uint step, const uint first_section, const uint n_sections, const uint n_rows,
			       const uint section_bands, const uint group_bands, const uint first_band,
			       const uint row_stride, const uint groups, const uint first_place, const uint n_places,
			       const uint from_place, const uint first_row)
{
	RETURN_BEHIND_ITEMS;
	const uint from = (uint)get_global_id(0) * ABREAST, series = (uint)get_global_id(2);
	const size_t vector = first_band / VW + get_global_id(1);
	const uint left = n_places - from, n = left < ABREAST ? left : ABREAST;
	const size_t band = vector * VW < first_band ? first_band : vector * VW;
	const size_t past = first_band + group_bands < (vector + 1) * VW ? first_band + group_bands : (vector + 1) * VW;
	__global float *out = amplitude + (size_t)series * n_rows * groups * VW;
	for (uint t = 0; t < n; t++) {
		const uint place = first_place + from + t, row = first_row + place - from_place;
		if (sources[place] < begin)
			continue;
		const uint sample = sources[place] - begin, section = sample / step;
		if (section < first_section || section >= first_section + n_sections)
			continue;
		const size_t within = first + sample - section * step;
		const size_t section_row = (size_t)series * n_sections + section - first_section;
		for (size_t b = band; b < past; b++)
			out[place_of(b, row, n_rows, row_stride)] = magnitude_of(
				&analytic[(section_row * section_bands + b - first_band) * length + within]);
	}
}

/* The vectors of kept samples first_place and up, as phase_vectors of linear_measures.cl makes them.
 *
 * items  n_places, bands of the group, series
 */
__kernel void gather_vectors(ITEM __global const uint *sources, __global const float2 *analytic,
			     __global float2 *vectors, const uint length, const uint first, const uint step,
			     const uint first_section, const uint n_sections, const uint section_bands,
			     const uint first_band, const uint n_phase, const uint n_samples, const uint first_place,
			     const uint is_whole)
{
	RETURN_BEHIND_ITEMS;
	const size_t place = first_place + get_global_id(0), band = get_global_id(1), series = get_global_id(2);
	const uint sample = sources[place], section = sample / step;
	if (section < first_section || section >= first_section + n_sections)
		return;
	const size_t section_row = series * n_sections + section - first_section;
	const float2 z = analytic[(section_row * section_bands + band) * length + first + sample - section * step];
	const float2 u = unit_vector(z);
	vectors[(series * n_phase + first_band + band) * n_samples + place] = is_whole ? z : u;
}
