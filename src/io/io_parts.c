/* The parts of this build of libclpac-io. */
#include "config.h"

#include <clpac/io.h>

#include <jansson.h>
#include <zip.h>
#ifdef HAVE_CAIRO
#include <cairo.h>
#endif

#include "base/text.h"

clpac_status clpac_io_parts(char **text, clpac_error *err)
{
	NEED(text);
	clpac_status st = CLPAC_OK;
	clpac__text made = {0};
	clpac__text_add(&made, "libzip %s\njansson %s\nlibmd", zip_libzip_version(), jansson_version_str());
#ifdef HAVE_CAIRO
	clpac__text_add(&made, "\ncairo %s", cairo_version_string());
#endif
	char *whole = clpac__text_take(&made);
	if (!whole)
		FAIL(CLPAC_ERROR_NO_MEMORY, "the host has no memory left for the list of parts");
	*text = whole;
done:
	return st;
}
