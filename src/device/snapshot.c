/* The machine as it was when it was last looked at: one list for the whole process, handed out by counted reference.
 *
 * Looking starts drivers and takes up to half a second; a latch guards what is handed out, so that nobody who is content
 * with the list that there is waits for somebody who looks again. */
#include <pthread.h>

#include "base/latch.h"
#include "base/memory.h"
#include "device/list.h"

static pthread_mutex_t turn = PTHREAD_MUTEX_INITIALIZER; /* of those who look; taken before the latch */
static clpac__latch latch;                               /* of latest and of every list's n_holders */
static clpac_device_list *latest; /* held until another takes its place; the last one until the process ends */

static clpac_device_list *hold_latest(void)
{
	clpac__latch_take(&latch);
	clpac_device_list *list = latest;
	if (list)
		list->n_holders++;
	clpac__latch_leave(&latch);
	return list;
}

/* Puts a list that its caller holds into the place of the latest one, which holds it too. */
static void replace_latest(clpac_device_list *list)
{
	clpac__latch_take(&latch);
	clpac_device_list *old = latest;
	list->n_holders++;
	latest = list;
	clpac__latch_leave(&latch);
	clpac_devices_destroy(old);
}

/* In one's turn.  What fails leaves the latest list in its place. */
static clpac_status look(clpac_device_list **out, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	clpac__discovery found = {0};

	for (const clpac__backend *const *backend = clpac__backends; *backend; backend++)
		TRY((*backend)->discover(&found, err));
	TRY(clpac__discovery_finish(&found, out, err));
	replace_latest(*out);
done:
	clpac__discovery_clear(&found);
	return st;
}

clpac_status clpac_devices_find(clpac_device_list **out, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	clpac_device_list *list = hold_latest();
	if (!list) {
		pthread_mutex_lock(&turn);
		list = hold_latest(); /* of whoever had the turn before */
		if (!list)
			st = look(&list, err);
		pthread_mutex_unlock(&turn);
	}
	if (st == CLPAC_OK)
		*out = list;
	return st;
}

clpac_status clpac_devices_refresh(clpac_device_list **out, clpac_error *err)
{
	pthread_mutex_lock(&turn);
	clpac_status st = look(out, err);
	pthread_mutex_unlock(&turn);
	return st;
}

void clpac_devices_destroy(clpac_device_list *list)
{
	if (!list)
		return;
	clpac__latch_take(&latch);
	const bool is_held = --list->n_holders;
	clpac__latch_leave(&latch);
	if (is_held)
		return;
	clpac__free(list->platforms);
	clpac__free(list->devices);
	clpac__free(list);
}
