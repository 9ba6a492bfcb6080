/* The texts of a recording's annotations, with how many of them there are. */
#ifndef CLPAC_TOOL_EVENT_TEXTS_H
#define CLPAC_TOOL_EVENT_TEXTS_H

#include <clpac/recording.h>
#include "base/error.h"

typedef struct tool_event_text {
	const char *text; /* the recording's */
	size_t count;
} tool_event_text;

/* Lists each text once, the most frequent first.
 * @param[out] out to be freed with clpac__free. */
clpac_status tool_event_texts(const clpac_recording *recording, tool_event_text **out, size_t *n, clpac_error *err);

#endif
