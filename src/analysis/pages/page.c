#include "analysis/pages/page.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include "base/ascii.h"
#include "base/clean.h"
#include "base/memory.h"
#include "base/regular_file.h"

static const char style[] =
	"body{font:16px/1.5 sans-serif;max-width:60em;margin:2em auto;padding:0 1em;color:#222}"
	"h2{border-top:1px solid #ccc;padding-top:1em;overflow-wrap:anywhere}img{max-width:100%}"
	"table{border-collapse:collapse;font-size:14px}td,th{border-bottom:1px solid #ddd;padding:.2em .8em .2em 0;"
	"text-align:left;vertical-align:top;overflow-wrap:anywhere}";

void clpac__page_begin(clpac__text *page, const char *title)
{
	clpac__text_add(page, "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
			      "<meta name=\"viewport\" content=\"width=device-width\">\n");
	clpac__page_add(page, "title", title);
	clpac__text_add(page, "<style>%s</style>\n</head>\n<body>\n", style);
	clpac__page_add(page, "h1", title);
}

void clpac__page_end(clpac__text *page)
{
	clpac__text_add(page, "</body>\n</html>\n");
}

void clpac__page_add_text(clpac__text *page, const char *text)
{
	char *clean = clpac__cleaned(text);
	page->failed |= !clean;
	for (const char *at = clean; at && *at;) {
		const size_t n = strcspn(at, "&<>\"");
		clpac__text_add_bytes(page, at, n);
		at += n;
		if (*at)
			clpac__text_add(page, "&#%d;", *at++);
	}
	clpac__free(clean);
}

void clpac__page_add(clpac__text *page, const char *element, const char *text)
{
	if (!text)
		return;
	clpac__text_add(page, "<%s>", element);
	clpac__page_add_text(page, text);
	clpac__text_add(page, "</%s>\n", element);
}

/* --- Pictures ------------------------------------------------------------------------------------ */

/* Three bytes, of which n are there, as four letters. */
static void add_base64(clpac__text *page, const unsigned char bytes[3], size_t n)
{
	static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
	const uint32_t bits = (uint32_t)bytes[0] << 16 | (uint32_t)(n > 1 ? bytes[1] : 0) << 8 | (n > 2 ? bytes[2] : 0);
	char four[4];
	for (size_t i = 0; i < sizeof four; i++)
		four[i] = i > n ? '=' : letters[bits >> (18 - 6 * i) & 63];
	clpac__text_add_bytes(page, four, sizeof four);
}

clpac_status clpac__page_add_picture(clpac__text *page, const char *path, const char *description, bool *is_there,
				     clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	FILE *file = NULL;
	struct stat facts;
	unsigned char bytes[3];
	size_t n;
	*is_there = stat(path, &facts) == 0;
	if (!*is_there)
		return CLPAC_OK;
	TRY(clpac__regular_file_open(path, "reading", &file, err));
	/* As a picture of its own: the names in one SVG are those in the next. */
	clpac__text_add(page, "<p><img alt=\"");
	clpac__page_add_text(page, description);
	clpac__text_add(page, "\" src=\"data:image/%s;base64,", clpac__ends_with(path, ".png") ? "png" : "svg+xml");
	while ((n = fread(bytes, 1, sizeof bytes, file)) > 0)
		add_base64(page, bytes, n);
	clpac__text_add(page, "\"></p>\n");
	if (ferror(file))
		FAIL_SYSTEM("reading %s", path);
done:
	if (file)
		fclose(file);
	return st;
}
