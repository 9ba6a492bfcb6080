/* A recording in memory, and analyses of it, for tests of the library. */
#ifndef CLPAC_TESTS_SOME_ANALYSIS_H
#define CLPAC_TESTS_SOME_ANALYSIS_H

#include <clpac/analysis.h>

enum { N_CHANNELS = 2, N_SAMPLES = 4000, RATE_HZ = 200 };

/* A short analysis. */
extern const char line[];

/* Two channels in memory, the second with a gap of NaN. */
clpac_recording *make_recording(void);
clpac_analysis *read_analysis(const char *text);

#endif
