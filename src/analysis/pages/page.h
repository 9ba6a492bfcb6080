/* Pages for people: HTML in one file, with its pictures inside it, that asks nothing of any other place.  They grow in
 * a text, whose failures clpac__text_take tells. */
#ifndef CLPAC_ANALYSIS_PAGES_PAGE_H
#define CLPAC_ANALYSIS_PAGES_PAGE_H

#include <jansson.h>
#include <stdbool.h>
#include "base/error.h"
#include "base/text.h"

/* The head of a page, up to its heading; and its end. */
void clpac__page_begin(clpac__text *page, const char *title);
void clpac__page_end(clpac__text *page);
/* A text from anywhere, as text: what it holds is no markup. */
void clpac__page_add_text(clpac__text *page, const char *text);
/* An element that holds a text alone: "p", "h2", "li", "td".  NULL in place of the text: the element is left out. */
void clpac__page_add(clpac__text *page, const char *element, const char *text);
/* A picture, .svg or .png by its ending, whose bytes come into the page.
 * @param[out] is_there whether there is such a file; if not, nothing is added. */
clpac_status clpac__page_add_picture(clpac__text *page, const char *path, const char *description, bool *is_there,
				     clpac_error *err);

/* A section of a result: its sentence, picture, cautions, peaks, parameters and methods, from OUT.json and the picture
 * beside it.  Errors: those of reading. */
clpac_status clpac__page_add_result(clpac__text *page, const char *json_path, clpac_error *err);
/* The methods of a result in sentences, for a paper. */
void clpac__page_add_methods(clpac__text *page, const json_t *result);

#endif
