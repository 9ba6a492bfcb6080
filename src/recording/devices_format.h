/* The format of a file that lists the devices of a machine, for its writer and its reader. */
#ifndef CLPAC_RECORDING_DEVICES_FORMAT_H
#define CLPAC_RECORDING_DEVICES_FORMAT_H

#include <clpac/memory/device.h>
#include <jansson.h>

#define CLPAC__DEVICES_FORMAT "clpac devices"

enum { CLPAC__DEVICES_FORMAT_VERSION = 1, CLPAC__N_KNOWLEDGES = CLPAC_EXACT + 1 };

/* The word for each clpac_knowledge. */
extern const char *const clpac__knowledge_words[CLPAC__N_KNOWLEDGES];

#endif
