/* The one shape of a fallible function.
 *
 *     clpac_status clpac__thing(..., clpac_thing **out, clpac_error *err)
 *     {
 *         clpac_status st = CLPAC_OK;
 *         ...
 *         TRY(clpac__step(..., err));
 *         if (bad) FAIL(CLPAC_ERROR_ARGUMENT, "rate_hz is %g: it must be above 0", rate_hz);
 *         *out = made; made = NULL;      // ownership handed over by storing and forgetting
 *     done:
 *         clpac__thing_destroy(made);
 *         return st;
 *     }
 */
#ifndef CLPAC_BASE_ERROR_H
#define CLPAC_BASE_ERROR_H

#include <errno.h>
#include <stdarg.h>
#include <clpac/status.h>
#include "base/need.h"

#if defined(__GNUC__)
#define CLPAC__PRINTF(text, first) __attribute__((format(printf, text, first)))
#else
#define CLPAC__PRINTF(text, first)
#endif

/* Writes status and text into a nullable error; returns the status, so that setting and returning are one line.  The
 * text is one line of UTF-8: whatever a terminal might obey becomes "?" (base/clean.h). */
clpac_status clpac__fail(clpac_error *err, clpac_status status, const char *format, ...) CLPAC__PRINTF(3, 4);

/* The same with the code of a driver or of the system. */
clpac_status clpac__fail_native(clpac_error *err, clpac_status status, int native_code, const char *format, ...)
	CLPAC__PRINTF(4, 5);

/* CLPAC_ERROR_IO with an errno, whose meaning is put behind the text: "writing a.npz: No space left on device".
 * CLPAC_ERROR_NO_MEMORY for ENOMEM, which may come from any call. */
clpac_status clpac__fail_system(clpac_error *err, int number, const char *format, ...) CLPAC__PRINTF(3, 4);

/* Puts "context: " before the text that an inner call left in err; keeps status and code.  Returns status. */
clpac_status clpac__fail_context(clpac_error *err, clpac_status status, const char *format, ...) CLPAC__PRINTF(3, 4);

#define TRY(call)                                                                                                      \
	do {                                                                                                           \
		st = (call);                                                                                           \
		if (st != CLPAC_OK)                                                                                    \
			goto done;                                                                                     \
	} while (0)

#define FAIL(...)                                                                                                      \
	do {                                                                                                           \
		st = clpac__fail(err, __VA_ARGS__);                                                                    \
		goto done;                                                                                             \
	} while (0)

/* After a failed system call: FAIL_SYSTEM("writing %s", path). */
#define FAIL_SYSTEM(...)                                                                                               \
	do {                                                                                                           \
		st = clpac__fail_system(err, errno, __VA_ARGS__);                                                      \
		goto done;                                                                                             \
	} while (0)

#define FAIL_NO_MEMORY(bytes)                                                                                          \
	FAIL(CLPAC_ERROR_NO_MEMORY, "%s: the host has no memory left for %zu bytes", __func__, (size_t)(bytes))

#endif
