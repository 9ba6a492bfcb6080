/* Writing errors. */
#include "base/error.h"

#include <stdio.h>
#include <string.h>

static void write_error(clpac_error *err, clpac_status status, int native_code, const char *format, va_list args)
{
	if (!err)
		return;
	/* The arguments may point into err->text itself, so the text is made beside it first. */
	char text[CLPAC_ERROR_TEXT_SIZE];
	vsnprintf(text, sizeof text, format, args);
	err->status = status;
	err->native_code = native_code;
	memcpy(err->text, text, sizeof text);
}

clpac_status clpac__fail(clpac_error *err, clpac_status status, const char *format, ...)
{
	va_list args;
	va_start(args, format);
	write_error(err, status, 0, format, args);
	va_end(args);
	return status;
}

clpac_status clpac__fail_native(clpac_error *err, clpac_status status, int native_code, const char *format, ...)
{
	va_list args;
	va_start(args, format);
	write_error(err, status, native_code, format, args);
	va_end(args);
	return status;
}

clpac_status clpac__fail_context(clpac_error *err, clpac_status status, const char *format, ...)
{
	if (!err)
		return status;
	char context[CLPAC_ERROR_TEXT_SIZE], inner[CLPAC_ERROR_TEXT_SIZE];
	va_list args;
	va_start(args, format);
	vsnprintf(context, sizeof context, format, args);
	va_end(args);
	memcpy(inner, err->text, sizeof inner);
	snprintf(err->text, sizeof err->text, "%.511s: %.511s", context, inner);
	return status;
}
