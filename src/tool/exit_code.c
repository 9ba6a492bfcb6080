/* Exit codes, those of sysexits.h as far as they fit: a table by status, and a list of the system errors that mean
 * "cannot be opened" rather than "failed on the way". */
#include "tool/commands.h"

#include <errno.h>
#include <signal.h>

enum {
	DONE = 0,
	USAGE = 2,
	BAD_DATA = 65,
	NO_INPUT = 66,
	UNAVAILABLE = 69, /* the machine lacks a device, memory of either kind, or a feature */
	OUR_BUG = 70,
	NO_OUTPUT = 73,
	INPUT_OUTPUT = 74,
};

static const int exit_codes[] = {
	[CLPAC_OK] = DONE,
	[CLPAC_ERROR_ARGUMENT] = USAGE,
	[CLPAC_ERROR_NO_MEMORY] = UNAVAILABLE,
	[CLPAC_ERROR_NO_DEVICE_MEMORY] = UNAVAILABLE,
	[CLPAC_ERROR_NO_DEVICE] = UNAVAILABLE,
	[CLPAC_ERROR_DEVICE] = UNAVAILABLE,
	[CLPAC_ERROR_BUILD] = OUR_BUG,
	[CLPAC_ERROR_FORMAT] = BAD_DATA,
	[CLPAC_ERROR_IO] = INPUT_OUTPUT,
	[CLPAC_ERROR_UNSUPPORTED] = UNAVAILABLE,
	[CLPAC_ERROR_CANCELLED] = TOOL_EXIT_SIGNAL + SIGINT,
	[CLPAC_ERROR_INTERNAL] = OUR_BUG,
	[CLPAC_ERROR_FORKED] = OUR_BUG,
};
_Static_assert(sizeof exit_codes / sizeof *exit_codes == CLPAC_STATUS_COUNT, "one exit code per status");

/* System errors that keep a file from being opened at all. */
static const int cannot_open[] = {ENOENT, EACCES, EPERM, EISDIR, ENOTDIR, ELOOP, ENAMETOOLONG,
				  EEXIST, EROFS,  EBUSY, EXDEV,	 ENXIO,	  EINVAL};

int tool_exit_code(clpac_status status, int native_code, tool_direction direction)
{
	if ((unsigned)status >= CLPAC_STATUS_COUNT)
		return OUR_BUG;
	if (status == CLPAC_ERROR_IO) {
		for (size_t i = 0; i < sizeof cannot_open / sizeof *cannot_open; i++)
			if (native_code == cannot_open[i])
				return direction == TOOL_OUTPUT ? NO_OUTPUT : NO_INPUT;
	}
	return exit_codes[status];
}
