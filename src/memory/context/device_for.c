/* The best device for a given number of bytes: combines the selection of devices with the budgets of pools. */
#include <clpac/memory/estimate.h>

#include "memory/device/list.h"
#include "memory/pool/blocks/ledger.h"

/* The budget of a pool with default options; 0 when such a pool cannot be made. */
static uint64_t usable(const clpac_device *device)
{
	uint64_t bytes;
	return clpac__budget_find(&(clpac_pool_options){0}, device, 0, &bytes, NULL) == CLPAC_OK ? bytes : 0;
}

clpac_status clpac_device_for(const clpac_device_list *list, uint64_t bytes, const char *selection,
			      const clpac_device **out, clpac_error *err)
{
	NEED(list);
	NEED(out);
	return clpac__devices_select(list, selection, bytes, usable, out, err);
}
