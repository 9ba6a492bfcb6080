/* Surfaces of cairo, written through a clpac__output. */
#include "recording/plot/plot_parts.h"
#include "recording/output.h"
#include "base/utf8.h"
#include "base/cancel.h"
#include "base/memory.h"

#include <clpac/version.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <cairo-pdf.h>
#include <cairo-svg.h>

/* 300 dots per inch, as journals require. */
static const double pixels_per_point = 300.0 / 72;

struct clpac__page {
	const char *path;
	const struct format *format;
	clpac__output *output;
	cairo_surface_t *surface;
	cairo_t *cairo;
	clpac__text content, texts; /* of an SVG: what cairo wrote, and the elements to add to it */
	clpac_status st;	    /* the status of the output; cairo only reports that writing failed */
	clpac_error failure;
};

static cairo_status_t write_piece(void *user, const unsigned char *piece, unsigned bytes)
{
	clpac__page *page = user;
	if (page->st == CLPAC_OK)
		page->st = clpac__output_write(page->output, piece, bytes, &page->failure);
	return page->st == CLPAC_OK ? CAIRO_STATUS_SUCCESS : CAIRO_STATUS_WRITE_ERROR;
}

static cairo_surface_t *open_png(clpac__page *page, double width, double height, const char *title)
{
	(void)page;
	(void)title;
	cairo_surface_t *surface = cairo_image_surface_create(CAIRO_FORMAT_RGB24, (int)ceil(width * pixels_per_point),
							      (int)ceil(height * pixels_per_point));
	cairo_surface_set_device_scale(surface, pixels_per_point, pixels_per_point);
	return surface;
}

static cairo_status_t keep_piece(void *user, const unsigned char *piece, unsigned bytes)
{
	clpac__page *page = user;
	clpac__text_add_bytes(&page->content, (const char *)piece, bytes);
	return page->content.failed ? CAIRO_STATUS_NO_MEMORY : CAIRO_STATUS_SUCCESS;
}

static cairo_surface_t *open_svg(clpac__page *page, double width, double height, const char *title)
{
	(void)title;
	return cairo_svg_surface_create_for_stream(keep_piece, page, width, height);
}

static cairo_surface_t *open_pdf(clpac__page *page, double width, double height, const char *title)
{
	cairo_surface_t *surface = cairo_pdf_surface_create_for_stream(write_piece, page, width, height);
	cairo_pdf_surface_set_metadata(surface, CAIRO_PDF_METADATA_TITLE, title);
	cairo_pdf_surface_set_metadata(surface, CAIRO_PDF_METADATA_CREATOR, "clpac " CLPAC_VERSION_STRING);
	return surface;
}

static cairo_status_t finish_png(clpac__page *page)
{
	return cairo_surface_write_to_png_stream(page->surface, write_piece, page);
}

static cairo_status_t finish_vector(clpac__page *page)
{
	cairo_surface_finish(page->surface);
	return cairo_surface_status(page->surface);
}

/* The end of the outermost element, before which the texts go; NULL where there is none. */
static const char *find_end(const char *svg)
{
	const char *end = NULL;
	for (const char *at = svg; at && (at = strstr(at, "</svg>")); at++)
		end = at;
	return end;
}

/* Numbers by which cairo tells images apart: those of the surfaces that the process has made.  Equal pictures shall be
 * equal files, so that they become the order in which they are met. */
struct numbers {
	unsigned long *each; /* owned */
	size_t n, capacity;
};

static clpac_status find_rank(struct numbers *numbers, unsigned long number, size_t *rank, clpac_error *err)
{
	for (*rank = 0; *rank < numbers->n; ++*rank)
		if (numbers->each[*rank] == number)
			return CLPAC_OK;
	RETURN_IF_ERROR(ROOM_FOR_ONE(numbers->each, numbers->n, numbers->capacity, 8));
	numbers->each[numbers->n++] = number;
	return CLPAC_OK;
}

