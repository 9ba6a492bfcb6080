/* Callers whose header is newer than the library: their structs are longer by 8 bytes. */
#ifndef CLPAC_TESTS_NEWER_H
#define CLPAC_TESTS_NEWER_H

#include <stdint.h>
#include "assertions.h"

#define NEWER(type)                                                                                                    \
	struct {                                                                                                       \
		type known;                                                                                            \
		uint64_t more;                                                                                         \
	}

/* A call that reads `given` is made by a newer caller that leaves 0 what the library does not know, by one that sets
 * it, and with a size that never was.  `release` frees what success made. */
#define check_input(type, call, release)                                                                               \
	do {                                                                                                           \
		clpac_error err;                                                                                       \
		NEWER(type) caller = {.known.size = sizeof caller};                                                    \
		type *given = &caller.known;                                                                           \
		const clpac_status without = (call);                                                                   \
		ck_assert_msg(without == CLPAC_OK || !strstr(err.text, ".size"), "%s", err.text);                      \
		if (without == CLPAC_OK)                                                                               \
			release;                                                                                       \
		caller.more = 1;                                                                                       \
		assert_refused(call, err, CLPAC_ERROR_ARGUMENT, #type ".size is ");                                    \
		caller.known.size = sizeof(type) - 1;                                                                  \
		assert_refused(call, err, CLPAC_ERROR_ARGUMENT, #type ".size is ");                                    \
	} while (0)

#endif
