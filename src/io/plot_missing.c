/* Plots of a build without cairo. */
#include <clpac/io.h>

#include "base/need.h"
#include "io/fail.h"

clpac_status clpac_result_plot(const clpac_result *result, const char *path, const clpac_plot_options *options,
			       clpac_error *err)
{
	NEED(result);
	NEED(path);
	(void)result;
	(void)options;
	return clpac__io_fail(err, CLPAC_ERROR_UNSUPPORTED, 0,
			      "plot %s: this build has no cairo to draw with; configure clpac --with-cairo=yes", path);
}
