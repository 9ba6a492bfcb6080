/* The one shape of a fallible function, for code that sees the public headers only (compare src/base/error.h).
 *
 *     TRY(call)                         leaves by `done` when the call failed
 *     FAIL(status, text...)             writes the error and leaves
 *     FAIL_SYSTEM("writing %s", path)   the same for a failed system call: CLPAC_ERROR_IO, errno and its text
 */
#ifndef CLPAC_IO_FAIL_H
#define CLPAC_IO_FAIL_H

#include <errno.h>
#include <clpac/status.h>

#if defined(__GNUC__)
#define CLPAC__IO_PRINTF(text, first) __attribute__((format(printf, text, first)))
#else
#define CLPAC__IO_PRINTF(text, first)
#endif

/* Writes status, native code (0: none) and text into a nullable error; returns the status. */
clpac_status clpac__io_fail(clpac_error *err, clpac_status status, int native_code, const char *format, ...)
	CLPAC__IO_PRINTF(4, 5);

/* CLPAC_ERROR_IO with the given errno, whose meaning is put behind the text: "writing a.npz: No space left on
 * device". */
clpac_status clpac__io_fail_system(clpac_error *err, int number, const char *format, ...) CLPAC__IO_PRINTF(3, 4);

#define TRY(call)                                                                                                      \
	do {                                                                                                           \
		st = (call);                                                                                           \
		if (st != CLPAC_OK)                                                                                    \
			goto done;                                                                                     \
	} while (0)

#define FAIL(status, ...)                                                                                              \
	do {                                                                                                           \
		st = clpac__io_fail(err, status, 0, __VA_ARGS__);                                                      \
		goto done;                                                                                             \
	} while (0)

#define FAIL_SYSTEM(...)                                                                                               \
	do {                                                                                                           \
		st = clpac__io_fail_system(err, errno, __VA_ARGS__);                                                   \
		goto done;                                                                                             \
	} while (0)

#endif
