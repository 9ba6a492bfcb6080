/* clpac-probe LIMIT [VENDOR'S FILE]: the program in which libclpac-memory tries out OpenCL's drivers.
 *
 * It is started by the library alone, and writes a clpac__probe_result to its standard output.  It tries the drivers in
 * a child of its own, so that it can tell how they fail.
 */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/text.h"
#include "memory/opencl/opencl_probe.h"

int main(int n, char **arguments)
{
	clpac__probe_result result;
	const char *end = "";
	double limit_s = 0;
	if (n < 2 || n > 3 || !clpac__parse_number(arguments[1], &limit_s, &end) || *end || !(limit_s > 0) ||
	    limit_s > CLPAC__PROBE_LONGEST_S || isatty(STDOUT_FILENO)) {
		fputs("clpac-probe is started by libclpac-memory, to try out OpenCL's drivers\n", stderr);
		return EXIT_FAILURE;
	}
	clpac__opencl_probe_here(n > 2 ? arguments[2] : NULL, limit_s, &result);
	return clpac__probe_report(STDOUT_FILENO, &result) ? EXIT_SUCCESS : EXIT_FAILURE;
}
