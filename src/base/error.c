#include "base/error.h"

#include <stdio.h>
#include <string.h>

#include <clpac/version.h>

#include "base/clean.h"
#include "base/memory.h"

static void write_error(clpac_error *err, clpac_status status, int native_code, const char *format, va_list args)
{
	if (!err)
		return;
	/* The arguments may point into err->text itself, so the text is made beside it first. */
	char text[CLPAC_ERROR_TEXT_SIZE];
	vsnprintf(text, sizeof text, format, args);
	/* Names in files may hold anything, and an error is one line on somebody's terminal. */
	clpac__clean(text);
	memset(err, 0, sizeof *err);
	err->status = status;
	err->native_code = native_code;
	memcpy(err->text, text, sizeof text);
}

clpac_status clpac__of_member(clpac_error *err, clpac_status status, const char *member)
{
	if (err)
		snprintf(err->member, sizeof err->member, "%s", member);
	return status;
}

clpac_status clpac__of_line(clpac_error *err, clpac_status status, uint64_t line)
{
	if (err)
		err->line = line;
	return status;
}

clpac_status clpac__of_bytes(clpac_error *err, clpac_status status, uint64_t wanted, uint64_t available)
{
	if (err)
		err->wanted_bytes = wanted, err->available_bytes = available;
	return status;
}

clpac_status clpac__fail_as(clpac_error *err, const clpac_error *why)
{
	const clpac_status st = why->status;
	if (err)
		*err = *why;
	return st;
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

clpac_status clpac__fail_system(clpac_error *err, int number, const char *format, ...)
{
	const clpac_status st = number == ENOMEM ? CLPAC_ERROR_NO_MEMORY : CLPAC_ERROR_IO;
	if (!err)
		return st;
	va_list args;
	va_start(args, format);
	write_error(err, st, number, format, args);
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
	return st;
}

clpac_status clpac__fail_no_memory(clpac_error *err, size_t bytes)
{
	clpac__fail(err, CLPAC_ERROR_NO_MEMORY, "the host has no memory left for %zu bytes", bytes);
	return clpac__of_bytes(err, CLPAC_ERROR_NO_MEMORY, bytes, 0);
}

clpac_status clpac__fail_context(clpac_error *err, clpac_status status, const char *format, ...)
{
	if (!err)
		return status;
	clpac_error context, inner = *err;
	va_list args;
	va_start(args, format);
	write_error(&context, status, 0, format, args);
	va_end(args);
	clpac__fail(err, inner.status, "%.511s: %.511s", context.text, inner.text);
	memcpy(inner.text, err->text, sizeof inner.text);
	*err = inner;
	return inner.status;
}

/* --- Pointers that are required --------------------------------------------------------------- */

/* Refusing NULL. */

clpac_status clpac__need_fail(clpac_error *err, const char *function, const char *parameter)
{
	return clpac__of_member(err, clpac__fail(err, CLPAC_ERROR_ARGUMENT, "%s: %s is NULL", function, parameter),
				parameter);
}

/* --- Statuses in words ------------------------------------------------------------------------ */

/* Public functions on statuses, texts and the version.  The rest of this folder is private, and linked into every
 * library. */

static const char *const status_text[] = {
	[CLPAC_OK] = "success",
	[CLPAC_ERROR_ARGUMENT] = "wrong argument",
	[CLPAC_ERROR_NO_MEMORY] = "out of memory",
	[CLPAC_ERROR_NO_DEVICE_MEMORY] = "out of device memory",
	[CLPAC_ERROR_NO_DEVICE] = "no such device",
	[CLPAC_ERROR_DEVICE] = "device failure",
	[CLPAC_ERROR_BUILD] = "kernel build failure",
	[CLPAC_ERROR_FORMAT] = "bad data",
	[CLPAC_ERROR_IO] = "input or output error",
	[CLPAC_ERROR_UNSUPPORTED] = "not supported",
	[CLPAC_ERROR_CANCELLED] = "cancelled",
	[CLPAC_ERROR_INTERNAL] = "internal error",
	[CLPAC_ERROR_FORKED] = "opened in another process",
};
_Static_assert(sizeof status_text / sizeof *status_text == CLPAC_STATUS_COUNT, "one text per status");

const char *clpac_status_text(clpac_status status)
{
	return (unsigned)status < CLPAC_STATUS_COUNT ? status_text[status] : "unknown status";
}

void clpac_text_free(char *text)
{
	clpac__free(text);
}

const char *clpac_version(void)
{
	return CLPAC_VERSION_STRING;
}
