/* Text for people on standard output and standard error. */
#include "tool/console.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "base/clean.h"
#include "base/memory.h"
#include "base/utf8.h"

enum { LONGEST_FORMATTED = 8192 };

/* In pieces: a text of any length is printed without memory, and standard error, which has no buffer, is not written
 * letter by letter.  The stream is locked, since the thread of phases prints, too. */
static void print_clean(FILE *file, const char *text, bool keeps_lines)
{
	enum { LONGEST_POINT = 4 };
	char piece[512];
	size_t n = 0;
	flockfile(file);
	while (*text) {
		uint32_t point;
		const size_t length = clpac__utf8_decode(text, LONGEST_POINT, &point);
		if (n + LONGEST_POINT > sizeof piece) {
			fwrite(piece, 1, n, file);
			n = 0;
		}
		if (length && (clpac__is_clean(point) || (keeps_lines && point == '\n'))) {
			memcpy(piece + n, text, length);
			n += length;
		} else {
			piece[n++] = '?';
		}
		text += length ? length : 1;
	}
	fwrite(piece, 1, n, file);
	funlockfile(file);
}

static void print_formatted(FILE *file, const char *format, va_list args)
{
	char text[LONGEST_FORMATTED];
	vsnprintf(text, sizeof text, format, args);
	print_clean(file, text, true);
}

void tool_print(FILE *file, const char *format, ...)
{
	va_list args;
	va_start(args, format);
	print_formatted(file, format, args);
	va_end(args);
}

void tool_print_lines(FILE *file, const char *text)
{
	print_clean(file, text, true);
}

void tool_print_column(FILE *file, const char *text, size_t width)
{
	size_t used = clpac__utf8_count(text);
	print_clean(file, text, false);
	for (; used < width; used++)
		putc(' ', file);
}

void tool_say(const tool_call *call, char *sentence)
{
	if (sentence && !call->values.quiet) {
		flockfile(stderr);
		tool_print(stderr, "clpac %s: ", call->command->name);
		tool_print_column(stderr, sentence, 0);
		tool_print(stderr, "\n");
		funlockfile(stderr);
	}
	clpac__free(sentence);
}

void tool_style(FILE *file, tool_style_kind style)
{
	static const char *const escapes[] = {[TOOL_PLAIN] = "\033[0m",
					      [TOOL_BOLD] = "\033[1m",
					      [TOOL_YELLOW] = "\033[33m",
					      [TOOL_WIPED] = "\r\033[K"};
	fputs(escapes[style], file);
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
	flockfile(stderr);
	fprintf(stderr, "clpac %s: ", call->command->name);
	if (has_colour)
		tool_style(stderr, TOOL_YELLOW);
	fputs("warning:", stderr);
	if (has_colour)
		tool_style(stderr, TOOL_PLAIN);
	putc(' ', stderr);
	va_list args;
	va_start(args, format);
	print_formatted(stderr, format, args);
	va_end(args);
	if (count > 1)
		fprintf(stderr, " (%zu times)", count);
	putc('\n', stderr);
	funlockfile(stderr);
}

void tool_note(const tool_call *call, const char *text)
{
	if (!call->values.quiet)
		tool_print(stderr, "clpac %s: note: %s\n", call->command->name, text);
}
