/* The texts of a recording's annotations, with how many of them there are. */
#ifndef CLPAC_ANALYSIS_EPOCHS_EVENT_TEXTS_H
#define CLPAC_ANALYSIS_EPOCHS_EVENT_TEXTS_H

#include <clpac/recording.h>
#include "base/error.h"

typedef struct clpac__event_text {
	const char *text; /* the recording's */
	size_t count;
} clpac__event_text;

/* Lists each text once, the most frequent first.
 * @param[out] out to be freed with clpac__free. */
clpac_status clpac__event_texts(const clpac_recording *recording, clpac__event_text **out, size_t *n, clpac_error *err);

#endif
