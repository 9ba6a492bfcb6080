/* Holding a few channels is enough where a file has the channels apart: each is read once.  A file that has them side
 * by side is read anew for each group of them, and memory saves reading. */
#include "analysis/samples/hold.h"

#include <string.h>
#include <sys/resource.h>
#include <clpac/memory/device.h>
#include "base/number.h"

static const uint64_t usual_bytes = (uint64_t)256 << 20;

/* A quarter of the free memory may hold samples; the device and the system's cache of the file want the rest. */
enum { SHARE = 4 };

/* Bytes that this process may allocate; 0: unknown. */
static clpac_status free_bytes(uint64_t *out, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	clpac_device_list *list = NULL;
	struct rlimit limit;
	*out = 0;
	TRY(clpac_devices_find_for(&(clpac_options){.device = "native"}, &list, err));
	for (size_t i = 0; i < clpac_devices_count(list); i++) {
		const clpac_device *device = clpac_devices_get(list, i);
		if (strcmp(device->backend, "native") == 0)
			*out = device->free_bytes;
	}
	if (getrlimit(RLIMIT_AS, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY && limit.rlim_cur < *out)
		*out = limit.rlim_cur;
done:
	clpac_devices_destroy(list);
	return st;
}

clpac_status clpac__hold_read(const clpac__analysis_settings *settings, clpac__hold *out, clpac_error *err)
{
	static const char units[] = "KMGT";
	const char *text = settings->hold, *end = NULL;
	uint64_t bytes = usual_bytes;
	if (!text) {
		uint64_t share;
		RETURN_IF_ERROR(free_bytes(&share, err));
		share /= SHARE;
		*out = (clpac__hold){bytes, share > bytes ? share : bytes};
		return CLPAC_OK;
	}
	const bool is_number = clpac__parse_count(text, &bytes, &end);
	const char *unit = is_number && *end ? strchr(units, *end) : NULL;
	const int shift = unit ? 10 * (int)(unit - units + 1) : 0;
	if (!is_number || (*end && (!unit || end[1])) || bytes > UINT64_MAX >> shift)
		RETURN_ERROR(CLPAC_ERROR_ARGUMENT, "--hold %s: give bytes, as 268435456 or 256M", text);
	*out = (clpac__hold){bytes << shift, bytes << shift};
	return CLPAC_OK;
}
