/* Errors of the program itself: the public headers offer no setter, so that it has its own. */
#include "tool/fail.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static void write_error(clpac_error *err, clpac_status status, int native_code, const char *format, va_list args)
{
	/* The arguments may point into err->text itself, so the text is made beside it first. */
	char text[CLPAC_ERROR_TEXT_SIZE];
	vsnprintf(text, sizeof text, format, args);
	err->status = status;
	err->native_code = native_code;
	memcpy(err->text, text, sizeof text);
}

clpac_status tool_fail(clpac_error *err, clpac_status status, int native_code, const char *format, ...)
{
	if (err) {
		va_list args;
		va_start(args, format);
		write_error(err, status, native_code, format, args);
		va_end(args);
	}
	return status;
}

clpac_status tool_fail_system(clpac_error *err, int number, const char *format, ...)
{
	if (err) {
		char text[CLPAC_ERROR_TEXT_SIZE];
		va_list args;
		va_start(args, format);
		vsnprintf(text, sizeof text, format, args);
		va_end(args);
		tool_fail(err, CLPAC_ERROR_IO, number, "%.900s: %s", text, strerror(number));
	}
	return CLPAC_ERROR_IO;
}

clpac_status tool_fail_context(clpac_error *err, clpac_status status, const char *format, ...)
{
	if (err) {
		char context[CLPAC_ERROR_TEXT_SIZE], inner[CLPAC_ERROR_TEXT_SIZE];
		va_list args;
		va_start(args, format);
		vsnprintf(context, sizeof context, format, args);
		va_end(args);
		memcpy(inner, err->text, sizeof inner);
		if (!strstr(inner, context))
			tool_fail(err, status, err->native_code, "%.400s: %.620s", context, inner);
	}
	return status;
}
