/* The contents of a recording: channels, and whether a run takes them, gaps, flat runs, annotations. */
#ifndef CLPAC_ANALYSIS_DESCRIBE_CONTENTS_H
#define CLPAC_ANALYSIS_DESCRIBE_CONTENTS_H

#include <clpac/recording.h>
#include "analysis/settings.h"

/* Lists them.  Samples that are in a file are read for it, and not kept.
 * @param settings whose `input` names the recording, and whose options reject annotations.
 * @param[out] text lines for people, each with its end, or JSON; to be freed with clpac__free. */
clpac_status clpac__recording_contents(clpac_recording *recording, const clpac__analysis_settings *settings,
				       bool as_json, char **text, clpac_error *err);

#endif
