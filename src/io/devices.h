/* The devices of a machine in a file: what its writer and its reader agree on. */
#ifndef CLPAC_IO_DEVICES_H
#define CLPAC_IO_DEVICES_H

#include <clpac/memory/device.h>
#include <clpac/io.h>
#include <jansson.h>

#define CLPAC__DEVICES_FORMAT "clpac devices"

enum { CLPAC__DEVICES_FORMAT_VERSION = 1, CLPAC__N_KNOWLEDGES = CLPAC_EXACT + 1 };

/* A clpac_knowledge as it is written. */
extern const char *const clpac__knowledge_words[CLPAC__N_KNOWLEDGES];

#endif
