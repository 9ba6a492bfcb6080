/* Public functions that end calls from outside.  What a thread uses is a variable of the thread, so that no function
 * has to be given it: host loops and launches ask, deep inside. */
#include <clpac/memory/cancel.h>

#include <stdatomic.h>

#include "base/error.h"
#include "base/memory.h"

struct clpac_cancel {
	atomic_bool is_set;
};

#if defined(ATOMIC_BOOL_LOCK_FREE) && ATOMIC_BOOL_LOCK_FREE != 2
#error "a signal handler could wait for the thread that it interrupted"
#endif

static _Thread_local clpac_cancel *used;

clpac_status clpac_cancel_create(clpac_cancel **out, clpac_error *err)
{
	NEED(out);
	clpac_cancel *made;
	RETURN_IF_ERROR(NEW(made));
	*out = made;
	return CLPAC_OK;
}

void clpac_cancel_destroy(clpac_cancel *cancel)
{
	clpac__free(cancel);
}

void clpac_cancel_set(clpac_cancel *cancel)
{
	if (cancel)
		atomic_store(&cancel->is_set, true);
}

void clpac_cancel_clear(clpac_cancel *cancel)
{
	if (cancel)
		atomic_store(&cancel->is_set, false);
}

bool clpac_cancel_is_set(const clpac_cancel *cancel)
{
	return cancel && atomic_load_explicit(&cancel->is_set, memory_order_relaxed);
}

clpac_cancel *clpac_cancel_use(clpac_cancel *cancel)
{
	clpac_cancel *before = used;
	used = cancel;
	return before;
}

clpac_cancel *clpac_cancel_used(void)
{
	return used;
}

clpac_status clpac_cancel_check(clpac_error *err)
{
	if (clpac_cancel_is_set(used))
		RETURN_ERROR(CLPAC_ERROR_CANCELLED, "the call was cancelled (clpac_cancel_set)");
	return CLPAC_OK;
}
