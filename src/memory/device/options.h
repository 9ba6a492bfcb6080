/* Internal functions of the options, beyond clpac/memory/options.h. */
#ifndef CLPAC_MEMORY_DEVICE_OPTIONS_H
#define CLPAC_MEMORY_DEVICE_OPTIONS_H

#include <stdint.h>
#include <clpac/memory/options.h>
#include "base/error.h"

/* The memory allowed by an option's text.
 *
 *     ""                the default, 0.8 of what is available
 *     "0.8", "80%"      that part of what is available, above 0 and at most all of it
 *     "4G", "1.5GiB"    bytes; K, M, G and T are powers of 1024, in either case, with or without B or iB
 *     "1073741824"      bytes; a plain number above 1
 *
 * Bytes are taken as written, even if more than is available.
 * Errors: CLPAC_ERROR_ARGUMENT for a text that cannot be read, and for less than 4096 bytes written out. */
clpac_status clpac__parse_memory(const char *text, uint64_t available_bytes, uint64_t *bytes, clpac_error *err);

#endif
