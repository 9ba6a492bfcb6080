#include "analysis/input.h"

#include <clpac/read.h>
#include <clpac/recording.h>

clpac_status clpac__input_read(const clpac__analysis_settings *settings, clpac_recording **out, clpac_error *err)
{
	if (clpac__analysis_is_given(settings, "rate") && !(settings->rate_hz > 0))
		RETURN_ERROR(CLPAC_ERROR_ARGUMENT, "--rate %g: it must be above 0 Hz", settings->rate_hz);
	if (clpac__analysis_is_given(settings, "resample") && !(settings->resample_hz > 0))
		RETURN_ERROR(CLPAC_ERROR_ARGUMENT, "--resample %g: it must be above 0 Hz", settings->resample_hz);
	const clpac_read_options options = {.size = sizeof options,
					    .rate_hz = settings->rate_hz,
					    .raw = settings->raw,
					    .array = settings->array,
					    .on_demand = true,
					    .resample_hz = settings->resample_hz};
	return clpac_recording_read(settings->input, &options, out, err);
}

void clpac__input_warn(const clpac__analysis_settings *settings, const clpac_recording *recording)
{
	for (size_t i = 0; i < clpac_recording_n_warnings(recording); i++) {
		size_t count;
		const char *text = clpac_recording_warning(recording, i, &count);
		clpac__analysis_warn(settings, count, "%s", text);
	}
}
