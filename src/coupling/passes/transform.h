/* The transforms of a plan, and the spectra it keeps: filter responses and the Hilbert kernel of the kept samples. */
#ifndef CLPAC_COUPLING_PASSES_TRANSFORM_H
#define CLPAC_COUPLING_PASSES_TRANSFORM_H

#include <clpac/memory/handles.h>
#include "coupling/layout/context_engine.h"
#include "coupling/layout/layout.h"
#include "coupling/layout/transform_shapes.h"
#include "coupling/signal/filter.h"

typedef struct clpac__transforms {
	const clpac__fft_engine *engine;
	clpac__fft *forward[2], *inverse[2];	       /* for the sections of each bank, by clpac_band_use */
	clpac__fft *hilbert_forward, *hilbert_inverse; /* for the kept samples; NULL unless trimmed */
	/* For the shifts of cl/all_shifts.cl: of amplitudes, of phases, of products; NULL unless all are wanted. */
	clpac__fft *shifted_amplitudes, *shifted_phases, *shifted_products;
	size_t workspace_bytes;		     /* the largest workspace that one needs, then the tables of all */
	size_t tables_at[CLPAC__TRANSFORMS]; /* offset of the tables of each transform */
} clpac__transforms;

/* Makes the transforms that the layout needs. */
clpac_status clpac__transforms_create(const clpac_context *context, const clpac__layout *layout, clpac__transforms *out,
				      clpac_error *err);
void clpac__transforms_destroy(clpac__transforms *transforms);

/* Runs one transform over buffers; workspace may be NULL if it needs none. */
clpac_status clpac__transform(const clpac__transforms *transforms, clpac__fft *fft, clpac_buffer *input,
			      clpac_buffer *output, clpac_buffer *workspace, size_t rows, clpac_error *err);

/* Runs a forward transform of rows of `length` values, whose spectra lie `length` apart and become whole. */
clpac_status clpac__transform_whole(const clpac_context *context, const clpac__transforms *transforms,
				    clpac__fft *forward, clpac_buffer *input, clpac_buffer *spectrum,
				    clpac_buffer *workspace, size_t rows, size_t length, clpac_error *err);

/* Sections of n_series series in a buffer, (n_series, n_samples) f4: first .. first + n - 1, of which section 0 begins
 * with sample `begin`. */
typedef struct clpac__sections_of {
	const clpac__bank *bank;
	clpac__fft *forward; /* of this bank */
	clpac_buffer *samples;
	size_t n_samples, begin, first, n, n_series;
} clpac__sections_of;

/* Puts the sections' spectra into the spectrum buffer: halves, or whole ones where select_bands takes them. */
clpac_status clpac__transform_sections(const clpac_context *context, const clpac__transforms *transforms,
				       const clpac__layout *layout, clpac_buffer *const tensors[CLPAC__TENSOR_COUNT],
				       const clpac__sections_of *sections, clpac_error *err);

/* Puts the analytic signals of n_bands bands of a use, from `first` on, into their buffer: the inverse transforms of
 * the spectra of `rows` sections times the bands' responses.  Of joined banks the amplitudes' bands follow the phases'.
 */
clpac_status clpac__transform_bands(const clpac_context *context, const clpac__transforms *transforms,
				    const clpac__layout *layout, clpac_buffer *const tensors[CLPAC__TENSOR_COUNT],
				    clpac_band_use use, size_t first, size_t n_bands, size_t rows, clpac_error *err);

/* Writes what runs read and no kernel writes: the tables of the transforms, and zeros for the noise. */
clpac_status clpac__transform_tables(const clpac__transforms *transforms,
				     clpac_buffer *const tensors[CLPAC__TENSOR_COUNT], clpac_error *err);

/* Fills the response buffers with the response of each analytic filter and the phase bands' noise weights, and writes
 * the tables; uses the extended-series and spectrum buffers as scratch, or the latter alone for wide transforms.
 * The filters' analytic taps must be there. */
clpac_status clpac__transform_responses(const clpac_context *context, const clpac__transforms *transforms,
					const clpac__layout *layout, clpac_buffer *const tensors[CLPAC__TENSOR_COUNT],
					const clpac__filter *filters, clpac_error *err);

/* Where the responses of one use are: from band `first` of a tensor on. */
typedef struct clpac__response_place {
	enum clpac__tensor tensor;
	size_t first;
} clpac__response_place;

/* Those of joined banks are in one tensor, phases first. */
static inline clpac__response_place clpac__response_of(const clpac__layout *layout, clpac_band_use use)
{
	if (use == CLPAC_PHASE)
		return (clpac__response_place){CLPAC__TENSOR_PHASE_RESPONSE, 0};
	if (clpac__layout_joins_banks(layout))
		return (clpac__response_place){CLPAC__TENSOR_PHASE_RESPONSE, layout->n_phase};
	return (clpac__response_place){CLPAC__TENSOR_AMPLITUDE_RESPONSE, 0};
}

/* Fills the Hilbert weights (cl/hilbert.cl); uses the filtered-bands and filtered-spectra buffers as scratch. */
clpac_status clpac__transform_hilbert_kernel(const clpac_context *context, const clpac__transforms *transforms,
					     const clpac__layout *layout,
					     clpac_buffer *const tensors[CLPAC__TENSOR_COUNT], clpac_error *err);

#endif
