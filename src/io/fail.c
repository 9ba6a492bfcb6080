/* Errors of files and plots: the public headers offer no setter, so that src/io has its own. */
#include "io/fail.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static void write_error(clpac_error *err, clpac_status status, int native_code, const char *format, va_list args)
{
	/* The arguments may point into err->text itself, so the text is made beside it first. */
	char text[CLPAC_ERROR_TEXT_SIZE];
	vsnprintf(text, sizeof text, format, args);
	/* Names in files may hold anything, and an error is one line on somebody's terminal. */
	for (char *c = text; *c; c++)
		if ((unsigned char)*c < ' ' || *c == 0x7f)
			*c = '?';
	err->status = status;
	err->native_code = native_code;
	memcpy(err->text, text, sizeof text);
}

clpac_status clpac__io_fail(clpac_error *err, clpac_status status, int native_code, const char *format, ...)
{
	if (err) {
		va_list args;
		va_start(args, format);
		write_error(err, status, native_code, format, args);
		va_end(args);
	}
	return status;
}

clpac_status clpac__io_fail_system(clpac_error *err, int number, const char *format, ...)
{
	if (err) {
		va_list args;
		va_start(args, format);
		write_error(err, CLPAC_ERROR_IO, number, format, args);
		va_end(args);

		/* The reason matters more than the end of a very long path. */
		char space[128];
#if defined(_GNU_SOURCE) && defined(__GLIBC__)
		const char *reason = strerror_r(number, space, sizeof space);
#else
		const char *reason = strerror_r(number, space, sizeof space) ? "unknown error" : space;
#endif
		size_t length = strlen(err->text), room = sizeof err->text - strlen(reason) - 3;
		if (length > room)
			length = room;
		snprintf(err->text + length, sizeof err->text - length, ": %s", reason);
	}
	return CLPAC_ERROR_IO;
}
