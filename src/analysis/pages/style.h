/* The texts that every page has: its style, in two pieces between which the colours of maps stand, and its script. */
#ifndef CLPAC_ANALYSIS_PAGES_STYLE_H
#define CLPAC_ANALYSIS_PAGES_STYLE_H

enum { CLPAC__PAGE_COLOURS = 64 }; /* classes v0 to v63 */

/* Pieces, up to NULL. */
extern const char *const clpac__page_style[], *const clpac__page_style_of_maps[], *const clpac__page_script[];

#endif
