/* kernel_text [WIDTH BINS] - prints the kernels as the library hands them to a driver, or the options with which it has
 * them built for vectors of WIDTH bands and BINS bins; for vectors of one band as on GPUs.  For
 * scripts/check-vendors.sh. */
#include <stdio.h>
#include <stdlib.h>

#include "base/memory.h"
#include "coupling/opencl/opencl_compute.h"

int main(int n, char **arguments)
{
	clpac_error err;
	char options[192], *source = NULL;
	if (n == 3) {
		const unsigned width = (unsigned)atoi(arguments[1]);
		clpac__opencl_options(width, (unsigned)atoi(arguments[2]), width == 1, true, options, sizeof options);
		puts(options);
		return 0;
	}
	if (n != 1 || clpac__opencl_source(CLPAC__OPENCL_ALL, &source, &err) != CLPAC_OK) {
		fprintf(stderr, "usage: kernel_text [WIDTH BINS]\n");
		return 2;
	}
	fputs(source, stdout);
	clpac__free(source);
	return 0;
}
