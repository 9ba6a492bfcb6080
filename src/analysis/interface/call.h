/* One call of a public function: an analysis as settings, and a sink between that of the caller and the analysis, which
 * takes the hyphens of the command line from what is told. */
#ifndef CLPAC_ANALYSIS_INTERFACE_CALL_H
#define CLPAC_ANALYSIS_INTERFACE_CALL_H

#include <clpac/analysis.h>
#include "analysis/options/options.h"
#include "analysis/run/job.h"
#include "analysis/settings.h"

typedef struct clpac__call {
	clpac__analysis_settings settings;
	clpac_analysis_call given;    /* by the caller */
	clpac_analysis_sink outer;    /* of the caller */
	clpac_analysis_sink inner;    /* of the settings */
	clpac__job_contexts contexts; /* those of the caller; none: a job opens its own */
	char *request;		      /* owned: the analysis as text */
	bool is_refused;	      /* an option by itself, which the error names already */
} clpac__call;

/* Reads the options that a kind of analysis has.  Zero the call before, and close it in any case; it must not be moved
 * until then.
 * Errors: CLPAC_ERROR_ARGUMENT for an option of another kind, and for one about devices beside contexts. */
clpac_status clpac__call_open(clpac__call *call, const clpac_analysis *analysis, clpac_analysis_kind kind,
			      const clpac_analysis_call *given, clpac_error *err);
/* Lets the caller's sink hear of the call, which reads no options by it. */
clpac_status clpac__call_listen(clpac__call *call, const clpac_analysis_call *given, clpac_error *err);
/* Takes the options of one group alone, and no others. */
clpac_status clpac__call_take(clpac__call *call, const clpac_analysis *analysis, const clpac__option_group *group,
			      clpac_error *err);
/* Makes an error, if st is one, that of an analysis: its member an option, its text without hyphens.  Returns st. */
clpac_status clpac__call_close(clpac__call *call, clpac_status st, clpac_error *err);

#endif
