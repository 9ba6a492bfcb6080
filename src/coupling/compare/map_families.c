#include "coupling/compare/map_families.h"

#include <math.h>

#include "shared/clusters.h"
#include "coupling/signal/clusters.h"
#include "coupling/signal/false_discovery.h"

void clpac__map_links(const clpac_result *result, uint32_t *links)
{
	const clpac_result_shape *shape = clpac_result_get_shape(result);
	const clpac_band *phases = clpac_result_phase_bands(result);
	for (size_t ph = 0; ph < shape->n_phase_bands; ph++)
		for (size_t am = 0; am < shape->n_amplitude_bands; am++) {
			const bool has_left = am && clpac__bands_adjoin(clpac_result_cell_band(result, ph, am - 1),
									clpac_result_cell_band(result, ph, am));
			const bool has_up = ph && clpac__bands_adjoin(phases[ph - 1], phases[ph]);
			links[ph * shape->n_amplitude_bands + am] =
				(has_left ? CLPAC_LINK_LEFT : 0) | (has_up ? CLPAC_LINK_UP : 0);
		}
}

/* q of each family; NaN outside. */
static clpac_status adjust(clpac_result *result, clpac_family family, clpac_array which, clpac_discovery rule,
			   clpac_error *err)
{
	const clpac_result_shape *shape = clpac_result_get_shape(result);
	size_t n, each = shape->n_phase_bands * shape->n_amplitude_bands;
	const float *p = clpac_result_array(result, CLPAC_P, &n);
	const float *p_max = clpac_result_array(result, CLPAC_P_MAX, NULL);
	float *q = clpac_result_array(result, which, NULL);
	for (size_t i = 0; i < n; i++)
		q[i] = isnan(p_max[i]) ? NAN : p[i];
	if (family == CLPAC_FAMILY_RUN)
		each = n;
	for (size_t i = 0; i < n; i += each)
		RETURN_IF_ERROR(clpac__false_discovery(q + i, each, rule, q + i, err));
	return CLPAC_OK;
}

clpac_status clpac__map_discoveries(clpac_result *result, clpac_family family, clpac_error *err)
{
	RETURN_IF_ERROR(adjust(result, family, CLPAC_Q_BH, CLPAC_DISCOVERY_BH, err));
	return adjust(result, family, CLPAC_Q_BY, CLPAC_DISCOVERY_BY, err);
}
