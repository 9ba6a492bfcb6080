/* Text for people on standard output and standard error. */
#include "tool/console.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "base/bytes.h"
#include "base/clean.h"
#include "base/memory.h"
#include "base/utf8.h"

/* A text that finds no memory is cut: what is printed for people is still better than nothing. */
static void print_text(FILE *file, const char *format, va_list args)
{
	char room[1024];
	va_list again;
	va_copy(again, args);
	const int n = vsnprintf(room, sizeof room, format, args);
	char *text = n >= (int)sizeof room ? clpac__alloc((size_t)n + 1) : NULL;
	if (text)
		vsnprintf(text, (size_t)n + 1, format, again);
	va_end(again);
	if (n >= 0)
		fputs(clpac__clean_lines(text ? text : room), file);
	clpac__free(text);
}

void tool_print(FILE *file, const char *format, ...)
{
	va_list args;
	va_start(args, format);
	print_text(file, format, args);
	va_end(args);
}

void tool_print_column(FILE *file, const char *text, size_t width)
{
	char room[1024], *copy = strlen(text) < sizeof room ? NULL : clpac__strdup(text);
	if (!copy)
		snprintf(room, sizeof room, "%s", text);
	const char *clean = clpac__clean(copy ? copy : room);
	size_t used = clpac__utf8_count(clean);
	fputs(clean, file);
	for (; used < width; used++)
		putc(' ', file);
	clpac__free(copy);
}

void tool_style(FILE *file, tool_style_kind style)
{
	static const char *const escapes[] = {[TOOL_PLAIN] = "\033[0m",
					      [TOOL_BOLD] = "\033[1m",
					      [TOOL_YELLOW] = "\033[33m",
					      [TOOL_WIPED] = "\r\033[K"};
	fputs(escapes[style], file);
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
	fprintf(stderr, "clpac %s: ", call->command->name);
	if (has_colour)
		tool_style(stderr, TOOL_YELLOW);
	fputs("warning:", stderr);
	if (has_colour)
		tool_style(stderr, TOOL_PLAIN);
	putc(' ', stderr);
	va_list args;
	va_start(args, format);
	print_text(stderr, format, args);
	va_end(args);
	if (count > 1)
		fprintf(stderr, " (%zu times)", count);
	putc('\n', stderr);
}

void tool_note(const tool_call *call, const char *text)
{
	if (!call->values.quiet)
		tool_print(stderr, "clpac %s: note: %s\n", call->command->name, text);
}
