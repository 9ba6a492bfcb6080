#include "analysis/pages/page.h"

#include <math.h>
#include <string.h>
#include "analysis/pages/style.h"
#include "base/clean.h"
#include "base/memory.h"
#include "base/viridis.h"

static void add_pieces(clpac__text *page, const char *const *pieces)
{
	for (; *pieces; pieces++)
		clpac__text_add_bytes(page, *pieces, strlen(*pieces));
}

static void add_colour(clpac__text *page, double value)
{
	const clpac__colour colour = clpac__viridis(value);
	clpac__text_add(page, "#%02x%02x%02x", (unsigned)(colour.red * 255 + 0.5), (unsigned)(colour.green * 255 + 0.5),
			(unsigned)(colour.blue * 255 + 0.5));
}

static void add_style(clpac__text *page)
{
	enum { STOPS = 9 };
	clpac__text_add(page, "<style>");
	add_pieces(page, clpac__page_style);
	for (int i = 0; i < STOPS; i++) {
		clpac__text_add(page, i ? "," : "");
		add_colour(page, (double)i / (STOPS - 1));
	}
	add_pieces(page, clpac__page_style_of_maps);
	for (int i = 0; i < CLPAC__PAGE_COLOURS; i++) {
		clpac__text_add(page, ".v%d{stroke:", i);
		add_colour(page, (i + 0.5) / CLPAC__PAGE_COLOURS);
		clpac__text_add(page, "}");
	}
	clpac__text_add(page, "</style>\n");
}

void clpac__page_begin(clpac__text *page, const char *title)
{
	/* The browser is told to ask nothing of any place, whatever a name in the page holds. */
	clpac__text_add(page, "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
			      "<meta name=\"viewport\" content=\"width=device-width\">\n"
			      "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src "
			      "'unsafe-inline'; script-src 'unsafe-inline'\">\n");
	clpac__page_add(page, "title", title);
	add_style(page);
	clpac__text_add(page, "</head>\n<body>\n<main>\n");
	clpac__page_add(page, "h1", title);
}

void clpac__page_end(clpac__text *page)
{
	clpac__text_add(page, "</main>\n<script>\n");
	add_pieces(page, clpac__page_script);
	clpac__text_add(page, "</script>\n</body>\n</html>\n");
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

void clpac__page_add_number(clpac__text *page, double value, int digits)
{
	char number[CLPAC__NUMBER_SIZE];
	clpac__write_general(value, digits, number);
	clpac__text_add(page, "%s", isnan(value) ? "-" : number);
}

void clpac__page_add_band(clpac__text *page, clpac_band band)
{
	clpac__page_add_number(page, band.lo_hz, 4);
	clpac__text_add(page, "–");
	clpac__page_add_number(page, band.hi_hz, 4);
}
