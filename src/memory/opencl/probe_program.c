/* clpac-probe LIMIT [ROOM [FOLDER [LIBRARY]]]: the program in which libclpac-memory tries out OpenCL's drivers.
 *
 * An empty FOLDER is none; LIBRARY is the path of OpenCL's loader.  It is started by the library alone, and writes a
 * clpac__probe_result to its standard output.  It tries the drivers in a child of its own, so that it can tell how they
 * fail.
 */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/text.h"
#include "memory/device/probe_child.h"
#include "memory/opencl/calls.h"
#include "memory/opencl/opencl_probe.h"

typedef struct look {
	const char *folder, *library; /* nullable */
	uint64_t room;
} look;

static int look_at(void *user)
{
	const look *what = user;
	bool is_new;
	if (what->library && clpac__opencl_use(what->library, &is_new, NULL) != CLPAC_OK)
		return 0;
	return clpac__opencl_look(what->folder, what->room);
}

int main(int n, char **arguments)
{
	clpac__probe_result result;
	const char *end = "";
	double limit_s = 0, room = 0;
	if (n < 2 || n > 5 || !clpac__parse_number(arguments[1], &limit_s, &end) || *end || !(limit_s > 0) ||
	    limit_s > CLPAC__PROBE_LONGEST_S ||
	    (n > 2 && (!clpac__parse_number(arguments[2], &room, &end) || *end || !(room >= 0) || room > 1e18)) ||
	    isatty(STDOUT_FILENO)) {
		fputs("clpac-probe is started by libclpac-memory, to try out OpenCL's drivers\n", stderr);
		return EXIT_FAILURE;
	}
	look what = {n > 3 && *arguments[3] ? arguments[3] : NULL, n > 4 ? arguments[4] : NULL, (uint64_t)room};
	result = clpac__probe(limit_s, look_at, &what);
	return clpac__probe_report(STDOUT_FILENO, &result) ? EXIT_SUCCESS : EXIT_FAILURE;
}
