/* The shared snapshot of the machine: one list for the whole process, handed out by counted reference.
 *
 * Discovery starts drivers and takes up to half a second.  A latch of its own guards the current list, so that a caller
 * who is content with that list does not wait for one who looks again.
 */
#include <pthread.h>

#include "base/environment.h"
#include "base/latch.h"
#include "base/memory.h"
#include "base/process.h"
#include "base/sized.h"
#include "memory/device/list.h"
#include "memory/device/probe.h"
#include "memory/device/selection.h"
#include "memory/registry/backends.h"

enum { USUAL_LIMIT_S = 10 };

static pthread_mutex_t turn = PTHREAD_MUTEX_INITIALIZER; /* held during discovery; taken before the latch */
static clpac__latch latch;				 /* guards latest and every list's n_holders */
static clpac_device_list *latest; /* held until another replaces it, the last one until the library goes */

/* True once the drivers were started in this process; guarded by turn.  Drivers start once per process: after that a
 * probe is pointless, since a child cannot use drivers that its parent started.  Until then, a look that was not asked
 * to probe repeats the choice of the previous one, so that nobody starts a driver that is known to crash. */
static bool have_drivers_started;
static double probe_s; /* 0: nobody chose */

/* In a child nobody holds them.  The latest list is as it was: it changes in one store. */
static void renew_locks(void)
{
	static clpac__renewal renewal;
	if (!clpac__renewal_begin(&renewal))
		return;
	pthread_mutex_init(&turn, NULL);
	clpac__latch_leave(&latch);
	clpac__renewal_end(&renewal, true);
}

static clpac_device_list *hold_latest(void)
{
	clpac__latch_take(&latch);
	clpac_device_list *list = latest;
	if (list)
		list->n_holders++;
	clpac__latch_leave(&latch);
	return list;
}

/* Makes a list that the caller holds the latest one, which takes a reference too. */
static void replace_latest(clpac_device_list *list)
{
	clpac__latch_take(&latch);
	clpac_device_list *old = latest;
	list->n_holders++;
	latest = list;
	clpac__latch_leave(&latch);
	clpac_devices_destroy(old);
}

/* A list of what needs no driver: the native device. */
static clpac_status find_native(clpac_device_list **out, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	clpac__discovery found = {0};
	for (const clpac__backend *const *backend = clpac__backends; *backend; backend++)
		if (!(*backend)->has_drivers)
			TRY((*backend)->discover(&found, err));
	TRY(clpac__discovery_finish(&found, out, err));
done:
	clpac__discovery_clear(&found);
	return st;
}

/* How to look: the limit of clpac_devices_find_probed, the option `cache`, and clpac__discovery.wanted_kinds. */
typedef struct manner {
	double limit_s;
	const char *cache;
	unsigned kinds;
} manner;

/* Called with turn held; is_anew: nothing known of an earlier look serves.  A failure leaves the latest list in place,
 * and so does a look that passed over drivers. */
static clpac_status look(manner how, bool is_anew, clpac_device_list **out, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	clpac__discovery found = {0};
	if (how.limit_s != 0)
		probe_s = how.limit_s;
	if (!have_drivers_started && probe_s >= 0) {
		found.probe_s = probe_s > 0 ? probe_s : USUAL_LIMIT_S;
		found.is_anew = is_anew || probe_s > 0;
		found.wanted_kinds = how.kinds;
		clpac__cache_folder(how.cache, found.cache, sizeof found.cache);
	}

	for (const clpac__backend *const *backend = clpac__backends; *backend; backend++)
		TRY((*backend)->discover(&found, err));
	const bool is_whole = !found.is_passed_over;
	if (!found.is_left_out && is_whole)
		have_drivers_started = true;
	TRY(clpac__discovery_finish(&found, out, err));
	if (is_whole)
		replace_latest(*out);
done:
	clpac__discovery_clear(&found);
	return st;
}

/* The list goes with the library, which may be loaded again. */
__attribute__((destructor)) static void end(void)
{
	clpac__latch_take(&latch);
	clpac_device_list *old = latest;
	latest = NULL;
	clpac__latch_leave(&latch);
	clpac_devices_destroy(old);
}