/* The next of these from `at` on, before `end`; NULL: there is none.  Sets *which it is. */
static const char *find_next(const char *at, const char *end, const char *const *names, size_t n_names, size_t *which)
{
	for (const char *from = at; (from = memchr(from, '"', (size_t)(end - from))); from++)
		for (*which = 0; *which < n_names; ++*which) {
			const size_t n = strlen(names[*which]), before = strcspn(names[*which], "\"");
			if ((size_t)(from - at) >= before && (size_t)(end - from) > n - before &&
			    memcmp(from - before, names[*which], n) == 0)
				return from - before;
		}
	return NULL;
}

/* Nothing refers to the number of a page's group (cairo 1.16), which is left out. */
static clpac_status write_renumbered(clpac__page *page, const char *svg, const char *end)
{
	enum { GROUP = 0, N_NAMES = 3 };
	static const char *const names[N_NAMES] = {" id=\"surface", " id=\"image", "\"#image"};
	clpac_status st = CLPAC_OK;
	clpac_error *err = &page->failure;
	struct numbers numbers = {.n = 0};
	char text[40];
	for (const char *at = svg; at < end;) {
		size_t which, rank;
		const char *next = find_next(at, end, names, N_NAMES, &which), *stop = next ? next : end;
		char *behind;
		if (stop > at)
			TRY(clpac__output_write(page->output, at, (size_t)(stop - at), err));
		if (!next)
			break;
		const unsigned long number = strtoul(next + strlen(names[which]), &behind, 10);
		at = which == GROUP && *behind == '"' ? behind + 1 : behind;
		if (which == GROUP)
			continue;
		TRY(find_rank(&numbers, number, &rank, err));
		snprintf(text, sizeof text, "%s%zu", names[which], rank);
		TRY(clpac__output_write(page->output, text, strlen(text), err));
	}
done:
	clpac__free(numbers.each);
	return st;
}

/* cairo writes letters as shapes; the texts stand above everything that it drew. */
static cairo_status_t finish_svg(clpac__page *page)
{
	cairo_status_t status = finish_vector(page);
	if (status != CAIRO_STATUS_SUCCESS)
		return status;
	const char *svg = page->content.data, *end = find_end(svg);
	if (page->texts.failed || !end)
		return page->texts.failed ? CAIRO_STATUS_NO_MEMORY : CAIRO_STATUS_WRITE_ERROR;
	page->st = write_renumbered(page, svg, end);
	if (page->st == CLPAC_OK && page->texts.length)
		page->st = clpac__output_write(page->output, page->texts.data, page->texts.length, &page->failure);
	if (page->st == CLPAC_OK)
		page->st = clpac__output_write(page->output, end, page->content.length - (size_t)(end - svg),
					       &page->failure);
	return CAIRO_STATUS_SUCCESS;
}

static const struct format {
	const char *ending;
	cairo_surface_t *(*open)(clpac__page *page, double width, double height, const char *title);
	cairo_status_t (*finish)(clpac__page *page);
} formats[] = {
	{".png", open_png, finish_png},
	{".svg", open_svg, finish_svg},
	{".pdf", open_pdf, finish_vector},
};

static const struct format *find_format(const char *path)
{
	const char *ending = strrchr(path, '.');
	for (size_t i = 0; ending && i < sizeof formats / sizeof *formats; i++)
		if (strcasecmp(ending, formats[i].ending) == 0)
			return &formats[i];
	return NULL;
}

/* Bytes of host memory that a drawing may take: its pixels, of which libpng copies some rows, and fonts with the lists
 * of all installed ones.  The libraries below cairo crash where they are refused memory, so it is asked for before. */
static size_t room_for(double width, double height)
{
	enum { FONTS = 32 << 20, BYTES_OF_A_PIXEL = 4 };
	return FONTS + (size_t)(width * height * pixels_per_point * pixels_per_point * BYTES_OF_A_PIXEL);
}

