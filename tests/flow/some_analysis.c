#include "some_analysis.h"
#include "analysis/synthetic.h"
#include "assertions.h"

const char line[] = "phase=5-7 amplitude=45-65 surrogates=20 device=native";

clpac_recording *make_recording(void)
{
	static const clpac__synthetic signal = {
		.rate_hz = RATE_HZ, .phase_hz = 6, .amplitude_hz = 55, .strength = 0.8, .noise = 0.5, .seed = 3};
	clpac_recording *made;
	clpac_error err;
	assert_works(clpac_recording_create("memory", &made, &err), err);
	for (uint64_t c = 0; c < N_CHANNELS; c++) {
		void *samples;
		assert_works(clpac_recording_add_channel(made, c ? "Cz" : "Pz", "uV", RATE_HZ, N_SAMPLES, CLPAC_FLOAT32,
							 &samples, &err),
			     err);
		ck_assert_int_eq(clpac__synthetic_write(&signal, c, samples, N_SAMPLES, NULL), CLPAC_OK);
		for (size_t i = 2000; c && i < 2010; i++)
			((float *)samples)[i] = NAN;
	}
	return made;
}

clpac_analysis *read_analysis(const char *text)
{
	clpac_analysis *made;
	clpac_error err;
	assert_works(clpac_analysis_read(text, &made, &err), err);
	return made;
}
