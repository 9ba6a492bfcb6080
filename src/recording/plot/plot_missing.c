/* Stands in for plots in a build without cairo: an error that says so. */
#include <clpac/plot.h>

#include "base/sized.h"

static clpac_status refuse(const char *path, clpac_error *err)
{
	return clpac__fail(err, CLPAC_ERROR_UNSUPPORTED,
			   "plot %s: this build has no cairo to draw with; configure clpac --with-cairo=yes", path);
}

clpac_status clpac_result_plot(const clpac_result *result, const char *path, const clpac_plot_options *options,
			       clpac_error *err)
{
	NEED(result, path);
	(void)result;
	clpac_plot_options own;
	const clpac_status st = clpac__take_sized(&own, options, clpac_plot_options, err);
	return st ? st : refuse(path, err);
}

bool clpac_plots_are_available(void)
{
	return false;
}