static clpac_status explain(clpac__page *page, cairo_status_t status, clpac_error *err)
{
	if (page->st != CLPAC_OK) {
		if (err)
			*err = page->failure;
		return page->st;
	}
	if (status == CAIRO_STATUS_NO_MEMORY)
		return clpac__fail(err, CLPAC_ERROR_NO_MEMORY,
				   "drawing %s: the host has no memory left for the drawing", page->path);
	return clpac__fail(err, CLPAC_ERROR_INTERNAL, "drawing %s: %s", page->path, cairo_status_to_string(status));
}

double clpac__points_of(double width_mm)
{
	return width_mm / 25.4 * 72;
}

clpac_status clpac__page_open(const char *path, const clpac__output_way *way, clpac__page_size size, const char *title,
			      clpac__page **out, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	clpac__page *made = NULL;
	const double least_mm = 20, most_mm = 1000, scale = size.mm ? clpac__points_of(size.mm) / size.width : 1;
	const double width = size.width * scale, height = size.height * scale;
	if (size.mm && !(size.mm >= least_mm && size.mm <= most_mm))
		RETURN_ERROR(CLPAC_ERROR_ARGUMENT, "a width of %g mm: it must be %g to %g", size.mm, least_mm, most_mm);
	const struct format *format = find_format(path);
	char *mended_title = NULL; /* cairo refuses a title that is not UTF-8 */
	if (!format)
		FAIL(CLPAC_ERROR_ARGUMENT,
		     "plot %s: its ending says no format that can be drawn; use .png, .svg or .pdf", path);
	if (!(made = clpac__alloc_zero(sizeof *made)) || !(mended_title = clpac__utf8_mended(title)))
		FAIL(CLPAC_ERROR_NO_MEMORY, "drawing %s: the host has no memory left for %zu bytes", path,
		     sizeof *made);
	if (!clpac__has_room(room_for(width, height)))
		FAIL(CLPAC_ERROR_NO_MEMORY,
		     "drawing %s: the host has no memory left for the %zu bytes that the drawing may take", path,
		     room_for(width, height));
	made->path = path;
	made->format = format;
	TRY(clpac__output_open_way(path, way, &made->output, err));
	made->surface = format->open(made, width, height, mended_title);
	made->cairo = cairo_create(made->surface);
	if (cairo_status(made->cairo) != CAIRO_STATUS_SUCCESS) {
		st = explain(made, cairo_status(made->cairo), err);
		goto done;
	}
	if (format->finish == finish_svg)
		clpac__collect_texts(made->cairo, &made->texts);
	cairo_set_source_rgb(made->cairo, 1, 1, 1);
	cairo_paint(made->cairo);
	cairo_scale(made->cairo, scale, scale);
	*out = made, made = NULL;
done:
	clpac__page_discard(made);
	clpac__free(mended_title);
	return st;
}

cairo_t *clpac__page_cairo(clpac__page *page)
{
	return page->cairo;
}

clpac_status clpac__page_commit(clpac__page *page, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	cairo_status_t status = cairo_status(page->cairo);
	RETURN_IF_ERROR(clpac_cancel_check(err));
	if (status == CAIRO_STATUS_SUCCESS)
		status = page->format->finish(page);
	if (status != CAIRO_STATUS_SUCCESS || page->st != CLPAC_OK) {
		st = explain(page, status, err);
		return st;
	}
	RETURN_IF_ERROR(clpac__output_commit(page->output, err));
	return st;
}

void clpac__page_discard(clpac__page *page)
{
	if (!page)
		return;
	cairo_destroy(page->cairo);
	/* Ends the stream while the output still exists. */
	cairo_surface_destroy(page->surface);
	clpac__text_clear(&page->content);
	clpac__text_clear(&page->texts);
	clpac__output_discard(page->output);
	clpac__free(page);
}
