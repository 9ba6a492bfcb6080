/* Text for people on standard output and standard error. */
#include "tool/console.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "base/bytes.h"
#include "base/utf8.h"

void tool_print_column(FILE *file, const char *text, size_t width)
{
	size_t used = clpac__utf8_count(text);
	for (; *text; text++)
		putc((unsigned char)*text < 0x20 || *text == 0x7f ? '?' : *text, file);
	for (; used < width; used++)
		putc(' ', file);
}

const char *tool_bytes_text(uint64_t bytes, char text[32])
{
	double value = (double)bytes;
	size_t unit = 0;
	while (value >= 999.5 && unit + 1 < CLPAC__N_BYTE_UNITS) {
		value /= 1024;
		unit++;
	}
	if (bytes == 0)
		strcpy(text, "-");
	else
		snprintf(text, 32, "%.*f %s", unit == 0 || value >= 99.95 ? 0 : 1, value, clpac__byte_units[unit]);
	return text;
}

bool tool_has_colour(FILE *file)
{
	const char *refused = getenv("NO_COLOR"), *terminal = getenv("TERM");
	return !(refused && *refused) && terminal && strcmp(terminal, "dumb") != 0 && isatty(fileno(file));
}

void tool_warn(const tool_call *call, size_t count, const char *format, ...)
{
	if (call->values.quiet)
		return;
	bool has_colour = tool_has_colour(stderr);
	fprintf(stderr, "clpac %s: %swarning:%s ", call->command->name, has_colour ? "\033[33m" : "",
		has_colour ? "\033[0m" : "");
	va_list args;
	va_start(args, format);
	vfprintf(stderr, format, args);
	va_end(args);
	if (count > 1)
		fprintf(stderr, " (%zu times)", count);
	putc('\n', stderr);
}

void tool_note(const tool_call *call, const char *text)
{
	if (!call->values.quiet)
		fprintf(stderr, "clpac %s: note: %s\n", call->command->name, text);
}
