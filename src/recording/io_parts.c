/* The parts of this build of libclpac-io. */
#include "config.h"

#include <clpac/write.h>

#include <jansson.h>
#include <string.h>
#include <zip.h>
#ifdef HAVE_CAIRO
#include <cairo.h>
#endif
#ifdef HAVE_SAMPLERATE
#include <samplerate.h>
#endif

#include "base/text.h"

clpac_status clpac_io_parts(char **text, clpac_error *err)
{
	NEED(text);
	clpac__text made = {0};
	clpac__text_add(&made, "libzip %s\njansson %s\nlibmd", zip_libzip_version(), jansson_version_str());
#ifdef HAVE_CAIRO
	clpac__text_add(&made, "\ncairo %s", cairo_version_string());
#endif
#ifdef HAVE_SAMPLERATE
	/* "libsamplerate-0.2.2 (c) ..." */
	clpac__text_add(&made, "\n%.*s", (int)strcspn(src_get_version(), " "), src_get_version());
#endif
	return clpac__text_give(&made, "the list of parts", text, err);
}