static clpac_status check_limit(double limit_s, clpac_error *err)
{
	if ((limit_s >= 0 && limit_s <= CLPAC__PROBE_LONGEST_S) || limit_s == CLPAC_PROBE_NONE)
		return CLPAC_OK;
	return clpac__fail(err, CLPAC_ERROR_ARGUMENT,
			   "the limit of a probe is %g s: give more than 0 and at most %d, or CLPAC_PROBE_NONE",
			   limit_s, CLPAC__PROBE_LONGEST_S);
}

/* Loads the library that an option names; *is_new: drivers can be reached that could not before. */
static clpac_status use_library(const char *path, bool *is_new, clpac_error *err)
{
	*is_new = false;
	if (!*path)
		return CLPAC_OK;
	for (const clpac__backend *const *backend = clpac__backends; *backend; backend++)
		if ((*backend)->use_library)
			return (*backend)->use_library(path, is_new, err);
	RETURN_ERROR(CLPAC_ERROR_UNSUPPORTED, "option opencl_library: this build has no OpenCL; leave it out");
}

static clpac_status find(manner how, clpac_device_list **out, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	renew_locks();
	clpac_device_list *list = hold_latest();
	if (!list) {
		pthread_mutex_lock(&turn);
		list = hold_latest(); /* made by the previous holder of turn */
		if (!list)
			st = look(how, false, &list, err);
		pthread_mutex_unlock(&turn);
	}
	if (st == CLPAC_OK)
		*out = list;
	return st;
}

/* A look of which the one before, without a library, is no part. */
static clpac_status find_by_library(manner how, clpac_device_list **out, clpac_error *err)
{
	pthread_mutex_lock(&turn);
	have_drivers_started = false;
	const clpac_status st = look(how, false, out, err);
	pthread_mutex_unlock(&turn);
	return st;
}

static clpac_status refresh(manner how, clpac_device_list **out, clpac_error *err)
{
	renew_locks();
	pthread_mutex_lock(&turn);
	clpac_status st = look(how, true, out, err);
	pthread_mutex_unlock(&turn);
	return st;
}

clpac_status clpac_devices_find(clpac_device_list **out, clpac_error *err)
{
	NEED(out);
	return find((manner){0, "", 0}, out, err);
}

clpac_status clpac_devices_refresh(clpac_device_list **out, clpac_error *err)
{
	NEED(out);
	return refresh((manner){0, "", 0}, out, err);
}

clpac_status clpac_devices_find_for(const clpac_options *given, clpac_device_list **out, clpac_error *err)
{
	NEED(out);
	clpac_options options;
	RETURN_IF_ERROR(clpac__take_sized(&options, given, clpac_options, err));
	RETURN_IF_ERROR(check_limit(options.probe, err));
	renew_locks();
	if (!clpac__selection_is_native(options.device)) {
		const manner how = {options.probe, options.cache, clpac__selection_kinds(options.device)};
		bool is_new;
		RETURN_IF_ERROR(use_library(options.opencl_library, &is_new, err));
		RETURN_IF_ERROR((is_new ? find_by_library : find)(how, out, err));
	} else if (!(*out = hold_latest())) {
		RETURN_IF_ERROR(find_native(out, err));
	}
	return CLPAC_OK;
}

clpac_status clpac_devices_find_probed(double limit_s, clpac_device_list **out, clpac_error *err)
{
	NEED(out);
	clpac_status st = check_limit(limit_s, err);
	return st == CLPAC_OK ? find((manner){limit_s, "", 0}, out, err) : st;
}

clpac_status clpac_devices_refresh_probed(double limit_s, clpac_device_list **out, clpac_error *err)
{
	NEED(out);
	clpac_status st = check_limit(limit_s, err);
	return st == CLPAC_OK ? refresh((manner){limit_s, "", 0}, out, err) : st;
}

void clpac_devices_destroy(clpac_device_list *list)
{
	if (!list)
		return;
	renew_locks();
	clpac__latch_take(&latch);
	const bool is_held = --list->n_holders;
	clpac__latch_leave(&latch);
	if (is_held)
		return;
	FREE_ALL(list->platforms, list->devices, list);
}
