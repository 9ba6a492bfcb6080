/* NULL in place of each pointer that a function of libclpac-io takes. */

#include <clpac/devices.h>
#include <clpac/plot.h>
#include <clpac/read.h>
#include <clpac/recording_store.h>
#include <clpac/write.h>

/* Pointers to nothing: those beside the NULL are not looked at. */
static struct {
	char bytes[64], text[65];
} f;
#define FAKE(type) ((type *)(void *)f.bytes)

static clpac_status f_load_function(void *user, clpac_store *store, const char *key, clpac_metadata *metadata,
				    clpac_buffer **out, clpac_error *err)
{
	(void)user, (void)store, (void)key, (void)metadata, (void)out, (void)err;
	return CLPAC_ERROR_INTERNAL;
}

#define NULL_ROWS "unit/null_io.def"
#include "null_rule.h"

#include <clpac/memory/store.h>

TEST_EACH(null_is_refused_by_name, NULL_ROW_COUNT)
{
	assert_null_rule(_i);
}
