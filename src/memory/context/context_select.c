/* Opening a device by a selection: the fitting devices are tried in order of preference, since a driver that lists a
 * device may still fail to open it.
 */
#include "memory/context/context.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include <clpac/memory/estimate.h>
#include <clpac/memory/pool.h>

#include "base/memory.h"
#include "base/sized.h"
#include "base/text.h"
#include "memory/device/list.h"
#include "memory/pool/blocks/ledger.h"

enum { REASON_LENGTH = 200, LIST_LENGTH = 760 };

/* True when another device may succeed where one could not be opened.  Wrong options and a host without memory fail
 * alike on all devices; a failure that carries a driver's code may concern this driver only. */
static bool may_another_do(clpac_status status, int native_code)
{
	switch (status) {
	case CLPAC_ERROR_NO_MEMORY:
		return native_code != 0;
	case CLPAC_ERROR_NO_DEVICE_MEMORY:
	case CLPAC_ERROR_NO_DEVICE:
	case CLPAC_ERROR_DEVICE:
	case CLPAC_ERROR_BUILD:
	case CLPAC_ERROR_IO:
	case CLPAC_ERROR_UNSUPPORTED:
		return true;
	default:
		return false;
	}
}

static clpac_status open_one(const clpac_device *device, uint64_t required_bytes, const clpac_options *options,
			     clpac_context **out, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	clpac_context *context = NULL;
	TRY(clpac__context_of_device(device, options, &context, err));
	const uint64_t budget = clpac_pool_budget(context->pool);
	if (budget < required_bytes) {
		st = clpac__fail(err, CLPAC_ERROR_NO_DEVICE_MEMORY,
				 "%" PRIu64 " bytes of it may be used, and %" PRIu64 " are required", budget,
				 required_bytes);
		TRY(clpac__of_bytes(err, st, required_bytes, budget));
	}
	*out = context, context = NULL;
done:
	clpac_context_close(context);
	return st;
}

static void log_failure(const clpac_options *options, const clpac_device *device, const clpac_error *why)
{
	char selection[24], text[CLPAC_ERROR_TEXT_SIZE + 256];
	if (!options->log)
		return;
	clpac_device_selection(device, selection, sizeof selection);
	snprintf(text, sizeof text, "device %s \"%s\" cannot be used, and the next that fits is tried: %s", selection,
		 device->name, why->text);
	options->log(options->log_user, CLPAC_LOG_WARNING, text);
}

/* The error of a single candidate is passed on as it is; the errors of several are listed. */
static clpac_status fail_all(const clpac_device *const *candidates, const clpac_error *errors, size_t n,
			     const char *selection, clpac_error *err)
{
	clpac__text reasons = {0};
	char text[24];
	if (n == 1) {
		if (err)
			*err = errors[0];
		return errors[0].status;
	}
	for (size_t i = 0; i < n && reasons.length < LIST_LENGTH; i++) {
		clpac_device_selection(candidates[i], text, sizeof text);
		clpac__text_add(&reasons, "%s%s \"%.40s\": %.*s", i ? "; " : "", text, candidates[i]->name,
				REASON_LENGTH, errors[i].text);
	}
	const clpac_status st = clpac__fail_native(err, CLPAC_ERROR_NO_DEVICE, errors[0].native_code,
						   "none of the %zu devices that fit \"%.80s\" can be used: %s", n,
						   selection && *selection ? selection : "best",
						   reasons.data ? reasons.data : "(no memory left to list them)");
	clpac__text_clear(&reasons);
	return st;
}

clpac_status clpac_context_open_selected(const clpac_device_list *list, const char *selection, uint64_t required_bytes,
					 const clpac_options *given, clpac_context **out, clpac_error *err)
{
	NEED(out);
	clpac_options set, *options = &set;
	clpac_status st = CLPAC_OK;
	clpac_device_list *own = NULL;
	const clpac_device **candidates = NULL;
	clpac_error *errors = NULL;
	size_t n = 0;

	TRY(clpac__take_sized(&set, given, clpac_options, err));
	if (!list) {
		clpac_options asked = *options;
		if (!selection || strlen(selection) < sizeof asked.device)
			snprintf(asked.device, sizeof asked.device, "%s", selection ? selection : "");
		TRY(clpac_devices_find_for(&asked, &own, err));
		list = own;
	}
	TRY(clpac__devices_candidates(list, selection, required_bytes, NULL, &candidates, &n, err));
	TRY(NEW_ARRAY(errors, n));
	for (size_t i = 0; i < n; i++) {
		st = open_one(candidates[i], required_bytes, options, out, &errors[i]);
		if (st == CLPAC_OK)
			goto done;
		if (!may_another_do(st, errors[i].native_code)) {
			if (err)
				*err = errors[i];
			goto done;
		}
		if (i + 1 < n)
			log_failure(options, candidates[i], &errors[i]);
	}
	st = fail_all(candidates, errors, n, selection, err);
done:
	FREE_ALL(errors, candidates);
	clpac_devices_destroy(own);
	return st;
}

clpac_status clpac_context_open(const clpac_device *device, const clpac_options *options, clpac_context **out,
				clpac_error *err)
{
	NEED(out);
	clpac_options own;
	RETURN_IF_ERROR(clpac__take_sized(&own, options, clpac_options, err));
	return device ? clpac__context_of_device(device, &own, out, err)
		      : clpac_context_open_selected(NULL, own.device, 0, &own, out, err);
}

/* --- The device for a problem ----------------------------------------------------------------- */

/* The best device for a given number of bytes: combines the selection of devices with the budgets of pools. */

/* The budget of a pool with default options; 0 when such a pool cannot be made. */
static uint64_t usable(const clpac_device *device)
{
	uint64_t bytes;
	return clpac__budget_find(&(clpac_pool_options){0}, device, 0, &bytes, NULL) == CLPAC_OK ? bytes : 0;
}

clpac_status clpac_device_for(const clpac_device_list *list, uint64_t bytes, const char *selection,
			      const clpac_device **out, clpac_error *err)
{
	NEED(list, out);
	return clpac__devices_select(list, selection, bytes, usable, out, err);
}
