/* Public functions on statuses, texts and the version.  The rest of this folder is private, and linked into every
 * library. */
#include <clpac/status.h>
#include <clpac/version.h>

#include "base/memory.h"

static const char *const status_text[] = {
	[CLPAC_OK] = "success",
	[CLPAC_ERROR_ARGUMENT] = "wrong argument",
	[CLPAC_ERROR_NO_MEMORY] = "out of memory",
	[CLPAC_ERROR_NO_DEVICE_MEMORY] = "out of device memory",
	[CLPAC_ERROR_NO_DEVICE] = "no such device",
	[CLPAC_ERROR_DEVICE] = "device failure",
	[CLPAC_ERROR_BUILD] = "kernel build failure",
	[CLPAC_ERROR_FORMAT] = "bad data",
	[CLPAC_ERROR_IO] = "input or output error",
	[CLPAC_ERROR_UNSUPPORTED] = "not supported",
	[CLPAC_ERROR_CANCELLED] = "cancelled",
	[CLPAC_ERROR_INTERNAL] = "internal error",
	[CLPAC_ERROR_FORKED] = "opened in another process",
};
_Static_assert(sizeof status_text / sizeof *status_text == CLPAC_STATUS_COUNT, "one text per status");

const char *clpac_status_text(clpac_status status)
{
	return (unsigned)status < CLPAC_STATUS_COUNT ? status_text[status] : "unknown status";
}

void clpac_text_free(char *text)
{
	clpac__free(text);
}

const char *clpac_version(void)
{
	return CLPAC_VERSION_STRING;
}
