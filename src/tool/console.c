/* Text as the program prints it. */
#include "tool/console.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

size_t tool_width(const char *text)
{
	size_t width = 0;
	for (; *text; text++)
		width += ((unsigned char)*text & 0xc0) != 0x80;
	return width;
}

void tool_print_column(FILE *file, const char *text, size_t width)
{
	size_t used = tool_width(text);
	for (; *text; text++)
		putc((unsigned char)*text < 0x20 || *text == 0x7f ? '?' : *text, file);
	for (; used < width; used++)
		putc(' ', file);
}

const char *tool_bytes_text(uint64_t bytes, char text[32])
{
	static const char *const units[] = {"B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
	double value = (double)bytes;
	size_t unit = 0;
	while (value >= 999.5 && unit + 1 < sizeof units / sizeof *units) {
		value /= 1024;
		unit++;
	}
	if (bytes == 0)
		strcpy(text, "-");
	else
		snprintf(text, 32, "%.*f %s", unit == 0 || value >= 99.95 ? 0 : 1, value, units[unit]);
	return text;
}

const char *tool_number_text(double value, char text[32])
{
	for (int precision = 6; precision <= 17; precision++) {
		snprintf(text, 32, "%.*g", precision, value);
		if (strtod(text, NULL) == value)
			break;
	}
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
