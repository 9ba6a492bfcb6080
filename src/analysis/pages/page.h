/* Pages for people: HTML in one file that asks nothing of any other place and needs no script to be read.  They grow in
 * a text, whose failures clpac__text_take tells. */
#ifndef CLPAC_ANALYSIS_PAGES_PAGE_H
#define CLPAC_ANALYSIS_PAGES_PAGE_H

#include <jansson.h>
#include <stdbool.h>
#include <clpac/result.h>
#include <clpac/write.h>
#include "base/error.h"
#include "base/text.h"

/* A result on a page. */
typedef struct clpac__shown {
	const char *name; /* of its section */
	const clpac_result *result;
	const json_t *facts; /* the members of OUT.json */
	size_t number;	     /* of the section in its page, from 0, with which names within the page begin */
} clpac__shown;

/* --- Writing HTML (page.c) ----------------------------------------------------------------------- */

/* The head of a page, up to its heading; and its end. */
void clpac__page_begin(clpac__text *page, const char *title);
void clpac__page_end(clpac__text *page);
/* A text from anywhere, as text: what it holds is no markup. */
void clpac__page_add_text(clpac__text *page, const char *text);
/* An element that holds a text alone: "p", "h2", "li", "td".  NULL in place of the text: the element is left out. */
void clpac__page_add(clpac__text *page, const char *element, const char *text);
/* A number of so many digits, "-" for NaN, with a decimal point whatever the locale. */
void clpac__page_add_number(clpac__text *page, double value, int digits);
/* "4.5–7.5" of a band. */
void clpac__page_add_band(clpac__text *page, clpac_band band);

/* --- Parts of the section of a result ------------------------------------------------------------ */

/* The whole section (result.c). */
clpac_status clpac__page_add_result(clpac__text *page, const clpac__shown *shown, clpac_error *err);
/* The question that the result answers, in a paragraph (methods.c). */
void clpac__page_add_question(clpac__text *page, const clpac__shown *shown);
/* The methods of a result in sentences, for a paper, with their literature (methods.c). */
void clpac__page_add_methods(clpac__text *page, const json_t *facts);
/* The filters of a result that has them, drawn as the power that they let through (filters.c). */
clpac_status clpac__page_add_filters(clpac__text *page, const clpac__shown *shown, clpac_error *err);
/* The spectra of all channels in a drawing, of a comparison before them those of its recordings; and that of a row's
 * channel or channels; nothing where the record of the result has none (spectrum.c). */
void clpac__page_add_spectra(clpac__text *page, const clpac__shown *shown);
void clpac__page_add_spectrum(clpac__text *page, const clpac__shown *shown, size_t row);
/* All channels in one: the share that is significant in each cell, and the head at the peak, where there are four
 * channels for that (all_channels.c). */
clpac_status clpac__page_add_all_channels(clpac__text *page, const clpac__shown *shown, clpac_error *err);
/* The maps of all channels, and what is known of each cell for the script (maps.c). */
clpac_status clpac__page_add_maps(clpac__text *page, const clpac__shown *shown, clpac_error *err);

/* --- Whole pages (report.c) ---------------------------------------------------------------------- */

/* The section of a result that lies in a file, with what OUT.json beside it tells.
 * Errors: those of clpac_analysis_load and of reading JSON. */
clpac_status clpac__page_add_file(clpac__text *page, const char *npz_path, size_t number, clpac_error *err);
/* The page of n results in files, written as clpac_write_options say.  Errors: also those of writing. */
clpac_status clpac__page_write_files(const char *const *npz_paths, size_t n, const char *path,
				     const clpac_write_options *options, clpac_error *err);

/* The same page of a result that will lie in such a file. */
clpac_status clpac__page_write(const clpac_result *result, const char *npz_path, const char *path,
			       const clpac_write_options *options, clpac_error *err);

#endif
